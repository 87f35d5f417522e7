// What the closed loop asks of the force map: a state that another map continues from, a warm start
// that survives contacts that come and go, and friction without jumps.

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/control/force_mapping.hpp"
#include "coluber/core/bytes.hpp"
#include "coluber/core/error.hpp"

#include "sample/holden.hpp"
#include "support/needs_daqp.hpp"

namespace coluber::control {
namespace force_map_state_test {

using Eigen::VectorXd;

/// Table II after k ticks: the angles go on with their rates.
planar::Instant instant_at(int k) {
  planar::Instant instant = sample::table_ii();
  instant.theta += 5e-3 * k * instant.theta_dot;
  return instant;
}

const MapResult& solve(ForceMapping& mapping, int k,
                       const std::vector<planar::LinkContact>& contacts, bool warm) {
  const planar::Instant instant = instant_at(k);
  Wish wish;
  for (int i = 0; i < 20; ++i) wish.links.push_back(i);
  wish.angular = VectorXd::LinSpaced(20, -4.0, 4.0);
  wish.centre << 0.5, 0.1;
  return mapping.solve(instant, contacts, wish, sample::table_v_friction(mapping.model(), instant),
                       warm);
}

ForceMapping make_mapping() {
  return {sample::table_i().links,
          {.u_max = 2.0,
           .weight_torque = VectorXd::Constant(1, 1e-3),
           .weight_slack = {0.227, 1.0},
           .blend = 1e-3}};
}

std::vector<std::uint64_t> bits(const VectorXd& values) {
  std::vector<std::uint64_t> out;
  for (const double value : values) out.push_back(std::bit_cast<std::uint64_t>(value));
  return out;
}

TEST(ForceMapState, ContinuesToTheSameBits) {
  NEEDS_DAQP();
  ForceMapping whole = make_mapping();
  const auto contacts = sample::table_iii();
  for (int k = 0; k < 5; ++k) solve(whole, k, contacts, true);
  ByteWriter saved;
  whole.save_state(saved);
  ForceMapping second = make_mapping();
  ByteReader bytes(saved.bytes(), "state");
  second.restore_state(bytes);
  bytes.finish();
  auto fewer = contacts;
  fewer.erase(fewer.begin() + 1);
  for (int k = 5; k < 10; ++k) {
    const auto& touching = k == 7 ? fewer : contacts;  // a contact goes, and comes back
    const VectorXd u = solve(whole, k, touching, true).u;
    ASSERT_TRUE(u.allFinite());
    EXPECT_EQ(bits(solve(second, k, touching, true).u), bits(u)) << k;
  }
  EXPECT_GT(whole.result().active.size(), 2U) << "limits must be at work for this to mean anything";
}

TEST(ForceMapState, AnswersTheSameFromWarmAndFromColdWhereContactsChange) {
  NEEDS_DAQP();
  ForceMapping warm = make_mapping();
  auto contacts = sample::table_iii();
  for (int k = 0; k < 12; ++k) {
    if (k == 4) contacts.erase(contacts.begin() + 2);
    if (k == 8) contacts.insert(contacts.begin(), {0, 0.0, 1, 0.3});
    ForceMapping cold = make_mapping();
    const VectorXd u = solve(cold, k, contacts, false).u;
    const VectorXd again = solve(warm, k, contacts, true).u;
    // both meet the KKT conditions to 1e-9 of 2 N m
    EXPECT_LE((u - again).cwiseAbs().maxCoeff(), 1e-7) << k;
  }
}

TEST(ForceMapState, RefusesAStateThatMakesNoSense) {
  NEEDS_DAQP();
  ForceMapping mapping = make_mapping();
  solve(mapping, 0, sample::table_iii(), true);
  ByteWriter saved;
  mapping.save_state(saved);
  const std::string cut = saved.bytes().substr(0, saved.bytes().size() - 8);
  ByteReader bytes(cut, "state");
  EXPECT_THROW(mapping.restore_state(bytes), FileError);
  EXPECT_TRUE(solve(mapping, 1, sample::table_iii(), true).u.allFinite());
}

TEST(ForceMapState, FrictionOfAContactGrowsWithItsSlidingUpToTheBlend) {
  const planar::ForceMapModel model =
      planar::make_force_map_model(sample::table_i().links, planar::Kinematics::centre_of_mass);
  planar::Instant instant = sample::table_ii();
  instant.theta_dot.setZero();
  const std::vector<planar::LinkContact> contacts{{2, 0.0, 1, 0.3}};
  planar::GroundLoad none;
  none.set_zero(20);
  const Eigen::Vector2d axis{std::cos(instant.theta(2)), std::sin(instant.theta(2))};
  for (const auto& [speed, share] : {std::pair{-2e-3, -1.0}, std::pair{-0.5e-3, -0.5},
                                     std::pair{0.25e-3, 0.25}, std::pair{1e-3, 1.0}}) {
    instant.p_dot = speed * axis;
    planar::ForceMap map;
    const auto info = planar::update_force_map(model, instant, contacts, {}, none,
                                               planar::ContactAcceleration::point, map, 1e-3);
    EXPECT_TRUE(info.regular);
    EXPECT_NEAR(map.mu_tilde(0), -0.3 * share, 1e-12) << speed;
  }
}

TEST(ForceMapState, GroundFrictionGrowsWithTheSpeedUpToTheBlend) {
  planar::Model robot = sample::table_i();
  planar::Instant instant = sample::table_ii();
  instant.theta_dot.setZero();
  planar::Columns v = planar::Columns::Zero(2, 20);
  for (const auto& [speed, share] :
       {std::pair{1e-3, 0.2}, std::pair{2.5e-3, 0.5}, std::pair{0.1, 1.0}}) {
    v.row(0).setConstant(speed);
    planar::GroundLoad load;
    EXPECT_EQ(planar::compute_ground_load(robot, instant, v, load, 5e-3), 0);
    EXPECT_NEAR(load.f_r(0, 0), -share * 0.3 * 9.81, 1e-12) << speed;
    EXPECT_NEAR(load.f_r(0, 19), -share * 0.3 * 2.0 * 9.81, 1e-12) << "the head is twice as heavy";
  }
}

}  // namespace force_map_state_test
}  // namespace coluber::control

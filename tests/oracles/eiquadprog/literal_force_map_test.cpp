// Holden's optimisation problem by the literal route: his matrices with explicit inverses, and
// eiquadprog with a row per equality.
#include <algorithm>

#include <gtest/gtest.h>

#include "coluber/control/force_mapping.hpp"
#include "coluber/planar/force_map.hpp"

#include "sample/holden.hpp"
#include "support/literal_optimisation.hpp"

namespace coluber::control::literal_force_map_test {

using planar::ContactAcceleration;
using planar::Kinematics;

/// Largest difference of the torques by both routes (N m), at Table II's instant.
double apart(Kinematics kinematics, ContactAcceleration form) {
  const planar::Model robot = sample::table_i();
  ForceMappingOptions options;
  options.kinematics = kinematics;
  options.form = form;
  options.u_max = 4.5;
  ForceMapping mapping(robot.links, options);
  planar::Instant instant = sample::table_ii();
  const auto contacts = sample::table_iii();
  if (form == ContactAcceleration::point) {
    planar::project_velocities(mapping.model(), contacts, form, instant);
  }
  WishLaw law;
  law.position = Eigen::Vector2d{1.0, 0.0};
  law.links = sample::table_iv();
  const Wish wish = compute_wish(law, instant);
  planar::GroundLoad ground = sample::table_v_friction(mapping.model(), instant);
  const MapResult& result = mapping.solve(instant, contacts, wish, ground);
  EXPECT_EQ(result.status, MapStatus::optimal);
  EXPECT_EQ(result.active, std::vector<int>{5});

  support::LiteralForceMap<> map(mapping.model());
  map.update(instant, contacts, wish.links, ground, form);
  Eigen::VectorXd b_e = map.b_0;
  b_e.head<2>() -= mapping.model().m_T * wish.centre;
  b_e.tail(wish.angular.size()) += wish.angular;
  support::LiteralOptimisation literal;
  EXPECT_TRUE(literal.solve(map, contacts, b_e, options.u_max));
  const double first = (literal.u - result.u).cwiseAbs().maxCoeff();
  EXPECT_TRUE(literal.solve_fast(map, contacts, b_e, options.u_max));
  return std::max(first, (literal.u - result.u).cwiseAbs().maxCoeff());
}

TEST(LiteralForceMap, GivesTheTorquesOfTheMapAsPrintedAndCorrected) {
  EXPECT_LT(apart(Kinematics::mean, ContactAcceleration::skate), 1e-9);
  EXPECT_LT(apart(Kinematics::centre_of_mass, ContactAcceleration::point), 1e-9);
}

}  // namespace coluber::control::literal_force_map_test

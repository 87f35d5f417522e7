// The force map beside Holden's matrices, typed as printed.
#include "support/literal_force_map.hpp"

#include <random>

#include <gtest/gtest.h>

#include "coluber/planar/force_map.hpp"

#include "sample/holden.hpp"
#include "sample/snake.hpp"

namespace coluber::planar::literal_force_map_test {

template <typename A, typename B>
double apart(const A& ours, const B& theirs) {
  return (ours - theirs).cwiseAbs().maxCoeff() / (1.0 + theirs.cwiseAbs().maxCoeff());
}

void expect_the_same(const ForceMapModel& model, const Instant& instant,
                     const std::vector<LinkContact>& contacts, const std::vector<int>& controlled,
                     const GroundLoad& ground, ContactAcceleration form) {
  ForceMap map;
  ASSERT_TRUE(update_force_map(model, instant, contacts, controlled, ground, form, map).regular);
  support::LiteralForceMap<> literal(model);
  literal.update(instant, contacts, controlled, ground, form);
  support::LiteralForceMap<Eigen::DiagonalMatrix<double, Eigen::Dynamic>> sparse(model);
  sparse.update(instant, contacts, controlled, ground, form);
  EXPECT_LT(apart(sparse.A_e, literal.A_e), 1e-9);
  EXPECT_LT(apart(sparse.b_0, literal.b_0), 1e-9);
  // rounding, times condition numbers of M_theta and A_f of a few hundred
  EXPECT_LT(apart(map.A_f, literal.A_f), 1e-9);
  EXPECT_LT(apart(map.A_u, literal.A_u), 1e-9);
  EXPECT_LT(apart(map.b_f, literal.b_f), 1e-9);
  EXPECT_LT(apart(map.A_e, literal.A_e), 1e-9);
  EXPECT_LT(apart(map.b_0, literal.b_0), 1e-9);
}

TEST(LiteralForceMap, IsTheMapOfTableI) {
  const ForceMapModel model = make_force_map_model(sample::table_i().links, Kinematics::mean);
  GroundLoad ground;
  ground.set_zero(20);
  ground.f_r.row(0).setConstant(-2.5);
  ground.tau_r.setConstant(0.3);
  expect_the_same(model, sample::table_ii(), sample::table_iii(), sample::table_iv(), ground,
                  ContactAcceleration::skate);
}

TEST(LiteralForceMap, IsTheMapOfAnyRobotInEitherForm) {
  std::mt19937_64 random(21);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::uniform_real_distribution<double> share(-0.9, 0.9);
  const auto vector = [&](Eigen::Index size) -> VectorXd {
    return VectorXd::NullaryExpr(size, [&](Eigen::Index) { return normal(random); });
  };
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 4 + trial % 9;
    const Model robot = sample::odd_links(n, random);
    const Instant instant{0.6 * vector(n), vector(n), vector(2), vector(2)};
    GroundLoad ground{Columns::NullaryExpr(2, n, [&](auto, auto) { return normal(random); }),
                      0.1 * vector(n)};
    for (const Kinematics kinematics : {Kinematics::mean, Kinematics::centre_of_mass}) {
      const ForceMapModel model = make_force_map_model(robot.links, kinematics);
      for (const ContactAcceleration form :
           {ContactAcceleration::skate, ContactAcceleration::point}) {
        std::vector<LinkContact> contacts;
        for (int link = 1; link < n; link += 3) {
          // the printed form is for contacts at the centres of gravity
          const double at = share(random) * std::min(model.l_h(link), model.l_t(link));
          contacts.push_back(
              {link, form == ContactAcceleration::point ? at : 0.0, link % 2 == 0 ? 1 : -1, 0.3});
        }
        expect_the_same(model, instant, contacts, {0, 1, 3}, ground, form);
      }
    }
  }
}

}  // namespace coluber::planar::literal_force_map_test

#include "coluber/control/force_mapping.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

#include "sample/holden.hpp"
#include "sample/random_instants.hpp"
#include "support/needs_daqp.hpp"

namespace coluber::control::force_mapping_test {

using Eigen::Index;
using Eigen::Vector2d;
using Eigen::VectorXd;
using planar::ContactAcceleration;
using planar::GroundLoad;
using planar::Kinematics;
using planar::LinkContact;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Holden's example: printed, with his ground friction, whose rotational part is viscous.
struct TableV {
  planar::Model robot = sample::table_i();
  planar::Instant instant = sample::table_ii();
  std::vector<LinkContact> contacts = sample::table_iii();
  ForceMappingOptions options{
      .kinematics = Kinematics::mean, .form = ContactAcceleration::skate, .u_max = 4.5};
  WishLaw law{.position = Vector2d{1.0, 0.0}, .links = sample::table_iv()};

  TableV() { robot.c_R = 0.1; }
  [[nodiscard]] GroundLoad ground(const planar::ForceMapModel& model) const {
    GroundLoad load;
    planar::Columns v;
    planar::compute_link_velocities(model, instant, v);
    EXPECT_EQ(planar::compute_ground_load(robot, instant, v, load), 0);
    return load;
  }
  [[nodiscard]] ForceMapping solved() const {
    ForceMapping mapping(robot.links, options);
    mapping.solve(instant, contacts, compute_wish(law, instant), ground(mapping.model()));
    return mapping;
  }
};

// (47)-(49): wished acceleration less what gains make of the errors of place and velocity.
TEST(Wish, IsTheAccelerationLessTheGainsTimesTheErrors) {
  planar::Instant instant;
  instant.p << 3.0, 5.0;
  instant.p_dot << 0.5, -1.0;
  instant.theta.resize(3);
  instant.theta << 0.1, 0.4, -0.7;
  instant.theta_dot.resize(3);
  instant.theta_dot << 1.0, -2.0, 3.0;
  WishLaw law{.position = Vector2d{2.0, 7.0},
              .velocity = {1.0, 1.5},
              .acceleration = {0.25, -0.5},
              .links = {2, 0},
              .angle = Vector2d{0.3, -0.2},
              .rate = Vector2d{0.5, -1.0},
              .angular_acceleration = Vector2d{10.0, 20.0},
              .kp = 2.0,
              .kd = 3.0,
              .kp_angle = 4.0,
              .kd_angle = 5.0};
  const Wish wish = compute_wish(law, instant);
  EXPECT_EQ(wish.links, law.links);
  EXPECT_NEAR(wish.centre.x(), 0.25 - 2.0 * 1.0 - 3.0 * -0.5, 1e-15);
  EXPECT_NEAR(wish.centre.y(), -0.5 - 2.0 * -2.0 - 3.0 * -2.5, 1e-14);
  EXPECT_NEAR(wish.angular(0), 10.0 - 4.0 * (-0.7 - 0.3) - 5.0 * (3.0 - 0.5), 1e-14) << "link 3";
  EXPECT_NEAR(wish.angular(1), 20.0 - 4.0 * (0.1 + 0.2) - 5.0 * (1.0 + 1.0), 1e-14) << "link 1";

  // what is not given: the place and the angles as they are, no rate, no acceleration
  law.position.reset();
  law.angle.resize(0);
  law.rate.resize(0);
  law.angular_acceleration.resize(0);
  const Wish held = compute_wish(law, instant);
  EXPECT_NEAR(held.centre.x(), 0.25 - 3.0 * -0.5, 1e-15);
  EXPECT_NEAR(held.angular(0), -5.0 * 3.0, 1e-14);
  EXPECT_NEAR(held.angular(1), -5.0 * 1.0, 1e-14);
}

TEST(ForceMapping, FindsTheTorquesOfTheIndependentProgramForTableV) {
  NEEDS_DAQP();
  ForceMapping mapping = TableV().solved();
  const MapResult& result = mapping.result();
  VectorXd u(19);
  u << 0.9490, 3.1907, 3.9820, 1.0916, -2.5839, -4.5000, -1.7385, 1.2247, 3.1906, 3.8092, 2.3881,
      0.2065, -2.8424, -4.1360, -1.9560, 0.2827, 1.9010, 2.2314, 1.3251;
  VectorXd f_C(5);
  f_C << -27.251, 49.762, -19.085, 28.072, -9.916;
  EXPECT_EQ(result.status, MapStatus::optimal);
  EXPECT_LT((result.u - u).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT((result.f_C - f_C).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_NEAR(result.effort, 129.45, 0.005);
  EXPECT_NEAR(result.z.norm(), 1.3e-12, 0.05e-12);
  EXPECT_THAT(result.active, ElementsAre(5));
  EXPECT_NEAR(*mapping.margin(), 20.86, 0.01);
  // the printed table, whose ground friction is not known to the last detail
  EXPECT_NEAR((result.u - sample::table_v_torques()).cwiseAbs().maxCoeff(), 0.080, 0.0005);
  EXPECT_NEAR((result.f_C - sample::table_v_forces()).cwiseAbs().maxCoeff(), 2.00, 0.005);
  const MapCondition condition = mapping.condition();
  EXPECT_NEAR(condition.M_theta, 199.0, 1.0);
  EXPECT_NEAR(condition.A_f, 1.57, 0.01);
  EXPECT_NEAR(condition.A_e, 128.0, 1.0);
  EXPECT_EQ(condition.rank, 13);
}

TEST(ForceMapping, WithoutRotationalFrictionNoJointOfTableVIsAtItsLimit) {
  NEEDS_DAQP();
  TableV given;
  given.robot.c_R = 0.0;
  EXPECT_THAT(given.solved().result().active, IsEmpty());
}

TEST(ForceMapping, AnAnswerInWhichAContactPullsIsNeverASolvedOne) {
  NEEDS_DAQP();
  const TableV given;
  ForceMapping mapping(given.robot.links, given.options);
  const GroundLoad ground = given.ground(mapping.model());
  for (double size = 1.0; size < 1e19; size *= 10.0) {
    for (const Vector2d& way : {Vector2d{1.0, 1.0}, Vector2d{1.0, -1.0}, Vector2d{-1.0, 0.3}}) {
      Wish wish = compute_wish(given.law, given.instant);
      wish.centre = size * way;
      const MapResult& result = mapping.solve(given.instant, given.contacts, wish, ground);
      if (size <= kMostWished) {
        EXPECT_TRUE(result.status == MapStatus::slack || result.status == MapStatus::optimal)
            << size;
      }
      if (result.status == MapStatus::failed) continue;
      for (std::size_t k = 0; k < given.contacts.size(); ++k) {
        const double pressed = given.contacts[k].gamma * result.f_C(static_cast<Index>(k));
        EXPECT_GT(pressed, -1e-4) << size << ", contact " << k;  // N; forces reach some 100 N
      }
    }
  }
}

TEST(ForceMapping, VeryLargeTorqueLimitsHaveAMargin) {
  NEEDS_DAQP();
  // a straight robot that squeezes three pegs as hard as its motors can
  ForceMapping mapping(sample::aiko(5).links, {.u_max = 1e18});
  planar::Instant instant;
  instant.theta.setZero(5);
  instant.theta_dot.setZero(5);
  GroundLoad ground;
  ground.set_zero(5);
  Wish wish;
  wish.links = {2};
  wish.angular.setZero(1);
  const std::vector<LinkContact> pegs{{1, 0.0, -1, 0.0}, {2, 0.0, 1, 0.0}, {3, 0.0, -1, 0.0}};
  EXPECT_EQ(mapping.solve(instant, pegs, wish, ground).status, MapStatus::optimal);
  EXPECT_GT(*mapping.margin(), 1e16);
}

// Coulomb's friction of a lever, as a physicist would read "rotational friction": Table V is then
// out of reach.
TEST(ForceMapping, WithRotationalFrictionOfALeverNoJointOfTableVIsAtItsLimit) {
  NEEDS_DAQP();
  TableV given;
  given.robot.c_R = 0.0;
  ForceMapping mapping(given.robot.links, given.options);
  GroundLoad load = given.ground(mapping.model());
  for (Index i = 0; i < 20; ++i) {
    const planar::Link& link = given.robot.links[static_cast<std::size_t>(i)];
    load.tau_r(i) -= std::copysign(0.1 * link.m * 9.81 * 0.25 * link.L, given.instant.theta_dot(i));
  }
  const MapResult& result =
      mapping.solve(given.instant, given.contacts, compute_wish(given.law, given.instant), load);
  EXPECT_EQ(result.status, MapStatus::optimal);
  EXPECT_THAT(result.active, IsEmpty());
  EXPECT_NEAR(result.u.cwiseAbs().maxCoeff(), 3.35, 0.01);
  EXPECT_NEAR(result.u.norm(), 7.0, 0.05);
}

TEST(ForceMapping, WithSidesExchangedNoContactOfTableVCanBePressed) {
  NEEDS_DAQP();
  TableV given;
  for (LinkContact& contact : given.contacts) contact.gamma *= -1;
  ForceMapping mapping = given.solved();
  EXPECT_NE(mapping.result().status, MapStatus::optimal);
  EXPECT_NEAR(*mapping.margin(), -23.9, 0.05);
}

// With the corrections of the kinematics and of the contacts alone, from an independent program.
TEST(ForceMapping, EachCorrectionMovesTheForcesOfTableV) {
  NEEDS_DAQP();
  TableV weighted;
  weighted.options.kinematics = Kinematics::centre_of_mass;
  VectorXd f_C(5);
  f_C << -29.53, 48.16, -17.30, 30.14, -11.38;
  EXPECT_LT((weighted.solved().result().f_C - f_C).cwiseAbs().maxCoeff(), 0.006);
  TableV sliding;
  sliding.options.form = ContactAcceleration::point;
  f_C << -27.74, 49.69, -19.26, 28.04, -9.21;
  EXPECT_LT((sliding.solved().result().f_C - f_C).cwiseAbs().maxCoeff(), 0.006);
}

TEST(ForceMapping, TheCorrectedExampleIsThatOfTheIndependentProgram) {
  NEEDS_DAQP();
  TableV given;
  given.options = {.u_max = 4.5};
  given.instant.p_dot << 0.168114, 0.030884;
  const planar::ForceMapModel model =
      planar::make_force_map_model(given.robot.links, Kinematics::centre_of_mass);
  planar::project_velocities(model, given.contacts, ContactAcceleration::point, given.instant);
  const ForceMapping mapping = given.solved();
  VectorXd f_C(5);
  f_C << -29.667, 48.604, -17.263, 30.528, -10.448;
  EXPECT_LT((mapping.result().f_C - f_C).cwiseAbs().maxCoeff(), 2e-3);
  EXPECT_NEAR(mapping.result().effort, 128.55, 2e-3);
}

TEST(ForceMapping, OptimalTorquesMeetTheWishAndPressEveryContact) {
  NEEDS_DAQP();
  int optimal = 0;
  for (std::uint64_t number = 0; number < 300; ++number) {
    const sample::RandomInstant one = sample::random_instant(16, number);
    ForceMapping mapping(one.robot.links, {.u_max = one.u_max});
    const MapResult& result = mapping.solve(one.instant, one.contacts, one.wish, one.ground);
    if (one.reachable) {
      EXPECT_EQ(result.status, MapStatus::optimal) << number;
    }
    if (result.status != MapStatus::optimal) continue;
    ++optimal;
    EXPECT_LE(result.kkt, 1e-9) << number;
    // accelerations in the scale of what the torques do
    const double scale = 1.0 + result.theta_ddot.cwiseAbs().maxCoeff();
    EXPECT_LT((result.p_ddot - one.wish.centre).norm() / scale, 1e-9) << number;
    for (std::size_t k = 0; k < one.wish.links.size(); ++k) {
      EXPECT_NEAR(result.theta_ddot(one.wish.links[k]), one.wish.angular(static_cast<Index>(k)),
                  1e-9 * scale)
          << number;
    }
    const double force = 1.0 + result.f_C.cwiseAbs().maxCoeff();
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
      const auto i = static_cast<Index>(k);
      EXPECT_GE(one.contacts[k].gamma * result.f_C(i), -1e-8 * force) << number;
      EXPECT_LE(result.power(i), 1e-9 * force) << "friction takes power, instant " << number;
      const Vector2d friction = result.force.col(i) - result.constraint.col(i);
      EXPECT_NEAR(friction.norm(), one.contacts[k].mu * std::abs(result.f_C(i)), 1e-9 * force);
    }
    EXPECT_LE(result.u.cwiseAbs().maxCoeff(), one.u_max * (1.0 + 1e-9)) << number;
  }
  EXPECT_GT(optimal, 150);
}

TEST(ForceMapping, AWarmStartGivesTheColdAnswer) {
  NEEDS_DAQP();
  double largest = 0.0;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const sample::RandomInstant one = sample::random_instant(17, number);
    ForceMapping cold(one.robot.links, {.u_max = one.u_max});
    ForceMapping warm(one.robot.links, {.u_max = one.u_max});
    Wish before = one.wish;  // what was active for a wish nearby
    before.centre *= 0.9;
    warm.solve(one.instant, one.contacts, before, one.ground);
    warm.solve(one.instant, one.contacts, one.wish, one.ground, true);
    cold.solve(one.instant, one.contacts, one.wish, one.ground);
    ASSERT_EQ(warm.result().status, cold.result().status) << number;
    if (cold.result().status != MapStatus::optimal) continue;
    largest =
        std::max(largest, (warm.result().u - cold.result().u).cwiseAbs().maxCoeff() / one.u_max);
  }
  EXPECT_LT(largest, 1e-9);
}

TEST(ForceMapping, TurnsAndMirrorsWithTheScene) {
  NEEDS_DAQP();
  const TableV given;
  const ForceMapping mapping = given.solved();

  TableV turned;
  const double angle = 2.1;
  const Eigen::Matrix2d R = Eigen::Rotation2Dd(angle).toRotationMatrix();
  turned.instant.theta.array() += angle;
  turned.instant.p_dot = R * given.instant.p_dot;
  turned.law.position = Vector2d(R * *given.law.position);
  const ForceMapping other = turned.solved();
  EXPECT_LT((other.result().u - mapping.result().u).cwiseAbs().maxCoeff(), 1e-11);
  const double largest = mapping.result().force.cwiseAbs().maxCoeff();
  EXPECT_LT((other.result().force - R * mapping.result().force).cwiseAbs().maxCoeff(),
            1e-11 * largest);

  TableV mirrored;
  mirrored.instant.theta *= -1.0;
  mirrored.instant.theta_dot *= -1.0;
  mirrored.instant.p_dot.y() *= -1.0;
  for (LinkContact& contact : mirrored.contacts) contact.gamma *= -1;
  const ForceMapping image = mirrored.solved();
  EXPECT_LT((image.result().u + mapping.result().u).cwiseAbs().maxCoeff(), 1e-11);
  const Eigen::Matrix2d mirror = Vector2d{1.0, -1.0}.asDiagonal();
  EXPECT_LT((image.result().force - mirror * mapping.result().force).cwiseAbs().maxCoeff(),
            1e-11 * largest);
}

TEST(ForceMapping, WithoutAContactNothingPushesTheCentre) {
  NEEDS_DAQP();
  TableV given;
  given.contacts.clear();
  ForceMapping mapping = given.solved();
  const MapResult& result = mapping.result();
  EXPECT_EQ(result.status, MapStatus::slack);
  EXPECT_GT(result.z.head<2>().norm(), 1.0) << "N";
  // the centre goes as the ground's friction has it
  const Vector2d ground = given.ground(mapping.model()).f_r.rowwise().sum();
  EXPECT_LT((result.p_ddot - ground / mapping.model().m_T).norm(), 1e-12);
  EXPECT_EQ(mapping.margin(), std::nullopt);
  EXPECT_EQ(mapping.condition().rank, 11) << "of 13 rows";
  EXPECT_TRUE(std::isnan(mapping.condition().A_e)) << "dependent rows have no condition";
}

// A straight robot can be pushed across alone: what torques cannot do must not come of rounding.
TEST(ForceMapping, AStraightRobotAtOnePegHasAnAnswer) {
  NEEDS_DAQP();
  for (const int n : {2, 3, 11}) {
    for (const double angle : {0.0, 3.141592653589793, 0.7}) {
      const planar::Model robot = sample::aiko(n);
      ForceMapping mapping(robot.links, {.u_max = 5.0});
      planar::Instant instant;
      instant.theta.setConstant(n, angle);
      instant.theta_dot.setZero(n);
      instant.p_dot = 0.1 * Vector2d{std::cos(angle), std::sin(angle)};
      const std::vector<LinkContact> contacts{{0, 0.0, 1, 0.0}};
      GroundLoad ground;
      ground.set_zero(n);
      const WishLaw law{.links = links_at_contacts(contacts, n, false)};
      const MapResult& result =
          mapping.solve(instant, contacts, compute_wish(law, instant), ground);
      EXPECT_EQ(result.status, MapStatus::slack) << n << " links at " << angle;
      EXPECT_LE(result.kkt, 1e-9);
    }
  }
}

TEST(ForceMapping, OneContactOnAnEndLinkHasAnAnswer) {
  NEEDS_DAQP();
  TableV given;
  given.contacts = {{19, 0.0117, 1, 0.3}};
  const ForceMapping mapping = given.solved();
  EXPECT_EQ(mapping.result().status, MapStatus::slack);
  EXPECT_TRUE(mapping.result().u.allFinite());
}

TEST(ForceMapping, AContactThatDoesNotSlideHasNoFrictionAndIsCounted) {
  NEEDS_DAQP();
  TableV given;
  given.instant.theta_dot.setZero();
  given.instant.p_dot.setZero();
  ForceMapping mapping(given.robot.links, given.options);
  GroundLoad ground;
  ground.set_zero(20);
  const MapResult& result =
      mapping.solve(given.instant, given.contacts, compute_wish(given.law, given.instant), ground);
  EXPECT_EQ(result.at_rest, 5);
  EXPECT_LT((result.force - result.constraint).norm(), 1e-12);
}

TEST(ForceMapping, TooWeakMotorsAreInfeasible) {
  NEEDS_DAQP();
  TableV given;
  for (const double u_max : {1e-3, 1e-9, 1e-30}) {
    given.options.u_max = u_max;
    const ForceMapping mapping = given.solved();
    EXPECT_EQ(mapping.result().status, MapStatus::infeasible);
    EXPECT_TRUE(mapping.result().u.array().isNaN().all()) << "no number stands for no answer";
    // 1e-30 N m is out of the solver's range: there it looks at the limits alone
    if (u_max > 1e-12) {
      EXPECT_TRUE(mapping.result().solvable) << "whatever limits and signs";
    }
  }
}

TEST(ForceMapping, ASmallWeightOfTheSlackTradesTheWishForEffort) {
  NEEDS_DAQP();
  TableV given;
  const double effort = given.solved().result().effort;
  given.options.weight_slack << 1e-3, 1e-3;
  const ForceMapping soft = given.solved();
  EXPECT_EQ(soft.result().status, MapStatus::slack) << "what is missed is said";
  EXPECT_LE(soft.result().kkt, 1e-9);
  EXPECT_LT(soft.result().effort, effort);
  EXPECT_GT(soft.result().z.norm(), 1e-3);
}

TEST(ForceMapping, TheFirstSlackWeightIsThatOfTheCentreTheSecondThatOfTheAngles) {
  NEEDS_DAQP();
  TableV soft_centre;
  soft_centre.options.weight_slack << 1e-3, 1e12;
  const ForceMapping centre = soft_centre.solved();
  const VectorXd z = centre.result().z;
  EXPECT_GT(z.head<2>().norm(), 0.1) << "N";
  EXPECT_LT(z.tail(z.size() - 2).norm(), 1e-6) << "rad/s²";
  TableV soft_angles;
  soft_angles.options.weight_slack << 1e12, 1e-3;
  const ForceMapping angles = soft_angles.solved();
  const VectorXd& y = angles.result().z;
  EXPECT_LT(y.head<2>().norm(), 1e-6) << "N";
  EXPECT_GT(y.tail(y.size() - 2).norm(), 0.1) << "rad/s²";
}

TEST(ForceMapping, AHeavyWeightMakesAJointRest) {
  NEEDS_DAQP();
  TableV given;
  VectorXd weight = VectorXd::Ones(19);
  weight(9) = 1e6;
  given.options.weight_torque = weight;
  given.law.links = {0, 5};
  const ForceMapping mapping = given.solved();
  EXPECT_EQ(mapping.result().status, MapStatus::optimal);
  EXPECT_LT(std::abs(mapping.result().u(9)), 1e-3);
}

TEST(ForceMapping, TheDefaultWishHoldsTheRearLinkContactsAndTheLinksAheadOfThem) {
  EXPECT_THAT(links_at_contacts(sample::table_iii(), 20, true),
              ElementsAre(0, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18))
      << "the links of Table IV";
  const std::vector<LinkContact> ends{{0, 0.0, 1, 0.0}, {4, 0.0, 1, 0.0}};
  EXPECT_THAT(links_at_contacts(ends, 5, true), ElementsAre(0, 1, 4));
  EXPECT_THAT(links_at_contacts(ends, 5, false), ElementsAre(0, 3, 4));
}

std::string fault_of(const TableV& given) {
  try {
    static_cast<void>(given.solved());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ForceMapping, RefusesWhatHasNoMeaning) {
  TableV twice;
  twice.contacts.push_back({2, 0.01, 1, 0.3});
  EXPECT_THAT(fault_of(twice), HasSubstr("contact link 3 is named twice"));
  TableV absent;
  absent.contacts.front().link = 20;
  EXPECT_THAT(fault_of(absent), HasSubstr("contact link 21: the robot has links 1 to 20"));
  TableV beyond;
  beyond.contacts.front().at = 0.03;
  EXPECT_THAT(fault_of(beyond), HasSubstr("is not on it"));
  TableV again;
  again.law.links.push_back(0);
  EXPECT_THAT(fault_of(again), HasSubstr("controlled link 1 is named twice"));
  TableV nan;
  nan.law.acceleration.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(fault_of(nan), HasSubstr("not finite"));
  TableV limit;
  limit.options.u_max = 0.0;
  EXPECT_THAT(fault_of(limit), HasSubstr("u_max: expected a number > 0, got 0"));
  TableV weight;
  weight.options.weight_torque = VectorXd::Ones(3);
  EXPECT_THAT(fault_of(weight), HasSubstr("weight_torque has 3 entries, the force map needs 19"));
}

}  // namespace coluber::control::force_mapping_test

#include "coluber/chain/account.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/nonsmooth/residual.hpp"

namespace coluber::chain {
namespace account_test {

/// Results of a step, as every chain keeps them.
struct Data {
  StepWork work{.servo = 1.0,
                .friction = -0.5,
                .contact = 0.25,
                .gravity = 2.0,
                .scheme = 0.125,
                .positive = 1.5};
  Eigen::VectorXd tau = Eigen::Vector2d(3.0, -4.0);
  Eigen::Matrix2Xd ground_impulse = Eigen::Matrix2Xd::Constant(2, 3, 0.01);
  Eigen::Matrix2Xd obstacle_impulse = Eigen::Matrix2Xd::Constant(2, 3, 0.02);
  std::optional<nonsmooth::Residual> audit{};
};

double figure(const ContactAccount<2>& account, const StepInfo& info, const std::string& name) {
  for (std::size_t i = 0; i < info.figures.size(); ++i) {
    if (account.figures[i].name == name) return info.figures[i];
  }
  ADD_FAILURE() << "no " << name;
  return 0.0;
}

const Eigen::VectorXd kReferences = Eigen::Vector2d(0.1, 0.2);

TEST(ChainAccount, SumsImpulsesSinceTheFrameAndWorksSinceTheStart) {
  ContactAccount<2> account(3, Eigen::VectorXd::Zero(2), false);
  Data data;
  for (int k = 1; k <= 4; ++k) {
    const nonsmooth::ContactStepInfo info{
        .iterations = 3, .residual = 1e-11 * k, .rigid_residual = 1e-6 * k};
    const StepInfo told = account.add(info, data, kReferences, 1e-4 / k, 0.01 * k);
    EXPECT_EQ(told.status, Status::ok);
  }
  EXPECT_DOUBLE_EQ(account.run.work.servo, 4.0);
  EXPECT_DOUBLE_EQ(account.run.work.scheme, 0.5);
  EXPECT_DOUBLE_EQ(account.run.work.positive, 6.0);
  EXPECT_DOUBLE_EQ(account.ground(1, 2), 0.04);
  EXPECT_DOUBLE_EQ(account.obstacle(0, 0), 0.08);
  EXPECT_EQ(account.residual, 4e-11);
  EXPECT_EQ(account.rigid_residual, 4e-6);
  EXPECT_EQ(account.deepest, 1e-4);
  EXPECT_EQ(account.run.mean_iterations(4), 3.0);
  EXPECT_DOUBLE_EQ(account.run.per_second(4, 0.01), 25.0) << "0.04 N s in 0.04 s are 1 N";
  account.start_frame(4);
  EXPECT_EQ(account.ground.norm() + account.obstacle.norm(), 0.0);
  EXPECT_EQ(account.residual + account.rigid_residual + account.deepest, 0.0);
  EXPECT_EQ(account.run.per_second(4, 0.01), 0.0) << "no time has passed";
  EXPECT_EQ(account.run.mean_iterations(4), 0.0);
  EXPECT_DOUBLE_EQ(account.run.work.servo, 4.0) << "works go on";
  EXPECT_EQ(account.run.phi_d, kReferences);
}

TEST(ChainAccount, APathGrowsWhicheverWayItGoes) {
  Travel travel;
  travel.begin({1.0, 2.0}, 0.3);
  EXPECT_EQ(travel.length, 0.0);
  travel.add({1.0, 2.4});
  travel.add({1.0, 2.0});  // there and back
  EXPECT_DOUBLE_EQ(travel.length, 0.8);
  travel.add({1.3, 2.4});
  EXPECT_DOUBLE_EQ(travel.length, 0.8 + 0.5);
  EXPECT_EQ(travel.place, Eigen::Vector2d(1.3, 2.4));
  EXPECT_EQ(travel.start, Eigen::Vector2d(1.0, 2.0));
  EXPECT_EQ(travel.start_angle, 0.3);
}

TEST(ChainAccount, TheMeanOverTheGroundLeavesHeightsOut) {
  Eigen::Matrix3Xd columns(3, 2);
  columns << 1.0, 2.0, -3.0, 5.0, 7.0, 9.0;
  EXPECT_EQ(mean_over_ground(columns), Eigen::Vector2d(1.5, 1.0));
}

TEST(ChainAccount, AnAuditedStepSaysTheWorseOfBothResiduals) {
  ContactAccount<2> account(3, Eigen::VectorXd::Zero(2), false);
  Data data;
  const nonsmooth::ContactStepInfo step{.residual = 1e-11};
  EXPECT_TRUE(std::isnan(
      figure(account, account.add(step, data, kReferences, 0.0, 0.0), "audited_residual")));
  nonsmooth::Residual audit;
  audit.law = 2e-11;
  audit.momentum = 3e-11;
  data.audit = audit;
  StepInfo told = account.add(step, data, kReferences, 0.0, 0.0);
  EXPECT_EQ(figure(account, told, "audited_residual"), 3e-11);
  EXPECT_EQ(figure(account, told, "residual"), 3e-11);
  EXPECT_EQ(account.residual, 3e-11);
  data.audit->law = data.audit->momentum = 1e-13;
  told = account.add(step, data, kReferences, 0.0, 0.0);
  EXPECT_EQ(figure(account, told, "residual"), 1e-11) << "a better audit does not improve it";
  EXPECT_EQ(figure(account, told, "audited_residual"), 1e-13);
}

TEST(ChainAccount, WarnsOfALargestTorqueThatCameUpWithinAStep) {
  using testing::AllOf;
  using testing::HasSubstr;
  TorquePeak peak;
  peak.follow_from_rest(4);
  EXPECT_TRUE(warn_of_spike(peak, 2).empty()) << "no step yet";
  peak.follow(Eigen::Vector4d(1.0, 0.0, -1.0, 0.0), 0.1);
  EXPECT_EQ(warn_of_spike(peak, 2).size(), 1U) << "from nothing";
  peak.follow(Eigen::Vector4d(0.0, 0.0, 4.0, 0.0), 0.3);
  auto said = warn_of_spike(peak, 2);
  ASSERT_EQ(said.size(), 1U) << "it went the other way";
  EXPECT_THAT(said[0], AllOf(HasSubstr("max_torque = 4 N m, of joint 2 at t = 0.3 s"),
                             HasSubstr("one step (-1 N m in the step before)"),
                             HasSubstr("depends on solver.dt")));
  peak.follow(Eigen::Vector4d(0.0, 0.0, 0.0, 3.9), 0.4);
  EXPECT_EQ(warn_of_spike(peak, 2), said) << "not the largest";

  ByteWriter written;
  TorquePeak::exchange(written, peak);
  const std::string bytes(written.bytes());
  ByteReader reader(bytes, "checkpoint");
  TorquePeak copy;
  copy.follow_from_rest(4);
  TorquePeak::exchange(reader, copy);
  EXPECT_EQ(warn_of_spike(copy, 2), said);
  EXPECT_EQ(copy.last, peak.last);
}

// Torques of one joint at the steps around its largest, as runs have them.
TorquePeak follow(const std::vector<double>& torques) {
  TorquePeak peak;
  peak.follow_from_rest(1);
  for (std::size_t k = 0; k < torques.size(); ++k) {
    peak.follow(Eigen::VectorXd::Constant(1, torques[k]), 1e-3 * static_cast<double>(k));
  }
  return peak;
}

TEST(ChainAccount, WarnsOfAnImpactThatIsSpreadOverSteps) {
  using testing::HasSubstr;
  const auto said = warn_of_spike(follow({-0.36, -0.36, -0.36, 14.3, 20.7, 5.3, 2.4}), 1);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("t = 0.004 s, is a spike of 2 steps (-0.36 N m 2 steps before)"));
  const std::vector<std::vector<double>> impacts{{-0.07, 14.3, 17.2, 13.2, 10.5, 8.6},
                                                 {0.018, 0.177, 0.216, 0.035, 0.029},
                                                 {0.0, 10.0, 10.1, 3.0, 1.0},  // of two equal steps
                                                 {0.0, 6.0, 8.0, 9.0, 3.0},
                                                 {0.0, 9.36, 23.3, 20.2, 17.5, 15.4},
                                                 {0.0, -14.3, -20.7, -5.3, -2.4}};
  for (const auto& torques : impacts) {
    EXPECT_EQ(warn_of_spike(follow(torques), 1).size(), 1U) << torques[2];
  }
}

TEST(ChainAccount, DoesNotWarnOfALargestTorqueThatTheStepsResolve) {
  // a start from rest, with steps of 2 ms and of 1 ms: 2.9 N m at any step size
  EXPECT_TRUE(warn_of_spike(follow({2.8, 2.85, 2.58, 2.18, 1.78}), 1).empty());
  EXPECT_TRUE(warn_of_spike(follow({2.29, 2.62, 2.8, 2.85, 2.78, 2.63}), 1).empty());
  std::vector<double> wave;  // 24 steps per period
  for (int k = 0; k < 48; ++k) wave.push_back(std::sin(std::numbers::pi * k / 12.0));
  EXPECT_TRUE(warn_of_spike(follow(wave), 1).empty());
}

TEST(ChainAccount, SaysNothingOfMinusZero) {
  const auto said = warn_of_spike(follow({0.0, -1.0, 0.0}), 1);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], testing::HasSubstr("(0 N m in the step before)"));
}

TEST(ChainAccount, WarnsOfAWheelTorqueThatCameUpWithinAStep) {
  TorquePeak peak;
  peak.follow_from_rest(2);
  peak.follow(Eigen::Vector2d(0.1, 0.955), 1e-3);
  peak.follow(Eigen::Vector2d(0.1, 0.371), 2e-3);
  const auto said = warn_of_shaft_spike(peak);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0],
              testing::HasSubstr("max_wheel_torque = 0.955 N m, of link 2 at t = 0.001 s"));
  EXPECT_TRUE(warn_of_shaft_spike(peak, 0.955).empty()) << "cut off";
}

TEST(ChainAccount, ATorqueCutOffAtItsLimitIsNoSpike) {
  TorquePeak peak;
  peak.follow_from_rest(2);
  peak.follow(Eigen::Vector2d(0.5, 0.0), 0.1);
  EXPECT_TRUE(warn_of_spike(peak, 1, 0.5).empty());
  EXPECT_EQ(warn_of_spike(peak, 1, 0.6).size(), 1U);
  const auto said = warn_of_spike(peak, 1, 0.6, "it comes of the steering");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], testing::HasSubstr("): it comes of the steering"));
  EXPECT_THAT(said[0], testing::Not(testing::HasSubstr("solver.dt")));
}

TEST(ChainAccount, WarnsOfWhatLinksAreDeepInAndWhy) {
  using testing::AllOf;
  using testing::HasSubstr;
  using testing::Not;
  EXPECT_TRUE(warn_of_overlap({0.004, 0.004}, 0.05, true).empty());
  const auto floor = warn_of_overlap({0.004, 0.087}, 0.05, false);
  ASSERT_EQ(floor.size(), 1U);
  EXPECT_THAT(floor[0], AllOf(HasSubstr("87 mm deep in the floor"), Not(HasSubstr("prescribed")),
                              HasSubstr("solver.dt is too large")));
  const auto both = warn_of_overlap({0.02, 0.03}, 0.05, true);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_THAT(both[0], AllOf(HasSubstr("20 mm deep in obstacles"),
                             HasSubstr("prescribed joints pressed them in")));
  EXPECT_THAT(both[1], HasSubstr("30 mm deep in the floor"));

  const auto thesis = warn_of_overlap({0.02, 0.03}, 0.05, false, true);
  ASSERT_EQ(thesis.size(), 2U);
  EXPECT_THAT(thesis[0], HasSubstr("solver.dt is too large, or solver.thesis.r_H too small"));
  EXPECT_THAT(thesis[1], HasSubstr("solver.dt is too large, or solver.thesis.r_N too small"));

  EXPECT_TRUE(warn_of_passing(0, 0.0, 0, 0, true).empty());
  EXPECT_THAT(warn_of_passing(1, 0.5, 2, 3, false).at(0),
              AllOf(HasSubstr("link 2 went through obstacle 3"), Not(HasSubstr("prescribed")),
                    HasSubstr("take a smaller solver.dt")));
  EXPECT_THAT(warn_of_passing(1, 0.5, 2, 3, true).at(0),
              AllOf(HasSubstr("prescribed joints pressed it through"), HasSubstr("\"pd\"")));
}

TEST(ChainAccount, AdvisesOnlyWhereItKnowsBetter) {
  const nonsmooth::ContactStepInfo law{.status = Status::not_converged, .residual_law = 1e-3};
  const nonsmooth::ContactStepInfo momentum{
      .status = Status::not_converged, .residual_law = 1e-12, .residual_momentum = 2e-5};
  const Gains usual{800.0, 2.0, 1.0};
  const Gains huge{800.0, 1e9, 1.0};
  EXPECT_EQ(advise(law, 0.5, usual, 1e-3, 0.01), "");
  EXPECT_EQ(advise(momentum, 0.5, usual, 1e-3, 0.01), "");
  EXPECT_EQ(advise(law, 0.5, huge, 1e-3, 0.01), "") << "the laws are not balanced by torques";
  EXPECT_THAT(advise(law, 3.0, usual, 1e-3, 0.01), testing::HasSubstr("friction of 3"));
  EXPECT_THAT(advise(momentum, 3.0, huge, 1e-3, 0.01),
              testing::HasSubstr("controller.kd = 1e+09 is too large"));
  EXPECT_THAT(advise(momentum, 0.5, {1e13, 2.0, 1.0}, 1e-3, 0.01),
              testing::HasSubstr("controller.kp = 1e+13 is too large"));
}

TEST(ChainAccount, ARefusedStepIsToldButNotCounted) {
  ContactAccount<2> account(3, Eigen::VectorXd::Zero(2), false);
  const StepInfo told =
      account.refuse({.status = Status::not_converged, .iterations = 7, .residual = 0.5}, 0.25);
  EXPECT_TRUE(told.refused);
  EXPECT_EQ(figure(account, told, "residual"), 0.5);
  EXPECT_EQ(account.residual, 0.0);
  EXPECT_EQ(account.run.iterations, 0);
}

TEST(ChainAccount, OnlyTheRigidLawHasProximalPasses) {
  const auto names = [](bool rigid) {
    std::vector<std::string> all;
    for (const StepFigure& each : contact_figures(rigid)) all.push_back(each.name);
    return all;
  };
  EXPECT_THAT(names(true), testing::Contains("fallback_passes"));
  EXPECT_THAT(names(true), testing::Contains("fallback_gap"));
  EXPECT_THAT(names(false), testing::Not(testing::Contains("fallback_passes")));
  for (const bool rigid : {false, true}) {
    ContactAccount<2> account(1, Eigen::VectorXd::Zero(0), rigid);
    const nonsmooth::ContactStepInfo step{.status = Status::not_converged,
                                          .iterations = 7,
                                          .quantity = "impulse on link",
                                          .index = 2,
                                          .fallback_passes = 4,
                                          .gap = 0.5};
    const StepInfo told = account.tell(step, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(told.figures.size(), account.figures.size());
    EXPECT_EQ(told.status, Status::not_converged);
    EXPECT_EQ(std::string(told.quantity), "impulse on link");
    EXPECT_EQ(told.index, 2);
    EXPECT_EQ(figure(account, told, "iterations"), 7.0);
    if (rigid) {
      EXPECT_EQ(figure(account, told, "fallback_passes"), 4.0);
      EXPECT_EQ(figure(account, told, "fallback_gap"), 0.5);
    }
  }
}

TEST(ChainAccount, ComesBackFromACheckpoint) {
  ContactAccount<2> first(3, Eigen::VectorXd::Zero(2), false);
  (void)first.add({.iterations = 5, .residual = 1e-11}, Data{}, kReferences, 1e-4, 0.5);
  first.run.frame_start = 3;
  first.run.frame_velocity = Eigen::MatrixXd::Constant(2, 3, 0.7);
  first.run.travel.begin({1.0, 2.0}, 3.0);
  first.run.travel.add({0.3, 0.4});
  ByteWriter bytes;
  ContactAccount<2>::exchange(bytes, first);
  ContactAccount<2> second(3, Eigen::VectorXd::Zero(2), false);
  second.run.frame_velocity = Eigen::MatrixXd::Zero(2, 3);
  ByteReader reader(bytes.bytes(), "checkpoint");
  ContactAccount<2>::exchange(reader, second);
  reader.finish();
  EXPECT_EQ(second.run.phi_d, first.run.phi_d);
  EXPECT_EQ(second.run.frame_start, 3);
  EXPECT_EQ(second.run.iterations, 5);
  EXPECT_EQ(second.ground, first.ground);
  EXPECT_EQ(second.obstacle, first.obstacle);
  EXPECT_EQ(second.residual, first.residual);
  EXPECT_EQ(second.deepest, first.deepest);
  EXPECT_EQ(second.run.work.gravity, first.run.work.gravity);
  EXPECT_EQ(second.run.work.positive, 1.5);
  EXPECT_EQ(second.run.frame_velocity, first.run.frame_velocity);
  EXPECT_EQ(second.run.travel.start, first.run.travel.start);
  EXPECT_EQ(second.run.travel.start_angle, 3.0);
  EXPECT_EQ(second.run.travel.place, first.run.travel.place);
  EXPECT_EQ(second.run.travel.length, first.run.travel.length);
  EXPECT_NO_THROW(second.run.require_fit(reader, 3));
  EXPECT_THROW(second.run.require_fit(reader, 2), FileError) << "the frame is still to come";
  second.run.frame_start = -1;
  EXPECT_THROW(second.run.require_fit(reader, 3), FileError);
  second.run.frame_start = 0;
  second.run.iterations = -1;
  EXPECT_THROW(second.run.require_fit(reader, 3), FileError);
}

}  // namespace account_test
}  // namespace coluber::chain

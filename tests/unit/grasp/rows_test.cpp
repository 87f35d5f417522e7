// Rows of wheels, rises, contacts and of an oscillating joint against differences, and their ranks.

#include "coluber/grasp/rows.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/grasp/control.hpp"

#include "sample/grasps.hpp"

namespace coluber::grasp {
namespace rows_test {

using Eigen::Vector3d;
using Eigen::VectorXd;

/// Angles at which nothing special happens.
Configuration some_shape(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> angle(-0.5, 0.5);
  Configuration q(15);
  q.P0 << angle(random), angle(random), angle(random);
  for (int i = 0; i < 15; ++i) {
    q.pitch(i) = 0.4 * angle(random);
    q.yaw(i) = angle(random);
  }
  return q;
}

Layout full_layout() {
  Layout layout;
  layout.held = {7, 5, 3};
  layout.holds = 3;
  layout.oscillating = 12;
  return layout;
}

/// One of the 4 + 28 rates that the rows multiply: x, y, θ_y0, θ_z0, pitches, yaws.
Configuration moved(const Configuration& q, int rate, double h) {
  Configuration to = q;
  const int joints = static_cast<int>(q.pitch.size()) - 1;
  if (rate < 2) {
    to.P0(rate) += h;
  } else if (rate == 2) {
    to.pitch(0) += h;
  } else if (rate == 3) {
    to.yaw(0) += h;
  } else if (rate < 4 + joints) {
    to.pitch(rate - 3) += h;
  } else {
    to.yaw(rate - 3 - joints) += h;
  }
  return to;
}

TEST(Rows, AreTheDerivativesOfTheStateAndOfTheWheelsWay) {
  const Model model = sample::lasso15();
  const Layout layout = full_layout();
  const double h = 1e-4;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Configuration q = some_shape(seed);
    Chain chain(15);
    update_chain(model, q, chain);
    Rows rows(model);
    update_rows(model, layout, q, chain, rows);
    // five-point differences of all states and of all wheels' middles
    for (int rate = 0; rate < 32; ++rate) {
      VectorXd wdot = VectorXd::Zero(layout.states(model));
      Eigen::Matrix3Xd middot = Eigen::Matrix3Xd::Zero(3, 15);
      for (const auto& [at, weight] : std::vector<std::pair<double, double>>{
               {-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
        const Configuration there = moved(q, rate, at * h);
        Chain other(15);
        update_chain(model, there, other);
        Rows others(model);
        update_rows(model, layout, there, other, others);
        wdot += weight / (12.0 * h) * others.w.head(wdot.size());
        middot += weight / (12.0 * h) * other.mid;
      }
      const auto entry = [&](int row) {
        // B u − A_head ẇ_0 is the rate of that state
        return rate < 4 ? -rows.head(row, rate) : rows.Bt(rate - 4, row);
      };
      for (int row = 6; row < rows.size; ++row) {
        EXPECT_NEAR(entry(row), wdot(4 + row - 6), 1e-8) << "row " << row << ", rate " << rate;
      }
      for (int wheel = 0; wheel < 6; ++wheel) {
        const int i = model.wheeled[static_cast<std::size_t>(wheel)];
        const Vector3d across = Vector3d(chain.along(1, i), -chain.along(0, i), 0.0).normalized();
        // A_0 ẇ_0 − B_0 u is the wheel's sideways velocity
        EXPECT_NEAR(-entry(wheel), across.dot(middot.col(i)), 1e-8);
      }
    }
  }
}

/// Rank of B and of A_0 with links held.
struct Ranks {
  int B = 0, rows = 0, A0 = 0;
};
Ranks ranks_of(const Configuration& q, const std::vector<int>& held) {
  const Model model = sample::lasso15();
  Chain chain(15);
  update_chain(model, q, chain);
  Layout layout;
  layout.holds = static_cast<int>(held.size());
  for (std::size_t c = 0; c < held.size(); ++c) layout.held[c] = held[c];
  Rows rows(model);
  update_rows(model, layout, q, chain, rows);
  SingularValues B(28, 28);
  SingularValues A0(6, 4);
  EXPECT_TRUE(B.compute(rows.Bt.leftCols(rows.size)));
  EXPECT_TRUE(A0.compute(rows.A0()));
  return {B.rank(1e-8), rows.size, A0.rank(1e-9)};
}

TEST(Rows, HaveTheRanksThatTheGeometryGives) {
  const auto expect = [](const std::vector<int>& held, int rank, int size) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const Ranks ranks = ranks_of(some_shape(seed), held);
      EXPECT_EQ(ranks.B, rank);
      EXPECT_EQ(ranks.rows, size);
    }
  };
  expect({}, 20, 20);
  expect({7}, 22, 22);
  expect({7, 6}, 24, 24);
  // the head and r consecutive middles have r + 2 degrees of freedom in the plane, for 2 r rows
  expect({7, 6, 5}, 25, 26);
  expect({7, 5, 3}, 26, 26);
}

TEST(Rows, DoNotSeeThePitchOfTheHeadOnFlatGround) {
  Configuration q = some_shape(7);
  q.pitch.setZero();
  EXPECT_EQ(ranks_of(q, {}).A0, 3);
  EXPECT_EQ(ranks_of(some_shape(7), {}).A0, 4);
  // a raised head with its wheels at one height: the column is that of x times the height
  Eigen::VectorXd heights = Eigen::VectorXd::Zero(16);
  heights.head(8).setConstant(0.3);
  heights(8) = 0.15;
  ASSERT_EQ(pitch_to_heights(sample::lasso15(), heights, q), -1);
  EXPECT_EQ(ranks_of(q, {}).A0, 3);
}

TEST(Rows, LoseRankWhereAYawStandsAtARightAngle) {
  const Model model = sample::lasso15();
  for (const auto& [yaw_deg, least, most] : std::vector<std::array<double, 3>>{
           {80.0, 1e-3, 1.0}, {89.0, 1e-4, 5e-3}, {90.0, 0.0, 1e-9}}) {
    Configuration q = sample::start_lasso();
    q.yaw(6) = yaw_deg * sample::kDegree;
    Chain chain(15);
    update_chain(model, q, chain);
    Rows rows(model);
    update_rows(model, {}, q, chain, rows);
    SingularValues B(28, 28);
    ASSERT_TRUE(B.compute(rows.Bt.leftCols(rows.size)));
    const double smallest = B.values().cwiseAbs().minCoeff();
    EXPECT_GE(smallest, least) << yaw_deg;
    EXPECT_LE(smallest, most) << yaw_deg;
  }
}

TEST(Rows, GiveNoPostureToAStraightOrAnEvenlyBentTail) {
  const Model model = sample::lasso15();
  const auto posture = [&](const std::vector<double>& yaws) {
    const Configuration q = sample::grasp_pose(0.0, yaws);
    Chain chain(15);
    update_chain(model, q, chain);
    Rows rows(model);
    update_rows(model, {}, q, chain, rows);
    return compute_posture(rows);
  };
  EXPECT_NEAR(posture({}), 0.0, 1e-9) << "all axles are parallel";
  EXPECT_NEAR(posture(std::vector<double>(14, 10.0)), 0.0, 1e-9) << "all axles meet in a point";
  EXPECT_GT(posture({0, 0, 0, 0, 0, 0, 0, 0, 0, 20, -20, 20, -20, 20}), 1.0);
}

TEST(Chain, PutsItsJointsAtTheHeightsAskedFor) {
  const Model model = sample::lasso15();
  Configuration q = sample::start_lasso();
  Chain chain(15);
  update_chain(model, q, chain);
  settle(model, q, chain);
  for (int i = 0; i <= 15; ++i) {
    const double z = i < 8 ? 0.3 : i == 8 ? 0.15 : 0.0;
    EXPECT_NEAR(chain.joint(2, i), z, 1e-12) << i;
  }
  VectorXd rises(14);
  for (int i = 0; i < 14; ++i) rises(i) = i < 8 ? -0.05 * (i + 1) : -0.6;
  q = sample::grasp_pose(0.0, {10, 10, 5, 0, 0, -5, -10, -10, 15, 20, -25, -20, 20, 25});
  ASSERT_EQ(pitch_to_rises(model, rises, q), -1);
  update_chain(model, q, chain);
  for (int i = 1; i < 15; ++i) EXPECT_NEAR(chain.mid(2, i) - q.P0.z(), rises(i - 1), 1e-12);
  VectorXd steep = VectorXd::Zero(16);
  steep(3) = 1.5;
  EXPECT_EQ(pitch_to_heights(model, steep, q), 2) << "a link of 1 m does not climb 1.5 m";
}

}  // namespace rows_test
}  // namespace coluber::grasp

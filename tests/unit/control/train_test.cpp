// The robot as a train on a path: places by hand, derivatives against differences, and its own arc
// length found again.

#include "coluber/control/train.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sample/holden.hpp"

namespace coluber::control {
namespace train_test {

using Eigen::Vector2d;
using Eigen::VectorXd;

constexpr double pi = std::numbers::pi;

std::shared_ptr<const path::Path> serpenoid() { return path::make_serpenoid({}, 0.99, 0.765); }

/// Table I, as a chain of eight: the heavy, short head is the last link.
planar::ForceMapModel robot(planar::Kinematics kinematics) {
  return planar::make_force_map_model(sample::table_i(8).links, kinematics);
}

TEST(RobotTrain, LiesAlongALineWithItsCentreOfMassWhereItIsWorkedOut) {
  const auto line = path::make_pieces({{1.0, 2.0}, 0.5 * pi, 0.0}, {{1.0, 0.0, 0.0}});
  const std::shared_ptr<const path::Path> path{line.get(), [](const path::Path*) {}};
  for (const bool last_leads : {true, false}) {
    const planar::ForceMapModel model = robot(planar::Kinematics::centre_of_mass);
    RobotTrain train(path, model, last_leads);
    TrainShape shape;
    ASSERT_TRUE(train.lay(0.3, shape));
    double at = 0.0;  // of the rear end of link i, from the train's rear
    double moment = 0.0;
    for (int k = 0; k < 8; ++k) {
      const int i = last_leads ? k : 7 - k;
      moment += model.m(i) * (at + (last_leads ? model.l_t(i) : model.l_h(i)));
      at += model.l_t(i) + model.l_h(i);
      EXPECT_NEAR(shape.theta(i), last_leads ? 0.5 * pi : 1.5 * pi, 1e-12);
    }
    EXPECT_NEAR(train.length(), at, 1e-15);
    EXPECT_NEAR(shape.p.x(), 1.0, 1e-12);
    EXPECT_NEAR(shape.p.y(), 2.3 + moment / model.m_T, 1e-12);
    EXPECT_LE((shape.p_s - Vector2d{0.0, 1.0}).norm(), 1e-12);
    EXPECT_LE(shape.p_ss.norm() + shape.theta_s.norm() + shape.theta_ss.norm(), 1e-12);
  }
}

TEST(RobotTrain, HasTheDerivativesOfItsAnglesAndItsCentreByArcLength) {
  constexpr double h = 1e-5;  // m; central differences are off by h² times the third derivative
  for (const auto kinematics : {planar::Kinematics::centre_of_mass, planar::Kinematics::mean}) {
    for (const bool last_leads : {true, false}) {
      RobotTrain train(serpenoid(), robot(kinematics), last_leads);
      for (const double s : {-0.4, 0.0, 0.237, 0.6, 1.9}) {
        TrainShape before;
        TrainShape here;
        TrainShape after;
        ASSERT_TRUE(train.lay(s - h, before) && train.lay(s, here) && train.lay(s + h, after));
        const std::string what = std::to_string(s);
        EXPECT_LE(((after.theta - before.theta) / (2.0 * h) - here.theta_s).norm(), 2e-6) << what;
        EXPECT_LE(((after.p - before.p) / (2.0 * h) - here.p_s).norm(), 1e-7) << what;
        EXPECT_LE(((after.theta_s - before.theta_s) / (2.0 * h) - here.theta_ss).norm(), 5e-5)
            << what;
        EXPECT_LE(((after.p_s - before.p_s) / (2.0 * h) - here.p_ss).norm(), 1e-6) << what;
      }
    }
  }
}

TEST(RobotTrain, IsTheSameRobotWhicheverEndLeads) {
  // a robot turned round on a path that is run the other way lies where it was
  const planar::ForceMapModel model = robot(planar::Kinematics::centre_of_mass);
  RobotTrain last(serpenoid(), model, true);
  TrainShape there;
  ASSERT_TRUE(last.lay(0.6, there));
  planar::Instant instant;
  instant.theta = there.theta;
  instant.theta_dot = VectorXd::Zero(8);
  instant.p = there.p;
  planar::Columns r;
  planar::compute_link_centres(model, instant, r);
  for (int i = 0; i < 8; ++i) {
    const Vector2d axis{std::cos(there.theta(i)), std::sin(there.theta(i))};
    const Vector2d rear = r.col(i) - model.l_t(i) * axis;
    EXPECT_LE((rear - last.points().col(i)).norm(), 1e-12) << i;
  }
}

TEST(RobotTrain, FindsTheArcLengthOfARobotOnItsPathAgain) {
  for (const bool last_leads : {true, false}) {
    RobotTrain train(serpenoid(), robot(planar::Kinematics::centre_of_mass), last_leads);
    for (const double s : {0.0, 0.31, 0.6, 1.44}) {
      TrainShape shape;
      ASSERT_TRUE(train.lay(s, shape));
      for (const double off : {-0.05, -0.004, 0.0, 0.02, 0.05}) {
        const auto found = train.fit(s + off, shape.theta, shape.p);
        ASSERT_TRUE(found.has_value());
        EXPECT_NEAR(*found, s, 1e-9) << s << ' ' << off;  // quadratic where nothing is left over
      }
    }
  }
}

TEST(RobotTrain, FitsARobotBesideItsPathWhereNothingIsGainedByMovingOn) {
  RobotTrain train(serpenoid(), robot(planar::Kinematics::centre_of_mass), true);
  TrainShape shape;
  ASSERT_TRUE(train.lay(0.6, shape));
  VectorXd theta = shape.theta;
  for (Eigen::Index i = 0; i < theta.size(); ++i) theta(i) += i % 2 == 0 ? 0.1 : -0.07;
  const Vector2d p = shape.p + Vector2d{0.004, -0.006};
  const double link = train.length() / train.n();
  const auto distance = [&](double s) {
    TrainShape at;
    EXPECT_TRUE(train.lay(s, at));
    return (p - at.p).squaredNorm() + link * link * (theta - at.theta).squaredNorm() / train.n();
  };
  const auto found = train.fit(0.6, theta, p);
  ASSERT_TRUE(found.has_value());
  for (const double step : {-1e-3, -1e-4, 1e-4, 1e-3}) {
    EXPECT_GT(distance(*found + step), distance(*found)) << step;
  }
}

TEST(RobotTrain, TellsOfAPathThatIsCurledTighterThanALink) {
  const std::shared_ptr<const path::Path> circle{
      path::make_pieces({}, {{1.0, 40.0, 40.0}})};  // a radius of 25 mm, links of 85 mm
  RobotTrain train(circle, robot(planar::Kinematics::centre_of_mass), true);
  TrainShape shape;
  EXPECT_FALSE(train.lay(0.5, shape));
  EXPECT_FALSE(train.fit(0.5, VectorXd::Zero(8), Vector2d::Zero()).has_value());
}

}  // namespace train_test
}  // namespace coluber::control

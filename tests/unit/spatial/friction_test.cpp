// Friction of the ground and of cylinders in space: it sticks, slides by the cone at any heading,
// is an ellipse's normal cone, lets links roll and slows their rolling.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "sample/spatial.hpp"

namespace coluber::spatial {
namespace friction_test {

using nonsmooth::Law;
using sample::kDegree;
using Twist = nonsmooth::Twist<6>;

constexpr double kGravity = 9.81;
constexpr double kRightAngle = 0.5 * std::numbers::pi;

const char* name_of(Law law) { return law == Law::rigid ? "Rigid" : "Anchored"; }

/// Holds the joints where they are.
JointCommand hold(const Model& model, const State& state) {
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  command.phi_d = state.phi;
  return command;
}

/// One link on the ground, at rest.
State lie(const Model& model, double heading) {
  return make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, model.links.front().L_SC},
                    compute_axes(heading, 0.0, 0.0));
}

/// Largest distance any link centre moves after the first 100 steps of `seconds`.
double creep(const Model& model, State state, const StepOptions& options, double seconds) {
  Data data(model);
  const JointCommand command = hold(model, state);
  const int steps = static_cast<int>(std::lround(seconds / options.dt));
  Matrix3Xd reference;
  double worst = 0.0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(step(model, state, data, command, options).status, Status::ok);
    if (k == 99) reference = sample::link_positions(model, state, options.dt);
    if (k > 99 && (k % 50 == 0 || k + 1 == steps)) {
      const Matrix3Xd way = sample::link_positions(model, state, options.dt) - reference;
      worst = std::max(worst, way.colwise().norm().maxCoeff());
    }
  }
  return worst;
}

struct Way {
  double dt;
  Law law;
};

class SpatialSlope : public testing::TestWithParam<Way> {};

TEST_P(SpatialSlope, HoldsStraightAndCurved) {
  Model model = sample::make_aiko();
  model.mu_T << 0.3, 0.3;
  model.tilt = 10.0 * kDegree;
  StepOptions options;
  options.dt = GetParam().dt;
  options.law = GetParam().law;
  // 40 000 steps of 0.25 ms make no more than 10 000
  const double seconds = options.dt < 1e-3 ? 2.5 : 10.0;
  EXPECT_LE(creep(model, lie(model, 0.0), options, seconds), 1e-12);
  model.joint = Joint::yaw;
  JointCommand wave(10);
  sample::Wave{}.set(0.0, 10, 1, wave);
  model.tilt_direction = 0.7;
  const State curved =
      make_state(model, wave.phi_d, 0, {0.0, 0.0, 0.0525}, compute_axes(0.3, 0.0, 0.0));
  EXPECT_LE(creep(model, curved, options, seconds), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Steps, SpatialSlope,
                         testing::Values(Way{2.5e-4, Law::anchored}, Way{1e-3, Law::anchored},
                                         Way{5e-3, Law::anchored}, Way{2.5e-4, Law::rigid},
                                         Way{1e-3, Law::rigid}, Way{5e-3, Law::rigid}),
                         [](const auto& way) {
                           return name_of(way.param.law) +
                                  std::to_string(std::lround(way.param.dt * 1e6)) + "us";
                         });

class SpatialSlide : public testing::TestWithParam<int> {};

TEST_P(SpatialSlide, GoesAsFarWhicheverWayTheSceneIsTurned) {
  // ½ g (sin α - μ cos α) t² for 25°, μ = 0.3, 2 s; robot and slope turned together
  const double alpha = 25.0 * kDegree;
  const double heading = GetParam() * kDegree;
  const double exact = 0.5 * kGravity * (std::sin(alpha) - 0.3 * std::cos(alpha)) * 4.0;
  ASSERT_NEAR(exact, 2.957243, 1e-6);
  for (const Law law : {Law::anchored, Law::rigid}) {
    Model model = sample::make_peer(10);
    model.tilt = alpha;
    model.tilt_direction = heading;
    State state = lie(model, heading);
    Data data(model);
    StepOptions options;
    options.law = law;
    const JointCommand command = hold(model, state);
    const Matrix3Xd start = sample::link_positions(model, state, options.dt);
    for (int k = 0; k < 2000; ++k) {
      ASSERT_EQ(step(model, state, data, command, options).status, Status::ok);
    }
    const Matrix3Xd moved = sample::link_positions(model, state, options.dt) - start;
    for (int i = 0; i < model.n(); ++i) {
      EXPECT_NEAR(moved(0, i) / exact, std::cos(heading), 1e-6) << "link " << i + 1;
      EXPECT_NEAR(moved(1, i) / exact, std::sin(heading), 1e-6) << "link " << i + 1;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Headings, SpatialSlide, testing::Range(0, 91, 15));

TEST(SpatialFriction, OrthotropicSlidingIsTheNormalConeOfTheEllipseUnderTheLoadOfThePoint) {
  // Sliding: P = -P_N (mu_x² g_x, mu_y² g_y)/sqrt(mu_x² g_x² + mu_y² g_y²), each point by itself,
  // gamma from the link's velocities. The link spins up as it goes, so no two points slide alike.
  Model model = sample::make_aiko(1);
  model.mu_T << 0.2, 0.5;
  model.mu_V = 0.0;
  for (const Law law : {Law::anchored, Law::rigid}) {
    StepOptions options;
    options.law = law;
    options.newton.tolerance = 1e-12;
    for (double direction = 0.0; direction < 360.0; direction += 7.5) {
      State state = lie(model, 0.4);
      Twist twist;
      twist << 0.0, 0.0, 1.0, std::cos(direction * kDegree), std::sin(direction * kDegree), 0.0;
      sample::set_motion(model, twist, VectorXd(0), options.dt, state);
      Data data(model);
      for (int k = 0; k < 60; ++k) {
        ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
      }
      ASSERT_EQ(state.near[kGround].size(), 2U);
      for (const ContactMemory& point : state.near[kGround]) {
        const Vector3d e_z = data.pose.e_z.col(0);
        const Vector3d along = Vector3d{e_z.x(), e_z.y(), 0.0}.normalized();
        const Vector3d across{-along.y(), along.x(), 0.0};
        const Vector3d a = (point.key == 0 ? -1.0 : 1.0) * model.links[0].L_GS * e_z -
                           model.links[0].L_SC * Vector3d::UnitZ();
        const Vector3d v = Vector3d{state.v.col(0)} + Vector3d{state.omega.col(0)}.cross(a);
        const Vector2d gamma{along.dot(v), across.dot(v)};
        ASSERT_GT(gamma.norm(), 0.02) << "it slides";
        const Vector2d& mu = model.mu_T;
        const double P_N = point.sliding.x_1.N;
        // in scaled variables a disc; the anchored law adds its c_T (P - A) to gamma
        const nonsmooth::Impulse& P = point.sliding.x_1;
        Vector2d slip = mu.cwiseProduct(gamma);
        if (law == Law::anchored) {
          slip += 0.02 / model.links[0].m * 0.25 * (P.T - point.sliding.x_2.T);
        }
        const Vector2d expected = -P_N / slip.norm() * mu.cwiseProduct(slip);
        const Vector2d force = mu.cwiseProduct(point.sliding.x_1.T);
        EXPECT_LE((force - expected).norm(), 1e-8 * P_N) << name_of(law) << direction;
        EXPECT_NEAR(force.cwiseQuotient(mu).norm() / P_N, 1.0, 1e-9);
      }
    }
  }
}

TEST(SpatialFriction, ALinkAcrossASlopeRollsWithoutSliding) {
  // a = g sin α/(1 + Theta_rho/(m L_SC²))
  for (const Law law : {Law::anchored, Law::rigid}) {
    Model model = sample::make_aiko(1);
    model.mu_T << 0.3, 0.3;
    model.mu_V = 0.0;
    model.tilt = 10.0 * kDegree;
    State state = lie(model, kRightAngle);
    Data data(model);
    StepOptions options;
    options.law = law;
    double worst = 0.0;
    double early = 0.0;
    for (int k = 0; k < 1100; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
      if (k < 100) continue;
      worst = std::max(worst, std::abs(state.v(0, 0) - state.omega(1, 0) * 0.0525));
      if (k == 100) early = state.v(0, 0);
    }
    EXPECT_LE(worst, 1e-9) << name_of(law);
    const Link& link = model.links[0];
    const double acceleration =
        kGravity * std::sin(model.tilt) / (1.0 + link.Theta_rho / (link.m * link.L_SC * link.L_SC));
    EXPECT_NEAR((state.v(0, 0) - early) / 0.999, acceleration, 1e-7) << name_of(law);
  }
}

TEST(SpatialFriction, RollingFrictionHoldsALinkBelowItsLimitAndLetsItRollAboveIt) {
  // |P_V| <= mu_V P_N is a torque of mu_V L_SC m g cos α; the weight's about the line of contact is
  // L_SC m g sin α.
  for (const Law law : {Law::anchored, Law::rigid}) {
    for (const double share : {0.99, 1.01}) {
      Model model = sample::make_aiko(1);
      model.mu_T << 0.3, 0.3;
      model.mu_V = 0.05;
      model.tilt = std::atan(0.05 * share);
      State state = lie(model, kRightAngle);
      Data data(model);
      StepOptions options;
      options.law = law;
      double early = 0.0;
      for (int k = 0; k < 1600; ++k) {
        ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
        if (k == 599) early = state.v(0, 0);
      }
      const Link& link = model.links[0];
      if (share < 1.0) {
        EXPECT_LE(state.v.norm() + state.omega.norm(), 1e-12) << name_of(law);
      } else {
        const double acceleration = kGravity *
                                    (std::sin(model.tilt) - 0.05 * std::cos(model.tilt)) /
                                    (1.0 + link.Theta_rho / (link.m * link.L_SC * link.L_SC));
        EXPECT_NEAR(state.v(0, 0) - early, acceleration, 1e-8) << name_of(law);
      }
    }
  }
}

TEST(SpatialFriction, RollingFrictionBringsARollingLinkToRest) {
  // Deceleration mu_V g/(1 + Theta_rho/(m L_SC²)) under the link's own weight.
  for (const LoadSharing sharing : {LoadSharing::least_squares, LoadSharing::equal}) {
    Model model = sample::make_aiko(1);
    model.mu_T << 0.3, 0.3;
    model.mu_V = 0.05;
    model.load_sharing = sharing;
    const Link& link = model.links[0];
    State state = lie(model, kRightAngle);
    Twist twist;
    twist << 0.0, 0.3 / link.L_SC, 0.0, 0.3, 0.0, 0.0;
    StepOptions options;
    sample::set_motion(model, twist, VectorXd(0), options.dt, state);
    Data data(model);
    const double slowing =
        0.05 * kGravity / (1.0 + link.Theta_rho / (link.m * link.L_SC * link.L_SC));
    double early = 0.0;
    for (int k = 1; k <= 1500; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
      if (k == 100) early = state.v(0, 0);
      if (k > 100 && k < 800) {
        ASSERT_NEAR(state.v(0, 0), early - slowing * (k - 100) * 1e-3, 1e-8) << "step " << k;
      }
    }
    EXPECT_NEAR(0.3 / slowing, 0.95, 0.05) << "it was meant to come to rest";
    EXPECT_LE(state.v.norm() + state.omega.norm(), 1e-12);
  }
}

/// The step that keeps the problem it solved.
StepOptions plain_step() {
  StepOptions options;
  options.plain = true;
  return options;
}

TEST(SpatialFriction, RollingFrictionNeverExceedsItsDiscAndOpposesTheRolling) {
  Model model = sample::make_aiko();
  State state = lie(model, std::numbers::pi);
  Data data(model);
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  int rolling = 0;
  for (int k = 0; k < 3000; ++k) {
    sample::sidewinding().set((k + 1) * 1e-3, 10, 2, command);
    ASSERT_EQ(step(model, state, data, command, plain_step()).status, Status::ok);
    for (std::size_t c = 0; c < data.problem.contacts.size(); ++c) {
      if (data.origin[c].part != Data::Origin::Part::rolling) continue;
      const auto& P = data.solution.impulse[c];
      const auto& contact = data.problem.contacts[c];
      const auto& slide = data.solution.impulse[c - 1];
      ASSERT_EQ(P.N, slide.N) << "one load for sliding and rolling";
      ASSERT_LE(contact.mu_max * (P.T.norm() - P.N), 1e-10 * data.problem.impulse_scale);
      const int i =
          data.near[kGround].found.points[static_cast<std::size_t>(data.origin[c].point)].link;
      const Link& link = model.links[static_cast<std::size_t>(i)];
      const Vector2d gamma = 0.02 * link.L_SC * Vector2d{-state.omega(1, i), state.omega(0, i)};
      const double give_back = contact.c_t * P.T.norm() * (P.T - contact.A).norm();
      ASSERT_LE(P.T.dot(gamma), give_back + 1e-14);
      if (P.N > 0.0 && P.T.norm() > 0.999 * P.N) ++rolling;
    }
  }
  EXPECT_GT(rolling, 1000);
}

TEST(SpatialFriction, ASpinningLinkIsSlowedByTheTorqueOfBothPointsThenSticks) {
  // As in the plane with two friction points: mu_y m g L_GS about the vertical.
  for (const LoadSharing sharing : {LoadSharing::least_squares, LoadSharing::equal}) {
    Model model = sample::make_aiko(1);
    model.mu_T << 0.2, 0.5;
    model.load_sharing = sharing;
    const Link& link = model.links[0];
    const double torque = 0.5 * link.m * kGravity * link.L_GS;
    State state = lie(model, 0.3);
    Twist twist = Twist::Zero();
    twist(2) = 5.0;
    StepOptions options;
    options.dt = 1e-4;
    sample::set_motion(model, twist, VectorXd(0), options.dt, state);
    Data data(model);
    const double stops = 5.0 * link.Theta_psi / torque;  // s
    ASSERT_GT(stops, 0.04);
    double early = 0.0;
    for (int k = 1; k <= 2000; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
      if (k == 100) early = state.omega(2, 0);
      if (k > 100 && k * options.dt < stops - 2.0 * options.dt) {
        ASSERT_NEAR(state.omega(2, 0), early - torque / link.Theta_psi * (k - 100) * options.dt,
                    1e-6)
            << "step " << k;
      }
    }
    EXPECT_LE(state.v.norm() + state.omega.norm(), 1e-11) << "a set-valued law sticks";
  }
}

TEST(LoadSharing, OneLinkLoadsItsPointsByTheBalanceOfMoments) {
  for (const LoadSharing sharing : {LoadSharing::least_squares, LoadSharing::equal}) {
    for (const double offset : {0.0, 0.015, -0.03}) {
      Model model = sample::make_aiko(1);
      model.load_sharing = sharing;
      model.mu_V = 0.0;  // rolling friction would take a share of the moment
      model.links[0].offset = offset;
      State state = lie(model, 0.7);
      Data data(model);
      for (int k = 0; k < 300; ++k) {
        ASSERT_EQ(step(model, state, data, JointCommand(0), {}).status, Status::ok);
      }
      const double weight = model.links[0].m * kGravity * 1e-3;
      ASSERT_EQ(state.near[kGround].size(), 2U);
      for (const ContactMemory& point : state.near[kGround]) {
        const double side = point.key == 0 ? -1.0 : 1.0;
        const double share = 0.5 * (1.0 + side * offset / model.links[0].L_GS);
        EXPECT_NEAR(point.sliding.x_1.N / weight, share, 1e-9) << "offset " << offset;
      }
    }
  }
}

TEST(LoadSharing, LeastSquaresIsTheMostEvenOneThatBalances) {
  // A straight robot with yaw joints is a rigid beam on 2n supports. Of all loads that balance the
  // weight and its moment, the sum of c_i P_i² is least for c_i P_i linear along the beam.
  std::mt19937_64 random(5);
  Model model = sample::make_odd_links(6, Joint::yaw, random);
  model.mu_V = 0.0;  // rolling friction would take a share of the moment
  State state = lie(model, 0.0);
  Data data(model);
  const JointCommand command = hold(model, state);
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(step(model, state, data, command, plain_step()).status, Status::ok);
  }
  const auto& points = data.near[kGround].found.points;
  ASSERT_EQ(points.size(), 12U);
  Eigen::MatrixXd line(12, 2);
  VectorXd spread(12);
  double sum = 0.0;
  double moment = 0.0;
  double weight = 0.0;
  double weight_moment = 0.0;
  for (int c = 0; c < 12; ++c) {
    const auto& point = points[static_cast<std::size_t>(c)];
    const double m = model.links[static_cast<std::size_t>(point.link)].m;
    const double x = data.pose.r(0, point.link) + point.s;
    const double P = state.near[kGround][static_cast<std::size_t>(c)].sliding.x_1.N;
    line.row(c) << 1.0, x;
    spread(c) = P / m;
    sum += P;
    moment += x * P;
  }
  for (int i = 0; i < 6; ++i) {
    const double W = model.links[static_cast<std::size_t>(i)].m * kGravity * 1e-3;
    weight += W;
    weight_moment += W * data.pose.r(0, i);
  }
  EXPECT_NEAR(sum / weight, 1.0, 1e-9);
  EXPECT_NEAR(moment, weight_moment, 1e-9 * weight);
  const VectorXd fit = line.colPivHouseholderQr().solve(spread);
  EXPECT_LE((line * fit - spread).norm(), 1e-6 * spread.norm());
  EXPECT_GT(std::abs(fit(1)), 1e-3 * std::abs(fit(0))) << "the masses were meant to differ";
}

TEST(LoadSharing, EqualRubsWithHalfTheLinksWeightWhateverThePointCarries) {
  // The middle links of a robot that is lifted a little by its neighbours carry what they must;
  // `equal` still rubs with m g/2 at each point.
  std::mt19937_64 random(6);
  Model model = sample::make_odd_links(5, Joint::yaw, random);
  model.load_sharing = LoadSharing::equal;
  for (Link& link : model.links) link.offset = 0.0;
  model.mu_T << 0.3, 0.3;
  State state = lie(model, 0.2);
  Twist twist;
  twist << 0.0, 0.0, 0.0, std::cos(0.2), std::sin(0.2), 0.0;  // along itself
  sample::set_motion(model, twist, VectorXd::Zero(4), 1e-3, state);
  Data data(model);
  JointCommand command = hold(model, state);
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(step(model, state, data, command, {}).status, Status::ok);
  }
  bool uneven = false;
  for (const ContactMemory& point : state.near[kGround]) {
    const double half = 0.5 * model.links[static_cast<std::size_t>(point.link)].m * kGravity * 1e-3;
    EXPECT_NEAR(point.sliding.x_1.T.norm() / half, 1.0, 1e-12);
    uneven = uneven || std::abs(point.sliding.x_1.N / half - 1.0) > 0.05;
  }
  EXPECT_TRUE(uneven) << "loads were meant to differ from halves";
  EXPECT_NEAR(state.twist.tail<3>().norm(), 1.0 - 0.3 * kGravity * 0.1, 1e-6);
}

TEST(LoadSharing, EqualDoesNotRubInTheAir) {
  Model model = sample::make_aiko(1);
  model.load_sharing = LoadSharing::equal;
  State state =
      make_state(model, VectorXd(0), 0, {0.0, 0.0, 0.0525 + 0.01}, compute_axes(0.0, 0.0, 0.0));
  Twist twist;
  twist << 1.0, 0.0, 0.0, 0.5, 0.0, 0.0;
  sample::set_motion(model, twist, VectorXd(0), 1e-3, state);
  Data data(model);
  for (int k = 0; k < 40; ++k) {  // it falls for 45 ms
    ASSERT_EQ(step(model, state, data, JointCommand(0), {}).status, Status::ok);
  }
  EXPECT_NEAR(state.v(0, 0), 0.5, 1e-14);
  EXPECT_NEAR(state.omega(0, 0), 1.0, 1e-13) << "nor is its rolling slowed";
}

/// One link lying on two cylinders as a block lies on a floor, pulled by gravity down the slope at
/// the angle `beta` from straight onto them; the ground itself is slippery.
Model block(double mu, double beta) {
  Model model = sample::make_aiko(1);
  model.mu_T.setZero();
  model.mu_V = 0.0;
  model.tilt = 0.5;
  model.tilt_direction = beta - kRightAngle;
  const double below = -(model.links[0].L_SC + 0.02);
  model.obstacles = {{{-0.028, below}, 0.02, mu}, {{0.028, below}, 0.02, mu}};
  return model;
}

TEST(CylinderFriction, ABlockOnTwoCylindersHoldsBelowTheConeAndSlidesAboveIt) {
  for (const Law law : {Law::anchored, Law::rigid}) {
    for (const double share : {0.99, 1.01}) {
      for (const double side : {1.0, -1.0}) {
        const double beta = side * std::atan(0.2 * share);
        const Model model = block(0.2, beta);
        State state = lie(model, 0.0);
        Data data(model);
        StepOptions options;
        options.law = law;
        double early = 0.0;
        for (int k = 0; k < 900; ++k) {
          ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
          if (k == 199) early = state.v(0, 0);  // the cylinders have taken up the load
        }
        const double pull = kGravity * std::sin(0.5);  // N/kg
        if (share < 1.0) {
          EXPECT_LE(state.v.norm() + state.omega.norm(), 1e-12) << name_of(law);
        } else {
          // 0.7 s of sliding; the cylinders yield by fractions of a µm and the link leans by 3e-6
          // rad, which adds that share of the pull.
          const double gained =
              0.7 * side * pull * (std::sin(std::abs(beta)) - 0.2 * std::cos(beta));
          EXPECT_NEAR(state.v(0, 0) - early, gained, 0.7 * pull * 1e-5) << name_of(law);
        }
        const Vector3d force = data.obstacle_impulse.col(0) / options.dt;
        EXPECT_NEAR(force.y(), model.links[0].m * pull * std::cos(beta), 1e-5) << name_of(law);
        EXPECT_NEAR(force.z(), 0.0, 1e-5);
      }
    }
  }
}

TEST(CylinderFriction, ALinkSqueezedBetweenCylindersHangsIfTheyAreRoughEnough) {
  // Two cylinders with 10 µm less room than the link is wide, far above the ground. Each presses
  // with the landing rule's N = beta depth m/(epsilon dt²) as long as the link stays; friction
  // holds a weight of up to 2 mu N, whichever way it acts along the surface.
  for (const Law law : {Law::anchored, Law::rigid}) {
    for (const double share : {0.99, 1.01}) {
      Model model = sample::make_aiko(1);
      const Link& link = model.links[0];
      const double dt = 1e-3;
      const double N = 0.2 * 5e-6 * link.m / (0.02 * dt * dt);
      const double mu = link.m * kGravity / (2.0 * N) / share;
      const double way = link.L_SC + 0.03 - 5e-6;
      model.obstacles = {{{0.0, way}, 0.03, mu}, {{0.0, -way}, 0.03, mu}};
      State state = make_state(model, VectorXd(0), 0, {0.0, 0.0, 5.0}, compute_axes(0.0, 0.0, 0.0));
      Data data(model);
      StepOptions options;
      options.law = law;
      double early = 0.0;
      for (int k = 0; k < 800; ++k) {
        ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
        if (k == 299) early = state.v(2, 0);
      }
      if (share < 1.0) {
        EXPECT_LE(state.v.norm() + state.omega.norm(), 1e-12) << name_of(law);
        EXPECT_NEAR(data.obstacle_impulse(2, 0) / dt, link.m * kGravity, 1e-9);
      } else {
        EXPECT_NEAR(state.v(2, 0) - early, 0.5 * (2.0 * mu * N / link.m - kGravity), 1e-6)
            << name_of(law);
      }
    }
  }
}

}  // namespace friction_test
}  // namespace coluber::spatial

// The snake in space held flat is the planar snake with two friction points a link.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "coluber/planar/snake.hpp"

#include "sample/snake.hpp"
#include "sample/spatial.hpp"

namespace coluber {
namespace spatial_planar_test {

namespace planar_sample = coluber::sample;
namespace spatial_sample = coluber::spatial::sample;
using Eigen::VectorXd;
using nonsmooth::Law;

constexpr double kDt = 1e-3;

planar::Model make_planar(const spatial::Model& model) {
  planar::Model flat;
  for (const spatial::Link& link : model.links) {
    flat.links.push_back({link.m, link.Theta_psi, link.L, link.L_GS, link.L_SC, link.offset});
  }
  flat.obstacles = model.obstacles;
  flat.mu_T = model.mu_T;
  flat.friction_points = 2;
  flat.tilt = model.tilt;
  flat.tilt_direction = model.tilt_direction;
  return flat;
}

/// A step of the spatial snake whose middle link, and with yaw joints every link, can neither roll
/// nor pitch nor rise: the public pieces of a step with a million tonnes on those three freedoms.
void step_locked(const spatial::Model& model, spatial::State& state, spatial::Data& data,
                 const JointCommand& command, const spatial::StepOptions& options) {
  make_problem(model, state, command, options, data);
  for (const int row : {0, 1, 5}) data.problem.nodes.back().M(row, row) += 1e9;
  nonsmooth::NewtonOptions newton = options.newton;
  newton.law = options.law;
  const auto info =
      nonsmooth::solve_newton(data.problem, data.previous, data.solution, data.solver, newton);
  ASSERT_EQ(info.status, Status::ok) << "step " << state.k;
  nonsmooth::update_twists(data.problem, data.solution);

  for (std::size_t k = 0; k < data.problem.nodes.size(); ++k) {
    const int i = data.link_of_node[k];
    const spatial::Link& link = model.links[static_cast<std::size_t>(i)];
    const Eigen::Vector3d omega = data.solution.twist[k].head<3>();
    state.v.col(i) =
        data.solution.twist[k].tail<3>() + omega.cross(Eigen::Vector3d{data.pose.r.col(i)});
    state.omega.col(i) = omega;
    const Eigen::Vector3d e_z = data.pose.e_z.col(i);
    state.l.col(i) =
        link.Theta_psi * omega + (link.Theta_rho - link.Theta_psi) * e_z.dot(omega) * e_z;
  }
  for (std::size_t surface = 0; surface < spatial::kSurfaces; ++surface) {
    data.near[surface].slide.assign(data.near[surface].memory.size(), {});
  }
  for (std::size_t c = 0; c < data.origin.size(); ++c) {
    const auto& origin = data.origin[c];
    auto& slide = data.near[origin.surface].slide[static_cast<std::size_t>(origin.point)];
    const auto& P = data.solution.impulse[c];
    if (origin.part == spatial::Data::Origin::Part::friction) {
      slide.T = P.T;
    } else if (origin.part == spatial::Data::Origin::Part::support) {
      slide.N = std::max(P.N, 1e-12);  // held by the lock: the anchor of its friction stays
    } else {
      slide = P;
    }
  }
  for (std::size_t surface = 0; surface < spatial::kSurfaces; ++surface) {
    auto& near = data.near[surface];
    for (std::size_t point = 0; point < near.memory.size(); ++point) {
      nonsmooth::remember(near.memory[point].sliding, near.slide[point]);
    }
    state.near[surface] = near.memory;
  }
  state.twist_3 = state.twist_2;
  state.twist_2 = state.twist;
  state.twist = data.solution.root;
  state.phidot_3 = state.phidot_2;
  state.phidot_2 = state.phidot;
  for (std::size_t k = 0; k + 1 < data.problem.nodes.size(); ++k) {
    state.phidot(data.angle_of_node[k]) = data.solution.rate[k];
  }
  state.r += kDt * state.twist.tail<3>();
  const double turn = 0.5 * kDt * state.twist(2);  // about the vertical alone
  const Eigen::Quaterniond q = Eigen::Quaterniond(std::cos(turn), 0.0, 0.0, std::sin(turn)) *
                               Eigen::Quaterniond(state.p(0), state.p(1), state.p(2), state.p(3));
  state.p << q.w(), q.x(), q.y(), q.z();
  state.p.normalize();
  state.phi += kDt * state.phidot;
  ++state.k;
}

/// Largest distance (m) between the link centres of the two models over `seconds` of undulation.
double distance(const spatial::Model& model, Law law, double seconds, bool locked) {
  const int joints = model.n() - 1;
  spatial::State state = spatial_sample::start_peer(model);
  spatial::Data data(model);
  spatial::StepOptions options;
  options.dt = kDt;
  options.law = law;
  JointCommand command = spatial_sample::make_servos(model, 60.0, 0.4);

  const planar::Model flat = make_planar(model);
  planar::State flat_state =
      planar::make_state(flat, planar_sample::Wave{}.angles(joints), 0, {0.061, 0.0}, 0.0);
  planar::Data flat_data(flat);
  planar::StepOptions flat_options;
  flat_options.dt = kDt;
  flat_options.law = law;

  double worst = 0.0;
  double rubbed = 0.0;
  double touched = 0.0;
  const int steps = static_cast<int>(std::lround(seconds / kDt));
  for (int k = 0; k < steps; ++k) {
    spatial_sample::Wave{}.set((k + 1) * kDt, joints, 1, command);
    if (locked) {
      step_locked(model, state, data, command, options);
      if (testing::Test::HasFatalFailure()) return 1.0;
    } else {
      EXPECT_EQ(spatial::step(model, state, data, command, options).status, Status::ok);
    }
    EXPECT_EQ(planar::step(flat, flat_state, flat_data, command, flat_options).status, Status::ok);
    rubbed += flat_data.ground_impulse.norm();
    touched += flat_data.obstacle_impulse.norm();
    const Eigen::Matrix3Xd r = spatial_sample::link_positions(model, state, kDt);
    const Eigen::Matrix2Xd s = planar_sample::link_positions(flat, flat_state, kDt);
    worst = std::max(worst, (r.topRows<2>() - s).colwise().norm().maxCoeff());
    if (locked) {
      EXPECT_LE((r.row(2).array() - 0.0525).abs().maxCoeff(), 1e-9) << "it was meant to stay flat";
    }
  }
  EXPECT_GT(rubbed, 1.0);
  if (!model.obstacles.empty()) {
    EXPECT_GT(touched, 0.1) << "the cylinders were meant to be hit";
  }
  return worst;
}

spatial::Model make_flat_robot() {
  spatial::Model model = spatial_sample::make_peer(10);
  model.load_sharing = spatial::LoadSharing::equal;
  for (spatial::Link& link : model.links) link.spheres = false;
  return model;
}

/// How far (m) the mean of the planar snake's centres moves in 5 s of the peers' scene.
Eigen::Vector2d displacement(int friction_points) {
  planar::Model flat = make_planar(make_flat_robot());
  flat.friction_points = friction_points;
  const int joints = flat.n() - 1;
  planar::State state =
      planar::make_state(flat, planar_sample::Wave{}.angles(joints), 0, {0.061, 0.0}, 0.0);
  planar::Data data(flat);
  planar::StepOptions options;
  options.dt = kDt;
  JointCommand command(joints);
  const Eigen::Vector2d start = planar_sample::link_positions(flat, state, kDt).rowwise().mean();
  for (int k = 0; k < 5000; ++k) {
    planar_sample::follow(planar_sample::Wave{}, (k + 1) * kDt, command, 60.0, 0.4);
    EXPECT_EQ(planar::step(flat, state, data, command, options).status, Status::ok);
  }
  return planar_sample::link_positions(flat, state, kDt).rowwise().mean() - start;
}

TEST(PlanarPeersScene, MovesAsMeasuredWithTwoFrictionPointsAndWithOne) {
  // docs/theory-spatial.md; with two it is the spatial snake's way under equal loads
  EXPECT_LE((displacement(2) - Eigen::Vector2d{0.050434, -0.029655}).norm(), 1e-6);
  EXPECT_LE((displacement(1) - Eigen::Vector2d{0.051353, -0.024592}).norm(), 1e-6);
}

TEST(SpatialHeldFlat, GoesThePlanarSnakesWay) {
  for (const Law law : {Law::anchored, Law::rigid}) {
    EXPECT_LE(distance(make_flat_robot(), law, 5.0, true), 1e-9);
  }
}

TEST(SpatialHeldFlat, GoesThePlanarSnakesWayOnASlopeWithAnEllipseAndOddLinks) {
  spatial::Model model = make_flat_robot();
  model.mu_T << 0.2, 0.5;
  model.tilt = 0.1;
  model.tilt_direction = 2.0;
  for (int i = 0; i < model.n(); ++i) {
    spatial::Link& link = model.links[static_cast<std::size_t>(i)];
    link.m *= 1.0 + 0.05 * i;
    link.Theta_psi *= 1.3 - 0.04 * i;
    link.offset = 0.002 * (i % 3 - 1);
  }
  EXPECT_LE(distance(model, Law::anchored, 5.0, true), 1e-9);
}

TEST(SpatialHeldFlat, GoesThePlanarSnakesWayAmongRoughCylinders) {
  spatial::Model model = make_flat_robot();
  model.obstacles = {
      {{0.45, 0.12}, 0.03, 0.3}, {{0.75, -0.35}, 0.05, 0.3}, {{0.25, -0.2}, 0.04, 0.0}};
  EXPECT_LE(distance(model, Law::anchored, 2.0, true), 1e-9);
}

TEST(SpatialFreeToRise, StaysWithinAMicrometreOfThePlanarSnake) {
  // Friction acts L_SC below the centres: the robot leans on its points by fractions of a µm, which
  // the equal load rule does not feed back. What is left is the lean itself.
  const double apart = distance(make_flat_robot(), Law::anchored, 5.0, false);
  EXPECT_LE(apart, 1e-6);
  RecordProperty("apart_um", std::to_string(1e6 * apart));
}

}  // namespace spatial_planar_test
}  // namespace coluber

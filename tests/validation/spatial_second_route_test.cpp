// The library's step in joint coordinates against absolute coordinates with joint multipliers: the
// velocities that follow from its impulses, and the laws those velocities and impulses must meet.

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "absolute_route_spatial.hpp"
#include "sample/spatial.hpp"

namespace coluber::spatial {
namespace spatial_second_route_test {

using absolute_spatial::Configuration;
using absolute_spatial::Point;
using absolute_spatial::PointImpulse;
using Eigen::Matrix3d;
using Eigen::MatrixXd;

constexpr double kEps = 0.02;  // c = c_T = kEps/m

struct Scene {
  Model model;
  State state;
  JointCommand command{0};
};

Configuration configuration_of(const Model& model, const State& state) {
  Pose pose;
  pose.resize(model);
  compute_pose(model, state.r, state.p, state.phi, pose);
  Configuration q;
  for (int i = 0; i < model.n(); ++i) {
    q.r.push_back(pose.centre(i));
    Matrix3d R;
    R << pose.e_x.col(i), pose.e_y.col(i), pose.e_z.col(i);
    q.R.push_back(R);
  }
  return q;
}

/// A random robot in random motion just over or in the ground, cylinders pushed against some links,
/// with impulses of the last step to remember.
Scene random_scene(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const int n = 1 + static_cast<int>(random() % 7);
  const Joint joint = random() % 2 == 0 ? Joint::cardan : Joint::yaw;
  Scene scene;
  Model& model = scene.model;
  model = sample::make_odd_links(n, joint, random);
  model.mu_T = random() % 2 == 0 ? Vector2d{0.3, 0.3} : Vector2d{0.2, 0.5};
  model.mu_V = random() % 3 == 0 ? 0.0 : 0.05;
  model.tilt = 0.2 * unit(random);
  model.tilt_direction = 3.0 * unit(random);
  if (random() % 4 == 0) model.load_sharing = LoadSharing::equal;
  const bool spheres = random() % 2 == 0;
  for (Link& link : model.links) link.spheres = spheres;
  VectorXd phi(model.angles());
  for (int j = 0; j < phi.size(); ++j) {
    const bool pitch = model.axes() == 2 && j % 2 == 1;
    phi(j) = (pitch ? 0.003 : 0.7) * unit(random);
  }
  State& state = scene.state;
  state = make_state(model, phi, 0, {unit(random), unit(random), 1.0},
                     compute_axes(3.0 * unit(random), 0.002 * unit(random), 0.002 * unit(random)));
  // lowered until the lowest point is within 0.2 mm of the ground
  Configuration q = configuration_of(model, state);
  double lowest = 1e9;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Link& link = model.links[k];
    for (const double end : {-link.L_GS, link.L_GS}) {
      lowest = std::min(lowest, q.r[k].z() + (end - link.offset) * q.R[k](2, 2) - link.L_SC);
    }
  }
  state.r.z() -= lowest - 2e-4 * unit(random);
  q = configuration_of(model, state);
  for (int count = 0; count < 3; ++count) {
    const auto i = static_cast<std::size_t>(random() % static_cast<unsigned>(n));
    const Link& link = model.links[i];
    const Vector2d along = q.R[i].col(2).head<2>().normalized();
    const Vector2d across{-along.y(), along.x()};
    const double radius = 0.03;
    const double way = link.L_SC + radius + 2e-3 * unit(random);
    const double angle = 1.5 * unit(random);
    const double side = random() % 2 == 0 ? 1.0 : -1.0;
    const double end = unit(random) > 0.0 ? link.L_GS : -link.L_GS;
    Vector2d H = q.r[i].head<2>();
    if (random() % 2 == 0) {  // beside the link
      H += 0.9 * link.L_GS * unit(random) * along + side * way * across;
    } else {  // round an end
      const Vector2d out = (end > 0.0 ? 1.0 : -1.0) * along;
      H += (end - link.offset) * q.R[i].col(2).head<2>() +
           way * (std::cos(angle) * out + std::sin(angle) * across);
    }
    model.obstacles.push_back({H, radius, random() % 3 == 0 ? 0.0 : 0.4});
  }
  nonsmooth::Twist<6> twist;
  for (double& entry : twist) entry = 0.2 * unit(random);
  twist.head<2>() *= 0.1;          // it lies
  twist(5) = -std::abs(twist(5));  // and sinks
  VectorXd phidot(model.angles());
  for (double& rate : phidot) rate = 0.3 * unit(random);
  sample::set_motion(model, twist, phidot, 0.0, state);
  for (const SurfaceIndex surface : {kGround, kCylinders}) {
    for (const Point& point : absolute_spatial::find_points(model, q, surface)) {
      if (random() % 3 == 0) continue;
      ContactMemory memory;
      memory.link = point.link;
      memory.key = point.key;
      memory.sliding.x_1.N = memory.rolling.x_1.N = 2e-3;
      memory.sliding.x_1.T << 1e-3 * unit(random), 1e-3 * unit(random);
      memory.rolling.x_1.T << 1e-3 * unit(random), 1e-3 * unit(random);
      memory.sliding.closed = memory.rolling.closed = 1;
      state.near[surface].push_back(memory);
    }
  }
  scene.command = sample::make_servos(model, random() % 2 == 0 ? 800.0 : 20.0, 2.0);
  scene.command.phi_d = phi;
  for (double& torque : scene.command.tau) torque = 0.5 * unit(random);
  for (double& rate : scene.command.phidot_d) rate = unit(random);
  return scene;
}

const ContactMemory* find_memory(const State& state, const Point& point) {
  for (const ContactMemory& memory : state.near[point.surface]) {
    if (memory.link == point.link && memory.key == point.key) return &memory;
  }
  return nullptr;
}

/// Not scaled: P_i = mu_i T_i.
PointImpulse impulse_of(const ContactMemory* memory, const Point& point) {
  if (memory == nullptr) return {};
  return {memory->sliding.x_1.N, point.mu.cwiseProduct(memory->sliding.x_1.T),
          point.mu_V * memory->rolling.x_1.T};
}

struct Tally {
  int closed = 0, sticking = 0, sliding = 0, cylinders = 0, rolling = 0, joints = 0;
};

void compare(Scene scene, const StepOptions& options, const std::string& where, Tally& tally) {
  const Model& model = scene.model;
  const State before = scene.state;
  const int n = model.n();
  const double dt = options.dt;
  const Configuration q = configuration_of(model, before);
  const auto route = absolute_spatial::make_step(model, q, before.v, before.l, scene.command, dt);

  Data data(model);
  const nonsmooth::ContactStepInfo info = step(model, scene.state, data, scene.command, options);
  ASSERT_EQ(info.status, Status::ok) << where << " residual " << info.residual;

  std::vector<Point> points = absolute_spatial::find_points(model, q, kGround);
  for (const Point& point : absolute_spatial::find_points(model, q, kCylinders)) {
    points.push_back(point);
  }
  ASSERT_EQ(points.size(), scene.state.near[kGround].size() + scene.state.near[kCylinders].size())
      << where;
  VectorXd P = VectorXd::Zero(6 * n);
  std::vector<PointImpulse> impulses;
  for (const Point& point : points) {
    const ContactMemory* memory = find_memory(scene.state, point);
    ASSERT_NE(memory, nullptr) << where;
    const PointImpulse& impulse = impulses.emplace_back(impulse_of(memory, point));
    P += impulse.N * point.w_N + impulse.T.x() * point.w_1 + impulse.T.y() * point.w_2 +
         impulse.V.x() * point.w_V1 + impulse.V.y() * point.w_V2;
  }
  const VectorXd u_E = route.velocity(P);
  EXPECT_LE((route.W_J.transpose() * u_E).norm(), 1e-11) << where << ": joints stay closed";
  for (int i = 0; i < n; ++i) {
    const Vector3d v = u_E.segment<3>(6 * i);
    const Vector3d omega = q.R[static_cast<std::size_t>(i)] * u_E.segment<3>(6 * i + 3);
    EXPECT_LE((Vector3d{scene.state.v.col(i)} - v).norm(), 1e-10) << where << ", link " << i + 1;
    EXPECT_LE((Vector3d{scene.state.omega.col(i)} - omega).norm(), 1e-10)
        << where << ", link " << i + 1;
  }
  tally.joints += n - 1;

  // The laws, lambda = prox(lambda - r gamma), with this route's own gamma.
  for (std::size_t c = 0; c < points.size(); ++c) {
    const Point& point = points[c];
    const PointImpulse& impulse = impulses[c];
    const Link& link = model.links[static_cast<std::size_t>(point.link)];
    const PointImpulse anchor = impulse_of(find_memory(before, point), point);
    const std::string at = where + (point.surface == kGround ? ", ground" : ", cylinder") +
                           " point " + std::to_string(c);
    const double scale = link.m * model.g * dt;
    const double compliance = kEps / link.m;
    const double r = 0.3;
    const bool open_in_thesis = options.activation == Activation::gap && point.g > 0.0;
    if (open_in_thesis) {
      EXPECT_EQ(impulse.N, 0.0) << at;
    } else {
      double b = 0.0;
      if (options.activation == Activation::landing) {
        b = point.g > 0.0 ? point.g / dt : std::max(0.2 * point.g / dt, -0.3);
      }
      const double gamma = point.w_N.dot(u_E) + b + compliance * impulse.N;
      EXPECT_NEAR(impulse.N, std::max(0.0, impulse.N - r * gamma), 1e-9 * scale) << at;
    }
    double load = impulse.N;
    if (point.surface == kGround && model.load_sharing == LoadSharing::equal) {
      const double lean = link.offset / link.L_GS * (point.key == 0 ? -1.0 : 1.0);
      load =
          point.g <= 1e-4 ? 0.5 * (1.0 + lean) * link.m * model.g * std::cos(model.tilt) * dt : 0.0;
    }
    if (point.mu.maxCoeff() > 0.0) {
      // c_T along axis i is c_T (max mu/mu_i)²
      const Vector2d soft =
          compliance * (point.mu.maxCoeff() * point.mu.cwiseInverse()).cwiseAbs2();
      const Vector2d gamma = Vector2d{point.w_1.dot(u_E), point.w_2.dot(u_E)} +
                             soft.cwiseProduct(impulse.T - anchor.T);
      const Vector2d nearest = absolute_spatial::nearest_in_ellipse(
          impulse.T - r * gamma, point.mu.x() * load, point.mu.y() * load);
      EXPECT_LE((impulse.T - nearest).norm(), 1e-9 * scale) << at;
      if (load > 0.0) {
        const bool slides = impulse.T.cwiseQuotient(point.mu).norm() > load * (1.0 - 1e-9);
        (slides ? tally.sliding : tally.sticking) += 1;
      }
    }
    if (point.mu_V > 0.0) {
      const double soft = compliance * link.L_SC * link.L_SC * link.m / link.Theta_psi;
      const Vector2d gamma =
          Vector2d{point.w_V1.dot(u_E), point.w_V2.dot(u_E)} + soft * (impulse.V - anchor.V);
      const Vector2d nearest = absolute_spatial::nearest_in_ellipse(
          impulse.V - r * gamma, point.mu_V * load, point.mu_V * load);
      EXPECT_LE((impulse.V - nearest).norm(), 1e-9 * scale) << at;
      if (load > 0.0) ++tally.rolling;
    }
    if (impulse.N > 0.0) ++tally.closed;
    if (impulse.N > 0.0 && point.surface == kCylinders) ++tally.cylinders;
  }
}

TEST(SpatialSecondRoute, OneStepAgreesWithAbsoluteCoordinatesAndJointMultipliers) {
  std::mt19937_64 random(7);
  Tally tally;
  for (int trial = 0; trial < 800; ++trial) {
    StepOptions options;
    options.dt = trial % 3 == 0 ? 2.5e-4 : 1e-3;
    options.activation = trial % 4 == 0 ? Activation::gap : Activation::landing;
    options.newton.tolerance = 1e-11;  // 1 % of what is asked of the laws below
    compare(random_scene(random), options, std::to_string(trial), tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.joints, 1600);
  EXPECT_GT(tally.closed, 500);
  EXPECT_GT(tally.sticking, 100);
  EXPECT_GT(tally.sliding, 100);
  EXPECT_GT(tally.rolling, 300);
  EXPECT_GT(tally.cylinders, 100);
}

}  // namespace spatial_second_route_test
}  // namespace coluber::spatial

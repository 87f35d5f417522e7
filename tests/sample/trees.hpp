#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include <Eigen/Geometry>

#include "coluber/multibody/evaluate.hpp"

// Ready-made multibody systems of Ali, chapter 4, and random ones.

namespace coluber::multibody::sample {

using std::numbers::pi;

inline Body body_at(int parent, const Eigen::Vector3d& place, double m,
                    const Eigen::Vector3d& moments = Eigen::Vector3d::Zero()) {
  Body body;
  body.parent = parent;
  body.joint_frame.p = place;
  body.m = m;
  body.I_c = moments.asDiagonal();
  return body;
}

inline Wheel wheel_on(int body, double x = 0.0, double y = 0.0) {
  Wheel wheel;
  wheel.body = body;
  wheel.place = {x, y};
  return wheel;
}

/// Nothing integrated.
inline Configuration at_origin(const Model& model) {
  Configuration at;
  at.follower = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model.followers.size()));
  at.passive = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model.passive.size()));
  return at;
}

/// Constant coordinates, rates and accelerations: a state, not a motion.
inline Program frozen(Eigen::VectorXd r, Eigen::VectorXd rdot, Eigen::VectorXd rddot) {
  return [=](double /*t*/, Input& input) {
    input.r = r;
    input.rdot = rdot;
    input.rddot = rddot;
  };
}

/// Ali 4.1: three rotors on the principal axes, all centres of mass at O_o.
inline Tree satellite() {
  Tree tree;
  tree.bodies.push_back(body_at(-1, Eigen::Vector3d::Zero(), 20.0, {2.0, 3.0, 4.0}));
  for (int k = 0; k < 3; ++k) {
    Body rotor = body_at(0, Eigen::Vector3d::Zero(), 1.0, {0.03, 0.03, 0.05});
    // z of the rotor along axis k of the satellite
    for (int i = 0; i < 3; ++i) {
      rotor.joint_frame.R.col(i) = Eigen::Vector3d::Unit((k + 1 + i) % 3);
    }
    tree.bodies.push_back(rotor);
  }
  return tree;
}

/// Ali 4.2. `side_friction` inf: ideal wheels.
inline Tree snakeboard(double side_friction = std::numeric_limits<double>::infinity()) {
  constexpr double l = 0.2;
  Tree tree;
  tree.bodies.push_back(body_at(-1, Eigen::Vector3d::Zero(), 2.0, {0.03, 0.03, 0.0454}));
  tree.bodies.push_back(body_at(0, Eigen::Vector3d::Zero(), 1.0, {0.05, 0.05, 0.072}));
  tree.bodies.push_back(body_at(0, {l, 0.0, 0.0}, 0.5, {0.001, 0.001, 0.0013}));
  tree.bodies.push_back(body_at(0, {-l, 0.0, 0.0}, 0.5, {0.001, 0.001, 0.0013}));
  for (int axle : {2, 3}) {
    tree.wheels.push_back(wheel_on(axle));
    tree.wheels.back().side_friction = side_friction;
  }
  return tree;
}

/// r = (psi, -phi, phi), each a sin(w t).
inline Program snakeboard_gait(double psi, double w_psi, double phi, double w_phi) {
  return [=](double t, Input& input) {
    const std::array<double, 3> a{psi, -phi, phi};
    const std::array<double, 3> w{w_psi, w_phi, w_phi};
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      input.r(k) = a[i] * std::sin(w[i] * t);
      input.rdot(k) = a[i] * w[i] * std::cos(w[i] * t);
      input.rddot(k) = -w[i] * w[i] * input.r(k);
    }
  };
}

/// Ali 4.3 with the data he leaves out: `modules` modules of half length 0.1 m and 0.3 kg, massless
/// axles. Joints 6, 8, … follow.
inline Tree wheeled_snake(int modules = 10) {
  constexpr double l = 0.1;
  constexpr double m = 0.3;
  constexpr double I = m * 4.0 * l * l / 12.0;
  Tree tree;
  tree.bodies.push_back(body_at(-1, Eigen::Vector3d::Zero(), m, {0.0, I, I}));
  for (int k = 0; k < modules; ++k) {
    const int module = 2 * k;
    tree.bodies.push_back(body_at(module, {k == 0 ? 0.0 : l, 0.0, 0.0}, 0.0));
    if (k + 1 == modules) break;
    tree.bodies.push_back(body_at(module, {k == 0 ? l : 2.0 * l, 0.0, 0.0}, m, {0.0, I, I}));
    tree.bodies.back().c = {l, 0.0, 0.0};
  }
  for (int k = 0; k < modules; ++k) tree.wheels.push_back(wheel_on(2 * k + 1));
  tree.roles.assign(static_cast<std::size_t>(2 * modules - 1), Role::imposed);
  for (int joint = 6; joint <= 2 * modules - 2; joint += 2) {
    tree.roles[static_cast<std::size_t>(joint - 1)] = Role::follower;
  }
  return tree;
}

/// The gait of Ali 4.3.3; wheels from the fourth on point along their modules.
inline void snake_gait(double t, Input& input) {
  constexpr std::array a{0.2, 0.6, -0.2, 0.6, 0.2};
  constexpr std::array phase{pi / 16, 9 * pi / 16, 0.0, 7 * pi / 16, -pi / 16};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    input.r(k) = a[i] * std::sin(t + phase[i]);
    input.rdot(k) = a[i] * std::cos(t + phase[i]);
    input.rddot(k) = -input.r(k);
  }
}

/// A free-floating chain of `bodies` bodies of 0.1 m and 0.2 kg; every other joint's axis is turned
/// by 90 degrees about the chain.
inline Tree free_chain(int bodies) {
  Tree tree;
  for (int j = 0; j < bodies; ++j) {
    tree.bodies.push_back(body_at(j - 1, {0.1, 0.0, 0.0}, 0.2, {2e-5, 1.7e-4, 1.7e-4}));
    tree.bodies.back().c = {0.05, 0.0, 0.0};
    const double angle = (j % 2 == 1 ? 0.5 : -0.5) * pi;
    if (j > 0) tree.bodies.back().joint_frame.R = math::exp(Eigen::Vector3d{angle, 0.0, 0.0});
  }
  return tree;
}

inline double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

inline Eigen::VectorXd random_vector(std::mt19937_64& random, Eigen::Index size, double scale) {
  return Eigen::VectorXd::NullaryExpr(size, [&] { return uniform(random, -scale, scale); });
}

/// A tree of `bodies` bodies with all kinds of joints and offset centres of mass.
inline Tree random_tree(std::mt19937_64& random, int bodies) {
  Tree tree;
  for (int j = 0; j < bodies; ++j) {
    Body body;
    body.parent = j == 0 ? -1 : static_cast<int>(uniform(random, std::max(0, j - 4), j));
    body.joint = static_cast<Joint>(static_cast<int>(uniform(random, 0.0, 3.999)));
    const Eigen::Vector3d axis = random_vector(random, 3, 1.0);
    body.joint_frame.R = math::exp(axis);
    body.joint_frame.p = random_vector(random, 3, 0.5);
    body.m = uniform(random, 0.2, 2.0);
    body.c = random_vector(random, 3, 0.3);
    const Eigen::Vector3d half = random_vector(random, 3, 0.3).cwiseAbs().array() + 0.05;
    const Eigen::Vector3d squares = half.cwiseProduct(half);
    const Eigen::Matrix3d R = math::exp(Eigen::Vector3d(random_vector(random, 3, 1.0)));
    const Eigen::Vector3d moments =
        body.m / 3.0 * (Eigen::Vector3d::Constant(squares.sum()) - squares);
    const Eigen::Matrix3d I = R * moments.asDiagonal() * R.transpose();
    body.I_c = 0.5 * (I + I.transpose());
    tree.bodies.push_back(body);
  }
  return tree;
}

}  // namespace coluber::multibody::sample

#include "coluber/multibody/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "coluber/core/error.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Bodies from the reference body's child to j, both included; empty for the reference body.
std::vector<int> path_to(const Tree& tree, int j) {
  std::vector<int> path;
  for (int k = j; tree.bodies[static_cast<std::size_t>(k)].parent >= 0;
       k = tree.bodies[static_cast<std::size_t>(k)].parent) {
    path.push_back(k);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

void check_tree(const Tree& tree) {
  if (tree.bodies.empty()) throw Error("a multibody system needs at least one body");
  const int n = static_cast<int>(tree.bodies.size());
  for (int j = 0; j < n; ++j) {
    const Body& body = tree.bodies[static_cast<std::size_t>(j)];
    if (j == 0 ? body.parent != -1 : body.parent < 0 || body.parent >= j) {
      throw Error(fmt::format("body {} has parent {}; parents come before children", j + 1,
                              body.parent + 1));
    }
    if (!(body.m >= 0.0) || !is_physical(body.I_c)) {
      throw Error(fmt::format("body {} has a mass or inertia that no body has", j + 1));
    }
  }
  for (const Wheel& wheel : tree.wheels) {
    if (wheel.body < 0 || wheel.body >= n) throw Error("a wheel is on no body");
    if (wheel.driven && wheel.body != 0) throw Error("a driven wheel is not on the first body");
  }
  for (const Loop& loop : tree.loops) {
    if (std::min(loop.a, loop.b) < 0 || std::max(loop.a, loop.b) >= n) {
      throw Error("a loop joins no body");
    }
  }
}

/// Ground under the wheels is level: so must be the bodies they are on, whatever the joints do.
void check_level(const Tree& tree, const Wheel& wheel) {
  Matrix3d R = Matrix3d::Identity();
  for (int j : path_to(tree, wheel.body)) {
    const Body& body = tree.bodies[static_cast<std::size_t>(j)];
    R *= body.joint_frame.R;
    const double tilt = std::hypot(R(0, 2), R(1, 2));
    const bool slides = body.joint == Joint::prismatic || body.joint == Joint::cylindrical;
    const bool turns = body.joint == Joint::revolute || body.joint == Joint::cylindrical;
    if ((slides && std::abs(R(2, 2)) > 1e-9) || (turns && tilt > 1e-9)) {
      throw Error(
          fmt::format("body {} carries a wheel, and the joint of body {} would lift or tilt it",
                      wheel.body + 1, j + 1));
    }
  }
  if (std::hypot(R(2, 0), R(2, 1)) > 1e-9) {
    throw Error(fmt::format("body {} carries a wheel and is not level", wheel.body + 1));
  }
}

}  // namespace

int coordinates_of(Joint joint) {
  if (joint == Joint::fixed) return 0;
  return joint == Joint::cylindrical ? 2 : 1;
}

Matrix3d inertia_about_origin(const Body& body) {
  return body.I_c +
         body.m * (body.c.squaredNorm() * Matrix3d::Identity() - body.c * body.c.transpose());
}

bool is_physical(const Matrix3d& I_c) {
  if (!I_c.allFinite() || (I_c - I_c.transpose()).cwiseAbs().maxCoeff() > 0.0) return false;
  const Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Matrix3d>(I_c, Eigen::EigenvaluesOnly).eigenvalues();
  const double slack = 1e-9 * std::abs(moments(2));
  return moments(0) >= -slack && moments(2) <= moments(0) + moments(1) + slack;
}

Model::Model(Tree tree) : Tree(std::move(tree)) {
  check_tree(*this);
  for (int j = 0; j < size(); ++j) {
    first.push_back(coordinates);
    const int count = j == 0 ? 0 : coordinates_of(body(j).joint);
    for (int k = 0; k < count; ++k) {
      body_of.push_back(j);
      const bool along =
          body(j).joint == Joint::prismatic || (body(j).joint == Joint::cylindrical && k == 0);
      axis_of.push_back(along ? 2 : 5);
    }
    coordinates += count;
    mass += body(j).m;
    const Matrix3d I = inertia_about_origin(body(j));
    nodes.push_back({body(j).parent,
                     first_of(j),
                     j == 0 ? Joint::fixed : body(j).joint,
                     body(j).joint_frame,
                     {body(j).m,
                      body(j).m * body(j).c,
                      {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}}});
  }
  roles.resize(static_cast<std::size_t>(coordinates), Role::imposed);
  planar = !wheels.empty() && !base_imposed;
  for (const Wheel& each : wheels) check_level(*this, each);

  // A follower belongs to the first wheel behind it that no other follower has.
  std::vector<bool> taken(static_cast<std::size_t>(coordinates), false);
  std::vector<bool> on_base_path(bodies.size(), false);
  std::vector<bool> on_wheel_path(bodies.size(), false);
  for (int w = 0; w < static_cast<int>(wheels.size()); ++w) {
    if (wheel(w).driven) driven.push_back(w);
    if (!wheel(w).holds()) continue;
    const std::vector<int> path = path_to(*this, wheel(w).body);
    for (int j : path) on_wheel_path[static_cast<std::size_t>(j)] = true;
    bool follows = false;
    int open = -1;  // nearest to the wheel
    for (int j : path) {
      for (int k = first_of(j); k < first_of(j) + coordinates_of(body(j).joint); ++k) {
        if (roles[static_cast<std::size_t>(k)] != Role::follower) continue;
        follows = true;
        if (!taken[static_cast<std::size_t>(k)]) open = k;
      }
    }
    if (!follows) {
      base_wheels.push_back(w);
      for (int j : path) on_base_path[static_cast<std::size_t>(j)] = true;
    } else if (open >= 0) {
      taken[static_cast<std::size_t>(open)] = true;
      const auto from = std::ranges::find(path, body_of[static_cast<std::size_t>(open)]);
      followers.push_back({open, w, {from, path.end()}});
    }
  }
  for (int k = 0; k < coordinates; ++k) {
    if (roles[static_cast<std::size_t>(k)] == Role::loop) passive.push_back(k);
    if (roles[static_cast<std::size_t>(k)] == Role::follower &&
        !taken[static_cast<std::size_t>(k)]) {
      throw Error(fmt::format("joint {} follows, and there is no wheel for it to follow", k + 1));
    }
  }
  const auto in_a_loop = [&](int k) {
    const int j = body_of[static_cast<std::size_t>(k)];
    const auto on_path = [&](int to) {
      for (; to > j; to = body(to).parent) {
      }
      return to == j;
    };
    return std::ranges::any_of(
        loops, [&](const Loop& each) { return on_path(each.a) != on_path(each.b); });
  };
  for (int k : passive) {
    if (in_a_loop(k)) continue;
    throw Error(fmt::format("joint {} is passive, and it is in no loop", k + 1));
  }
  // Loops are closed before the motion is known that a follower follows from.
  for (const Follower& each : followers) {
    if (!in_a_loop(each.coordinate)) continue;
    throw Error(fmt::format("joint {} follows a wheel, and it is in a loop", each.coordinate + 1));
  }
  // Rates are found from the root outwards: one after the other.
  std::ranges::sort(followers, {}, &Follower::coordinate);
  for (int j = 1; j < size(); ++j) {
    if (on_base_path[static_cast<std::size_t>(j)]) base_bodies.push_back(j);
    if (on_wheel_path[static_cast<std::size_t>(j)]) wheel_bodies.push_back(j);
  }

  if (std::ranges::any_of(bodies, [](const Body& each) { return !each.added.isZero(0.0); })) {
    for (const Body& each : bodies) {
      const Matrix6d to_centre = math::Ad(math::inverse(Pose{Matrix3d::Identity(), each.c}));
      added.emplace_back(to_centre.transpose() * each.added.asDiagonal() * to_centre);
    }
  }
}

}  // namespace coluber::multibody

#pragma once

// Random instants of the force map: robots of unequal links among obstacles, wishes that can be
// met, that need slack, or that nothing can press onto its obstacles.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "coluber/control/force_mapping.hpp"

namespace coluber::sample {

/// All that a force mapping is given.
struct RandomInstant {
  planar::Model robot;
  planar::Instant instant;
  std::vector<planar::LinkContact> contacts;
  planar::GroundLoad ground;
  control::Wish wish;
  double u_max = 1.0;
  bool reachable = false;  ///< the wish comes of torques within all bounds
};

namespace random_instants {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return low + (high - low) * std::uniform_real_distribution<double>(0.0, 1.0)(random);
}
inline double normal(Random& random, double sigma) {
  return std::normal_distribution<double>(0.0, sigma)(random);
}
inline int whole(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

/// So many of 0 … n - 1, ascending.
inline std::vector<int> choose(Random& random, int n, int count) {
  std::vector<int> all(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  std::ranges::shuffle(all, random);
  all.resize(static_cast<std::size_t>(count));
  std::ranges::sort(all);
  return all;
}

/// The accelerations of torques that press every contact, if there are any within the limits.
inline bool reach(RandomInstant& one, const planar::ForceMapModel& model,
                  const planar::ForceMap& map, Random& random) {
  const Eigen::Index joints = model.n() - 1;
  qp::Problem problem;
  problem.A.resize(0, joints);
  problem.b.resize(0);
  problem.slack_weight.resize(0);
  problem.weight.setOnes(joints);
  problem.limit.setConstant(joints, 0.95 * one.u_max);
  problem.G = map.F_u;
  problem.h = map.f_0;
  for (std::size_t k = 0; k < one.contacts.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const double gamma = one.contacts[k].gamma;
    problem.G.row(row) *= gamma;
    problem.h(row) = gamma * problem.h(row) - 0.02 * (1.0 + std::abs(problem.h(row)));
  }
  qp::Solver solver;
  qp::Solution solution;
  solver.solve(problem, {}, solution);
  if (solution.status != qp::Status::optimal) return false;
  // away from the least effort, as far as all bounds allow
  Eigen::VectorXd direction(joints);
  for (Eigen::Index j = 0; j < joints; ++j) direction(j) = normal(random, 1.0);
  double length = one.u_max / direction.cwiseAbs().maxCoeff();
  const auto inside = [&](const Eigen::VectorXd& u) {
    const Eigen::VectorXd room = problem.h.array() + 0.01 * (1.0 + problem.h.array().abs());
    return (problem.G * u - room).maxCoeff() <= 0.0 && u.cwiseAbs().maxCoeff() <= 0.999 * one.u_max;
  };
  while (length > 1e-6 * one.u_max && !inside(solution.x + length * direction)) length *= 0.5;
  const Eigen::VectorXd u = solution.x + length * direction;
  if (!inside(u)) return false;
  Eigen::VectorXd f_C;
  Eigen::VectorXd theta_ddot;
  planar::compute_contact_forces(map, u, f_C);
  planar::compute_accelerations(model, map, u, f_C, theta_ddot, one.wish.centre);
  for (std::size_t k = 0; k < one.wish.links.size(); ++k) {
    one.wish.angular(static_cast<Eigen::Index>(k)) = theta_ddot(one.wish.links[k]);
  }
  return true;
}

}  // namespace random_instants

/// Instant number `number` of the series `seed`.
inline RandomInstant random_instant(std::uint64_t seed, std::uint64_t number) {
  using namespace random_instants;
  std::seed_seq sequence{seed, number};
  Random random(sequence);
  RandomInstant one;
  const int n = whole(random, 3, 60);
  const int n_C = whole(random, 1, std::min(10, n));
  for (int i = 0; i < n; ++i) {
    planar::Link link;
    link.m = uniform(random, 0.3, 2.0);
    link.L = uniform(random, 0.03, 0.12);
    link.offset = (uniform(random, 0.3, 0.7) - 0.5) * link.L;
    link.Theta = uniform(random, 1.0, 3.0) * link.m * link.L * link.L / 12.0;
    link.L_SC = 0.01;
    one.robot.links.push_back(link);
  }
  const double friction = uniform(random, 0.0, 0.4);
  one.robot.mu_T = {friction, friction};
  one.robot.c_R = uniform(random, 0.0, 0.02);

  const double A = uniform(random, 0.2, 1.2);
  const double w = uniform(random, 0.5, 2.5);
  const double phase = uniform(random, 0.0, 2.0 * std::numbers::pi);
  one.instant.theta.resize(n);
  one.instant.theta_dot.resize(n);
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * w * i / n + phase;
    one.instant.theta(i) = A * std::sin(angle) + normal(random, 0.1);
    one.instant.theta_dot(i) = 0.8 * A * std::cos(angle) + normal(random, 0.1);
  }
  one.instant.p_dot << 0.2 + normal(random, 0.05), 0.02 + normal(random, 0.05);

  const double mu = uniform(random, 0.0, 0.5);
  const bool one_side = whole(random, 1, 10) == 1;
  const bool off_centre = uniform(random, 0.0, 1.0) < 0.7;
  int side = whole(random, 0, 1) == 0 ? 1 : -1;
  for (const int link : choose(random, n, n_C)) {
    const planar::Link& on = one.robot.links[static_cast<std::size_t>(link)];
    const double at =
        off_centre ? uniform(random, -0.5 * on.L - on.offset, 0.5 * on.L - on.offset) : 0.0;
    one.contacts.push_back({link, at, side, mu});
    if (!one_side) side = -side;
  }
  const bool weak = whole(random, 1, 5) == 1;
  one.u_max = std::pow(10.0, weak ? uniform(random, -2.5, -0.3) : uniform(random, 0.0, 1.5));

  const int sensible = std::max(1, std::min(n - 1, n + 2 - n_C) - 2);
  const bool beyond = whole(random, 1, 5) == 1;
  const int count =
      beyond ? whole(random, std::min(sensible + 1, n), n) : whole(random, 1, sensible);
  one.wish.links = choose(random, n, count);
  one.wish.angular.resize(count);
  one.wish.centre << normal(random, 0.5), normal(random, 0.5);
  for (int k = 0; k < count; ++k) one.wish.angular(k) = normal(random, 1.0);

  const planar::ForceMapModel model =
      planar::make_force_map_model(one.robot.links, planar::Kinematics::centre_of_mass);
  planar::Columns v;
  planar::compute_link_velocities(model, one.instant, v);
  planar::compute_ground_load(one.robot, one.instant, v, one.ground);
  if (uniform(random, 0.0, 1.0) < 0.6) {
    planar::ForceMap map;
    const planar::ForceMapInfo info =
        planar::update_force_map(model, one.instant, one.contacts, one.wish.links, one.ground,
                                 planar::ContactAcceleration::point, map);
    if (info.regular) one.reachable = reach(one, model, map, random);
  }
  return one;
}

}  // namespace coluber::sample

#pragma once

// Holden, Stavdahl, Gravdahl: Tables I to V. Links are counted from 0, from the tail.

#include <vector>

#include "coluber/planar/force_map.hpp"

#include "sample/snake.hpp"

namespace coluber::sample {

/// Table I: 20 links, the head heavier and shorter.
inline planar::Model table_i(int n = 20) {
  planar::Model model;
  const auto link = [](double m, double J, double l_h, double l_t) {
    return planar::Link{m, J, l_h + l_t, 0.0, 0.01, 0.5 * (l_t - l_h)};
  };
  model.links.assign(static_cast<std::size_t>(n), link(1.0, 0.001, 0.0233, 0.0617));
  model.links.back() = link(2.0, 0.0015, 0.0117, 0.0628);
  model.mu_T = {0.3, 0.3};
  return model;
}

/// Table II, without the two angles that are in it twice.
inline planar::Instant table_ii() {
  planar::Instant instant;
  instant.theta.resize(20);
  instant.theta << 0.8631, 0.8631, 0.4144, -0.2731, -0.8777, -1.1165, -0.8777, -0.2731, 0.4144,
      0.8631, 0.8631, 0.4144, -0.2731, -0.8777, -1.1165, -0.8777, -0.2731, 0.4144, 0.8631, 0.8631;
  instant.theta_dot.resize(20);
  instant.theta_dot << 0.4655, 0.0616, -0.4594, -1.0177, -1.0615, -0.3505, 1.0203, 0.9696, 0.7274,
      0.2561, -0.6099, -1.0676, -1.2700, -0.4941, 1.2480, 1.4646, 1.2580, 0.7426, 0.2983, -0.1065;
  instant.p_dot << 0.1625, 0.0244;
  return instant;
}

/// Table III: contacts on links 3, 6, 10, 14, 18.
inline std::vector<planar::LinkContact> table_iii() {
  return {{2, 0.0, -1, 0.3},
          {5, 0.0, 1, 0.3},
          {9, 0.0, -1, 0.3},
          {13, 0.0, 1, 0.3},
          {17, 0.0, -1, 0.3}};
}

/// Table IV: links whose angles are controlled.
inline std::vector<int> table_iv() { return {0, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18}; }

/// The ground friction that comes nearest to Table V: Coulomb's along each link's velocity, and a
/// torque against its rate.
inline planar::GroundLoad table_v_friction(const planar::ForceMapModel& model,
                                           const planar::Instant& instant) {
  planar::Columns v;
  planar::compute_link_velocities(model, instant, v);
  planar::GroundLoad ground;
  ground.set_zero(model.n());
  for (int i = 0; i < model.n(); ++i) {
    ground.f_r.col(i) = -0.3 * 9.81 * model.m(i) * v.col(i).normalized();
  }
  ground.tau_r = -0.1 * 9.81 * model.m.cwiseProduct(instant.theta_dot);
  return ground;
}

/// Table V, without the value that is in it twice (N m).
inline planar::VectorXd table_v_torques() {
  planar::VectorXd u(19);
  u << 1.029, 3.217, 3.939, 1.014, -2.644, -4.500, -1.728, 1.192, 3.131, 3.776, 2.408, 0.228,
      -2.836, -4.117, -1.922, 0.300, 1.898, 2.191, 1.250;
  return u;
}

/// Table V: contact forces (N).
inline planar::VectorXd table_v_forces() {
  planar::VectorXd f_C(5);
  f_C << -25.450, 50.577, -18.634, 27.276, -11.920;
  return f_C;
}

}  // namespace coluber::sample

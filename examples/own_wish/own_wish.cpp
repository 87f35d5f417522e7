// A wish of your own: how hard can a snake between three pegs accelerate ahead? Bisection on the
// wish, with the force map telling whether torques within their limits can meet it.
#include <cmath>
#include <cstdio>

#include "coluber/control/force_mapping.hpp"
#include "coluber/core/error.hpp"

int main() try {
  using namespace coluber;
  constexpr int n = 12;
  planar::Model robot;  // mass, inertia, length, core, radius, centre of gravity off the middle
  robot.links.assign(n, {0.5, 4e-4, 0.1, 0.04, 0.01, 0.0});
  robot.mu_T = {0.2, 0.2};  // on the ground

  planar::Instant instant;  // a wave that slides ahead at 0.1 m/s
  instant.theta.resize(n);
  for (int i = 0; i < n; ++i) instant.theta(i) = 0.7 * std::cos(2.0 * 3.14159265 * i / 9.0);
  instant.theta_dot.setZero(n);
  instant.p_dot << 0.1, 0.0;
  const std::vector<planar::LinkContact> pegs{
      {2, 0.0, -1, 0.1}, {6, 0.0, 1, 0.1}, {10, 0.0, -1, 0.1}};

  control::ForceMapping mapping(robot.links, {.u_max = 2.0});
  planar::project_velocities(mapping.model(), pegs, planar::ContactAcceleration::point, instant);
  planar::Columns v;
  planar::GroundLoad ground;
  planar::compute_link_velocities(mapping.model(), instant, v);
  planar::compute_ground_load(robot, instant, v, ground);

  control::Wish wish;  // ahead, and the rear link as it is
  wish.links = {0};
  wish.angular.setZero(1);
  double low = 0.0;
  double high = 100.0;  // m/s²
  while (high - low > 1e-3) {
    wish.centre << 0.5 * (low + high), 0.0;
    const bool met =
        mapping.solve(instant, pegs, wish, ground, true).status == control::MapStatus::optimal;
    (met ? low : high) = wish.centre.x();
  }
  wish.centre.x() = low;
  const control::MapResult& result = mapping.solve(instant, pegs, wish, ground);
  std::printf("up to %.2f m/s² ahead; pegs press with", low);
  for (const double force : result.f_C) std::printf(" %.1f", std::abs(force));
  std::printf(" N, %zu joints at their limit\n", result.active.size());
  return 0;
} catch (const coluber::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}

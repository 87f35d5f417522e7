#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "coluber/nonsmooth/solver.hpp"
#include "coluber/scenario/scenario.hpp"

// What the scenarios of both snakes ask of a step, and what they are warned of.

namespace coluber::simulation {

/// Options of a model's step as `[solver]` has them.
template <typename Options>
Options make_step_options(const scenario::Scenario& scenario) {
  const scenario::Solver& solver = scenario.solver;
  Options options;
  options.dt = solver.dt;
  options.solver = solver.name == "thesis"         ? nonsmooth::Solver::thesis
                   : solver.name == "gauss_seidel" ? nonsmooth::Solver::gauss_seidel
                                                   : nonsmooth::Solver::newton;
  options.law = solver.law == "rigid" ? nonsmooth::Law::rigid : nonsmooth::Law::anchored;
  options.activation = solver.landing ? nonsmooth::Activation::landing : nonsmooth::Activation::gap;
  options.newton.tolerance = solver.tolerance;
  // The residual is weak along the slippery axis of a slender ellipse (docs/numerics.md).
  const Eigen::Vector2d& mu = scenario.world.friction;
  if (mu.maxCoeff() > 10.0 * mu.minCoeff()) {
    options.newton.tolerance = std::min(options.newton.tolerance, 1e-12);
  }
  options.gauss_seidel.tolerance = options.newton.tolerance;
  options.thesis = {.r_N = solver.thesis.r_N,
                    .r_T = solver.thesis.r_T,
                    .r_V = solver.thesis.r_V,
                    .r_H = solver.thesis.r_H,
                    .epsilon = solver.thesis.epsilon,
                    .max_iterations = solver.thesis.max_iterations};
  return options;
}

/// Very many links: what rounding makes of them.
inline void warn_of_many_links(const scenario::Scenario& scenario,
                               std::vector<std::string>& warnings) {
  constexpr int kManyLinks = 5000;  // residual 4e-7 by rounding alone; 2e-6 at 10000
  const auto links = static_cast<int>(scenario.robot.link.size());
  if (links <= kManyLinks) return;
  warnings.push_back(fmt::format(
      "robot.links = {}: beyond {} links rounding shows, by the square of their number; above "
      "some 20000 steps fail to converge",
      links, kManyLinks));
}

/// Limit on dt (s) of a controller that holds its torques over a step: `limit(kp, kd)` with the
/// gains of each joint, the least of them.
template <typename Limit>
double explicit_limit(const scenario::Scenario& scenario, Limit&& limit) {
  const control::Gains& kp = scenario.controller.kp;
  const control::Gains& kd = scenario.controller.kd;
  if (kp.is_uniform() && kd.is_uniform()) return limit(kp(0), kd(0));
  double least = std::numeric_limits<double>::infinity();
  for (int j = 0; j < scenario.robot.angles(); ++j) least = std::min(least, limit(kp(j), kd(j)));
  return least;
}

/// Gains as a warning names them.
inline std::string describe(const control::Gains& gains) {
  return gains.is_uniform() ? fmt::format("{}", gains(0)) : "those given";
}

/// A linearising controller whose errors would swing for long, as with gains meant for servos.
inline void warn_of_weak_damping(const scenario::Scenario& scenario,
                                 std::vector<std::string>& warnings) {
  constexpr double weak = 0.3;  // damping ratio: an error swings back by more than a third
  double least = std::numeric_limits<double>::infinity();
  for (int j = 0; j < scenario.robot.angles(); ++j) {
    const double kp = scenario.controller.kp(j);
    if (kp > 0.0) least = std::min(least, scenario.controller.kd(j) / (2.0 * std::sqrt(kp)));
  }
  if (least >= weak) return;
  warnings.push_back(fmt::format(
      "controller.kp, kd: with \"input_output_linearisation\" they are in 1/s² and 1/s, and leave "
      "errors e'' + kd e' + kp e = 0, here with a damping ratio of only {:.2g}; the defaults are "
      "4e5 and 2400",
      least));
}

/// An explicit servo whose step is not below `limit` (s).
inline void warn_of_explicit_servo(const scenario::Scenario& scenario, double limit,
                                   std::vector<std::string>& warnings) {
  if (scenario.solver.dt < limit) return;
  warnings.push_back(fmt::format(
      "controller.servo = \"explicit\": this chain is stable for dt below {:.3g} s with kp = {}, "
      "kd = {}; solver.dt is {:.3g} s, expect it to run away; use servo = \"implicit\" or a "
      "smaller dt",
      limit, describe(scenario.controller.kp), describe(scenario.controller.kd),
      scenario.solver.dt));
}

}  // namespace coluber::simulation

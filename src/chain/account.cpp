#include "coluber/chain/account.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace coluber::chain {
namespace {

/// Weight of the lightest link over one step: the scale of every residual.
constexpr const char* kResidualUnit = "m g dt";

}  // namespace

std::vector<StepFigure> contact_figures(bool rigid) {
  std::vector<StepFigure> figures{
      {.name = "residual",
       .unit = kResidualUnit,
       .largest_as = "residual_max",
       .in_message = "residual {:.3g}"},
      {.name = "residual_law", .unit = kResidualUnit, .largest_as = "residual_law_max"},
      {.name = "residual_momentum", .unit = kResidualUnit, .largest_as = "residual_momentum_max"},
      {.name = "rigid_residual", .unit = kResidualUnit, .largest_as = "rigid_residual_max"},
      {.name = "audited_residual", .unit = kResidualUnit, .largest_as = "residual_audit_max"},
      {.name = "iterations", .in_message = " after {:.0f} iterations"},
      {.name = "fallback_sweeps", .sum_as = "fallback_sweeps", .positive_as = "fallback_steps"},
  };
  if (rigid) {  // the only law with proximal passes
    figures.push_back({.name = "fallback_passes", .sum_as = "fallback_passes"});
    figures.push_back(
        {.name = "fallback_gap", .unit = kResidualUnit, .largest_as = "fallback_gap_max"});
  }
  return figures;
}

std::vector<std::string> warn_of_passing(std::int64_t steps, double t, int link, int obstacle) {
  if (steps == 0) return {};
  return {fmt::format(
      "link {} went through obstacle {}, or halfway into it, in the step to t = {:.6g} s{}: it "
      "moved "
      "too far within a step to be held; take a smaller solver.dt",
      link, obstacle, t, steps > 1 ? fmt::format(", the first of {} such steps", steps) : "")};
}

std::vector<std::string> warn_of_overlap(double depth, double radius) {
  constexpr double share = 0.1;
  if (!(depth > share * radius)) return {};
  return {fmt::format(
      "links were up to {:.3g} mm deep in obstacles, and the thinnest is {:.3g} mm thick: "
      "prescribed joints pressed them in, or solver.dt is too large",
      1e3 * depth, 2e3 * radius)};
}

// At most 0.5 % in the runs that come with Coluber.
std::vector<std::string> warn_of_scheme(const StepWork& work) {
  constexpr double share = 0.05;
  const double done = std::max({std::abs(work.servo), std::abs(work.gravity),
                                std::abs(work.friction) + std::abs(work.contact)});
  if (!(std::abs(work.scheme) > share * done) || !(done > 1e-9)) return {};
  return {
      fmt::format("the time discretisation {} {:.3g} J (work_scheme), {:.0f} % of the work done: "
                  "figures of this run depend on solver.dt; take a smaller one",
                  work.scheme < 0.0 ? "took" : "added", std::abs(work.scheme),
                  100.0 * std::abs(work.scheme) / done)};
}

}  // namespace coluber::chain

#include "coluber/chain/account.hpp"

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
      "link {} went through obstacle {} in the step to t = {:.6g} s{}: it moved too "
      "far within a step to be held; take a smaller solver.dt",
      link, obstacle, t, steps > 1 ? fmt::format(", the first of {} such steps", steps) : "")};
}

std::vector<std::string> warn_of_overlap(double depth, double radius) {
  constexpr double share = 0.1;
  if (!(depth > share * radius)) return {};
  return {
      fmt::format("links were up to {:.3g} mm deep in obstacles, and are {:.3g} mm thick: "
                  "something pressed them "
                  "in that no contact holds (joints that are prescribed between obstacles, a start "
                  "among them), "
                  "or solver.dt is too large",
                  1e3 * depth, 2e3 * radius)};
}

}  // namespace coluber::chain

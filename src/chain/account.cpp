#include "coluber/chain/account.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nonsmooth/constants.hpp"

namespace coluber::chain {
namespace {

/// Weight of the lightest link over one step: the scale of every residual.
constexpr const char* kResidualUnit = "m g dt";

/// A spike that a motor of this limit (N m) would show.
bool is_felt_spike(const TorquePeak& peak, double limit) {
  constexpr double felt = 1e-3;  // N m
  return peak.is_spike() && peak.torque > felt && peak.torque < limit * (1.0 - 1e-9);
}

std::string describe_spike(const TorquePeak& peak, const char* figure, const std::string& whose,
                           const std::string& why) {
  const std::string steps = peak.rise == 1 ? "one step" : fmt::format("{} steps", peak.rise);
  const std::string earlier =
      peak.rise == 1 ? "in the step before" : fmt::format("{} steps before", peak.rise);
  return fmt::format("{} = {:.4g} N m, of {} at t = {:.6g} s, is a spike of {} ({:.3g} N m {}): {}",
                     figure, peak.torque, whose, peak.time, steps,
                     peak.before + 0.0,  // without the sign of a zero
                     earlier, why);
}

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
      {.name = "friction_share"},  // solver "thesis" alone
  };
  if (rigid) {  // the only law with proximal passes
    figures.push_back({.name = "fallback_passes", .sum_as = "fallback_passes"});
    figures.push_back(
        {.name = "fallback_gap", .unit = kResidualUnit, .largest_as = "fallback_gap_max"});
  }
  return figures;
}

std::vector<std::string> warn_of_passing(std::int64_t steps, double t, int link, int obstacle,
                                         bool prescribed) {
  if (steps == 0) return {};
  return {fmt::format(
      "link {} went through obstacle {}, or halfway into it, in the step to t = {:.6g} s{}: {}",
      link, obstacle, t, steps > 1 ? fmt::format(", the first of {} such steps", steps) : "",
      prescribed ? "prescribed joints pressed it through, or it moved too far within a step to be "
                   "held; a motor gives way with controller.name = \"pd\", and a smaller solver.dt "
                   "helps against the latter"
                 : "it moved too far within a step to be held; take a smaller solver.dt")};
}

std::vector<std::string> warn_of_overlap(const Depths& depths, double radius, bool prescribed,
                                         bool thesis) {
  constexpr double share = 0.1;
  std::vector<std::string> texts;
  const auto warn = [&](double depth, const char* what, const char* factor) {
    if (!(depth > share * radius)) return;
    texts.push_back(fmt::format(
        "links were up to {:.3g} mm deep in {}, and the thinnest is {:.3g} mm thick: {}{}",
        1e3 * depth, what, 2e3 * radius,
        prescribed ? "prescribed joints pressed them in, or solver.dt is too large"
                   : "solver.dt is too large",
        thesis
            ? fmt::format(", or {} too small for solver.name = \"thesis\" to push them out", factor)
            : ""));
  };
  warn(depths.obstacles, "obstacles", "solver.thesis.r_H");
  warn(depths.floor, "the floor", "solver.thesis.r_N");
  return texts;
}

// Random scenes of the tests have friction coefficients up to 1.2 (docs/stress.md).
constexpr double kTestedFriction = 1.2;

std::string advise(const nonsmooth::ContactStepInfo& info, double mu, const Gains& gains, double dt,
                   double torque) {
  // A motor's impulse is a difference of two products that are this large, and rounded.
  const double damping = std::max(gains.k_D, 0.5 * dt * gains.k_P);
  const double rounding = 4.0 * nonsmooth::kRoundoff * damping * gains.rate / torque;
  constexpr double felt = 0.2;  // of the residual
  if (info.residual_momentum > info.residual_law && rounding > felt * info.residual_momentum) {
    const bool by_damping = gains.k_D >= 0.5 * dt * gains.k_P;
    const double gain = by_damping ? gains.k_D : gains.k_P;
    const double share = std::min(1.0, nonsmooth::kLostDigits / info.residual_momentum);
    const double most = 0.5 * share * gain;
    const double digit = std::pow(10.0, std::floor(std::log10(most)));
    return fmt::format(
        "; rounding of the torques alone makes that much: {} = {:.3g} is too large for double "
        "precision with this robot, up to about {:.1g} it can be balanced; controller.name = "
        "\"prescribed\" holds joints exactly",
        by_damping ? "controller.kd" : "controller.kp", gain, digit * std::floor(most / digit));
  }
  if (mu > kTestedFriction) {
    return fmt::format("; friction of {:.4g} is beyond what the solvers were tested with, {}", mu,
                       kTestedFriction);
  }
  return "";
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

std::vector<std::string> warn_of_spike(const TorquePeak& peak, int angles_per_joint, double limit,
                                       const std::string& cause) {
  if (!is_felt_spike(peak, limit)) return {};
  return {describe_spike(
      peak, "max_torque", fmt::format("joint {}", peak.angle / angles_per_joint + 1),
      cause.empty() ? "it depends on solver.dt, as at landings and jumps of a reference, "
                      "and so does its share of work_positive"
                    : cause)};
}

std::vector<std::string> warn_of_shaft_spike(const TorquePeak& peak, double limit) {
  if (!is_felt_spike(peak, limit)) return {};
  return {describe_spike(peak, "max_wheel_torque", fmt::format("link {}", peak.angle + 1),
                         "it depends on solver.dt, as where wheels start from rest; "
                         "controller.wheel_torque_limit cuts it off")};
}

}  // namespace coluber::chain

#include "simulation/explain.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/world/keys.hpp"

#include "math/degree.hpp"

namespace coluber::simulation {

namespace {

/// What was said at load about this key, for a failure that may come of it.
std::string said_at_load(const Simulation& simulation, std::string_view key) {
  const auto found = std::ranges::find(simulation.warnings, key, &drive::Warning::key);
  return found == simulation.warnings.end() ? std::string() : " (" + found->text + ")";
}

/// The figures of a step that its system wants told.
std::string figures_of(const System& system, const StepInfo& info) {
  std::string text;
  const std::vector<StepFigure>& figures = system.figures();
  for (std::size_t i = 0; i < figures.size() && i < info.figures.size(); ++i) {
    if (figures[i].in_message.empty()) continue;
    text += fmt::format(fmt::runtime(figures[i].in_message), info.figures[i]);
  }
  return text;
}

/// Of no steps: zeros.
RunOutcome::StepMean find_mean(const std::vector<RunOutcome::StepMean>& figures,
                               std::string_view name) {
  const auto found = std::ranges::find(figures, name, &RunOutcome::StepMean::name);
  return found == figures.end() ? RunOutcome::StepMean{} : *found;
}

}  // namespace

std::string explain_runaway(const Simulation& simulation, int joint, double limit, double time,
                            double t) {
  const control::RunawayWords words = simulation.controller->runaway_words();
  std::string text = fmt::format(
      "runaway at t = {:.6g} s: joint {} and others moved faster than {:.4g} rad/s for {} s; ", t,
      joint, limit, time);
  const std::string said = said_at_load(simulation, "controller.servo");
  if (said.empty() && words.noisy) {
    return text + "solver.dt is within what the gains allow: what is measured is mostly noise";
  }
  return text +
         fmt::format("the explicit {} is unstable at dt = {} s{}; take a smaller solver.dt or {}",
                     words.what, simulation.system->dt(), said, words.remedy);
}

std::string explain_jump(const Simulation& simulation, int joint, double phi, double phi_d,
                         double t) {
  if (!said_at_load(simulation, "gait.soft_start").empty() && t == 0.0) return "";
  const bool late = t > 0.0;
  const auto* start = simulation.scenario.find<chain::PathStart>();
  const bool on_path = start != nullptr && start->on_path.value_or(false);
  return fmt::format(
      "the motors start at t = {:.6g} s with joint {} at {:.3g} deg and its reference at {:.3g} "
      "deg: it snaps there{}",
      t, joint, phi / math::degree, phi_d / math::degree,
      late      ? "; the gait's clock runs from t = 0, controller.start_time does not delay it"
      : on_path ? "; on a path it starts straight: start.on_path = false and start.shape = "
                  "\"gait\" start it where its gait does"
                : "; start.shape = \"gait\" starts a robot where its gait does");
}

std::string explain_step(const Simulation& simulation, const StepInfo& info, double t) {
  const std::string_view quantity = info.quantity;
  std::string where;
  if (!quantity.empty()) {
    where = info.index > 0 ? fmt::format(" ({} {})", quantity, info.index)
                           : fmt::format(" ({})", quantity);
  }
  std::string said = said_at_load(simulation, "solver.thesis.r_T");
  said += said_at_load(simulation, "controller.servo");
  if (info.status == Status::non_finite) {
    return fmt::format("a value is not finite after the step to t = {:.6g} s{}{}", t, where, said);
  }
  const System& system = *simulation.system;
  if (info.status == Status::not_taken) {
    return fmt::format("the step to t = {:.6g} s could not be taken: {}{}{}", t,
                       figures_of(system, info), where, system.advice(info));
  }
  return fmt::format("the step to t = {:.6g} s did not converge: {}{}{}{}{}", t,
                     figures_of(system, info), where, said, said_at_load(simulation, "robot.links"),
                     system.advice(info));
}

std::vector<std::string> warn_of_torque(const Simulation& simulation,
                                        const std::vector<SummaryItem>& summary) {
  const auto* robot = dynamic_cast<const Linked*>(simulation.system.get());
  if (robot == nullptr) return {};
  const auto find = [&](std::string_view name) {
    const auto item = std::ranges::find(summary, name, &SummaryItem::name);
    return item == summary.end() ? 0.0 : item->number();
  };
  const auto* ground = simulation.scenario.find<world::GroundKeys>();
  const double g = ground != nullptr && ground->gravity > 0.0 ? ground->gravity : 9.81;
  double weight = 0.0;
  double length = 0.0;
  for (int i = 0; i < robot->link_count(); ++i) {
    weight += robot->link_mass(i) * g;
    length += robot->link_length(i);
  }
  std::vector<std::string> texts;
  const auto judge = [&](const char* whose, const std::string& figure, const char* remedy) {
    const double torque = find(figure);
    if (!(torque > weight * length)) return;
    texts.push_back(fmt::format(
        "{} torques of up to {:.4g} N m, at t = {:.4g} s: more than holds the whole robot out at "
        "the end of an arm of its own length ({:.3g} N m); no motor of its size has that, {}",
        whose, torque, find(figure + "_time"), weight * length, remedy));
  };
  judge("joint", "max_torque",
        simulation.controller != nullptr && simulation.controller->prescribes()
            ? "and prescribed joints take whatever they need"
            : "controller.torque_limit cuts it off");
  judge("wheel", "max_wheel_torque", "controller.wheel_torque_limit cuts it off");
  return texts;
}

// The claims have at most 0.064, 0.26 and 0.86 with the thesis' own factors. Runs beyond were off
// by 3 % of their path and up to seven times of it (docs/numerics.md).
std::string warn_of_unsolved(const Simulation& simulation,
                             const std::vector<RunOutcome::StepMean>& figures) {
  constexpr double share = 0.1;
  constexpr double often = 0.5;
  constexpr double far = 5.0;
  const auto* solver = simulation.scenario.find<nonsmooth::SolverKeys>();
  if (solver == nullptr || solver->name != nonsmooth::Solver::thesis) return "";
  const RunOutcome::StepMean own = find_mean(figures, "residual");
  const double friction = find_mean(figures, "friction_share").mean;
  if (!(friction > share || own.mean > often || own.largest > far)) return "";
  return fmt::format(
      "steps were left unsolved: friction is off by {:.0f} % of what it can be on average, the "
      "residual is {:.2g} on average and {:.2g} at most, where 1 is the weight of the lightest "
      "link over one step; solver.name = \"thesis\" stops once impulses hardly change: take larger "
      "solver.thesis.r_T, r_N, r_H, a smaller solver.thesis.epsilon, or solver.name = \"newton\"",
      100.0 * friction, own.mean, own.largest);
}

// Beyond the solver's own residual, which the thesis' iteration has much of. Runs by the anchored
// and by the rigid law were a hundredth of their path apart where steps were off by 0.02 on average
// (docs/numerics.md). A single step of 1 is a landing.
std::string warn_of_rigid_residual(const std::vector<RunOutcome::StepMean>& figures) {
  constexpr double often = 0.01;
  constexpr double far = 10.0;
  const auto rigid = find_mean(figures, "rigid_residual");
  const auto own = find_mean(figures, "residual");
  if (!(rigid.mean - own.mean > often || rigid.largest - own.largest > far)) return "";
  return fmt::format(
      "rigid_residual is {:.2g} on average and {:.2g} at most, where 1 is the weight of the "
      "lightest link over one step: by so much the contacts miss the set-valued law as it stands; "
      "see with solver.law = \"rigid\" whether the motion depends on it",
      rigid.mean, rigid.largest);
}

}  // namespace coluber::simulation

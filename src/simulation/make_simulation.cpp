#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/core/error.hpp"
#include "coluber/drive/adaptive.hpp"
#include "coluber/drive/feedback.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/drive/placed.hpp"
#include "coluber/drive/shape.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/gait/gait.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/gait/keys.hpp"
#include "coluber/simulation/registry.hpp"
#include "coluber/simulation/simulation.hpp"

#include "gait/too_fast.hpp"
#include "keys/limits.hpp"
#include "math/degree.hpp"
#include "simulation/explain.hpp"

namespace coluber::simulation {

namespace {

template <typename Entry>
const Entry& find(const std::vector<Entry>& entries, const scenario::Scenario& scenario,
                  const char* key, const std::string& name) {
  std::string known;
  for (const Entry& entry : entries) {
    if (entry.keys.name == name) return entry;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", entry.keys.name);
  }
  throw InputError(Diagnostic{scenario::locate(scenario, key), key,
                              fmt::format("there is no \"{}\"", name), "known: " + known});
}

drive::Build make_build(const scenario::Scenario& scenario, std::vector<drive::Warning>& warnings) {
  return {.options = scenario.options,
          .model = scenario.model,
          .controller = scenario.controller,
          .seed = scenario.seed,
          .duration = scenario.duration,
          .locate = [&scenario](std::string_view key) { return scenario::locate(scenario, key); },
          .gait_start = {},
          .gait_shape = {},
          .make_system = {},
          .warnings = warnings};
}

/// What nobody can have meant to record.
void refuse_size(const scenario::Scenario& scenario, const Shown& shown) {
  const double numbers = frame_size(shown.observables()) + 1.0;
  const double frames = scenario.duration * scenario.record.rate_hz + 1.0;
  if (frames * numbers <= keys::limits::values) return;
  throw InputError(Diagnostic{
      scenario::locate(scenario, "record.rate_hz"), "record.rate_hz",
      fmt::format("{:.3g} frames of {:.0f} numbers are {:.3g} GB, the limit is {:.3g} GB", frames,
                  numbers, frames * numbers * 8e-9, keys::limits::values * 8e-9),
      fmt::format("for this robot and duration at most  rate_hz = {:.3g}",
                  keys::limits::values / numbers / scenario.duration)});
}

/// Conditions of [stop] look at links: past_x at the place of the first, stuck_s at how far each
/// has moved, in its own lengths.
void refuse_stop(const scenario::Scenario& scenario, const System& system) {
  const auto& stop = scenario.get<drive::Stop>();
  const bool linked = dynamic_cast<const Linked*>(&system) != nullptr;
  const bool placed = linked || dynamic_cast<const Placed*>(&system) != nullptr;
  std::vector<Diagnostic> faults;
  const auto refuse = [&](const char* key, const char* why) {
    faults.push_back({scenario::locate(scenario, key), key,
                      fmt::format("the model \"{}\" has no links{}", scenario.model, why),
                      "leave it out"});
  };
  if (stop.past_x && !placed) refuse("stop.past_x", "");
  if (stop.stuck_s && !linked) {
    refuse("stop.stuck_s", placed ? " with a length to compare their motion with" : "");
  }
  if (!faults.empty()) throw InputError(std::move(faults));
}

/// A gait as the shape of a robot.
class GaitShape final : public Shape {
 public:
  GaitShape(std::unique_ptr<gait::Gait> references, int size)
      : references_(std::move(references)), size_(size) {}
  [[nodiscard]] int size() const override { return size_; }
  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> r, Eigen::Ref<Eigen::VectorXd> rdot,
                Eigen::Ref<Eigen::VectorXd> rddot) const override {
    references_->evaluate(t, r, rdot);
    references_->evaluate_acceleration(t, rddot);
  }
  [[nodiscard]] double next_break(double t) const override { return references_->next_break(t); }

 private:
  std::unique_ptr<gait::Gait> references_;
  int size_;
};

/// Joints that are where the gait says are there from the start on.
void refuse_other_start(const Simulation& simulation, const drive::Build& build) {
  const auto* joints = dynamic_cast<const JointDriven*>(simulation.system.get());
  if (!simulation.controller->prescribes() || joints == nullptr) return;
  Eigen::VectorXd phi(joints->joint_count());
  Eigen::VectorXd phi_d(phi);
  Eigen::VectorXd rates(phi);
  joints->joint_state(phi, rates);
  simulation.gait->evaluate(simulation.system->time(), phi_d, rates);
  Eigen::Index angle = 0;
  if (phi.size() == 0 || (phi - phi_d).cwiseAbs().maxCoeff(&angle) <= 1e-9) return;
  throw InputError(build.fault(
      "start.shape",
      fmt::format("\"{}\" joints follow the gait from the start on; joint {} starts at {:.4g} deg, "
                  "the gait at {:.4g} deg",
                  simulation.scenario.controller, angle / joints->angles_per_joint() + 1,
                  phi(angle) / math::degree, phi_d(angle) / math::degree),
      "write  shape = \"gait\", or take  name = \"pd\"  in [controller]"));
}

/// A soft start holds references at zero; joints that start in the gait's shape are not there.
void warn_of_soft_start(Simulation& simulation, const drive::Build& build) {
  const auto* wave = build.options.find<gait::HarmonicKeys>();
  const auto* start = build.options.find<chain::Start>();
  const auto* joints = dynamic_cast<const JointDriven*>(simulation.system.get());
  if (wave == nullptr || !wave->soft_start || start == nullptr || !start->as_gait()) return;
  if (joints == nullptr || joints->joint_count() == 0 || simulation.gait == nullptr) return;
  Eigen::VectorXd phi(joints->joint_count());
  Eigen::VectorXd phi_d(phi);
  Eigen::VectorXd rates(phi);
  joints->joint_state(phi, rates);
  simulation.gait->evaluate(simulation.controller->start_time(), phi_d, rates);
  Eigen::Index angle = 0;
  const double jump = (phi - phi_d).cwiseAbs().maxCoeff(&angle);
  if (!(jump > notable_jump)) return;
  simulation.warnings.push_back(
      {"gait.soft_start",
       fmt::format("gait.soft_start: joint {} snaps by {:.3g} deg when the motors start: it starts "
                   "in the gait's shape, and a soft start holds its reference at {:.3g} deg; write "
                   " shape = \"straight\"  in [start]",
                   angle / joints->angles_per_joint() + 1, jump / math::degree,
                   phi_d(angle) / math::degree)});
}

/// References are taken at the ends of steps, except where the model is integrated under them.
bool takes_references_at_steps(const Simulation& simulation) {
  const System* system = simulation.system.get();
  if (const auto* shaped = dynamic_cast<const Adaptive*>(system)) return !shaped->adapts();
  return dynamic_cast<const FeedbackDriven*>(system) == nullptr ||
         simulation.controller == nullptr || !simulation.controller->continuous();
}

/// The controller that the scenario names, connected to its system.
void add_controller_to(Simulation& simulation, const drive::Build& build) {
  const scenario::Scenario& scenario = simulation.scenario;
  const ControllerEntry& entry =
      find(controllers(), scenario, "controller.name", scenario.controller);
  if (!entry.make) return;  // the model itself is it
  simulation.controller = entry.make(build);
  const std::string why = simulation.controller->connect(*simulation.system, simulation.warnings);
  if (why.empty()) {
    refuse_other_start(simulation, build);
    warn_of_soft_start(simulation, build);
    return;
  }
  throw InputError(build.fault("controller.name",
                               fmt::format("\"{}\" {}; the model \"{}\" does not offer that",
                                           entry.keys.name, why, scenario.model),
                               "take another controller, or another model"));
}

}  // namespace

ShownTogether Simulation::shown() const {
  std::vector<Shown*> parts{system.get()};
  if (controller != nullptr) parts.push_back(controller.get());
  if (gait != nullptr) parts.push_back(gait.get());
  return ShownTogether(std::move(parts));
}

// Faults of the gait's table do not keep those of the geometry back, unless the start shape comes
// from the table. The scenario's faults go before the table's, which is another file.
Simulation make_simulation(const scenario::Scenario& given) {
  Simulation simulation;
  simulation.scenario = given;
  simulation.warnings = given.warnings;
  const scenario::Scenario& scenario = simulation.scenario;
  const ModelEntry& model = find(models(), scenario, "robot.model", scenario.model);
  drive::Build build = make_build(scenario, simulation.warnings);
  const int angles =
      model.keys.joint_angles ? model.keys.joint_angles(scenario.options).value_or(0) : 0;

  std::vector<Diagnostic> gait_faults;
  bool start_needs_gait = false;
  if (!scenario.gait.empty()) {
    const GaitEntry& gait = find(gaits(), scenario, "gait.name", scenario.gait);
    try {
      simulation.gait = gait.make(build, angles, true);
    } catch (const InputError& error) {
      gait_faults = error.faults();
    }
    // A soft start holds references back; it does not change the shape.
    const auto make_again = [&](bool soft_start) {
      start_needs_gait = true;
      if (!gait_faults.empty()) throw InputError(gait_faults);
      std::vector<drive::Warning> said_already;
      const drive::Build quiet = make_build(scenario, said_already);
      return gait.make(quiet, angles, soft_start);
    };
    build.gait_shape = [make_again, angles] {
      return std::make_shared<const GaitShape>(make_again(true), angles);
    };
    build.gait_start = [make_again, angles] {
      const auto references = make_again(false);
      drive::StartShape start{Eigen::VectorXd(angles), references->mean_line()};
      Eigen::VectorXd rates(angles);
      references->evaluate(0.0, start.phi, rates);
      return start;
    };
  }
  try {
    simulation.system = model.make(build);
  } catch (const InputError& error) {
    std::vector<Diagnostic> faults = error.faults();
    if (!start_needs_gait) faults.insert(faults.end(), gait_faults.begin(), gait_faults.end());
    throw InputError(std::move(faults));
  }
  if (!gait_faults.empty()) throw InputError(std::move(gait_faults));
  const auto* joints = dynamic_cast<const JointDriven*>(simulation.system.get());
  if (model.keys.takes_gait && simulation.gait == nullptr && joints != nullptr) {
    Eigen::VectorXd phi(joints->joint_count());
    Eigen::VectorXd phidot(joints->joint_count());
    joints->joint_state(phi, phidot);
    simulation.gait = std::make_unique<gait::Held>(std::move(phi));
  }
  if (model.keys.takes_controller) add_controller_to(simulation, build);
  if (!scenario.gait.empty() && takes_references_at_steps(simulation)) {
    gait::warn_of_fast_references(build, *simulation.gait, angles, simulation.system->dt());
  }
  refuse_stop(scenario, *simulation.system);
  refuse_size(scenario, simulation.shown());
  return simulation;
}

StudyJob make_study(const std::string& name, const scenario::Scenario& scenario) {
  for (const StudyEntry& entry : studies()) {
    if (entry.keys.name != name) continue;
    StudyJob job{scenario, nullptr, scenario.warnings};
    drive::Build build = make_build(job.scenario, job.warnings);
    build.make_system = [&job] { return std::move(make_simulation(job.scenario).system); };
    job.study = entry.make(build);
    return job;
  }
  throw Error(fmt::format("there is no study \"{}\"", name));
}

}  // namespace coluber::simulation

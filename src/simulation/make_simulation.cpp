#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/simulation/registry.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {

namespace {

constexpr double degree = 0.017453292519943295;  // rad

template <typename Factory>
Factory find(const std::vector<Entry<Factory>>& entries, const scenario::Scenario& scenario,
             const char* key, const std::string& name) {
  std::string known;
  for (const Entry<Factory>& entry : entries) {
    if (entry.name == name) return entry.make;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", entry.name);
  }
  throw InputError(Diagnostic{scenario::locate(scenario, key), key,
                              fmt::format("there is no \"{}\"", name), "known: " + known});
}

// Joint angles at t = 0. A soft start holds references back; it does not change the shape.
Eigen::VectorXd compute_start_phi(const scenario::Scenario& scenario,
                                  std::vector<std::string>& warnings) {
  const Eigen::Index joints = scenario.robot.angles();
  Eigen::VectorXd phi = Eigen::VectorXd::Zero(joints);
  switch (scenario.start.shape) {
    case scenario::StartShape::straight:
      break;
    case scenario::StartShape::angles:
      if (static_cast<Eigen::Index>(scenario.start.angles_deg.size()) != joints) {
        throw InputError(Diagnostic{scenario::locate(scenario, "start.shape"), "start.shape",
                                    fmt::format("has {} angles, the robot needs {}",
                                                scenario.start.angles_deg.size(), joints),
                                    ""});
      }
      for (Eigen::Index i = 0; i < joints; ++i) {
        phi(i) = scenario.start.angles_deg[static_cast<std::size_t>(i)] * degree;
      }
      break;
    case scenario::StartShape::gait:
      if (scenario.gait.present) {
        const auto make = find(gaits(), scenario, "gait.name", scenario.gait.name);
        Eigen::VectorXd rate(joints);
        make(scenario, false, warnings)->evaluate(0.0, phi, rate);
      }
      break;
  }
  return phi;
}

}  // namespace

// Faults of the gait's table do not keep those of the geometry back, unless the start shape comes
// from the table. The scenario's faults go before the table's, which is another file.
Simulation make_simulation(const scenario::Scenario& scenario) {
  Simulation simulation;
  simulation.scenario = scenario;
  const auto make_model = find(models(), scenario, "robot.model", scenario.robot.model);
  const auto make_controller =
      find(controllers(), scenario, "controller.name", scenario.controller.name);

  std::vector<Diagnostic> gait_faults;
  if (scenario.gait.present) {
    const auto make_gait = find(gaits(), scenario, "gait.name", scenario.gait.name);
    try {
      simulation.gait = make_gait(scenario, true, simulation.warnings);
    } catch (const InputError& error) {
      if (scenario.start.shape == scenario::StartShape::gait) throw;
      gait_faults = error.faults();
    }
  }
  const Eigen::VectorXd start_phi = compute_start_phi(scenario, simulation.warnings);
  if (!scenario.gait.present) simulation.gait = std::make_unique<gait::Held>(start_phi);
  simulation.controller = make_controller(scenario);
  try {
    simulation.system = make_model(scenario, start_phi, simulation.warnings);
  } catch (const InputError& error) {
    std::vector<Diagnostic> faults = error.faults();
    faults.insert(faults.end(), gait_faults.begin(), gait_faults.end());
    throw InputError(std::move(faults));
  }
  if (!gait_faults.empty()) throw InputError(std::move(gait_faults));
  return simulation;
}

}  // namespace coluber::simulation

#include "coluber/simulation/make_minimal.hpp"

#include "coluber/core/error.hpp"
#include "coluber/planar/smooth_system.hpp"
#include "coluber/simulation/make_planar.hpp"

#include "planar_model.hpp"
#include "step_options.hpp"

namespace coluber::simulation {

std::unique_ptr<System> make_minimal(const scenario::Scenario& scenario,
                                     const Eigen::VectorXd& start_phi,
                                     std::vector<std::string>& warnings) {
  if (!scenario.world.smooth_friction) return make_planar(scenario, start_phi, warnings);
  if (!planar::SmoothSystem::is_built()) {
    throw InputError(Diagnostic{scenario::locate(scenario, "world.friction_law"),
                                "world.friction_law",
                                "\"smooth\" needs CVODE, which this build does not have",
                                "install libsundials-dev and build again, or take \"set_valued\""});
  }
  planar::Model model = make_planar_model(scenario);
  const planar::State start = make_planar_state(scenario, model, start_phi);
  warn_of_many_links(scenario, warnings);
  if (scenario.controller.name == "input_output_linearisation") {
    warn_of_weak_damping(scenario, warnings);
  }
  return std::make_unique<planar::SmoothSystem>(
      std::move(model), start,
      planar::SmoothOptions{.dt = scenario.solver.dt,
                            .friction = {.eps_C = scenario.world.friction_smoothing},
                            .rtol = scenario.solver.smooth.rtol,
                            .atol = scenario.solver.smooth.atol});
}

}  // namespace coluber::simulation

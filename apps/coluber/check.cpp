#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/drive/linked.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/world/keys.hpp"

#include "command.hpp"
#include "dump_file.hpp"
#include "scenario_file.hpp"
#include "sweep_file.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

struct CheckOptions {
  std::filesystem::path scenario;
  scenario::Overrides overrides;
};

/// Loads and builds, which finds what takes geometry too. Faults leave as InputError.
int check(const CheckOptions& options) {
  const std::filesystem::path file = find_sweep_file(options.scenario);
  if (sweep::is_sweep_file(file)) return check_sweep(file, options.overrides);
  const scenario::Scenario scenario = load_scenario(options.scenario, options.overrides);
  const simulation::Simulation simulation = simulation::make_simulation(scenario);
  require_dump_file(scenario);
  for (const drive::Warning& warning : simulation.warnings) print_warning(warning.text);
  std::string parts;
  const auto count = [&](std::size_t number, const char* word) {
    parts += fmt::format(", {} {}{}", number, word, number == 1 ? "" : "s");
  };
  if (const auto* robot = dynamic_cast<const Linked*>(simulation.system.get())) {
    count(static_cast<std::size_t>(robot->link_count()), "link");
  }
  if (const auto* world = scenario.find<world::Obstacles>()) {
    count(world->obstacle.size(), "obstacle");
  }
  fmt::print("{}: ok: {}{}, {} s in steps of {} s\n", options.scenario.string(), scenario.model,
             parts, scenario.duration, simulation.system->dt());
  return 0;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check", "validate a scenario or a sweep file, report every fault at once");
  command->add_option("scenario", options->scenario, scenario_help)
      ->required()
      ->check(not_empty("the scenario"))
      ->type_name("SCENARIO");
  command
      ->add_option("--set", options->overrides,
                   "override a key, e.g. --set solver.dt=5e-4; a table is merged; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace coluber::app

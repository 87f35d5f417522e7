#include "coluber/simulation/study.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/registry.hpp"

#include "command.hpp"
#include "interrupt.hpp"
#include "page/replay_page.hpp"
#include "scenario_file.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

namespace fs = std::filesystem;

struct StudyArguments {
  std::string name;
  fs::path scenario;
  fs::path out;  // empty: nothing is written
  scenario::Overrides overrides;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

// The frames and figures as a run folder, with its page. False: interrupted before it was whole.
bool finish_folder(record::RunFolder& out, const scenario::Record& record,
                   const simulation::RunOutcome& outcome, bool quiet) {
  const fs::path folder = out.path();
  if (!out.finish(outcome, give_up_beyond(out.recorded_bytes())).whole) return false;
  const PageEnd page = write_page(folder, record, was_interrupted);
  if (!quiet) {
    say("wrote {}\n", folder.string());
    if (page == PageEnd::written) {
      say("open  {}\n", (folder / "replay.html").string());
    }
  }
  return true;
}

int run_study(const StudyArguments& arguments) {
  record::skip_hdf5_exit_flush();
  catch_signals();
  simulation::StudyJob job = simulation::make_study(
      arguments.name, load_scenario(arguments.scenario, arguments.overrides));
  for (const drive::Warning& warning : job.warnings) print_warning(warning.text);

  std::optional<record::RunFolder> out;
  std::vector<simulation::FrameSink*> sinks;
  if (!arguments.out.empty()) {
    std::vector<std::pair<std::string, std::string>> given{{"study", arguments.name}};
    for (const std::string& text : arguments.overrides) given.emplace_back("set", text);
    try {
      out.emplace(arguments.out, job,
                  record::RunFolderOptions{.force = arguments.force, .options = given});
    } catch (const record::FolderExists& error) {
      print_error(fmt::format("error: {}\n  hint: {}", error.what(), error.hint()));
      return 2;
    }
    sinks.push_back(&*out);
  }
  simulation::RunOutcome outcome;
  bool whole = true;
  try {
    outcome = simulation::run(job, sinks, &interrupted);
    if (out) whole = finish_folder(*out, job.scenario.record, outcome, arguments.quiet);
  } catch (const std::exception& error) {
    if (out) out->abandon(error.what());
    throw;
  }
  if (outcome.status == simulation::RunStatus::interrupted || !whole) {
    print_error(fmt::format("error: {}", whole ? outcome.message : "interrupted"));
    return 130;
  }
  for (std::size_t k = job.warnings.size(); k < outcome.warnings.size(); ++k) {
    print_warning(outcome.warnings[k]);  // the others were printed before
  }
  if (arguments.json) {
    fmt::print("{}\n", job.study->json());
  } else if (!arguments.quiet) {
    fmt::print("{}", job.study->report());
  }
  if (outcome.status == simulation::RunStatus::completed) return 0;
  print_error(fmt::format("error: {}", outcome.message));
  return 1;
}

}  // namespace

void add_studies(CLI::App& app, Action& action) {
  for (const simulation::StudyEntry& entry : simulation::studies()) {
    auto arguments = std::make_shared<StudyArguments>();
    arguments->name = entry.keys.name;
    CLI::App* command = app.add_subcommand(entry.keys.name, entry.keys.doc);
    command->add_option("scenario", arguments->scenario, scenario_help)
        ->required()
        ->check(not_empty("the scenario"))
        ->type_name("SCENARIO");
    command->add_option("--out", arguments->out, "folder of results (default: none is written)")
        ->type_name("DIR")
        ->check(not_empty("the folder"));
    command
        ->add_option(
            "--set", arguments->overrides,
            "override a key, e.g. --set solver.dt=5e-4; a table is merged; may be repeated")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    command->add_flag("--force", arguments->force, "replace the results in a folder that exists");
    CLI::Option* quiet =
        command->add_flag("-q,--quiet", arguments->quiet, "errors and warnings only");
    command->add_flag("--json", arguments->json, "as JSON")->excludes(quiet);
    command->callback(
        [arguments, &action] { action = [arguments] { return run_study(*arguments); }; });
  }
}

}  // namespace coluber::app

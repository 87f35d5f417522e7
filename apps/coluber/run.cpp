#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "command.hpp"
#include "dump_file.hpp"
#include "interrupt.hpp"
#include "page/replay_page.hpp"
#include "profile_table.hpp"
#include "scenario_file.hpp"
#include "summary_table.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct RunArguments {
  fs::path scenario;
  fs::path out;
  scenario::Overrides overrides;
  std::string duration;
  std::string seed;
  bool force = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool resume = false;
  bool profile = false;
};

// run.json itself, so that there is one form to learn; with the folder it is in.
void print_json(const fs::path& folder, const nlohmann::ordered_json& phases) {
  std::ifstream in(folder / "run.json", std::ios::binary);
  Json out{{"out", folder.string()}};
  out.update(Json::parse(in));
  if (!phases.is_null()) out["phases"] = phases;
  fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::vector<std::pair<std::string, std::string>> options_given(const RunArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const std::string& text : arguments.overrides) options.emplace_back("set", text);
  if (!arguments.duration.empty()) options.emplace_back("duration", arguments.duration);
  if (!arguments.seed.empty()) options.emplace_back("seed", arguments.seed);
  return options;
}

fs::path folder_of(const RunArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  const std::string name = scenario_name(arguments.scenario);
  return arguments.resume ? record::last_run_folder("runs", name)
                          : record::next_run_folder("runs", name);
}

void open_folder(const RunArguments& arguments, const simulation::Simulation& simulation,
                 std::optional<record::RunFolder>& out) {
  const record::RunFolderOptions options{
      .force = arguments.force, .resume = arguments.resume, .options = options_given(arguments)};
  const bool numbered = arguments.out.empty() && !arguments.resume;
  for (int attempt = 0;; ++attempt) {
    const fs::path folder = folder_of(arguments);
    try {
      out.emplace(folder, simulation, options);
      return;
    } catch (const FileError&) {
      // another process may have taken the free number in the meantime
      if (!numbered || attempt == 20 || folder_of(arguments) == folder) throw;
    }
  }
}

// A run that has ended stays as it is. A process that was killed at its very end may have left it
// without its page.
int report_ended(const RunArguments& arguments, const scenario::Record& record,
                 const record::RunEnded& ended) {
  if (arguments.json) print_json(folder_of(arguments), nullptr);
  if (!ended.completed()) {
    print_error(fmt::format("error: {}", ended.what()));
    return 1;
  }
  if (!arguments.quiet) say("{}\n", ended.what());
  const fs::path folder = folder_of(arguments);
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder / "replay.html", error))) return 0;
  const PageEnd page = write_page(folder, record, was_interrupted);
  if (page == PageEnd::written && !arguments.quiet) {
    say("wrote {}, which was missing\n", (folder / "replay.html").string());
  }
  return page == PageEnd::given_up ? 130 : 0;
}

// Results of a run before it was resumed are out of date; a table is written again, as the run
// itself writes the others.
void report_removed(const record::RunFolder& out) {
  if (out.removed().empty()) return;
  std::string pictures;
  for (const std::string& name : out.removed()) {
    if (name.starts_with("plots/")) pictures = "; `coluber plot` draws the pictures again";
  }
  say("removed outdated results: {}{}\n", fmt::join(out.removed(), ", "), pictures);
  if (std::ranges::find(out.removed(), "trajectory.csv") != out.removed().end()) {
    say("trajectory.csv will be written again at the end\n");
  }
}

void report_resumed(const simulation::Simulation& simulation, const record::RunFolder& out) {
  for (const std::string& note : out.notes()) say("{}\n", note);
  if (out.resume_from().empty()) {
    if (out.notes().empty()) {
      say("{}: there is no run to resume; it starts at its beginning\n", out.path().string());
    }
    return;
  }
  say("resuming {} after {} frames of about {:.0f}\n", out.path().string(), out.resumed_frames(),
      std::min(simulation.scenario.record.rate_hz, 1.0 / simulation.system->dt()) *
              simulation.scenario.duration +
          1.0);
  report_removed(out);
}

// The run is complete with or without it.
void dump_hardest_problem(const simulation::Simulation& simulation, bool quiet) {
  try {
    const fs::path file = require_dump_file(simulation.scenario);  // as it is now
    if (file.empty()) return;
    const std::string what = simulation.system->dump_hardest_problem(file);
    if (what.empty()) {
      print_warning(fmt::format("solver.dump: no step was taken, there is nothing to write"));
    } else if (!quiet) {
      say("wrote {} ({})\n", file.string(), what);
    }
  } catch (const InputError& error) {
    print_warning(fmt::format("solver.dump: {}", error.faults().front().message));
  } catch (const FileError& error) {
    print_warning(fmt::format("solver.dump: {}", error.what()));
  }
}

// The option whose key --set names too; "" if there is none.
std::string set_twice(const RunArguments& arguments) {
  const auto is_set = [&](std::string_view key) {
    return std::ranges::any_of(arguments.overrides, [&](std::string_view text) {
      text = text.substr(0, text.find('='));
      while (text.ends_with(' ')) text.remove_suffix(1);
      while (text.starts_with(' ')) text.remove_prefix(1);
      return text == key;
    });
  };
  if (!arguments.duration.empty() && is_set("duration")) return "duration";
  if (!arguments.seed.empty() && is_set("seed")) return "seed";
  return "";
}

int run(const RunArguments& arguments) {
  if (const std::string key = set_twice(arguments); !key.empty()) {
    print_error(
        fmt::format("error: --{0} and --set {0}=… are both given\n  hint: leave one out", key));
    return 2;
  }
  record::skip_hdf5_exit_flush();
  scenario::Overrides overrides = arguments.overrides;
  if (!arguments.duration.empty()) overrides.push_back("duration=" + arguments.duration);
  if (!arguments.seed.empty()) overrides.push_back("seed=" + arguments.seed);
  simulation::Simulation simulation =
      simulation::make_simulation(load_scenario(arguments.scenario, overrides));
  require_dump_file(simulation.scenario, folder_of(arguments));
  for (const drive::Warning& warning : simulation.warnings) print_warning(warning.text);
  const std::size_t warned = simulation.warnings.size();

  catch_signals();  // before there is anything to keep, Ctrl-C ends the program by itself
  std::optional<record::RunFolder> out;
  try {
    open_folder(arguments, simulation, out);
  } catch (const record::FolderExists& error) {
    print_error(fmt::format("error: {}\n  hint: {}", error.what(), error.hint()));
    return 2;
  } catch (const record::RunEnded& error) {
    return report_ended(arguments, simulation.scenario.record, error);
  }
  const fs::path folder = out->path();
  if (arguments.resume && !arguments.quiet) report_resumed(simulation, *out);

  ProgressLine progress(!arguments.quiet);
  simulation::RunOptions options;
  options.interrupt = &interrupted;
  std::optional<Profile> profile;
  if (arguments.profile) options.profile = &profile.emplace();
  if (!arguments.quiet && is_terminal()) {
    options.progress = [&](const simulation::Progress& now) { progress.show(now); };
  }
  simulation::RunOutcome outcome;
  record::FinishInfo finished;
  try {
    options.checkpoints = &*out;
    options.resume = out->resume_from();
    simulation::FrameSink* const sinks[] = {&*out};
    outcome = simulation::run(simulation, sinks, options);
    progress.clear();
    finished = out->finish(outcome, give_up_beyond(out->recorded_bytes()));
    lap(options.profile, Phase::recording);
  } catch (const std::exception& error) {
    progress.clear();
    out->abandon(error.what());
    std::error_code gone;
    const bool frames = fs::exists(folder / "frames.bin", gone);
    print_error(fmt::format("error: {}\n  the run in {} {}", error.what(), folder.string(),
                            frames ? "is partial: its frames so far can be read, --resume "
                                     "continues it"
                                   : "cannot be resumed: its frames are gone; --force runs it "
                                     "anew"));
    return 1;
  }

  dump_hardest_problem(simulation, arguments.quiet);
  const PageEnd page = finished.whole
                           ? write_page(folder, simulation.scenario.record, was_interrupted)
                           : PageEnd::none;

  for (std::size_t k = warned; k < outcome.warnings.size(); ++k) print_warning(outcome.warnings[k]);
  if (arguments.json) {
    print_json(folder, profile ? profile_json(profile->shares(), simulation.system->step_count())
                               : nullptr);
  } else if (!arguments.quiet) {
    print_summary(simulation.scenario.title, finished.summary);
    fmt::print("  {:<22} {:016x}\n", "final_state", outcome.final_state);
  }
  if (profile && !arguments.json) print_profile(*profile, simulation.system->step_count());
  if (arguments.verbose) {
    say("loop {:.3f} s\n", outcome.wall_seconds);
    for (const auto& [name, mean, largest] : outcome.step_figures) {
      say("{} per step: mean {:.3g}, largest {:.3g}\n", name, mean, largest);
    }
  }
  if (!finished.whole) {
    say("interrupted before the result files were written; the run in {} is partial: its "
        "frames can be read, --resume continues it\n",
        folder.string());
    return 130;
  }
  switch (outcome.status) {
    case simulation::RunStatus::completed:
      if (!arguments.quiet) {
        if (!outcome.stopped_by.empty()) {
          say("{} ({})\n", outcome.message, outcome.stopped_by);
        }
        say("wrote {}\n", folder.string());
        if (page == PageEnd::written) {
          say("open  {}\n", (folder / "replay.html").string());
        }
      }
      return page == PageEnd::given_up ? 130 : 0;
    case simulation::RunStatus::interrupted:
      say("{}; {} holds the run so far, which is partial; --resume continues it\n", outcome.message,
          folder.string());
      return 130;
    case simulation::RunStatus::failed:
      print_error(
          fmt::format("error: {}\n  {} holds the run so far", outcome.message, folder.string()));
      return 1;
  }
  return 1;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "run a scenario into a folder of results");
  command->add_option("scenario", arguments->scenario, scenario_help)
      ->required()
      ->check(not_empty("the scenario"))
      ->type_name("SCENARIO");
  command->add_option("--out", arguments->out, "folder of results (runs/<scenario>-<k>)")
      ->type_name("DIR")
      ->check(not_empty("the folder"));
  command
      ->add_option("--set", arguments->overrides,
                   "override a key, e.g. --set solver.dt=5e-4; a table is merged; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  const auto is_given = [](const std::string& text) {
    return text.empty() ? std::string("expected a number, got nothing") : std::string();
  };
  command->add_option("--duration", arguments->duration, "simulated time (s)")
      ->type_name("S")
      ->check(is_given);
  command->add_option("--seed", arguments->seed, "seed of the random numbers")
      ->type_name("N")
      ->check(is_given);
  CLI::Option* force =
      command->add_flag("--force", arguments->force, "replace the run in a folder that exists");
  command
      ->add_flag("--resume", arguments->resume,
                 "continue a run that was cut off, in --out or the last runs/<scenario>-<k>")
      ->excludes(force);
  command->add_flag("--json", arguments->json, "print run.json on the standard output");
  command->add_flag("--profile", arguments->profile, "say what the time went into, by phase");
  CLI::Option* quiet =
      command->add_flag("-q,--quiet", arguments->quiet, "errors and warnings only");
  command->add_flag("-v,--verbose", arguments->verbose, "say more")->excludes(quiet);
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace coluber::app

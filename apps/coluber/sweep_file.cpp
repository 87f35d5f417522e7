#include "sweep_file.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"
#include "coluber/record/run_state.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/sweep/folder.hpp"

#include "data_dir.hpp"
#include "interrupt.hpp"
#include "page/replay_page.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace fs = std::filesystem;

fs::path find_sweep_file(const fs::path& named) {
  std::error_code failure;
  if (fs::exists(named, failure) || named.has_parent_path() || data_folder().empty()) return named;
  fs::path name = named;
  if (name.extension() != ".toml") name += ".toml";
  const fs::path file = data_folder() / "sweeps" / name;
  return fs::is_regular_file(file, failure) ? shown_path(file) : named;
}

int check_sweep(const fs::path& file, const scenario::Overrides& overrides) {
  const auto sweep = sweep::Sweep::load(file, {.overrides = overrides});
  std::int64_t refused = 0;
  catch_signals();
  for (std::int64_t k = 1; k <= sweep.size(); ++k) {
    if (was_interrupted()) return 130;
    const auto point = sweep.searched() > 0
                           ? sweep.point(k, std::vector<double>(sweep.searched(), 0.5))
                           : sweep.point(k);
    try {
      static_cast<void>(simulation::make_simulation(sweep.options(point)));
    } catch (const InputError& error) {
      ++refused;
      const Diagnostic& fault = error.faults().front();
      fmt::print("point {}: {}{}{}\n", k, fault.key, fault.key.empty() ? "" : ": ", fault.message);
    }
  }
  std::string columns;
  for (const auto& column : sweep.columns()) columns += (columns.empty() ? "" : ", ") + column.name;
  fmt::print("{}: ok: {} points{}, {} would be refused; {} axes; columns {}\n", file.string(),
             sweep.size(), sweep.searched() > 0 ? " per candidate" : "", refused,
             sweep.axes().size(), columns);
  return 0;
}

int print_points(const sweep::Sweep& sweep) {
  std::string out = "point";
  for (const std::string& column : sweep.axis_columns()) out += "," + column;
  out += ",hash\n";
  constexpr std::size_t block = 1U << 16U;
  for (std::int64_t k = 1; k <= sweep.size(); ++k) {
    const auto point = sweep.point(k);
    fmt::format_to(std::back_inserter(out), "{}", k);
    for (const std::string& cell : sweep.cells(point)) {
      const bool quoted = cell.find_first_of(",\"\n") != std::string::npos;
      out += quoted ? ",\"" : ",";
      for (const char c : cell) out += c == '"' ? "\"\"" : std::string(1, c);
      if (quoted) out += '"';
    }
    fmt::format_to(std::back_inserter(out), ",{:016x}\n", point.hash);
    if (out.size() < block && k < sweep.size()) continue;
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) return 1;
    out.clear();
  }
  return 0;
}

int run_point_into(const fs::path& folder, const sweep::Sweep& sweep, const sweep::Point& point,
                   bool force, bool quiet, std::uint64_t& final_state) {
  record::skip_hdf5_exit_flush();
  simulation::Simulation simulation = simulation::make_simulation(sweep.scenario(point));
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& value : point.values) {
    given.emplace_back("set", fmt::format("{}={}", value.key, sweep::value_text(value.value)));
  }
  record::RunFolder out(folder, simulation, {.force = force, .options = std::move(given)});
  catch_signals();
  simulation::RunOutcome outcome;
  record::FinishInfo finished;
  try {
    simulation::FrameSink* const sinks[] = {&out};
    outcome = simulation::run(simulation, sinks, {.interrupt = &interrupted, .checkpoints = &out});
    finished = out.finish(outcome, give_up_beyond(out.recorded_bytes()));
  } catch (const std::exception& error) {
    out.abandon(error.what());
    throw;
  }
  final_state = outcome.final_state;
  if (!finished.whole || outcome.status == simulation::RunStatus::interrupted) return 130;
  const PageEnd page = write_page(folder, simulation.scenario.record, was_interrupted);
  if (!quiet) {
    say("wrote {}\n", folder.string());
    if (page == PageEnd::written) say("open  {}\n", (folder / "replay.html").string());
  }
  if (outcome.status == simulation::RunStatus::failed) {
    print_error(fmt::format("error: {}", outcome.message));
    return 1;
  }
  return 0;
}

void update_best(const fs::path& folder, const sweep::Sweep& sweep, std::int64_t point,
                 bool quiet) {
  const auto row = sweep::find_row(folder, sweep, point);
  if (!row) return;
  const fs::path best = folder / "best";
  std::error_code failure;
  if (fs::exists(best / "run.json", failure)) {
    std::ifstream in(best / "run.json", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string hash = fmt::format("{:016x}", sweep.scenario(sweep.point(point)).hash);
    if (text.find(row->final_state) != std::string::npos && text.find(hash) != std::string::npos) {
      return;  // it is there
    }
  }
  try {
    std::uint64_t state = 0;
    run_point_into(best, sweep, sweep.point(point), true, quiet, state);
  } catch (const Error& error) {
    print_warning(fmt::format("no run folder of the best point: {}", error.what()));
  }
}

fs::path folder_to_show(const fs::path& named) {
  if (!sweep::is_sweep_folder(named)) return named;
  const fs::path best = named / "best";
  std::error_code failure;
  if (!fs::is_directory(best, failure)) {
    throw FileError(
        fmt::format("{} has no best/: its sweep has no [goal], or is not complete\n"
                    "  hint: coluber sweep FILE --point K --out {}  runs one point",
                    named.string(), named.string()));
  }
  return best;
}

}  // namespace coluber::app

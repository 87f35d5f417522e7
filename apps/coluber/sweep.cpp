#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/resource.h>

#include "coluber/core/error.hpp"
#include "coluber/core/nearest.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/sweep/folder.hpp"

#include "command.hpp"
#include "interrupt.hpp"
#include "scenario_file.hpp"
#include "sweep_file.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct SweepArguments {
  fs::path file;
  fs::path out;
  scenario::Overrides overrides;
  std::string part;
  std::string retry;
  std::optional<std::int64_t> point{};
  int threads = 0;
  bool resume = false;
  bool force = false;
  bool plan = false;
  bool json = false;
  bool quiet = false;
};

/// Wrong usage that only the values show.
class WrongUsage : public Error {
 public:
  WrongUsage(const std::string& what, std::string hint) : Error(what), hint_(std::move(hint)) {}
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

std::optional<int> to_int(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::optional<int> environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : to_int(text);
}

/// Threads that this process may use at a time.
int available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

struct Part {
  int number = 1;
  int count = 1;
};

/// Number and count from a Slurm array, mpirun or srun.
Part find_part() {
  const auto task = environment("SLURM_ARRAY_TASK_ID");
  const auto tasks = environment("SLURM_ARRAY_TASK_COUNT");
  if (task && tasks && *tasks > 1) {
    const int first = environment("SLURM_ARRAY_TASK_MIN").value_or(0);
    const int step = std::max(environment("SLURM_ARRAY_TASK_STEP").value_or(1), 1);
    return {(*task - first) / step + 1, *tasks};
  }
  constexpr std::pair<const char*, const char*> ranks[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const auto& [rank, size] : ranks) {
    const auto number = environment(rank);
    const auto count = environment(size);
    if (number && count) return {*number + 1, *count};
  }
  if (task && tasks) return {1, 1};
  throw WrongUsage("--part auto: this is no task of a Slurm array, of srun or of mpirun",
                   "write  --part 1/4");
}

Part part_of(const std::string& text) {
  if (text.empty()) return {};
  Part part;
  if (text == "auto") {
    part = find_part();
  } else {
    const std::size_t slash = text.find('/');
    const auto number = to_int(std::string_view(text).substr(0, slash));
    const auto count = slash == std::string::npos
                           ? std::nullopt
                           : to_int(std::string_view(text).substr(slash + 1));
    if (!number || !count) {
      throw WrongUsage(fmt::format("--part: expected K/N or auto, got \"{}\"", text),
                       "the second of eight parts is  --part 2/8");
    }
    part = {*number, *count};
  }
  if (part.count < 1 || part.number < 1 || part.number > part.count) {
    throw WrongUsage(fmt::format("--part: there is no part {} of {}", part.number, part.count),
                     "parts are counted from 1:  1/8 … 8/8");
  }
  return part;
}

std::vector<sweep::Status> retried(const std::string& text) {
  std::vector<sweep::Status> all;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    const auto status = sweep::find_status(word);
    if (!status) {
      const std::vector<std::string> words{"completed", "failed", "refused", "crashed", "timeout"};
      const std::string guess = nearest(word, words);
      throw WrongUsage(fmt::format("--retry: there is no status \"{}\"", word),
                       guess.empty() ? fmt::format("one of {}", fmt::join(words, ", "))
                                     : fmt::format("did you mean \"{}\"?", guess));
    }
    all.push_back(*status);
  }
  return all;
}

/// Done of all, rows per second, time left, counts, best so far; rewritten in place.
class SweepLine {
 public:
  SweepLine(const sweep::Sweep& sweep, std::int64_t before, std::int64_t jobs, bool on)
      : sweep_(&sweep), before_(before), jobs_(jobs), on_(on && is_terminal()) {}
  void show(std::int64_t done, const sweep::SweepCounts& counts,
            const std::optional<sweep::BestRow>& best) {
    if (!on_) return;
    const double wall = std::chrono::duration<double>(Clock::now() - begin_).count();
    const double rate = wall > 0.0 ? static_cast<double>(done) / wall : 0.0;
    std::string line =
        fmt::format("{} of {}   {:.3g} rows/s   {} left", before_ + done, before_ + jobs_, rate,
                    rate > 0.0 ? fmt::format("{:.0f} s", static_cast<double>(jobs_ - done) / rate)
                               : std::string("?"));
    for (int k = 0; k < sweep::status_count; ++k) {
      const auto count = counts.rows[static_cast<std::size_t>(k)];
      if (count > 0) {
        line += fmt::format("   {} {}", count, sweep::to_string(static_cast<sweep::Status>(k)));
      }
    }
    if (best && sweep_->goal()) {
      line += fmt::format("   best {} {:.5g} at {}", sweep_->columns()[sweep_->goal()->column].name,
                          best->value, best->point);
    }
    say("\r{:<{}}", line, width_);
    width_ = std::max(width_, line.size());
    std::fflush(stderr);
  }
  void clear() {
    if (width_ > 0) say("\r{:{}}\r", "", width_);
    width_ = 0;
  }

 private:
  const sweep::Sweep* sweep_;
  std::int64_t before_;
  std::int64_t jobs_;
  bool on_;
  std::size_t width_ = 0;
  Clock::time_point begin_ = Clock::now();
};

double process_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string counted(const sweep::SweepCounts& counts) {
  std::string text;
  for (int k = 0; k < sweep::status_count; ++k) {
    const auto count = counts.rows[static_cast<std::size_t>(k)];
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                        sweep::to_string(static_cast<sweep::Status>(k)));
  }
  if (counts.missing > 0) {
    text += fmt::format("{}{} missing", text.empty() ? "" : ", ", counts.missing);
  }
  return text;
}

void print_sweep_json(const fs::path& folder) {
  std::ifstream in(folder / "sweep.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  fmt::print("{}", text);
}

/// `--point`: its run folder, compared with its row where there is one.
int run_one(const SweepArguments& arguments, const sweep::Sweep& sweep, std::int64_t number) {
  if (number < 1 || number > sweep.size()) {
    throw WrongUsage(fmt::format("--point: there are points 1 to {}, not {}", sweep.size(), number),
                     "--plan prints them");
  }
  const std::string name = scenario_name(arguments.file);
  const fs::path rows =
      arguments.out.empty() ? record::last_run_folder("sweeps", name) : arguments.out;
  const bool in_sweep = sweep::is_sweep_folder(rows);
  const std::string run_name = fmt::format("{}-point-{}", name, number);
  const fs::path folder = in_sweep                ? rows / "points" / std::to_string(number)
                          : arguments.out.empty() ? record::next_run_folder("runs", run_name)
                                                  : arguments.out;
  const auto row = in_sweep ? sweep::find_row(rows, sweep, number) : std::nullopt;
  std::uint64_t state = 0;
  int code = 0;
  try {
    code =
        run_point_into(folder, sweep, sweep.point(number), arguments.force, arguments.quiet, state);
  } catch (const record::FolderExists& error) {
    throw WrongUsage(error.what(), error.hint());
  }
  if (code == 130) return code;
  const std::string found = fmt::format("{:016x}", state);
  if (!arguments.quiet) fmt::print("{:<22} {}\n", "final_state", found);
  if (!row) return code;
  if (row->final_state == found) {
    if (!arguments.quiet) say("as its row in {}\n", (rows / "results.csv").string());
    return code;
  }
  print_error(fmt::format("error: the row of point {} has final_state {}", number,
                          row->final_state.empty() ? "none" : row->final_state));
  return 1;
}

fs::path sweep_folder(const SweepArguments& arguments, const Part& part) {
  if (!arguments.out.empty()) return arguments.out;
  const std::string name = scenario_name(arguments.file);
  const bool again = arguments.resume || part.count > 1 || !arguments.retry.empty();
  return again ? record::last_run_folder("sweeps", name) : record::next_run_folder("sweeps", name);
}

int run_all(const SweepArguments& arguments, const sweep::Sweep& sweep) {
  const Part part = part_of(arguments.part);
  sweep::FolderOptions options{.resume = arguments.resume || !arguments.retry.empty(),
                               .force = arguments.force,
                               .part = part.number,
                               .parts = part.count,
                               .retry = retried(arguments.retry)};
  const fs::path path = sweep_folder(arguments, part);
  const int threads = arguments.threads > 0 ? arguments.threads : available_threads();
  sweep::SweepFolder folder(path, sweep, options);
  for (const std::string& note : folder.notes()) say("{}\n", note);
  const auto jobs = static_cast<std::int64_t>(folder.jobs().size());
  if (!arguments.quiet) {
    say("{} points{}, {} to run on {} threads\n", sweep.size(),
        part.count > 1 ? fmt::format(", part {} of {}", part.number, part.count) : "", jobs,
        threads);
  }
  catch_signals();
  SweepLine line(sweep, folder.done_before(), jobs, !arguments.quiet);
  const auto begin = Clock::now();
  const double cpu = process_seconds();
  bool all = false;
  sweep::FolderInfo info;
  try {
    all = sweep::run(folder, sweep,
                     {.threads = threads,
                      .interrupt = &interrupted,
                      .progress = [&](std::int64_t done, const sweep::SweepCounts& counts,
                                      const auto& best) { line.show(done, counts, best); }});
    line.clear();
    const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
    const double used = process_seconds() - cpu;
    // what takes long would keep Ctrl-C waiting
    constexpr std::int64_t quick = 10'000;
    if (all || sweep.size() <= quick) {
      info = folder.finish();
    } else {
      folder.journal().end();
    }
    if (!arguments.quiet && jobs > 0 && all) {
      say("{:.1f} s, {:.4g} rows/s, {:.3g} ms of processor time per point, {:.0f} % of {} "
          "threads\n",
          wall, static_cast<double>(jobs) / wall, 1e3 * used / static_cast<double>(jobs),
          100.0 * used / (wall * threads), threads);
    }
  } catch (const FileError& error) {
    line.clear();
    print_error(
        fmt::format("error: {}\n  rows up to there are kept; --resume continues the sweep in {}",
                    error.what(), path.string()));
    return 1;
  }
  if (!all) {
    say("interrupted; {} keeps the rows so far, --resume continues it\n", path.string());
    return 130;
  }
  const auto& counts = info.counts;
  if (info.best && counts.missing == 0 && sweep.goal()) {
    update_best(path, sweep, info.best->point, true);
    if (was_interrupted()) return 130;
  }
  if (arguments.json) {
    print_sweep_json(path);
  } else if (!arguments.quiet) {
    fmt::print("{} points: {}\n", counts.points, counted(counts));
    if (info.best) {
      fmt::print("best {} = {:.6g} at point {}:", sweep.columns()[sweep.goal()->column].name,
                 info.best->value, info.best->point);
      const auto columns = sweep.axis_columns();
      const auto cells = sweep.cells(sweep.point(info.best->point));
      for (std::size_t k = 0; k < cells.size(); ++k) fmt::print(" {} = {}", columns[k], cells[k]);
      fmt::print("\n");
    }
    if (counts.missing == 0) {
      say("wrote {}\n", (path / "results.csv").string());
    } else {
      say("part {} of {} is done; the last part to end writes results.csv\n", part.number,
          part.count);
    }
  }
  if (part.count > 1) return 0;
  if (counts.missing > 0) return 1;
  if (counts.rows[static_cast<std::size_t>(sweep::Status::completed)] == 0) {
    print_error("error: no point completed; the column reason of results.csv says why");
    return 1;
  }
  return 0;
}

int sweep_command(const SweepArguments& arguments) {
  try {
    const auto sweep =
        sweep::Sweep::load(find_sweep_file(arguments.file), {.overrides = arguments.overrides});
    if (sweep.searched() > 0) {
      throw WrongUsage("this file has axes that an optimiser searches",
                       "give each axis a count, step, values or sample");
    }
    if (arguments.plan) return print_points(sweep);
    if (arguments.point) return run_one(arguments, sweep, *arguments.point);
    return run_all(arguments, sweep);
  } catch (const WrongUsage& error) {
    print_error(fmt::format("error: {}\n  hint: {}", error.what(), error.hint()));
    return 2;
  } catch (const sweep::RefusedFolder& error) {
    print_error(fmt::format("error: {}\n  hint: {}", error.what(), error.hint()));
    return 2;
  }
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App* command = app.add_subcommand("sweep", "run a scenario at many points into one table");
  command->add_option("file", arguments->file, "sweep file, or the name of one of Coluber's")
      ->required()
      ->check(not_empty("the file"))
      ->type_name("FILE");
  command->add_option("--out", arguments->out, "folder of the sweep (sweeps/<file>-<k>)")
      ->type_name("DIR")
      ->check(not_empty("the folder"));
  command
      ->add_option("-j,--threads", arguments->threads,
                   "points at a time (default: all cores); does not change the results")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option("--set", arguments->overrides,
                   "override a key of the base scenario, e.g. --set duration=5; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  CLI::Option* part =
      command
          ->add_option("--part", arguments->part,
                       "only this share of the points, e.g. 2/8; auto: from Slurm or mpirun")
          ->type_name("K/N|auto");
  CLI::Option* force =
      command->add_flag("--force", arguments->force, "replace the sweep in a folder that exists");
  CLI::Option* resume =
      command->add_flag("--resume", arguments->resume, "keep the rows that are there");
  CLI::Option* retry =
      command
          ->add_option("--retry", arguments->retry,
                       "run rows of these statuses again: failed, refused, crashed, timeout")
          ->type_name("STATUS[,…]");
  resume->excludes(force);
  retry->excludes(force);
  part->excludes(force);
  CLI::Option* plan =
      command->add_flag("--plan", arguments->plan, "print the points as CSV and run nothing");
  command->add_option("--point", arguments->point, "run folder of one point, compared with its row")
      ->type_name("K")
      ->excludes(plan);
  command->add_flag("--json", arguments->json, "print sweep.json on the standard output");
  command->add_flag("-q,--quiet", arguments->quiet, "errors and warnings only");
  command->callback(
      [arguments, &action] { action = [arguments] { return sweep_command(*arguments); }; });
}

}  // namespace coluber::app

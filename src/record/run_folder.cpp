#include "coluber/record/run_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "coluber/core/code_path.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"
#include "coluber/record/checkpoint.hpp"

#include "record/csv_writer.hpp"
#include "record/folder_lock.hpp"
#include "record/frame_file.hpp"
#include "record/hdf5_writer.hpp"
#include "record/output_file.hpp"
#include "record/replay_layout.hpp"
#include "record/resume.hpp"

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

// What finish() and the program make from the frames …
constexpr const char* table_name = "trajectory.csv";
constexpr std::array<const char*, 6> derived_files{"trajectory.h5", table_name,    "replay.json",
                                                   "replay.bin",    "replay.html", "replay.png"};
// … and what a run has besides, in the order in which it may go: without run.json nothing is a run.
constexpr std::array<const char*, 4> kept_files{checkpoint_name, old_checkpoint_name, frames_name,
                                                "run.json"};

// Wall times (s). A checkpoint costs some 50 µs; it outlives the process. One that outlives the
// machine has to wait for the disk, which may take a tenth of a second.
constexpr double checkpoint_interval = 0.1;
constexpr double sync_interval = 1.0;
constexpr double sync_share = 50.0;  // times what the last wait took: it costs a fiftieth at most

// Results reach the disk in parts of this size, so that none of the waits for it is long.
constexpr std::size_t sync_bytes = 64U << 20U;

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

const char* to_name(simulation::RunStatus status) {
  switch (status) {
    case simulation::RunStatus::completed:
      return "completed";
    case simulation::RunStatus::interrupted:
      return "interrupted";
    case simulation::RunStatus::failed:
      return "failed";
  }
  return "failed";
}

// Where relative names in the scenario start from, wherever the reader stands.
std::string folder_of(const fs::path& scenario) {
  std::error_code error;
  const fs::path whole = fs::absolute(scenario, error);
  return error ? std::string() : whole.parent_path().lexically_normal().string();
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw FileError(fmt::format("{}: {}", file.string(), error.message()));
}

// `replay.html.1234.part` is what the process 1234 has not finished. The file's name; empty for
// others, and while that process lives.
std::string_view drafted_by_the_dead(std::string_view name) {
  constexpr std::string_view ending = ".part";
  if (!name.ends_with(ending)) return {};
  name.remove_suffix(ending.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  pid_t process = 0;
  const char* end = name.data() + name.size();
  const auto [stop, fault] = std::from_chars(name.data() + dot + 1, end, process);
  if (fault != std::errc{} || stop != end || process <= 0) return {};
  // whoever had our own number before us is gone
  const bool lives = process != ::getpid() && (::kill(process, 0) == 0 || errno != ESRCH);
  return lives ? std::string_view{} : name.substr(0, dot);
}

// What `run`, `plot` and `export` leave when they are killed while they write. It harms no one
// where it cannot be taken away.
void remove_drafts(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(derived_files, drafted_by_the_dead(name)) != derived_files.end()) {
      found.push_back(entry.path());
    }
  }
  for (const auto& entry : fs::directory_iterator(folder / "plots", error)) {
    const std::string name = entry.path().filename().string();
    const fs::path kind = fs::path(drafted_by_the_dead(name)).extension();
    if (kind == ".svg" || kind == ".png" || kind == ".pdf") found.push_back(entry.path());
  }
  for (const fs::path& file : found) fs::remove(file, error);
}

void remove_derived(const fs::path& folder) {
  for (const char* name : derived_files) {
    remove_file(folder / name);
    remove_file(partial_name(folder / name));
  }
  remove_drafts(folder);
}

// The pictures that `coluber plot` names by itself; others in plots/ are the user's.
constexpr std::array<std::string_view, 9> own_pictures{
    "angles.svg",   "course.svg",   "energy.svg",  "forces.svg",    "path.svg",
    "postures.svg", "residual.svg", "torques.svg", "velocities.svg"};

std::vector<fs::path> own_plots(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "plots", error)) {
    if (std::ranges::find(own_pictures, entry.path().filename().string()) != own_pictures.end()) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

// What a resumed run leaves behind is out of date. Gives back the names of what was there.
std::vector<std::string> remove_outdated(const fs::path& folder) {
  std::vector<std::string> removed;
  std::error_code error;
  for (const char* name : derived_files) {
    if (fs::exists(folder / name, error)) removed.emplace_back(name);
  }
  remove_derived(folder);
  for (const fs::path& picture : own_plots(folder)) {
    removed.push_back("plots/" + picture.filename().string());
    remove_file(picture);
  }
  return removed;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  const auto kind = fs::status(folder, error);
  if (fs::exists(kind)) {
    if (fs::is_directory(kind)) return;
    throw FolderExists(fmt::format("{} exists and is not a folder", folder.string()));
  }
  fs::create_directories(folder, error);
  if (error) {
    throw FileError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
}

// What a process leaves that is killed before it has written run.json.
bool only_leftovers(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path name = entry.path().filename();
    if (name != "run.json.part" && name != frames_name) return false;
  }
  return !error;
}

// Takes away our own files only, pictures of the old run with them.
void clear_folder(const fs::path& folder, const RunFolderOptions& options) {
  std::error_code error;
  const bool empty = fs::is_empty(folder, error);
  if (error) throw FileError(fmt::format("{}: {}", folder.string(), error.message()));
  if (empty) return;
  if (!options.force && !(options.resume && only_leftovers(folder))) {
    throw FolderExists(fmt::format("{} exists and is not empty", folder.string()));
  }
  const bool was_run = fs::exists(folder / "run.json", error);
  remove_derived(folder);
  for (const char* name : kept_files) {
    remove_file(folder / name);
    remove_file(partial_name(folder / name));
  }
  if (was_run) fs::remove_all(folder / "plots", error);
}

// Turns "running" into "failed" in the file as it lies there, which a full disk allows.
void overwrite_status(const fs::path& file) noexcept {
  constexpr std::string_view before = R"("status": "running")";
  constexpr std::string_view after = R"("status": "failed" )";
  static_assert(before.size() == after.size());
  std::array<char, 256> head{};
  std::FILE* stream = std::fopen(file.c_str(), "r+b");
  if (stream == nullptr) return;
  const std::size_t got = std::fread(head.data(), 1, head.size(), stream);
  const std::size_t at = std::string_view(head.data(), got).find(before);
  if (at != std::string_view::npos && std::fseek(stream, static_cast<long>(at), SEEK_SET) == 0) {
    static_cast<void>(std::fwrite(after.data(), 1, after.size(), stream));
  }
  static_cast<void>(std::fclose(stream));
}

}  // namespace

struct RunFolder::Impl {
  fs::path folder;
  FolderLock lock;
  Json run;
  bool csv = false;
  std::optional<ReplayLayout> replay;
  std::optional<FrameWriter> frames;
  std::vector<float> replay_frame;
  std::uint64_t scenario_hash = 0;
  std::string resume_from;
  std::size_t resumed_frames = 0;
  std::vector<std::string> notes;
  std::vector<std::string> removed;
  double dt = 0.0;
  bool run_synced = false;  // run.json of a short run need not wait for the disk
  Clock::time_point begin = Clock::now();
  Clock::time_point last_checkpoint = begin;
  Clock::time_point last_sync = begin;
  std::chrono::duration<double> sync_pause{sync_interval};

  [[nodiscard]] std::string run_text() const {
    return run.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  }

  void close_run(const char* status, const std::string& message) {
    const std::chrono::duration<double> wall = Clock::now() - begin;
    run["status"] = status;
    run["message"] = message;
    run["frames"] = frames ? frames->next() : 0;
    run["wall"]["end"] = utc_now();
    run["wall"]["total_s"] = wall.count();
    OutputFile file(folder / "run.json");
    file.write(run_text());
    file.commit();
    sync_folder(folder);
  }

  void describe(const simulation::Simulation& simulation, const RunFolderOptions& options);
  void resume(const RunToResume& old, const std::string& header, std::size_t values);
  void make_derived(const GiveUp& give_up);
  void add_fingerprints(const GiveUp& give_up);
  bool make_results(const GiveUp& give_up);
};

void RunFolder::Impl::describe(const simulation::Simulation& simulation,
                               const RunFolderOptions& options) {
  const scenario::Scenario& scenario = simulation.scenario;
  run["format"] = "coluber-run";
  run["format_version"] = 1;
  run["status"] = "running";
  run["message"] = "";
  run["stopped_by"] = "";
  run["title"] = scenario.title;
  const BuildInfo& build = build_info();
  run["version"] = build.version;
  run["build"] = {{"revision", build.revision},     {"compiler", build.compiler},
                  {"type", build.build_type},       {"flags", build.flags},
                  {"assertions", build.assertions}, {"code_path", code_path()}};
  const Json resolved = Json::parse(scenario.resolved, nullptr, false);
  run["scenario"] = {{"path", scenario.path.string()},
                     {"folder", folder_of(scenario.path)},
                     {"text", scenario.text},
                     {"hash", fmt::format("{:016x}", scenario.hash)},
                     {"resolved", resolved.is_discarded() ? Json(nullptr) : resolved}};
  run["seed"] = scenario.seed;
  run["options"] = Json::object();
  for (const auto& [name, value] : options.options) run["options"][name].push_back(value);
  run["rate_hz"] = std::min(scenario.record.rate_hz, 1.0 / simulation.system->dt());
  run["frames"] = 0;
  run["warnings"] = simulation.warnings;
  run["summary"] = Json::object();
  run["units"] = Json::object();
  run["wall"] = {{"start", utc_now()}};
  csv = scenario.record.csv;
  run["csv"] = csv;
  dt = simulation.system->dt();
  scenario_hash = scenario.hash;
}

// Opens the frames there are and finds the last checkpoint that they reach.
void RunFolder::Impl::resume(const RunToResume& old, const std::string& header,
                             std::size_t values) {
  const Json wall = old.run.value("wall", Json::object());
  if (wall.is_object() && wall.contains("start")) run["wall"]["start"] = wall["start"];
  if (wall.is_object() && wall.contains("resumed")) run["wall"]["resumed"] = wall["resumed"];
  if (!run["wall"]["resumed"].is_array()) run["wall"]["resumed"] = Json::array();
  run["wall"]["resumed"].push_back(utc_now());

  // a table that was exported, now or before an earlier resume, is written again at the end
  std::error_code error;
  csv = csv || fs::exists(folder / table_name, error) || old.run.value("csv", Json()) == true;
  run["csv"] = csv;

  const fs::path file = folder / frames_name;
  const std::uintmax_t size = fs::file_size(file, error);
  const bool begun = !error && size >= header.size();
  frames.emplace(file, header, values, replay->size(),
                 begun ? FrameWriter::Begin::resumed : FrameWriter::Begin::anew);
  if (const auto found = find_checkpoint(folder, scenario_hash, frames->recorded(), notes)) {
    resume_from = found->state;
    resumed_frames = found->frames;
    frames->go_to(found->frames);
  }
}

RunFolder::RunFolder(fs::path folder, const simulation::Simulation& simulation,
                     const RunFolderOptions& options)
    : impl_(std::make_unique<Impl>()) {
  const scenario::Scenario& scenario = simulation.scenario;
  Impl& impl = *impl_;
  impl.folder = std::move(folder);
  make_folder(impl.folder);
  impl.lock = FolderLock(impl.folder);
  std::optional<RunToResume> old;
  if (options.resume) {
    try {
      old = find_run(impl.folder, scenario);
    } catch (const RunEnded&) {  // perhaps killed while its page was written
      remove_drafts(impl.folder);
      throw;
    }
  }
  if (!old) clear_folder(impl.folder, options);

  impl.describe(simulation, options);
  impl.replay.emplace(*simulation.system, scenario.title, impl.run["rate_hz"].get<double>());
  impl.replay_frame.resize(impl.replay->size());
  const std::vector<Observable>& observables = simulation.system->observables();
  const std::string header = make_frame_header(observables, impl.replay->header());
  const auto values = static_cast<std::size_t>(frame_size(observables));
  if (old) impl.resume(*old, header, values);

  OutputFile run(impl.folder / "run.json");
  run.write(impl.run_text());
  run.commit_unsynced();
  if (old) {
    impl.removed = remove_outdated(impl.folder);  // they tell of the run before it was resumed
  } else {
    impl.frames.emplace(impl.folder / frames_name, header, values, impl.replay->size(),
                        FrameWriter::Begin::anew);
  }
}

RunFolder::~RunFolder() = default;

void RunFolder::frame(const System& system, std::span<const double> values) {
  impl_->replay->fill(system, values, impl_->replay_frame);
  impl_->frames->row(system.time(), values, impl_->replay_frame);
}

bool RunFolder::wants_checkpoint() {
  return Clock::now() - impl_->last_checkpoint >=
         std::chrono::duration<double>(checkpoint_interval);
}

// checkpoint.bin is the last one, checkpoint.old the last that is on the disk, after the frames it
// speaks of: if the machine crashes, one of them is whole.
void RunFolder::checkpoint(std::string_view bytes) {
  Impl& impl = *impl_;
  const std::string sealed =
      to_bytes({program_identity(), impl.scenario_hash, impl.frames->next(), std::string(bytes)});
  const Clock::time_point begin = Clock::now();
  const bool sync = begin - impl.last_sync >= impl.sync_pause;
  if (sync) {
    impl.frames->sync();
    if (!std::exchange(impl.run_synced, true)) sync_file(impl.folder / "run.json");
    OutputFile old(impl.folder / old_checkpoint_name);
    old.write(sealed);
    old.commit();
    sync_folder(impl.folder);
  }
  OutputFile file(impl.folder / checkpoint_name);
  file.write(sealed);
  file.commit_unsynced();
  impl.last_checkpoint = Clock::now();
  if (sync) {
    impl.last_sync = impl.last_checkpoint;
    const std::chrono::duration<double> cost = impl.last_sync - begin;
    impl.sync_pause = std::max(std::chrono::duration<double>(sync_interval), sync_share * cost);
  }
}

std::string_view RunFolder::resume_from() const { return impl_->resume_from; }
std::size_t RunFolder::resumed_frames() const { return impl_->resumed_frames; }
const std::vector<std::string>& RunFolder::notes() const { return impl_->notes; }
const std::vector<std::string>& RunFolder::removed() const { return impl_->removed; }

void RunFolder::Impl::make_derived(const GiveUp& give_up) {
  FrameReader reader(folder / frames_name);
  Hdf5Writer trajectory(folder / "trajectory.h5", reader.layout().observables);
  std::optional<CsvWriter> table;
  if (csv) table.emplace(folder / table_name, reader.layout().observables);
  OutputFile data(folder / "replay.bin");
  FrameRecord frame;
  std::size_t unsynced = 0;
  for (std::size_t k = 0; k < frames->next(); ++k) {
    check_given_up(give_up);
    if (!reader.next(frame)) {
      throw FileError(
          fmt::format("{}: frame {} cannot be read back", (folder / frames_name).string(), k));
    }
    trajectory.row(frame.time, frame.values);
    if (table) table->row(frame.time, frame.values);
    data.write(frame.replay);
    unsynced += reader.layout().record_bytes;
    if (unsynced < sync_bytes) continue;
    unsynced = 0;
    for (const char* name : {"trajectory.h5", "replay.bin", table_name}) {
      if (name != table_name || table) sync_file(partial_name(folder / name));
    }
  }
  trajectory.commit();
  if (table) table->commit();
  data.commit();
  Json replay_header = reader.layout().replay;
  replay_header["frames"] = frames->next();
  OutputFile header(folder / "replay.json");
  header.write(replay_header.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  header.commit();
  sync_folder(folder);
}

// Lets a reader tell a damaged file before opening it.
void RunFolder::Impl::add_fingerprints(const GiveUp& give_up) {
  std::error_code error;
  for (const char* name : derived_files) {
    if (!fs::exists(folder / name, error)) continue;
    const Fingerprint fingerprint = compute_fingerprint(folder / name, give_up);
    run["files"][name] = {{"bytes", fingerprint.bytes},
                          {"hash", fmt::format("{:016x}", fingerprint.hash)}};
  }
}

// False: given up, and nothing is left of them.
bool RunFolder::Impl::make_results(const GiveUp& give_up) {
  try {
    make_derived(give_up);
    add_fingerprints(give_up);
    return true;
  } catch (const GivenUp&) {
    remove_derived(folder);
    run.erase("files");
    return false;
  }
}

FinishInfo RunFolder::finish(const simulation::RunOutcome& outcome, const GiveUp& give_up) {
  Impl& impl = *impl_;
  const Clock::time_point begin = Clock::now();
  const bool interrupted = outcome.status == simulation::RunStatus::interrupted;
  std::error_code error;
  const auto keep = [&] {
    impl.frames->sync();
    if (fs::exists(impl.folder / checkpoint_name, error)) sync_file(impl.folder / checkpoint_name);
  };
  if (interrupted) keep();
  FinishInfo info;
  info.whole = impl.make_results(give_up);
  const bool goes_on = interrupted || !info.whole;
  if (goes_on && !interrupted) keep();
  const std::chrono::duration<double> writing = Clock::now() - begin;

  Json& run = impl.run;
  info.summary = outcome.summary;
  const auto named = [&](const char* name) {
    return std::ranges::find(info.summary, name, &SummaryItem::name);
  };
  const auto factor = named("real_time_factor");
  const auto steps = named("steps");
  if (factor != info.summary.end() && steps != info.summary.end()) {
    const double simulated = steps->value * impl.dt;
    info.summary.insert(factor + 1, {"real_time_factor_total",
                                     simulated / (outcome.wall_seconds + writing.count()), ""});
  }
  run["warnings"] = outcome.warnings;
  for (const SummaryItem& item : info.summary) {
    run["summary"][item.name] = item.value;
    run["units"][item.name] = item.unit;
  }
  // counts read better as integers
  for (const char* name :
       {"steps", "failed_steps", "fallback_steps", "fallback_sweeps", "fallback_passes"}) {
    if (auto found = run["summary"].find(name); found != run["summary"].end()) {
      *found = static_cast<std::int64_t>(found->get<double>());
    }
  }
  run["summary"]["final_state"] = fmt::format("{:016x}", outcome.final_state);
  run["stopped_by"] = outcome.stopped_by;
  run["iterations"] = {{"mean", outcome.iterations_mean}, {"max", outcome.iterations_max}};
  run["wall"]["loop_s"] = outcome.wall_seconds;
  run["wall"]["results_s"] = writing.count();
  if (info.whole) {
    impl.close_run(to_name(outcome.status), outcome.message);
  } else {
    constexpr const char* early = "interrupted before the result files were written";
    impl.close_run(to_name(simulation::RunStatus::interrupted),
                   outcome.message.empty() ? early : fmt::format("{}; {}", outcome.message, early));
  }
  if (!goes_on) remove_resumable(impl.folder);
  return info;
}

void RunFolder::abandon(const std::string& message) noexcept {
  try {
    std::error_code error;
    for (const char* name : derived_files) fs::remove(partial_name(impl_->folder / name), error);
    for (const char* name : {checkpoint_name, old_checkpoint_name}) {
      fs::remove(partial_name(impl_->folder / name), error);
    }
    impl_->close_run("failed", message);
  } catch (const std::exception&) {
    std::error_code error;
    fs::remove(partial_name(impl_->folder / "run.json"), error);
    overwrite_status(impl_->folder / "run.json");
  }
}

const fs::path& RunFolder::path() const { return impl_->folder; }

fs::path next_run_folder(const fs::path& parent, const std::string& name) {
  for (int k = 1;; ++k) {
    fs::path folder = parent / fmt::format("{}-{}", name, k);
    std::error_code error;
    if (!fs::exists(fs::symlink_status(folder, error))) return folder;
  }
}

fs::path last_run_folder(const fs::path& parent, const std::string& name) {
  const std::string prefix = name + '-';
  int last = 1;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string found = entry.path().filename().string();
    if (!found.starts_with(prefix)) continue;
    int k = 0;
    const char* end = found.data() + found.size();
    const auto [stop, fault] = std::from_chars(found.data() + prefix.size(), end, k);
    if (fault == std::errc{} && stop == end) last = std::max(last, k);
  }
  return parent / fmt::format("{}-{}", name, last);
}

}  // namespace coluber::record

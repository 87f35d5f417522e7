#include "coluber/record/run_folder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/code_path.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"
#include "coluber/record/checkpoint.hpp"

#include "record/csv_writer.hpp"
#include "record/folder_files.hpp"
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

std::vector<std::string> texts_of(const std::vector<drive::Warning>& warnings) {
  std::vector<std::string> texts;
  for (const drive::Warning& warning : warnings) texts.push_back(warning.text);
  return texts;
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

// Counts read better as integers; JSON has no infinity and no NaN.
Json to_json(const SummaryItem& item) {
  if (const auto* word = std::get_if<std::string>(&item.value)) return *word;
  const double value = item.number();
  if (!std::isfinite(value)) return nullptr;
  return item.count ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

// Where relative names in the scenario start from, wherever the reader stands.
std::string folder_of(const fs::path& scenario) {
  std::error_code error;
  const fs::path whole = fs::absolute(scenario, error);
  return error ? std::string() : whole.parent_path().lexically_normal().string();
}

// While a run goes on, its run.json has room behind this for the reason of a failure.
constexpr std::string_view no_message = R"("message": "")";
constexpr std::size_t message_room = 400;  // bytes

std::string with_room(std::string text) {
  const std::size_t at = text.find(no_message);
  if (at != std::string::npos) text.insert(at + no_message.size(), message_room, ' ');
  return text;
}

// As JSON, cut to what fits into `room` bytes, quotes and all.
std::string fit_message(std::string message, std::size_t room) {
  const auto text = [&] {
    return Json(message).dump(-1, ' ', true, Json::error_handler_t::replace);
  };
  while (text().size() > room && !message.empty()) message.pop_back();
  return text();
}

// Turns "running" into "failed" in the file as it lies there, and says why: a full disk allows
// that.
void overwrite_status(const fs::path& file, const std::string& message) noexcept {
  constexpr std::string_view before = R"("status": "running")";
  constexpr std::string_view after = R"("status": "failed" )";
  static_assert(before.size() == after.size());
  std::array<char, 2048> head{};
  std::FILE* stream = std::fopen(file.c_str(), "r+b");
  if (stream == nullptr) return;
  const std::size_t got = std::fread(head.data(), 1, head.size(), stream);
  const std::string_view text(head.data(), got);
  const auto put = [&](std::size_t at, std::string_view bytes) {
    if (std::fseek(stream, static_cast<long>(at), SEEK_SET) != 0) return;
    static_cast<void>(std::fwrite(bytes.data(), 1, bytes.size(), stream));
  };
  if (const std::size_t at = text.find(before); at != std::string_view::npos) put(at, after);
  try {
    const std::size_t key = text.find(no_message);
    const std::size_t end = text.find_first_not_of(' ', key + no_message.size());
    if (key != std::string_view::npos && end != std::string_view::npos) {
      constexpr std::size_t quotes = 2;
      const std::size_t from = key + no_message.size() - quotes;
      put(from, fit_message(message, end - from));
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory; the status says it
  }
  static_cast<void>(std::fclose(stream));
}

}  // namespace

/// What a run folder is told of the job whose frames it takes.
struct RunFolder::JobInfo {
  const scenario::Scenario& scenario;
  const Shown& shown;
  double rate_hz;
  double dt;  // s; 0: no steps
  std::vector<std::string> warnings;
};

struct RunFolder::Impl {
  fs::path folder;
  FolderLock lock;
  Json run;
  bool csv = false;
  bool writes_replay = true;
  std::optional<ReplayLayout> replay;
  FrameLayout layout;
  std::string frame_header;
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

  void describe(const JobInfo& job, const RunFolderOptions& options);
  void resume(const RunToResume& old);
  void make_derived(const GiveUp& give_up);
  void add_fingerprints(std::span<const fs::path> files, const GiveUp& give_up);
  bool make_results(const GiveUp& give_up);
};

void RunFolder::Impl::describe(const JobInfo& job, const RunFolderOptions& options) {
  const scenario::Scenario& scenario = job.scenario;
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
  run["rate_hz"] = job.rate_hz;
  run["frames"] = 0;
  run["warnings"] = job.warnings;
  run["summary"] = Json::object();
  run["units"] = Json::object();
  run["wall"] = {{"start", utc_now()}};
  csv = scenario.record.csv;
  run["csv"] = csv;
  writes_replay = scenario.record.replay;
  dt = job.dt;
  scenario_hash = scenario.hash;
}

// Opens the frames there are and finds the last checkpoint that they reach.
void RunFolder::Impl::resume(const RunToResume& old) {
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
  const bool begun = !error && size >= frame_header.size();
  frames.emplace(file, frame_header, layout.values, layout.floats,
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
  const double dt = simulation.system->dt();
  open(std::move(folder),
       {simulation.scenario, simulation.shown(),
        std::min(simulation.scenario.record.rate_hz, 1.0 / dt), dt, texts_of(simulation.warnings)},
       options);
}

RunFolder::RunFolder(fs::path folder, const simulation::StudyJob& job,
                     const RunFolderOptions& options)
    : impl_(std::make_unique<Impl>()) {
  open(std::move(folder),
       {job.scenario, *job.study, job.study->rate_hz(), 0.0, texts_of(job.warnings)}, options);
}

void RunFolder::open(fs::path folder, const JobInfo& job, const RunFolderOptions& options) {
  const scenario::Scenario& scenario = job.scenario;
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
  if (old) {
    require_own(impl.folder, scenario.record.replay);
  } else {
    clear_folder(impl.folder, options, job.dt > 0.0, scenario.record.replay);
  }

  impl.describe(job, options);
  impl.replay.emplace(job.shown, scenario.title, job.rate_hz);
  impl.replay_frame.resize(impl.replay->size());
  impl.layout = make_frame_layout(job.shown.observables(), impl.replay->header());
  impl.frame_header = make_frame_header(impl.layout.observables, impl.layout.replay);
  if (old) impl.resume(*old);

  OutputFile run(impl.folder / "run.json");
  run.write(with_room(impl.run_text()));
  run.commit_unsynced();
  if (old) {
    impl.removed = remove_outdated(impl.folder);  // they tell of the run before it was resumed
  } else {
    impl.frames.emplace(impl.folder / frames_name, impl.frame_header, impl.layout.values,
                        impl.layout.floats, FrameWriter::Begin::anew);
  }
}

RunFolder::~RunFolder() = default;

void RunFolder::frame(double t, const Shown& shown, std::span<const double> values) {
  impl_->replay->fill(t, shown, values, impl_->replay_frame);
  impl_->frames->row(t, values, impl_->replay_frame);
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
std::size_t RunFolder::recorded_bytes() const {
  return impl_->frame_header.size() + impl_->frames->next() * impl_->frames->frame_bytes();
}
const std::vector<std::string>& RunFolder::notes() const { return impl_->notes; }
const std::vector<std::string>& RunFolder::removed() const { return impl_->removed; }

void RunFolder::Impl::make_derived(const GiveUp& give_up) {
  FrameReader reader(folder / frames_name, layout, frame_header);
  std::vector<fs::path> files{folder / "trajectory.h5"};
  Hdf5Writer trajectory(files.front(), layout.observables, frames->next());
  trajectory.add_drawing(layout.replay);
  std::optional<CsvWriter> table;
  if (csv) table.emplace(files.emplace_back(folder / table_name), layout.observables);
  std::optional<OutputFile> data;
  if (writes_replay) data.emplace(files.emplace_back(folder / "replay.bin"));
  FrameRecord frame;
  std::size_t unsynced = 0;
  for (std::size_t k = 0; k < frames->next(); ++k) {
    check_given_up(give_up);
    if (!reader.next(frame)) {
      throw FileError(
          fmt::format("{}: frame {} cannot be read back", (folder / frames_name).string(), k));
    }
    trajectory.row(frame.time, frame.values);
    trajectory.drawing_row(frame.replay);
    if (table) table->row(frame.time, frame.values);
    if (data) data->write(frame.replay);
    unsynced += layout.record_bytes;
    if (unsynced < sync_bytes) continue;
    unsynced = 0;
    for (const fs::path& file : files) sync_file(partial_name(file));
  }
  trajectory.close();
  if (table) table->close();
  if (data) data->close();
  if (writes_replay) {
    layout.replay["frames"] = frames->next();
    OutputFile header(files.emplace_back(folder / "replay.json"));
    header.write(layout.replay.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
    header.close();
  }
  // the disk works while the fingerprints are taken
  for (const fs::path& file : files) begin_sync(partial_name(file));
  add_fingerprints(files, give_up);
  commit_partials(files);
  sync_folder(folder);
}

// Lets a reader tell a damaged file before opening it.
void RunFolder::Impl::add_fingerprints(std::span<const fs::path> files, const GiveUp& give_up) {
  const auto add = [this](const fs::path& file, const Fingerprint& fingerprint) {
    run["files"][file.filename().string()] = {{"bytes", fingerprint.bytes},
                                              {"hash", fmt::format("{:016x}", fingerprint.hash)}};
  };
  for (; files.size() > 1; files = files.subspan(2)) {
    const auto both = compute_fingerprints(partial_name(files[0]), partial_name(files[1]), give_up);
    add(files[0], both[0]);
    add(files[1], both[1]);
  }
  for (const fs::path& file : files) {
    add(file, compute_fingerprint(partial_name(file), give_up));
  }
}

// False: given up, and nothing is left of them.
bool RunFolder::Impl::make_results(const GiveUp& give_up) {
  try {
    make_derived(give_up);
    return true;
  } catch (const GivenUp&) {
    remove_derived(folder);
    run.erase("files");
    return false;
  } catch (const std::exception&) {
    run.erase("files");
    throw;
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
    const double simulated = steps->number() * impl.dt;
    info.summary.insert(factor + 1, {"real_time_factor_total",
                                     simulated / (outcome.wall_seconds + writing.count())});
  }
  run["warnings"] = outcome.warnings;
  for (const SummaryItem& item : info.summary) {
    run["summary"][item.name] = to_json(item);
    run["units"][item.name] = item.unit;
  }
  if (impl.dt > 0.0) run["summary"]["final_state"] = fmt::format("{:016x}", outcome.final_state);
  run["stopped_by"] = outcome.stopped_by;
  for (const auto& [name, mean, largest] : outcome.step_figures) {
    if (name != "iterations") continue;
    run["iterations"] = {{"mean", mean}, {"max", static_cast<std::int64_t>(largest)}};
  }
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
    overwrite_status(impl_->folder / "run.json", message);
  }
}

const fs::path& RunFolder::path() const { return impl_->folder; }

}  // namespace coluber::record

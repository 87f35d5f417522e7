#include "coluber/record/run_folder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"

#include "record/csv_writer.hpp"
#include "record/hdf5_writer.hpp"
#include "record/output_file.hpp"
#include "record/replay_writer.hpp"

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// All that a run leaves in its folder, besides plots/.
constexpr std::array<const char*, 6> result_files{"run.json",    "trajectory.h5", "trajectory.csv",
                                                  "replay.json", "replay.bin",    "replay.html"};

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

void prepare_folder(const fs::path& folder, bool force) {
  std::error_code error;
  const auto kind = fs::status(folder, error);
  if (fs::exists(kind)) {
    if (!fs::is_directory(kind)) {
      throw FolderExists(fmt::format("{} exists and is not a folder", folder.string()));
    }
    const bool empty = fs::is_empty(folder, error);
    if (error) throw FileError(fmt::format("{}: {}", folder.string(), error.message()));
    if (!empty && !force) {
      throw FolderExists(fmt::format("{} exists and is not empty", folder.string()));
    }
    // take away our own files only, pictures of the old run with them
    const bool was_run = fs::exists(folder / "run.json", error);
    for (const char* name : result_files) {
      fs::remove(folder / name, error);
      if (error) throw FileError(fmt::format("{}: {}", (folder / name).string(), error.message()));
      fs::remove(partial_name(folder / name), error);
    }
    if (was_run) fs::remove_all(folder / "plots", error);
    return;
  }
  fs::create_directories(folder, error);
  if (error) {
    throw FileError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
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
  Json run;
  std::optional<Hdf5Writer> trajectory;
  std::optional<CsvWriter> csv;
  std::optional<ReplayWriter> replay;
  std::size_t frames = 0;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  void write_run() const {
    OutputFile file(folder / "run.json");
    file.write(run.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
    file.commit();
  }

  void close_run(const char* status, const std::string& message) {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    run["status"] = status;
    run["message"] = message;
    run["frames"] = frames;
    run["wall"]["end"] = utc_now();
    run["wall"]["total_s"] = wall.count();
    write_run();
  }
};

RunFolder::RunFolder(fs::path folder, const simulation::Simulation& simulation,
                     const RunFolderOptions& options)
    : impl_(std::make_unique<Impl>()) {
  const scenario::Scenario& scenario = simulation.scenario;
  Impl& impl = *impl_;
  impl.folder = std::move(folder);
  prepare_folder(impl.folder, options.force);

  Json& run = impl.run;
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
                  {"assertions", build.assertions}, {"code_path", "portable"}};
  const Json resolved = Json::parse(scenario.resolved, nullptr, false);
  run["scenario"] = {{"path", scenario.path.string()},
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
  impl.write_run();

  impl.trajectory.emplace(impl.folder / "trajectory.h5", simulation.system->observables());
  if (scenario.record.csv) {
    impl.csv.emplace(impl.folder / "trajectory.csv", simulation.system->observables());
  }
  impl.replay.emplace(impl.folder, *simulation.system, scenario.title,
                      run["rate_hz"].get<double>());
}

RunFolder::~RunFolder() = default;

void RunFolder::frame(const System& system, std::span<const double> values) {
  impl_->trajectory->row(system.time(), values);
  if (impl_->csv) impl_->csv->row(system.time(), values);
  impl_->replay->row(system, values);
  ++impl_->frames;
}

void RunFolder::finish(const simulation::RunOutcome& outcome) {
  Impl& impl = *impl_;
  impl.trajectory->commit();
  if (impl.csv) impl.csv->commit();
  impl.replay->commit();

  Json& run = impl.run;
  for (const char* name : result_files) {  // lets a reader tell a damaged file before opening it
    std::error_code error;
    if (std::string_view(name) == "run.json" || !fs::exists(impl.folder / name, error)) continue;
    const Fingerprint fingerprint = compute_fingerprint(impl.folder / name);
    run["files"][name] = {{"bytes", fingerprint.bytes},
                          {"hash", fmt::format("{:016x}", fingerprint.hash)}};
  }
  run["warnings"] = outcome.warnings;
  for (const SummaryItem& item : outcome.summary) {
    run["summary"][item.name] = item.value;
    run["units"][item.name] = item.unit;
  }
  for (const char* name : {"steps", "failed_steps"}) {  // counts read better as integers
    if (auto found = run["summary"].find(name); found != run["summary"].end()) {
      *found = static_cast<std::int64_t>(found->get<double>());
    }
  }
  run["summary"]["final_state"] = fmt::format("{:016x}", outcome.final_state);
  run["stopped_by"] = outcome.stopped_by;
  run["iterations"] = {{"mean", outcome.iterations_mean}, {"max", outcome.iterations_max}};
  run["wall"]["loop_s"] = outcome.wall_seconds;
  impl.close_run(to_name(outcome.status), outcome.message);
}

void RunFolder::abandon(const std::string& message) noexcept {
  try {
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

}  // namespace coluber::record

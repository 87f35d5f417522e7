#include "coluber/sweep/folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "coluber/core/code_path.hpp"
#include "coluber/core/version.hpp"
#include "coluber/record/run_folder.hpp"

#include "record/output_file.hpp"
#include "sweep/table.hpp"

namespace coluber::sweep {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view folder_mark = "coluber-sweep";
constexpr int folder_format = 1;

/// The text under a key; empty if there is none.
std::string find_text(const Json& about, const char* key) {
  const auto found = about.find(key);
  return found != about.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// sweep.json of a folder; null if there is none that Coluber wrote.
Json load_about(const fs::path& folder) {
  std::ifstream in(folder / "sweep.json", std::ios::binary);
  if (!in) return nullptr;
  Json about = Json::parse(in, nullptr, false);
  if (!about.is_object() || find_text(about, "format") != folder_mark) return nullptr;
  return about;
}

bool is_there(const fs::path& file) {
  std::error_code failure;
  return fs::exists(fs::symlink_status(file, failure));
}

/// The process whose draft of a file of a sweep this is (`sweep.json.1234.part`); none: 0.
::pid_t find_drafter(const fs::path& file) {
  const std::string name = file.filename().string();
  for (const std::string_view of : {"sweep.json.", "results.csv.", "timing.csv."}) {
    constexpr std::string_view end = ".part";
    if (!name.starts_with(of) || !name.ends_with(end) || name.size() <= of.size() + end.size()) {
      continue;
    }
    const char* const last = name.data() + name.size() - end.size();
    ::pid_t process = 0;
    int repeat = 0;
    auto [at, fault] = std::from_chars(name.data() + of.size(), last, process);
    if (fault == std::errc() && at != last && *at == '-') {
      const auto second = std::from_chars(at + 1, last, repeat);
      at = second.ptr;
      fault = second.ec;
    }
    if (fault == std::errc() && at == last && process > 0) return process;
  }
  return 0;
}

/// Removes the drafts that killed processes left. One that is young may be of a process elsewhere.
void remove_dead_drafts(const fs::path& folder) {
  constexpr std::chrono::hours young(1);
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const ::pid_t process = find_drafter(entry.path());
    if (process == 0 || ::kill(process, 0) == 0 || errno != ESRCH) continue;
    const auto written = fs::last_write_time(entry.path(), failure);
    if (failure || fs::file_time_type::clock::now() - written < young) continue;
    fs::remove(entry.path(), failure);
  }
}

Diagnostic fault_of(const fs::path& folder, std::string message, std::string hint) {
  Diagnostic fault;
  fault.where.file = (folder / "sweep.json").string();
  fault.message = std::move(message);
  fault.hint = std::move(hint);
  return fault;
}

}  // namespace

/// A lock of a folder, for as long as this lives. Where a file system knows no locks, nothing.
class SweepLock {
 public:
  SweepLock(const fs::path& folder, int how) : fd_(::open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) return;
    while (::flock(fd_, how) != 0) {
      if (errno == EINTR) continue;
      const bool busy = errno == EWOULDBLOCK;
      ::close(std::exchange(fd_, -1));
      if (busy) {
        throw FileError(fmt::format("{}: another process runs this sweep", folder.string()));
      }
      return;
    }
  }
  SweepLock(const SweepLock&) = delete;
  SweepLock& operator=(const SweepLock&) = delete;
  ~SweepLock() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_;
};

bool is_sweep_folder(const fs::path& folder) { return load_about(folder).is_object(); }

bool is_better(const Goal& goal, double value, double other) {
  if (std::isnan(value)) return false;
  return std::isnan(other) || (goal.largest ? value > other : value < other);
}

struct SweepFolder::Impl {
  fs::path folder;
  Sweep sweep;
  FolderOptions options;
  std::vector<Job> jobs;
  std::int64_t done_before = 0;
  std::vector<std::string> notes;
  std::unique_ptr<SweepLock> lock;
  std::unique_ptr<Journal> journal;

  [[nodiscard]] fs::path rows() const { return folder / "rows"; }

  void refuse_foreign() const {
    for (const char* name : {"results.csv", "timing.csv"}) {
      const fs::path file = folder / name;  // another part may remove it at any time
      if (is_there(file) && !is_sweep_table(file) && is_there(file)) {
        throw RefusedFolder(
            fmt::format("{} holds {}, which Coluber did not write", folder.string(), name),
            "name another folder, or move that file away");
      }
    }
    if (is_there(folder / "sweep.json") && !is_sweep_folder(folder)) {
      throw RefusedFolder(
          fmt::format("{} holds sweep.json, which Coluber did not write", folder.string()),
          "name another folder, or move that file away");
    }
  }

  /// What sweep.json says; null: nothing yet. Refuses a folder that is not this sweep's to write.
  [[nodiscard]] Json admit() const {
    refuse_foreign();
    Json about = load_about(folder);
    const bool resume = options.resume || options.parts > 1;
    if (about.is_object() && !resume && !options.force) {
      throw RefusedFolder(fmt::format("{} holds a sweep already", folder.string()),
                          "--resume continues it, --force replaces it");
    }
    if (about.is_object() || options.force) return about;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
      // what another part writes that has just begun
      const fs::path name = entry.path().filename();
      if (name == "rows" && fs::is_directory(entry.path(), failure)) continue;
      if (name == "sweep.json" || find_drafter(name) != 0) continue;
      throw RefusedFolder(fmt::format("{} is not empty and holds no sweep", folder.string()),
                          "name another folder, or write into it with --force");
    }
    return about;
  }

  /// Removes what Coluber wrote of the sweep before.
  void clear() const {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(rows(), failure)) {
      if (entry.path().extension() == ".jsonl" && is_journal(entry.path())) {
        fs::remove(entry.path(), failure);
      }
    }
    remove_tables();
    fs::remove(folder / "sweep.json", failure);
  }

  void remove_tables() const {
    std::error_code failure;
    for (const char* name : {"results.csv", "timing.csv"}) {
      if (is_there(folder / name) && is_sweep_table(folder / name))
        fs::remove(folder / name, failure);
    }
  }

  void check_same_sweep(const Json& about) const {
    const auto text = [&](const char* key) { return find_text(about, key); };
    const auto refuse = [&](std::string message, std::string hint) {
      throw InputError(fault_of(folder, std::move(message), std::move(hint)));
    };
    if (text("base_hash") != fmt::format("{:016x}", sweep.base().hash)) {
      refuse("the folder holds a sweep of another base scenario",
             "name another folder by --out, or replace that sweep by --force");
    }
    std::set<std::string> theirs;
    for (const Json& key : about.value("keys", Json::array())) {
      if (key.is_string()) theirs.insert(key.get<std::string>());
    }
    const auto ours = sweep.keys();
    if (theirs != std::set<std::string>(ours.begin(), ours.end())) {
      refuse("the folder holds a sweep over other keys",
             "name another folder by --out, or replace that sweep by --force");
    }
    check_build(text("version"), text("revision"));
  }

  void check_build(const std::string& version, const std::string& revision) const {
    const BuildInfo& build = build_info();
    if (version == build.version && revision == build.revision) return;
    throw InputError(fault_of(folder,
                              fmt::format("the rows were made by Coluber {} ({}), this is {} ({})",
                                          version, revision, build.version, build.revision),
                              "finish it with that program, or begin anew with --force"));
  }

  void check_origins(const JournalIndex& index) const {
    for (const JournalOrigin& origin : index.origins()) {
      if (origin.base != sweep.base().hash) {
        throw InputError(fault_of(folder,
                                  fmt::format("rows/{} is of another base scenario", origin.file),
                                  "name another folder by --out"));
      }
      check_build(origin.version, origin.revision);
      if (origin.arithmetic == arithmetic()) continue;
      throw FileError(
          fmt::format("rows/{} has rows of {} arithmetic, made on {}; here it is {}\n  hint: set "
                      "COLUBER_CODE_PATH=portable for all of them, or run on machines alike",
                      origin.file, origin.arithmetic, origin.host, arithmetic()));
    }
  }

  void choose_jobs(const JournalIndex& index) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> order;
    order.reserve(static_cast<std::size_t>(sweep.size()));
    for (std::int64_t k = 1; k <= sweep.size(); ++k) order.emplace_back(sweep.point(k).hash, k);
    std::ranges::sort(order);
    const auto same =
        std::ranges::unique(order, {}, &std::pair<std::uint64_t, std::int64_t>::first);
    order.erase(same.begin(), same.end());
    std::vector<Job> alone;
    const auto& suspects = index.suspects();
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const auto& [hash, number] = order[rank];
      if (static_cast<int>(rank % static_cast<std::size_t>(options.parts)) != options.part - 1)
        continue;
      Job job{number, 1, false};
      const RowPlace* row = index.find(hash);
      const bool again =
          row != nullptr && std::ranges::find(options.retry, row->status) != options.retry.end();
      if (row != nullptr && !again) {
        ++done_before;
        continue;
      }
      if (again) job.attempt = row->attempt + 1;
      const auto suspect = std::ranges::lower_bound(suspects, hash, {}, &Suspect::hash);
      const int deaths = suspect != suspects.end() && suspect->hash == hash ? suspect->deaths : 0;
      const bool died_alone = deaths > 0 && suspect->alone;
      constexpr int most_deaths = 2;
      if (died_alone && !again) {
        record_crash(number, deaths);
        ++done_before;
      } else if (deaths >= most_deaths || died_alone) {
        job.alone = true;
        alone.push_back(job);
      } else {
        jobs.push_back(job);
      }
    }
    std::ranges::sort(jobs, {}, &Job::point);
    std::ranges::sort(alone, {}, &Job::point);
    if (!alone.empty()) {
      notes.push_back(
          fmt::format("{} points were in flight when processes died: they run last, "
                      "one at a time",
                      alone.size()));
    }
    jobs.insert(jobs.end(), alone.begin(), alone.end());
  }

  void record_crash(std::int64_t number, int deaths) {
    const Point point = sweep.point(number);
    Row row;
    row.point = number;
    row.hash = point.hash;
    row.status = Status::crashed;
    row.reason = "its process died, the last time with nothing else in it";
    row.values.assign(sweep.columns().size(), std::numeric_limits<double>::quiet_NaN());
    row.host = host_name();
    row.process = ::getpid();
    row.attempt = deaths;
    begin_journal().append(row);
    notes.push_back(
        fmt::format("point {} killed its process {} times: it is crashed", number, deaths));
  }

  Journal& begin_journal() {
    if (journal == nullptr) {
      const std::string part =
          options.parts == 1 ? "all" : fmt::format("{}of{}", options.part, options.parts);
      journal = std::make_unique<Journal>(rows(), sweep, part);
    }
    return *journal;
  }

  void save_about(std::string_view status, const FolderInfo* info) const {
    const BuildInfo& build = build_info();
    Json about{{"format", folder_mark},
               {"format_version", folder_format},
               {"status", status},
               {"title", sweep.title()},
               {"version", build.version},
               {"revision", build.revision},
               {"code_path", code_path()},
               {"arithmetic", arithmetic()},
               {"hash", fmt::format("{:016x}", sweep.hash())},
               {"base_hash", fmt::format("{:016x}", sweep.base().hash)},
               {"keys", sweep.keys()}};
    Json& axes = about["axes"] = Json::array();
    for (const Axis& axis : sweep.axes()) {
      constexpr std::array<std::string_view, 6> words{"crossed", "uniform", "latin",
                                                      "sobol",   "table",   "searched"};
      axes.push_back({{"keys", axis.keys},
                      {"columns", axis.columns},
                      {"unit", axis.unit},
                      {"sampling", words[static_cast<std::size_t>(axis.sampling)]},
                      {"scale", axis.log ? "log" : "linear"}});
    }
    Json& columns = about["columns"] = Json::array();
    for (const Column& column : sweep.columns()) {
      columns.push_back({{"name", column.name}, {"unit", column.unit}, {"doc", column.doc}});
    }
    if (const auto& goal = sweep.goal()) {
      about["goal"] = {{"measure", sweep.columns()[goal->column].name},
                       {"towards", goal->largest ? "max" : "min"}};
    }
    about["counts"] = {{"points", sweep.size()}};
    if (info != nullptr) {
      Json& counts = about["counts"];
      for (int k = 0; k < status_count; ++k) {
        counts[std::string(to_string(static_cast<Status>(k)))] =
            info->counts.rows[static_cast<std::size_t>(k)];
      }
      counts["missing"] = info->counts.missing;
      if (!sweep.requirements().empty()) counts["feasible"] = info->counts.feasible;
      if (info->best) about["best"] = {{"point", info->best->point}, {"value", info->best->value}};
    }
    about["sweep"] = sweep.source();
    about["base"] = {{"name", sweep.base().path.filename().string()},
                     {"text", sweep.base().text},
                     {"resolved", Json::parse(sweep.base().resolved, nullptr, false)}};
    record::OutputFile out(folder / "sweep.json", record::OutputFile::Draft::unique);
    out.write(about.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    out.commit();
  }
};

SweepFolder::SweepFolder(fs::path folder, const Sweep& sweep, const FolderOptions& options)
    : impl_(new Impl{std::move(folder), sweep, options, {}, 0, {}, nullptr, nullptr}) {
  Impl& impl = *impl_;
  if (sweep.searched() > 0) throw Error("this sweep has axes that an optimiser searches");
  std::error_code failure;
  const fs::path& path = impl.folder;
  if (is_there(path) && !fs::is_directory(path, failure)) {
    throw RefusedFolder(fmt::format("{} is no folder", path.string()), "name another one");
  }
  static_cast<void>(impl.admit());  // before anything is made in it
  fs::create_directories(impl.rows(), failure);
  if (failure) {
    throw FileError(fmt::format("cannot make {}: {}", impl.rows().string(), failure.message()));
  }
  impl.lock = std::make_unique<SweepLock>(path, (options.parts > 1 ? LOCK_SH : LOCK_EX) | LOCK_NB);
  Json about = impl.admit();  // by now others may have begun or ended
  remove_dead_drafts(path);
  if (options.force && !options.resume) {
    impl.clear();
    about = nullptr;
  }
  if (about.is_object()) impl.check_same_sweep(about);
  const JournalIndex index(impl.rows());
  impl.check_origins(index);
  if (index.damaged() > 0) {
    impl.notes.push_back(
        fmt::format("{} damaged lines in rows/: what they said is run again", index.damaged()));
  }
  impl.choose_jobs(index);
  if (!impl.jobs.empty()) {
    impl.begin_journal();  // fails now rather than after the first run
    impl.remove_tables();
    impl.save_about("running", nullptr);
  }
}

SweepFolder::~SweepFolder() = default;

const std::vector<Job>& SweepFolder::jobs() const { return impl_->jobs; }
std::int64_t SweepFolder::done_before() const { return impl_->done_before; }
const std::vector<std::string>& SweepFolder::notes() const { return impl_->notes; }
Journal& SweepFolder::journal() { return impl_->begin_journal(); }
const fs::path& SweepFolder::path() const { return impl_->folder; }

FolderInfo SweepFolder::finish(bool tables) {
  Impl& impl = *impl_;
  const Sweep& sweep = impl.sweep;
  if (impl.journal != nullptr) {
    impl.journal->end();
    impl.journal.reset();
  }
  const SweepLock lock(impl.rows(), LOCK_EX);  // of several parts the last one sees all rows
  const JournalIndex index(impl.rows());
  impl.check_origins(index);
  FolderInfo info;
  info.counts.points = sweep.size();
  for (std::int64_t k = 1; k <= sweep.size(); ++k) {
    if (index.find(sweep.point(k).hash) == nullptr) ++info.counts.missing;
  }
  const bool whole = info.counts.missing == 0;
  const bool write = whole || (tables && impl.options.parts == 1);
  std::optional<record::OutputFile> results;
  std::optional<record::OutputFile> timing;
  if (write) {
    results.emplace(impl.folder / "results.csv", record::OutputFile::Draft::unique);
    timing.emplace(impl.folder / "timing.csv", record::OutputFile::Draft::unique);
    results->write(table_header(sweep));
    timing->write(timing_header);
  }
  for (std::int64_t k = 1; k <= sweep.size(); ++k) {
    const Point point = sweep.point(k);
    const RowPlace* place = index.find(point.hash);
    if (place == nullptr) continue;
    const Row row = index.read(*place);
    ++info.counts.rows[static_cast<std::size_t>(row.status)];
    info.cpu_s += row.cpu_s;
    info.wall_s += row.wall_s;
    if (is_feasible(sweep, row)) {
      ++info.counts.feasible;
      if (const auto& goal = sweep.goal(); goal && goal->column < row.values.size()) {
        const double value = row.values[goal->column];
        const bool first = !info.best && !std::isnan(value);
        if (first || (info.best && is_better(*goal, value, info.best->value))) {
          info.best = BestRow{k, value};
        }
      }
    }
    if (write) {
      results->write(table_line(sweep, point, row));
      timing->write(timing_line(point, row));
    }
  }
  if (write) {
    results->commit();
    timing->commit();
  }
  impl.save_about(whole ? "complete" : "partial", &info);
  record::sync_folder(impl.folder);
  return info;
}

std::optional<Row> find_row(const fs::path& folder, const Sweep& sweep, std::int64_t point) {
  const JournalIndex index(folder / "rows");
  const RowPlace* place = index.find(sweep.point(point).hash);
  if (place == nullptr) return {};
  return index.read(*place);
}

}  // namespace coluber::sweep

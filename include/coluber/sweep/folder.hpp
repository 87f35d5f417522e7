#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"
#include "coluber/sweep/journal.hpp"
#include "coluber/sweep/row.hpp"
#include "coluber/sweep/sweep.hpp"

namespace coluber::sweep {

/// How a sweep folder is begun.
struct FolderOptions {
  bool resume = false;  ///< keep the rows that are there; begins one if there is none
  bool force = false;   ///< replace the sweep in the folder
  int part = 1;         ///< of `parts`: this share of the points, which resumes too
  int parts = 1;
  std::vector<Status> retry{};  ///< rows of these statuses are run again
};

/// Counts of the rows of a sweep.
struct SweepCounts {
  std::int64_t points = 0;
  std::int64_t missing = 0;
  std::array<std::int64_t, status_count> rows{};  ///< by status
  std::int64_t feasible = 0;
};

/// The best feasible row.
struct BestRow {
  std::int64_t point = 0;
  double value = 0.0;
};

/// What is in a sweep folder.
struct FolderInfo {
  SweepCounts counts{};
  std::optional<BestRow> best{};
  double cpu_s = 0.0;   ///< of all rows
  double wall_s = 0.0;  ///< the same
};

/// One point to run.
struct Job {
  std::int64_t point = 0;
  int attempt = 1;
  bool alone = false;  ///< it may kill its process: last, with nothing else in flight
};

/// The folder cannot be used, and holds what Coluber did not write or another sweep: wrong usage.
class COLUBER_EXPORT RefusedFolder : public FileError {
 public:
  /// What is in the way, and what to do about it.
  RefusedFolder(const std::string& what, std::string hint)
      : FileError(what), hint_(std::move(hint)) {}
  /// The way out.
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// A sweep folder while points run (docs/sweeps.md). It removes and replaces only files that
/// Coluber wrote, by their marks.
class COLUBER_EXPORT SweepFolder {
 public:
  /// Makes or continues it. Throws RefusedFolder; InputError if its sweep has another base, other
  /// keys or another revision; FileError, also for rows of the other arithmetic.
  SweepFolder(std::filesystem::path folder, const Sweep& sweep, const FolderOptions& options = {});
  ~SweepFolder();
  SweepFolder(const SweepFolder&) = delete;
  SweepFolder& operator=(const SweepFolder&) = delete;

  /// What is to be run, those that are to run alone last.
  [[nodiscard]] const std::vector<Job>& jobs() const;
  /// Rows that are there already, of this part.
  [[nodiscard]] std::int64_t done_before() const;
  /// What there is to tell: damaged lines, points that killed their process.
  [[nodiscard]] const std::vector<std::string>& notes() const;
  /// Where rows go. Begun with the first call.
  [[nodiscard]] Journal& journal();

  /// Ends the journal, and makes results.csv, timing.csv and sweep.json from the rows of all
  /// processes. With rows missing, the tables have the lines that are there; those of a part are
  /// made only if no row is missing. Throws FileError.
  FolderInfo finish(bool tables = true);

  [[nodiscard]] const std::filesystem::path& path() const;  ///< the folder

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The table's first line, with its end. `history`: with generation and candidate in front.
COLUBER_EXPORT std::string table_header(const Sweep& sweep, bool history = false);
/// One line of the table, with its end.
COLUBER_EXPORT std::string table_line(const Sweep& sweep, const Point& point, const Row& row,
                                      bool history = false);
/// Writes rows as a table, by rename; their points are computed from number and `searched`. Throws
/// FileError.
COLUBER_EXPORT void save_table(const std::filesystem::path& file, const Sweep& sweep,
                               const std::vector<Row>& rows, bool history = false);

/// How run() works.
struct SweepRunOptions {
  int threads = 1;
  const std::atomic<bool>* interrupt = nullptr;
  /// Called ten times a second, from another thread: how many of the jobs are done, the last row.
  std::function<void(std::int64_t done, const SweepCounts& counts, const std::optional<BestRow>&)>
      progress{};
};

/// Runs all jobs of a folder on threads of this process. True if every job has its row, false if it
/// was interrupted. Throws FileError (full disk); rows up to there are kept.
COLUBER_EXPORT bool run(SweepFolder& folder, const Sweep& sweep, const SweepRunOptions& options);

/// `value` is better than `other` for the goal; NaN is better than nothing.
COLUBER_EXPORT bool is_better(const Goal& goal, double value, double other);

/// The row of a point in a sweep folder; none if there is none. Throws FileError.
COLUBER_EXPORT std::optional<Row> find_row(const std::filesystem::path& folder, const Sweep& sweep,
                                           std::int64_t point);

/// The folder holds a sweep of Coluber's.
COLUBER_EXPORT bool is_sweep_folder(const std::filesystem::path& folder);
/// A table that Coluber wrote, by its first line.
COLUBER_EXPORT bool is_sweep_table(const std::filesystem::path& file);

}  // namespace coluber::sweep

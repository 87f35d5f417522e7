#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/shown.hpp"
#include "coluber/record/give_up.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/simulation/study.hpp"

namespace coluber::record {

/// Keeps HDF5 from flushing open files when the process exits. A program that has reported a full
/// disk wants this: the library's exit handler tries to write once more and crashes. Call it before
/// anything else of HDF5.
COLUBER_EXPORT void skip_hdf5_exit_flush();

/// How a run folder is begun.
struct RunFolderOptions {
  bool force = false;   ///< replace the results in a folder that exists
  bool resume = false;  ///< continue the run in the folder; begins one if there is none
  std::vector<std::pair<std::string, std::string>>
      options{};  ///< of the command line; a name may repeat
};

/// What finish() made of a run.
struct FinishInfo {
  bool whole = true;  ///< false: it was told to give up, and the folder has the frames alone
  /// That of the outcome, and behind its `real_time_factor` one more, `real_time_factor_total`, in
  /// which the time counts that the result files took.
  std::vector<SummaryItem> summary{};
};

/// Writes a run folder: run.json, trajectory.h5, replay.json and replay.bin unless the scenario
/// wants none, trajectory.csv on request (docs/runs.md).
///
/// run.json comes first with status "running". Every frame is appended to frames.bin as it is
/// taken, checkpoints lie beside it; the other files are made from it in finish() and appear by
/// rename, run.json with the final status last of all: a folder whose run.json says "completed" is
/// whole. Until then `load_trajectory` and `pack_run` read the frames so far, and a later process
/// can resume the run.
class COLUBER_EXPORT RunFolder final : public simulation::FrameSink,
                                       public simulation::CheckpointSink {
 public:
  /// Makes the folder, and locks it against other processes. Throws FolderExists if it is there,
  /// not empty, and neither `force` nor `resume` is on; FolderBusy; FileError if it cannot be
  /// written. With `resume` also RunEnded if there is nothing left to do, and InputError if the
  /// scenario is not the one that the run was begun with, or the program is another.
  RunFolder(std::filesystem::path folder, const simulation::Simulation& simulation,
            const RunFolderOptions& options = {});
  /// The same for a study, which is computed at once: `resume` has no meaning for it.
  RunFolder(std::filesystem::path folder, const simulation::StudyJob& job,
            const RunFolderOptions& options = {});
  ~RunFolder() override;

  void frame(double t, const Shown& shown, std::span<const double> values) override;

  /// True if a tenth of a second has passed since the last.
  bool wants_checkpoint() override;
  /// Keeps it for `resume`. Now and then brings frames and checkpoint to the disk, in case the
  /// machine fails and not the process alone.
  void checkpoint(std::string_view bytes) override;

  /// For RunOptions::resume: the checkpoint to continue from; empty where the run starts at its
  /// beginning. Frames that are there already are compared with those that come.
  [[nodiscard]] std::string_view resume_from() const;
  [[nodiscard]] std::size_t resumed_frames() const;             ///< recorded before that checkpoint
  [[nodiscard]] const std::vector<std::string>& notes() const;  ///< about what was found
  /// Results of the run before it was resumed, which are out of date and were removed. Of these,
  /// finish() writes trajectory.csv anew even if the scenario does not ask for it.
  [[nodiscard]] const std::vector<std::string>& removed() const;

  /// Of all frames so far (bytes): how large the results will be. Tell finish() to give up where
  /// they are more than `never_given_up`, and the answer does not depend on the machine.
  [[nodiscard]] std::size_t recorded_bytes() const;

  /// Completes every file. Told to give up, it removes what it has made, and the run counts as
  /// interrupted: its frames can be read, and `resume` continues it. Throws FileError.
  FinishInfo finish(const simulation::RunOutcome& outcome, const GiveUp& give_up = {});

  /// After an error: says in run.json that the run failed and why, if the disk still allows. The
  /// frames so far stay readable. Never throws.
  void abandon(const std::string& message) noexcept;

  /// The folder.
  [[nodiscard]] const std::filesystem::path& path() const;

 private:
  struct Impl;
  struct JobInfo;
  void open(std::filesystem::path folder, const JobInfo& job, const RunFolderOptions& options);
  std::unique_ptr<Impl> impl_;
};

/// The folder is there already and holds something, or a file of another's is in the way.
class COLUBER_EXPORT FolderExists : public FileError {
 public:
  /// What is in the way, and what to do about it.
  FolderExists(const std::string& what, std::string hint)
      : FileError(what), hint_(std::move(hint)) {}
  /// The way out, for this folder.
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// Another process is writing the folder.
class COLUBER_EXPORT FolderBusy : public FileError {
 public:
  using FileError::FileError;
};

/// The run that was to be resumed has ended: completed, or failed in a way that would come again.
class COLUBER_EXPORT RunEnded : public FileError {
 public:
  /// Why it cannot continue.
  RunEnded(const std::string& what, bool completed) : FileError(what), completed_(completed) {}
  /// It did what it was asked to.
  [[nodiscard]] bool completed() const { return completed_; }

 private:
  bool completed_;
};

/// `parent/<name>-<k>` with the smallest k >= 1 that is free.
COLUBER_EXPORT std::filesystem::path next_run_folder(const std::filesystem::path& parent,
                                                     const std::string& name);

/// The one of them with the largest k; the first if there is none.
COLUBER_EXPORT std::filesystem::path last_run_folder(const std::filesystem::path& parent,
                                                     const std::string& name);

}  // namespace coluber::record

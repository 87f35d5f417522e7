#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::record {

/// Keeps HDF5 from flushing open files when the process exits. A program that has reported a full
/// disk wants this: the library's exit handler tries to write once more and crashes. Call it before
/// anything else of HDF5.
COLUBER_EXPORT void skip_hdf5_exit_flush();

/// How a run folder is begun.
struct RunFolderOptions {
  bool force = false;  ///< replace the results in a folder that exists
  std::vector<std::pair<std::string, std::string>>
      options;  ///< of the command line; a name may repeat
};

/// Writes a run folder: run.json, trajectory.h5, replay.json and replay.bin, trajectory.csv on
/// request.
///
/// run.json comes first with status "running". Data files grow under a name ending in `.part` and
/// get their own by rename in finish(), run.json with the final status last of all: a folder whose
/// run.json says "completed" is whole.
class COLUBER_EXPORT RunFolder final : public simulation::FrameSink {
 public:
  /// Makes the folder. Throws FolderExists if it is there, not empty, and `force` is off; FileError
  /// if it cannot be written.
  RunFolder(std::filesystem::path folder, const simulation::Simulation& simulation,
            const RunFolderOptions& options = {});
  ~RunFolder() override;

  void frame(const System& system, std::span<const double> values) override;

  /// Completes every file. Throws FileError.
  void finish(const simulation::RunOutcome& outcome);

  /// After an error: says in run.json that the run failed and why, if the disk still allows. The
  /// data keep their `.part` names. Never throws.
  void abandon(const std::string& message) noexcept;

  /// The folder.
  [[nodiscard]] const std::filesystem::path& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The folder is there already and holds something.
class COLUBER_EXPORT FolderExists : public FileError {
 public:
  using FileError::FileError;
};

/// `parent/<name>-<k>` with the smallest k >= 1 that is free.
COLUBER_EXPORT std::filesystem::path next_run_folder(const std::filesystem::path& parent,
                                                     const std::string& name);

}  // namespace coluber::record

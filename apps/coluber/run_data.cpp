#include "run_data.hpp"

#include <system_error>

#include "coluber/core/error.hpp"
#include "coluber/record/run_state.hpp"

#include "fault.hpp"

namespace coluber::app {

record::Trajectory load_recorded(const std::filesystem::path& run) {
  record::require_run_folder(run);
  std::error_code failure;
  if (!std::filesystem::exists(run / "trajectory.h5", failure) &&
      !std::filesystem::exists(run / "frames.bin", failure)) {
    throw InputError(make_fault(run.string(), 0, 0,
                                "there is neither trajectory.h5 nor frames.bin in this run folder",
                                "name a folder that `coluber run` wrote and completed"));
  }
  return record::load_trajectory(run);
}

}  // namespace coluber::app

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coluber/drive/joints.hpp"
#include "coluber/record/replay_sink.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/simulation/stepper.hpp"

#include "arrays.hpp"
#include "bind.hpp"
#include "callbacks.hpp"

namespace coluber::python {

/// What a call of step() did: coluber.StepInfo.
struct StepReport {
  simulation::StepEnd end = simulation::StepEnd::done;
  Status status = Status::ok;
  std::int64_t steps = 0;
  std::int64_t failed_steps = 0;
  const char* quantity = "";
  int index = 0;
  std::size_t figure_count = 0;
  std::array<double, 16> figures{};  // of the last step
  std::shared_ptr<const std::vector<StepFigure>> names;
  std::string message, stopped_by;
};

/// A simulation with its stepper, its callbacks and the arrays that NumPy sees.
class Engine {
 public:
  explicit Engine(const scenario::Scenario& scenario);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  StepReport step(std::int64_t n);
  nb::object view(nb::handle name);
  /// The numbers of all observables, as of now.
  void refresh();

  void set_gait(nb::handle gait);
  void set_controller(nb::handle controller);
  void set_reference(nb::handle phi_d);

  nb::bytes save_state() const;
  void restore_state(nb::handle bytes);

  /// To the end of the scenario; the frames are kept here.
  nb::dict run(nb::handle progress);
  /// The frames that run() has taken so far.
  nb::dict frames() const;
  /// Throws Error while another thread steps it. Its own callbacks may read it.
  void check_readable() const;
  /// Into a run folder.
  nb::dict record(nb::handle folder, bool force, bool resume, nb::handle progress);

  int traverse(visitproc visit, void* arg) const;
  void clear();

  [[nodiscard]] const simulation::Simulation& simulation() const { return *simulation_; }
  [[nodiscard]] System& system() const { return *simulation_->system; }
  [[nodiscard]] const std::vector<Observable>& observables() const;
  [[nodiscard]] int reference_count() const { return stepper_->reference_count(); }
  [[nodiscard]] int shaft_count() const;
  [[nodiscard]] nb::object gait() const;
  [[nodiscard]] nb::object controller() const;

 private:
  class Claim;  // throws out of a call while another is under way
  static const void* here();
  bool calls_python() const { return gait_ != nullptr || controller_ != nullptr; }
  void lay_out();
  void show();  // what was kept of views is of now
  void raise_failure(const StepReport& report) const;
  simulation::RunOutcome run_to_end(std::span<simulation::FrameSink* const> sinks,
                                    simulation::RunOptions options, nb::handle progress);

  std::unique_ptr<simulation::Simulation> simulation_;
  std::optional<simulation::Stepper> stepper_;
  std::shared_ptr<const std::vector<StepFigure>> figures_;
  bool warns_ = false;  // solver.on_failure = "warn"

  std::vector<Observable> rows_;  // what the buffer holds
  Buffer buffer_;
  nb::dict views_;  // by name, made when first asked for
  bool viewed_ = false;
  bool current_ = false;

  CallbackPtr gait_, controller_;
  std::unique_ptr<record::TrajectorySink> trajectory_;
  std::unique_ptr<record::ReplaySink> replay_;
  std::atomic<const void*> stepping_{nullptr};  // the thread that a call is under way in
  std::exception_ptr interrupted_;              // what Python's signal handler raised in a run
};

/// Status, summary, warnings … of a run.
nb::dict to_dict(const simulation::RunOutcome& outcome);

}  // namespace coluber::python

// Engine: the Stepper as Python uses it. Steps release the GIL, except where gait or controller are
// written in Python: their own code lets other threads in.
#include "simulation.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "coluber/drive/stepping.hpp"
#include "coluber/record/replay_sink.hpp"
#include "coluber/record/run_folder.hpp"

#include "signals.hpp"

namespace coluber::python {

namespace {

using simulation::RunStatus;
using simulation::StepEnd;

constexpr std::int64_t soon_over = 64;  // steps that nobody interrupts

/// Lets other threads of Python run, where that is wanted.
class Release {
 public:
  explicit Release(bool wanted) : state_(wanted ? PyEval_SaveThread() : nullptr) {}
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }

 private:
  PyThreadState* state_;
};

const char* to_word(RunStatus status) {
  switch (status) {
    case RunStatus::completed:
      return "completed";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      return "failed";
  }
  return "";
}

std::string describe_exception(nb::python_error& error) {
  const auto name = nb::cast<std::string>(nb::str(error.type().attr("__name__")));
  const auto text = nb::cast<std::string>(nb::str(error.value()));
  return text.empty() ? name : fmt::format("{}: {}", name, text);
}

nb::list texts(const std::vector<std::string>& strings) {
  nb::list list;
  for (const std::string& text : strings) list.append(to_python(text));
  return list;
}

}  // namespace

nb::dict to_dict(const simulation::RunOutcome& outcome) {
  nb::dict dict;
  dict["status"] = to_word(outcome.status);
  dict["message"] = to_python(outcome.message);
  dict["stopped_by"] = to_python(outcome.stopped_by);
  dict["warnings"] = texts(outcome.warnings);
  nb::dict summary;
  nb::dict units;
  for (const SummaryItem& item : outcome.summary) {
    const nb::str name = to_python(item.name);
    if (const auto* word = std::get_if<std::string>(&item.value)) {
      summary[name] = to_python(*word);
    } else if (const double number = std::get<double>(item.value); item.count) {
      summary[name] = static_cast<std::int64_t>(number);
    } else {
      summary[name] = number;
    }
    units[name] = to_python(item.unit);
  }
  dict["summary"] = summary;
  dict["units"] = units;
  dict["wall_seconds"] = outcome.wall_seconds;
  dict["final_state"] = to_hex(outcome.final_state);
  return dict;
}

Engine::Engine(const scenario::Scenario& scenario)
    : simulation_(std::make_unique<simulation::Simulation>(simulation::make_simulation(scenario))),
      buffer_(std::make_shared<std::vector<double>>()) {
  stepper_.emplace(*simulation_);
  figures_ = std::make_shared<const std::vector<StepFigure>>(system().figures());
  const auto* stepping = simulation_->scenario.find<drive::Stepping>();
  warns_ = stepping != nullptr && stepping->on_failure == drive::OnFailure::warn;
  lay_out();
}

Engine::~Engine() = default;

const std::vector<Observable>& Engine::observables() const {
  return stepper_->shown().observables();
}

int Engine::shaft_count() const {
  const auto* joints = dynamic_cast<const JointDriven*>(simulation_->system.get());
  return joints != nullptr ? joints->shaft_count() : 0;
}

// Other observables, other places in the buffer: what was kept before follows no more.
void Engine::lay_out() {
  const std::vector<Observable>& now = observables();
  const bool same = std::equal(now.begin(), now.end(), rows_.begin(), rows_.end(),
                               [](const Observable& a, const Observable& b) {
                                 return a.name == b.name && a.shape == b.shape;
                               });
  current_ = false;
  if (same && !rows_.empty()) return;
  rows_ = now;
  buffer_ = std::make_shared<std::vector<double>>(static_cast<std::size_t>(stepper_->frame_size()));
  views_ = nb::dict();
  viewed_ = false;
}

void Engine::refresh() {
  if (current_) return;
  if (stepping_ == here()) {  // from a callback: the state is that at the start of the step
    stepper_->shown().observe(*buffer_);
    return;
  }
  stepper_->observe(*buffer_);
  current_ = true;
}

void Engine::show() {
  if (!viewed_) return;
  stepper_->observe(*buffer_);
  current_ = true;
}

nb::object Engine::view(nb::handle name) {
  if (!current_ && viewed_) refresh();
  if (PyObject* found = PyDict_GetItemWithError(views_.ptr(), name.ptr()); found != nullptr) {
    return nb::borrow(found);
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (PyUnicode_Check(name.ptr()) == 0) {
    throw nb::type_error("an observable is asked for by its name, a text");
  }
  const auto text = nb::cast<std::string>(name);
  std::size_t offset = 0;
  for (const Observable& row : rows_) {
    if (row.name == text) {
      std::vector<std::size_t> shape(row.shape.begin(), row.shape.end());
      nb::object view = make_view(buffer_, offset, shape, false);
      refresh();
      viewed_ = true;
      views_[name] = view;
      return view;
    }
    offset += static_cast<std::size_t>(row.size());
  }
  std::string known;
  for (const Observable& row : rows_) known += (known.empty() ? "" : ", ") + row.name;
  refuse(text, fmt::format("no observable of this simulation{}", did_you_mean(text, rows_)),
         "there are: " + known);
}

const void* Engine::here() {
  static thread_local const char place = 0;
  return &place;
}

class Engine::Claim {
 public:
  explicit Claim(Engine& engine) : engine_(engine) {
    const void* nobody = nullptr;
    if (!engine_.stepping_.compare_exchange_strong(nobody, here())) {
      throw Error(
          "this simulation is being stepped: it cannot be stepped or changed by another thread, or "
          "from inside its own callbacks");
    }
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() { engine_.stepping_.store(nullptr); }

 private:
  Engine& engine_;
};

void Engine::check_readable() const {
  const void* const stepping = stepping_.load();
  if (stepping == nullptr || stepping == here()) return;
  throw Error("this simulation is being stepped: another thread cannot read it meanwhile");
}

StepReport Engine::step(std::int64_t n) {
  if (n < 0) refuse("n", fmt::format("expected a number of steps >= 0, got {}", n));
  StepReport report;
  simulation::Stepped stepped;
  {
    const Claim claim(*this);
    current_ = false;
    std::optional<SignalWatch> watch;
    if (n >= soon_over) {
      watch.emplace();
      stepper_->set_interrupt(watch->flag());
    }
    struct Detach {
      Engine& engine;
      bool attached;
      ~Detach() {
        if (attached) engine.stepper_->set_interrupt(nullptr);
      }
    } const detach{*this, watch.has_value()};
    try {
      while (true) {
        {
          const Release release(n > 1 && !calls_python());
          stepped = stepper_->step(n - report.steps);
        }
        report.steps += stepped.steps;
        report.failed_steps += stepped.failed_steps;
        if (stepped.end != StepEnd::interrupted || !watch) break;
        watch->handle();
      }
    } catch (...) {
      show();
      throw;
    }
    show();
  }
  report.end = stepped.end;
  report.status = stepped.last.status;
  report.quantity = stepped.last.quantity;
  report.index = stepped.last.index;
  report.figure_count = std::min(stepped.last.figures.size(), report.figures.size());
  std::copy_n(stepped.last.figures.begin(), report.figure_count, report.figures.begin());
  report.names = figures_;
  if (report.end != StepEnd::done) {
    report.message = stepper_->message();
    report.stopped_by = stepper_->stopped_by();
    if (report.end == StepEnd::failed && !warns_) raise_failure(report);
  }
  return report;
}

void Engine::raise_failure(const StepReport& report) const {
  const nb::object type = nb::module_::import_("coluber.errors").attr("StepError");
  const nb::object value =
      type(to_python(report.message), system().time(), to_python(report.quantity), report.index);
  PyErr_SetObject(type.ptr(), value.ptr());
  throw nb::python_error();
}

void Engine::set_gait(nb::handle given) {
  const Claim claim(*this);
  if (given.is_none()) {
    std::unique_ptr<gait::Gait> own =
        std::move(simulation::make_simulation(simulation_->scenario).gait);
    if (own != nullptr) stepper_->set_gait(std::move(own));
    gait_.reset();
  } else {
    CallbackPtr callback = make_gait_callback(given);
    stepper_->set_gait(make_gait(callback));
    gait_.swap(callback);
  }
  lay_out();
}

void Engine::set_controller(nb::handle given) {
  const Claim claim(*this);
  if (given.is_none()) {
    std::unique_ptr<control::Controller> own =
        std::move(simulation::make_simulation(simulation_->scenario).controller);
    if (own != nullptr) stepper_->set_controller(std::move(own));
    controller_.reset();
  } else {
    CallbackPtr callback = make_controller_callback(given);
    stepper_->set_controller(make_controller(callback, stepper_->reference_count(), shaft_count()));
    controller_.swap(callback);
  }
  lay_out();
}

void Engine::set_reference(nb::handle phi_d) {
  const Claim claim(*this);
  if (phi_d.is_none()) {
    stepper_->follow_gait();
    return;
  }
  const auto wanted = static_cast<std::size_t>(stepper_->reference_count());
  stepper_->hold_references(read_numbers(phi_d, wanted, "reference (rad)"));
}

nb::object Engine::gait() const {
  return gait_ != nullptr && gait_->object.is_valid() ? gait_->object : nb::none();
}
nb::object Engine::controller() const {
  return controller_ != nullptr && controller_->object.is_valid() ? controller_->object
                                                                  : nb::none();
}

nb::bytes Engine::save_state() const {
  const std::string bytes = stepper_->save_state();
  return nb::bytes(bytes.data(), bytes.size());
}

void Engine::restore_state(nb::handle given) {
  if (PyBytes_Check(given.ptr()) == 0) throw nb::type_error("a state is made of bytes");
  const Claim claim(*this);
  const std::string_view bytes(PyBytes_AsString(given.ptr()),
                               static_cast<std::size_t>(PyBytes_Size(given.ptr())));
  stepper_->restore_state(bytes);
  trajectory_.reset();
  replay_.reset();
  current_ = false;
  show();
}

// Interrupted by a signal that Python does not make an exception of, it continues.
simulation::RunOutcome Engine::run_to_end(std::span<simulation::FrameSink* const> sinks,
                                          simulation::RunOptions options, nb::handle progress) {
  SignalWatch watch;
  options.interrupt = watch.flag();
  if (!progress.is_none()) {
    options.progress = [&](const simulation::Progress& at) {
      const nb::gil_scoped_acquire gil;
      progress(at.time, at.duration, at.real_time_factor);
    };
  }
  while (true) {
    simulation::RunOutcome outcome;
    {
      const Release release(!calls_python());
      outcome = stepper_->run(sinks, options);
    }
    options.resume = {};
    if (outcome.status != RunStatus::interrupted) return outcome;
    try {
      watch.handle();
    } catch (nb::python_error&) {
      interrupted_ = std::current_exception();
      return outcome;
    }
  }
}

nb::dict Engine::run(nb::handle progress) {
  const Claim claim(*this);
  if (trajectory_ == nullptr) {
    trajectory_ = std::make_unique<record::TrajectorySink>();
    replay_ = std::make_unique<record::ReplaySink>(simulation_->scenario.title,
                                                   simulation_->scenario.record.rate_hz);
  }
  current_ = false;
  simulation::FrameSink* const sinks[] = {trajectory_.get(), replay_.get()};
  const simulation::RunOutcome outcome = run_to_end(sinks, {}, progress);
  show();
  if (interrupted_ != nullptr) std::rethrow_exception(std::exchange(interrupted_, nullptr));
  return to_dict(outcome);
}

// Everything is copied before Python objects are made: with these another thread may come in.
nb::dict Engine::frames() const {
  check_readable();
  nb::dict dict;
  if (trajectory_ == nullptr) return dict;
  record::Trajectory t = trajectory_->trajectory();
  const record::Replay replay = replay_->replay();
  dict["observables"] = describe(t.observables);
  const std::size_t count = t.frames();
  const std::size_t length[] = {count};
  const std::size_t shape[] = {count, count > 0 ? t.values.size() / count : 0};
  dict["time"] = make_array(std::move(t.time), length);
  dict["values"] = make_array(std::move(t.values), shape);
  dict["replay"] =
      nb::make_tuple(to_python(replay.header), nb::bytes(replay.data.data(), replay.data.size()));
  return dict;
}

nb::dict Engine::record(nb::handle folder, bool force, bool resume, nb::handle progress) {
  const std::filesystem::path path = to_path(folder);
  const Claim claim(*this);
  if (system().step_count() != 0 && !resume) {
    throw Error(
        fmt::format("a run folder begins at the start, this simulation stands at {:.6g} s; "
                    "make a new one",
                    system().time()));
  }
  current_ = false;
  trajectory_.reset();
  replay_.reset();
  record::RunFolder out(path, *simulation_, {.force = force, .resume = resume, .options = {}});
  bool finished = false;
  try {
    simulation::RunOptions options;
    options.checkpoints = &out;
    options.resume = out.resume_from();
    simulation::FrameSink* const sinks[] = {&out};
    const simulation::RunOutcome outcome = run_to_end(sinks, options, progress);
    {
      const nb::gil_scoped_release release;
      static_cast<void>(out.finish(outcome));
    }
    finished = true;
    show();
    if (interrupted_ != nullptr) std::rethrow_exception(std::exchange(interrupted_, nullptr));
    return to_dict(outcome);
  } catch (nb::python_error& error) {
    if (!finished) out.abandon(describe_exception(error));
    throw;
  } catch (const std::exception& error) {
    if (!finished) out.abandon(error.what());
    throw;
  }
}

int Engine::traverse(visitproc visit, void* arg) const {
  for (const CallbackPtr& callback : {gait_, controller_}) {
    if (callback == nullptr) continue;
    if (const int stop = callback->visit(visit, arg); stop != 0) return stop;
  }
  Py_VISIT(views_.ptr());
  return 0;
}

void Engine::clear() {
  if (gait_ != nullptr) gait_->clear();
  if (controller_ != nullptr) controller_->clear();
}

}  // namespace coluber::python

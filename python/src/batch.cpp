// simulation::Batch: many simulations of one scenario, all their numbers in one array.
#include "coluber/simulation/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include "coluber/drive/stepping.hpp"

#include "arrays.hpp"
#include "signals.hpp"

namespace coluber::python {

namespace {

using simulation::Batch;
using simulation::StepEnd;
using simulation::Stepped;

using Mask = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A batch, and the views of it.
class Group {
 public:
  Group(const scenario::Scenario& scenario, int size, int threads)
      : batch_(std::make_shared<Batch>(scenario, size, threads)) {
    const auto* stepping = scenario.find<drive::Stepping>();
    warns_ = stepping != nullptr && stepping->on_failure == drive::OnFailure::warn;
    ended_.resize(static_cast<std::size_t>(batch_->size()));
  }

  void step(std::int64_t n);
  nb::object view(const std::string& name);
  void hold(const Matrix& phi_d);
  void follow() {
    const Claim claim(*this);
    batch_->follow_gaits();
  }
  void reset(const std::optional<Mask>& mask);
  void rebuild(int i, const scenario::Scenario& scenario);
  void keep_start(int i) {
    const Claim claim(*this);
    batch_->keep_start(checked(i));
  }
  nb::bytes save_state(int i) {
    const Claim claim(*this);
    const std::string bytes = batch_->at(checked(i)).save_state();
    return nb::bytes(bytes.data(), bytes.size());
  }
  void restore_state(int i, const nb::bytes& bytes) {
    const Claim claim(*this);
    batch_->at(checked(i)).restore_state({bytes.c_str(), bytes.size()});
  }
  nb::object ends(StepEnd wanted) const;
  nb::object time() const;
  nb::list hashes() const;
  [[nodiscard]] const Batch& batch() const { return *batch_; }
  [[nodiscard]] double dt() const { return batch_->at(0).simulation().system->dt(); }

 private:
  /// Two threads, or a call from inside another, are an exception.
  class Claim {
   public:
    explicit Claim(Group& group) : group_(group) {
      const void* nobody = nullptr;
      if (!group_.busy_.compare_exchange_strong(nobody, here())) {
        throw Error("this batch is being stepped: it cannot be used by another thread");
      }
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() { group_.busy_.store(nullptr); }

   private:
    Group& group_;
  };

  static const void* here() {
    static thread_local const char place = 0;
    return &place;
  }

  /// Throws while another thread steps it. A signal's handler may read it.
  void check_readable() const {
    const void* const busy = busy_.load();
    if (busy == nullptr || busy == here()) return;
    throw Error("this batch is being stepped: another thread cannot read it meanwhile");
  }

  void advance(std::int64_t n, SignalWatch& watch);
  bool resume(std::span<const std::int64_t> lacks);

  [[nodiscard]] int checked(int i) const {
    if (i < 0 || i >= batch_->size()) {
      throw nb::index_error(
          fmt::format("there is no simulation {}, the batch has {}", i, batch_->size()).c_str());
    }
    return i;
  }

  std::shared_ptr<Batch> batch_;
  bool warns_ = false;
  std::vector<Stepped> ended_;              // what each did in the last step()
  std::atomic<const void*> busy_{nullptr};  // the thread that a call is under way in
};

/// Steps all by n. A signal that Python makes no exception of takes no step away.
void Group::advance(std::int64_t n, SignalWatch& watch) {
  bool interrupted = false;
  {
    const nb::gil_scoped_release release;
    const std::span<const Stepped> stepped = batch_->step(n);
    ended_.assign(stepped.begin(), stepped.end());
    interrupted = std::ranges::any_of(
        ended_, [](const Stepped& each) { return each.end == StepEnd::interrupted; });
  }
  std::vector<std::int64_t> lacks;
  while (interrupted) {
    watch.handle();
    lacks.assign(ended_.size(), 0);
    for (std::size_t i = 0; i < ended_.size(); ++i) {
      if (ended_[i].end == StepEnd::interrupted) lacks[i] = n - ended_[i].steps;
    }
    const nb::gil_scoped_release release;
    interrupted = resume(lacks);
  }
}

/// Steps each that lacks steps by as many. Says whether a signal came again.
bool Group::resume(std::span<const std::int64_t> lacks) {
  // the place that Batch keeps its observables in; it is written by whoever steps
  const std::span<const double> shown = batch_->observables();
  const std::span<double> values(const_cast<double*>(shown.data()), shown.size());
  const auto frame = static_cast<std::size_t>(batch_->frame_size());
  bool interrupted = false;
  for (std::size_t i = 0; i < lacks.size(); ++i) {
    if (lacks[i] == 0) continue;
    simulation::Stepper& stepper = batch_->at(static_cast<int>(i));
    const std::int64_t before = ended_[i].steps;
    const std::int64_t failed_before = ended_[i].failed_steps;
    ended_[i] = stepper.step(lacks[i]);
    ended_[i].steps += before;
    ended_[i].failed_steps += failed_before;
    stepper.observe(values.subspan(i * frame, frame));
    interrupted = interrupted || ended_[i].end == StepEnd::interrupted;
  }
  return interrupted;
}

void Group::step(std::int64_t n) {
  if (n < 0) refuse("n", fmt::format("expected a number of steps >= 0, got {}", n));
  const Claim claim(*this);
  SignalWatch watch;
  struct Detach {
    Batch& batch;
    ~Detach() { batch.set_interrupt(nullptr); }
  } const detach{*batch_};
  batch_->set_interrupt(watch.flag());
  advance(n, watch);
  if (watch.flag() != nullptr && watch.flag()->load()) watch.handle();
  const auto found = std::ranges::find(ended_, StepEnd::failed, &Stepped::end);
  if (found == ended_.end() || warns_) return;
  const Stepped& failed = *found;
  const auto i = static_cast<int>(found - ended_.begin());
  const simulation::Stepper& stepper = batch_->at(i);
  const nb::object type = nb::module_::import_("coluber.errors").attr("StepError");
  const nb::object value =
      type(to_python(fmt::format("simulation {} of {}: {}", i, batch_->size(), stepper.message())),
           stepper.simulation().system->time(), to_python(failed.last.quantity), failed.last.index);
  PyErr_SetObject(type.ptr(), value.ptr());
  throw nb::python_error();
}

nb::object Group::view(const std::string& name) {
  const std::vector<Observable>& rows = batch_->shown().observables();
  const auto width = static_cast<std::int64_t>(batch_->frame_size());
  std::size_t offset = 0;
  for (const Observable& row : rows) {
    if (row.name != name) {
      offset += static_cast<std::size_t>(row.size());
      continue;
    }
    std::vector<std::size_t> shape{static_cast<std::size_t>(batch_->size())};
    std::vector<std::int64_t> strides(row.shape.size() + 1, 1);
    for (const int extent : row.shape) shape.push_back(static_cast<std::size_t>(extent));
    for (std::size_t k = row.shape.size(); k-- > 1;) {
      strides[k] = strides[k + 1] * row.shape[k];
    }
    strides[0] = width;
    const nb::capsule owner(new std::shared_ptr<Batch>(batch_), [](void* p) noexcept {
      delete static_cast<std::shared_ptr<Batch>*>(p);
    });
    return nb::cast(nb::ndarray<nb::numpy, const double>(
        batch_->observables().data() + offset, shape.size(), shape.data(), owner, strides.data()));
  }
  refuse(name, fmt::format("no observable of this batch{}", did_you_mean(name, rows)));
}

void Group::hold(const Matrix& phi_d) {
  const Claim claim(*this);
  const auto size = static_cast<std::size_t>(batch_->size());
  const auto joints = static_cast<std::size_t>(batch_->reference_count());
  if (phi_d.shape(0) != size || phi_d.shape(1) != joints) {
    refuse("reference", fmt::format("expected an array of shape ({}, {}), got ({}, {})", size,
                                    joints, phi_d.shape(0), phi_d.shape(1)));
  }
  batch_->hold_references({phi_d.data(), size * joints});
}

void Group::reset(const std::optional<Mask>& mask) {
  const Claim claim(*this);
  if (!mask) {
    batch_->reset();
    return;
  }
  if (mask->shape(0) != static_cast<std::size_t>(batch_->size())) {
    refuse("mask", fmt::format("expected {} entries, got {}", batch_->size(), mask->shape(0)));
  }
  batch_->reset({mask->data(), mask->shape(0)});
}

void Group::rebuild(int i, const scenario::Scenario& scenario) {
  const Claim claim(*this);
  batch_->rebuild(checked(i), scenario);
}

nb::object Group::ends(StepEnd wanted) const {
  check_readable();
  auto* flags = new bool[ended_.size()]();
  for (std::size_t i = 0; i < ended_.size(); ++i) flags[i] = ended_[i].end == wanted;
  const nb::capsule owner(flags, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  const std::size_t shape[] = {ended_.size()};
  return nb::cast(nb::ndarray<nb::numpy, bool>(flags, 1, shape, owner));
}

nb::object Group::time() const {
  check_readable();
  std::vector<double> times;
  for (int i = 0; i < batch_->size(); ++i) {
    times.push_back(batch_->at(i).simulation().system->time());
  }
  const std::size_t shape[] = {times.size()};
  return make_array(std::move(times), shape);
}

nb::list Group::hashes() const {
  check_readable();
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < batch_->size(); ++i) {
    hashes.push_back(batch_->at(i).simulation().system->state_hash());
  }
  nb::list list;
  for (const std::uint64_t hash : hashes) list.append(to_hex(hash));
  return list;
}

}  // namespace

void bind_batch(nb::module_& m) {
  nb::class_<Group>(m, "Batch", "Base of coluber.Batch: several simulations stepped together.")
      .def(nb::init<const scenario::Scenario&, int, int>(), nb::arg("scenario"), nb::arg("size"),
           nb::arg("threads"))
      .def("__len__", [](const Group& g) { return g.batch().size(); })
      .def_prop_ro(
          "threads", [](const Group& g) { return g.batch().threads(); },
          "Threads that work, the caller's own among them.")
      .def_prop_ro(
          "joint_count", [](const Group& g) { return g.batch().reference_count(); },
          "Joint angles of a reference; 0 where the model takes none.")
      .def_prop_ro("dt", &Group::dt, "Length of a step (s).")
      .def("step", &Group::step, nb::arg("n") = 1, nb::sig("def step(self, n: int = 1) -> None"),
           "Takes `n` steps of every simulation. Raises StepError for the first that fails, after "
           "all of them have ended, unless solver.on_failure = \"warn\".")
      .def("_view", &Group::view, nb::arg("name"), nb::sig("def _view(self, name: str) -> Array"))
      .def("_hold", &Group::hold, nb::arg("phi_d"),
           nb::sig("def _hold(self, phi_d: Array) -> None"))
      .def("follow_gaits", &Group::follow, "From now on the references are the gaits' again.")
      .def("_reset", &Group::reset, nb::arg("mask").none(),
           nb::sig("def _reset(self, mask: NDArray[np.uint8] | None) -> None"))
      .def("_rebuild", &Group::rebuild, nb::arg("i"), nb::arg("scenario"))
      .def("keep_start", &Group::keep_start, nb::arg("i"),
           "The state that simulation `i` has now is its start from now on.")
      .def("_save_state", &Group::save_state, nb::arg("i"))
      .def("_restore_state", &Group::restore_state, nb::arg("i"), nb::arg("state"))
      .def_prop_ro(
          "failed", [](const Group& g) { return g.ends(StepEnd::failed); },
          nb::sig("def failed(self) -> NDArray[np.bool_]"),
          "Which simulations ended the last step() by a step that failed.")
      .def_prop_ro(
          "stopped", [](const Group& g) { return g.ends(StepEnd::stopped); },
          nb::sig("def stopped(self) -> NDArray[np.bool_]"),
          "Which simulations ended the last step() by a condition of [stop].")
      .def_prop_ro("time", &Group::time, nb::sig("def time(self) -> Array"),
                   "Simulated time of each (s).")
      .def_prop_ro("state_hash", &Group::hashes, nb::sig("def state_hash(self) -> list[str]"),
                   "Hash of the state of each, 16 hex digits.")
      .def(
          "_observables", [](const Group& g) { return describe(g.batch().shown().observables()); },
          nb::sig("def _observables(self) -> list[tuple[str, str, str, tuple[int, ...], "
                  "tuple[str, ...]]]"));
}

}  // namespace coluber::python

// Gaits and controllers written in Python. An exception in one passes through the library as
// nb::python_error and comes out unchanged.
#include "callbacks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

namespace coluber::python {

namespace {

// Holds the GIL: taken only where it is not held already, which it is in most calls.
class Gil {
 public:
  Gil() {
    if (PyGILState_Check() == 0) taken_.emplace();
  }

 private:
  std::optional<nb::gil_scoped_acquire> taken_;
};

nb::object find(nb::handle object, const char* name) {
  return nb::hasattr(object, name) ? nb::object(object.attr(name)) : nb::none();
}

// An attribute, or what the method of this name returns.
nb::object value_of(nb::handle object, const char* name) {
  nb::object value = find(object, name);
  return PyCallable_Check(value.ptr()) != 0 ? value() : value;
}

double number_of(nb::handle object, const char* name, double otherwise) {
  const nb::object value = value_of(object, name);
  if (value.is_none()) return otherwise;
  double number = 0.0;
  if (!nb::try_cast(value, number) || std::isnan(number)) {
    refuse("", fmt::format("{}: expected a number, got {}", name,
                           nb::cast<std::string>(nb::repr(value))));
  }
  return number;
}

bool flag_of(nb::handle object, const char* name) {
  const nb::object value = value_of(object, name);
  if (value.is_none()) return false;
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

void save(nb::handle object, ByteWriter& bytes) {
  const Gil gil;
  const nb::object method = find(object, "save_state");
  std::string text;
  if (!method.is_none()) {
    const nb::object saved = method();
    if (PyBytes_Check(saved.ptr()) == 0) {
      refuse("", "save_state() must return bytes, for example those of pickle.dumps");
    }
    text.assign(PyBytes_AsString(saved.ptr()), static_cast<std::size_t>(PyBytes_Size(saved.ptr())));
  }
  bytes.section("python", 1);
  bytes(text);
}

void restore(nb::handle object, ByteReader& bytes) {
  const Gil gil;
  std::string text;
  bytes.section("python", 1);
  bytes(text);
  const nb::object method = find(object, "restore_state");
  if (method.is_none()) {
    if (!text.empty()) bytes.refuse("the object in Python has no restore_state()");
    return;
  }
  method(nb::bytes(text.data(), text.size()));
}

class PythonGait final : public gait::Gait {
 public:
  explicit PythonGait(CallbackPtr callback)
      : callback_(std::move(callback)),
        max_rate_(
            number_of(callback_->object, "max_rate", std::numeric_limits<double>::infinity())) {}
  ~PythonGait() override {
    const Gil gil;
    phi_.forget();
    phidot_.forget();
    phidd_.forget();
    callback_.reset();
  }

  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    const Gil gil;
    const nb::object pair = callback_->to_call()(t);
    if (PyTuple_Check(pair.ptr()) != 0 && PyTuple_Size(pair.ptr()) == 2) {
      phi_.read(PyTuple_GetItem(pair.ptr(), 0), phi_d, "the gait's phi_d (rad)");
      phidot_.read(PyTuple_GetItem(pair.ptr(), 1), phidot_d, "the gait's phidot_d (rad/s)");
      return;
    }
    if (pair.is_none() || PySequence_Check(pair.ptr()) == 0 || nb::len(pair) != 2) {
      refuse("",
             fmt::format("the gait must return two arrays (phi_d, phidot_d), it returned {}",
                         pair.is_none() ? "None" : nb::cast<std::string>(nb::repr(pair.type()))));
    }
    phi_.read(nb::object(pair[0]), phi_d, "the gait's phi_d (rad)");
    phidot_.read(nb::object(pair[1]), phidot_d, "the gait's phidot_d (rad/s)");
  }

  void evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const override {
    const Gil gil;
    static_cast<void>(callback_->to_call());
    if (callback_->acceleration.is_none()) {
      Gait::evaluate_acceleration(t, phidd_d);
    } else {
      phidd_.read(nb::object(callback_->acceleration(t)), phidd_d, "the gait's phidd_d (rad/s2)");
    }
  }

  [[nodiscard]] double max_rate() const override { return max_rate_; }
  void save_state(ByteWriter& bytes) const override { save(callback_->object, bytes); }
  void restore_state(ByteReader& bytes) override { restore(callback_->object, bytes); }

 private:
  CallbackPtr callback_;
  double max_rate_;
  mutable ArrayReader phi_, phidot_, phidd_;
};

class PythonController final : public control::Controller {
 public:
  PythonController(CallbackPtr callback, int joint_angles, int shafts)
      : callback_(std::move(callback)),
        shafts_(static_cast<std::size_t>(shafts)),
        model_based_(flag_of(callback_->object, "model_based")),
        continuous_(flag_of(callback_->object, "continuous")),
        holds_torques_(flag_of(callback_->object, "holds_torques")),
        start_time_(number_of(callback_->object, "start_time", 0.0)) {
    input_object_ =
        nb::cast(new Input(static_cast<std::size_t>(joint_angles)), nb::rv_policy::take_ownership);
    input_ = nb::inst_ptr<Input>(input_object_);
  }
  ~PythonController() override {
    const Gil gil;
    torques_.forget();
    callback_.reset();
    input_object_.reset();
  }

  void update(const control::ControlInput& in, JointCommand& out) override {
    const Gil gil;
    fill(in);
    const nb::object answer = callback_->to_call()(input_object_);
    if (nb::isinstance<Command>(answer)) {
      take(*nb::inst_ptr<Command>(answer), out);
      return;
    }
    torques_.read(answer, out.tau, "the controller's torques (N m)");
    out.k_P.setZero();
    out.k_D.setZero();
    out.tau_max.setConstant(std::numeric_limits<double>::infinity());
  }

  [[nodiscard]] bool model_based() const override { return model_based_; }
  [[nodiscard]] bool continuous() const override { return continuous_; }
  [[nodiscard]] bool holds_torques() const override { return holds_torques_; }
  [[nodiscard]] double start_time() const override { return start_time_; }
  void save_state(ByteWriter& bytes) const override { save(callback_->object, bytes); }
  void restore_state(ByteReader& bytes) override { restore(callback_->object, bytes); }

 private:
  void fill(const control::ControlInput& in) {
    input_->t = in.t;
    input_->dt = in.dt;
    double* at = input_->numbers->data();
    for (const Eigen::VectorXd* values : {&in.phi, &in.phidot, &in.phi_d_A, &in.phidot_d_A,
                                          &in.phi_d_E, &in.phidot_d_E, &in.phidd_d_A}) {
      std::copy(values->data(), values->data() + values->size(), at);
      at += values->size();
    }
  }

  void take(const Command& given, JointCommand& out) const {
    const auto joints = static_cast<std::size_t>(out.tau.size());
    if (given.joints != joints) {
      refuse("", fmt::format("the controller's Command is for {} joint angles, the robot has {}",
                             given.joints, joints));
    }
    const double* at = given.numbers->data();
    const auto next = [&](Eigen::VectorXd& values, const char* name, bool infinite = false) {
      for (Eigen::Index i = 0; i < values.size(); ++i) {
        const double value = *at++;
        if (!(std::isfinite(value) || (infinite && value > 0.0))) {
          refuse("", fmt::format("the controller's Command: {}[{}] is {}", name, i, value));
        }
        values(i) = value;
      }
    };
    next(out.tau, "tau");
    next(out.k_P, "k_P");
    next(out.phi_d, "phi_d");
    next(out.k_D, "k_D");
    next(out.phidot_d, "phidot_d");
    next(out.tau_max, "tau_max", true);
    if (given.shafts != 0) {
      if (given.shafts != shafts_) {
        refuse("", fmt::format("the controller's Command is for {} shafts, the robot has {}",
                               given.shafts, shafts_));
      }
      next(out.shafts.tau, "shaft_tau");
      next(out.shafts.k, "shaft_k");
      next(out.shafts.rate, "shaft_rate");
      next(out.shafts.tau_max, "shaft_tau_max", true);
    }
    out.steering = given.steering;
    out.speed = given.speed;
  }

  CallbackPtr callback_;
  nb::object input_object_;
  Input* input_ = nullptr;
  std::size_t shafts_;
  bool model_based_, continuous_, holds_torques_;
  double start_time_;
  ArrayReader torques_;
};

// An array that a property shows: assigning copies into it.
template <typename T>
void add_array(nb::class_<T>& type, const char* name, nb::object T::* member, const char* doc) {
  static_cast<void>(doc);
  type.def_prop_rw(
      name, [member](const T& self) { return self.*member; },
      [member, name](T& self, nb::handle values) {
        (self.*member)[nb::ellipsis()] = values;
        static_cast<void>(name);
      },
      nb::for_getter(nb::sig(fmt::format("def {}(self) -> Array", name).c_str())),
      nb::for_setter(
          nb::sig(fmt::format("def {}(self, values: ArrayLike, /) -> None", name).c_str())),
      doc);
}

}  // namespace

Input::Input(std::size_t joints) : numbers(std::make_shared<std::vector<double>>(7 * joints)) {
  std::size_t offset = 0;
  for (nb::object* array :
       {&phi, &phidot, &phi_d_A, &phidot_d_A, &phi_d_E, &phidot_d_E, &phidd_d_A}) {
    const std::size_t shape[] = {joints};
    *array = make_view(numbers, offset, shape, false);
    offset += joints;
  }
}

Command::Command(std::size_t joint_count, std::size_t shaft_count)
    : joints(joint_count),
      shafts(shaft_count),
      numbers(std::make_shared<std::vector<double>>(6 * joint_count + 4 * shaft_count)) {
  std::size_t offset = 0;
  const auto add = [&](nb::object& array, std::size_t size) {
    const std::size_t shape[] = {size};
    array = make_view(numbers, offset, shape, true);
    offset += size;
  };
  for (nb::object* array : {&tau, &k_P, &phi_d, &k_D, &phidot_d, &tau_max}) add(*array, joints);
  for (nb::object* array : {&shaft_tau, &shaft_k, &shaft_rate, &shaft_tau_max}) {
    add(*array, shafts);
  }
  const auto unlimited = [&](std::size_t from, std::size_t count) {
    std::fill_n(numbers->begin() + static_cast<std::ptrdiff_t>(from), count,
                std::numeric_limits<double>::infinity());
  };
  unlimited(5 * joints, joints);
  unlimited(6 * joints + 3 * shafts, shafts);
}

int Callback::visit(visitproc visit, void* arg) const {
  Py_VISIT(object.ptr());
  Py_VISIT(function.ptr());
  Py_VISIT(acceleration.ptr());
  return 0;
}

void Callback::clear() {
  object.reset();
  function.reset();
  acceleration.reset();
}

const nb::object& Callback::to_call() const {
  if (!function.is_valid()) throw Error("the simulation's callback is gone: it was collected");
  return function;
}

CallbackPtr make_gait_callback(nb::handle object) {
  auto callback = std::make_shared<Callback>();
  callback->object = nb::borrow(object);
  callback->function = find(object, "evaluate");
  callback->acceleration = find(object, "evaluate_acceleration");
  if (callback->function.is_none()) callback->function = nb::borrow(object);
  if (PyCallable_Check(callback->function.ptr()) == 0) {
    refuse("", "a gait is a function f(t) -> (phi_d, phidot_d), or an object with evaluate(t)");
  }
  return callback;
}

CallbackPtr make_controller_callback(nb::handle object) {
  auto callback = std::make_shared<Callback>();
  callback->object = nb::borrow(object);
  callback->function = find(object, "update");
  callback->acceleration = nb::none();
  if (callback->function.is_none() || nb::isinstance<nb::dict>(object)) {
    callback->function = nb::borrow(object);
  }
  if (PyCallable_Check(callback->function.ptr()) == 0) {
    refuse("", "a controller is a function g(input) -> torques, or an object with update(input)");
  }
  return callback;
}

std::unique_ptr<gait::Gait> make_gait(const CallbackPtr& callback) {
  return std::make_unique<PythonGait>(callback);
}

std::unique_ptr<control::Controller> make_controller(const CallbackPtr& callback, int joint_angles,
                                                     int shafts) {
  return std::make_unique<PythonController>(callback, joint_angles, shafts);
}

void bind_command(nb::module_& m) {
  nb::class_<Input> input(m, "ControlInput",
                          "What a controller may look at when it decides about one step from A "
                          "(its start) to E (its end). The arrays are the same objects at every "
                          "step and follow the simulation: copy what you keep.");
  input.def_ro("t", &Input::t, "Start of the step (s).")
      .def_ro("dt", &Input::dt, "Its length (s).")
      .def_ro("phi", &Input::phi, nb::sig("def phi(self) -> Array"), "Joint angles at A (rad).")
      .def_ro("phidot", &Input::phidot, nb::sig("def phidot(self) -> Array"),
              "Joint rates at A (rad/s).")
      .def_ro("phi_d_A", &Input::phi_d_A, nb::sig("def phi_d_A(self) -> Array"),
              "Reference at A (rad).")
      .def_ro("phidot_d_A", &Input::phidot_d_A, nb::sig("def phidot_d_A(self) -> Array"),
              "Its rate at A (rad/s).")
      .def_ro("phi_d_E", &Input::phi_d_E, nb::sig("def phi_d_E(self) -> Array"),
              "Reference at E (rad).")
      .def_ro("phidot_d_E", &Input::phidot_d_E, nb::sig("def phidot_d_E(self) -> Array"),
              "Its rate at E (rad/s).")
      .def_ro("phidd_d_A", &Input::phidd_d_A, nb::sig("def phidd_d_A(self) -> Array"),
              "Second derivative of the reference at A (rad/s2); NaN unless the controller has "
              "model_based = True.");

  nb::class_<Command> command(
      m, "Command",
      "What a controller asks of the joints for one step. Joint j gets the torque\n"
      "clamp(tau + k_P (phi_d - phi) + k_D (phidot_d - phidot), -tau_max, tau_max),\n"
      "phi and phidot at the end of the step: the gains are part of the step, stable at any dt. "
      "Make it once, write into its arrays and return it.");
  command.def(nb::init<std::size_t, std::size_t>(), nb::arg("joints"), nb::arg("shafts") = 0,
              nb::sig("def __init__(self, joints: int, shafts: int = 0) -> None"),
              "All zero, without limits.");
  add_array(command, "tau", &Command::tau, "Torque (N m), positive drives phi up.");
  add_array(command, "k_P", &Command::k_P, "Gain (N m/rad).");
  add_array(command, "phi_d", &Command::phi_d, "Reference at the end of the step (rad).");
  add_array(command, "k_D", &Command::k_D, "Gain (N m s/rad).");
  add_array(command, "phidot_d", &Command::phidot_d, "Its rate (rad/s).");
  add_array(command, "tau_max", &Command::tau_max, "Largest torque (N m); inf: no limit.");
  add_array(command, "shaft_tau", &Command::shaft_tau,
            "Torque of driven wheels (N m), positive drives forward.");
  add_array(command, "shaft_k", &Command::shaft_k, "Gain of driven wheels (N m s/rad).");
  add_array(command, "shaft_rate", &Command::shaft_rate, "Rate of driven wheels (rad/s).");
  add_array(command, "shaft_tau_max", &Command::shaft_tau_max,
            "Largest torque of driven wheels (N m); inf: no limit.");
  command.def_rw("steering", &Command::steering, "Of a model that is steered at its head (rad).")
      .def_rw("speed", &Command::speed, "Of its head (m/s).");
}

}  // namespace coluber::python

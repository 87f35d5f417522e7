#pragma once

#include <memory>
#include <string>

#include "coluber/control/controller.hpp"
#include "coluber/gait/gait.hpp"

#include "arrays.hpp"
#include "bind.hpp"

namespace coluber::python {

/// What a controller of Python may look at: coluber.ControlInput. Its arrays are made once and
/// follow the simulation.
struct Input {
  explicit Input(std::size_t joints);

  double t = 0.0;   // s
  double dt = 0.0;  // s
  Buffer numbers;   // the arrays, one after another
  nb::object phi, phidot, phi_d_A, phidot_d_A, phi_d_E, phidot_d_E, phidd_d_A;
};

/// What such a controller may return: coluber.Command. NumPy writes into its numbers.
struct Command {
  explicit Command(std::size_t joint_count, std::size_t shaft_count = 0);

  std::size_t joints;
  std::size_t shafts;
  Buffer numbers;
  nb::object tau, k_P, phi_d, k_D, phidot_d, tau_max;
  nb::object shaft_tau, shaft_k, shaft_rate, shaft_tau_max;
  double steering = 0.0;  // rad
  double speed = 0.0;     // m/s
};

/// The objects of a gait or a controller that is written in Python. The simulation shares them with
/// its gait or controller, so that the collector sees them.
struct Callback {
  nb::object object;        // as it was given
  nb::object function;      // what is called at every step
  nb::object acceleration;  // of a gait, or None

  /// tp_traverse and tp_clear.
  int visit(visitproc visit, void* arg) const;
  void clear();
  /// Throws Error after clear().
  const nb::object& to_call() const;
};
using CallbackPtr = std::shared_ptr<Callback>;

/// A gait written in Python: a function or an object with evaluate(t).
CallbackPtr make_gait_callback(nb::handle object);
std::unique_ptr<gait::Gait> make_gait(const CallbackPtr& callback);

/// A controller written in Python: a function or an object with update(input).
CallbackPtr make_controller_callback(nb::handle object);
std::unique_ptr<control::Controller> make_controller(const CallbackPtr& callback, int joint_angles,
                                                     int shafts);

}  // namespace coluber::python

#include "coluber/simulation/registry.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "coluber/control/input_output_linearisation.hpp"
#include "coluber/control/noisy_measurement.hpp"
#include "coluber/control/pd.hpp"
#include "coluber/gait/harmonic.hpp"
#include "coluber/gait/table.hpp"
#include "coluber/simulation/make_minimal.hpp"
#include "coluber/simulation/make_planar.hpp"
#include "coluber/simulation/make_spatial.hpp"

#include "planar_model.hpp"

namespace coluber::simulation {

namespace {

constexpr double degree = 0.017453292519943295;  // rad

void warn_of_held_joints(const gait::Harmonic& wave, const char* joint,
                         std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < wave.release_times().size(); ++i) {
    if (std::isinf(wave.release_times()[i]) && wave.release_times()[i] > 0.0) {
      warnings.push_back(fmt::format(
          "gait.soft_start: the reference of {} {} never comes within 3 degrees of zero: "
          "the joint is held for the whole run",
          joint, i + 1));
    }
  }
}

/// Every harmonic gait: a wave at the yaw joints, and one at the pitch joints if there are any.
/// What tells the gaits apart are their defaults, which the scenario has filled in.
std::unique_ptr<gait::Gait> make_harmonic(const scenario::Scenario& scenario, bool soft_start,
                                          std::vector<std::string>& warnings) {
  const scenario::Gait& gait = scenario.gait;
  const auto joints = static_cast<int>(scenario.robot.link.size()) - 1;
  gait::HarmonicOptions yaw{.amplitude = gait.amplitude_deg * degree,
                            .omega = gait.omega_deg * degree,
                            .phase = gait.phase_deg * degree,
                            .offset = gait.offset_deg * degree,
                            .soft_start = soft_start && gait.soft_start,
                            .start_time = scenario.controller.start_time};
  if (scenario.robot.angles() == joints) {
    auto made = std::make_unique<gait::Harmonic>(joints, yaw);
    warn_of_held_joints(*made, "joint", warnings);
    return made;
  }
  gait::HarmonicOptions pitch = yaw;
  pitch.amplitude = gait.vertical.amplitude_deg * degree;
  pitch.omega = gait.vertical.omega_deg * degree;
  pitch.phase = gait.vertical.phase_deg * degree;
  pitch.start_phase = gait.vertical.offset_phase_deg * degree;
  pitch.offset = 0.0;
  auto made = std::make_unique<gait::TwoAxes>(joints, yaw, pitch);
  warn_of_held_joints(made->yaw(), "yaw joint", warnings);
  warn_of_held_joints(made->pitch(), "pitch joint", warnings);
  return made;
}

std::unique_ptr<gait::Gait> make_table(const scenario::Scenario& scenario, bool /*soft_start*/,
                                       std::vector<std::string>& /*warnings*/) {
  return gait::load_table(scenario.gait.table, scenario.robot.angles());
}

/// The controller behind the scenario's measurement noise, if it has any.
std::unique_ptr<control::Controller> add_noise(const scenario::Scenario& scenario,
                                               std::unique_ptr<control::Controller> controller) {
  const scenario::Noise& noise = scenario.controller.noise;
  if (noise == scenario::Noise{}) return controller;
  return std::make_unique<control::NoisyMeasurement>(
      std::move(controller), control::NoiseOptions{.position = noise.position,
                                                   .heading = noise.heading_deg * degree,
                                                   .joint = noise.joint_deg * degree,
                                                   .velocity = noise.velocity,
                                                   .heading_rate = noise.heading_rate_deg * degree,
                                                   .joint_rate = noise.joint_rate_deg * degree,
                                                   .seed = scenario.seed});
}

std::unique_ptr<control::Controller> make_pd(const scenario::Scenario& scenario) {
  const scenario::Controller& controller = scenario.controller;
  return add_noise(scenario, std::make_unique<control::Pd>(
                                 control::PdOptions{.kp = controller.kp,
                                                    .kd = controller.kd,
                                                    .implicit_servo = controller.implicit_servo,
                                                    .start_time = controller.start_time,
                                                    .torque_limit = controller.torque_limit}));
}

std::unique_ptr<control::Controller> make_linearisation(const scenario::Scenario& scenario) {
  const scenario::Controller& controller = scenario.controller;
  return add_noise(scenario,
                   std::make_unique<control::InputOutputLinearisation>(
                       make_planar_model(scenario),
                       control::LinearisationOptions{.kp = controller.kp,
                                                     .kd = controller.kd,
                                                     .eps_C = scenario.world.friction_smoothing,
                                                     .start_time = controller.start_time,
                                                     .torque_limit = controller.torque_limit}));
}

}  // namespace

const std::vector<Entry<ModelFactory>>& models() {
  static const std::vector<Entry<ModelFactory>> entries{
      {"planar", "snake in the plane with set-valued friction and circular obstacles (Transeth 3)",
       make_planar},
      {"spatial", "snake in space on a floor among vertical cylinders, with rolling (Transeth 4)",
       make_spatial},
      {"minimal",
       "planar snake in minimal coordinates, the plant of model-based control (Transeth 6)",
       make_minimal},
  };
  return entries;
}

const std::vector<Entry<GaitFactory>>& gaits() {
  static const std::vector<Entry<GaitFactory>> entries{
      {"lateral_undulation", "a sine wave along the body, Transeth (7.1)", make_harmonic},
      {"sidewinding", "yaw and pitch waves a quarter turn apart, Transeth (7.5)", make_harmonic},
      {"lateral_rolling", "a U that rolls sideways, Transeth (7.4)", make_harmonic},
      {"sinus_lifting", "lateral undulation that lifts its crests, Transeth 2.4.2", make_harmonic},
      {"table", "joint angles over time from a CSV file, cubic in between", make_table},
  };
  return entries;
}

const std::vector<Entry<ControllerFactory>>& controllers() {
  static const std::vector<Entry<ControllerFactory>> entries{
      {"pd", "proportional-derivative joint servos, Transeth (3.51)", make_pd},
      {"input_output_linearisation",
       "torques that cancel the robot's own dynamics, Transeth (6.58), (6.60)", make_linearisation},
  };
  return entries;
}

}  // namespace coluber::simulation

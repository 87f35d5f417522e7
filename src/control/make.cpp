#include "control/make.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/control/input_output_linearisation.hpp"
#include "coluber/control/noisy_measurement.hpp"
#include "coluber/control/pd.hpp"
#include "coluber/control/prescribed.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/planar/keys.hpp"

#include "math/degree.hpp"
#include "planar/make.hpp"

namespace coluber::control {

namespace {

using math::degree;

/// Noise of link 1 is nothing to a controller that looks at the joints alone.
void warn_of_idle_noise(const drive::Build& build, const BaseNoiseKeys& base) {
  std::vector<std::string> idle;
  for (const auto& [word, width] :
       {std::pair{"position", base.position}, std::pair{"heading_deg", base.heading_deg},
        std::pair{"velocity", base.velocity},
        std::pair{"heading_rate_deg", base.heading_rate_deg}}) {
    if (width > 0.0) idle.push_back(fmt::format("controller.noise.{}", word));
  }
  if (idle.empty()) return;
  build.warnings.push_back(
      {idle.front(), fmt::format("{}: no effect, the controller \"{}\" looks at the joints, not "
                                 "at link 1",
                                 fmt::join(idle, ", "), build.controller)});
}

std::unique_ptr<Controller> add_noise(const drive::Build& build,
                                      std::unique_ptr<Controller> controller) {
  const NoiseKeys joints = build.get<NoiseKeys>();
  const auto* found = build.options.find<BaseNoiseKeys>();
  const BaseNoiseKeys base = found != nullptr ? *found : BaseNoiseKeys{};
  if (!controller->model_based()) warn_of_idle_noise(build, base);
  const NoiseOptions noise{.position = base.position,
                           .heading = base.heading_deg * degree,
                           .joint = joints.joint_deg * degree,
                           .velocity = base.velocity,
                           .heading_rate = base.heading_rate_deg * degree,
                           .joint_rate = joints.joint_rate_deg * degree,
                           .seed = build.seed};
  if (noise.is_zero()) return controller;
  return std::make_unique<NoisyMeasurement>(std::move(controller), noise);
}

}  // namespace

std::unique_ptr<Controller> make_pd(const drive::Build& build) {
  const auto& keys = build.get<ServoKeys>();
  return add_noise(
      build, std::make_unique<Pd>(PdOptions{.kp = keys.kp,
                                            .kd = keys.kd,
                                            .implicit_servo = keys.servo == ServoTime::in_step,
                                            .start_time = keys.start_time,
                                            .torque_limit = keys.torque_limit}));
}

std::unique_ptr<Controller> make_prescribed(const drive::Build& /*build*/) {
  return std::make_unique<Prescribed>();
}

std::unique_ptr<Controller> make_linearisation(const drive::Build& build) {
  const auto& keys = build.get<ServoKeys>();
  return add_noise(build,
                   std::make_unique<InputOutputLinearisation>(
                       planar::make_model(build.options),
                       LinearisationOptions{.kp = keys.kp,
                                            .kd = keys.kd,
                                            .eps_C = build.get<planar::Keys>().friction_smoothing,
                                            .start_time = keys.start_time,
                                            .torque_limit = keys.torque_limit}));
}

}  // namespace coluber::control

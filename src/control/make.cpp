#include "control/make.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/chain/wheel_keys.hpp"
#include "coluber/control/driven_wheels.hpp"
#include "coluber/control/force_loop.hpp"
#include "coluber/control/force_loop_keys.hpp"
#include "coluber/control/input_output_linearisation.hpp"
#include "coluber/control/noisy_measurement.hpp"
#include "coluber/control/path_following.hpp"
#include "coluber/control/path_keys.hpp"
#include "coluber/control/pd.hpp"
#include "coluber/control/prescribed.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/path/keys.hpp"
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
  const auto* wheels = build.options.find<WheelNoiseKeys>();
  const auto* found = build.options.find<BaseNoiseKeys>();
  const BaseNoiseKeys base = found != nullptr ? *found : BaseNoiseKeys{};
  if (!controller->model_based()) warn_of_idle_noise(build, base);
  const NoiseOptions noise{.position = base.position,
                           .heading = base.heading_deg * degree,
                           .joint = joints.joint_deg * degree,
                           .velocity = base.velocity,
                           .heading_rate = base.heading_rate_deg * degree,
                           .joint_rate = joints.joint_rate_deg * degree,
                           .wheel_rate = wheels != nullptr ? wheels->wheel_rate_deg * degree : 0.0,
                           .seed = build.seed};
  if (noise.is_zero()) return controller;
  return std::make_unique<NoisyMeasurement>(std::move(controller), noise);
}

/// The speed loop of the wheels.
WheelServoOptions make_wheel_servo(const drive::Build& build, ServoTime servo) {
  const auto& keys = build.get<WheelServoKeys>();
  return {keys.kw, servo == ServoTime::in_step, keys.wheel_torque_limit};
}

/// With the wheels driven, where there are any.
std::unique_ptr<Controller> add_wheels(const drive::Build& build, ServoTime servo,
                                       std::unique_ptr<Controller> controller) {
  if (build.options.find<WheelServoKeys>() == nullptr) return controller;
  std::vector<double> radius;
  for (const auto& axle : build.get<chain::WheelKeys>().link) radius.push_back(axle.wheel_radius);
  return std::make_unique<DrivenWheels>(std::move(controller), make_wheel_servo(build, servo),
                                        std::move(radius), build.get<SpeedKeys>().speed);
}

std::unique_ptr<Controller> make_path_following(const drive::Build& build,
                                                Coordination coordination) {
  const auto& keys = build.get<PathFollowingKeys>();
  const auto& servo = build.get<ServoKeys>();
  const auto& path_of = build.get<path::PathKeys>();
  const double speed = build.get<SpeedKeys>().speed;
  PathFollowingOptions options;
  options.coordination = coordination;
  options.path = path::make_path(path_of);
  const bool centre = keys.point == ControlPoint::centre;
  const auto& links = build.get<chain::Robot>().link;
  const auto& wheels = build.get<chain::WheelKeys>().link;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const double offset = centre ? links[i].cg_offset : wheels[i].axle_offset;
    options.modules.push_back({links[i].length, 0.5 * links[i].length + offset,
                               wheels[i].wheel_radius,
                               0.5 * links[i].length + wheels[i].axle_offset});
  }
  double length = 0.0;
  for (const chain::Link& link : links) length += link.length;
  options.shown_length =
      std::max(std::abs(speed) * build.duration + length, path::length_of(path_of).value_or(0.0));
  options.trailer = {keys.trailer->x(), keys.trailer->y()};
  options.heading = keys.heading;
  options.speed = speed;
  options.period = build.get<PeriodKeys>().period;
  options.duration = build.duration;
  options.reference = keys.reference;
  options.reference_rate = keys.reference_rate;
  options.update = keys.update;
  if (const auto* leader = build.options.find<LeaderKeys>()) {
    options.wheel_speeds = leader->wheel_speeds;
    options.odometry = leader->odometry;
  }
  options.kp = servo.kp;
  options.kd = servo.kd;
  options.implicit_servo = servo.servo == ServoTime::in_step;
  options.start_time = servo.start_time;
  options.torque_limit = servo.torque_limit;
  if (build.options.find<WheelServoKeys>() != nullptr) {
    options.wheels = make_wheel_servo(build, servo.servo);
    options.odometry_error = build.get<WheelNoiseKeys>().odometry;
  }
  return add_noise(build, std::make_unique<PathFollowing>(std::move(options)));
}

}  // namespace

std::unique_ptr<Controller> make_n_trailer(const drive::Build& build) {
  return make_path_following(build, Coordination::n_trailer);
}

std::unique_ptr<Controller> make_follow_the_leader(const drive::Build& build) {
  return make_path_following(build, Coordination::follow_the_leader);
}

std::unique_ptr<Controller> make_force_loop(const drive::Build& build) {
  const auto& keys = build.get<ForceLoopKeys>();
  const auto& servo = build.get<ServoKeys>();
  const auto& path = build.get<path::PathKeys>();
  const auto& map = build.get<ForceMapKeys>();
  constexpr double sliding = 1e-3;  // m/s
  ForceLoopOptions options;
  options.path = path::make_path(path);
  options.last_leads = path.leads == path::Leads::last;
  options.model = planar::make_model(build.options);
  if (keys.assumed_friction) {
    for (world::Obstacle& obstacle : options.model.obstacles) {
      obstacle.mu = keys.assumed_friction->x();
    }
    options.model.mu_T.setConstant(keys.assumed_friction->y());
  }
  options.mapping = make_options(map, servo.torque_limit);
  options.mapping.blend = sliding;
  options.wish = map.wish;
  options.speed = build.get<SpeedKeys>().speed;
  options.period = build.get<PeriodKeys>().period;
  options.lead = keys.lead;
  options.reach = keys.reach;
  options.map = keys.map;
  options.kp = servo.kp;
  options.kd = servo.kd;
  options.start_time = servo.start_time;
  options.torque_limit = servo.torque_limit;
  options.duration = build.duration;
  options.fault = [locate = build.locate](std::string key, std::string message, std::string hint) {
    return Diagnostic{locate(key), std::move(key), std::move(message), std::move(hint)};
  };
  return add_noise(build, std::make_unique<ForceLoop>(std::move(options)));
}

std::unique_ptr<Controller> make_pd(const drive::Build& build) {
  const auto& keys = build.get<ServoKeys>();
  auto pd = std::make_unique<Pd>(PdOptions{.kp = keys.kp,
                                           .kd = keys.kd,
                                           .implicit_servo = keys.servo == ServoTime::in_step,
                                           .start_time = keys.start_time,
                                           .torque_limit = keys.torque_limit});
  return add_noise(build, add_wheels(build, keys.servo, std::move(pd)));
}

std::unique_ptr<Controller> make_prescribed(const drive::Build& build) {
  return add_wheels(build, ServoTime::in_step, std::make_unique<Prescribed>());
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

#include "coluber/control/path_keys.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/chain/wheel_keys.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/path/keys.hpp"

#include "keys/limits.hpp"

namespace coluber::control {

namespace {

using keys::Check;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Ticks fall on steps.
void check_period(PeriodKeys& options, Check& check) {
  const auto* stepping = check.find_options<drive::Stepping>();
  if (stepping == nullptr || !check.is_sound("solver.dt") || !check.is_sound("controller.period"))
    return;
  const double ratio = options.period / stepping->dt;
  const double whole = std::round(ratio);
  if (whole >= 1.0 && std::abs(ratio - whole) <= 1e-6 * whole) return;
  check.fault(
      "controller.period",
      whole < 1.0
          ? fmt::format("{} s is less than one step of {} s", options.period, stepping->dt)
          : fmt::format("{} s is no multiple of the step of {} s", options.period, stepping->dt),
      whole < 1.0
          ? "raise period or lower solver.dt"
          : fmt::format("write  period = {:.6g}, or change solver.dt", whole * stepping->dt));
}

/// L_PJ and L_JP are the same of every link.
void check_trailer(PathFollowingKeys& options, Check& check) {
  const auto* wheels = check.find_options<chain::WheelKeys>();
  const auto* robot = check.find_options<chain::Robot>();
  if (wheels == nullptr || robot == nullptr || !robot->known || options.trailer) return;
  const auto lengths = [&](std::size_t i) {
    const double half = 0.5 * robot->link[i].length;
    const double offset = wheels->link[i].axle_offset;
    return Eigen::Vector2d{half + offset, half - offset};
  };
  for (std::size_t i = 1; i < robot->link.size(); ++i) {
    if (lengths(i) == lengths(0)) continue;
    check.fault(
        "controller.trailer",
        fmt::format("the links differ: link {} is {:.6g} and {:.6g} m long before and behind "
                    "its axle, link 1 {:.6g} and {:.6g} m",
                    i + 1, lengths(i).x(), lengths(i).y(), lengths(0).x(), lengths(0).y()),
        fmt::format("give those that the controller is to reckon with:  trailer = [{:.6g}, "
                    "{:.6g}]",
                    lengths(0).x(), lengths(0).y()));
    return;
  }
  options.trailer = lengths(0);
}

/// The head can be steered round the path's curves.
void check_curvature(const PathFollowingKeys& options, const path::PathKeys& keys, Check& check) {
  if (!options.trailer || !keys.sound || !check.is_sound("path")) return;
  const double kappa = path::make_path(keys)->max_curvature();
  const double steepest = std::tan(options.heading.limit);
  if (kappa * options.trailer->x() <= steepest) return;
  check.fault(
      "path",
      fmt::format("has a curvature of {:.4g} 1/m, a radius of {:.4g} m: the head, {:.4g} m "
                  "from its axle to its front, cannot be steered round less than {:.4g} m",
                  kappa, 1.0 / kappa, options.trailer->x(), options.trailer->x() / steepest),
      "take a wider path, or raise controller.heading.limit");
}

/// Only follow-the-leader counts its wheels' travel.
void check_wheel_noise(WheelNoiseKeys& /*options*/, Check& check) {
  if (!check.is_changed("controller.noise.odometry") || check.model().empty()) return;
  const auto* leader = check.find_options<LeaderKeys>();
  if (leader != nullptr && leader->odometry == Odometry::wheel) return;
  check.fault("controller.noise.odometry",
              leader == nullptr
                  ? fmt::format("\"{}\" does not count the wheels' travel", check.controller())
                  : "the distance is counted by the speed asked for, not by the wheels",
              leader == nullptr ? "leave it out, or write  name = \"follow_the_leader\""
                                : "leave it out, or write  odometry = \"wheel\"");
}

void check_path_following(PathFollowingKeys& options, Check& check) {
  if (check.find("gait") != nullptr) {
    check.fault("gait", fmt::format("\"{}\" makes the references itself", check.controller()),
                "leave [gait] out, or write  name = \"pd\"  in [controller]");
  }
  if (check.model().empty()) return;
  const auto* path = check.find_options<path::PathKeys>();
  if (path == nullptr || check.find_options<chain::WheelKeys>() == nullptr) {
    check.fault("controller.name",
                fmt::format("\"{}\" is for robots with wheels, \"{}\" has none", check.controller(),
                            check.model()),
                fmt::format("write  model = \"{}\"  in [robot], or take another controller",
                            check.models_with<chain::WheelKeys>().front()));
    return;
  }
  if (!path->shape && check.find("path") == nullptr) {
    check.fault("controller.name",
                fmt::format("\"{}\" follows a path, and there is no [path]", check.controller()),
                "add  [path]  with  shape = \"turn\"");
    return;
  }
  const auto* speed = check.find_options<SpeedKeys>();
  if (speed != nullptr && !(speed->speed > 0.0) && check.is_sound("controller.speed")) {
    check.fault(
        "controller.speed",
        fmt::format("expected a number > 0 with \"{}\", got {}", check.controller(), speed->speed),
        "link 1 leads; turn the path round, or take  name = \"pd\"");
  }
  for (const char* word : {"velocity", "heading_rate_deg"}) {
    const std::string key = fmt::format("controller.noise.{}", word);
    if (!check.is_changed(key)) continue;
    check.fault(key,
                fmt::format("\"{}\" looks at place and heading of link 1, not at how it moves",
                            check.controller()),
                "leave it out");
  }
  check_trailer(options, check);
  if (path->shape) check_curvature(options, *path, check);
}

}  // namespace

const keys::Section& speed_keys() {
  static const keys::Section section =
      keys::Table<SpeedKeys>("controller")
          .row({.name = "speed",
                .unit = "m/s",
                .min = -1e3,
                .max = 1e3,
                .doc = "speed of the wheels' rims; of link 1 for controllers that follow a path; "
                       "of the wish for "
                       "force_mapping",
                .example = "0.5"},
               &SpeedKeys::speed);
  return section;
}

const keys::Section& wheel_servo_keys() {
  static const keys::Section section =
      keys::Table<WheelServoKeys>("controller")
          .row({.name = "kw",
                .unit = "N m s/rad",
                .min = 0,
                .max = 1e9,
                .doc = "gain of the wheels' speed loop; 0: they roll freely",
                .example = "0.5"},
               &WheelServoKeys::kw)
          .row({.name = "wheel_torque_limit",
                .unit = "N m",
                .min = 0,
                .max = unlimited,
                .above_min = true,
                .infinity_allowed = true,
                .doc = "largest torque of a wheel motor, either way; inf: no limit",
                .example = "2.0"},
               &WheelServoKeys::wheel_torque_limit);
  return section;
}

const keys::Section& wheel_noise_keys() {
  static const keys::Section section =
      keys::Table<WheelNoiseKeys>("controller.noise")
          .row({.name = "wheel_rate_deg",
                .unit = "deg/s",
                .min = 0,
                .max = 1e6,
                .doc = "measurement noise of every wheel rate: uniform within plus and minus this, "
                       "new in every step, from seed",
                .example = "1.0"},
               &WheelNoiseKeys::wheel_rate_deg)
          .row({.name = "odometry",
                .min = -0.99,
                .max = 10,
                .doc = "wheel travel is measured too long by this share, all the time",
                .example = "0.02"},
               &WheelNoiseKeys::odometry)
          .check(check_wheel_noise);
  return section;
}

const keys::Section& period_keys() {
  static const keys::Section section =
      keys::Table<PeriodKeys>("controller")
          .row({.name = "period",
                .unit = "s",
                .min = 0,
                .max = keys::limits::duration,
                .above_min = true,
                .doc = "time between two looks at the robot, a multiple of solver.dt",
                .example = "0.025"},
               &PeriodKeys::period)
          .check(check_period);
  return section;
}

const keys::Section& path_following_keys() {
  static const keys::Section section =
      keys::Table<PathFollowingKeys>("controller")
          .row({.name = "reference",
                .choices = {{"hold", "at once, then constant until the next tick"},
                            {"ramp", "reached at the end of the period"}},
                .doc = "how joint references go from tick to tick",
                .example = "\"hold\""},
               &PathFollowingKeys::reference)
          .row({.name = "reference_rate",
                .doc = "the references' rate is used in the servo's derivative part",
                .example = "true"},
               &PathFollowingKeys::reference_rate)
          .row({.name = "update",
                .choices = {{"model", "from the references before"},
                            {"measured", "from the robot's own angles"}},
                .doc = "from which joint angles Murugendran (23) is integrated",
                .example = "\"model\""},
               &PathFollowingKeys::update)
          .row({.name = "point",
                .choices = {{"axle", "the middle of its shaft"},
                            {"centre", "its centre of gravity"}},
                .doc = "where a link is seen from the path: what the head is steered by and errors "
                       "are counted at",
                .example = "\"axle\""},
               &PathFollowingKeys::point)
          .row({.name = "trailer",
                .unit = "m",
                .default_note = "the links': length/2 + axle_offset, length/2 - axle_offset",
                .min = 0,
                .max = 1e4,
                .above_min = true,
                .doc = "L_PJ and L_JP: from a link's axle to its front and rear end, as the "
                       "controller reckons with them",
                .example = "[0.079, 0.043]"},
               &PathFollowingKeys::trailer)
          .row({.name = "heading.K",
                .unit = "rad/m",
                .min = 0,
                .max = 1e6,
                .doc = "gain of the steering, Murugendran (13)",
                .example = "1.5"},
               [](auto& keys) -> auto& { return keys.heading.K; })
          .row({.name = "heading.K_i",
                .unit = "1/s",
                .min = 0,
                .max = 1e6,
                .doc = "gain of its integral, Murugendran (15)",
                .example = "0.04"},
               [](auto& keys) -> auto& { return keys.heading.K_i; })
          .row({.name = "heading.T",
                .unit = "s",
                .min = 0,
                .max = 1e6,
                .doc = "time in which the head comes back to the path, Murugendran (13), (14)",
                .example = "2.0"},
               [](auto& keys) -> auto& { return keys.heading.T; })
          .row({.name = "heading.limit",
                .unit = "rad",
                .min = 0,
                .max = 1.57,
                .above_min = true,
                .doc = "largest steering angle of the head, below pi/2",
                .example = "1.2"},
               [](auto& keys) -> auto& { return keys.heading.limit; })
          .row({.name = "heading.anti_windup",
                .doc = "the integral stands still while the distance is clamped",
                .example = "true"},
               [](auto& keys) -> auto& { return keys.heading.anti_windup; })
          .check(check_path_following);
  return section;
}

const keys::Section& leader_keys() {
  static const keys::Section section =
      keys::Table<LeaderKeys>("controller")
          .row({.name = "wheel_speeds",
                .choices = {{"uniform", "all as fast as the head"},
                            {"chain", "as trailers that roll without slip, Murugendran (26)"}},
                .doc = "wheel speeds of follow-the-leader",
                .example = "\"uniform\""},
               &LeaderKeys::wheel_speeds)
          .row({.name = "odometry",
                .choices = {{"wheel", "by the wheels of link 1"},
                            {"reference", "by the speed asked for"}},
                .doc = "how follow-the-leader knows the distance travelled",
                .example = "\"wheel\""},
               &LeaderKeys::odometry);
  return section;
}

}  // namespace coluber::control

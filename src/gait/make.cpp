#include "gait/make.hpp"

#include <cmath>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/core/error.hpp"
#include "coluber/gait/harmonic.hpp"
#include "coluber/gait/keys.hpp"
#include "coluber/gait/table.hpp"

#include "math/degree.hpp"

namespace coluber::gait {

namespace {

using math::degree;

void warn_of_held_joints(const Harmonic& wave, const char* joint, const drive::Build& build) {
  for (std::size_t i = 0; i < wave.release_times().size(); ++i) {
    if (std::isinf(wave.release_times()[i]) && wave.release_times()[i] > 0.0) {
      build.warnings.push_back(
          {"gait.soft_start",
           fmt::format("gait.soft_start: the reference of {} {} never comes within 3 degrees of "
                       "zero: the joint is held for the whole run",
                       joint, i + 1)});
    }
  }
}

}  // namespace

std::unique_ptr<Gait> make_harmonic(const drive::Build& build, int joint_angles, bool soft_start) {
  const auto& keys = build.get<HarmonicKeys>();
  const auto* motors = build.options.find<control::ServoKeys>();
  const auto joints = static_cast<int>(build.get<chain::Robot>().link.size()) - 1;
  const HarmonicOptions yaw{.amplitude = keys.amplitude_deg * degree,
                            .omega = keys.omega_deg * degree,
                            .phase = keys.phase_deg * degree,
                            .offset = keys.offset_deg * degree,
                            .soft_start = soft_start && keys.soft_start,
                            .start_time = motors != nullptr ? motors->start_time : 0.0};
  if (joint_angles == joints) {
    auto made = std::make_unique<Harmonic>(joints, yaw);
    warn_of_held_joints(*made, "joint", build);
    return made;
  }
  const auto& vertical = build.get<VerticalKeys>();
  HarmonicOptions pitch = yaw;
  pitch.amplitude = vertical.amplitude_deg * degree;
  pitch.omega = *vertical.omega_deg * degree;
  pitch.phase = *vertical.phase_deg * degree;
  pitch.start_phase = vertical.offset_phase_deg * degree;
  pitch.offset = 0.0;
  auto made = std::make_unique<TwoAxes>(joints, yaw, pitch);
  warn_of_held_joints(made->yaw(), "yaw joint", build);
  warn_of_held_joints(made->pitch(), "pitch joint", build);
  return made;
}

std::unique_ptr<Gait> make_table(const drive::Build& build, int joint_angles, bool /*soft_start*/) {
  auto table = load_table(build.get<TableKeys>().table, joint_angles);
  const auto [angle, column] = table->largest();
  const auto* chain = build.options.find<chain::Robot>();  // a tree has none
  const int joints = chain != nullptr ? static_cast<int>(chain->link.size()) - 1 : joint_angles;
  if (joint_angles > joints && angle >= 90.0 * degree) {  // as of a harmonic gait
    throw InputError(build.fault(
        "gait.table",
        fmt::format("a cardan joint would reach {:.4g} deg by column phi_{}, its limit is below 90",
                    angle / degree, column + 1),
        "the thesis' joint angles are defined within ±90 deg (Transeth 4.5)"));
  }
  if (angle > 180.0 * degree) {
    build.warnings.push_back(
        {"gait.table",
         fmt::format("gait.table: column phi_{} reaches {:.4g} deg, more than half a turn; tables "
                     "are in degrees",
                     column + 1, angle / degree)});
  }
  const double first = table->first_time();
  const double last = table->last_time();
  if (last > first && (first >= build.duration || last <= 0.0)) {
    build.warnings.push_back(
        {"gait.table",
         fmt::format("gait.table: its times, {} to {} s, lie outside 0 to {} s: the joints are "
                     "held at its {} point for the whole run",
                     first, last, build.duration, last <= 0.0 ? "last" : "first")});
  }
  if (const auto over = table->overshoot()) {
    build.warnings.push_back(
        {"gait.table",
         fmt::format(
             "gait.table: between its points column phi_{} reaches {:.4g} deg at t = {:.4g} "
             "s, {:.4g} deg beyond all of its points ({:.4g} to {:.4g} deg): the cubic "
             "through them swings out there; add points where the angle turns or stops",
             over->joint + 1, over->angle / degree, over->time, over->excess() / degree,
             over->low / degree, over->high / degree)});
  }
  return table;
}

}  // namespace coluber::gait

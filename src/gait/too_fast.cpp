#include "gait/too_fast.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/drive/laws.hpp"
#include "coluber/gait/keys.hpp"
#include "coluber/gait/table.hpp"

#include "keys/limits.hpp"
#include "math/degree.hpp"

namespace coluber::gait {

namespace {

/// The fastest wave so far, and the key that says how fast it is.
struct Wave {
  std::string key{};
  double omega = 0.0;  ///< rad/s

  void add(std::string named, double amplitude, double rate) {
    if (amplitude == 0.0 || !(std::abs(rate) > omega)) return;
    key = std::move(named);
    omega = std::abs(rate);
  }
  void add(std::string named, const drive::Law& law) {
    using enum drive::LawKind;
    if (law.law == sin || law.law == one_minus_cos || law.law == ackermann) {
      add(std::move(named), law.amplitude, law.omega);
    }
  }
};

Wave find_fastest(const drive::Build& build, int joint_angles) {
  Wave wave;
  if (const auto* keys = build.options.find<HarmonicKeys>()) {
    wave.add("gait.omega_deg", keys->amplitude_deg, keys->omega_deg * math::degree);
    const auto* vertical = build.options.find<VerticalKeys>();
    const auto* robot = build.options.find<chain::Robot>();
    const bool pitches =
        robot != nullptr && joint_angles > static_cast<int>(robot->link.size()) - 1;
    if (vertical != nullptr && vertical->omega_deg && pitches) {
      wave.add("gait.vertical.omega_deg", vertical->amplitude_deg,
               *vertical->omega_deg * math::degree);
    }
  }
  if (const auto* laws = build.options.find<drive::Laws>()) {
    const auto add = [&](const char* list, const auto& entries) {
      for (std::size_t i = 0; i < entries.size(); ++i) {
        wave.add(fmt::format("gait.{}.{}.omega", list, i + 1), entries[i]);
      }
    };
    add("joint", laws->joint);
    add("wheel", laws->wheel);
    add("base", laws->base);
    if (laws->drive) wave.add("gait.drive.omega", *laws->drive);
  }
  return wave;
}

void warn_of_wave(const drive::Build& build, int joint_angles, double dt) {
  const Wave wave = find_fastest(build, joint_angles);
  const double period = 2.0 * std::numbers::pi / wave.omega;  // infinite without a wave
  // A period of twenty steps in decimals may miss them by a rounding.
  if (!(period / dt < steps_of_period * (1.0 - 1e-9))) return;
  const double enough = round_down(period / steps_of_period * (1.0 + 1e-9));
  build.warnings.push_back(
      {wave.key,
       fmt::format(
           "{}: the reference has a period of {:.4g} s, {:.4g} times solver.dt = {:.3g} s: "
           "with fewer than {:g} steps a period the joints do not follow this wave but what "
           "the steps meet of it; {}",
           wave.key, period, period / dt, dt, steps_of_period,
           enough >= keys::limits::least_dt
               ? fmt::format("write  dt = {:g}  in [solver], or take a slower gait", enough)
               : "take a slower gait")});
}

void warn_of_points(const drive::Build& build, const Table& table, double dt) {
  const auto skipped = table.skipped(dt, build.duration);
  if (!skipped) return;
  double enough = round_down(0.999 * dt);
  while (enough >= keys::limits::least_dt && table.skipped(enough, build.duration)) {
    enough = round_down(0.999 * enough);
  }
  const bool near = enough >= std::max(keys::limits::least_dt, 1e-3 * dt);
  build.warnings.push_back(
      {"gait.table",
       fmt::format(
           "gait.table: steps of solver.dt = {:.3g} s pass over points of it: at t = {:.4g} "
           "s column phi_{} is {:.3g} % of its range away from the line between the steps; "
           "{}leave points out",
           dt, skipped->time, skipped->joint + 1, 100.0 * skipped->share,
           near ? fmt::format("write  dt = {:g}  in [solver], or ", enough) : "")});
}

}  // namespace

double round_down(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {5.0, 2.0}) {
    if (digit * power <= x) return digit * power;
  }
  return power <= x ? power : 0.5 * power;  // where the logarithm was rounded up
}

void warn_of_fast_references(const drive::Build& build, const Gait& gait, int joint_angles,
                             double dt) {
  warn_of_wave(build, joint_angles, dt);
  if (const auto* table = dynamic_cast<const Table*>(&gait)) warn_of_points(build, *table, dt);
}

}  // namespace coluber::gait

#include "rod/too_coarse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "coluber/rod/keys.hpp"

namespace coluber::rod {

namespace {

constexpr double kStepsOfPeriod = 20.0;
constexpr double kElementsOfWave = 10.0;
constexpr double kBendOfElement = 0.5;  // rad

/// What of a shape is fastest, shortest and most bent, and the keys that say so.
struct Extremes {
  std::string rate_key{};
  double omega = 0.0;  ///< rad/s
  double wavelength = std::numeric_limits<double>::infinity();
  double curvature = 0.0;  ///< 1/m

  void add(std::string key, double rate, double length, double bend) {
    if (std::abs(rate) > omega) {
      rate_key = std::move(key);
      omega = std::abs(rate);
    }
    wavelength = std::min(wavelength, length);
    curvature += std::abs(bend);
  }
};

Extremes extremes_of(const StrainKeys& keys, double l, double duration) {
  const double k = 2.0 * std::numbers::pi / keys.wavelength;
  const double speed =
      std::max(std::abs(keys.speed), std::abs(keys.speed + keys.acceleration * duration));
  Extremes out;
  switch (keys.law) {
    case LawKind::undulation:
    case LawKind::spiral:
      out.add("strain.speed", k * speed, keys.wavelength, keys.amplitude);
      break;
    case LawKind::peristalsis:
      out.add("strain.speed", k * speed, keys.wavelength, 0.0);
      break;
    case LawKind::omega_bend:  // sin² ωt has half the period
      out.add("strain.omega", 2.0 * keys.omega, l, keys.amplitude * 2.0 * std::numbers::pi / l);
      break;
    case LawKind::swim:
      out.add("strain.omega", keys.omega, keys.wavelength, keys.amplitude * k);
      break;
    case LawKind::waves:
      for (std::size_t i = 0; i < keys.wave.size(); ++i) {
        const WaveKeys& wave = keys.wave[i];
        if (wave.amplitude == 0.0) continue;
        const bool bends = static_cast<int>(wave.component) >= 3;
        out.add(fmt::format("strain.wave.{}.omega", i + 1), wave.omega, wave.wavelength,
                bends ? wave.amplitude : 0.0);
      }
      break;
    case LawKind::table:
      break;
  }
  return out;
}

}  // namespace

void warn_of_coarse(const drive::Build& build, double dt) {
  const auto& robot = build.get<RobotKeys>();
  const Extremes shape = extremes_of(build.get<StrainKeys>(), robot.length, build.duration);
  const double period = 2.0 * std::numbers::pi / shape.omega;  // infinite at rest
  if (period / dt < kStepsOfPeriod * (1.0 - 1e-9)) {
    build.warnings.push_back(
        {shape.rate_key,
         fmt::format("{}: the shape has a period of {:.4g} s, {:.4g} times solver.dt = {:.3g} s: "
                     "fewer than {:g} steps a period do not follow it; write a smaller dt in "
                     "[solver], or take a slower shape",
                     shape.rate_key, period, period / dt, dt, kStepsOfPeriod)});
  }
  const double needed = std::max(kElementsOfWave * robot.length / shape.wavelength,
                                 shape.curvature * robot.length / kBendOfElement);
  if (robot.elements < needed * (1.0 - 1e-9)) {
    build.warnings.push_back(
        {"robot.elements",
         fmt::format(
             "robot.elements: {} are few for this shape: a wave needs {:g}, and none should "
             "bend by more than {:g} rad; {}",
             robot.elements, kElementsOfWave, kBendOfElement,
             needed <= 100000.0 ? fmt::format("write  elements = {:.0f}", std::ceil(needed))
                                : "bend the rod less")});
  }
}

}  // namespace coluber::rod

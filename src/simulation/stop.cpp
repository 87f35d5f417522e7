#include "simulation/stop.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace coluber::simulation {

StopConditions::StopConditions(const scenario::Scenario& scenario, const System& system)
    : stop_(scenario.stop), start_time_(scenario.controller.start_time) {
  // Links are the first moving bodies of every model.
  const auto moving = static_cast<std::size_t>(
      std::ranges::count_if(system.bodies(), [](const Body& body) { return body.moving; }));
  const std::size_t links = std::min(moving, scenario.robot.link.size());
  on_ = (stop_.past_x || stop_.stuck_s) && links > 0;
  if (!on_) return;
  for (std::size_t i = 0; i < links; ++i) {
    length_.push_back(scenario.robot.link[i].length);
    offset_.push_back(scenario.robot.link[i].cg_offset);
  }
  poses_.resize(7 * moving);
  centre_.resize(static_cast<Eigen::Index>(2 * links));
  update_centres(system);
  memory_ = {stop_.past_x && centre_(0) > *stop_.past_x, system.step_count(), centre_};
}

bool StopConditions::triggered(const System& system) {
  if (!on_) return false;
  update_centres(system);
  return is_past(system) || is_stuck(system);
}

/// Centres of gravity, which poses have `cg_offset` behind them on the link's axis.
void StopConditions::update_centres(const System& system) {
  system.poses(poses_);
  for (std::size_t i = 0; i < length_.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(2 * i);
    const double* pose = &poses_[7 * i];  // x y z qw qx qy qz
    const double axis_x = 1.0 - 2.0 * (pose[5] * pose[5] + pose[6] * pose[6]);
    const double axis_y = 2.0 * (pose[4] * pose[5] + pose[3] * pose[6]);
    centre_(at) = pose[0] + offset_[i] * axis_x;
    centre_(at + 1) = pose[1] + offset_[i] * axis_y;
  }
}

bool StopConditions::is_past(const System& system) {
  if (!stop_.past_x) return false;
  const double x = centre_(0);
  if (memory_.started_beyond ? !(x < *stop_.past_x) : !(x > *stop_.past_x)) return false;
  key_ = "stop.past_x";
  message_ =
      fmt::format("stopped at t = {:.6g} s: link 1 is past x = {} m", system.time(), *stop_.past_x);
  return true;
}

bool StopConditions::is_stuck(const System& system) {
  if (!stop_.stuck_s) return false;
  bool moved = system.time() < start_time_;
  for (std::size_t i = 0; i < length_.size() && !moved; ++i) {
    const auto at = static_cast<Eigen::Index>(2 * i);
    moved = std::hypot(centre_(at) - memory_.reference(at),
                       centre_(at + 1) - memory_.reference(at + 1)) >= length_[i];
  }
  if (moved) {
    memory_.since = system.step_count();
    memory_.reference = centre_;
    return false;
  }
  const double still = static_cast<double>(system.step_count() - memory_.since) * system.dt();
  if (still < *stop_.stuck_s - 1e-6 * system.dt()) return false;  // k·dt may miss it by a rounding
  key_ = "stop.stuck_s";
  message_ = fmt::format("stopped at t = {:.6g} s: stuck, no link moved its length within {} s",
                         system.time(), *stop_.stuck_s);
  return true;
}

}  // namespace coluber::simulation

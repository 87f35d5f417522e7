#include "simulation/stop.hpp"

#include <cmath>

#include <fmt/format.h>

namespace coluber::simulation {

StopConditions::StopConditions(const drive::Stop& stop, double start_time, const System& system)
    : stop_(stop),
      robot_(dynamic_cast<const Linked*>(&system)),
      placed_(robot_ == nullptr ? dynamic_cast<const Placed*>(&system) : nullptr),
      start_time_(start_time) {
  if (!stop_.past_x && !stop_.stuck_s) robot_ = nullptr;
  if (!stop_.past_x) placed_ = nullptr;
  if (robot_ == nullptr && placed_ == nullptr) return;
  centre_.resize(robot_ != nullptr ? 2 * static_cast<Eigen::Index>(robot_->link_count()) : 2);
  look();
  memory_ = {stop_.past_x && centre_(0) > *stop_.past_x, system.step_count(), centre_};
}

void StopConditions::look() {
  if (robot_ != nullptr) {
    robot_->link_centres(centre_);
  } else {
    centre_ = placed_->place().head<2>();
  }
}

bool StopConditions::triggered(const System& system) {
  if (robot_ == nullptr && placed_ == nullptr) return false;
  look();
  return is_past(system) || is_stuck(system);
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
  if (!stop_.stuck_s || robot_ == nullptr) return false;
  bool moved = system.time() < start_time_;
  for (int i = 0; i < robot_->link_count() && !moved; ++i) {
    const Eigen::Index at = 2 * static_cast<Eigen::Index>(i);
    moved = std::hypot(centre_(at) - memory_.reference(at),
                       centre_(at + 1) - memory_.reference(at + 1)) >= robot_->link_length(i);
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

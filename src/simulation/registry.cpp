#include "coluber/simulation/registry.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "coluber/control/pd.hpp"
#include "coluber/gait/harmonic.hpp"
#include "coluber/gait/table.hpp"
#include "coluber/simulation/make_planar.hpp"

namespace coluber::simulation {

namespace {

constexpr double degree = 0.017453292519943295;  // rad

int joint_count(const scenario::Scenario& scenario) {
  return static_cast<int>(scenario.robot.link.size()) - 1;
}

std::unique_ptr<gait::Gait> make_lateral_undulation(const scenario::Scenario& scenario,
                                                    bool soft_start,
                                                    std::vector<std::string>& warnings) {
  const scenario::Gait& gait = scenario.gait;
  auto made = std::make_unique<gait::Harmonic>(
      joint_count(scenario), gait::HarmonicOptions{.amplitude = gait.amplitude_deg * degree,
                                                   .omega = gait.omega_deg * degree,
                                                   .phase = gait.phase_deg * degree,
                                                   .offset = gait.offset_deg * degree,
                                                   .soft_start = soft_start && gait.soft_start,
                                                   .start_time = scenario.controller.start_time});
  for (std::size_t i = 0; i < made->release_times().size(); ++i) {
    if (std::isinf(made->release_times()[i]) && made->release_times()[i] > 0.0) {
      warnings.push_back(fmt::format(
          "gait.soft_start: the reference of joint {} never comes within 3 degrees of zero: "
          "the joint is held for the whole run",
          i + 1));
    }
  }
  return made;
}

std::unique_ptr<gait::Gait> make_table(const scenario::Scenario& scenario, bool /*soft_start*/,
                                       std::vector<std::string>& /*warnings*/) {
  return gait::load_table(scenario.gait.table, joint_count(scenario));
}

std::unique_ptr<control::Controller> make_pd(const scenario::Scenario& scenario) {
  const scenario::Controller& controller = scenario.controller;
  return std::make_unique<control::Pd>(
      control::PdOptions{.kp = controller.kp,
                         .kd = controller.kd,
                         .implicit_servo = controller.implicit_servo,
                         .start_time = controller.start_time,
                         .torque_limit = controller.torque_limit});
}

}  // namespace

const std::vector<Entry<ModelFactory>>& models() {
  static const std::vector<Entry<ModelFactory>> entries{
      {"planar", "snake in the plane with set-valued friction and circular obstacles (Transeth 3)",
       make_planar},
  };
  return entries;
}

const std::vector<Entry<GaitFactory>>& gaits() {
  static const std::vector<Entry<GaitFactory>> entries{
      {"lateral_undulation", "a sine wave along the body (Transeth 7.1)", make_lateral_undulation},
      {"table", "joint angles over time from a CSV file, cubic in between", make_table},
  };
  return entries;
}

const std::vector<Entry<ControllerFactory>>& controllers() {
  static const std::vector<Entry<ControllerFactory>> entries{
      {"pd", "proportional-derivative joint servos (Transeth 3.51)", make_pd},
  };
  return entries;
}

}  // namespace coluber::simulation

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "coluber/control/controller.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"
#include "coluber/gait/gait.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {

/// A word of the scenario (`robot.model`, `gait.name`, `controller.name`) and what it builds.
template <typename Factory>
struct Entry {
  std::string_view name;
  std::string_view doc;  ///< one line
  Factory make;
};

/// Builds the robot in its world; `start_phi` (rad) are the joint angles at t = 0.
using ModelFactory = std::unique_ptr<System> (*)(const scenario::Scenario&,
                                                 const Eigen::VectorXd& start_phi,
                                                 std::vector<std::string>& warnings);
/// Builds the references; with `soft_start` off those that give the shape at the start.
using GaitFactory = std::unique_ptr<gait::Gait> (*)(const scenario::Scenario&, bool soft_start,
                                                    std::vector<std::string>& warnings);
using ControllerFactory = std::unique_ptr<control::Controller> (*)(const scenario::Scenario&);

COLUBER_EXPORT const std::vector<Entry<ModelFactory>>& models();
COLUBER_EXPORT const std::vector<Entry<GaitFactory>>& gaits();
COLUBER_EXPORT const std::vector<Entry<ControllerFactory>>& controllers();

}  // namespace coluber::simulation

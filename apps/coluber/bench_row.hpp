#pragma once

#include <limits>
#include <string>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "bench_scenes.hpp"

namespace coluber::app {

/// What a scene took at one size. NaN and null: has no meaning for it.
struct BenchRow {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  std::string name;
  int n = 0;
  double dt = none;  ///< s
  nlohmann::ordered_json law;
  nlohmann::ordered_json solver;
  double us_per_step = 0.0;
  double residual_max = none;
  double iterations_mean = none;
  double iterations_max = none;
  double contacts_mean = none;
  Eigen::Vector2d displacement =
      Eigen::Vector2d::Constant(none);  ///< of the mean of the links' centres (m)
  double failed_steps = none;
  nlohmann::ordered_json phases;
  double assembly_us = none;  ///< force maps: matrices of one instant …
  double qp_us = none;        ///< … its quadratic program from cold …
  double qp_warm_us = none;   ///< … and from the active set of the last
};

/// Times a scene that is for a command, such as force-map.
BenchRow measure_study(const BenchScene& scene, int n, int repeat);

}  // namespace coluber::app

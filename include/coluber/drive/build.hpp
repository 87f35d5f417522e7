#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/error.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/shape.hpp"
#include "coluber/keys/check.hpp"

namespace coluber::drive {

using keys::Warning;

/// The references of a scenario's gait at t = 0.
struct StartShape {
  Eigen::VectorXd phi;  ///< rad
  /// Angle of link 1 (rad) for which the mean line of its wave lies along the direction 0; none
  /// where the references are no wave, or less than half of one.
  std::optional<double> mean_line{};
};

/// What a factory builds from: the scenario's options and what is known of it so far.
struct Build {
  const keys::OptionSet& options;
  std::string model;       ///< the words of the scenario
  std::string controller;  ///< "": none
  std::uint64_t seed = 0;
  double duration = 0.0;  ///< s
  /// Where a key was given, for a fault that is found only now.
  std::function<SourceLocation(std::string_view key)> locate;
  /// Asked for once by a model that starts in its gait's shape; null where there is no gait.
  std::function<StartShape()> gait_start{};
  /// The gait's references at any instant, for a model whose shape is given and that needs no
  /// controller: one coordinate per `ModelKeys::joint_angles`. Null where there is no gait.
  std::function<std::shared_ptr<const Shape>()> gait_shape{};
  /// For a study: the scenario's system at its start. Throws InputError. Null for other components.
  std::function<std::unique_ptr<System>()> make_system{};
  std::vector<Warning>& warnings;

  /// Options of type T. Throws Error if the scenario has none.
  template <typename T>
  [[nodiscard]] const T& get() const {
    const T* found = options.find<T>();
    if (found == nullptr) throw Error("this scenario's components have no such options");
    return *found;
  }
  /// A fault of a key.
  [[nodiscard]] Diagnostic fault(std::string key, std::string message, std::string hint) const {
    return {locate(key), std::move(key), std::move(message), std::move(hint)};
  }
};

}  // namespace coluber::drive

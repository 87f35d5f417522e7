#pragma once

#include <optional>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::chain {

/// `[start]` of a robot that may start on a path.
struct PathStart {
  std::optional<bool> on_path{};  ///< when checked, it is set
  double speed = 0.0;             ///< m/s, forward
};

/// `[start]` of a robot on wheels on a path, which starts straight.
struct WheelStart {
  double offset = 0.0;  ///< m, left of the path
};

/// `[start]` of a robot that is laid on a path, with its joints and both ends on it.
struct TrainStart {
  double s = 0.0;  ///< m, arc length of its rear end
};

/// The keys of PathStart.
COLUBER_EXPORT const keys::Section& path_start_keys();
/// The keys of WheelStart.
COLUBER_EXPORT const keys::Section& wheel_start_keys();
/// The keys of TrainStart.
COLUBER_EXPORT const keys::Section& train_start_keys();

}  // namespace coluber::chain

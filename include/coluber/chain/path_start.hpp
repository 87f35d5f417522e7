#pragma once

#include <optional>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::chain {

/// `[start]` of a robot on wheels that may start on a path.
struct PathStart {
  std::optional<bool> on_path{};  ///< when checked, it is set
  double offset = 0.0;            ///< m, left of the path
  double speed = 0.0;             ///< m/s, along the body
};

/// The keys of PathStart.
COLUBER_EXPORT const keys::Section& path_start_keys();

}  // namespace coluber::chain

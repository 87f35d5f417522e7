#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/core/error.hpp"
#include "coluber/drive/build.hpp"

namespace coluber::chain {

/// How deep a robot starts inside each obstacle: a start that is none.
class Overlaps {
 public:
  static constexpr double allowed = 1e-6;  ///< m

  explicit Overlaps(std::size_t obstacles) : deepest_(obstacles) {}

  /// `link`, counted from 0, is so deep (m) inside this obstacle.
  void note(std::size_t obstacle, int link, double depth) {
    if (depth > deepest_[obstacle].second) deepest_[obstacle] = {link, depth};
  }
  /// One fault for every obstacle that it is too deep in.
  [[nodiscard]] std::vector<Diagnostic> faults(const drive::Build& build) const {
    const auto* start = build.options.find<PathStart>();
    const bool on_path = start != nullptr && start->on_path.value_or(false);
    const bool laid = build.options.find<TrainStart>() != nullptr;
    const char* hint = !on_path ? "move the obstacle or start.position, or turn start.heading_deg"
                       : laid   ? "move the obstacle, or start elsewhere on the path with start.s"
                                : "move the obstacle or the path";
    std::vector<Diagnostic> found;
    for (std::size_t j = 0; j < deepest_.size(); ++j) {
      const auto& [link, depth] = deepest_[j];
      if (depth <= allowed) continue;
      found.push_back(build.fault(
          fmt::format("world.obstacle.{}", j + 1),
          fmt::format("link {} starts {:.3g} m inside this obstacle", link + 1, depth), hint));
    }
    return found;
  }
  /// Throws InputError if there are any.
  void refuse(const drive::Build& build) const {
    std::vector<Diagnostic> found = faults(build);
    if (!found.empty()) throw InputError(std::move(found));
  }

 private:
  std::vector<std::pair<int, double>> deepest_;
};

}  // namespace coluber::chain

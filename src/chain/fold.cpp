#include "chain/fold.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace coluber::chain {

// Two segments m + s e, |s| <= h. The nearest points of the two lines, held to the segments one
// after the other; the second one may move the first again.
double compute_core_distance(const PlacedCapsule& a, const PlacedCapsule& b) {
  const Eigen::Vector3d d = b.middle - a.middle;
  const double along = a.axis.dot(b.axis);
  const double square = 1.0 - along * along;  // 0: parallel
  double s = 0.0;
  if (square > 1e-12) s = (a.axis.dot(d) - along * b.axis.dot(d)) / square;
  s = std::clamp(s, -a.half_core, a.half_core);
  const double t =
      std::clamp(b.axis.dot(a.middle + s * a.axis - b.middle), -b.half_core, b.half_core);
  s = std::clamp(a.axis.dot(b.middle + t * b.axis - a.middle), -a.half_core, a.half_core);
  return (d + t * b.axis - s * a.axis).norm();
}

std::optional<std::pair<int, int>> find_fold(std::span<const PlacedCapsule> links) {
  constexpr std::int64_t most_pairs = 20'000'000;  // looked at; a coil of very many links has more
  const std::size_t n = links.size();
  double longest = 0.0;
  double reach = 0.0;
  std::vector<double> along(n, 0.0);  // of the middles, in a straight robot (m)
  for (std::size_t i = 0; i < n; ++i) {
    longest = std::max(longest, links[i].length);
    reach = std::max(reach, links[i].half_core + links[i].radius);
    if (i > 0) along[i] = along[i - 1] + 0.5 * (links[i - 1].length + links[i].length);
  }
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n;) {
      if (++pairs > most_pairs) return std::nullopt;
      const double apart = (links[j].middle - links[i].middle).norm();
      const double radius = std::max(links[i].radius, links[j].radius);
      const double straight = along[j] - along[i];
      const bool neighbours = j == i + 1;
      const double cores = neighbours ? 0.0 : links[i].half_core + links[j].half_core;
      if (apart < radius + cores && straight - cores >= radius &&
          (neighbours || compute_core_distance(links[i], links[j]) < radius)) {
        return std::pair{static_cast<int>(i), static_cast<int>(j)};
      }
      // middles of neighbours are at most `longest` apart: none before this one can be near
      const double far = apart - links[i].half_core - links[i].radius - reach;
      j += far > longest ? static_cast<std::size_t>(far / longest) : 1;
    }
  }
  return std::nullopt;
}

bool warn_of_fold(const drive::Build& build, std::span<const PlacedCapsule> links) {
  const auto fold = find_fold(links);
  if (!fold) return false;
  build.warnings.push_back(
      {"start.shape", fmt::format("start.shape: the robot starts folded onto itself: link {} lies "
                                  "within link {}; links do not touch each other in this model",
                                  fold->second + 1, fold->first + 1)});
  return true;
}

}  // namespace coluber::chain

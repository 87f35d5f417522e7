#include "chain/start_heading.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "coluber/chain/plane_start.hpp"
#include "coluber/chain/robot.hpp"

#include "math/degree.hpp"

namespace coluber::chain {

void warn_of_heading(const drive::Build& build, std::span<const PlacedCapsule> links,
                     const Eigen::Matrix<double, 3, 2>& axes) {
  constexpr double notable = 30.0;   // deg
  constexpr double rolled_up = 0.1;  // of the length of the straight robot
  double length = 0.0;
  for (const PlacedCapsule& link : links) length += link.length;
  const Eigen::Vector2d chord = axes.transpose() * (links.back().middle - links.front().middle);
  if (!(chord.norm() > rolled_up * length)) return;
  const double off = std::atan2(chord.y(), chord.x()) / math::degree;
  if (!(std::abs(off) > notable)) return;
  const bool in_plane = build.options.find<PlaneStart>() != nullptr;
  const double heading = build.get<Start>().heading_deg;
  build.warnings.push_back(
      {"start.heading_deg",
       fmt::format("start.heading_deg = {}: link {} lies at {:.4g} deg as seen from link 1, {:.3g} "
                   "deg off: the robot starts bent to one side; for another posture write a list "
                   "in start.shape{}, for another direction another heading_deg",
                   heading, links.size(), heading + off, std::abs(off),
                   in_plane ? " or start.link_angle" : "")});
}

}  // namespace coluber::chain

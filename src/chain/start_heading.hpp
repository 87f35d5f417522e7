#pragma once

#include <span>

#include <Eigen/Core>

#include "coluber/drive/build.hpp"

#include "chain/fold.hpp"

namespace coluber::chain {

/// A robot of which the last link lies more than 30 degrees off `start.heading_deg` as seen from
/// link 1 is warned of. `axes` has the heading and, to its left, the direction across it. One that
/// is rolled up lies in no direction.
void warn_of_heading(const drive::Build& build, std::span<const PlacedCapsule> links,
                     const Eigen::Matrix<double, 3, 2>& axes);

}  // namespace coluber::chain

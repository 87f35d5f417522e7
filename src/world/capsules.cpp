#include "coluber/world/capsules.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace coluber::world {
namespace {

using Eigen::Vector3d;

// Share of the segment p + t d, t in [0, 1], nearest to the point x; 0 on one of no length.
double nearest_share(const Vector3d& p, const Vector3d& d, const Vector3d& x) {
  const double length2 = d.squaredNorm();
  return length2 > 0.0 ? std::clamp(d.dot(x - p) / length2, 0.0, 1.0) : 0.0;
}

struct Ball {
  Vector3d middle;
  double radius;
};

// Around the capsule.
Ball ball_around(const Capsule& a) {
  return {0.5 * (a.start + a.end), 0.5 * (a.end - a.start).norm() + a.radius};
}

}  // namespace

// The square of the distance is convex in (s, t): its least value on the unit square is where its
// gradient vanishes, if that is inside, else on an edge, where one end meets a segment. All five
// are tried; nothing is divided by the nearly vanishing determinant of nearly parallel segments
// unless the result beats the ends.
SegmentsNearest find_nearest(const Capsule& a, const Capsule& b) {
  const Vector3d d = a.end - a.start;
  const Vector3d e = b.end - b.start;
  SegmentsNearest nearest{.distance = std::numeric_limits<double>::infinity()};
  const auto take = [&](double s, double t) {
    const double distance = (a.start + s * d - b.start - t * e).squaredNorm();
    if (!(distance >= nearest.distance)) nearest = {.distance = distance, .s = s, .t = t};
  };
  take(0.0, nearest_share(b.start, e, a.start));
  take(1.0, nearest_share(b.start, e, a.end));
  take(nearest_share(a.start, d, b.start), 0.0);
  take(nearest_share(a.start, d, b.end), 1.0);

  const Vector3d r = a.start - b.start;
  const double dd = d.squaredNorm();
  const double de = d.dot(e);
  const double ee = e.squaredNorm();
  const double determinant = dd * ee - de * de;  // |d × e|²
  if (determinant > 0.0) {
    const double s = (de * e.dot(r) - ee * d.dot(r)) / determinant;
    if (s > 0.0 && s < 1.0) take(s, nearest_share(b.start, e, a.start + s * d));
  }
  nearest.distance = std::sqrt(nearest.distance);
  return nearest;
}

double compute_distance(const Capsule& a, const Capsule& b) {
  return find_nearest(a, b).distance - a.radius - b.radius;
}

SelfDistance compute_self_distance(std::span<const Capsule> chain, int skip) {
  SelfDistance least;
  const auto first_gap = static_cast<std::size_t>(std::max(skip, 0)) + 1;
  for (std::size_t i = 0; i + first_gap < chain.size(); ++i) {
    const Ball around_i = ball_around(chain[i]);
    for (std::size_t j = i + first_gap; j < chain.size(); ++j) {
      const Ball around_j = ball_around(chain[j]);
      const double reach = least.distance + around_i.radius + around_j.radius;
      if (reach <= 0.0 || (around_i.middle - around_j.middle).squaredNorm() >= reach * reach) {
        continue;  // the balls around them are no nearer
      }
      const double distance = compute_distance(chain[i], chain[j]);
      if (distance < least.distance) {
        least = {.distance = distance, .first = static_cast<int>(i), .second = static_cast<int>(j)};
      }
    }
  }
  return least;
}

}  // namespace coluber::world

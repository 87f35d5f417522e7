#include "coluber/world/prism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coluber/core/assert.hpp"

namespace coluber::world {
namespace {

using Eigen::Index;
using Eigen::Vector2d;

Vector2d turned_right(const Vector2d& v) { return {v.y(), -v.x()}; }

// The point of the segment from p to q nearest to x.
Vector2d nearest_on(const Vector2d& p, const Vector2d& q, const Vector2d& x) {
  const Vector2d d = q - p;
  const double length2 = d.squaredNorm();
  const double share = length2 > 0.0 ? std::clamp(d.dot(x - p) / length2, 0.0, 1.0) : 0.0;
  return p + share * d;
}

}  // namespace

// Two convex shapes in the plane are apart if and only if a line along an edge of one separates
// them. If none does, the way out is across the edge that comes nearest to separating them; if one
// does, the nearest points are an end of one edge and a point of another.
PrismPoint locate_on_prism(const Eigen::Ref<const Eigen::Matrix2Xd>& corners, const Vector2d& a,
                           const Vector2d& b) {
  const Index n = corners.cols();
  COLUBER_ASSERT(n >= 3, n);
  PrismPoint out{.g = -std::numeric_limits<double>::infinity()};
  const auto separate = [&](double g, const Vector2d& normal) {
    if (g > out.g) out = {.g = g, .normal = normal};
  };
  for (Index i = 0; i < n; ++i) {
    const Vector2d corner = corners.col(i);
    const Vector2d normal = turned_right(corners.col((i + 1) % n) - corner).normalized();
    separate(std::min(normal.dot(a - corner), normal.dot(b - corner)), normal);
  }
  const Vector2d along = b - a;
  if (along.squaredNorm() > 0.0) {
    const Vector2d normal = turned_right(along).normalized();
    double least = std::numeric_limits<double>::infinity();  // of the corners, along the normal
    double most = -least;
    for (Index i = 0; i < n; ++i) {
      const double height = normal.dot(corners.col(i) - a);
      least = std::min(least, height);
      most = std::max(most, height);
    }
    separate(-most, normal);
    separate(least, -normal);
  }
  if (out.g <= 0.0) return out;

  double nearest = std::numeric_limits<double>::infinity();
  Vector2d way = out.normal;
  const auto take = [&](const Vector2d& from, const Vector2d& to) {
    const double distance = (to - from).squaredNorm();
    if (distance < nearest) {
      nearest = distance;
      way = to - from;
    }
  };
  for (Index i = 0; i < n; ++i) {
    const Vector2d corner = corners.col(i);
    const Vector2d next = corners.col((i + 1) % n);
    take(nearest_on(corner, next, a), a);
    take(nearest_on(corner, next, b), b);
    take(corner, nearest_on(a, b, corner));
  }
  out.g = std::sqrt(nearest);
  if (out.g > 0.0) out.normal = way / out.g;
  return out;
}

}  // namespace coluber::world

#include "coluber/path/tracker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "coluber/math/sincos.hpp"

namespace coluber::path {
namespace {

/// Of one candidate: how far ahead the point is, t.(p - c), and how far to the left, n.(p - c).
struct Seen {
  PathPoint at;
  double ahead = 0.0;
  double left = 0.0;
};

Seen look(const Path& path, double s, const Vector2d& point) {
  Seen seen{path.at(s)};
  Vector2d t;
  math::sincos(seen.at.theta, t.y(), t.x());
  const Vector2d away = point - seen.at.r;
  seen.ahead = t.dot(away);
  seen.left = t.x() * away.y() - t.y() * away.x();
  return seen;
}

}  // namespace

// The way ahead falls with s at the rate 1 - kappa z: Newton, kept between the places where the
// point was last seen ahead and behind, since the curvature may jump.
Deviation track(const Path& path, double s, const Vector2d& point) {
  constexpr int most = 200;
  constexpr double farthest = 0.1;   // of one step (m)
  constexpr double flattest = 0.05;  // slope that a step reckons with at least
  double behind = -std::numeric_limits<double>::infinity();  // the point is ahead of this s
  double ahead = std::numeric_limits<double>::infinity();
  Seen seen = look(path, s, point);
  for (int i = 0; i < most && seen.ahead != 0.0; ++i) {
    (seen.ahead > 0.0 ? behind : ahead) = s;
    const double slope = std::max(1.0 - seen.at.kappa * seen.left, flattest);
    double next = s + std::clamp(seen.ahead / slope, -farthest, farthest);
    if (!(next > behind && next < ahead)) next = 0.5 * (behind + ahead);
    if (next == s || next == behind || next == ahead) break;
    s = next;
    seen = look(path, s, point);
  }
  return {s, seen.left, seen.at.theta, seen.at.kappa};
}

double heading_error(double heading, const Deviation& deviation) {
  const double error = std::remainder(heading - deviation.theta, 2.0 * std::numbers::pi);
  return error > -std::numbers::pi ? error : std::numbers::pi;
}

}  // namespace coluber::path

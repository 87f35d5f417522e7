#include "coluber/path/train.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "coluber/core/assert.hpp"
#include "coluber/math/atan2.hpp"

#include "math/direction.hpp"

namespace coluber::path {
namespace {

/// A point of the path, and the chord to it from the point behind.
struct Coupled {
  double s = 0.0;
  PathPoint at;
  Vector2d t = Vector2d::UnitX();  // direction of travel
  Vector2d chord = Vector2d::Zero();
};

Coupled couple(const Path& path, double s, const Vector2d& rear) {
  Coupled front{s, path.at(s), {}, {}};
  front.t = math::direction(front.at.theta);
  front.chord = front.at.r - rear;
  return front;
}

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Turned a quarter to the left.
Vector2d left_of(const Vector2d& t) { return {-t.y(), t.x()}; }

/// theta plus full turns, within pi of `near`.
double unwind(double theta, double near) {
  return near + std::remainder(theta - near, 2.0 * std::numbers::pi);
}

/// How much of the front's way is along the link, at least: below, the link stands square to the
/// path.
constexpr double kSquare = 1e-8;

/// The first point of the path beyond s at the distance L from the point `rear` at s. False: there
/// is none that the link could slide on from.
///
/// With the chord d, g = |d|² has g' = 2 d.t and g'' = 2 (1 + kappa d.n) <= 2 c, c = 1 + kappa_max
/// L, as long as |d| <= L. So g(s + h) <= g + g' h + c h², and the h at which this parabola reaches
/// L² passes no crossing: it is Newton's step near one, and never stands still before.
bool find_front(const Path& path, double s, const Vector2d& rear, double L, Coupled& front) {
  constexpr double farthest = 32.0;  // link lengths
  constexpr int most = 1'000'000;
  const double c = 1.0 + path.max_curvature() * L;
  const double end = s + farthest * L;
  front = couple(path, s, rear);
  double at = s + L;  // no chord is longer than its arc
  for (int i = 0; i < most && at <= end; ++i) {
    front = couple(path, at, rear);
    const double gap = L * L - front.chord.squaredNorm();
    const double slope = front.chord.dot(front.t);  // g'/2
    const double root = std::sqrt(slope * slope + c * std::max(gap, 0.0));
    const double h = slope > 0.0 ? gap / (slope + root) : (root - slope) / c;
    if (!(h > 1e-9 * L)) {
      if (!(slope > kSquare * L)) return false;
      break;
    }
    at += h;
  }
  if (!(at <= end)) return false;

  // Newton on the distance itself, until it gains nothing
  double miss = std::abs(front.chord.norm() - L);
  for (int i = 0; i < 8; ++i) {
    const double distance = front.chord.norm();
    const double slope = front.chord.dot(front.t) / distance;
    if (!(slope > kSquare)) return false;
    const Coupled next = couple(path, front.s + (L - distance) / slope, rear);
    const double left = std::abs(next.chord.norm() - L);
    if (!(left < miss)) break;
    front = next;
    miss = left;
  }
  return miss <= 1e-9 * L;
}

}  // namespace

// The chord equation |d|² = L², d = r_(k+1) - r_k, differentiated once and twice:
// d.(v_(k+1) - v_k) = 0 and |v_(k+1) - v_k|² + d.(a_(k+1) - a_k) = 0 with v = s' t and
// a = s'' t + kappa s'² n; d x v and d x a give the link's rate and its acceleration, as |d| stays.
bool lay_train(const Path& path, std::span<const double> length, double s, double speed,
               double acceleration, Train& train) {
  const auto n = static_cast<Eigen::Index>(length.size());
  train.s.resize(n + 1);
  for (Eigen::Matrix2Xd* points : {&train.r, &train.v, &train.a}) points->resize(2, n + 1);
  for (Eigen::VectorXd* links : {&train.theta, &train.omega, &train.alpha}) links->resize(n);

  Coupled rear{s, path.at(s), {}, {}};
  rear.t = math::direction(rear.at.theta);
  double theta = rear.at.theta;
  const auto place = [&](Eigen::Index k, const Coupled& point) {
    train.s(k) = point.s;
    train.r.col(k) = point.at.r;
    train.v.col(k) = speed * point.t;
    train.a.col(k) = acceleration * point.t + point.at.kappa * speed * speed * left_of(point.t);
  };
  place(0, rear);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double L = length[static_cast<std::size_t>(k)];
    COLUBER_ASSERT(L > 0.0, k, L);
    Coupled front;
    if (!find_front(path, rear.s, rear.at.r, L, front)) {
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      train.s.tail(n - k).setConstant(nan);
      for (Eigen::Matrix2Xd* points : {&train.r, &train.v, &train.a}) {
        points->rightCols(n - k).setConstant(nan);
      }
      for (Eigen::VectorXd* links : {&train.theta, &train.omega, &train.alpha}) {
        links->tail(n - k).setConstant(nan);
      }
      return false;
    }
    const Vector2d& d = front.chord;
    const double along = d.dot(front.t);
    const Vector2d v = train.v.col(k);
    const Vector2d a = train.a.col(k);
    speed = d.dot(v) / along;
    const Vector2d apart = speed * front.t - v;
    acceleration = (d.dot(a) - front.at.kappa * speed * speed * d.dot(left_of(front.t)) -
                    apart.squaredNorm()) /
                   along;
    place(k + 1, front);

    theta = unwind(math::atan2(d.y(), d.x()), theta);
    train.theta(k) = theta;
    train.omega(k) = cross(d, apart) / (L * L);
    train.alpha(k) = cross(d, train.a.col(k + 1) - a) / (L * L);
    rear = front;
  }
  return true;
}

}  // namespace coluber::path

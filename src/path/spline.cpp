// The cubic spline through points, parametrised by arc length.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/LU>

#include "coluber/core/assert.hpp"
#include "coluber/math/atan2.hpp"
#include "coluber/math/sincos.hpp"
#include "coluber/path/path.hpp"

#include "quadrature.hpp"

namespace coluber::path {
namespace {

/// Second derivatives of a C2 cubic spline with these steps between its knots: the tridiagonal
/// system of its continuous first derivatives, solved by elimination. Open: zero at both ends.
/// Closed: the last knot is the first, and the two corner entries are a correction of rank one
/// (Sherman and Morrison).
std::vector<Vector2d> find_second_derivatives(const std::vector<Vector2d>& points,
                                              const std::vector<double>& h, bool closed) {
  const std::size_t count = points.size();
  std::vector<Vector2d> second(count, Vector2d::Zero());
  const std::size_t first = closed ? 0 : 1;
  const std::size_t size = closed ? count : count - 2;
  if (!closed && count < 3) return second;

  std::vector<double> diagonal(size);
  std::vector<double> upper(size);  // entry (i, i + 1), and by symmetry (i + 1, i)
  std::vector<Vector2d> right(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t k = i + first;
    const double before = h[(k + count - 1) % count];
    const double after = h[k];
    diagonal[i] = 2.0 * (before + after);
    upper[i] = after;
    right[i] = 6.0 * ((points[(k + 1) % count] - points[k]) / after -
                      (points[k] - points[(k + count - 1) % count]) / before);
  }
  const auto solve = [&](std::vector<double> pivot, auto answer) {
    for (std::size_t i = 1; i < size; ++i) {
      const double factor = upper[i - 1] / pivot[i - 1];
      pivot[i] -= factor * upper[i - 1];
      answer[i] -= factor * answer[i - 1];
    }
    answer[size - 1] = answer[size - 1] / pivot[size - 1];
    for (std::size_t i = size - 1; i-- > 0;) {
      answer[i] = (answer[i] - upper[i] * answer[i + 1]) / pivot[i];
    }
    return answer;
  };
  if (!closed) {
    std::ranges::copy(solve(diagonal, right), second.begin() + 1);
    return second;
  }
  const double corner = upper[size - 1];
  const double gamma = -diagonal[0];
  std::vector<double> pivot = diagonal;
  pivot[0] -= gamma;
  pivot[size - 1] -= corner * corner / gamma;
  std::vector<double> u(size, 0.0);
  u[0] = gamma;
  u[size - 1] = corner;
  const std::vector<Vector2d> y = solve(pivot, right);
  const std::vector<double> q = solve(pivot, u);
  const double scale = 1.0 / (1.0 + q[0] + corner / gamma * q[size - 1]);
  const Vector2d along = scale * (y[0] + corner / gamma * y[size - 1]);
  for (std::size_t i = 0; i < size; ++i) second[i] = y[i] - q[i] * along;
  return second;
}

class Spline final : public Path {
 public:
  /// `measured`: with its lengths, for at().
  Spline(const std::vector<Vector2d>& points, bool closed, bool measured = true) : closed_(closed) {
    COLUBER_ASSERT(points.size() >= (closed ? 3U : 2U), points.size());
    const std::size_t count = points.size();
    std::vector<double> h;
    for (std::size_t i = 0; i < count; ++i) {  // centripetal; open: the last is not used
      h.push_back(std::sqrt((points[(i + 1) % count] - points[i]).norm()));
      COLUBER_ASSERT(h.back() > 0.0 || (!closed && i + 1 == count), i);
    }
    const std::vector<Vector2d> second = find_second_derivatives(points, h, closed);
    const std::size_t spans = closed ? count : count - 1;
    for (std::size_t i = 0; i < spans; ++i) {
      const std::size_t j = (i + 1) % count;
      const Vector2d slope =
          (points[j] - points[i]) / h[i] - h[i] / 6.0 * (2.0 * second[i] + second[j]);
      spans_.push_back(
          {points[i], slope, 0.5 * second[i], (second[j] - second[i]) / (6.0 * h[i]), h[i]});
    }
    if (measured) measure();
  }

  [[nodiscard]] PathPoint at(double s) const override {
    const double length = nodes_.back().s;
    double laps = 0.0;
    if (closed_) {
      laps = std::floor(s / length);
      s -= laps * length;
    } else if (s < 0.0 || s > length) {
      const Node& end = s < 0.0 ? nodes_.front() : nodes_.back();
      Vector2d t;
      math::sincos(end.theta, t.y(), t.x());
      return {end.r + (s - end.s) * t, end.theta, 0.0};
    }
    const auto next = std::ranges::upper_bound(nodes_, s, {}, &Node::s);
    const auto last = static_cast<std::ptrdiff_t>(nodes_.size()) - 2;
    const Node& node = nodes_[static_cast<std::size_t>(
        std::clamp(next - nodes_.begin() - 1, std::ptrdiff_t{0}, last))];
    const Span& span = spans_[node.span];
    // Newton on the length from the node on, whose derivative is the speed
    const double step = node.to - node.t;
    double t = node.t + step * (s - node.s) / node.length;
    for (int i = 0; i < 4; ++i) {
      const double off = length_of(span, node.t, t) - (s - node.s);
      t = std::clamp(t - off / span.velocity(t).norm(), node.t - step, node.t + 2.0 * step);
    }
    PathPoint point = span.point(t);
    const double turned = math::atan2(span.velocity(t).y(), span.velocity(t).x()) - node.theta;
    point.theta = node.theta + std::remainder(turned, 2.0 * std::numbers::pi) + laps * turning_;
    return point;
  }
  [[nodiscard]] double max_curvature() const override { return steepest_; }

  /// Where its velocity vanishes, to rounding: points[i] is where span i begins.
  [[nodiscard]] std::optional<std::size_t> find_stop() const {
    constexpr double none = 1e-6;  // of the mean speed of a span
    constexpr int looks = 16;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const Span& span = spans_[i];
      const double mean = (span.point(span.h).r - span.a).norm() / span.h;
      const auto speed = [&](double t) { return span.velocity(t).norm(); };
      for (int look = 0; look <= looks; ++look) {  // the least speed next to each place
        double left = span.h * std::max(0.0, (look - 1.0) / looks);
        double right = span.h * std::min(1.0, (look + 1.0) / looks);
        for (int k = 0; k < 60; ++k) {
          const double third = (right - left) / 3.0;
          if (speed(left + third) < speed(right - third)) {
            right -= third;
          } else {
            left += third;
          }
        }
        if (speed(0.5 * (left + right)) > none * mean) continue;
        const bool end = 0.5 * (left + right) > 0.5 * span.h;
        return closed_ ? (i + (end ? 1 : 0)) % spans_.size() : i + (end ? 1 : 0);
      }
    }
    return std::nullopt;
  }

 private:
  struct Span {  // a + b t + c t² + d t³, t from 0 to h
    Vector2d a, b, c, d;
    double h;
    [[nodiscard]] Vector2d velocity(double t) const { return b + t * (2.0 * c + 3.0 * t * d); }
    [[nodiscard]] PathPoint point(double t) const {
      const Vector2d v = velocity(t);
      const Vector2d w = 2.0 * c + 6.0 * t * d;
      const double speed = v.norm();
      return {a + t * (b + t * (c + t * d)), 0.0,
              (v.x() * w.y() - v.y() * w.x()) / (speed * speed * speed)};
    }
  };
  struct Node {  // where a panel begins; the last: where the path ends
    double s = 0.0;
    double theta = 0.0;
    Vector2d r = Vector2d::Zero();
    std::size_t span = 0;
    double t = 0.0, to = 0.0;
    double length = 0.0;  // of its panel
  };

  static double length_of(const Span& span, double from, double to) {
    return integrate(from, to, 0.0, [&](double t) { return span.velocity(t).norm(); });
  }

  /// Lengths, directions and the largest curvature, in panels so short that eight Gauss points are
  /// exact.
  void measure() {
    constexpr double exact = 1e-15;
    constexpr int deepest = 30;  // halvings of a span
    double s = 0.0;
    double theta = math::atan2(spans_[0].b.y(), spans_[0].b.x());
    const double first = theta;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const Span& span = spans_[i];
      const auto add = [&](const auto& self, double from, double to, int depth) -> void {
        const double middle = 0.5 * (from + to);
        const double length = length_of(span, from, middle) + length_of(span, middle, to);
        const Vector2d v = span.velocity(to);
        const double turn =
            std::remainder(math::atan2(v.y(), v.x()) - theta, 2.0 * std::numbers::pi);
        const bool good = std::abs(length - length_of(span, from, to)) <= exact * span.h * span.h;
        if (depth < deepest && (!good || std::abs(turn) > 0.5)) {
          self(self, from, middle, depth + 1);
          self(self, middle, to, depth + 1);
          return;
        }
        nodes_.push_back({s, theta, span.point(from).r, i, from, to, length});
        s += length;
        theta += turn;
        steepest_ = std::max(steepest_, steepest_between(span, from, to));
      };
      for (int quarter = 0; quarter < 4; ++quarter) {
        add(add, 0.25 * span.h * quarter, 0.25 * span.h * (quarter + 1), 0);
      }
    }
    const Span& end = spans_.back();
    nodes_.push_back({s, theta, end.point(end.h).r, spans_.size() - 1, end.h, end.h, 0.0});
    turning_ = 2.0 * std::numbers::pi * std::round((theta - first) / (2.0 * std::numbers::pi));
  }

  /// Largest |kappa| of a panel: of nine places the best, then between its neighbours.
  static double steepest_between(const Span& span, double from, double to) {
    constexpr int looks = 8;
    const auto steep = [&](double t) { return std::abs(span.point(t).kappa); };
    double best = from;
    for (int look = 1; look <= looks; ++look) {
      const double t = from + (to - from) / looks * look;
      if (steep(t) > steep(best)) best = t;
    }
    double left = std::max(from, best - (to - from) / looks);
    double right = std::min(to, best + (to - from) / looks);
    for (int i = 0; i < 60; ++i) {
      const double third = (right - left) / 3.0;
      if (steep(left + third) < steep(right - third)) {
        left += third;
      } else {
        right -= third;
      }
    }
    return std::max(steep(best), steep(0.5 * (left + right)));
  }

  bool closed_;
  double turning_ = 0.0;  // of one lap (rad)
  double steepest_ = 0.0;
  std::vector<Span> spans_;
  std::vector<Node> nodes_;
};

}  // namespace

std::unique_ptr<Path> make_spline(const std::vector<Vector2d>& points, bool closed) {
  return std::make_unique<Spline>(points, closed);
}

std::optional<std::size_t> find_turning_back(const std::vector<Vector2d>& points, bool closed) {
  return Spline(points, closed, false).find_stop();
}

}  // namespace coluber::path

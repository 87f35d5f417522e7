// Paths whose curvature is piecewise linear in the arc length.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "coluber/core/assert.hpp"
#include "coluber/math/sincos.hpp"
#include "coluber/path/path.hpp"

#include "math/direction.hpp"
#include "quadrature.hpp"

namespace coluber::path {
namespace {

using math::direction;

/// sin(x)/x.
double sinc(double x) {
  if (std::abs(x) < 1e-3) return 1.0 - x * x / 6.0 * (1.0 - x * x / 20.0);
  double s = 0.0;
  double c = 0.0;
  math::sincos(x, s, c);
  return s / x;
}

/// A line or an arc from `start`: the chord is sinc(kappa s/2) s long and halfway in direction.
PathPoint follow_arc(const PathPoint& start, double kappa, double s) {
  const double half_turn = 0.5 * kappa * s;
  return {start.r + s * sinc(half_turn) * direction(start.theta + half_turn),
          start.theta + kappa * s, kappa};
}

/// A clothoid by panels within which it turns by little: eight Gauss points are then exact.
class Clothoid {
 public:
  Clothoid(const PathPoint& start, const Piece& piece)
      : start_(start),
        curvature_(piece.curvature),
        sharpness_((piece.curvature_end - piece.curvature) / piece.length) {
    constexpr double turn = 0.5;  // of a panel, at most (rad)
    const double steepest = std::max(std::abs(piece.curvature), std::abs(piece.curvature_end));
    const double count = std::ceil(steepest * piece.length / turn) + 1.0;
    panel_ = piece.length / count;
    for (double i = 0.0; i < count; ++i) {
      const double from = panel_ * i;
      places_.push_back(places_.empty() ? start.r : places_.back() + move(from - panel_, from));
    }
  }

  [[nodiscard]] PathPoint at(double s) const {
    const auto last = static_cast<double>(places_.size() - 1);
    const double panel = std::clamp(std::floor(s / panel_), 0.0, last);
    return {places_[static_cast<std::size_t>(panel)] + move(panel * panel_, s), theta(s),
            curvature_ + sharpness_ * s};
  }

 private:
  [[nodiscard]] double theta(double s) const {
    return start_.theta + s * (curvature_ + 0.5 * sharpness_ * s);
  }
  [[nodiscard]] Vector2d move(double from, double to) const {
    return integrate(from, to, Vector2d{Vector2d::Zero()},
                     [&](double s) -> Vector2d { return direction(theta(s)); });
  }

  PathPoint start_;
  double curvature_, sharpness_, panel_ = 0.0;
  std::vector<Vector2d> places_;  // where the panels begin
};

class Pieces final : public Path {
 public:
  Pieces(const PathPoint& start, const std::vector<Piece>& pieces) {
    COLUBER_ASSERT(!pieces.empty());
    PathPoint at = start;
    double s = 0.0;
    for (const Piece& piece : pieces) {
      COLUBER_ASSERT(piece.length > 0.0, piece.length);
      const bool bends = piece.curvature_end != piece.curvature;
      parts_.push_back({s, at, piece.curvature, bends ? static_cast<int>(clothoids_.size()) : -1});
      if (bends) clothoids_.emplace_back(at, piece);
      at = bends ? clothoids_.back().at(piece.length)
                 : follow_arc(at, piece.curvature, piece.length);
      s += piece.length;
      steepest_ = std::max({steepest_, std::abs(piece.curvature), std::abs(piece.curvature_end)});
    }
    if (clothoids_.empty() || parts_.back().clothoid < 0) return;
    parts_.push_back({s, at, pieces.back().curvature_end, -1});  // goes on as it ends
  }

  [[nodiscard]] PathPoint at(double s) const override {
    if (s < 0.0) return follow_arc(parts_.front().start, 0.0, s);
    const auto next = std::ranges::upper_bound(parts_, s, {}, &Part::s);
    const Part& part = *std::prev(next);
    if (part.clothoid >= 0)
      return clothoids_[static_cast<std::size_t>(part.clothoid)].at(s - part.s);
    return follow_arc(part.start, part.kappa, s - part.s);
  }
  [[nodiscard]] double max_curvature() const override { return steepest_; }

 private:
  struct Part {
    double s;  // where it begins
    PathPoint start;
    double kappa;
    int clothoid;  // -1: a line or an arc
  };
  std::vector<Part> parts_;
  std::vector<Clothoid> clothoids_;
  double steepest_ = 0.0;
};

class Eight final : public Path {
 public:
  Eight(const PathPoint& start, double straight, double radius)
      : start_(start), straight_(straight), radius_(radius) {
    crossing_ = follow_arc(start, 0.0, straight);
  }

  [[nodiscard]] PathPoint at(double s) const override {
    if (s < straight_) return follow_arc(start_, 0.0, s);
    const double round = 2.0 * std::numbers::pi * radius_;
    const double circle = std::floor((s - straight_) / round);
    const bool left = std::fmod(circle, 2.0) == 0.0;
    return follow_arc(crossing_, (left ? 1.0 : -1.0) / radius_, s - straight_ - circle * round);
  }
  [[nodiscard]] double max_curvature() const override { return 1.0 / radius_; }

 private:
  PathPoint start_, crossing_;
  double straight_, radius_;
};

}  // namespace

std::unique_ptr<Path> make_pieces(const PathPoint& start, const std::vector<Piece>& pieces) {
  return std::make_unique<Pieces>(start, pieces);
}

std::unique_ptr<Path> make_eight(const PathPoint& start, double straight, double radius) {
  return std::make_unique<Eight>(start, straight, radius);
}

}  // namespace coluber::path

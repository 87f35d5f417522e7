#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"

/// Curves in the plane that a robot follows, by arc length.
///
/// | letter      | code    | meaning                                       | unit | Murugendran |
/// |-------------|---------|-----------------------------------------------|------|-------------|
/// | s           | `s`     | arc length from the path's start              | m    | fig. 2      |
/// | θ_σ         | `theta` | direction of travel, continuous along s       | rad  | (13)        |
/// | κ           | `kappa` | curvature, positive to the left               | 1/m  | (16)        |
namespace coluber::path {

using Eigen::Vector2d;

/// A point of a path.
struct PathPoint {
  Vector2d r = Vector2d::Zero();  ///< m
  double theta = 0.0;             ///< rad
  double kappa = 0.0;             ///< 1/m
};

/// A curve for every arc length, also before its start and beyond its end.
class COLUBER_EXPORT Path {
 public:
  Path() = default;
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  virtual ~Path() = default;

  /// The point at the arc length s (m). Bit-identical on every processor.
  [[nodiscard]] virtual PathPoint at(double s) const = 0;
  /// Largest |kappa| of the whole path (1/m).
  [[nodiscard]] virtual double max_curvature() const = 0;
};

/// A part of a path whose curvature is linear in s: line, arc or clothoid.
struct Piece {
  double length = 0.0;         ///< m
  double curvature = 0.0;      ///< at its start (1/m)
  double curvature_end = 0.0;  ///< at its end (1/m)
};

/// Pieces one behind the other from `start` on, whose curvature is ignored; straight before s = 0.
/// The last piece continues for ever, with the curvature of its end. Needs at least one piece, and
/// lengths > 0.
COLUBER_EXPORT std::unique_ptr<Path> make_pieces(const PathPoint& start,
                                                 const std::vector<Piece>& pieces);

/// A straight lead-in, then full circles of this radius (m) to the left and to the right in turn.
COLUBER_EXPORT std::unique_ptr<Path> make_eight(const PathPoint& start, double straight,
                                                double radius);

/// The serpenoid curve: theta = start.theta + amplitude cos(2 pi s/wavelength) (rad, m), for every
/// s; `start` is where s = 0 lies.
COLUBER_EXPORT std::unique_ptr<Path> make_serpenoid(const PathPoint& start, double amplitude,
                                                    double wavelength);

/// The cubic spline through points (m), C2, with centripetal parameters. Open: its second
/// derivative vanishes at both ends, and it continues straight. Closed: the last point joins the
/// first, and the path goes round for ever; the first is not repeated. Needs two points, three if
/// closed, no two neighbours equal; it has no direction where it turns back.
COLUBER_EXPORT std::unique_ptr<Path> make_spline(const std::vector<Vector2d>& points, bool closed);

/// Number of the point, from 0, next to where that spline stops and turns back along the line that
/// it came; none if it does so nowhere.
COLUBER_EXPORT std::optional<std::size_t> find_turning_back(const std::vector<Vector2d>& points,
                                                            bool closed);

}  // namespace coluber::path

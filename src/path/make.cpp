#include <cmath>
#include <limits>

#include "coluber/core/assert.hpp"
#include "coluber/path/keys.hpp"

#include "math/degree.hpp"

namespace coluber::path {

namespace {

using math::degree;

/// Arcs of a shape that is a straight, arcs and a straight: +1 is one of `turn_deg`, -2 two of them
/// the other way.
std::vector<double> arcs_of(Shape shape) {
  switch (shape) {
    case Shape::turn:
      return {1.0};
    case Shape::s:
      return {1.0, -1.0};
    case Shape::slalom:
      return {1.0, -2.0, 1.0};
    default:
      return {};
  }
}

}  // namespace

std::unique_ptr<Path> make_path(const PathKeys& keys) {
  COLUBER_ASSERT(keys.shape.has_value());
  const PathPoint start{keys.position, keys.heading_deg * degree, 0.0};
  const double straight = keys.straight.value_or(0.0);
  std::vector<Piece> pieces;
  const auto add = [&](double length, double from, double to) {
    if (length > 0.0) pieces.push_back({length, from, to});
  };
  switch (*keys.shape) {
    case Shape::eight:
      return make_eight(start, straight, keys.radius);
    case Shape::serpenoid:
      return make_serpenoid(start, keys.amplitude, keys.wavelength);
    case Shape::spline:
      return make_spline(keys.points, keys.closed);
    case Shape::pieces:
      for (const PieceKeys& piece : keys.piece) {
        add(piece.length, piece.curvature, piece.curvature_end.value_or(piece.curvature));
      }
      break;
    case Shape::circle:
      add(straight, 0.0, 0.0);
      add(1.0, 1.0 / keys.radius, 1.0 / keys.radius);  // and on
      break;
    default:
      add(straight, 0.0, 0.0);
      for (const double arc : arcs_of(*keys.shape)) {
        const double turn = arc * keys.turn_deg * degree;
        const double kappa = (turn < 0.0 ? -1.0 : 1.0) / keys.radius;
        add(keys.radius * std::abs(turn), kappa, kappa);
      }
      add(1.0, 0.0, 0.0);  // and on
  }
  return make_pieces(start, pieces);
}

std::optional<double> length_of(const PathKeys& keys) {
  if (!keys.shape) return std::nullopt;
  const std::vector<double> arcs = arcs_of(*keys.shape);
  if (arcs.empty()) return std::nullopt;
  double length = 2.0 * keys.straight.value_or(1.0);  // the default, also of unchecked keys
  for (const double arc : arcs) length += keys.radius * std::abs(arc * keys.turn_deg * degree);
  return length;
}

}  // namespace coluber::path

#include "coluber/path/shown.hpp"

#include <algorithm>
#include <cmath>

namespace coluber::path {

namespace {

constexpr double kFewest = 400.0;
constexpr double kMost = 20000.0;
constexpr double kTurn = 0.05;  // rad between chords

}  // namespace

Body make_path_body(const Path& path, double from, double to) {
  // neighbouring chords meet at kappa times their length
  const double chords = std::ceil(path.max_curvature() * std::abs(to - from) / kTurn);
  const int points = static_cast<int>(chords < kMost ? std::max(chords, kFewest) : kMost);
  Body body;
  body.name = "path";
  body.shape = ShapeKind::tube;
  body.size = {0.002};
  body.colour = "#e69f00";
  for (int k = 0; k <= points; ++k) {
    const Vector2d r = path.at(from + (to - from) * k / points).r;
    body.points.emplace_back(r.x(), r.y(), 0.0);
  }
  return body;
}

}  // namespace coluber::path

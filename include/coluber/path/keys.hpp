#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"
#include "coluber/path/path.hpp"

namespace coluber::path {

/// Shapes of `[path]`, in the order of the key's choices.
enum class Shape : std::uint8_t {
  line,
  circle,
  turn,
  s,
  slalom,
  eight,
  serpenoid,
  pieces,
  spline,
};

/// Which end of the robot is in front.
enum class Leads : std::uint8_t { first, last };

/// One `[[path.piece]]`.
struct PieceKeys {
  double length = 0.0;                    ///< m
  double curvature = 0.0;                 ///< 1/m, left positive
  std::optional<double> curvature_end{};  ///< none: as `curvature`
};

/// `[path]`.
struct PathKeys {
  std::optional<Shape> shape{};  ///< none: there is no path
  Vector2d position = Vector2d::Zero();
  double heading_deg = 0.0;
  Leads leads = Leads::first;
  double radius = 0.75;
  double turn_deg = 90.0;
  std::optional<double> straight{};  ///< when checked, it is set
  double amplitude = 0.99;           ///< rad
  double wavelength = 0.765;
  std::filesystem::path table{};   ///< when checked, it is empty and `points` has its rows
  std::vector<Vector2d> points{};  ///< of a spline
  bool closed = false;
  std::vector<PieceKeys> piece{};
  bool sound = false;  ///< when checked: there is a path, and nothing of it has been refused
};

/// The keys of PathKeys.
COLUBER_EXPORT const keys::Section& path_keys();

/// The path of keys that are sound and have a shape.
COLUBER_EXPORT std::unique_ptr<Path> make_path(const PathKeys& keys);

/// Arc length (m) at which a turn, an s or a slalom is done, its way out as long as its way in.
COLUBER_EXPORT std::optional<double> length_of(const PathKeys& keys);

}  // namespace coluber::path

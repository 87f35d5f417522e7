#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"

namespace coluber::record {

/// One thing a run draws, as the recorder wrote it down; no model is needed to draw it.
struct DrawnBody {
  std::string name;   ///< link_1 …, wheel_1_left, obstacle_1 …, ground
  std::string shape;  ///< capsule, sphere, cylinder, box, circle, tube, wheel, plane; or other
  std::vector<double> size;  ///< m, as in `Body` (core/shown.hpp); wheel: radius, width along y
  std::string colour;        ///< "#rrggbb"
  std::string parent;        ///< body it hangs on; "": not said
  /// x y z qw qx qy qz of a body that stands still; moving bodies have a field instead.
  std::array<double, 7> pose{0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  /// Points of a tube that stands still (m, world axes).
  std::vector<std::array<double, 3>> points;
  std::optional<std::size_t> pose_field;      ///< its pose in every frame
  std::optional<std::size_t> polyline_field;  ///< the points of a curve that moves
  std::optional<std::size_t> radius_field;    ///< kind profile: radius at each of those points (m)

  /// It has a pose or a curve in every frame.
  [[nodiscard]] bool moving() const { return pose_field || polyline_field; }
};

/// Floats of every frame that belong together.
struct DrawnField {
  std::string name;  ///< link_1.pose, link_1.contact, …
  std::string kind;  ///< pose, contact, polyline, profile, …
  std::string body;  ///< "": of none
  std::string unit;  ///< SI
  std::size_t offset = 0;
  std::size_t count = 0;
};

/// Bodies of a run and where they are in each of its frames: what a picture is drawn from.
struct COLUBER_EXPORT Drawing {
  std::vector<DrawnBody> bodies;
  std::vector<DrawnField> fields;
  std::size_t floats = 0;     ///< per frame
  std::size_t frames = 0;     ///< those of the trajectory, one for one
  std::vector<float> values;  ///< frames × floats, row-major

  /// The floats of a field in a frame. Throws Error if there is no such field or frame.
  [[nodiscard]] std::span<const float> at(std::size_t field, std::size_t frame) const;
  /// x y z qw qx qy qz of a body in a frame; of one that stands still its one pose.
  [[nodiscard]] std::array<double, 7> pose(const DrawnBody& body, std::size_t frame) const;
  /// The points of a body's curve in a frame (m, world axes); none if it is no curve.
  [[nodiscard]] std::vector<std::array<double, 3>> points(const DrawnBody& body,
                                                          std::size_t frame) const;
};

/// Joins the JSON text of a replay's header with the floats of its frames; `name` is what messages
/// call it. Throws FileError if the header is damaged or the floats are not those of whole frames.
COLUBER_EXPORT Drawing make_drawing(std::string_view header, std::vector<float> values,
                                    const std::string& name);

/// The drawing of a run folder: from `trajectory.h5`; of a run that was recorded before it was kept
/// there, from `replay.json` and `replay.bin`; of a run that goes on or was cut off, from its
/// frames so far. Without bodies where the folder holds none of these. Throws FileError if what is
/// there is damaged.
COLUBER_EXPORT Drawing load_drawing(const std::filesystem::path& run_folder);

}  // namespace coluber::record

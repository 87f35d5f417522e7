#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "coluber/record/drawing.hpp"

namespace coluber::app {

/// A ground that is not level: x and y lie in it, z is its normal.
struct Slope {
  double tilt_deg = 0.0;
  double direction_deg = 0.0;  ///< downhill, from the x axis
};

/// What a picture of a run shows besides its numbers.
struct Scene {
  std::string title;
  record::Drawing drawing;  ///< bodies, and where they are in the frames of the trajectory
  std::optional<Slope> slope{};
  std::optional<double> torque_limit{};  ///< N m, of the joints; none: unlimited
};

/// `scenario.resolved` of a run folder's run.json; null where it says none. Throws FileError.
nlohmann::ordered_json load_resolved(const std::filesystem::path& run_folder);

/// The slope of a scenario; none on level ground.
std::optional<Slope> slope_of(const nlohmann::ordered_json& resolved);

/// Of a run folder: the drawing it holds, the title of its run.json, which says if the run is
/// partial. Throws FileError.
Scene load_scene(const std::filesystem::path& run_folder);

}  // namespace coluber::app

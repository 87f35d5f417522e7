#pragma once

#include <filesystem>
#include <string>

#include "coluber/record/drawing.hpp"

namespace coluber::app {

/// What a picture of a run shows besides its numbers.
struct Scene {
  std::string title;
  record::Drawing drawing;  ///< bodies, and where they are in the frames of the trajectory
};

/// Of a run folder: the drawing it holds, the title of its run.json, which says if the run is
/// partial. Throws FileError.
Scene load_scene(const std::filesystem::path& run_folder);

}  // namespace coluber::app

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "coluber/scenario/scenario.hpp"

namespace coluber::app {

/// What stands still in a picture.
struct Scene {
  std::string title;
  std::vector<scenario::Link> links;
  std::vector<scenario::Obstacle> obstacles;
};

Scene make_scene(const scenario::Scenario& scenario);

/// From `run.json` of a run folder, which holds every key with its final value. Throws FileError.
Scene load_scene(const std::filesystem::path& run_folder);

}  // namespace coluber::app

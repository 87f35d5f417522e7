#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "coluber/gait/gait.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::app {

/// What stands still in a picture, and what the joints were asked to do.
struct Scene {
  std::string title;
  std::vector<scenario::Link> links;
  std::vector<scenario::Obstacle> obstacles;
  std::shared_ptr<const gait::Gait> gait;  ///< null: no reference to draw …
  std::string warning;                     ///< … because of this
};

Scene make_scene(const scenario::Scenario& scenario);

/// From `run.json` of a run folder, which holds every key with its final value. Throws FileError.
Scene load_scene(const std::filesystem::path& run_folder);

}  // namespace coluber::app

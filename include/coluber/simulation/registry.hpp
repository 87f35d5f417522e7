#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "coluber/control/controller.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/gait/gait.hpp"
#include "coluber/keys/registry.hpp"
#include "coluber/simulation/study.hpp"

/// Everything a scenario can name. The library's own components are listed in one file,
/// src/simulation/registry.cpp; a program adds its own before it loads the first scenario:
///
///     coluber::simulation::add_model({{{.name = "unicycle",
///                                       .doc = "…",
///                                       .sections = {&unicycle_keys()}},
///                                      false,   // takes no gait
///                                      false},  // and no controller
///                                     make_unicycle});
namespace coluber::simulation {

/// A mechanical model: its keys, and what builds the robot in its world.
struct ModelEntry {
  keys::ModelKeys keys{};
  std::function<std::unique_ptr<System>(const drive::Build&)> make{};
};

/// A gait. With `soft_start` off its factory makes the references that give the shape at the start.
struct GaitEntry {
  keys::Component keys{};
  std::function<std::unique_ptr<gait::Gait>(const drive::Build&, int joint_angles, bool soft_start)>
      make{};
};

/// A controller. Without a factory it has keys alone, and the model that takes it carries it out.
struct ControllerEntry {
  keys::Component keys{};
  std::function<std::unique_ptr<control::Controller>(const drive::Build&)> make{};
};

/// A study: a subcommand of the command line.
struct StudyEntry {
  keys::Component keys{};  ///< its name is the subcommand
  std::function<std::unique_ptr<Study>(const drive::Build&)> make{};
};

/// Every model: the library's, then those added.
COLUBER_EXPORT const std::vector<ModelEntry>& models();
/// Every gait, in the same order.
COLUBER_EXPORT const std::vector<GaitEntry>& gaits();
/// Every controller, in the same order.
COLUBER_EXPORT const std::vector<ControllerEntry>& controllers();
/// Every study, in the same order.
COLUBER_EXPORT const std::vector<StudyEntry>& studies();

/// Adds a component of your own. Throws Error if its name is taken. Not to be called while another
/// thread loads a scenario.
COLUBER_EXPORT void add_model(ModelEntry entry);
/// Adds a gait, as add_model().
COLUBER_EXPORT void add_gait(GaitEntry entry);
/// Adds a controller, as add_model().
COLUBER_EXPORT void add_controller(ControllerEntry entry);
/// Adds a study, as add_model().
COLUBER_EXPORT void add_study(StudyEntry entry);
/// Adds a robot to the catalogue, as add_model().
COLUBER_EXPORT void add_robot(keys::CatalogueRobot robot);

}  // namespace coluber::simulation

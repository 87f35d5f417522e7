#include <string>
#include <utility>

#include "rod/make.hpp"

namespace coluber::rod {

namespace {

// Ali gives no length, mass or radius: these are ours.
keys::CatalogueRobot rod_of(std::string name, std::string doc, const std::string& group,
                            const std::string& beam) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .toml = "[robot]\ngroup = \"" + group + "\"\nbeam = \"" + beam +
                  "\"\nlength = 1.0\nmass_per_length = 1.0\nradius = 0.05\nelements = 160\n",
          .models = {"rod"}};
}

}  // namespace

std::vector<keys::CatalogueRobot> catalogue() {
  return {
      rod_of("earthworm", "rod on a line that stretches (Ali 2011, 6.1; size is ours)", "R", "B7"),
      rod_of("inchworm", "rod in a plane that bends (Ali 2011, 6.2; size is ours)", "SE2", "B5"),
      rod_of("snake2d", "rod in a plane that undulates (Ali 2011, 6.3; size is ours)", "SE2", "B5"),
      rod_of("snake3d", "rod in space with pitch and yaw (Ali 2011, 6.4; size is ours)", "SE3",
             "B4"),
      rod_of("eel", "rod in a plane that swims", "SE2", "B5"),
      rod_of("arm", "rod in space with torsion, pitch and yaw", "SE3", "B3"),
      rod_of("free_rod", "rod in space with all six strains", "SE3", "B1"),
  };
}

}  // namespace coluber::rod

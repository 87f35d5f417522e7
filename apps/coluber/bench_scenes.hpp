#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "coluber/scenario/scenario.hpp"

namespace coluber::app {

/// What becomes of a size that a scene does not list.
enum class OtherSizes : std::uint8_t {
  run,      ///< it is taken
  refused,  ///< the scene has data for the listed ones alone
  ignored   ///< the scene keeps its own
};

/// A number of a scene that follows its size: the larger of `least` and fixed + per_n n + per_root
/// sqrt(n).
struct SceneNumber {
  double least = 0.0, fixed = 0.0, per_n = 0.0, per_root = 0.0;
};

/// One row of a scenes file: a scenario and how its size is set.
struct BenchScene {
  std::string name;
  std::filesystem::path scenario;  ///< resolved against the scenes file
  std::string unit;                ///< what n counts, in the plural: "links"
  std::vector<int> n;              ///< the sizes it has unless the user says other
  OtherSizes other_n = OtherSizes::run;
  scenario::Overrides set;  ///< with {n} and {number}s, and {folder} already filled in
  std::map<std::string, SceneNumber> numbers;
  int ground_points = 0;  ///< per n: contacts of every step that the model does not show
  int obstacles = -1;     ///< so many there must be; -1: any number
  std::string law;        ///< "": as solver.law says
  std::string solver;     ///< "": as solver.name says

  /// The scenario's changes at a size.
  [[nodiscard]] scenario::Overrides changes(int size) const;
};

/// Reads a scenes file (benchmarks/scenes.toml). Throws InputError with every fault.
std::vector<BenchScene> load_scenes(const std::filesystem::path& file);

}  // namespace coluber::app

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

/// A list of a scene that follows its size, such as one angle per link: an item for each i = from,
/// from + step, … up to n, taken from `items` in turn; where `first` is given it is that of
/// i = from, `last` that of i = n. What is in `begin` comes before them, whatever the size.
struct SceneList {
  int from = 1, step = 1;
  std::vector<std::string> begin;
  std::vector<std::string> items;  ///< as in TOML, with {i}, {i-1} and {i+1}
  std::string first, last;         ///< "": none of its own
};

/// One row of a scenes file: a scenario and how its size is set.
struct BenchScene {
  std::string name;
  std::filesystem::path scenario;  ///< resolved against the scenes file
  std::string unit;                ///< what n counts, in the plural: "links"
  std::vector<int> n;              ///< the sizes it has unless the user says other
  OtherSizes other_n = OtherSizes::run;
  scenario::Overrides set;  ///< with {n}, {number}s and {list}s; {folder} is already filled in
  std::map<std::string, SceneNumber> numbers;
  std::map<std::string, SceneList> lists;
  std::string command;    ///< the study it times; "": a simulation
  int ground_points = 0;  ///< per n: contacts of every step that the model does not show
  int obstacles = -1;     ///< so many there must be; -1: any number
  std::string law;        ///< "": as solver.law says
  std::string solver;     ///< "": as solver.name says, else solver.integrator
  /// What `residual_max` is: a summary item, a figure of the steps or a dataset, of which the
  /// largest size counts; "": the summary's residual_max.
  std::string residual;

  /// The scenario's changes at a size.
  [[nodiscard]] scenario::Overrides changes(int size) const;
};

/// Reads a scenes file (benchmarks/scenes.toml). Throws InputError with every fault.
std::vector<BenchScene> load_scenes(const std::filesystem::path& file);

}  // namespace coluber::app

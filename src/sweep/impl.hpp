#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coluber/core/hash.hpp"
#include "coluber/sweep/sweep.hpp"

namespace coluber::sweep {

struct Sweep::Impl {
  std::string name;    // of the file
  std::string title;   // the name without one
  std::string source;  // TOML
  keys::Node root;     // of it
  std::string table;   // of one's own, CSV; "" without
  std::optional<scenario::Base> base;
  std::vector<Axis> axes;
  std::vector<Column> columns;
  std::vector<measure::PreparedMeasure> measures;  // of the columns; none: the summary
  std::optional<Goal> goal;
  std::vector<Requirement> requirements;
  Limits limits;
  std::optional<Optimise> optimise;
  std::int64_t samples = 1;
  std::uint64_t seed = 0;
  std::int64_t size = 0;     // points
  std::int64_t crossed = 0;  // points of one sample
  std::size_t searched = 0;
  std::vector<std::uint64_t> shifts;  // of Sobol axes, by dimension
  std::vector<std::size_t> order;     // of the keys by name, for the hash
  Hasher hash_begin;                  // all of it but the values
  bool reads_frames = true;
};

}  // namespace coluber::sweep

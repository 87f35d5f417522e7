#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coluber/core/bytes.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {

/// What two simulations must have in common for one to take the other's state: model, step, sizes,
/// and every key of the scenario but those of its start and of its record.
class Fingerprint {
 public:
  explicit Fingerprint(const Simulation& simulation);

  /// Writes it in front of a state.
  void save(ByteWriter& bytes) const;
  /// Refuses a state of another robot, with what differs.
  void require(ByteReader& bytes) const;

 private:
  struct Part {
    std::string name;        // "world"
    std::uint64_t hash = 0;  // of all its keys
  };

  std::string model_;
  std::vector<Part> parts_;
};

}  // namespace coluber::simulation

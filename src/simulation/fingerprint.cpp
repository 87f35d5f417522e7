#include "simulation/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "coluber/core/hash.hpp"

namespace coluber::simulation {

namespace {

constexpr std::array<std::string_view, 7> free_parts{"schema", "title",  "duration", "seed",
                                                     "start",  "record", "stop"};

std::uint64_t hash_of_sizes(const System& system) {
  Hasher hash;
  for (const Observable& observable : system.observables()) {
    hash.update(std::string_view(observable.name)).update(observable.size());
  }
  return hash.finish();
}

}  // namespace

Fingerprint::Fingerprint(const Simulation& simulation) : model_(simulation.scenario.model) {
  const System& system = *simulation.system;
  parts_.push_back({"the sizes", hash_of_sizes(system)});
  parts_.push_back({"the time step", Hasher().update(system.dt()).finish()});
  if (simulation.scenario.resolved.empty()) return;  // put together by hand
  const auto resolved = nlohmann::json::parse(simulation.scenario.resolved);
  for (const auto& [name, keys] : resolved.items()) {
    if (std::ranges::find(free_parts, name) != free_parts.end()) continue;
    parts_.push_back({fmt::format("[{}]", name), Hasher().update(keys.dump()).finish()});
  }
}

void Fingerprint::save(ByteWriter& bytes) const {
  bytes(model_);
  bytes.list(parts_, [&](const Part& part) { bytes(part.name, part.hash); });
}

void Fingerprint::require(ByteReader& bytes) const {
  std::string model;
  std::vector<Part> parts;
  bytes(model);
  bytes.list(parts, [&](Part& part) { bytes(part.name, part.hash); });
  if (model != model_) {
    bytes.refuse(fmt::format("it is of the model \"{}\", this is \"{}\"", model, model_));
  }
  std::vector<std::string> others;
  const auto compare = [&](const std::vector<Part>& these, const std::vector<Part>& those) {
    for (const Part& part : these) {
      const auto same = std::ranges::find(those, part.name, &Part::name);
      if (same != those.end() && same->hash == part.hash) continue;
      if (std::ranges::find(others, part.name) == others.end()) others.push_back(part.name);
    }
  };
  compare(parts_, parts);
  compare(parts, parts_);
  if (others.empty()) return;
  bytes.refuse(fmt::format("it is of another robot or world: {} differ", fmt::join(others, ", ")));
}

}  // namespace coluber::simulation

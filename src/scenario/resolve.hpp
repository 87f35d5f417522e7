#pragma once

#include <vector>

#include "coluber/keys/section.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::scenario {

/// Fills `resolved` (canonical JSON: every key of these sections with its final value, sorted,
/// numbers that round-trip, inf as text, null for what is not set) and `hash`. A file that counts
/// by its contents has their hash beside its name.
void resolve(Scenario& scenario, const std::vector<const keys::Section*>& sections);

}  // namespace coluber::scenario

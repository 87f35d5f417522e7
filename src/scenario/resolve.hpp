#pragma once

#include "coluber/scenario/scenario.hpp"

namespace coluber::scenario {

/// Fills `resolved` (canonical JSON: every key with its final value, sorted, numbers that
/// round-trip, inf as text) and `hash`. A gait's table counts by its contents.
void resolve(Scenario& scenario);

}  // namespace coluber::scenario

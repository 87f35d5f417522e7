#pragma once

#include "coluber/scenario/scenario.hpp"

#include "scenario/document.hpp"

namespace coluber::scenario {

/// How much of a scenario is made.
enum class Extent {
  whole,
  options,  ///< without `resolved`, `hash`, `text` and places
};

/// Validates the document and reads its components' options. Throws InputError with every fault,
/// those found before among them.
Scenario make_scenario(Document& document, Faults& faults, Extent extent);

}  // namespace coluber::scenario

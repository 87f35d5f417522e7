#pragma once

#include "scenario/document.hpp"

namespace coluber::scenario {

/// Holds every value against the table of keys: unknown keys, types, ranges, words, features not
/// built yet. Values that fail go to `faults` and are marked not valid.
void validate(Document& document, Faults& faults);

}  // namespace coluber::scenario

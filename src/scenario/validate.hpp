#pragma once

#include "coluber/keys/check.hpp"

#include "scenario/document.hpp"

namespace coluber::scenario {

/// Holds every value against the table of keys: unknown keys, types, ranges, words, features not
/// built yet. Values that fail go to `faults` and are marked not valid.
void validate(Document& document, const keys::Check::Words& words, Faults& faults);

}  // namespace coluber::scenario

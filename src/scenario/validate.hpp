#pragma once

#include <map>
#include <string>

#include "coluber/keys/check.hpp"

#include "scenario/document.hpp"

namespace coluber::scenario {

/// Holds every value against the table of keys: unknown keys, types, ranges, words, features not
/// built yet. Values that fail go to `faults` and are marked not valid. `defaults` are those that
/// components and the catalogue's robot bring, by full name.
void validate(Document& document, const keys::Check::Words& words,
              const std::map<std::string, Node, std::less<>>& defaults, Faults& faults);

}  // namespace coluber::scenario

#pragma once

#include <cstddef>
#include <vector>

#include "coluber/core/shown.hpp"

namespace coluber::test {

/// The arrows of one family as of now: its slots for each of its bodies.
inline std::vector<ContactSlot> arrows_of(const Shown& shown, std::size_t family) {
  const ArrowFamily& arrows = shown.arrows().at(family);
  std::vector<ContactSlot> slots(static_cast<std::size_t>(arrows.slots) * arrows.bodies.size());
  shown.contacts(family, slots);
  return slots;
}

}  // namespace coluber::test

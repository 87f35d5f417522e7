#pragma once

#include <vector>

#include "coluber/keys/registry.hpp"

namespace coluber::multibody {

/// Robots of the model `multibody`: Ali's examples, and systems of every kind of his Table 3.1.
std::vector<keys::CatalogueRobot> catalogue();

}  // namespace coluber::multibody

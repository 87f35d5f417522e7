#pragma once

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::trailer {

/// Of a scenario whose robot is a train without dynamics.
struct Keys {};

/// No keys: what the model asks of the scenario.
COLUBER_EXPORT const keys::Section& n_trailer_keys();

}  // namespace coluber::trailer

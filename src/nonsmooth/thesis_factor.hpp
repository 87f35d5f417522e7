#pragma once

#include <string>

#include "coluber/keys/key.hpp"

namespace coluber::nonsmooth {

/// The key of a prox factor of the thesis' iteration.
inline keys::Key thesis_factor(const char* name, const char* of, const char* example) {
  return {.name = name,
          .unit = "kg",
          .min = 0,
          .max = 1e9,
          .above_min = true,
          .doc = std::string("prox factor of ") + of +
                 ", Transeth Table 7.2; for name = \"thesis\" only",
          .example = example};
}

}  // namespace coluber::nonsmooth

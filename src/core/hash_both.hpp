#pragma once

#include <cstddef>
#include <span>

#include "coluber/core/export.hpp"
#include "coluber/core/hash.hpp"

namespace coluber {

/// Feeds `a` with `of_a` and `b` with `of_b`, in little more than the time of the longer one.
COLUBER_EXPORT void update_both(Hasher& a, std::span<const std::byte> of_a, Hasher& b,
                                std::span<const std::byte> of_b);

}  // namespace coluber

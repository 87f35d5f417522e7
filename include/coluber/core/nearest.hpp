#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"

namespace coluber {

/// The word of `words` that `word` was probably meant to be; "" if none is near.
COLUBER_EXPORT std::string nearest(std::string_view word, const std::vector<std::string>& words);

}  // namespace coluber

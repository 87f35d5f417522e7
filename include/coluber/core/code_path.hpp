#pragma once

#include <string_view>

#include "coluber/core/export.hpp"

namespace coluber {

/// Instruction set the numerics of this program use on this machine: "x86-64-v3" where the
/// processor has AVX2, else "portable". Both give the same bits.
COLUBER_EXPORT std::string_view code_path();

}  // namespace coluber

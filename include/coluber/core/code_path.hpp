#pragma once

#include <string_view>

#include "coluber/core/export.hpp"

namespace coluber {

/// Instruction set the numerics of this program use on this machine: "x86-64-v4" where the
/// processor has AVX-512, "x86-64-v3" where it has AVX2 and FMA, else "portable"; a lesser one if
/// the environment variable COLUBER_CODE_PATH asks for it. Results of the same path are
/// bit-identical on every machine, and so are those of v3 and v4. In space "portable" differs from
/// them by rounding, because it does not fuse multiplications and additions.
COLUBER_EXPORT std::string_view code_path();

}  // namespace coluber

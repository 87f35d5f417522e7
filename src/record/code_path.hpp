#pragma once

namespace coluber::record {

/// Which of several ways through the numerics this machine takes; there is one so far.
inline constexpr const char* code_path = "portable";

}  // namespace coluber::record

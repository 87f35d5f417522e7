#include "coluber/core/code_path.hpp"

namespace coluber {

std::string_view code_path() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return "x86-64-v3";
#endif
  return "portable";
}

}  // namespace coluber

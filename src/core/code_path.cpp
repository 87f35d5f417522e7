#include "coluber/core/code_path.hpp"

#include <array>
#include <cstdlib>

namespace coluber {
namespace {

std::string_view best_path() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    const bool more = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    return more ? "x86-64-v4" : "x86-64-v3";
  }
#endif
  return "portable";
}

std::string_view choose_path() {
  constexpr std::array<std::string_view, 3> paths{"portable", "x86-64-v3", "x86-64-v4"};
  const std::string_view best = best_path();
  const char* wish = std::getenv("COLUBER_CODE_PATH");
  if (wish == nullptr || *wish == '\0') return best;
  for (const std::string_view path : paths) {
    if (path == wish || path == best) return path;  // the better ones come last
  }
  return best;
}

}  // namespace

std::string_view code_path() {
  static const std::string_view path = choose_path();
  return path;
}

}  // namespace coluber

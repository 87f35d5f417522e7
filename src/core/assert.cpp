#include "coluber/core/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace coluber::detail {

void assertion_failed(const char* condition, const char* names, const char* file, int line,
                      const std::string& values) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  if (!values.empty()) std::fprintf(stderr, "  %s = %s\n", names, values.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace coluber::detail

#pragma once

#include <sstream>
#include <string>

#include "coluber/core/export.hpp"

/// COLUBER_ASSERT(cond, values…): our own mistakes, never the user's. Live in Debug builds and when
/// COLUBER_ASSERTIONS is defined; elsewhere it costs nothing and evaluates nothing. A failure
/// prints the condition and the values to stderr and aborts.
#if !defined(NDEBUG) || defined(COLUBER_ASSERTIONS)
#define COLUBER_ASSERT(cond, ...)                                                        \
  ((cond) ? static_cast<void>(0)                                                         \
          : ::coluber::detail::assertion_failed(#cond, #__VA_ARGS__, __FILE__, __LINE__, \
                                                ::coluber::detail::join_values(__VA_ARGS__)))
#else
#define COLUBER_ASSERT(cond, ...) static_cast<void>(sizeof((cond) ? 1 : 0))
#endif

namespace coluber::detail {

[[noreturn]] COLUBER_EXPORT void assertion_failed(const char* condition, const char* names,
                                                  const char* file, int line,
                                                  const std::string& values);

/// `a, b, c` as text.
template <typename... Ts>
std::string join_values(const Ts&... values) {
  std::ostringstream out;
  out.precision(17);
  [[maybe_unused]] const char* separator = "";
  ((out << separator << values, separator = ", "), ...);
  return out.str();
}

}  // namespace coluber::detail

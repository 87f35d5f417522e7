#pragma once

// Counts allocations: `allocations` is the number of calls of malloc and calloc so far. Eigen calls
// malloc, everything else operator new, which calls it too. Include it in one file of a program.
// Sanitizers bring their own malloc; there COLUBER_COUNTS_ALLOCATIONS is not defined, and a test
// has nothing to count.

#include <atomic>
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COLUBER_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COLUBER_SANITIZED
#endif
#if !defined(COLUBER_SANITIZED)
#define COLUBER_COUNTS_ALLOCATIONS

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);                 // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t n, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(n, size);
}
}

#endif

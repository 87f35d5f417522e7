#pragma once

#include <cstddef>
#include <functional>

#include "coluber/core/export.hpp"

namespace coluber {

/// Calls `work(k)` for k = 0 … count-1 on `threads` threads, the calling one among them, each as
/// soon as one is free, in the order of k. Returns when all have returned. The first exception ends
/// the handing out and is thrown on.
COLUBER_EXPORT void run_in_parallel(std::size_t count, int threads,
                                    const std::function<void(std::size_t)>& work);

/// Threads that this process may use at a time, at least 1.
COLUBER_EXPORT int available_threads();

}  // namespace coluber

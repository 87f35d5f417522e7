#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>

#include "coluber/core/export.hpp"

namespace coluber {

/// Threads that wait for work. Results must not depend on which thread does what: give each task
/// its own place to write to, and put results together in the order of the tasks.
class COLUBER_EXPORT ThreadPool {
 public:
  /// So many threads, the caller's own among them: 1 or less starts none. It makes do with fewer
  /// where the system gives no more.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Threads that work, the caller's own among them.
  [[nodiscard]] int threads() const;

  /// Calls `task(i)` once for each i in 0 … count - 1, on all threads, in about this order, and
  /// comes back when all have ended. Where tasks throw, the others are done all the same; then the
  /// exception of the first in order passes on. Allocates nothing. One call at a time.
  template <typename Task>
  void for_each(std::size_t count, Task&& task) {
    using Plain = std::remove_reference_t<Task>;
    run(count, const_cast<void*>(static_cast<const void*>(std::addressof(task))),
        [](void* self, std::size_t i) { std::invoke(*static_cast<Plain*>(self), i); });
  }

 private:
  using Call = void (*)(void* self, std::size_t i);
  void run(std::size_t count, void* self, Call call);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber

#include "coluber/core/thread_pool.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace coluber {

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable wake, rest;
  std::uint64_t call_number = 0;  // of the work at hand
  std::size_t working = 0;        // workers that are not through with it
  bool ending = false;

  // the work at hand
  std::size_t count = 0;
  void* self = nullptr;
  Call call = nullptr;
  std::atomic<std::size_t> next{0};
  std::size_t first_thrown = 0;  // task
  std::exception_ptr thrown;

  std::vector<std::jthread> workers;

  void do_tasks() {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        call(self, i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (i < first_thrown) {
          first_thrown = i;
          thrown = std::current_exception();
        }
      }
    }
  }

  void work() {
    std::uint64_t done = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return ending || call_number != done; });
        if (ending) return;
        done = call_number;
      }
      do_tasks();
      const std::scoped_lock lock(mutex);
      if (--working == 0) rest.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>()) {
  for (int i = 1; i < threads; ++i) {
    try {
      impl_->workers.emplace_back([impl = impl_.get()] { impl->work(); });
    } catch (const std::system_error&) {
      break;  // there are no more to be had
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->ending = true;
  }
  impl_->wake.notify_all();
  impl_->workers.clear();  // joins them
}

int ThreadPool::threads() const { return static_cast<int>(impl_->workers.size()) + 1; }

void ThreadPool::run(std::size_t count, void* self, Call call) {
  Impl& impl = *impl_;
  {
    const std::scoped_lock lock(impl.mutex);
    impl.count = count;
    impl.self = self;
    impl.call = call;
    impl.next = 0;
    impl.first_thrown = std::numeric_limits<std::size_t>::max();
    if (count > 1) {  // one task is quicker done than given away
      impl.working = impl.workers.size();
      ++impl.call_number;
    }
  }
  if (count > 1) impl.wake.notify_all();
  impl.do_tasks();
  std::unique_lock lock(impl.mutex);
  impl.rest.wait(lock, [&] { return impl.working == 0; });
  if (std::exception_ptr thrown = std::exchange(impl.thrown, nullptr)) {
    lock.unlock();
    std::rethrow_exception(thrown);
  }
}

}  // namespace coluber

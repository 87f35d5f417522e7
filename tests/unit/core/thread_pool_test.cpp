// Every task is done once, whoever does it; what tasks throw arrives in their order.

#include "coluber/core/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace coluber {
namespace thread_pool_test {

TEST(ThreadPool, DoesEveryTaskOnce) {
  for (const int threads : {-1, 1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_GE(pool.threads(), 1);
    EXPECT_LE(pool.threads(), std::max(1, threads));
    for (const std::size_t count : {0U, 1U, 2U, 3U, 100U}) {
      for (int again = 0; again < 20; ++again) {
        std::vector<int> done(count, 0);
        pool.for_each(count, [&](std::size_t i) { ++done[i]; });
        EXPECT_EQ(done, std::vector<int>(count, 1)) << threads << " threads";
      }
    }
  }
}

TEST(ThreadPool, ThrowsWhatTheFirstTaskInOrderThrewAfterAllWereDone) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    std::atomic<int> done{0};
    std::string what;
    try {
      pool.for_each(50, [&](std::size_t i) {
        ++done;
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    EXPECT_EQ(what, "7");
    EXPECT_EQ(done, 50);
    pool.for_each(3, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 53) << "it goes on working";
  }
}

}  // namespace thread_pool_test
}  // namespace coluber

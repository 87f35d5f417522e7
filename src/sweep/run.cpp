#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

#include "coluber/core/thread_pool.hpp"
#include "coluber/sweep/folder.hpp"

namespace coluber::sweep {

bool run(SweepFolder& folder, const Sweep& sweep, const SweepRunOptions& options) {
  const auto& jobs = folder.jobs();
  if (jobs.empty()) return true;
  Journal& journal = folder.journal();
  std::mutex mutex;
  std::condition_variable_any changed;
  std::int64_t done = 0;
  SweepCounts counts;
  std::optional<BestRow> best;
  std::atomic<bool> stop = false;  // the disk is full, or the caller has had enough
  std::exception_ptr failure;

  const auto work = [&](const Job& job) {
    if (stop || (options.interrupt != nullptr && options.interrupt->load())) return;
    const Point point = sweep.point(job.point);
    journal.start(point, job.alone);
    auto row = evaluate(sweep, point, {.interrupt = options.interrupt});
    if (!row) return;
    row->attempt = job.attempt;
    journal.append(*row);
    const std::lock_guard lock(mutex);
    ++done;
    ++counts.rows[static_cast<std::size_t>(row->status)];
    if (const auto& goal = sweep.goal(); goal && is_feasible(sweep, *row)) {
      const double value = row->values[goal->column];
      if ((!best && value == value) || (best && is_better(*goal, value, best->value))) {
        best = BestRow{job.point, value};
      }
    }
  };
  // fsync and progress beside the workers
  std::jthread ticker([&](const std::stop_token& token) {
    std::unique_lock lock(mutex);
    while (!token.stop_requested()) {
      changed.wait_for(lock, token, std::chrono::milliseconds(100), [] { return false; });
      const std::int64_t now = done;
      const SweepCounts seen = counts;
      const auto seen_best = best;
      lock.unlock();
      try {
        journal.sync();
        if (options.progress) options.progress(now, seen, seen_best);
        lock.lock();
      } catch (...) {
        lock.lock();
        failure = std::current_exception();
        stop = true;
        return;
      }
    }
  });
  std::size_t together = jobs.size();
  while (together > 0 && jobs[together - 1].alone) --together;
  const auto guarded = [&](std::size_t k) {
    try {
      work(jobs[k]);
    } catch (...) {
      stop = true;  // a disk that is full for one is full for all
      throw;
    }
  };
  ThreadPool(options.threads).for_each(together, guarded);
  for (std::size_t k = together; k < jobs.size(); ++k) guarded(k);
  ticker.request_stop();
  ticker.join();
  if (failure) std::rethrow_exception(failure);
  return done == static_cast<std::int64_t>(jobs.size());
}

}  // namespace coluber::sweep

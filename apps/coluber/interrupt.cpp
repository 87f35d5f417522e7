#include "interrupt.hpp"

#include <csignal>

namespace coluber::app {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may write it");

void catch_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted.store(true, std::memory_order_relaxed); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() { return interrupted.load(std::memory_order_relaxed); }

record::GiveUp give_up_beyond(std::size_t bytes) {
  return bytes > record::never_given_up ? record::GiveUp(was_interrupted) : record::GiveUp();
}

}  // namespace coluber::app

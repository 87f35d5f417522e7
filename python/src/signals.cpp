#include "signals.hpp"

#include <cstddef>

#include <sys/syscall.h>
#include <unistd.h>

#include "bind.hpp"

namespace coluber::python {

namespace {

std::atomic<bool> arrived{false};
std::atomic<bool> watching{false};
std::array<struct sigaction, 3> before{};  // of the signals watched, in their order
static_assert(std::atomic<bool>::is_always_lock_free);

void note(int signal, siginfo_t* info, void* context) {
  arrived.store(true, std::memory_order_relaxed);
  for (const struct sigaction& action : before) {
    if (signal != (&action == &before[0] ? SIGINT : &action == &before[1] ? SIGTERM : SIGALRM)) {
      continue;
    }
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      action.sa_sigaction(signal, info, context);
    } else {
      action.sa_handler(signal);
    }
  }
}

bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

}  // namespace

SignalWatch::SignalWatch() {
  if (!is_main_thread() || watching.exchange(true)) return;
  active_ = true;
  arrived.store(false, std::memory_order_relaxed);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (sigaction(signals[i], nullptr, &before[i]) != 0) continue;
    const bool plain = (before[i].sa_flags & SA_SIGINFO) == 0;
    if (plain && (before[i].sa_handler == SIG_DFL || before[i].sa_handler == SIG_IGN)) continue;
    struct sigaction ours = before[i];
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = note;
    replaced_[i] = sigaction(signals[i], &ours, nullptr) == 0;
  }
}

SignalWatch::~SignalWatch() {
  if (!active_) return;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (replaced_[i]) sigaction(signals[i], &before[i], nullptr);
  }
  watching.store(false);
}

const std::atomic<bool>* SignalWatch::flag() const { return active_ ? &arrived : nullptr; }

void SignalWatch::handle() {
  arrived.store(false, std::memory_order_relaxed);
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace coluber::python

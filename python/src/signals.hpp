#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace coluber::python {

/// While it lives, a signal that Python would handle (Ctrl-C, SIGTERM, SIGALRM) also sets flag():
/// Python itself sees a signal only when its own code runs again. For calls of the main thread that
/// may take long; elsewhere, and inside another one, it does nothing.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  /// Null where this one does nothing.
  [[nodiscard]] const std::atomic<bool>* flag() const;
  /// Called with the GIL after a call was interrupted: lets Python handle its signals. Throws what
  /// the handler raised; else the call may continue.
  void handle();

 private:
  static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGALRM};
  bool active_ = false;
  std::array<bool, 3> replaced_{};
};

}  // namespace coluber::python

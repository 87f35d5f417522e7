#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "coluber/simulation/simulation.hpp"

namespace coluber::app {

/// Whether stderr is a terminal that a line can be rewritten on.
bool is_terminal();

/// Writes to stderr. Where that cannot be written (closed, a full disk) the words are lost, and the
/// command goes on.
void say_text(std::string_view text) noexcept;
template <typename... T>
void say(fmt::format_string<T...> format, T&&... values) {
  say_text(fmt::format(format, std::forward<T>(values)...));
}

/// Gives standard streams that are closed something to be, so that no file of a run becomes one of
/// them: words for stderr are lost, writing to stdout fails as before.
void open_standard_streams();

/// `error: …` on stderr, the word in colour on a terminal unless NO_COLOR is set.
void print_error(const std::string& text);
/// `warning: …`, likewise.
void print_warning(const std::string& text);

/// A warning if a run folder does not hold a run that completed: what is shown of it is a part.
void warn_if_partial(const std::filesystem::path& run);

/// Percent, simulated time, real-time factor and time left, rewritten in place; only on a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool on) : on_(on && is_terminal()) {}
  void show(const simulation::Progress& progress);
  void clear();

 private:
  bool on_;
  std::size_t width_ = 0;
};

}  // namespace coluber::app

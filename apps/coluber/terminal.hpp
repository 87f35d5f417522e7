#pragma once

#include <filesystem>
#include <string>

#include "coluber/simulation/simulation.hpp"

namespace coluber::app {

/// Whether stderr is a terminal that a line can be rewritten on.
bool is_terminal();

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

#include "terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "coluber/record/frames.hpp"
#include "coluber/record/run_state.hpp"

namespace coluber::app {

namespace {

bool in_colour() {
  const char* no_color = std::getenv("NO_COLOR");  // any value but "" switches colour off
  return is_terminal() && (no_color == nullptr || *no_color == '\0');
}

// Colours `word` wherever a line begins with it.
std::string colour(std::string text, std::string_view word, std::string_view code) {
  std::size_t at = 0;
  while (at != std::string::npos && at < text.size()) {
    if (std::string_view(text).substr(at).starts_with(word)) {
      const std::string painted = fmt::format("\x1b[{}m{}\x1b[0m", code, word);
      text.replace(at, word.size(), painted);
      at += painted.size();
    }
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  return text;
}

}  // namespace

bool is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

void say_text(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // the lowest that is free, which is this one
    static_cast<void>(::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

void print_error(const std::string& text) {
  say("{}\n", in_colour() ? colour(text, "error:", "1;31") : text);
}

void print_warning(const std::string& text) {
  const std::string line = "warning: " + text;
  say("{}\n", in_colour() ? colour(line, "warning:", "1;33") : line);
}

void warn_if_partial(const std::filesystem::path& run) {
  const record::RunState state = record::load_run_state(run);
  const std::string remedy =
      state.study.empty() ? std::string("`coluber run --resume` continues it")
                          : fmt::format("`coluber {} … --force` computes it anew", state.study);
  if (record::is_partial(run)) {
    print_warning(fmt::format(
        "the run in {} is partial: it {}; these are its frames so far, {}", run.string(),
        state.status == "running" || state.message.empty() ? "has not ended or was cut off"
                                                           : "ended early: " + state.message,
        remedy));
  } else if (state.partial()) {
    print_warning(fmt::format("the run in {} is partial: {}{}", run.string(),
                              state.message.empty() ? state.status : state.message,
                              state.status == "interrupted" ? "; " + remedy : ""));
  }
}

void ProgressLine::show(const simulation::Progress& progress) {
  if (!on_) return;
  const double left = progress.real_time_factor > 0.0
                          ? (progress.duration - progress.time) / progress.real_time_factor
                          : 0.0;
  const std::string line =
      fmt::format("{:3.0f} %   {:.2f} of {:.6g} s   {:.3g} x real time   {:.0f} s left",
                  100.0 * progress.time / progress.duration, progress.time, progress.duration,
                  progress.real_time_factor, left);
  say("\r{:<{}}", line, width_);
  width_ = std::max(width_, line.size());
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (width_ > 0) say("\r{:{}}\r", "", width_);
  width_ = 0;
}

}  // namespace coluber::app

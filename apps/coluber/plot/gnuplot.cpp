#include "plot/gnuplot.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.hpp"
#include "plot/glyphs.hpp"
#include "plot/signature.hpp"

extern char** environ;

namespace coluber::app {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, FileCloser>;

/// A nameless file that vanishes when closed.
TemporaryFile make_temporary() {
  TemporaryFile file{std::tmpfile()};
  if (!file) throw FileError(fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
  return file;
}

std::string read_all(std::FILE* file) {
  std::string bytes;
  if (std::fseek(file, 0, SEEK_SET) != 0) return bytes;
  char buffer[65536];
  std::size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) bytes.append(buffer, got);
  return bytes;
}

/// Owns the file actions of a spawn.
struct SpawnActions {
  posix_spawn_file_actions_t actions{};
  SpawnActions() { posix_spawn_file_actions_init(&actions); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
};

// Text sizes are those of print: 9 pt at the figure's size in cm. The bitmap has 300 dots an inch.
std::string terminal(const Figure& figure, PictureFormat format) {
  constexpr double svg_per_cm = 96.0 / 2.54;
  constexpr double png_per_cm = 300.0 / 2.54;
  const double w = figure.width_cm;
  const double h = figure.height_cm;
  switch (format) {
    case PictureFormat::svg:
      return fmt::format(
          "set terminal svg noenhanced size {:.0f},{:.0f} dynamic font 'DejaVu Sans,9' "
          "fontscale 1.3333 linewidth 1.2 background '#ffffff'\n",
          w * svg_per_cm, h * svg_per_cm);
    case PictureFormat::png:
      return fmt::format(
          "set terminal pngcairo noenhanced size {:.0f},{:.0f} font 'DejaVu Sans,9' "
          "fontscale 3.125 linewidth 3.4 pointscale 2.6 background '#ffffff'\n",
          w * png_per_cm, h * png_per_cm);
    case PictureFormat::pdf:
      return fmt::format(
          "set terminal pdfcairo noenhanced size {:.3f}cm,{:.3f}cm font 'DejaVu Sans,9' "
          "fontscale 1 linewidth 1.6 pointscale 0.6 background '#ffffff'\n",
          w, h);
  }
  return {};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// A title, and fonts to fall back on where DejaVu is missing.
void finish_svg(std::string& svg, std::string title) {
  replace_all(svg, "font-family=\"DejaVu Sans\"",
              "font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\"");
  replace_all(title, "&", "&amp;");
  replace_all(title, "<", "&lt;");
  replace_all(title, ">", "&gt;");
  std::replace_if(title.begin(), title.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  // gnuplot calls a nameless line gnuplot_plot_7a, which a browser shows under the pointer
  constexpr std::string_view nameless = "<title>gnuplot_plot_";
  constexpr std::string_view close = "</title>";
  for (auto at = svg.find(nameless); at != std::string::npos; at = svg.find(nameless, at))
    svg.erase(at, svg.find(close, at) + close.size() - at);
  replace_all(svg, "<title>Gnuplot</title>", "<title>" + title + "</title>");
}

}  // namespace

PictureFormat picture_format(const std::filesystem::path& file) {
  const auto ending = file.extension().string();
  if (ending == ".svg") return PictureFormat::svg;
  if (ending == ".png") return PictureFormat::png;
  if (ending == ".pdf") return PictureFormat::pdf;
  throw InputError(make_fault(
      file.string(), 0, 0,
      fmt::format("expected a file name ending in .svg, .png or .pdf, got \"{}\"", ending),
      "for example  -o course.pdf"));
}

std::string gnuplot_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += ' ';
    } else if (c == '\'') {
      quoted += "''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string render(const Figure& figure, PictureFormat format) {
  const auto input = make_temporary();
  const auto output = make_temporary();
  const auto talk = make_temporary();
  // the reader of an SVG has fonts of their own
  const std::string script =
      "set encoding utf8\nset minussign\n" + terminal(figure, format) +
      (format == PictureFormat::svg ? figure.commands : drawable(figure.commands)) +
      "unset multiplot\nunset output\n";
  if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0 || std::fseek(input.get(), 0, SEEK_SET) != 0)
    throw FileError(fmt::format("cannot write a temporary file: {}", std::strerror(errno)));

  SpawnActions spawn;
  posix_spawn_file_actions_adddup2(&spawn.actions, fileno(input.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, fileno(output.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, fileno(talk.get()), STDERR_FILENO);
  char program[] = "gnuplot";
  char no_start_up_files[] = "-d";
  char* const arguments[] = {program, no_start_up_files, nullptr};
  pid_t child = 0;
  const int fault = posix_spawnp(&child, program, &spawn.actions, nullptr, arguments, environ);
  if (fault == ENOENT)
    throw FileError(
        "gnuplot was not found on the PATH\n  hint: on Debian  apt-get install gnuplot-nox");
  if (fault != 0) throw FileError(fmt::format("cannot start gnuplot: {}", std::strerror(fault)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      throw FileError(fmt::format("cannot wait for gnuplot: {}", std::strerror(errno)));
  }
  const std::string said = read_all(talk.get());
  std::string picture = read_all(output.get());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || picture.empty())
    throw FileError(fmt::format("gnuplot failed: {}", said.empty() ? "it said nothing" : said));
  if (format == PictureFormat::svg) finish_svg(picture, figure.title);
  return with_signature(std::move(picture), format);
}

namespace {

/// While it lives Ctrl-C waits: nobody wants half a file under a name of its own.
class SignalPause {
 public:
  SignalPause() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  SignalPause(const SignalPause&) = delete;
  SignalPause& operator=(const SignalPause&) = delete;
  ~SignalPause() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

void save_text(std::string_view text, const std::filesystem::path& file) {
  const SignalPause pause;
  auto draft = file;
  draft += fmt::format(".{}.part", ::getpid());
  {
    std::ofstream stream(draft, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (!stream) {
      const int why = errno;
      std::error_code ignored;
      std::filesystem::remove(draft, ignored);
      throw FileError(fmt::format("cannot write {}: {}", file.string(), std::strerror(why)));
    }
  }
  std::error_code fault;
  std::filesystem::rename(draft, file, fault);
  if (fault) {
    std::error_code ignored;
    std::filesystem::remove(draft, ignored);
    throw FileError(fmt::format("cannot write {}: {}", file.string(), fault.message()));
  }
}

void save_picture(const Figure& figure, const std::filesystem::path& file) {
  save_text(render(figure, picture_format(file)), file);
}

}  // namespace coluber::app

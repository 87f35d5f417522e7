#include "page/screenshot.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coluber/core/error.hpp"

#include "fault.hpp"
#include "page/replay_page.hpp"
#include "plot/signature.hpp"
#include "view_state.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace coluber::app {

namespace {

namespace fs = std::filesystem;

/// A folder of our own that goes away again: the page and the browser's profile.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "coluber-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw FileError(fmt::format("cannot make {}: {}", name, std::strerror(errno)));
    }
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  // A browser that was ended may still be writing for a moment.
  ~ScratchFolder() {
    for (int k = 0; k < 100; ++k) {
      std::error_code error;
      fs::remove_all(path_, error);
      if (!fs::exists(path_, error)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

volatile std::sig_atomic_t stopped = 0;

/// While it lives, SIGINT and SIGTERM only set `stopped`.
class SignalGuard {
 public:
  SignalGuard() {
    stopped = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { stopped = 1; };
    for (std::size_t k = 0; k < signals.size(); ++k) sigaction(signals[k], &action, &before_[k]);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() {
    for (std::size_t k = 0; k < signals.size(); ++k) sigaction(signals[k], &before_[k], nullptr);
  }

 private:
  static constexpr std::array<int, 2> signals{SIGINT, SIGTERM};
  std::array<struct sigaction, 2> before_{};
};

/// `file:///home/a%20b` of a path.
std::string address_of(const fs::path& file) {
  std::string address = "file://";
  for (const char c : fs::absolute(file).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c)
                     : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return address;
}

/// The start tag of the page as chromium wrote it out: there the page says whether it shows a run.
std::string start_tag(const fs::path& page) {
  std::ifstream in(page, std::ios::binary);
  std::string text(16384, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text.substr(0, text.find("<head>"));
}

/// An attribute of that tag, as the page wrote it; none: it has no such one.
std::optional<std::string> attribute_of(std::string_view tag, std::string_view name) {
  const std::string before = fmt::format(" {}=\"", name);
  const std::size_t found = tag.find(before);
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t begin = found + before.size();
  std::string_view rest = tag.substr(begin, tag.find('"', begin) - begin);
  std::string value;
  while (!rest.empty()) {
    static constexpr std::pair<std::string_view, char> marks[] = {
        {"&quot;", '"'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};
    const auto* const mark =
        std::ranges::find_if(marks, [&](const auto& each) { return rest.starts_with(each.first); });
    const bool escaped = mark != std::end(marks);
    value += escaped ? mark->second : rest.front();
    rest.remove_prefix(escaped ? mark->first.size() : 1);
  }
  return value;
}

enum class Browser { finished, missing, interrupted };

// Starts the first program found and waits for it; it leads a group of its own, so that a browser
// that hangs goes with all its children. What it prints goes into `out`.
Browser run_browser(std::vector<std::string> arguments, const fs::path& out,
                    std::chrono::seconds limit) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  int error = ENOENT;
  for (const char* program : {"chromium", "chromium-browser", "google-chrome"}) {
    arguments.front() = program;
    std::vector<char*> words;
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    error = posix_spawnp(&child, program, &files, &attributes, words.data(), environ);
    if (error == 0) break;
  }
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return Browser::missing;
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const bool late = std::chrono::steady_clock::now() > end;
    if (late || stopped != 0) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      if (!late) return Browser::interrupted;
      throw FileError(fmt::format("chromium did not finish within {} s", limit.count()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return stopped != 0 ? Browser::interrupted : Browser::finished;
}

// The page shows its last frame at any later time, but a picture of another moment than the one
// asked for helps nobody. Half a step beyond the last frame is still that frame.
void require_time(const fs::path& run, const ScreenshotOptions& options, const PageInfo& page) {
  const std::optional<double> asked = options.time ? options.time : time_of_view(options.view);
  if (!asked || !page.end) return;
  const double time = *asked;
  if (time <= *page.end + 0.5 * page.last_step) return;
  throw InputError(make_fault(run.string(), 0, 0,
                              fmt::format("{}{:.6g} is after the end of the run, {:.6g} s",
                                          options.time ? "--time " : "--view t=", time, *page.end),
                              fmt::format("for example  --time {:.6g}", *page.end)));
}

}  // namespace

bool save_screenshot(const fs::path& run, const fs::path& file, const ScreenshotOptions& options) {
  const SignalGuard guard;
  const ScratchFolder scratch;
  const fs::path page = scratch.path() / "replay.html";
  const fs::path picture = scratch.path() / "replay.png";
  const fs::path shown = scratch.path() / "shown.html";
  const PageInfo info = save_replay_page(run, page);
  if (stopped != 0) return false;
  require_time(run, options, info);
  // software rendering by chromium's own libraries: the same picture on every machine, GPU or not
  std::vector<std::string> arguments{
      "",
      "--headless=new",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--hide-scrollbars",
      "--no-first-run",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--user-data-dir=" + (scratch.path() / "profile").string(),
      fmt::format("--window-size={},{}", options.width, options.height),
      "--virtual-time-budget=10000",
      "--dump-dom",
      "--screenshot=" + picture.string()};
  if (::geteuid() == 0) arguments.emplace_back("--no-sandbox");  // chromium refuses root otherwise
  // of a key given twice the page takes the first
  std::string state = options.time ? fmt::format("t={}", *options.time) : "";
  if (!options.view.empty()) state += (state.empty() ? "" : "&") + options.view;
  state += state.empty() ? "still=1" : "&still=1";  // no coarse picture first
  arguments.push_back(fmt::format("{}#{}", address_of(page), state));
  switch (run_browser(std::move(arguments), shown, std::chrono::seconds(120))) {
    case Browser::interrupted:
      return false;
    case Browser::missing:
      throw FileError(
          "export --to png needs chromium\n  hint: apt-get install chromium; or coluber export "
          "--to "
          "html, whose page has a button that saves a picture");
    case Browser::finished:
      break;
  }
  std::error_code error;
  if (fs::file_size(picture, error) == 0 || error) {
    throw FileError("chromium ended without a picture of the page");
  }
  const std::string tag = start_tag(shown);
  if (const auto refused = attribute_of(tag, "data-refused")) {
    throw RefusedView(fmt::format("error: --view: {}\n  hint: {}", *refused,
                                  attribute_of(tag, "data-known").value_or("leave it out")));
  }
  if (const auto fault = attribute_of(tag, "data-fault")) {
    throw FileError(fmt::format("the page shows no run: {}", *fault));
  }
  if (tag.find(" data-ready=\"yes\"") == std::string::npos) {
    throw FileError(
        "the page was not ready when chromium drew it\n  hint: try again, or coluber "
        "export --to html");
  }
  std::ifstream in(picture, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) throw FileError(fmt::format("{}: cannot be read", picture.string()));
  if (bytes.empty()) throw FileError(fmt::format("{}: chromium drew nothing", picture.string()));
  save_text(with_signature(std::move(bytes), PictureFormat::png), file);
  return true;
}

}  // namespace coluber::app

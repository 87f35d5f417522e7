#include "screenshot.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coluber/core/error.hpp"

#include "replay_page.hpp"

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
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Starts the first program found and waits for it; it leads a group of its own, so that a browser
// that hangs goes with all its children. False if none is there.
bool run_browser(std::vector<std::string> arguments, std::chrono::seconds limit) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
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
  if (error != 0) return false;
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      throw FileError(fmt::format("chromium did not finish within {} s", limit.count()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace

void save_screenshot(const fs::path& run, const fs::path& file, const ScreenshotOptions& options) {
  const ScratchFolder scratch;
  const fs::path page = scratch.path() / "replay.html";
  const fs::path picture = scratch.path() / "replay.png";
  save_replay_page(run, page);
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
      "--screenshot=" + picture.string()};
  if (::geteuid() == 0) arguments.emplace_back("--no-sandbox");  // chromium refuses root otherwise
  arguments.push_back(fmt::format("file://{}#{}{}t={}", page.string(), options.view,
                                  options.view.empty() ? "" : "&", options.time));
  if (!run_browser(std::move(arguments), std::chrono::seconds(120))) {
    throw FileError(
        "export --to png needs chromium\n  hint: apt-get install chromium; or coluber export --to "
        "html, whose page has a button that saves a picture");
  }
  std::error_code error;
  if (fs::file_size(picture, error) == 0 || error) {
    throw FileError("chromium ended without a picture of the page");
  }
  fs::path draft = file;
  draft += fmt::format(".{}.part", ::getpid());
  fs::copy_file(picture, draft, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(draft, file, error);
  if (error) {
    std::error_code ignored;
    fs::remove(draft, ignored);
    throw FileError(fmt::format("cannot write {}: {}", file.string(), error.message()));
  }
}

}  // namespace coluber::app

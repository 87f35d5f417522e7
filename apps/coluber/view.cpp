#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/record/replay_pack.hpp"
#include "coluber/record/run_state.hpp"

#include "command.hpp"
#include "page/replay_page.hpp"
#include "page/view_server.hpp"
#include "sweep_file.hpp"
#include "terminal.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace coluber::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ViewArguments {
  std::vector<fs::path> runs;
  int port = 0;
  bool no_open = false;
};

// `course-1` of `runs/course-1/`.
std::string name_of(const fs::path& run) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(run, error);
  return (error ? run : whole).filename().string();
}

std::map<std::string, Page> make_pages(const std::vector<fs::path>& runs) {
  for (const fs::path& run : runs) record::require_run_folder(run);
  const std::string viewer = load_viewer();
  std::map<std::string, Page> pages;
  Json list = Json::array();
  for (std::size_t k = 0; k < runs.size(); ++k) {
    Json entry{{"name", name_of(runs[k])}};
    const auto add = [&](const char* key, const char* file, const char* type, std::string body) {
      const std::string address = fmt::format("run/{}/{}", k, file);
      pages["/" + address] = {type, std::move(body)};
      entry[key] = address;
    };
    record::Replay replay = record::load_replay(runs[k]);
    warn_if_partial(runs[k]);
    add("replay", "replay.json", "application/json", std::move(replay.header));
    add("data", "replay.bin", "application/octet-stream", std::move(replay.data));
    add("run", "run.json", "application/json", record::load_run_json(runs[k]));
    list.push_back(std::move(entry));
  }
  pages["/api/runs"] = {"application/json",
                        Json{{"runs", list}}.dump(-1, ' ', true, Json::error_handler_t::replace)};
  pages["/"] = {"text/html; charset=utf-8", viewer};
  return pages;
}

// Asks the desktop to show the page; the process asked, or 0 if there is nobody to ask.
pid_t open_browser(std::string address) {
  std::string program = "xdg-open";
  const std::array<char*, 3> words{program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C is for us, not for the browser
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), &files, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : 0;
}

// Waits for Ctrl-C or SIGTERM; meanwhile says so when the desktop could not show the page.
void wait_for_end(const sigset_t& signals, pid_t opener) {
  for (;;) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGCHLD) return;
    int status = 0;
    if (opener == 0 || ::waitpid(opener, &status, WNOHANG) != opener) continue;
    opener = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      print_warning("xdg-open could open no browser; open the address yourself");
    }
  }
}

int view(ViewArguments arguments) {
  for (fs::path& run : arguments.runs) run = folder_to_show(run);
  ViewServer server(
      ViewServer::available() ? make_pages(arguments.runs) : std::map<std::string, Page>{},
      arguments.port);
  // no thread takes these signals; wait_for_end does
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread serving([&server] { server.serve(); });
  const std::string address = fmt::format("http://127.0.0.1:{}/", server.port());
  fmt::print("{}\n", address);
  std::fflush(stdout);
  const pid_t opener = arguments.no_open ? 0 : open_browser(address);
  if (!arguments.no_open && opener == 0) {
    print_warning("there is no xdg-open here; open the address in a browser");
  }
  say("Ctrl-C ends it\n");
  wait_for_end(signals, opener);
  server.stop();
  serving.join();
  return 0;  // the ordinary way to leave
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ViewArguments>();
  CLI::App* command =
      app.add_subcommand("view", "show a run, or two over each other, in the browser");
  command
      ->add_option("run", arguments->runs,
                   "run folder, or a sweep folder, whose best run it is; a second one is drawn "
                   "over the first")
      ->required()
      ->expected(1, 2)
      ->check(not_empty("the folder"))
      ->type_name("RUN [RUN2]");
  command->add_option("--port", arguments->port, "port on 127.0.0.1 (any that is free)")
      ->check(CLI::Range(0, 65535))
      ->type_name("N");
  command->add_flag("--no-open", arguments->no_open, "print the address and open no browser");
  command->callback([arguments, &action] { action = [arguments] { return view(*arguments); }; });
}

}  // namespace coluber::app

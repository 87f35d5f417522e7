#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/cli/cli.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/nearest.hpp"

#include "command.hpp"
#include "fault.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

enum Exit : int { done = 0, failed = 1, usage = 2, bad_input = 3 };

// Words of the contract whose feature is still to come.
constexpr std::string_view not_built[] = {"live"};

// CLI11 says no more than "A subcommand is required" of a word it does not know.
bool complain_about_word(const CLI::App& app, const std::string& word) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return false;
    commands.push_back(command->get_name());
  }
  if (std::ranges::find(not_built, word) != std::end(not_built)) {
    print_error(fmt::format("error: \"{}\" is not built yet", word));
    return true;
  }
  const std::string guess = nearest(word, commands);
  print_error(fmt::format(
      "error: there is no command \"{}\"\n  hint: {}", word,
      guess.empty() ? "coluber --help lists them" : fmt::format("did you mean \"{}\"?", guess)));
  return true;
}

// Nor of an option before the command.
bool complain_about_option(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> options;
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_name(name)) return false;
    for (const std::string& known : option->get_lnames()) options.push_back("--" + known);
  }
  const std::string guess = nearest(name, options);
  print_error(fmt::format(
      "error: there is no option \"{}\"\n  hint: {}", name,
      guess.empty() ? "options of a command stand behind it; coluber --help lists the commands"
                    : fmt::format("did you mean \"{}\"?", guess)));
  return true;
}

// CLI11 takes an empty word for no value at all, or for 0.
bool complain_about_nothing(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional() || option->get_name() == "--set") continue;  // they say more
      const auto& values = option->results();
      if (std::ranges::find(values, "") == values.end()) continue;
      print_error(fmt::format(
          "error: {}: expected a value, got nothing\n  hint: leave it out, or see  {} {} --help",
          option->get_name(), app.get_name(), command->get_name()));
      return true;
    }
  }
  return false;
}

// The last one would count, and the first be lost without a word.
bool complain_about_key_set_twice(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    const CLI::Option* option = command->get_option_no_throw("--set");
    if (option == nullptr) continue;
    std::set<std::string> keys;
    for (const std::string& text : option->results()) {
      std::string key = text.substr(0, text.find('='));
      std::erase(key, ' ');
      if (key.empty() || keys.insert(key).second) continue;
      print_error(
          fmt::format("error: --set {}=… is given twice\n  hint: leave one of them out", key));
      return true;
    }
  }
  return false;
}

// `help run` is `run --help`, which words_of() says instead. This entry is for the list of
// commands.
void add_help(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "explain a command");
  command->add_option("command", "command to explain (default: all, in a line each)")
      ->type_name("COMMAND");
}
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const bool explains = !words.empty() && words.front() == "help" && words.size() <= 2 &&
                        (words.size() == 1 || !words.back().starts_with('-'));
  if (!explains) return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

// A wish that names no code path would be ignored.
void check_code_path() {
  const char* wish = std::getenv("COLUBER_CODE_PATH");
  if (wish == nullptr || *wish == '\0') return;
  constexpr std::array<std::string_view, 3> paths{"portable", "x86-64-v3", "x86-64-v4"};
  if (std::ranges::find(paths, wish) != paths.end()) return;
  throw InputError(make_fault(
      "", 0, 0, fmt::format("expected portable, x86-64-v3 or x86-64-v4, got \"{}\"", wish),
      "leave it unset for the fastest that this processor has", "COLUBER_CODE_PATH"));
}

int run_main(int argc, char** argv) {
  const std::string name =
      argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "coluber";
  CLI::App app("Coluber: snake robots, modelled, simulated and controlled", name);
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_check(app, action);
  add_list(app, action);
  add_plot(app, action);
  add_view(app, action);
  add_export(app, action);
  add_reproduce(app, action);
  add_sweep(app, action);
  add_bench(app, action);
  add_studies(app, action);
  add_version(app, action);
  add_help(app);
  app.footer(
      "Exit codes: 0 done, 1 the run or a claim failed, 2 wrong usage, 3 bad input, 130 "
      "interrupted.");

  check_code_path();
  std::vector<std::string> words = words_of(argc, argv);
  if (!words.empty()) {
    const std::string& first = words.front();
    const bool wrong = first.starts_with('-') ? complain_about_option(app, first)
                                              : complain_about_word(app, first);
    if (wrong) return usage;
  }
  try {
    std::ranges::reverse(words);  // CLI11 takes them from the end
    app.parse(std::move(words));
  } catch (const CLI::Success& success) {  // --help
    return app.exit(success);
  } catch (const CLI::ExtrasError&) {  // whose own text has them in reverse
    print_error(fmt::format(
        "The following arguments were not expected: {}\nRun with --help for more information.",
        fmt::join(app.remaining(true), " ")));
    return usage;
  } catch (const CLI::ParseError& error) {  // CLI11's own codes exceed 100
    app.exit(error);
    return usage;
  }
  if (complain_about_nothing(app) || complain_about_key_set_twice(app)) return usage;
  return action ? action() : usage;
}

}  // namespace

}  // namespace coluber::app

namespace coluber::cli {

int main(int argc, char** argv) {
  app::open_standard_streams();
  // in lines, so that tables and messages keep their order where both go to one file
  static_cast<void>(std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ));
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is a write error like a full disk
  int code = app::failed;
  try {
    code = app::run_main(argc, argv);
  } catch (const InputError& error) {
    app::print_error(error.what());
    code = app::bad_input;
  } catch (const Error& error) {
    app::print_error(fmt::format("error: {}", error.what()));
  } catch (const std::bad_alloc&) {
    app::print_error("error: out of memory");
  } catch (const std::exception& error) {
    app::print_error(fmt::format("error: {}", error.what()));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    app::print_error("error: cannot write to the standard output");
    if (code == app::done) code = app::failed;
  }
  return code;
}

}  // namespace coluber::cli

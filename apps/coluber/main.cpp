#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "command.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

enum Exit : int { done = 0, failed = 1, usage = 2, bad_input = 3 };

// Words of the contract whose feature is still to come.
constexpr std::string_view not_built[] = {"sweep", "quality"};

// Letters to change, add or drop to get from a to b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

// CLI11 says no more than "A subcommand is required" of a word it does not know.
bool complain_about_word(const CLI::App& app, const std::string& word) {
  for (const std::string_view name : not_built) {
    if (word == name) {
      print_error(fmt::format("error: \"{}\" is not built yet", word));
      return true;
    }
  }
  std::string nearest;
  std::size_t distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return false;
    const std::size_t d = edit_distance(word, command->get_name());
    if (d < distance) {
      distance = d;
      nearest = command->get_name();
    }
  }
  print_error(fmt::format("error: there is no command \"{}\"\n  hint: {}", word,
                          nearest.empty() ? "coluber --help lists them"
                                          : fmt::format("did you mean \"{}\"?", nearest)));
  return true;
}

int run_main(int argc, char** argv) {
  CLI::App app("Coluber: snake robots, modelled, simulated and controlled", "coluber");
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_check(app, action);
  add_list(app, action);
  add_plot(app, action);
  add_view(app, action);
  add_export(app, action);
  add_reproduce(app, action);
  add_bench(app, action);
  add_version(app, action);
  app.footer(
      "Exit codes: 0 done, 1 the run or a claim failed, 2 wrong usage, 3 bad input, 130 "
      "interrupted.");

  if (argc > 1 && argv[1][0] != '-' && complain_about_word(app, argv[1])) return usage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help
    return app.exit(success);
  } catch (const CLI::ParseError& error) {  // CLI11's own codes exceed 100
    app.exit(error);
    return usage;
  }
  return action ? action() : usage;
}

}  // namespace

}  // namespace coluber::app

int main(int argc, char** argv) {
  using namespace coluber;
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

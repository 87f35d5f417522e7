#pragma once

#include <functional>
#include <string>
#include <utility>

namespace CLI {
class App;
}

namespace coluber::app {

/// What the chosen subcommand does; returns the exit code.
using Action = std::function<int()>;

/// For CLI::Option::check: `thing` ("the folder") is named by more than "".
inline auto not_empty(std::string thing) {
  return [thing = std::move(thing)](const std::string& name) {
    return name.empty() ? "the name of " + thing + " is empty" : std::string();
  };
}

/// Each registers its subcommand; parsing a command line that chooses it sets `action`.
void add_run(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
/// A subcommand for every registered study.
void add_studies(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);

}  // namespace coluber::app

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/record/csv.hpp"
#include "coluber/record/trajectory.hpp"

#include "command.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  fs::path run;
  std::string to;
  fs::path out;
};

int export_run(const ExportArguments& arguments) {
  for (const char* format : {"html", "png", "webm", "mjcf", "urdf"}) {
    if (arguments.to == format) {
      print_error(fmt::format("error: export --to {} is not built yet", format));
      return 2;
    }
  }
  if (arguments.to != "csv") {
    print_error(
        fmt::format("error: export --to: there is no format \"{}\"\n  hint: csv", arguments.to));
    return 2;
  }
  std::error_code error;
  if (!fs::is_directory(arguments.run, error)) {
    Diagnostic fault;
    fault.where.file = arguments.run.string();
    fault.message = "is not a run folder";
    fault.hint = "name the folder that `coluber run` wrote";
    throw InputError(fault);
  }
  const fs::path file = arguments.out.empty() ? arguments.run / "trajectory.csv" : arguments.out;
  record::save_csv(record::load_trajectory(arguments.run), file);
  fmt::print("{}\n", file.string());
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "write a run in another format");
  command->add_option("run", arguments->run, "run folder")->required()->type_name("RUN");
  command->add_option("--to", arguments->to, "csv")->required()->type_name("FORMAT");
  command->add_option("-o,--output", arguments->out, "file to write (RUN/trajectory.csv)")
      ->type_name("FILE");
  command->callback(
      [arguments, &action] { action = [arguments] { return export_run(*arguments); }; });
}

}  // namespace coluber::app

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/record/csv.hpp"
#include "coluber/record/run_state.hpp"
#include "coluber/record/trajectory.hpp"

#include "command.hpp"
#include "page/compared_page.hpp"
#include "page/replay_page.hpp"
#include "page/screenshot.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  fs::path run;
  fs::path second;  ///< html: shown over the first
  std::string to;
  fs::path out;
  std::optional<double> time;
  std::string view;
};

/// Beside the first run's own page: `replay-and-course-2.html`.
std::string compared_name(const fs::path& second) {
  return "replay-and-" + folder_name(second) + ".html";
}

int export_run(const ExportArguments& arguments) {
  for (const char* format : {"webm", "mjcf", "urdf"}) {
    if (arguments.to == format) {
      print_error(fmt::format("error: export --to {} is not built yet", format));
      return 2;
    }
  }
  const bool csv = arguments.to == "csv";
  const bool png = arguments.to == "png";
  if (!csv && !png && arguments.to != "html") {
    print_error(fmt::format("error: export --to: there is no format \"{}\"\n  hint: html, png, csv",
                            arguments.to));
    return 2;
  }
  if ((arguments.time || !arguments.view.empty()) && !png) {
    print_error(fmt::format("error: {} belongs to --to png", arguments.time ? "--time" : "--view"));
    return 2;
  }
  const bool two = !arguments.second.empty();
  if (two && (csv || png)) {
    print_error(fmt::format(
        "error: export --to {} takes one run\n  hint: two go into one page with  --to html",
        arguments.to));
    return 2;
  }
  const bool plain = std::all_of(arguments.view.begin(), arguments.view.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_.,=&%+-").find(c) != std::string_view::npos;
  });
  if (!plain) {
    print_error(
        "error: --view: expected what the viewer's address has after #\n  hint: for example  "
        "--view 'cam=top&theme=dark&panel=0'");
    return 2;
  }
  record::require_run_folder(arguments.run);
  const fs::path file = !arguments.out.empty()
                            ? arguments.out
                            : arguments.run / (csv   ? "trajectory.csv"
                                               : png ? "replay.png"
                                               : two ? compared_name(arguments.second)
                                                     : "replay.html");
  warn_if_partial(arguments.run);
  if (two) {
    record::require_run_folder(arguments.second);
    warn_if_partial(arguments.second);
  }
  if (csv) {
    record::save_csv(record::load_trajectory(arguments.run), file);
  } else if (png) {
    const ScreenshotOptions options{.time = arguments.time, .view = arguments.view};
    if (!save_screenshot(arguments.run, file, options)) return 130;
  } else {
    const auto page = two ? save_compared_page({arguments.run, arguments.second}, file)
                          : save_replay_page(arguments.run, file);
    fmt::print(stderr, "{}\n", describe(page));
  }
  fmt::print("{}\n", file.string());
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "write a run in another format");
  command->add_option("run", arguments->run, "run folder")->required()->type_name("RUN");
  command
      ->add_option("second", arguments->second, "html: a second run folder, drawn over the first")
      ->type_name("[RUN2]");
  command
      ->add_option("--to", arguments->to,
                   "html: one page that opens offline; png: a picture of it, by chromium; csv")
      ->required()
      ->type_name("FORMAT");
  command
      ->add_option("-o,--output", arguments->out,
                   "file to write (RUN/replay.html, RUN/replay.png, RUN/trajectory.csv)")
      ->type_name("FILE");
  command
      ->add_option("--time", arguments->time,
                   "png: the moment to show, s (that of --view, or the first)")
      ->type_name("T")
      ->check([](const std::string& text) {
        double time = 0.0;
        return CLI::detail::lexical_cast(text, time) && time >= 0.0
                   ? std::string()
                   : fmt::format("expected a time >= 0 in s, got {}", text);
      });
  command
      ->add_option("--view", arguments->view,
                   "png: the view, as the viewer's address has it after #, e.g. "
                   "cam=top&theme=dark&panel=0")
      ->type_name("STATE");
  command->callback(
      [arguments, &action] { action = [arguments] { return export_run(*arguments); }; });
}

}  // namespace coluber::app

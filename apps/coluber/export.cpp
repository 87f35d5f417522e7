#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/record/csv.hpp"
#include "coluber/record/marks.hpp"
#include "coluber/record/run_state.hpp"
#include "coluber/record/trajectory.hpp"

#include "command.hpp"
#include "interrupt.hpp"
#include "output_place.hpp"
#include "page/compared_page.hpp"
#include "page/replay_page.hpp"
#include "page/screenshot.hpp"
#include "plot/signature.hpp"
#include "run_data.hpp"
#include "terminal.hpp"
#include "view_state.hpp"

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
  bool force = false;
};

/// Beside the first run's own page: `replay-and-course-2.html`.
std::string compared_name(const fs::path& second) {
  return "replay-and-" + folder_name(second) + ".html";
}

/// The name of the result in the run folder.
std::string own_name(const ExportArguments& arguments) {
  if (arguments.to == "csv") return "trajectory.csv";
  if (arguments.to == "png") return "replay.png";
  return arguments.second.empty() ? "replay.html" : compared_name(arguments.second);
}

// Whether a table begins as `export` writes them for such runs, of any number of links: columns of
// most of the quantities, and of nothing else.
bool is_table(std::string_view head, const record::Trajectory& trajectory) {
  std::set<std::string_view> known;
  for (const Observable& observable : trajectory.observables) known.insert(observable.name);
  std::set<std::string_view> found;
  std::string_view line = head.substr(0, head.find('\n'));
  for (bool first = true; !line.empty(); first = false) {
    const std::string_view column = line.substr(0, line.find(','));
    line.remove_prefix(std::min(line.size(), column.size() + 1));
    const std::string_view quantity = column.substr(0, column.find('.'));
    if (first ? column != "time" : !known.contains(quantity)) return false;
    if (!first) found.insert(quantity);
  }
  return 2 * found.size() >= known.size();
}

// Where the result goes. A table of measurements is not of the kind that `export` writes.
fs::path place_of(const ExportArguments& arguments, const fs::path& file,
                  const std::function<const record::Trajectory&()>& trajectory) {
  OutputPlace place;
  place.own = arguments.run / own_name(arguments);
  place.force = arguments.force;
  if (arguments.out.empty()) place.option = "export";
  if (arguments.to == "csv") {
    place.endings = {".csv"};
    place.kind = "a table that export wrote";
    place.same_kind = [&](std::string_view head) { return is_table(head, trajectory()); };
  } else if (arguments.to == "png") {
    place.endings = {".png"};
    place.kind = "a picture that Coluber made";
    place.same_kind = [](std::string_view sample) {
      return has_signature(sample, PictureFormat::png);
    };
  } else {
    place.endings = {".html", ".htm"};
    place.kind = "a page of Coluber";
    place.same_kind = [](std::string_view head) {
      return head.find(record::page_mark) != std::string_view::npos;
    };
  }
  return find_place(file, place);
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
  if (const std::string fault = fault_of_view(arguments.view); !fault.empty()) {
    print_error("error: --view: " + fault);
    return 2;
  }
  const fs::path file =
      !arguments.out.empty() ? arguments.out : arguments.run / own_name(arguments);
  std::optional<record::Trajectory> loaded;
  const auto trajectory = [&]() -> const record::Trajectory& {
    if (!loaded) loaded = load_recorded(arguments.run);
    return *loaded;
  };
  fs::path place;
  try {
    place = place_of(arguments, file, trajectory);
  } catch (const RefusedPlace& refused) {
    print_error(refused.what());
    return 2;
  }
  record::require_run_folder(arguments.run);
  warn_if_partial(arguments.run);
  if (two) {
    record::require_run_folder(arguments.second);
    warn_if_partial(arguments.second);
  }
  if (csv) {
    const record::Trajectory& table = trajectory();
    catch_signals();  // from here on there is something to remove
    try {
      record::save_csv(table, place, was_interrupted);
    } catch (const record::GivenUp&) {
      say("interrupted; there is no {}\n", file.string());
      return 130;
    }
  } else if (png) {
    const ScreenshotOptions options{.time = arguments.time, .view = arguments.view};
    try {
      if (!save_screenshot(arguments.run, place, options)) return 130;
    } catch (const RefusedView& refused) {
      print_error(refused.what());
      return 2;
    }
  } else {
    const auto page = two ? save_compared_page({arguments.run, arguments.second}, place)
                          : save_replay_page(arguments.run, place);
    say("{}\n", describe(page));
  }
  fmt::print("{}\n", file.string());
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "write a run in another format");
  command->add_option("run", arguments->run, "run folder")
      ->required()
      ->check(not_empty("the folder"))
      ->type_name("RUN");
  command
      ->add_option("second", arguments->second, "html: a second run folder, drawn over the first")
      ->type_name("[RUN2]")
      ->check(not_empty("the folder"));
  command
      ->add_option("--to", arguments->to,
                   "html: one page that opens offline; png: a picture of it, by chromium; csv")
      ->required()
      ->type_name("FORMAT");
  command
      ->add_option("-o,--output", arguments->out,
                   "file to write (RUN/replay.html, RUN/replay.png, RUN/trajectory.csv)")
      ->type_name("FILE")
      ->check(not_empty("the file"));
  command->add_flag("--force", arguments->force, "replace a file of another kind");
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

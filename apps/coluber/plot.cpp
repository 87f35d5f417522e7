#include <algorithm>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/record/csv.hpp"
#include "coluber/record/run_state.hpp"
#include "coluber/record/trajectory.hpp"

#include "command.hpp"
#include "plot/figures.hpp"
#include "plot/manifest.hpp"
#include "plot/names.hpp"
#include "run_data.hpp"
#include "terminal.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  fs::path run;
  std::vector<std::string> what;
  fs::path measured;
  fs::path output;
  FigureOptions figure;
};

std::string all_names() {
  std::string names;
  for (const auto& plot : plot_names()) {
    if (!names.empty()) names += ", ";
    names += plot.name;
  }
  return names;
}

/// `FILE.svg` for one picture; for several, the plot's name goes in front of the ending.
fs::path output_of(const PlotOptions& options, const std::string& name, bool several) {
  if (options.output.empty()) return options.run / "plots" / (name + ".svg");
  if (!several) return options.output;
  auto file = options.output;
  file.replace_filename(file.stem().string() + "-" + name + file.extension().string());
  return file;
}

/// Says what of the user's measurements is in no picture.
void warn_of_measured(const Measured& measured, const record::Trajectory& run,
                      const FigureOptions& options, const std::vector<std::string>& unfit) {
  const double from = options.from.value_or(run.time.front());
  const double to = options.to.value_or(run.time.back());
  if (std::none_of(measured.time.begin(), measured.time.end(),
                   [&](double t) { return t >= from && t <= to; }))
    fmt::print(stderr, "warning: {} is not drawn: its times, {} to {} s, lie outside {} to {} s\n",
               measured.label, measured.time.front(), measured.time.back(), from, to);
  else if (!unfit.empty())
    fmt::print(stderr, "warning: {} is not drawn in {}: it has no quantity shown there\n",
               measured.label, fmt::join(unfit, ", "));
}

/// What of the command line shapes the pictures.
nlohmann::ordered_json noted_options(const PlotOptions& options) {
  nlohmann::ordered_json noted = nlohmann::ordered_json::object();
  if (options.figure.time) noted["time"] = *options.figure.time;
  if (options.figure.from) noted["from"] = *options.figure.from;
  if (options.figure.to) noted["to"] = *options.figure.to;
  if (options.figure.zoom) noted["zoom"] = true;
  if (options.figure.along_y) noted["plane"] = "yz";
  if (!options.figure.links.empty()) noted["link"] = options.figure.links;
  if (!options.measured.empty()) noted["measured"] = options.measured.string();
  return noted;
}

/// An option that none of the named plots looks at, with the reason; "" if there is none.
std::string idle_option(const PlotOptions& options) {
  struct Use {
    const char* option;
    bool given;
    std::vector<std::string> plots;
  };
  const std::vector<Use> uses{
      {"--time", options.figure.time.has_value(), {"course", "side"}},
      {"--zoom", options.figure.zoom, {"course"}},
      {"--plane", options.figure.along_y, {"side"}},
      {"--link",
       !options.figure.links.empty(),
       {"path", "velocities", "forces", "angles", "tracking", "torques"}},
  };
  for (const Use& use : uses) {
    const bool used = std::ranges::any_of(options.what, [&](const std::string& name) {
      return std::ranges::find(use.plots, name) != use.plots.end();
    });
    if (use.given && !used && !options.what.empty()) {
      return fmt::format("{} goes with --what {}, not with {}", use.option,
                         fmt::join(use.plots, ", "), fmt::join(options.what, ", "));
    }
  }
  return {};
}

Scene load_scene_of(const record::Trajectory& run, const fs::path& folder) {
  auto scene = load_scene(folder);
  // a run that goes on may have taken frames since
  if (scene.drawing.floats > 0 && scene.drawing.frames < run.frames())
    throw FileError(fmt::format("{}: the run has {} frames, but only {} of them can be drawn",
                                folder.string(), run.frames(), scene.drawing.frames));
  return scene;
}

int plot(const PlotOptions& options) {
  if (const std::string idle = idle_option(options); !idle.empty()) {
    print_error(fmt::format("error: {}\n  hint: leave it out, or name one of these plots", idle));
    return 2;
  }
  std::error_code fault;
  const auto run = load_recorded(options.run);
  warn_if_partial(options.run);
  const auto scene = load_scene_of(run, options.run);

  auto figure_options = options.figure;
  Measured measured;
  if (!options.measured.empty()) {
    std::vector<std::string> known;
    int links = 1;
    for (const auto& o : run.observables) {
      const auto names = record::column_names(o);
      known.insert(known.end(), names.begin(), names.end());
      if (o.name == "link_position") links = o.shape.at(0);
    }
    measured = load_measured(options.measured, known, (links + 1) / 2);
    figure_options.measured = &measured;
  }

  std::vector<std::string> names = options.what;
  if (names.empty()) {
    for (const auto& p : plot_names())
      if (worth_drawing(p.name, run, scene)) names.emplace_back(p.name);
  }
  const bool into_run = options.output.empty();
  std::string final_state;
  if (into_run) {
    final_state = load_final_state(options.run);
    fs::create_directories(options.run / "plots", fault);
    if (fault)
      throw FileError(
          fmt::format("cannot make {}: {}", (options.run / "plots").string(), fault.message()));
  }
  std::vector<std::string> unfit;
  for (const auto& name : names) {
    bool drawn = false;
    figure_options.measured_drawn = &drawn;
    const auto file = output_of(options, name, names.size() > 1);
    const auto picture =
        render(make_figure(name, run, scene, figure_options), picture_format(file));
    // noted first: a picture that is listed and missing harms no one, a stale one would
    if (into_run)
      note_plot(options.run, {name, file.filename().string(), noted_options(options), run.frames(),
                              final_state});
    save_text(picture, file);
    fmt::print("{}\n", file.string());
    if (!drawn) unfit.push_back(name);
  }
  if (figure_options.measured != nullptr) warn_of_measured(measured, run, options.figure, unfit);
  return 0;
}

}  // namespace

void add_plot(CLI::App& app, Action& action) {
  auto options = std::make_shared<PlotOptions>();
  auto* command = app.add_subcommand("plot", "draw a run: pictures a paper could print");
  command->add_option("run", options->run, "run folder")->required()->type_name("RUN");
  command
      ->add_option(
          "--what", options->what,
          "plot to draw, may be repeated; all that fit the run if not given: " + all_names())
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->check([](const std::string& name) {
        const auto names = plot_names();
        const bool known = std::any_of(names.begin(), names.end(),
                                       [&](const PlotName& p) { return p.name == name; });
        return known ? std::string{}
                     : fmt::format("there is no plot \"{}\"; choose from {}", name, all_names());
      });
  command
      ->add_option("--measured", options->measured,
                   "your own CSV drawn over the run: time and link_position.6.x, … or t,x,y")
      ->type_name("FILE.csv");
  command
      ->add_option(
          "-o,--output", options->output,
          "picture to write; its ending chooses SVG, PNG or PDF (default: RUN/plots/*.svg)")
      ->type_name("FILE")
      ->check([](const std::string& file) {
        const auto ending = fs::path(file).extension();
        return ending == ".svg" || ending == ".png" || ending == ".pdf"
                   ? std::string{}
                   : fmt::format("{}: expected a name ending in .svg, .png or .pdf", file);
      });
  command
      ->add_option("--time", options->figure.time,
                   "course, side: time of the posture, s (default: the last, several)")
      ->type_name("T");
  command->add_flag("--zoom", options->figure.zoom,
                    "course: frame the robot, not the whole course");
  command
      ->add_option_function<std::string>(
          "--plane",
          [options](const std::string& plane) { options->figure.along_y = plane == "yz"; },
          "side: plane of the picture, xz or yz (default: xz)")
      ->check(CLI::IsMember({"xz", "yz"}))
      ->type_name("PLANE");
  command->add_option("--from", options->figure.from, "start of the time axes and paths, s")
      ->type_name("T");
  command->add_option("--to", options->figure.to, "their end, s")->type_name("T");
  command->add_option("--link", options->figure.links, "link (or joint) to draw, may be repeated")
      ->allow_extra_args(false)
      ->type_name("N");
  command->callback([options, &action] { action = [options] { return plot(*options); }; });
}

}  // namespace coluber::app

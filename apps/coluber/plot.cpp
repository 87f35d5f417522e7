#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/record/csv.hpp"
#include "coluber/record/run_state.hpp"
#include "coluber/record/trajectory.hpp"
#include "coluber/sweep/folder.hpp"

#include "command.hpp"
#include "fault.hpp"
#include "output_place.hpp"
#include "page/compared_page.hpp"
#include "plot/compare.hpp"
#include "plot/differences.hpp"
#include "plot/figures.hpp"
#include "plot/manifest.hpp"
#include "plot/names.hpp"
#include "plot/signature.hpp"
#include "plot/sweep.hpp"
#include "run_data.hpp"
#include "terminal.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::vector<fs::path> runs;  ///< one; more are drawn over it
  std::vector<std::string> what;
  fs::path measured;
  fs::path output;
  FigureOptions figure;
  bool no_title = false;
  bool force = false;
};

/// A length in cm: 85mm, 8.5cm, 3.35in.
std::optional<double> to_cm(std::string_view text) {
  double number = 0.0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  if (unit == "mm") return 0.1 * number;
  if (unit == "cm") return number;
  if (unit == "in") return 2.54 * number;
  return std::nullopt;
}

std::string all_names() {
  std::string names;
  for (const auto& plot : plot_names()) {
    if (!names.empty()) names += ", ";
    names += plot.name;
  }
  return names;
}

/// `FILE.svg` for one picture; for several, the plot's name goes in front of the ending. Pictures
/// of several runs go into the folder of the first, under the names of the others.
fs::path output_of(const PlotOptions& options, const std::string& name, bool several) {
  if (options.output.empty()) {
    auto file = name;
    for (std::size_t k = 1; k < options.runs.size(); ++k)
      file += "-and-" + folder_name(options.runs[k]);
    return options.runs.front() / "plots" / (file + ".svg");
  }
  if (!several) return options.output;
  auto file = options.output;
  file.replace_filename(file.stem().string() + "-" + name + file.extension().string());
  return file;
}

/// Where a picture goes. One of the run's plots/ is replaced if Coluber made it or lists it there.
fs::path place_of_picture(const PlotOptions& options, const fs::path& file) {
  const auto format = picture_format(file);
  OutputPlace place;
  place.endings = {".svg", ".png", ".pdf"};
  place.kind = "a picture that Coluber made";
  place.own_folder = options.runs.front() / "plots";
  place.force = options.force;
  place.same_kind = [format](std::string_view sample) { return has_signature(sample, format); };
  if (options.output.empty()) {
    place.option = "plot";
    place.own_is_known = is_noted(options.runs.front(), file.filename().string());
    if (place.own_is_known) place.own = file;
  }
  return find_place(file, place);
}

/// Says what of the user's measurements is in no picture.
void warn_of_measured(const Measured& measured, const record::Trajectory& run,
                      const FigureOptions& options, const std::vector<std::string>& unfit) {
  const double from = options.from.value_or(run.time.front());
  const double to = options.to.value_or(run.time.back());
  if (std::none_of(measured.time.begin(), measured.time.end(),
                   [&](double t) { return t >= from && t <= to; }))
    say("warning: {} is not drawn: its times, {} to {} s, lie outside {} to {} s\n", measured.label,
        measured.time.front(), measured.time.back(), from, to);
  else if (!unfit.empty())
    say("warning: {} is not drawn in {}: it has no quantity shown there\n", measured.label,
        fmt::join(unfit, ", "));
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
  if (options.no_title) noted["no-title"] = true;
  if (options.figure.width_cm != FigureOptions{}.width_cm)
    noted["width"] = fmt::format("{:g}mm", 10.0 * options.figure.width_cm);
  for (std::size_t k = 1; k < options.runs.size(); ++k)
    noted["runs"].push_back(options.runs[k].string());
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
      {"--time",
       options.figure.time.has_value(),
       {"course", "side", "force_map", "internal", "grasp"}},
      {"--zoom", options.figure.zoom, {"course", "path", "postures", "grasp"}},
      {"--plane", options.figure.along_y, {"side", "grasp"}},
      {"--link",
       !options.figure.links.empty(),
       {"path", "velocities", "forces", "angles", "tracking", "path_error", "torques", "wheels",
        "reactions"}},
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

/// The first name that is there again; "" if none is.
std::string named_twice(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? std::string() : *twice;
}

Scene load_scene_of(const record::Trajectory& run, const fs::path& folder) {
  auto scene = load_scene(folder);
  // a run that goes on may have taken frames since
  if (scene.drawing.floats > 0 && scene.drawing.frames < run.frames())
    throw FileError(fmt::format("{}: the run has {} frames, but only {} of them can be drawn",
                                folder.string(), run.frames(), scene.drawing.frames));
  return scene;
}

/// A run folder read.
struct LoadedRun {
  record::Trajectory trajectory;
  Scene scene;
};

LoadedRun load_run(const fs::path& folder) {
  LoadedRun run{load_recorded(folder), {}};
  warn_if_partial(folder);
  run.scene = load_scene_of(run.trajectory, folder);
  return run;
}

/// What tells several runs apart, for the picture; all of it on stderr where it does not fit.
struct Compared {
  std::vector<ComparedRun> runs;
  std::string title;
  std::string note;
};

Compared compare_runs(const std::vector<LoadedRun>& runs, const PlotOptions& options) {
  const auto names = run_names(options.runs);
  std::vector<nlohmann::ordered_json> scenarios;
  for (const auto& folder : options.runs) scenarios.push_back(load_resolved(folder));
  const auto differences = differing_keys(scenarios);
  Compared compared;
  std::vector<std::string> titles;
  bool whole = true;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    compared.runs.push_back({run_label(names[k], differences, k, options.figure.width_cm, whole),
                             &runs[k].trajectory, &runs[k].scene});
    if (std::find(titles.begin(), titles.end(), runs[k].scene.title) == titles.end())
      titles.push_back(runs[k].scene.title);
  }
  compared.title = fmt::format("{}", fmt::join(titles, "  |  "));
  const bool known =
      std::all_of(scenarios.begin(), scenarios.end(), [](const auto& s) { return s.is_object(); });
  if (known && differences.empty()) compared.note = "the runs differ in no key";
  if (whole) return compared;
  compared.note = fmt::format("the runs differ in {} key{}", differences.size(),
                              differences.size() == 1 ? "" : "s");
  say("the runs differ in\n");
  for (const auto& difference : differences)
    say("  {}: {}\n", difference.key, fmt::join(difference.values, " | "));
  return compared;
}

/// A plot is drawn unasked if all runs can be drawn so, and one has something to tell.
bool worth_drawing_of(std::string_view name, const std::vector<LoadedRun>& runs) {
  if (runs.size() > 1 && !compares_runs(name)) return false;
  const bool alone = runs.size() == 1 || compares_one_frame(name);
  const auto can = [&](const LoadedRun& r) {
    return can_draw(name, r.trajectory, r.scene) && (alone || r.trajectory.frames() > 1);
  };
  const auto worth = [&](const LoadedRun& r) { return worth_drawing(name, r.trajectory, r.scene); };
  return std::all_of(runs.begin(), runs.end(), can) && std::any_of(runs.begin(), runs.end(), worth);
}

/// Why a plot that was asked for would be empty; "" if none would.
std::string nothing_to_draw(const std::vector<std::string>& names,
                            const std::vector<LoadedRun>& runs) {
  const bool flat = std::ranges::all_of(runs, [](const LoadedRun& run) {
    return can_draw("footfall", run.trajectory, run.scene) && lies_flat(run.trajectory);
  });
  if (!flat || std::ranges::find(names, "footfall") == names.end()) return {};
  return "error: footfall has nothing to draw: in a planar model all links lie on the ground all "
         "the time, and none of them touches an obstacle in this run\n  hint: --what forces draws "
         "the forces of the ground";
}

bool is_sweep_plot(std::string_view name) {
  return std::ranges::any_of(sweep_plot_names(), [&](const PlotName& p) { return p.name == name; });
}

/// Pictures of a sweep folder.
int plot_sweep(const PlotOptions& options) {
  const auto& folder = options.runs.front();
  if (options.runs.size() > 1 || !options.measured.empty()) {
    print_error(fmt::format("error: {} is a sweep, which is drawn by itself", folder.string()));
    return 2;
  }
  const SweepTable table = load_sweep_table(folder);
  auto names = options.what;
  for (const auto& name : names) {
    if (is_sweep_plot(name)) continue;
    print_error(
        fmt::format("error: {} is a plot of a run, {} is a sweep\n  hint: --what response, "
                    "heatmap or parallel; best/ in it is a run",
                    name, folder.string()));
    return 2;
  }
  if (names.empty()) {
    for (const auto& p : sweep_plot_names())
      if (can_draw_sweep(p.name, table)) names.emplace_back(p.name);
  }
  auto figure_options = options.figure;
  figure_options.title = !options.no_title;
  const bool several = names.size() > 1;
  for (const auto& name : names) {
    const auto file = output_of(options, name, several);
    try {
      const auto place = place_of_picture(options, file);
      const auto picture =
          render(make_sweep_figure(name, table, figure_options), picture_format(file));
      if (options.output.empty()) fs::create_directories(folder / "plots");
      save_text(picture, place);
    } catch (const RefusedPlace& refused) {
      print_error(refused.what());
      return 2;
    }
    fmt::print("{}\n", file.string());
  }
  return 0;
}

int plot(const PlotOptions& options) {
  if (const std::string idle = idle_option(options); !idle.empty()) {
    print_error(fmt::format("error: {}\n  hint: leave it out, or name one of these plots", idle));
    return 2;
  }
  if (const std::string twice = named_twice(options.what); !twice.empty()) {
    print_error(
        fmt::format("error: --what {} is given twice\n  hint: leave one of them out", twice));
    return 2;
  }
  const auto& folder = options.runs.front();
  if (sweep::is_sweep_folder(folder)) return plot_sweep(options);
  for (const auto& name : options.what) {
    if (!is_sweep_plot(name)) continue;
    print_error(
        fmt::format("error: {} is a plot of a sweep, and {} holds none", name, folder.string()));
    return 2;
  }
  const bool several_runs = options.runs.size() > 1;
  const auto alone = std::ranges::find_if_not(options.what, compares_runs);
  if (several_runs && alone != options.what.end()) {
    print_error(fmt::format(
        "error: --what {} draws one run\n  hint: leave it out, or plot each run by itself",
        *alone));
    return 2;
  }
  if (!options.measured.empty() && several_runs) {
    print_error("error: --measured belongs to a plot of one run");
    return 2;
  }
  std::vector<LoadedRun> runs;
  for (const auto& each : options.runs) runs.push_back(load_run(each));
  const auto& [run, scene] = runs.front();
  auto figure_options = options.figure;
  figure_options.title = !options.no_title;
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
      if (worth_drawing_of(p.name, runs)) names.emplace_back(p.name);
  }
  if (const auto nothing = nothing_to_draw(names, runs); !nothing.empty()) {
    print_error(nothing);
    return 2;
  }
  Compared compared;
  if (several_runs) compared = compare_runs(runs, options);
  const bool into_run = options.output.empty();
  // all of them, before one is drawn
  std::vector<fs::path> places;
  try {
    for (const auto& name : names)
      places.push_back(place_of_picture(options, output_of(options, name, names.size() > 1)));
    if (into_run && !options.force && has_foreign_list(folder))
      throw RefusedPlace(fmt::format("plot {}", (folder / "plots" / "plots.json").string()),
                         "exists and is not a list of pictures that Coluber made",
                         "move it away, or name a picture elsewhere with -o; --force replaces it");
  } catch (const RefusedPlace& refused) {
    print_error(refused.what());
    return 2;
  }
  if (into_run) {
    std::error_code fault;
    fs::create_directories(folder / "plots", fault);
    if (fault)
      throw FileError(
          fmt::format("cannot make {}: {}", (folder / "plots").string(), fault.message()));
  }
  const auto final_state = into_run ? load_final_state(folder) : std::string();
  std::vector<std::string> unfit;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto& name = names[k];
    bool drawn = false;
    figure_options.measured_drawn = &drawn;
    const auto file = output_of(options, name, names.size() > 1);
    const auto figure = several_runs ? make_comparison(name, compared.runs, compared.title,
                                                       compared.note, figure_options)
                                     : make_figure(name, run, scene, figure_options);
    const auto picture = render(figure, picture_format(file));
    // noted first: a picture that is listed and missing harms no one, a stale one would
    if (into_run)
      note_plot(folder, {name, file.filename().string(), noted_options(options), run.frames(),
                         final_state});
    save_text(picture, places[k]);
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
  command
      ->add_option("run", options->runs,
                   "run folder, or a sweep folder; further ones are drawn over it, with the keys "
                   "in which they differ")
      ->required()
      ->expected(1, static_cast<int>(most_compared))
      ->check(not_empty("the folder"))
      ->type_name("RUN [RUN2 …]");
  command
      ->add_option("--what", options->what,
                   "plot to draw, may be repeated; all that fit the run if not given: " +
                       all_names() + "; of a sweep response, heatmap, parallel, convergence")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->check([](const std::string& name) {
        const auto names = plot_names();
        const bool known = std::any_of(names.begin(), names.end(),
                                       [&](const PlotName& p) { return p.name == name; });
        return known || is_sweep_plot(name)
                   ? std::string{}
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
                   "course, force_map, internal, side, grasp: time of the posture, s (default: the "
                   "last, several)")
      ->type_name("T");
  command->add_flag("--zoom", options->figure.zoom,
                    "course, path, postures, grasp: frame the robot or its way, not all obstacles");
  command->add_flag("--force", options->force, "replace a picture that Coluber did not make");
  command->add_flag("--no-title", options->no_title, "print no title above the picture");
  command
      ->add_option_function<std::string>(
          "--width",
          [options](const std::string& width) { options->figure.width_cm = *to_cm(width); },
          "width of the picture: 85mm is a column of a journal (default: 170mm); text keeps its "
          "size")
      ->check([](const std::string& text) {
        const auto width = to_cm(text);
        if (!width)
          return fmt::format(
              "expected a length with its unit (mm, cm, in), got {}; for example "
              "--width 85mm",
              text);
        return *width >= 6.0 && *width <= 60.0
                   ? std::string()
                   : fmt::format("expected a width from 60mm to 600mm, got {}", text);
      })
      ->type_name("WIDTH");
  command
      ->add_option_function<std::string>(
          "--plane",
          [options](const std::string& plane) { options->figure.along_y = plane == "yz"; },
          "side, grasp: plane of the picture, xz or yz (default: xz)")
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

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coluber/core/version.hpp"

#include "command.hpp"
#include "data_dir.hpp"
#include "fault.hpp"
#include "output_place.hpp"
#include "page/replay_page.hpp"
#include "plot/compare.hpp"
#include "plot/figures.hpp"
#include "plot/signature.hpp"
#include "reproduce/claims.hpp"
#include "reproduce/judge.hpp"
#include "reproduce/replays.hpp"
#include "reproduce/report.hpp"
#include "terminal.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::vector<std::string> ids;
  bool all = false;
  bool json = false;
  bool force = false;
  fs::path out = "reproduced";
  fs::path claims;
  int threads = 2;
};

/// "transeth.A4" means itself and what belongs to it ("transeth.A4.links"), "transeth" all of it.
bool selects(std::string_view wanted, std::string_view id) {
  return id == wanted || (id.starts_with(wanted) && id[wanted.size()] == '.');
}

Figure draw_reductions(const ClaimFile& file, const ClaimFigure& spec, const RunStore& store) {
  const Way& way = way_of(file, spec);
  const RunLookup lookup = [&](const std::string& name) -> const MeasuredRun& {
    const auto& run = file.runs.find(name)->second;
    const auto& done = store.at(run, way);
    if (!usable(run, done)) throw Error(done.failure);
    return done;
  };
  const auto number = [&](const MeasureSpec& measure, const std::string& run) {
    return std::get<double>(measure::compute_measure(measure, run, lookup));
  };
  std::vector<ReductionPanel> panels;
  for (const auto& part : spec.panels) {
    auto& panel = panels.emplace_back();
    panel.title = part.title;
    for (const auto& run : part.runs) panel.x.push_back(*file.runs.find(run)->second.number);
    for (const auto& measure : spec.measures) {
      auto& line = panel.lines.emplace_back();
      for (std::size_t k = 0; k < part.runs.size(); ++k)
        line.push_back(
            measure::reduction_of(number(measure, part.runs[k]), number(measure, part.against[k])));
    }
  }
  return make_reductions(panels, spec.labels, spec.x, spec.title);
}

Figure draw(const ClaimFile& file, const ClaimFigure& spec, const RunStore& store) {
  if (spec.plot == "reductions") return draw_reductions(file, spec, store);
  const Way& way = way_of(file, spec);
  std::vector<Scene> scenes;
  std::vector<const DoneRun*> runs;
  for (const auto& name : spec.runs) {
    const auto& run = file.runs.find(name)->second;
    runs.push_back(&store.at(run, way));
    if (!usable(run, *runs.back())) throw Error(runs.back()->failure);
    scenes.push_back({runs.back()->scenario.title, runs.back()->drawing});
  }
  if (spec.plot == "paths") {
    std::vector<PathPanel> panels;
    for (std::size_t k = 0; k < runs.size(); ++k)
      panels.push_back({scenes[k].title, spec.runs[k], &runs[k]->trajectory, &scenes[k]});
    return make_path_comparison(panels, spec.links.front());
  }
  FigureOptions options;
  options.time = spec.time;
  options.from = spec.from;
  options.to = spec.to;
  options.times = spec.times;
  options.zoom = spec.zoom;
  options.links = spec.links;
  if (!spec.panels.empty()) {
    std::vector<TrackingPanel> panels;
    for (const auto& panel : spec.panels) {
      panels.push_back({panel.title, panel.quantity == "torque", {}});
      for (const auto& name : panel.runs)
        panels.back().runs.push_back(&store.at(file.runs.find(name)->second, way).trajectory);
    }
    return make_tracking_comparison(panels, spec.labels, spec.links.front(), spec.title, options);
  }
  if (runs.size() > 1) {
    std::vector<ComparedRun> compared;
    for (std::size_t k = 0; k < runs.size(); ++k)
      compared.push_back(
          {spec.labels.empty() ? spec.runs[k] : spec.labels[k], &runs[k]->trajectory, &scenes[k]});
    return make_comparison(spec.plot, compared, spec.title, "", options);
  }
  return make_figure(spec.plot, runs.front()->trajectory, scenes.front(), options);
}

/// Whether the runs of a figure are among those that the claims ask for.
bool is_done(const ClaimFile& file, const ClaimFigure& spec, const RunStore& store) {
  const Way& way = way_of(file, spec);
  return std::ranges::all_of(runs_needed(spec), [&](const auto& name) {
    return store.contains(file.runs.find(name)->second, way);
  });
}

/// The figures whose runs were done anyway.
std::vector<ReportFigure> draw_figures(const std::vector<SourceReport>& reports,
                                       const RunStore& store) {
  std::vector<ReportFigure> figures;
  for (const auto& report : reports) {
    int number = 0;
    for (const auto& spec : report.file->figures) {
      ++number;
      if (!is_done(*report.file, spec, store)) continue;
      try {
        figures.push_back({figure_name(*report.file, number), spec.title, spec.caption,
                           render(draw(*report.file, spec, store), PictureFormat::svg)});
      } catch (const FileError& error) {  // without gnuplot the page goes without pictures
        say("warning: the report has no figures: {}\n", error.what());
        return figures;
      } catch (const Error& error) {
        say("warning: {}: {}\n", spec.title, error.what());
      }
    }
  }
  return figures;
}

void save_report(const ReproduceOptions& options, const std::vector<SourceReport>& reports,
                 const std::vector<ReportFigure>& figures, const RunStore& store) {
  std::error_code fault;
  fs::create_directories(options.out / "figures", fault);
  if (fault)
    throw FileError(fmt::format("cannot make {}: {}", options.out.string(), fault.message()));
  for (const auto& figure : figures)
    save_text(figure.svg, options.out / "figures" / (figure.name + ".svg"));
  save_text(claims_json(reports) + "\n", options.out / "claims.json");
  ReplayParts replays;
  if (find_viewer().empty()) {
    say("note: the report has no replays: the viewer's page is not built (script/bootstrap)\n");
  } else {
    const auto runs = make_replays(reports, store, options.out / "replays");
    if (!runs.empty()) replays = make_replay_parts(load_viewer(), runs);
  }
  save_text(claims_page(reports, figures, std::string{version()}, replays),
            options.out / "report.html");
}

/// Whether such a file was written by reproduce; its content tells, not its name.
bool is_of_a_report(const fs::path& file) {
  constexpr std::uintmax_t largest_claims = 1U << 26U;
  std::error_code fault;
  if (!fs::is_regular_file(file, fault)) return false;
  const std::uintmax_t size = fs::file_size(file, fault);
  if (size == 0) return true;  // nothing is lost
  const bool claims = file.extension() == ".json";
  if (claims && size > largest_claims) return false;
  std::ifstream in(file, std::ios::binary);
  std::string text(claims ? size : std::min<std::uintmax_t>(size, looked_at), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (claims) return is_claims_json(text);
  return file.extension() == ".html" ? is_claims_page(text)
                                     : has_signature(text, PictureFormat::svg);
}

/// The first file with the name of one of the report's that reproduce did not write; "" if none is.
std::string find_foreign_file(const fs::path& folder, const std::vector<ClaimFile>& files,
                              const RunStore& store) {
  std::vector<std::string> names{"claims.json", "report.html"};
  for (const auto& file : files) {
    for (std::size_t k = 0; k < file.figures.size(); ++k) {
      if (is_done(file, file.figures[k], store))
        names.push_back(fmt::format("figures/{}.svg", figure_name(file, static_cast<int>(k) + 1)));
    }
  }
  std::error_code fault;
  const auto foreign = std::ranges::find_if(names, [&](const std::string& name) {
    return fs::exists(fs::symlink_status(folder / name, fault)) && !is_of_a_report(folder / name);
  });
  return foreign == names.end() ? std::string() : *foreign;
}

/// Makes the folder and tries it, so that no run is done for a report that cannot be saved. False,
/// with the reason told, if it holds something that is no report, or a file of the user's where one
/// of the report's would be.
bool prepare_folder(const ReproduceOptions& options, const std::vector<ClaimFile>& files,
                    const RunStore& store) {
  std::error_code fault;
  if (const auto foreign = find_foreign_file(options.out, files, store); !foreign.empty()) {
    print_error(
        fmt::format("error: {} holds {}, which Coluber did not write\n  hint: name another folder, "
                    "or move that file away",
                    options.out.string(), foreign));
    return false;
  }
  if (fs::is_directory(options.out, fault) && !fs::is_empty(options.out, fault) &&
      !fs::exists(options.out / "claims.json", fault) && !options.force) {
    say("error: {} is not empty and holds no report\n  hint: choose another folder with "
        "--out, or write into it with --force\n",
        options.out.string());
    return false;
  }
  fs::create_directories(options.out, fault);
  if (fault)
    throw FileError(fmt::format("cannot make {}: {}", options.out.string(), fault.message()));
  const auto trial = options.out / ".trial";
  save_text("", trial);
  fs::remove(trial, fault);
  return true;
}

int reproduce(const ReproduceOptions& options) {
  const auto folder = options.claims.empty() ? find_data("reproduce") : options.claims;
  std::error_code fault;
  if (!fs::is_directory(folder, fault))
    throw InputError(make_fault(folder.string(), 0, 0, "there is no such folder of claims"));
  const auto files = load_claims(folder);

  std::vector<std::string> known;
  for (const auto& file : files)
    for (const auto& claim : file.claims) known.push_back(claim.id);
  if (options.ids.empty() && !options.all) {
    say("error: say which claims to reproduce, or --all; there are\n  {}\n",
        fmt::join(known, "\n  "));
    return 2;
  }
  for (const auto& wanted : options.ids) {
    if (std::any_of(known.begin(), known.end(),
                    [&](const auto& id) { return selects(wanted, id); }))
      continue;
    std::string guess;
    for (const auto& file : files) {  // the source's name left out
      const std::string full = file.source + "." + wanted;
      if (std::ranges::any_of(known, [&](const auto& id) { return selects(full, id); }))
        guess = full;
    }
    if (!guess.empty()) {
      say("error: there is no claim \"{}\"\n  hint: did you mean \"{}\"?\n", wanted, guess);
      return 2;
    }
    say("error: there is no claim \"{}\"; there are\n  {}\n", wanted, fmt::join(known, "\n  "));
    return 2;
  }
  const auto chosen = [&](const Claim& claim) {
    return options.all ||
           std::any_of(options.ids.begin(), options.ids.end(),
                       [&](const auto& wanted) { return selects(wanted, claim.id); });
  };

  RunStore store;
  for (const auto& file : files)
    for (const auto& claim : file.claims)
      if (chosen(claim)) request_runs(file, claim, store);
  for (const auto& file : files)
    for (const auto& figure : file.figures)
      for (const auto& name : figure.runs)
        store.keep_drawing(file.runs.find(name)->second, way_of(file, figure));
  if (!prepare_folder(options, files, store)) return 2;
  say("{} runs on {} threads\n", store.size(), options.threads);
  store.compute(options.threads);

  std::vector<SourceReport> reports;
  for (const auto& file : files) {
    SourceReport report{&file, {}};
    for (const auto& claim : file.claims)
      if (chosen(claim)) report.verdicts.push_back(judge(file, claim, store));
    if (!report.verdicts.empty()) reports.push_back(std::move(report));
  }
  save_report(options, reports, draw_figures(reports, store), store);

  if (options.json)
    fmt::print("{}\n", claims_json(reports));
  else
    fmt::print("{}", claims_table(reports));
  int failed = 0;
  int total = 0;
  for (const auto& report : reports) {
    for (const auto& verdict : report.verdicts) {
      ++total;
      failed += verdict.passed() ? 0 : 1;
      for (const auto& failure : verdict.failures)
        say("failed: {}: {}\n", verdict.claim->id, failure);
    }
  }
  say("{} claims, {} not as recorded; report: {}\n", total, failed,
      (options.out / "report.html").string());
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReproduceOptions>();
  options->threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
  auto* command = app.add_subcommand("reproduce", "recompute published results and compare");
  command->add_option("id", options->ids, "claims, e.g. transeth.A4 (and all that belongs to it)")
      ->type_name("ID");
  command->add_flag("--all", options->all, "every claim");
  command->add_option("--out", options->out, "folder for the report page and its figures")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--claims", options->claims, "folder of claims (default: those of Coluber)")
      ->type_name("DIR");
  command->add_flag("--force", options->force, "write into a folder that holds other files");
  command->add_flag("--json", options->json, "as JSON");
  command->add_option("--threads", options->threads, "runs at a time; does not change the results")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command->callback([options, &action] { action = [options] { return reproduce(*options); }; });
}

}  // namespace coluber::app

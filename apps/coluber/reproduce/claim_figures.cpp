// Figures of a claims file.
#include <algorithm>

#include <fmt/format.h>

#include "plot/names.hpp"
#include "reproduce/claim_reader.hpp"

namespace coluber::app {

void ClaimReader::read_panels(const toml::table& table, ClaimFigure& figure) {
  const auto* node = table.get("panels");
  if (node == nullptr) return;
  const auto at = node->source().begin;
  const bool reductions = figure.plot == "reductions";
  const auto* array = node->as_array();
  if (array == nullptr || array->empty() || !array->is_homogeneous(toml::node_type::table)) {
    fault(at, "figure.panels",
          fmt::format("expected a list of {{ title = …, {} }}",
                      reductions ? "runs = …, against = …" : "quantity = …, runs = …"));
    return;
  }
  if (reductions) {
    for (const auto& item : *array) read_pairs(*item.as_table(), figure);
    return;
  }
  if (figure.plot != "tracking" || !figure.runs.empty())
    fault(at, "figure.panels", "goes with plot = \"tracking\", without runs of the figure's own");
  if (figure.links.size() != 1) fault(at, "figure.links", "panels are those of one joint");
  for (const auto& item : *array) {
    const auto& part = *item.as_table();
    allow(part, "figure.panels", {"title", "quantity", "runs"});
    FigurePanel panel{text_of(part, "figure.panels", "title", true),
                      text_of(part, "figure.panels", "quantity", true),
                      texts_of(part, "figure.panels", "runs"),
                      {}};
    if (panel.quantity != "error" && panel.quantity != "torque")
      fault(part.source().begin, "figure.panels.quantity", "expected \"error\" or \"torque\"");
    if (panel.runs.empty() || panel.runs.size() != figure.labels.size())
      fault(part.source().begin, "figure.panels.runs", "expected one per label of the figure");
    for (const auto& run : panel.runs)
      if (std::find(figure.runs.begin(), figure.runs.end(), run) == figure.runs.end())
        figure.runs.push_back(run);
    figure.panels.push_back(std::move(panel));
  }
}

void ClaimReader::read_pairs(const toml::table& part, ClaimFigure& figure) {
  const auto at = part.source().begin;
  allow(part, "figure.panels", {"title", "runs", "against"});
  FigurePanel panel{text_of(part, "figure.panels", "title", true), "",
                    spread(texts_of(part, "figure.panels", "runs")),
                    spread(texts_of(part, "figure.panels", "against"))};
  if (panel.runs.size() != panel.against.size())
    fault(at, "figure.panels",
          fmt::format("there are {} runs and {} against them", panel.runs.size(),
                      panel.against.size()));
  for (const auto* list : {&panel.runs, &panel.against})
    for (const auto& run : *list) known_run(at, "figure.panels", run);
  check_values(at, "figure.panels", panel.runs, panel.against);
  if (panel.runs.empty() || std::ranges::any_of(panel.runs, [&](const auto& name) {
        const auto run = file_.runs.find(name);
        return run != file_.runs.end() && !run->second.number;
      }))
    fault(at, "figure.panels.runs", "expected runs with numbers in `each`");
  figure.panels.push_back(std::move(panel));
}

void ClaimReader::read_reductions(const toml::table& table, ClaimFigure& figure) {
  const auto at = table.source().begin;
  const auto* node = table.get("measures");
  if (figure.plot != "reductions") {
    for (const std::string key : {"measures", "x"})
      if (table.contains(key))
        fault(table.get(key)->source().begin, path_of("figure", key),
              "goes with plot = \"reductions\"");
    return;
  }
  figure.x = text_of(table, "figure", "x", true);
  if (figure.panels.empty() && !table.contains("panels")) fault(at, "figure.panels", "is missing");
  const auto* list = node == nullptr ? nullptr : node->as_array();
  if (list == nullptr || list->size() != figure.labels.size() || list->empty()) {
    fault(node == nullptr ? at : node->source().begin, "figure.measures",
          "expected one per label of the figure");
    return;
  }
  for (const auto& measure : *list)
    figure.measures.push_back(measure_of(measure, "figure.measures"));
}

void ClaimReader::read_figure(const toml::table& table) {
  allow(table, "figure",
        {"title", "caption", "plot", "runs", "panels", "labels", "measures", "x", "time", "times",
         "from", "to", "zoom", "links"});
  const auto at = table.source().begin;
  ClaimFigure figure;
  figure.title = text_of(table, "figure", "title", true);
  figure.caption = text_of(table, "figure", "caption", false);
  figure.plot = text_of(table, "figure", "plot", true);
  figure.runs = texts_of(table, "figure", "runs");
  figure.time = number_of(table, "figure", "time");
  figure.times = numbers_of(table, "figure", "times");
  figure.from = number_of(table, "figure", "from");
  figure.to = number_of(table, "figure", "to");
  figure.links = integers_of(table, "figure", "links");
  if (const auto* zoom = table.get("zoom")) figure.zoom = zoom->value_or(false);
  const auto plots = plot_names();
  const bool ours = figure.plot == "paths" || figure.plot == "reductions";
  if (!ours && std::none_of(plots.begin(), plots.end(),
                            [&](const PlotName& p) { return p.name == figure.plot; }))
    fault(at, "figure.plot", fmt::format("there is no plot \"{}\"", figure.plot));
  figure.labels = texts_of(table, "figure", "labels");
  read_panels(table, figure);
  read_reductions(table, figure);
  if (figure.runs.empty() && figure.plot != "reductions") fault(at, "figure.runs", "is missing");
  const bool named = !figure.labels.empty() && figure.panels.empty() && figure.measures.empty();
  if (named && figure.labels.size() != figure.runs.size())
    fault(at, "figure.labels", "expected one per run of the figure");
  if (figure.plot == "paths" && figure.links.size() != 1)
    fault(at, "figure.links", "paths are those of one link");
  for (const auto& run : figure.runs) known_run(at, "figure.runs", run);
  if (std::ranges::none_of(file_.ways, [&](const Way& way) { return shown_in(figure, way); }))
    fault(at, "figure.runs", "there is no way that all of them are done in");
  file_.figures.push_back(std::move(figure));
}

bool ClaimReader::shown_in(const ClaimFigure& figure, const Way& way) const {
  return std::ranges::all_of(runs_needed(figure), [&](const auto& name) {
    const auto run = file_.runs.find(name);
    return run == file_.runs.end() || done_in(run->second, way);
  });
}

}  // namespace coluber::app

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plot/parts.hpp"

// A rod's internal wrench along its body at one time, and what its contacts push over time.

namespace coluber::app {

using record::Trajectory;

namespace {

struct WrenchPanel {
  std::string label;
  double least = 0.0;
  std::vector<Polyline> lines;
  std::vector<std::string> titles;
};

/// Panels above each other with lines of their own; components that stay zero are left out.
Figure draw_wrenches(std::vector<WrenchPanel> panels, const Scene& scene,
                     const FigureOptions& options, const std::string& x_label, Range x,
                     const std::string& note) {
  constexpr double gap = 0.4;
  constexpr double size = 5.0;
  const auto page = page_of(options);
  const double right = right_of(options, 2.5);
  std::vector<std::string> entries;
  for (const auto& panel : panels)
    entries.insert(entries.end(), panel.titles.begin(), panel.titles.end());
  const auto above = above_of(options, scene, {note, if_narrow(options, entries)});
  const auto rest = static_cast<double>(panels.size() - 1);
  Canvas canvas(page.width, below_cm + size + rest * (size + gap) + above.height_cm);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const WrenchPanel& panel = panels[p];
    const bool lowest = p + 1 == panels.size();
    const double bottom = below_cm + (rest - static_cast<double>(p)) * (size + gap);
    Range y{0.0, 0.0};
    for (const auto& line : panel.lines) include(y, line);
    canvas.panel(page.left, right, bottom, bottom + size);
    canvas.axes(lowest ? x_label : "", panel.label, x, padded(y, panel.least));
    if (!lowest) canvas.hide_x_numbers();
    if (!page.narrow) canvas.legend_right();
    if (p == 0) canvas.head(above);
    for (std::size_t k = 0; k < panel.lines.size(); ++k) {
      canvas.draw({panel.lines[k]}, line_style(distinct_colour(k), 1.2), panel.titles[k]);
    }
  }
  return canvas.finish();
}

bool is_flat(const Polyline& line) {
  for (const auto& p : line)
    if (p.y != 0.0) return false;
  return true;
}

constexpr std::array force_names{"N_X", "N_Y", "N_Z"};
constexpr std::array moment_names{"C_X", "C_Y", "C_Z"};

}  // namespace

Figure draw_internal(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const std::size_t frame = options.time ? frame_at(run, *options.time) : run.frames() - 1;
  const int n = count_of(run, "abscissa");
  std::vector<WrenchPanel> panels{{"internal force (N)", 1e-6, {}, {}},
                                  {"internal moment (N m)", 1e-6, {}, {}}};
  for (int k = 0; k < 6; ++k) {
    Polyline line;
    for (int i = 0; i < n; ++i) {
      line.push_back({run.at("abscissa", frame, i), run.at("internal_wrench", frame, i, k)});
    }
    WrenchPanel& panel = panels[k < 3 ? 0 : 1];
    if (is_flat(line)) continue;
    panel.lines.push_back(std::move(line));
    const auto at = static_cast<std::size_t>(k % 3);
    panel.titles.emplace_back(k < 3 ? force_names[at] : moment_names[at]);
  }
  return draw_wrenches(std::move(panels), scene, options, "X (m)",
                       {0.0, run.at("abscissa", frame, n - 1)},
                       fmt::format("t = {:.4g} s", run.time[frame]));
}

Figure draw_reactions(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int count = count_of(run, "contact_wrench");
  const auto contacts = chosen(options, count, page_full(up_to(count)), "contact");
  std::vector<WrenchPanel> panels;
  for (int k = 0; k < 6; ++k) {
    const auto at = static_cast<std::size_t>(k % 3);
    WrenchPanel panel{
        fmt::format("{} ({})", k < 3 ? force_names[at] : moment_names[at], k < 3 ? "N" : "N m"),
        1e-6,
        {},
        {}};
    bool any = false;
    for (const int i : contacts) {
      panel.lines.push_back(over_time(run, window, "contact_wrench", i, k, 1.0));
      any = any || !is_flat(panel.lines.back());
      panel.titles.push_back(fmt::format("contact {}", i));
    }
    if (any) panels.push_back(std::move(panel));
  }
  if (panels.empty()) panels.push_back({"N_Y (N)", 1e-6, {}, {}});
  for (auto& panel : panels)
    for (auto& line : panel.lines) line = thinned(line);
  for (std::size_t p = 1; p < panels.size(); ++p)
    for (auto& title : panels[p].titles) title.clear();
  return draw_wrenches(std::move(panels), scene, options, "time t (s)", times, "");
}

}  // namespace coluber::app

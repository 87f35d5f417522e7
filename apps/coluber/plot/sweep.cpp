// Pictures of a sweep: response, heatmap, parallel, convergence.
#include "plot/sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "plot/canvas.hpp"

namespace coluber::app {
namespace {

constexpr std::array<PlotName, 4> sweep_names{
    {{"response",
      "sweep: the measure over the first axis, a line per value of the second, a band "
      "over the others"},
     {"heatmap", "sweep: the measure over the first two axes, the best point marked"},
     {"parallel", "sweep: a line per point across all its axes, coloured by the measure"},
     {"convergence", "optimisation: each evaluation, and the best so far"}}};

/// Where a value is drawn: by its logarithm on such an axis.
double place(const SweepAxis& axis, double value) {
  return axis.log && value > 0.0 ? std::log10(value) : value;
}

std::string shown_number(double value) {
  return value == 0.0 ? std::string("0") : fmt::format("{:.4g}", value);
}

/// A tick for each word, or 1, 2, 5 times powers of ten; "" leaves the ticks to the canvas.
std::string ticks_of(const SweepAxis& axis, char letter, Range range, std::size_t most) {
  std::string tics;
  const auto add = [&](const std::string& label, double at) {
    tics += fmt::format("{}{} {:.6g}", tics.empty() ? "" : ", ", gnuplot_quoted(label), at);
  };
  if (!axis.words.empty()) {
    const std::size_t step = (axis.words.size() + most - 1) / most;
    for (std::size_t k = 0; k < axis.words.size(); k += step) {
      add(shortened(axis.words[k], 3.0), static_cast<double>(k));
    }
  } else if (axis.log) {
    const int low = static_cast<int>(std::floor(range.low));
    const int high = static_cast<int>(std::ceil(range.high));
    const bool few = high - low <= 3;
    for (int power = low; power <= high; ++power) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit > 1.0 && !few) continue;
        const double at = std::log10(digit) + power;
        constexpr double slack = 1e-9;
        if (at < range.low - slack || at > range.high + slack) continue;
        add(fmt::format("{:.4g}", digit * std::pow(10.0, power)), at);
      }
    }
  }
  return tics.empty() ? std::string() : fmt::format("set {}tics ({})", letter, tics);
}

/// All places of an axis with room around them; never of no width.
Range range_of(const SweepAxis& axis, double room) {
  Range range = empty_range();
  for (const double value : axis.values) range.include(place(axis, value));
  if (!(range.low <= range.high)) return {0.0, 1.0};
  double margin = room * range.width();
  if (!axis.words.empty()) margin = 0.5;
  if (!(range.width() > 0.0) && axis.words.empty()) {
    margin = std::max(0.5 * std::abs(range.low), 1e-3);
  }
  return {range.low - margin, range.high + margin};
}

Range range_of(const std::vector<double>& values) {
  Range range = empty_range();
  for (const double value : values) range.include(value);
  if (!(range.low <= range.high)) return {0.0, 1.0};
  double margin = 0.06 * range.width();
  if (!(range.width() > 0.0)) margin = std::max(0.1 * std::abs(range.low), 1e-6);
  return {range.low - margin, range.high + margin};
}

std::string measure_label(const SweepTable& table) {
  return table.unit.empty() ? table.measure : fmt::format("{} ({})", table.measure, table.unit);
}

std::string note_of(const SweepTable& table) {
  const auto holes = static_cast<std::size_t>(
      std::ranges::count_if(table.values, [](double v) { return std::isnan(v); }));
  if (holes == table.size()) return "no point has a value";
  std::string note;
  if (const auto best = table.best()) {
    note = fmt::format("best {}", shown_number(table.values[*best]));
    for (std::size_t k = 0; k < table.axes.size() && k < 2; ++k) {
      const SweepAxis& axis = table.axes[k];
      const double value = axis.values[*best];
      note += fmt::format(
          "{} {}", k == 0 ? " at" : ",",
          axis.words.empty() ? shown_number(value) : axis.words[static_cast<std::size_t>(value)]);
    }
  }
  if (holes > 0) {
    note += fmt::format("{}{} of {} points without a value", note.empty() ? "" : "; ", holes,
                        table.size());
  }
  return note;
}

void require_axes(const SweepTable& table, std::size_t count, std::string_view name) {
  if (table.axes.size() >= count) return;
  throw Error(fmt::format("{} takes {} axes, the sweep has {}", name, count, table.axes.size()));
}

constexpr std::size_t tones = 48;

/// With a border of the same tone, or the paper shines through between two boxes.
constexpr std::string_view filled_box =
    "with filledcurves closed fillcolor '{0}' fillstyle solid border linecolor '{0}'";

/// The tone of a value on a scale of colours.
std::size_t tone_of(double value, Range range) {
  const double share = (value - range.low) / range.width();
  return static_cast<std::size_t>(std::clamp(share * tones, 0.0, tones - 1.0));
}

/// The scale of the measure; never of no width.
Range colours_of(const std::vector<double>& values) {
  Range range = empty_range();
  for (const double value : values) range.include(value);
  if (!(range.low <= range.high)) return {0.0, 1.0};
  if (!(range.width() > 0.0)) return {range.low - 0.5, range.high + 0.5};
  return range;
}

/// The scale beside a panel, with its numbers and its label. Begins a panel of its own.
void draw_scale(Canvas& canvas, Range range, double left_cm, double bottom_cm, double top_cm,
                double width_cm, std::string_view label) {
  constexpr double bar_cm = 0.35;
  canvas.panel(left_cm, left_cm + bar_cm, bottom_cm, top_cm);
  canvas.axes("", "", {0.0, 1.0}, {0.0, static_cast<double>(tones)});
  canvas.command("unset xtics\nunset ytics\nunset grid\nunset border");
  for (std::size_t k = 0; k < tones; ++k) {
    const auto low = static_cast<double>(k);
    canvas.draw({{{0.0, low}, {1.0, low}, {1.0, low + 1.0}, {0.0, low + 1.0}}},
                fmt::format(fmt::runtime(filled_box), sequential_colour(k, tones)));
  }
  constexpr int numbers = 5;
  for (int k = 0; k < numbers; ++k) {
    const double share = static_cast<double>(k) / (numbers - 1);
    canvas.text_cm({left_cm + bar_cm + 0.12, bottom_cm + share * (top_cm - bottom_cm)},
                   fmt::format("{:.3g}", range.low + share * range.width()), "left font ',7'");
  }
  canvas.text_cm({width_cm - 0.35, 0.5 * (bottom_cm + top_cm)}, label, "center rotate by 90");
}

// ---- response
// -------------------------------------------------------------------------------------

Figure make_response(const SweepTable& table, const FigureOptions& options) {
  require_axes(table, 1, "response");
  const SweepAxis& x = table.axes[0];
  const SweepAxis* second = table.axes.size() > 1 ? &table.axes[1] : nullptr;
  const bool cloud = x.sampled && x.words.empty();
  // by the line's value and x: mean, least, largest
  struct Collected {
    double sum = 0.0;
    double low = 0.0;
    double high = 0.0;
    int count = 0;
  };
  std::map<double, std::map<double, Collected>> lines;
  for (std::size_t k = 0; k < table.size() && !cloud; ++k) {
    Collected& cell = lines[second != nullptr ? second->values[k] : 0.0][x.values[k]];
    const double value = table.values[k];
    if (std::isnan(value)) continue;
    cell.low = cell.count == 0 ? value : std::min(cell.low, value);
    cell.high = cell.count == 0 ? value : std::max(cell.high, value);
    cell.sum += value;
    ++cell.count;
  }
  constexpr std::size_t most_lines = 60;
  constexpr std::size_t most_in_legend = 12;
  std::vector<double> chosen;
  for (const auto& [value, line] : lines) chosen.push_back(value);
  const std::size_t all_lines = chosen.size();
  if (all_lines > most_lines) {
    std::vector<double> fewer;
    for (std::size_t k = 0; k < most_lines; ++k)
      fewer.push_back(chosen[k * (all_lines - 1) / (most_lines - 1)]);
    chosen = std::move(fewer);
  }
  const auto name_of = [&](double value) {
    return second->words.empty() ? shown_number(value)
                                 : second->words[static_cast<std::size_t>(value)];
  };
  AboveParts parts{table.title, options.title, note_of(table)};
  const bool legend = second != nullptr && !cloud && chosen.size() <= most_in_legend;
  if (legend) {
    for (const double value : chosen) parts.legend.push_back(name_of(value));
  }
  if (second != nullptr && !cloud) {
    const std::string lines_are =
        legend ? "lines: " + second->label
               : fmt::format("{} lines: {} from {} (dark) to {}{}", chosen.size(), second->label,
                             name_of(chosen.front()), name_of(chosen.back()),
                             chosen.size() < all_lines ? fmt::format(", of {}", all_lines) : "");
    parts.note += (parts.note.empty() ? "" : "; ") + lines_are;
  }
  const double width = options.width_cm;
  constexpr double left = 2.2;
  const Above above = make_above(width, left, parts);
  const double height = 7.5 + above.height_cm;
  Canvas canvas(width, height);
  canvas.panel(left, width - 0.5, 1.5, height - above.height_cm);
  canvas.head(above);
  const Range x_range = range_of(x, 0.03);
  canvas.axes(x.label, measure_label(table), x_range, range_of(table.values));
  if (const auto ticks = ticks_of(x, 'x', x_range, 12); !ticks.empty()) canvas.command(ticks);
  if (cloud) {
    constexpr std::size_t most_points = 20'000;
    const std::size_t step = table.size() / most_points + 1;
    Polyline points;
    for (std::size_t k = 0; k < table.size(); k += step) {
      if (!std::isnan(table.values[k])) points.push_back({place(x, x.values[k]), table.values[k]});
    }
    canvas.draw({points}, fmt::format("with points pointtype 7 pointsize {} linecolor '{}'",
                                      points.size() > 2000 ? 0.12 : 0.3, colour::blue));
  }
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const auto& line = lines[chosen[k]];
    const std::string tone = legend && second->words.empty() == false
                                 ? std::string(distinct_colour(k))
                                 : sequential_colour(k, std::max<std::size_t>(chosen.size(), 2));
    Polyline band;  // there along the least, back along the largest
    Polyline back;
    Polyline mean;
    bool wide = false;
    for (const auto& [value, cell] : line) {
      const double at = place(x, value);
      constexpr double gap = std::numeric_limits<double>::quiet_NaN();
      mean.push_back({at, cell.count > 0 ? cell.sum / cell.count : gap});
      if (cell.count == 0) continue;
      band.push_back({at, cell.low});
      back.push_back({at, cell.high});
      wide = wide || (cell.count > 1 && cell.high > cell.low);
    }
    if (wide) {
      band.insert(band.end(), back.rbegin(), back.rend());
      canvas.draw({band}, fmt::format("with filledcurves closed fillcolor '{}' fillstyle "
                                      "transparent solid 0.15 noborder",
                                      tone));
    }
    const bool dots = mean.size() <= 60;
    canvas.draw(
        {mean},
        fmt::format("with {} linecolor '{}' linewidth 1.3{}", dots ? "linespoints" : "lines", tone,
                    dots ? " pointtype 7 pointsize 0.3" : ""),
        legend ? name_of(chosen[k]) : std::string());
  }
  return canvas.finish();
}

// ---- heatmap
// --------------------------------------------------------------------------------------

/// Edges of the cells around sorted places: the middles between neighbours.
std::vector<double> edges_of(const std::vector<double>& at) {
  std::vector<double> edges(at.size() + 1);
  for (std::size_t k = 1; k < at.size(); ++k) edges[k] = 0.5 * (at[k - 1] + at[k]);
  const double alone = std::max(0.05 * std::abs(at.front()), 0.5);
  edges.front() = at.size() > 1 ? at[0] - (edges[1] - at[0]) : at[0] - alone;
  edges.back() = at.size() > 1 ? at.back() + (at.back() - edges[at.size() - 1]) : at[0] + alone;
  return edges;
}

Figure make_heatmap(const SweepTable& table, const FigureOptions& options) {
  require_axes(table, 2, "heatmap");
  const SweepAxis& x = table.axes[0];
  const SweepAxis& y = table.axes[1];
  const bool cloud = x.sampled || y.sampled;
  AboveParts parts{table.title, options.title, note_of(table)};
  if (table.axes.size() > 2 && !cloud) parts.note += "; mean over the other axes";
  const double width = options.width_cm;
  constexpr double left = 2.2;
  constexpr double bar = 2.6;  // for the palette, its numbers and its label
  const Above above = make_above(width, left, parts);
  const double height = std::min(0.75 * width, 12.0) + above.height_cm;
  const double right = width - bar;
  const double top = height - above.height_cm;
  Canvas canvas(width, height);
  canvas.panel(left, right, 1.5, top);
  canvas.head(above);

  // cells by their places
  std::map<std::pair<double, double>, std::pair<double, int>> cells;
  for (std::size_t k = 0; k < table.size(); ++k) {
    auto& [sum, count] = cells[{place(x, x.values[k]), place(y, y.values[k])}];
    if (std::isnan(table.values[k])) continue;
    sum += table.values[k];
    ++count;
  }
  std::vector<double> means;
  for (const auto& [at, cell] : cells) {
    if (cell.second > 0) means.push_back(cell.first / cell.second);
  }
  const Range colours = colours_of(means);
  Range x_range = range_of(x, 0.03);
  Range y_range = range_of(y, 0.03);
  std::vector<double> x_edges;
  std::vector<double> y_edges;
  std::vector<double> xs;
  std::vector<double> ys;
  if (!cloud) {
    for (const auto& [at, cell] : cells) {
      xs.push_back(at.first);
      ys.push_back(at.second);
    }
    for (auto* list : {&xs, &ys}) {
      std::ranges::sort(*list);
      const auto same = std::ranges::unique(*list);
      list->erase(same.begin(), same.end());
    }
    if (!xs.empty()) {
      x_edges = edges_of(xs);
      y_edges = edges_of(ys);
      x_range = {x_edges.front(), x_edges.back()};
      y_range = {y_edges.front(), y_edges.back()};
    }
  }
  canvas.axes(x.label, y.label, x_range, y_range);
  if (const auto ticks = ticks_of(x, 'x', x_range, 10); !ticks.empty()) canvas.command(ticks);
  if (const auto ticks = ticks_of(y, 'y', y_range, 20); !ticks.empty()) canvas.command(ticks);
  canvas.command("unset grid");
  std::vector<std::vector<Polyline>> values(tones);  // boxes, or points in one line
  std::vector<Polyline> holes;
  Polyline hole_points;
  for (const auto& [at, cell] : cells) {
    const bool hole = cell.second == 0;
    if (hole) hole_points.push_back({at.first, at.second});
    auto& to = hole ? holes : values[tone_of(cell.first / std::max(cell.second, 1), colours)];
    if (cloud) {
      if (to.empty()) to.emplace_back();
      to.front().push_back({at.first, at.second});
      continue;
    }
    const auto i = static_cast<std::size_t>(std::ranges::lower_bound(xs, at.first) - xs.begin());
    const auto j = static_cast<std::size_t>(std::ranges::lower_bound(ys, at.second) - ys.begin());
    to.push_back({{x_edges[i], y_edges[j]},
                  {x_edges[i + 1], y_edges[j]},
                  {x_edges[i + 1], y_edges[j + 1]},
                  {x_edges[i], y_edges[j + 1]}});
  }
  const double size = table.size() > 2000 ? 0.15 : 0.5;
  if (!cloud) canvas.draw(holes, fmt::format(fmt::runtime(filled_box), "#efefef"));
  // what has no value: a dot, so that it is no colour of the scale
  constexpr std::size_t most_dots = 2000;
  if (cloud || hole_points.size() <= most_dots) {
    canvas.draw({hole_points}, fmt::format("with points pointtype {} pointsize {} linecolor '{}'",
                                           cloud ? 6 : 7, cloud ? size : 0.15, colour::grey));
  }
  for (std::size_t k = 0; k < tones; ++k) {
    const std::string tone = sequential_colour(k, tones);
    canvas.draw(values[k],
                cloud
                    ? fmt::format("with points pointtype 7 pointsize {} linecolor '{}'", size, tone)
                    : fmt::format(fmt::runtime(filled_box), tone));
  }
  if (const auto best = table.best()) {
    const std::vector<Polyline> at{{{place(x, x.values[*best]), place(y, y.values[*best])}}};
    constexpr std::string_view ring =
        "with points pointtype 6 pointsize 1.1 linewidth {} linecolor '{}'";
    canvas.draw(at, fmt::format(fmt::runtime(ring), 3.2, "#ffffff"));
    canvas.draw(at, fmt::format(fmt::runtime(ring), 1.4, colour::vermillion));
  }
  if (!means.empty()) {
    draw_scale(canvas, colours, right + 0.25, 1.5, top, width, measure_label(table));
  }
  return canvas.finish();
}

// ---- parallel
// -------------------------------------------------------------------------------------

Figure make_parallel(const SweepTable& table, const FigureOptions& options) {
  require_axes(table, 1, "parallel");
  constexpr std::size_t most_rows = 1500;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (!std::isnan(table.values[k])) order.push_back(k);
  }
  // the best last, over the others
  const bool largest = table.largest.value_or(true);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(largest ? table.values[a] : -table.values[a], b) <
           std::pair(largest ? table.values[b] : -table.values[b], a);
  });
  std::vector<std::size_t> drawn;
  const std::size_t count = std::min(order.size(), most_rows);
  for (std::size_t k = 0; k < count; ++k) {
    drawn.push_back(count < 2 ? order[k] : order[k * (order.size() - 1) / (count - 1)]);
  }
  AboveParts parts{table.title, options.title, note_of(table)};
  if (drawn.size() < order.size()) {
    parts.note += fmt::format("{}{} of {} points drawn", parts.note.empty() ? "" : "; ",
                              drawn.size(), order.size());
  }
  const double width = options.width_cm;
  constexpr double left = 1.6;
  constexpr double bar = 3.1;
  const Above above = make_above(width, left, parts);
  const double height = 8.5 + above.height_cm;
  const double right = width - bar;
  const double top = height - above.height_cm - 0.3;
  Canvas canvas(width, height);
  canvas.panel(left, right, 2.0, top);
  canvas.head(above);
  const std::size_t n = table.axes.size();
  const double last = n > 1 ? static_cast<double>(n - 1) : 1.0;
  canvas.axes("", "", {0.0, last}, {0.0, 1.0});
  canvas.command("unset grid\nunset xtics\nunset ytics\nunset border");
  const Range colours = colours_of(table.values);
  std::vector<Range> ranges;
  for (const SweepAxis& axis : table.axes) {
    Range range = empty_range();
    for (const double value : axis.values) range.include(place(axis, value));
    if (!(range.low <= range.high)) range = {0.0, 1.0};
    if (!(range.width() > 0.0)) range = {range.low - 0.5, range.high + 0.5};
    ranges.push_back(range);
  }
  const auto share = [&](std::size_t axis, double value) {
    return (place(table.axes[axis], value) - ranges[axis].low) / ranges[axis].width();
  };
  std::vector<std::vector<Polyline>> by_tone(tones);
  for (const std::size_t row : drawn) {
    Polyline line;
    for (std::size_t k = 0; k < n; ++k) {
      line.push_back({static_cast<double>(k), share(k, table.axes[k].values[row])});
    }
    if (n == 1) line.push_back({1.0, line.front().y});
    by_tone[tone_of(table.values[row], colours)].push_back(std::move(line));
  }
  for (std::size_t k = 0; k < tones; ++k) {
    const std::size_t tone = largest ? k : tones - 1 - k;
    if (by_tone[tone].empty()) continue;
    canvas.draw(by_tone[tone],
                fmt::format("with lines linecolor '{}' linewidth {}",
                            sequential_colour(tone, tones), drawn.size() > 300 ? 0.4 : 0.9));
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto at = static_cast<double>(k);
    canvas.draw({{{at, 0.0}, {at, 1.0}}},
                fmt::format("with lines linecolor '{}' linewidth 1", colour::black));
    const SweepAxis& axis = table.axes[k];
    const auto words = [&](bool low) {
      if (axis.words.empty()) {
        if (axis.values.empty()) return std::string();
        const auto [least, most] = std::ranges::minmax(axis.values);
        return shown_number(low ? least : most);
      }
      return low ? axis.words.front() : axis.words.back();
    };
    const double room = n > 1 ? (right - left) / static_cast<double>(n - 1) : right - left;
    const double x_cm = left + at * (n > 1 ? room : 0.0);
    canvas.text_cm({x_cm, top + 0.2}, shortened(words(false), room), "center font ',7'");
    canvas.text_cm({x_cm, 1.75}, shortened(words(true), room), "center font ',7'");
    canvas.text_cm({x_cm, k % 2 == 0 ? 1.25 : 0.75}, shortened(axis.label, 1.9 * room),
                   k == 0       ? "left font ',7'"
                   : k + 1 == n ? "right font ',7'"
                                : "center font ',7'");
  }
  if (!drawn.empty()) {
    draw_scale(canvas, colours, right + 0.6, 2.0, top, width, measure_label(table));
  }
  return canvas.finish();
}

// ---- convergence
// ----------------------------------------------------------------------------------

Figure make_convergence(const SweepTable& table, const FigureOptions& options) {
  if (table.candidate.empty() || !table.largest) {
    throw Error("convergence is drawn of an optimisation's history, which has generations");
  }
  // the goal of a candidate is the mean over its points; it counts if all are feasible
  struct Candidate {
    double sum = 0.0;
    int count = 0;
    bool feasible = true;
  };
  std::map<long, Candidate> candidates;
  for (std::size_t k = 0; k < table.size(); ++k) {
    Candidate& each = candidates[table.candidate[k]];
    each.feasible = each.feasible && table.feasible[k] && !std::isnan(table.values[k]);
    if (!std::isnan(table.values[k])) each.sum += table.values[k];
    ++each.count;
  }
  Polyline good;
  Polyline bad;
  Polyline so_far;
  std::vector<double> values;
  double x = 0.0;
  for (const auto& [number, each] : candidates) {
    x += 1.0;
    const double value = each.sum / each.count;
    values.push_back(value);
    (each.feasible ? good : bad).push_back({x, value});
    double best = so_far.empty() ? std::numeric_limits<double>::quiet_NaN() : so_far.back().y;
    if (each.feasible && (std::isnan(best) || (*table.largest ? value > best : value < best)))
      best = value;
    so_far.push_back({x, best});
  }
  AboveParts parts{table.title, options.title, note_of(table)};
  parts.legend = {"evaluation", "best so far"};
  if (!bad.empty()) parts.legend.insert(parts.legend.begin() + 1, "not feasible");
  const double width = options.width_cm;
  constexpr double left = 2.2;
  const Above above = make_above(width, left, parts);
  const double height = 7.5 + above.height_cm;
  Canvas canvas(width, height);
  canvas.panel(left, width - 0.5, 1.5, height - above.height_cm);
  canvas.head(above);
  canvas.axes("evaluation", measure_label(table), {0.0, x + 1.0}, range_of(values));
  const std::string dot =
      fmt::format("with points pointtype 7 pointsize 0.35 linecolor '{}'", colour::sky);
  const std::string ring =
      fmt::format("with points pointtype 6 pointsize 0.35 linecolor '{}'", colour::grey);
  canvas.draw({good}, dot);
  canvas.legend_entry(dot, "evaluation");
  if (!bad.empty()) {
    canvas.draw({bad}, ring);
    canvas.legend_entry(ring, "not feasible");
  }
  canvas.draw({so_far}, fmt::format("with steps linecolor '{}' linewidth 1.6", colour::vermillion),
              "best so far");
  return canvas.finish();
}

}  // namespace

std::span<const PlotName> sweep_plot_names() { return sweep_names; }

Figure make_sweep_figure(std::string_view name, const SweepTable& table,
                         const FigureOptions& options) {
  if (name == "response") return make_response(table, options);
  if (name == "heatmap") return make_heatmap(table, options);
  if (name == "parallel") return make_parallel(table, options);
  if (name == "convergence") return make_convergence(table, options);
  throw Error(fmt::format("a sweep has no plot \"{}\"", name));
}

bool can_draw_sweep(std::string_view name, const SweepTable& table) {
  if (name == "convergence") return !table.candidate.empty() && table.largest;
  return table.axes.size() >= (name == "heatmap" ? 2U : name == "parallel" ? 3U : 1U);
}

}  // namespace coluber::app

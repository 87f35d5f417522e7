#include "plot/parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fault.hpp"

namespace coluber::app {

using record::Trajectory;

namespace {

const std::vector<double>* measured_column(const FigureOptions& options, const std::string& name) {
  if (options.measured == nullptr) return nullptr;
  const auto found = options.measured->columns.find(name);
  return found == options.measured->columns.end() ? nullptr : &found->second;
}

/// Some of the points, and a note that there were any.
Polyline sparse(const FigureOptions& options, const Polyline& line, std::size_t most = 90) {
  const bool any = std::any_of(line.begin(), line.end(), [](const Point& p) {
    return std::isfinite(p.x) && std::isfinite(p.y);
  });
  if (any && options.measured_drawn != nullptr) *options.measured_drawn = true;
  const std::size_t stride = std::max<std::size_t>(1, (line.size() + most - 1) / most);
  Polyline result;
  for (std::size_t k = 0; k < line.size(); k += stride) result.push_back(line[k]);
  return result;
}

/// The weight in a view, of length 1; none where it points straight into the paper.
std::optional<Point> way_of_weight(const Slope& slope, const View& view) {
  const double tilt = slope.tilt_deg / degree;
  const double towards = slope.direction_deg / degree;
  const std::array<double, 3> weight{std::sin(tilt) * std::cos(towards),
                                     std::sin(tilt) * std::sin(towards), -std::cos(tilt)};
  const Point way = view.of(weight);
  const double length = std::hypot(way.x, way.y);
  if (!(length > 0.0)) return std::nullopt;
  return Point{way.x / length, way.y / length};
}

}  // namespace

Page page_of(const FigureOptions& options) {
  constexpr double narrow = 13.0;  // less has no room for a legend beside the panels
  Page page;
  page.width = options.width_cm;
  page.narrow = options.width_cm < narrow;
  if (page.narrow) page.left = 1.8;
  return page;
}

Above above_of(const FigureOptions& options, const Scene& scene, Heading heading) {
  const auto page = page_of(options);
  return make_above(page.width, page.left,
                    {.title = scene.title,
                     .with_title = options.title,
                     .note = std::move(heading.note),
                     .arrows = std::move(heading.arrows),
                     .legend = std::move(heading.legend),
                     .spare_rows = heading.spare_rows});
}

void say_slope(Heading& heading, const Scene& scene, const View& view) {
  say_slopes(heading, {scene.slope}, view, false);
}

void say_slopes(Heading& heading, const std::vector<std::optional<Slope>>& slopes, const View& view,
                bool coloured) {
  std::vector<NoteArrow> arrows;
  std::vector<double> tilts;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const double tilt = slopes[k] ? slopes[k]->tilt_deg : 0.0;
    if (std::find(tilts.begin(), tilts.end(), tilt) == tilts.end()) tilts.push_back(tilt);
    if (!slopes[k]) continue;
    const auto way = way_of_weight(*slopes[k], view);
    if (way) arrows.push_back({*way, coloured ? distinct_colour(k) : NoteArrow{}.tone});
  }
  if (arrows.empty()) return;
  const bool one_way = std::all_of(arrows.begin(), arrows.end(), [&](const NoteArrow& arrow) {
    return std::hypot(arrow.way.x - arrows[0].way.x, arrow.way.y - arrows[0].way.y) < 1e-6;
  });
  if (one_way) arrows = {NoteArrow{arrows.front().way}};
  heading.arrows = arrows;
  const bool alike = one_way && tilts.size() == 1;
  std::string which = fmt::format("{} of ", alike ? "slope" : "slopes");
  for (std::size_t k = 0; k < tilts.size(); ++k)
    which += fmt::format("{}{:.4g}°",
                         k == 0                 ? ""
                         : k + 1 < tilts.size() ? ", "
                                                : " and ",
                         tilts[k]);
  if (!one_way) which += ", run by run";
  const std::string in_it =
      view.up == 2 ? fmt::format("{} lies", "xyz"[view.right]) : "x and y lie";
  auto words = fmt::format("{}; {}: {} in {}, z is {} normal", view.up == 2 ? "weight" : "downhill",
                           which, in_it, alike ? "it" : "them", alike ? "its" : "the");
  if (!heading.note.empty()) words += ";  " + heading.note;
  heading.note = words;
}

std::vector<std::string> if_narrow(const FigureOptions& options, std::vector<std::string> legend) {
  if (!page_of(options).narrow) legend.clear();
  return legend;
}

double right_of(const FigureOptions& options, double beside_cm) {
  const auto page = page_of(options);
  return page.width - (page.narrow ? 0.4 : beside_cm);
}

void note_cut(Canvas& canvas, const FigureOptions& options, double right, double top, double peak,
              std::string_view unit) {
  const auto words = fmt::format("cut; {:.3g}{} max", peak, unit);
  if (page_of(options).narrow)
    canvas.text_cm({right - 0.05, top + 0.12}, words, "right font ',6'");
  else
    canvas.text_cm({right + 0.15, top - 0.3}, words, "left font ',7'");
}

std::vector<double> strip_ticks(Range y, double height_cm) {
  const double per_cm = y.width() / height_cm;
  // where zero is the edge, its number stands there
  const bool from_zero = y.low <= 0.0 && y.low > -0.1 * y.width();
  const bool to_zero = y.high >= 0.0 && y.high < 0.1 * y.width();
  const Range inner{y.low + (from_zero ? 0.0 : 0.15 * per_cm),
                    y.high - (to_zero ? 0.0 : 0.15 * per_cm)};
  double step = round_below(0.3 * per_cm);
  while (step < 0.3 * per_cm) step = round_below(2.6 * step);
  std::vector<double> ticks;
  for (auto k = static_cast<long>(std::ceil(inner.low / step));
       static_cast<double>(k) * step <= inner.high; ++k)
    ticks.push_back(static_cast<double>(k) * step);
  if (ticks.size() > 1 || !(inner.low <= 0.0 && inner.high >= 0.0)) return ticks;
  // zero alone is no scale
  ticks.clear();
  if (inner.low < 0.0 && inner.high > 0.0) {
    const double reach = round_below(std::min(-inner.low, inner.high));
    if (2.0 * reach >= 0.25 * per_cm) return {-reach, reach};
  }
  const double far = std::max(-inner.low, inner.high);
  return {far == inner.high ? round_below(far) : -round_below(far)};
}

std::vector<int> page_full(const std::vector<int>& numbers) {
  constexpr std::size_t most = 24;
  if (numbers.size() <= most) return numbers;
  std::vector<int> some;
  for (std::size_t k = 0; k < most; ++k)
    some.push_back(numbers[k * (numbers.size() - 1) / (most - 1)]);
  return some;
}

void reject(std::string message, std::string hint) {
  throw InputError(make_fault("", 0, 0, std::move(message), std::move(hint)));
}

const Observable& observable(const Trajectory& run, std::string_view name) {
  for (const auto& o : run.observables)
    if (o.name == name) return o;
  throw Error(fmt::format("the run has no {}\n  hint: {}", name,
                          name == path_error_name
                              ? "a run with a controller that follows a [path] has it"
                              : "coluber plot without --what draws what there is"));
}

int count_of(const Trajectory& run, std::string_view name) {
  const int count = observable(run, name).shape.at(0);
  if (count == 0) throw Error(fmt::format("the robot has no {}: nothing to draw", name));
  return count;
}

int components_of(const Trajectory& run, std::string_view name) {
  const auto& shape = observable(run, name).shape;
  return shape.size() < 2 ? 1 : shape.back();
}

std::string component_name(const Trajectory& run, std::string_view name, int component) {
  const auto& o = observable(run, name);
  if (o.shape.size() < 2) return "";
  const auto index = static_cast<std::size_t>(component);
  return index < o.components.size() ? o.components[index] : fmt::format("{}", component + 1);
}

std::string column_of(const Trajectory& run, std::string_view name, int number, int component) {
  const auto part = component_name(run, name, component);
  return part.empty() ? fmt::format("{}.{}", name, number)
                      : fmt::format("{}.{}.{}", name, number, part);
}

Window window_of(const Trajectory& run, const FigureOptions& options) {
  if (run.frames() == 0) reject("the run has no frames", "it may have been stopped at its start");
  if (run.frames() == 1)
    reject(fmt::format("the run has one frame, at {} s, and this plot needs two", run.time.front()),
           run.has("mapped_force")
               ? "--what course and --what force_map draw one"
               : "--what course draws one; a larger record.rate_hz, or a longer run, has more");
  Window window{0, run.frames() - 1};
  const auto& t = run.time;
  const double slack = 1e-9;
  if (options.from)
    window.first = static_cast<std::size_t>(
        std::lower_bound(t.begin(), t.end(), *options.from - slack) - t.begin());
  if (options.to) {
    const auto after = std::upper_bound(t.begin(), t.end(), *options.to + slack) - t.begin();
    window.last = after == 0 ? 0 : static_cast<std::size_t>(after - 1);
  }
  const bool ordered =
      !(options.from && std::isnan(*options.from)) && !(options.to && std::isnan(*options.to));
  if (!ordered || window.first >= window.last)
    reject(fmt::format("nothing to draw between {} and {} s", options.from.value_or(t.front()),
                       options.to.value_or(t.back())),
           fmt::format("the run has frames from {} to {} s", t.front(), t.back()));
  return window;
}

Window window_or_frame(const Trajectory& run, const FigureOptions& options) {
  return run.frames() == 1 && !options.from && !options.to ? Window{} : window_of(run, options);
}

std::size_t frame_at(const Trajectory& run, double time) {
  const auto& t = run.time;
  if (!(time >= t.front() - 1e-9 && time <= t.back() + 1e-9))  // nor at NaN
    reject(fmt::format("the run has no frame at {} s", time),
           fmt::format("it has frames from {} to {} s", t.front(), t.back()));
  const auto after = std::lower_bound(t.begin(), t.end(), time);
  if (after == t.begin()) return 0;
  if (after == t.end()) return t.size() - 1;
  const auto k = static_cast<std::size_t>(after - t.begin());
  return t[k] - time < time - t[k - 1] ? k : k - 1;
}

std::vector<int> chosen(const FigureOptions& options, int count, std::vector<int> otherwise,
                        std::string_view what) {
  if (options.links.empty()) return otherwise;
  for (const int i : options.links)
    if (i < 1 || i > count)
      reject(fmt::format("there is no {} {}", what, i), fmt::format("this run has 1 to {}", count));
  return options.links;
}

std::vector<int> up_to(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i + 1;
  return all;
}

int middle_link(int count) { return (count + 1) / 2; }

Polyline over_time(const Trajectory& run, const Window& window, std::string_view name, int number,
                   int axis, double factor) {
  const auto values = run.column(name, number - 1, axis);
  Polyline line;
  line.reserve(window.last - window.first + 1);
  for (std::size_t k = window.first; k <= window.last; ++k)
    line.push_back({run.time[k], factor * values[k]});
  return line;
}

Polyline velocity_over_time(const Trajectory& run, const Window& window, int link, int axis) {
  if (run.has("link_velocity")) return over_time(run, window, "link_velocity", link, axis, 1.0);
  const auto place = over_time(run, window, "link_position", link, axis, 1.0);
  Polyline rate;
  for (std::size_t k = 1; k < place.size(); ++k)
    rate.push_back({0.5 * (place[k - 1].x + place[k].x),
                    (place[k].y - place[k - 1].y) / (place[k].x - place[k - 1].x)});
  return rate;
}

void include(Range& range, const Polyline& line) {
  for (const auto& p : line) range.include(p.y);
}

Range padded(Range range, double least_span) {
  if (!(range.low <= range.high)) range = {0.0, 0.0};
  const double air = std::max(0.06 * range.width(), 0.5 * (1.3 * least_span - range.width()));
  return {range.low - air, range.high + air};
}

Cut cut_of(const std::vector<Polyline>& lines, double least_span) {
  std::vector<double> sizes;
  for (const auto& line : lines)
    for (const auto& p : line)
      if (std::isfinite(p.y) && p.y != 0.0) sizes.push_back(std::abs(p.y));
  Cut cut;
  if (sizes.empty()) return cut;
  const auto at = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), sizes.begin() + at, sizes.end());
  const double usual = sizes[static_cast<std::size_t>(at)];
  cut.peak = *std::max_element(sizes.begin(), sizes.end());
  if (usual > least_span && cut.peak > 3.0 * usual) cut.limit = 1.25 * usual;
  return cut;
}

Range limited(Range range, const Cut& cut) {
  return {std::max(range.low, -cut.limit), std::min(range.high, cut.limit)};
}

std::string line_style(std::string_view colour_name, double width, int dash) {
  return fmt::format("with lines linecolor '{}' linewidth {} dashtype {}", colour_name, width,
                     dash);
}

std::string measured_style(std::string_view colour_name) {
  return fmt::format("with points pointtype 6 pointsize 0.55 linewidth 0.8 linecolor '{}'",
                     colour_name);
}

Polyline measured_over_time(const FigureOptions& options, const std::string& name, double factor,
                            Range times) {
  Polyline line;
  if (const auto* values = measured_column(options, name)) {
    for (std::size_t k = 0; k < values->size(); ++k) {
      const double t = options.measured->time[k];
      if (t >= times.low && t <= times.high) line.push_back({t, factor * (*values)[k]});
    }
  }
  return sparse(options, line);
}

Polyline measured_path(const FigureOptions& options, int link, Range times) {
  Polyline line;
  const auto* x = measured_column(options, fmt::format("link_position.{}.x", link));
  const auto* y = measured_column(options, fmt::format("link_position.{}.y", link));
  if (x == nullptr || y == nullptr) return line;
  for (std::size_t k = 0; k < x->size(); ++k) {
    const double t = options.measured->time[k];
    if (t >= times.low && t <= times.high) line.push_back({(*x)[k], (*y)[k]});
  }
  return sparse(options, line, 160);
}

}  // namespace coluber::app

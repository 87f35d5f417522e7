#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plot/parts.hpp"

// How well joints follow their references.

namespace coluber::app {

using record::Trajectory;

namespace {

constexpr double strip_cm = 3.4;
constexpr double gap_cm = 0.4;

Polyline error_over_time(const Trajectory& run, const Window& window, int joint, int component) {
  auto line = over_time(run, window, "joint_angle", joint, component, degree);
  const auto reference = over_time(run, window, "joint_reference", joint, component, degree);
  for (std::size_t k = 0; k < line.size(); ++k) line[k].y -= reference[k].y;
  return line;
}

}  // namespace

/// Angle and reference of a joint, the middle one if none is named, what is missing and the torque.
Figure draw_tracking(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int count = count_of(run, "joint_angle");
  const auto joints = chosen(options, count, {middle_link(count)}, "joint");
  const bool with_torque = run.has("joint_torque");
  struct Line {
    std::string label;
    Polyline angle, reference, error, torque, measured, measured_torque;
  };
  std::vector<Line> lines;
  for (const int joint : joints) {
    for (int c = 0; c < components_of(run, "joint_angle"); ++c) {
      const auto name = component_name(run, "joint_angle", c);
      lines.push_back(
          {fmt::format("joint {}{}{}", joint, name.empty() ? "" : " ", name),
           over_time(run, window, "joint_angle", joint, c, degree),
           over_time(run, window, "joint_reference", joint, c, degree),
           error_over_time(run, window, joint, c),
           with_torque ? over_time(run, window, "joint_torque", joint, c, 1.0) : Polyline{},
           measured_over_time(options, column_of(run, "joint_angle", joint, c), degree, times),
           with_torque
               ? measured_over_time(options, column_of(run, "joint_torque", joint, c), 1.0, times)
               : Polyline{}});
    }
  }
  std::vector<Polyline> errors;
  std::vector<Polyline> torques;
  Range angle = empty_range();
  for (const auto& line : lines) {
    include(angle, line.angle);
    include(angle, line.reference);
    include(angle, line.measured);
    errors.push_back(line.error);
    torques.push_back(line.torque);
  }
  const double panels = with_torque ? 3.0 : 2.0;
  const auto page = page_of(options);
  const double right = right_of(options, components_of(run, "joint_angle") > 1 ? 3.2 : 2.8);
  const double top =
      page.narrow ? strip_cm : std::max(strip_cm, 0.4 * static_cast<double>(lines.size() + 2));
  std::vector<std::string> legend;
  for (const auto& line : lines) legend.push_back(line.label);
  legend.emplace_back("reference");
  const bool any_measured = std::any_of(lines.begin(), lines.end(),
                                        [](const Line& line) { return !line.measured.empty(); });
  if (any_measured) legend.emplace_back("measured");
  const auto above = above_of(options, scene, {"", if_narrow(options, legend)});
  Canvas canvas(page.width,
                below_cm + (panels - 1.0) * (strip_cm + gap_cm) + top + above.height_cm);
  double bottom = below_cm + (panels - 1.0) * (strip_cm + gap_cm);
  canvas.panel(page.left, right, bottom, bottom + top);
  canvas.axes("", "joint angle (deg)", times, padded(angle, least::angle));
  canvas.hide_x_numbers();
  if (!page.narrow) canvas.legend_right();
  canvas.head(above);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    canvas.draw({thinned(lines[k].angle)}, line_style(distinct_colour(k), 1.4), lines[k].label);
    canvas.draw({thinned(lines[k].reference)}, line_style(colour::black, 0.8, 3));
    if (lines[k].measured.empty()) continue;
    canvas.draw({lines[k].measured}, measured_style(distinct_colour(k)));
  }
  canvas.legend_entry(line_style(colour::black, 0.8, 3), "reference");
  if (any_measured) canvas.legend_entry(measured_style(colour::grey), "measured");

  const auto strip = [&](std::string_view label, std::string_view unit,
                         const std::vector<Polyline>& drawn, double least_span, bool lowest) {
    const auto cut = cut_of(drawn, least_span);
    Range y{0.0, 0.0};
    for (const auto& line : drawn) include(y, line);
    bottom -= strip_cm + gap_cm;
    canvas.panel(page.left, right, bottom, bottom + strip_cm);
    canvas.axes(lowest ? "time t (s)" : "", label, times, padded(limited(y, cut), least_span));
    if (!lowest) canvas.hide_x_numbers();
    if (std::isfinite(cut.limit))
      note_cut(canvas, options, right, bottom + strip_cm, cut.peak, unit);
    for (std::size_t k = 0; k < drawn.size(); ++k)
      canvas.draw({thinned(drawn[k])}, line_style(distinct_colour(k), 1.1));
  };
  strip("error (deg)", "°", errors, least::tracking_error, !with_torque);
  if (with_torque) {
    strip("joint torque (N m)", " N m", torques, least::torque, true);
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (!lines[k].measured_torque.empty())
        canvas.draw({lines[k].measured_torque}, measured_style(distinct_colour(k)));
  }
  return canvas.finish();
}

Figure make_tracking_comparison(const std::vector<TrackingPanel>& panels,
                                const std::vector<std::string>& labels, int joint,
                                std::string_view title, const FigureOptions& options) {
  struct Lines {
    std::vector<Polyline> drawn;
    Cut cut;
    Range y{0.0, 0.0};
  };
  std::vector<Lines> all;
  std::vector<Polyline> errors;
  Range times = empty_range();
  for (const auto& panel : panels) {
    Lines& lines = all.emplace_back();
    for (const auto* run : panel.runs) {
      const auto window = window_of(*run, options);
      times.include(run->time[window.first]);
      times.include(run->time[window.last]);
      const int count = count_of(*run, "joint_angle");
      if (joint > count)
        reject(fmt::format("there is no joint {}", joint),
               fmt::format("this run has 1 to {}", count));
      lines.drawn.push_back(panel.torque ? over_time(*run, window, "joint_torque", joint, 0, 1.0)
                                         : error_over_time(*run, window, joint, 0));
      include(lines.y, lines.drawn.back());
      if (!panel.torque) errors.push_back(lines.drawn.back());
    }
    if (panel.torque) lines.cut = cut_of(lines.drawn, least::torque);
  }
  // errors are to be compared from panel to panel: one scale; torques differ by orders of magnitude
  const auto error_cut = cut_of(errors, least::tracking_error);
  Range error_range{0.0, 0.0};
  for (const auto& line : errors) include(error_range, line);

  const bool with_reference = !errors.empty();
  const auto& first = *panels.front().runs.front();
  const auto window = window_of(first, options);
  const auto reference = over_time(first, window, "joint_reference", joint, 0, degree);
  const double right = page_cm - 0.5;
  constexpr double pitch = strip_cm + 0.75;  // a title above each panel
  const auto count = static_cast<double>(panels.size() + (with_reference ? 1 : 0));
  const double height = below_cm + count * pitch - 0.25 + above_cm;
  Canvas canvas(page_cm, height);
  double bottom = below_cm + count * pitch;
  char letter = 'a';
  // lettered panels, the labels of the lines above them
  const auto begin = [&](std::string_view name, std::string_view label, Range y, bool lowest) {
    bottom -= pitch;
    canvas.panel(left_cm, right, bottom, bottom + strip_cm);
    canvas.axes(lowest ? "time t (s)" : "", label, times, y);
    if (!lowest) canvas.hide_x_numbers();
    canvas.text_cm({left_cm, bottom + strip_cm + 0.22}, fmt::format("({}) {}", letter, name),
                   "left font ',8'");
    if (letter == 'a') {
      canvas.head(make_above(page_cm, left_cm, {.title = title}));
      // beside the title of the picture: those of the panels are longer
      canvas.command(fmt::format(
          "set key at screen {:.6f},{:.6f} right center horizontal Left reverse noenhanced samplen "
          "1.6 width 1 font ',8' textcolor '#333333'",
          (right + 0.3) / page_cm, (height - 0.4) / height));
    }
    ++letter;
  };
  if (with_reference) {
    Range y = empty_range();
    include(y, reference);
    begin(fmt::format("reference of joint {}", joint), "angle (deg)", padded(y, least::angle),
          false);
    canvas.draw({thinned(reference)}, line_style(colour::black, 1.1));
    for (std::size_t k = 0; k < labels.size(); ++k)
      canvas.legend_entry(line_style(distinct_colour(k), 1.4), labels[k]);
  }
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const Cut& cut = panels[p].torque ? all[p].cut : error_cut;
    auto name = std::string{panels[p].title};
    // said where this panel has such peaks
    const auto peak = cut_of(all[p].drawn, 0.0).peak;
    if (peak > cut.limit)
      name += fmt::format(" (cut; {:.4g}{} at most)", peak, panels[p].torque ? " N m" : "°");
    const bool titles = p == 0 && !with_reference;
    begin(name,
          panels[p].torque ? fmt::format("torque, joint {} (N m)", joint)
                           : fmt::format("error, joint {} (deg)", joint),
          panels[p].torque ? padded(limited(all[p].y, cut), least::torque)
                           : padded(limited(error_range, cut), least::tracking_error),
          p + 1 == panels.size());
    // the first on top
    for (std::size_t k = all[p].drawn.size(); k-- > 0;)
      canvas.draw({thinned(all[p].drawn[k])}, line_style(distinct_colour(k), 1.1));
    for (std::size_t k = 0; titles && k < labels.size(); ++k)
      canvas.legend_entry(line_style(distinct_colour(k), 1.4), labels[k]);
  }
  return canvas.finish();
}

}  // namespace coluber::app

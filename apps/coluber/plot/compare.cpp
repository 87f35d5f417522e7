#include "plot/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "plot/compare_parts.hpp"
#include "plot/tracks.hpp"

// Several runs on one axis.

namespace coluber::app {

using record::Trajectory;

std::string run_style(std::size_t run, double width) {
  // long dashes: short ones lose the shape of a dense signal
  constexpr std::array<std::string_view, most_compared> dashes{
      "1", "(14,4)", "(5,4)", "(14,4,3,4)", "(22,4)", "(14,4,3,4,3,4)"};
  return fmt::format("with lines linecolor '{}' linewidth {} dashtype {}", distinct_colour(run),
                     run == 0 ? 1.35 * width : width, dashes[run % dashes.size()]);
}

Above compared_above(const Comparison& c, Heading heading) {
  const auto page = page_of(c.options);
  std::vector<std::string> legend;
  for (const auto& run : c.runs)
    legend.push_back(shortened(run.label, page.width - page.left - 1.1));
  if (!c.note.empty())
    heading.note += fmt::format("{}{}", heading.note.empty() ? "" : ";  ", c.note);
  return make_above(page.width, page.left,
                    {.title = c.title,
                     .with_title = c.options.title,
                     .note = heading.note,
                     .arrows = heading.arrows,
                     .legend = std::move(legend),
                     .one_a_row = true});
}

void legend_of_runs(Canvas& canvas, const Comparison& c) {
  const auto page = page_of(c.options);
  for (std::size_t r = 0; r < c.runs.size(); ++r)
    canvas.legend_entry(run_style(r), shortened(c.runs[r].label, page.width - page.left - 1.1));
}

namespace {

/// A quantity of all the runs.
struct ComparedPanel {
  std::string label;                   ///< of the axis
  std::string beside;                  ///< "joint 3", for a strip
  std::vector<Polyline> lines;         ///< one a run; empty where a run has none
  std::vector<Polyline> references{};  ///< the same, dotted
  double least = 0.0;
  bool logarithmic = false;
  bool one_scale = false;  ///< the panels of a quantity that is the same for all links
  bool cuts = false;       ///< peaks are cut off, as in the plot of one run
  bool points = false;     ///< marked: one between gaps has no line
};

std::string unit_in(std::string_view label) {
  const auto open = label.rfind('(');
  const auto close = label.rfind(')');
  return open == std::string_view::npos || close < open
             ? ""
             : " " + std::string(label.substr(open + 1, close - open - 1));
}

/// "torque, joint 3 (N m)" or "work: obstacles, floor (J)" as it stands, or, where an axis is too
/// short for it, without what goes into the panel.
struct PanelLabel {
  std::string axis;
  std::string which{};
};
PanelLabel fitting_label(const std::string& label, double length_cm) {
  constexpr double points = 9.0;
  const auto mark = std::min(label.find(": "), label.find(", "));
  const auto unit = label.rfind(" (");
  if (width_of_words(label, points) <= length_cm || mark >= unit || unit == std::string::npos)
    return {label};
  return {label.substr(0, mark) + label.substr(unit), label.substr(mark + 2, unit - mark - 2)};
}

double largest(const ComparedPanel& panel) {
  double most = 0.0;
  for (const auto& line : panel.lines)
    for (const auto& p : line) most = std::max(most, std::abs(p.y));
  return most;
}

/// What is drawn of a panel: its range, and where peaks are cut off.
struct PanelScale {
  Range y;
  Cut cut;
};
PanelScale scale_of(const std::vector<const ComparedPanel*>& panels) {
  PanelScale scale;
  const auto& first = *panels.front();
  std::vector<Polyline> all;
  Range y = first.logarithmic ? empty_range() : Range{0.0, 0.0};
  if (!first.references.empty()) y = empty_range();
  for (const auto* panel : panels) {
    for (const auto& line : panel->lines) {
      include(y, line);
      all.push_back(line);
    }
    for (const auto& line : panel->references) include(y, line);
  }
  if (first.logarithmic) {
    if (!(y.low <= y.high)) y = {1e-16, 1e-8};
    scale.y = {std::pow(10.0, std::floor(std::log10(y.low) - 0.2)),
               std::pow(10.0, std::ceil(std::log10(y.high) + 0.2))};
    return scale;
  }
  if (first.cuts) scale.cut = cut_of(all, first.least);
  scale.y = padded(limited(y, scale.cut), first.least);
  return scale;
}

void draw_lines(Canvas& canvas, const ComparedPanel& panel) {
  for (std::size_t r = 0; r < panel.lines.size(); ++r)
    canvas.draw({thinned(panel.lines[r])}, run_style(r, 1.0));
  for (std::size_t r = 0; panel.points && r < panel.lines.size(); ++r)
    canvas.draw({thinned(panel.lines[r])},
                fmt::format("with points pointtype 7 pointsize {} linecolor '{}'",
                            panel.lines[r].size() < 200 ? 0.28 : 0.1, distinct_colour(r)));
  for (const auto& reference : panel.references)
    canvas.draw({thinned(reference)}, line_style(colour::black, 0.7, 3));
}

/// Up to six panels with scales of their own; more as strips with one.
Figure draw_panels(const Comparison& c, const std::vector<ComparedPanel>& panels) {
  const auto page = page_of(c.options);
  const auto count = static_cast<double>(panels.size());
  const bool strips = panels.size() > 6;
  const double gap = strips ? 0.12 : 0.4;
  const double size = strips               ? std::clamp(19.0 / count, 0.5, 1.6)
                      : panels.size() <= 2 ? 4.2
                                           : std::clamp(16.0 / count, 2.6, 3.6);
  const double right = page.width - (strips ? 1.9 : 0.5);
  Heading heading;
  std::vector<const ComparedPanel*> all;
  for (const auto& panel : panels) all.push_back(&panel);
  PanelScale common;
  const bool one_scale = strips || panels.front().one_scale;
  if (one_scale) common = scale_of(all);
  if (strips) {
    if (std::isfinite(common.cut.limit))
      heading.note = fmt::format("peaks cut off; the highest is {:.3g}{}", common.cut.peak,
                                 unit_in(panels.front().label));
  }
  if (!panels.front().references.empty()) heading.note = "dotted: the references";
  const auto above = compared_above(c, heading);
  const double height = count * (size + gap) - gap;
  Canvas canvas(page.width, below_cm + height + above.height_cm);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const auto& panel = panels[k];
    const bool lowest = k + 1 == panels.size();
    const double bottom = below_cm + (count - 1.0 - static_cast<double>(k)) * (size + gap);
    const auto scale = one_scale ? common : scale_of({&panel});
    canvas.panel(page.left, right, bottom, bottom + size);
    if (panel.logarithmic) canvas.logarithmic_y();
    const auto label = fitting_label(panel.label, size + gap - 0.2);
    canvas.axes(lowest ? c.along : "", strips ? "" : label.axis, c.times, scale.y);
    if (!strips && !label.which.empty())
      canvas.text_cm({page.left + 0.15, bottom + size - 0.2}, label.which, "left font ',8'");
    if (strips) {
      canvas.y_ticks(strip_ticks(scale.y, size));
      canvas.text_cm({right + 0.15, bottom + 0.5 * size}, panel.beside, "left font ',8'");
    } else if (const double peak = largest(panel); peak > scale.cut.limit) {
      canvas.text_cm({right - 0.05, bottom + size + 0.13},
                     fmt::format("cut; {:.3g}{} max", peak, unit_in(panel.label)),
                     "right font ',6'");
    }
    if (!lowest) canvas.hide_x_numbers();
    if (k == 0) {
      canvas.head(above);
      legend_of_runs(canvas, c);
      if (strips)
        canvas.text_cm({y_label_at(page.left), below_cm + 0.5 * height}, panel.label,
                       "center rotate by 90");
    }
    draw_lines(canvas, panel);
  }
  return canvas.finish();
}

/// The numbers of links or joints that all runs have.
int common_count(const Comparison& c, std::string_view name) {
  int count = count_of(*c.runs.front().run, name);
  for (const auto& run : c.runs) count = std::min(count, count_of(*run.run, name));
  return count;
}

int common_components(const Comparison& c, std::string_view name) {
  int count = components_of(*c.runs.front().run, name);
  for (const auto& run : c.runs) count = std::min(count, components_of(*run.run, name));
  return count;
}

Polyline line_of(const Comparison& c, std::size_t r, std::string_view name, int number, int axis,
                 double factor = 1.0) {
  const auto& run = *c.runs[r].run;
  return run.has(name) ? over_time(run, c.windows[r], name, number, axis, factor) : Polyline{};
}

ComparedPanel panel_of(const Comparison& c, std::string label, std::string beside,
                       std::string_view name, int number, int axis, double factor, double least) {
  ComparedPanel panel{std::move(label), std::move(beside), {}, {}, least, false};
  for (std::size_t r = 0; r < c.runs.size(); ++r)
    panel.lines.push_back(line_of(c, r, name, number, axis, factor));
  return panel;
}

/// "yaw, joint 3".
std::string named(std::string_view component, std::string_view what, int number) {
  return component.empty() ? fmt::format("{} {}", what, number)
                           : fmt::format("{}, {} {}", component, what, number);
}

bool all_zero(const ComparedPanel& panel, double least) { return !(largest(panel) > least); }

std::vector<ComparedPanel> velocities(const Comparison& c) {
  constexpr const char* name = "link_position";
  const int n = common_count(c, name);
  std::vector<ComparedPanel> panels;
  for (const int link : chosen(c.options, n, {middle_link(n)}, "link")) {
    for (int axis = 0; axis < common_components(c, name); ++axis) {
      const auto letter = component_name(*c.runs.front().run, name, axis);
      ComparedPanel panel{fmt::format("velocity {} (m/s)", named(letter, "link", link)),
                          "",
                          {},
                          {},
                          least::velocity};
      for (std::size_t r = 0; r < c.runs.size(); ++r)
        panel.lines.push_back(velocity_over_time(*c.runs[r].run, c.windows[r], link, axis));
      if (axis < 2 || !all_zero(panel, least::velocity)) panels.push_back(std::move(panel));
    }
  }
  return panels;
}

std::vector<ComparedPanel> forces(const Comparison& c) {
  // those of obstacles where one is touched and all runs know them
  std::string_view name = "ground_force";
  for (std::size_t r = 0; r < c.runs.size(); ++r)
    if (shown_force(*c.runs[r].run, c.windows[r]) == "contact_force") name = "contact_force";
  if (std::ranges::any_of(c.runs, [&](const ComparedRun& run) { return !run.run->has(name); }))
    name = "ground_force";
  for (const auto& run : c.runs) static_cast<void>(observable(*run.run, name));
  const std::string label = name == "ground_force" ? "ground force" : "contact force";
  std::vector<ComparedPanel> panels;
  for (const int link :
       chosen(c.options, common_count(c, name), page_full(up_to(common_count(c, name))), "link")) {
    ComparedPanel panel{label + ", size (N)", fmt::format("link {}", link), {}, {}, least::force};
    panel.one_scale = panel.cuts = true;
    for (std::size_t r = 0; r < c.runs.size(); ++r) {
      auto line = line_of(c, r, name, link, 0);
      for (std::size_t k = 0; k < line.size(); ++k) {
        double square = line[k].y * line[k].y;
        for (int axis = 1; axis < components_of(*c.runs[r].run, name); ++axis)
          square += std::pow(c.runs[r].run->at(name, c.windows[r].first + k, link - 1, axis), 2);
        line[k].y = std::sqrt(square);
      }
      panel.lines.push_back(std::move(line));
    }
    panels.push_back(std::move(panel));
  }
  // with few links each has an axis of its own
  if (panels.size() <= 6)
    for (auto& panel : panels) panel.label = fmt::format("{}, {} (N)", label, panel.beside);
  return panels;
}

std::vector<ComparedPanel> angles(const Comparison& c, bool with_torque) {
  const int n = common_count(c, "joint_angle");
  const auto& first = *c.runs.front().run;
  std::vector<ComparedPanel> panels;
  for (const int joint : chosen(c.options, n, {middle_link(n)}, "joint")) {
    for (int axis = 0; axis < common_components(c, "joint_angle"); ++axis) {
      const auto which = named(component_name(first, "joint_angle", axis), "joint", joint);
      auto angle = panel_of(c, fmt::format("angle, {} (deg)", which), "", "joint_angle", joint,
                            axis, degree, least::angle);
      ComparedPanel error{fmt::format("error, {} (deg)", which), "", {}, {}, least::tracking_error};
      error.cuts = true;
      for (std::size_t r = 0; r < c.runs.size(); ++r) {
        const auto reference = line_of(c, r, "joint_reference", joint, axis, degree);
        auto line = reference.empty() ? Polyline{} : angle.lines[r];
        for (std::size_t k = 0; k < line.size(); ++k) line[k].y -= reference[k].y;
        angle.references.push_back(reference);
        error.lines.push_back(std::move(line));
      }
      panels.push_back(std::move(angle));
      panels.push_back(std::move(error));
      if (!with_torque) continue;
      panels.push_back(panel_of(c, fmt::format("torque, {} (N m)", which), "", "joint_torque",
                                joint, axis, 1.0, least::torque));
      panels.back().cuts = true;
    }
  }
  return panels;
}

/// The sum of the links' distances from the path, and those of the head or of the links asked for
/// (Murugendran fig 5, 4).
std::vector<ComparedPanel> path_errors(const Comparison& c) {
  ComparedPanel sum{
      fmt::format("{} (mm)", path_error_sum_words), "", {}, {}, least::path_error, false};
  for (std::size_t r = 0; r < c.runs.size(); ++r)
    sum.lines.push_back(path_error_sum(*c.runs[r].run, c.windows[r]));
  std::vector<ComparedPanel> panels{std::move(sum)};
  for (const int link : chosen(c.options, common_count(c, path_error_name), {1}, "link"))
    panels.push_back(panel_of(c, fmt::format("path error z, link {} (mm)", link), "",
                              path_error_name, link, 0, millimetre, least::path_error));
  return panels;
}

/// Margin, largest torque and verdict over the places of the rear end.
Figure compare_qualities(Comparison c) {
  c.along = "arc length of the rear end s (m)";
  c.times = empty_range();
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const Range s = places_of(*c.runs[r].run, c.windows[r]);
    c.times.include(s.low);
    c.times.include(s.high);
  }
  std::vector<std::string> shares;
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const auto feasible = over_place(*c.runs[r].run, c.windows[r], "feasible");
    const auto count = std::ranges::count_if(feasible, [](const Point& p) { return p.y > 0.5; });
    shares.push_back(fmt::format("{} of {}", count, feasible.size()));
  }
  const auto note = fmt::format("feasible at {} places{}{}", fmt::join(shares, " | "),
                                c.note.empty() ? "" : ";  ", c.note);
  c.note = note;
  std::vector<ComparedPanel> panels;
  const auto add = [&](std::string label, std::string_view name, double least) {
    ComparedPanel panel{std::move(label), "", {}, {}, least, false};
    panel.points = true;
    for (std::size_t r = 0; r < c.runs.size(); ++r)
      panel.lines.push_back(over_place(*c.runs[r].run, c.windows[r], name));
    panels.push_back(std::move(panel));
  };
  add("margin (N)", "margin", least::force);
  add("max. torque (N m)", "torque_max", least::torque);
  return draw_panels(c, panels);
}

std::vector<ComparedPanel> torques(const Comparison& c) {
  const int n = common_count(c, "joint_torque");
  const int axes = common_components(c, "joint_torque");
  std::vector<ComparedPanel> panels;
  const auto joints =
      chosen(c.options, n, page_full(up_to(axes == 1 ? n : std::min(n, 12))), "joint");
  for (const int joint : joints)
    for (int axis = 0; axis < axes; ++axis) {
      const auto part = component_name(*c.runs.front().run, "joint_torque", axis);
      auto label = named(part, "joint", joint);
      panels.push_back(panel_of(c, "joint torque (N m)",
                                part.empty() ? label : fmt::format("{} {}", joint, part),
                                "joint_torque", joint, axis, 1.0, least::torque));
      panels.back().one_scale = panels.back().cuts = true;
      if (joints.size() * static_cast<std::size_t>(axes) <= 6)
        panels.back().label = fmt::format("torque, {} (N m)", label);
    }
  return panels;
}

/// A panel per quantity and wheel that all runs have.
std::vector<ComparedPanel> wheels(const Comparison& c) {
  std::vector<ComparedPanel> panels;
  for (const WheelQuantity& quantity : wheel_quantities()) {
    if (!std::ranges::all_of(c.runs, [&](const ComparedRun& run) {
          return run.run->has(quantity.name) && observable(*run.run, quantity.name).size() > 0;
        }))
      continue;
    const int n = common_count(c, quantity.name);
    for (const int wheel : chosen(c.options, n, {1}, "wheel"))
      for (int axis = 0; axis < common_components(c, quantity.name); ++axis) {
        const auto part = component_name(*c.runs.front().run, quantity.name, axis);
        auto panel = panel_of(
            c,
            fmt::format("{}, {} ({})", quantity.title, named(part, "wheel", wheel), quantity.unit),
            "", quantity.name, wheel, axis, quantity.factor, quantity.least);
        if (!quantity.only_if_any || !all_zero(panel, 0.0)) panels.push_back(std::move(panel));
      }
  }
  if (panels.empty()) throw Error("the runs have no wheel_force and no wheel_slip in common");
  return panels;
}

std::vector<ComparedPanel> energies(const Comparison& c) {
  auto panels = std::vector{panel_of(c, "kinetic (J)", "", "energy", 1, 0, 1.0, least::energy)};
  // the run in which the floor counts names it for all
  std::string contact;
  for (const auto& run : c.runs)
    if (run.run->has("work_contact")) {
      const std::string title{contact_title(*run.run, *run.scene)};
      contact = contact.size() < title.size() ? title : contact;
    }
  const std::array<std::pair<std::string_view, std::string>, 5> works{
      {{"work_servo", "servos"},
       {"work_friction", "friction"},
       {"work_contact", contact},
       {"work_gravity", "gravity"},
       {"work_scheme", "time stepping"}}};
  for (const auto& [name, title] : works) {
    auto panel =
        panel_of(c, fmt::format("work: {} (J)", title), "", name, 1, 0, 1.0, least::energy);
    if (!all_zero(panel, 0.0)) panels.push_back(std::move(panel));
  }
  // rounding and the like, which nobody compares
  double most = 0.0;
  for (std::size_t k = 1; k < panels.size(); ++k) most = std::max(most, largest(panels[k]));
  std::erase_if(panels, [&](const ComparedPanel& panel) {
    return &panel != &panels.front() && largest(panel) < 1e-3 * most;
  });
  return panels;
}

std::vector<ComparedPanel> residuals(const Comparison& c) {
  std::vector<ComparedPanel> panels;
  const std::array<std::pair<std::string_view, std::string_view>, 3> rows{
      {{"residual", "law solved"}, {"rigid_residual", "rigid law"}, {"iterations", "iterations"}}};
  for (const auto& [name, label] : rows) {
    auto panel = panel_of(c, std::string(label), "", name, 1, 0, 1.0, 1.0);
    panel.logarithmic = name != "iterations";
    if (panel.logarithmic)
      for (auto& line : panel.lines)
        for (auto& p : line)
          if (!(p.y > 0.0)) p.y = std::numeric_limits<double>::quiet_NaN();
    const bool any = std::any_of(panel.lines.begin(), panel.lines.end(),
                                 [](const Polyline& line) { return !line.empty(); });
    if (any) panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace

Figure make_comparison(std::string_view name, const std::vector<ComparedRun>& runs,
                       std::string_view title, std::string_view note,
                       const FigureOptions& options) {
  Comparison c{runs, title, note, options, {}, empty_range()};
  for (const auto& run : runs) {
    require_drawable(name, *run.run, *run.scene);
    const auto window = compares_one_frame(name) ? window_or_frame(*run.run, options)
                                                 : window_of(*run.run, options);
    c.windows.push_back(window);
    c.times.include(run.run->time[window.first]);
    c.times.include(run.run->time[window.last]);
  }
  if (name == "force_map") return compare_force_maps(c);
  if (name == "quality") return compare_qualities(c);
  if (name == "course") return compare_courses(c);
  if (name == "path") return compare_paths(c);
  if (name == "postures") return compare_postures(c);
  if (name == "side") return compare_sides(c);
  if (name == "footfall") return compare_footfalls(c);
  if (name == "velocities") return draw_panels(c, velocities(c));
  if (name == "forces") return draw_panels(c, forces(c));
  if (name == "angles") return draw_panels(c, angles(c, false));
  if (name == "tracking") return draw_panels(c, angles(c, true));
  if (name == "path_error") return draw_panels(c, path_errors(c));
  if (name == "torques") return draw_panels(c, torques(c));
  if (name == "wheels") return draw_panels(c, wheels(c));
  if (name == "energy") return draw_panels(c, energies(c));
  if (name == "residual") return draw_panels(c, residuals(c));
  throw Error(fmt::format("there is no plot \"{}\" of several runs", name));
}

}  // namespace coluber::app

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "plot/outline.hpp"
#include "plot/parts.hpp"

// Quantities over time.

namespace coluber::app {

using record::Trajectory;

namespace {

/// One quantity of many links or joints, a strip each, all to the same scale.
struct Strip {
  std::string label;
  std::vector<Polyline> lines;     ///< one a component
  std::vector<Polyline> measured;  ///< the same
};

Figure draw_strips(const std::vector<Strip>& strips, const std::vector<std::string>& components,
                   std::string_view y_label, Range times, const Scene& scene, std::string note,
                   std::string_view unit, double least_span, const FigureOptions& options) {
  std::vector<Polyline> all;
  for (const auto& strip : strips) all.insert(all.end(), strip.lines.begin(), strip.lines.end());
  const auto cut = cut_of(all, least_span);
  Range y{0.0, 0.0};
  for (const auto& line : all) include(y, line);
  y = padded(limited(y, cut), least_span);
  if (std::isfinite(cut.limit)) {
    if (!note.empty()) note += "; ";
    note += fmt::format("peaks cut off; the highest is {:.3g} {}", cut.peak, unit);
  }
  const auto page = page_of(options);
  const auto count = static_cast<double>(strips.size());
  const double gap = 0.12;
  const double size = strips.size() <= 3 ? 4.0 : std::clamp(19.0 / count, 0.5, 1.6);
  const double height = count * size + (count - 1.0) * gap;
  const double right = page.width - 1.7;
  const auto legend = components.size() > 1 ? components : std::vector<std::string>{};
  const auto above = above_of(options, scene, {note, legend});
  Canvas canvas(page.width, below_cm + height + above.height_cm);
  for (std::size_t k = 0; k < strips.size(); ++k) {
    const double bottom = below_cm + (count - 1.0 - static_cast<double>(k)) * (size + gap);
    const bool lowest = k + 1 == strips.size();
    canvas.panel(page.left, right, bottom, bottom + size);
    canvas.axes(lowest ? "time t (s)" : "", "", times, y);
    if (strips.size() > 3) canvas.y_ticks(strip_ticks(y, size));
    if (!lowest) canvas.hide_x_numbers();
    canvas.text_cm({right + 0.15, bottom + 0.5 * size}, strips[k].label, "left font ',8'");
    if (k == 0) {
      canvas.head(above);
      canvas.text_cm({y_label_at(page.left), below_cm + 0.5 * height}, y_label,
                     "center rotate by 90");
    }
    for (std::size_t c = 0; c < strips[k].lines.size(); ++c)
      canvas.draw({thinned(strips[k].lines[c])}, line_style(distinct_colour(c), 1.0),
                  k == 0 && components.size() > 1 ? components[c] : "");
    for (std::size_t c = 0; c < strips[k].measured.size(); ++c)
      if (!strips[k].measured[c].empty())
        canvas.draw({strips[k].measured[c]}, measured_style(distinct_colour(c)));
  }
  return canvas.finish();
}

/// One curve a joint in colours ordered along the body.
void draw_by_joint(Canvas& canvas, const std::vector<int>& joints, int count,
                   const std::vector<Polyline>& lines, bool titles) {
  for (std::size_t k = 0; k < joints.size(); ++k)
    canvas.draw({thinned(lines[k])},
                line_style(sequential_colour(static_cast<std::size_t>(joints[k] - 1),
                                             static_cast<std::size_t>(count)),
                           1.1),
                titles ? fmt::format("joint {}", joints[k]) : "");
}

}  // namespace

std::string_view shown_force(const Trajectory& run, const Window& window) {
  const auto acts = [&](std::string_view name) {
    if (!run.has(name) || observable(run, name).size() == 0) return false;
    for (const int i : up_to(count_of(run, name)))
      for (int axis = 0; axis < components_of(run, name); ++axis) {
        const auto force = run.column(name, i - 1, axis);
        for (std::size_t k = window.first; k <= window.last; ++k)
          if (force[k] != 0.0) return true;
      }
    return false;
  };
  if (acts("contact_force")) return "contact_force";
  if (acts("ground_force")) return "ground_force";
  return run.has("contact_force") ? "contact_force" : "ground_force";
}

/// Forces of obstacles by link over time; of the ground, where nothing else is touched: x and y of
/// a few links, a strip a link of many  (Transeth fig 7.7b-c).
Figure draw_forces(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const auto name = shown_force(run, window);
  const bool of_ground = name == "ground_force";
  const int n = count_of(run, name);
  // the components in the plane, and others that ever act
  int axes = std::min(2, components_of(run, name));
  std::vector<int> touching;
  for (const int i : up_to(n)) {
    for (int axis = 0; axis < components_of(run, name); ++axis) {
      const auto force = run.column(name, i - 1, axis);
      if (std::all_of(force.begin() + static_cast<std::ptrdiff_t>(window.first),
                      force.begin() + static_cast<std::ptrdiff_t>(window.last) + 1,
                      [](double value) { return value == 0.0; }))
        continue;
      if (touching.empty() || touching.back() != i) touching.push_back(i);
      axes = std::max(axes, axis + 1);
    }
  }
  const bool untouched = touching.empty();
  if (untouched) touching = n < 3 ? up_to(n) : std::vector<int>{1, middle_link(n), n};
  const auto links = chosen(options, n, page_full(touching), "link");
  std::vector<std::string> letters;
  for (int axis = 0; axis < axes; ++axis) letters.push_back(component_name(run, name, axis));
  std::vector<Strip> strips;
  for (const int i : links) {
    Strip strip{fmt::format("link {}", i), {}, {}};
    for (int axis = 0; axis < axes; ++axis) {
      const auto column = column_of(run, name, i, axis);
      strip.lines.push_back(over_time(run, window, name, i, axis, 1.0));
      strip.measured.push_back(measured_over_time(options, column, 1.0, times));
    }
    strips.push_back(std::move(strip));
  }
  const std::string force = of_ground ? "ground force" : "contact force";
  std::string note;
  if (of_ground)
    note = "no link touches an obstacle: forces of the ground";
  else if (untouched)
    note = "no link touches anything";
  if (strips.size() > 3)
    return draw_strips(strips, letters, force + " (N)", times, scene, note, "N", least::force,
                       options);

  std::vector<Strip> by_axis(letters.size());
  std::vector<Polyline> all;
  std::vector<std::string> legend;
  for (const auto& strip : strips) {
    legend.push_back(strip.label);
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      by_axis[axis].lines.push_back(strip.lines[axis]);
      by_axis[axis].measured.push_back(strip.measured[axis]);
      all.push_back(strip.lines[axis]);
    }
  }
  const auto cut = cut_of(all, least::force);
  if (std::isfinite(cut.limit)) {
    if (!note.empty()) note += "; ";
    note += fmt::format("peaks cut off; the highest is {:.3g} N", cut.peak);
  }
  constexpr double size = 4.2;
  constexpr double gap = 0.4;
  const auto page = page_of(options);
  const double right = page.width - 0.5;
  const auto above = above_of(options, scene, {note, legend});
  Canvas canvas(page.width, below_cm + axes * (size + gap) - gap + above.height_cm);
  for (std::size_t axis = 0; axis < letters.size(); ++axis) {
    const bool lowest = axis + 1 == letters.size();
    Range y{0.0, 0.0};
    for (const auto& line : by_axis[axis].lines) include(y, line);
    const double bottom = below_cm + static_cast<double>(letters.size() - 1 - axis) * (size + gap);
    canvas.panel(page.left, right, bottom, bottom + size);
    canvas.axes(lowest ? "time t (s)" : "", fmt::format("{} {} (N)", force, letters[axis]), times,
                padded(limited(y, cut), least::force));
    if (!lowest) canvas.hide_x_numbers();
    if (axis == 0) canvas.head(above);
    for (std::size_t k = 0; k < links.size(); ++k) {
      canvas.draw({thinned(by_axis[axis].lines[k])}, line_style(distinct_colour(k), 1.2),
                  axis == 0 ? strips[k].label : "");
      if (!by_axis[axis].measured[k].empty())
        canvas.draw({by_axis[axis].measured[k]}, measured_style(distinct_colour(k)));
    }
  }
  return canvas.finish();
}

namespace {

/// Angles about one axis of the joints, what they should be, and what is missing.
struct JointAxis {
  std::string name;
  std::vector<Polyline> lines, references, errors, points;
  Range angles = empty_range();
  Range error_range = empty_range();
};

JointAxis joint_axis(const Trajectory& run, const FigureOptions& options,
                     const std::vector<int>& joints, int component) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  JointAxis axis;
  axis.name = component_name(run, "joint_angle", component);
  axis.references.resize(joints.size());
  axis.errors.resize(joints.size());
  if (run.has("joint_reference"))
    for (std::size_t j = 0; j < joints.size(); ++j)
      axis.references[j] = over_time(run, window, "joint_reference", joints[j], component, degree);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto& line = axis.lines.emplace_back(
        over_time(run, window, "joint_angle", joints[j], component, degree));
    axis.points.push_back(measured_over_time(
        options, column_of(run, "joint_angle", joints[j], component), degree, times));
    include(axis.angles, line);
    include(axis.angles, axis.references[j]);
    include(axis.angles, axis.points.back());
    for (std::size_t k = 0; k < axis.references[j].size(); ++k)
      axis.errors[j].push_back({line[k].x, line[k].y - axis.references[j][k].y});
    include(axis.error_range, axis.errors[j]);
  }
  return axis;
}

}  // namespace

/// Joint angles and, where the reference is known, how well they follow it; one pair of panels for
/// each axis of a joint.
Figure draw_angles(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int count = count_of(run, "joint_angle");
  const auto joints = chosen(options, count, page_full(up_to(count)), "joint");
  std::vector<JointAxis> axes;
  for (int component = 0; component < components_of(run, "joint_angle"); ++component)
    axes.push_back(joint_axis(run, options, joints, component));

  const bool with_errors = run.has("joint_reference");
  constexpr double gap = 0.4;
  const double error_strip = 2.4;
  // gnuplot drops what does not fit beside the panel: 0.4 cm a row, two more for the other entries
  const auto page = page_of(options);
  const double legend = page.narrow ? 0.0 : 0.4 * static_cast<double>(joints.size() + 2);
  const double strip = std::max(axes.size() == 1 ? 5.2 : 4.2, legend);
  const double part = strip + gap + (with_errors ? error_strip + gap : 0.0);
  const double right = right_of(options, 2.5);
  const auto parts = static_cast<double>(axes.size());
  std::vector<std::string> entries;
  for (const int joint : joints) entries.push_back(fmt::format("joint {}", joint));
  if (with_errors) entries.emplace_back("reference");
  const auto has_points = [](const JointAxis& axis) {
    return std::any_of(axis.points.begin(), axis.points.end(),
                       [](const Polyline& line) { return !line.empty(); });
  };
  const bool any_measured = std::any_of(axes.begin(), axes.end(), has_points);
  if (any_measured) entries.emplace_back("measured");
  const auto above = above_of(options, scene, {"", if_narrow(options, entries)});
  Canvas canvas(page.width, below_cm + parts * part - gap + above.height_cm);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const JointAxis& axis = axes[a];
    const bool last = a + 1 == axes.size();
    const double low = below_cm + (parts - 1.0 - static_cast<double>(a)) * part;
    const double bottom = with_errors ? low + error_strip + gap : low;
    const std::string which = axis.name.empty() ? "joint" : axis.name;
    canvas.panel(page.left, right, bottom, bottom + strip);
    canvas.axes(last && !with_errors ? "time t (s)" : "", which + " angle (deg)", times,
                padded(axis.angles, least::angle));
    if (!last || with_errors) canvas.hide_x_numbers();
    if (a == 0) {
      if (!page.narrow) canvas.legend_right();
      canvas.head(above);
    }
    draw_by_joint(canvas, joints, count, axis.lines, a == 0);
    for (const auto& reference : axis.references)
      canvas.draw({thinned(reference)}, line_style(colour::black, 0.6, 3));
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (axis.points[j].empty()) continue;
      canvas.draw({axis.points[j]},
                  measured_style(sequential_colour(static_cast<std::size_t>(joints[j] - 1),
                                                   static_cast<std::size_t>(count))));
    }
    if (a == 0 && with_errors) canvas.legend_entry(line_style(colour::black, 0.6, 3), "reference");
    if (a == 0 && any_measured) canvas.legend_entry(measured_style(colour::grey), "measured");
    if (!with_errors) continue;
    const auto cut = cut_of(axis.errors, least::tracking_error);
    canvas.panel(page.left, right, low, low + error_strip);
    canvas.axes(last ? "time t (s)" : "",
                axis.name.empty() ? "error (deg)" : which + " error (deg)", times,
                padded(limited(axis.error_range, cut), least::tracking_error));
    if (!last) canvas.hide_x_numbers();
    if (std::isfinite(cut.limit))
      note_cut(canvas, options, right, low + error_strip, cut.peak, "°");
    draw_by_joint(canvas, joints, count, axis.errors, false);
  }
  return canvas.finish();
}

/// Joint torques over time, a strip a joint.
Figure draw_torques(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int count = count_of(run, "joint_torque");
  const int axes = components_of(run, "joint_torque");
  std::vector<std::string> names;
  for (int axis = 0; axis < axes; ++axis)
    names.push_back(component_name(run, "joint_torque", axis));
  std::vector<Strip> strips;
  for (const int i : chosen(options, count, page_full(up_to(count)), "joint")) {
    Strip strip{fmt::format("joint {}", i), {}, {}};
    for (int axis = 0; axis < axes; ++axis) {
      strip.lines.push_back(over_time(run, window, "joint_torque", i, axis, 1.0));
      strip.measured.push_back(
          measured_over_time(options, column_of(run, "joint_torque", i, axis), 1.0, times));
    }
    strips.push_back(std::move(strip));
  }
  return draw_strips(strips, names, "joint torque (N m)", times, scene, "", "N m", least::torque,
                     options);
}

/// Velocities of links, a panel a component  (Transeth fig 7.2).
Figure draw_velocities(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int n = count_of(run, "link_position");
  const auto links =
      chosen(options, n, n < 3 ? up_to(n) : std::vector<int>{1, middle_link(n), n}, "link");
  struct Component {
    std::string name;
    std::vector<Polyline> lines;  // by link
    double fastest = 0.0;
  };
  std::vector<Component> all;
  for (int axis = 0; axis < components_of(run, "link_position"); ++axis) {
    Component& component = all.emplace_back();
    component.name = component_name(run, "link_position", axis);
    for (const int i : links) {
      const auto& line = component.lines.emplace_back(velocity_over_time(run, window, i, axis));
      for (const auto& p : line) component.fastest = std::max(component.fastest, std::abs(p.y));
    }
  }
  // along an axis where nothing moves there is nothing to see
  auto shown = all;
  std::erase_if(shown, [](const Component& c) { return c.fastest < least::velocity; });
  if (shown.empty()) shown = all;
  constexpr double size = 3.4;
  constexpr double gap = 0.4;
  const auto page = page_of(options);
  const double right = page.width - 0.5;
  const auto panels = static_cast<double>(shown.size());
  std::vector<std::string> legend;
  for (const int link : links) legend.push_back(fmt::format("link {}", link));
  const auto above = above_of(options, scene, {"", legend});
  Canvas canvas(page.width, below_cm + panels * (size + gap) - gap + above.height_cm);
  for (std::size_t c = 0; c < shown.size(); ++c) {
    const bool lowest = c + 1 == shown.size();
    Range y{0.0, 0.0};
    for (const auto& line : shown[c].lines) include(y, line);
    const double bottom = below_cm + (panels - 1.0 - static_cast<double>(c)) * (size + gap);
    canvas.panel(page.left, right, bottom, bottom + size);
    canvas.axes(lowest ? "time t (s)" : "", fmt::format("velocity {} (m/s)", shown[c].name), times,
                padded(y, least::velocity));
    if (!lowest) canvas.hide_x_numbers();
    if (c == 0) canvas.head(above);
    for (std::size_t k = 0; k < links.size(); ++k)
      canvas.draw({thinned(shown[c].lines[k])}, line_style(distinct_colour(k), 1.2),
                  c == 0 ? legend[k] : "");
  }
  return canvas.finish();
}

std::string_view contact_title(const Trajectory& run, const Scene& scene) {
  const bool on_floor = run.has("ground_force") && components_of(run, "ground_force") > 2;
  const bool pegs = !obstacles_of(scene.drawing, from_above).empty();
  return !on_floor ? "obstacles" : pegs ? "floor, obstacles" : "floor impacts";
}

/// Kinetic energy, and the work of everything that changed it.
Figure draw_energy(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const auto kinetic = over_time(run, window, "energy", 1, 0, 1.0);
  struct Work {
    std::string_view name;
    std::string_view title;
    std::string_view colour_name;
    Polyline line;
  };
  std::vector<Work> works{{"work_servo", "motors", colour::blue, {}},
                          {"work_friction", "ground friction", colour::vermillion, {}},
                          {"work_contact", contact_title(run, scene), colour::green, {}},
                          {"work_gravity", "gravity", colour::purple, {}},
                          {"work_scheme", "time stepping", colour::grey, {}}};
  Range y = empty_range();
  Range kinetic_range{0.0, 0.0};
  include(kinetic_range, kinetic);
  for (auto& work : works) {
    if (!run.has(work.name)) continue;
    work.line = over_time(run, window, work.name, 1, 0, 1.0);
    if (std::all_of(work.line.begin(), work.line.end(), [](const Point& p) { return p.y == 0.0; }))
      work.line.clear();
    include(y, work.line);
  }
  const bool with_works = y.low <= y.high;
  const double strip = 3.2;
  const double work_strip = with_works ? 4.4 : -0.4;
  const auto page = page_of(options);
  const double right = right_of(options, 3.2);
  const auto above = above_of(options, scene);
  // a narrow page has the legend between the panels
  std::vector<std::string> legend;
  for (const auto& work : works)
    if (!work.line.empty()) legend.emplace_back(work.title);
  const auto between =
      make_above(page.width, page.left, {.title = "", .legend = if_narrow(options, legend)});
  const double room = between.legend_rows > 0 ? 0.48 * between.legend_rows + 0.2 : 0.4;
  const double height = below_cm + work_strip + room + strip + above.height_cm;
  Canvas canvas(page.width, height);
  const double bottom = below_cm + work_strip + room;
  canvas.panel(page.left, right, bottom, bottom + strip);
  canvas.axes(with_works ? "" : "time t (s)", "kinetic (J)", times,
              padded(kinetic_range, least::energy));
  if (with_works) canvas.hide_x_numbers();
  canvas.head(above);
  canvas.draw({thinned(kinetic)}, line_style(colour::black, 1.0));
  const auto points = measured_over_time(options, "energy", 1.0, times);
  if (!points.empty()) canvas.draw({points}, measured_style(colour::black));
  if (with_works) {
    canvas.panel(page.left, right, below_cm, below_cm + work_strip);
    canvas.axes("time t (s)", "work since start (J)", times, padded(y, least::energy));
    if (!page.narrow) canvas.legend_right();
    if (page.narrow) canvas.legend_over(below_cm + work_strip + 0.1, between.legend_columns);
    for (const auto& work : works)
      if (!work.line.empty())
        canvas.draw({thinned(work.line)}, line_style(work.colour_name, 1.3), work.title);
  }
  return canvas.finish();
}

/// How exactly the contact laws hold in every step, and what that took.
Figure draw_residual(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  // zero has no place on a logarithmic axis
  const auto on_log_axis = [&](std::string_view name) {
    auto line = over_time(run, window, name, 1, 0, 1.0);
    for (auto& p : line)
      if (!(p.y > 0.0)) p.y = std::numeric_limits<double>::quiet_NaN();
    return line;
  };
  std::vector<Polyline> lines{on_log_axis("residual")};
  std::vector<std::string> titles{"law solved"};
  std::vector<std::string_view> colours{colour::blue};
  if (run.has("rigid_residual")) {
    lines.push_back(on_log_axis("rigid_residual"));
    titles.emplace_back("rigid law");
    colours.push_back(colour::orange);
  }
  Range y = empty_range();
  for (const auto& line : lines) include(y, line);
  const bool none = !(y.low <= y.high);
  if (none) y = {1e-16, 1e-8};
  y.low = std::pow(10.0, std::floor(std::log10(y.low) - 0.2));
  y.high = std::pow(10.0, std::ceil(std::log10(y.high) + 0.2));
  const bool with_iterations = run.has("iterations");
  const double strip = 4.6;
  const double lower = with_iterations ? 2.4 : -0.4;
  const auto page = page_of(options);
  const double right = right_of(options, 2.7);
  const auto above = above_of(options, scene, {"", if_narrow(options, titles)});
  Canvas canvas(page.width, below_cm + lower + 0.4 + strip + above.height_cm);
  const double bottom = below_cm + lower + 0.4;
  canvas.panel(page.left, right, bottom, bottom + strip);
  canvas.logarithmic_y();
  canvas.axes(with_iterations ? "" : "time t (s)", "scaled residual", times, y);
  if (with_iterations) canvas.hide_x_numbers();
  if (!page.narrow) canvas.legend_right();
  canvas.head(above);
  for (std::size_t k = lines.size(); k-- > 0;)
    canvas.draw({thinned(lines[k])}, line_style(colours[k], 0.9), titles[k]);
  if (none)
    canvas.text_cm({0.5 * (page.left + right), bottom + 0.5 * strip}, "zero throughout", "center");
  if (with_iterations) {
    const auto iterations = over_time(run, window, "iterations", 1, 0, 1.0);
    Range count{0.0, 1.0};
    include(count, iterations);
    canvas.panel(page.left, right, below_cm, below_cm + lower);
    canvas.axes("time t (s)", "iterations", times, padded(count, 1.0));
    canvas.draw({thinned(iterations)}, line_style(colour::black, 0.9));
  }
  return canvas.finish();
}

}  // namespace coluber::app

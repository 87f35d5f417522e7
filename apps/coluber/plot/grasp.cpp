#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plot/map.hpp"
#include "plot/parts.hpp"

// A robot that wraps its front round an object, from above and from the side.

namespace coluber::app {

using record::Drawing;
using record::DrawnBody;
using record::Trajectory;

namespace {

constexpr std::string_view contact_fill = "#f2b65a";
constexpr std::string_view contact_edge = "#9a5b00";
constexpr std::string_view object_fill = "#c4c4c4";
constexpr std::string_view object_edge = "#6b6b6b";
constexpr std::string_view link_edge = "#31688e";
constexpr std::string_view wheel_edge = "#2f3840";

bool is_object(const DrawnBody& body) { return body.name.starts_with("object"); }
bool is_wheel(const DrawnBody& body) { return body.shape == "wheel"; }

/// A link nearer than this touches (m).
constexpr double touching = 0.01;

/// Numbers of the links that hold the object in a frame, in their order: of those that were laid on
/// it, the ones that touch. Without an object, the links whose places are held.
std::vector<int> contacts_at(const Trajectory& run, std::size_t frame) {
  std::vector<int> links;
  if (!run.has("contact_drift")) return links;
  const bool with_object = run.has("clearance");
  for (int i = 0; i < count_of(run, "contact_drift"); ++i) {
    if (!std::isfinite(run.at("contact_drift", frame, i))) continue;
    if (with_object && std::abs(run.at("clearance", frame, i)) > touching) continue;
    links.push_back(i + 1);
  }
  return links;
}

/// A body on paper, and how far behind the others it is.
struct Seen {
  const DrawnBody* body = nullptr;
  Outline outline;
  Point middle;
  double depth = 0.0;  ///< m, less is nearer to the reader
  bool contact = false;
};

/// The moving bodies, those that others hide first; from above the object lies under all.
std::vector<Seen> seen_at(const Drawing& drawing, std::size_t frame, const View& view,
                          const std::vector<int>& contacts) {
  std::vector<Seen> all;
  for (const auto* body : moving_bodies(drawing)) {
    Seen seen{body, outline_of(drawing, *body, frame, view), {}, 0.0, false};
    if (seen.outline.line.empty()) continue;
    const auto place = place_of(drawing, *body, frame);
    seen.middle = view.of(place);
    // one looks down, along y or against x: what is right and what is up stay so
    seen.depth = view.depth() == 1 ? place[1] : -place[view.depth()];
    if (view.up == 1 && is_object(*body)) seen.depth = std::numeric_limits<double>::infinity();
    seen.contact = std::ranges::any_of(
        contacts, [&](int link) { return body->name == fmt::format("link_{}", link); });
    all.push_back(std::move(seen));
  }
  // of equal depth in their order
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return all[a].depth != all[b].depth ? all[a].depth > all[b].depth : a < b;
  });
  std::vector<Seen> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(all[i]));
  return sorted;
}

std::string clear_style(std::string_view fill, std::string_view edge, double strength) {
  return fmt::format(
      "with filledcurves closed fillstyle transparent solid {} border linecolor '{}' fillcolor "
      "'{}' linewidth 0.6",
      strength, edge, fill);
}

void draw_seen(Canvas& canvas, const std::vector<Seen>& bodies, bool from_side) {
  for (const Seen& each : bodies) {
    if (is_wheel(*each.body)) continue;
    const bool head = each.body->name == "link_1";
    if (is_object(*each.body))  // from the side what is behind it shines through
      canvas.draw({each.outline.line},
                  clear_style(object_fill, object_edge, from_side ? 0.8 : 1.0));
    else if (each.contact)
      canvas.draw({each.outline.line}, polygon_style(contact_fill, contact_edge, 0.6));
    else
      canvas.draw({each.outline.line}, polygon_style(head ? "#8fc7e6" : "#dcecf6", link_edge, 0.6));
  }
  for (const Seen& each : bodies)
    if (is_wheel(*each.body))
      canvas.draw({each.outline.line}, from_side ? clear_style("#54606a", wheel_edge, 0.25)
                                                 : polygon_style("#54606a", wheel_edge, 0.4));
}

void include(Box& box, const std::vector<Seen>& bodies) {
  for (const Seen& each : bodies) box.include(each.outline.line);
}

/// What a quantity's first two components were over a window: a way in the plane; none where they
/// stay.
Polyline way_of(const Trajectory& run, const Window& window, std::string_view name) {
  Polyline line;
  if (!run.has(name)) return line;
  const auto add = [&](std::size_t k) {
    const Point p{run.at(name, k, 0), run.at(name, k, 1)};
    if (std::isfinite(p.x) && std::isfinite(p.y)) line.push_back(p);
  };
  const std::size_t stride = std::max<std::size_t>(1, (window.last - window.first) / 3000);
  for (std::size_t k = window.first; k < window.last; k += stride) add(k);
  add(window.last);
  Range x = empty_range();
  Range y = empty_range();
  for (const Point& p : line) {
    x.include(p.x);
    y.include(p.y);
  }
  if (!line.empty() && std::max(x.width(), y.width()) < least::moving) line.clear();
  return line;
}

std::string note_of(double time, const std::vector<int>& contacts, std::string_view held) {
  if (contacts.empty()) return fmt::format("t = {:.4g} s", time);
  return fmt::format("t = {:.4g} s;  link{} {} {}", time, contacts.size() == 1 ? "" : "s",
                     fmt::join(contacts, ", "), held);
}

}  // namespace

Figure draw_grasp(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_or_frame(run, options);
  const std::size_t frame = options.time ? frame_at(run, *options.time) : window.last;
  const auto& drawing = scene.drawing;
  const auto contacts = contacts_at(run, frame);
  const View from_side{options.along_y ? 1U : 0U, 2U};
  const auto above_now = seen_at(drawing, frame, from_above, contacts);
  const auto side_now = seen_at(drawing, frame, from_side, contacts);
  const auto before = seen_at(drawing, window.first, from_above, {});
  const bool ghost = !options.zoom && frame != window.first;
  const auto head = way_of(run, window, "head_state");
  const auto object = way_of(run, window, "object_pose");

  Box view;
  include(view, above_now);
  if (!options.zoom) {
    view.include(head);
    view.include(object);
    include(view, before);
  }
  view.pad(0.15);
  const auto page = page_of(options);
  const double width_cm = page.width - page.left - 0.4;
  const auto map = fit(view, width_cm, 12.0);

  Box side;
  include(side, side_now);
  const auto ground = ground_of(drawing);
  if (ground) side.y.include(*ground);
  side.pad(0.15);
  if (!options.along_y) side.x = view.x;  // the same x under each other
  const auto side_map = fit(side, width_cm, 7.0, 1.6);

  std::vector<std::string> legend;
  const std::string_view held = run.has("clearance") ? "in contact" : "held";
  if (!contacts.empty()) legend.emplace_back(held);
  if (!head.empty()) legend.emplace_back("way of the head");
  if (!object.empty()) legend.emplace_back("way of the object");
  if (ghost) legend.emplace_back("at the start");
  const auto above = above_of(options, scene, {note_of(run.time[frame], contacts, held), legend});

  constexpr double gap = 1.5;
  const double foot = below_cm + side_map.height_cm + gap;
  Canvas canvas(page.width, foot + map.height_cm + above.height_cm);
  canvas.panel(page.left, page.left + map.width_cm, foot, foot + map.height_cm);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.head(above);
  if (ghost) {
    std::vector<Polyline> lines;
    for (const Seen& each : before) lines.push_back(each.outline.line);
    canvas.draw(lines, line_style(colour::grey, 0.6));
  }
  draw_seen(canvas, above_now, false);
  canvas.draw({head}, line_style(colour::blue, 0.9));
  canvas.draw({object}, line_style(colour::black, 1.1, 2));
  for (const Seen& each : above_now)
    if (each.contact)
      canvas.text(each.middle, each.body->name.substr(5), "center font ',7' textcolor '#1a1a1a'");
  const auto entry = [&](bool there, const std::string& style, std::string_view words) {
    if (there) canvas.legend_entry(style, words);
  };
  entry(!contacts.empty(), fmt::format("with lines linecolor '{}' linewidth 4", contact_fill),
        held);
  entry(!head.empty(), line_style(colour::blue, 0.9), "way of the head");
  entry(!object.empty(), line_style(colour::black, 1.1, 2), "way of the object");
  entry(ghost, line_style(colour::grey, 0.6), "at the start");

  canvas.panel(page.left, page.left + side_map.width_cm, below_cm, below_cm + side_map.height_cm);
  canvas.axes(options.along_y ? "y (m)" : "x (m)", "z (m)", side.x, side.y);
  if (ground)
    canvas.draw({{{side.x.low, *ground}, {side.x.high, *ground}}}, line_style("#8c857a", 0.8));
  draw_seen(canvas, side_now, true);
  return canvas.finish();
}

}  // namespace coluber::app

// Forces of obstacles on links: means of impulses over a window, so that impacts are included.
#include <algorithm>
#include <cmath>

#include "measure/rows.hpp"
#include "measure/selection.hpp"

namespace coluber::measure {
namespace {

using record::Trajectory;

/// Impulse over the window divided by its length.
double mean_force(const Trajectory& run, const MeasureCall& call, int link, int axis) {
  double impulse = 0.0;
  double span = 0.0;
  for (const auto k : intervals_in(run, call)) {
    const double interval = run.time[k] - run.time[k - 1];
    impulse += interval * run.at("contact_force", k, link, axis);
    span += interval;
  }
  return impulse / span;
}

MeasureValue mean_contact_force(const MeasureCall& call) {
  return mean_force(call.trajectory(), call, call.index("link"), axis_of(call));
}

MeasureValue resultant_contact_force(const MeasureCall& call) {
  const auto& run = call.trajectory();
  double sum = 0.0;
  for (int i = 0; i < entry_count(run, "contact_force"); ++i)
    sum += mean_force(run, call, i, axis_of(call));
  return sum;
}

MeasureValue touching_links(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const auto frames = intervals_in(run, call);
  std::vector<int> links;
  for (int i = 0; i < entry_count(run, "contact_force"); ++i) {
    const bool touches = std::any_of(frames.begin(), frames.end(), [&](std::size_t k) {
      return run.at("contact_force", k, i, 0) != 0.0 || run.at("contact_force", k, i, 1) != 0.0;
    });
    if (touches) links.push_back(i + 1);
  }
  return links;
}

// none if nothing touches
MeasureValue strongest_link(const MeasureCall& call) {
  const auto& run = call.trajectory();
  double largest = 0.0;
  std::vector<int> link;
  for (int i = 0; i < entry_count(run, "contact_force"); ++i) {
    const double x = mean_force(run, call, i, 0);
    const double y = mean_force(run, call, i, 1);
    const double force = std::sqrt(x * x + y * y);
    if (force <= largest) continue;
    largest = force;
    link = {i + 1};
  }
  return link;
}

}  // namespace

std::vector<Measure> contact_measures() {
  using namespace parameter;
  const MeasureParameter force_axis{"axis", ParameterKind::word, true, {"x", "y", "z"}};
  return {
      {"mean_contact_force",
       "N",
       "impulse of the obstacles on a link over the window's length: exact, impacts included",
       {link, force_axis, from, to},
       mean_contact_force},
      {"resultant_contact_force",
       "N",
       "the same summed over the links",
       {force_axis, from, to},
       resultant_contact_force},
      {"touching_links", "", "links that touched an obstacle", {from, to}, touching_links, false},
      {"strongest_link", "", "link with the largest impulse", {from, to}, strongest_link, false},
  };
}

}  // namespace coluber::measure

// Any component of any dataset, and what a run's summary says.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "reproduce/measures.hpp"
#include "reproduce/selection.hpp"

namespace coluber::app {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Makes one number of many. NaN among them gives NaN.
double reduce(const std::vector<double>& values, const std::string& how) {
  if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) return not_a_number;
  const auto [low, high] = std::ranges::minmax(values);
  if (how == "max") return high;
  if (how == "min") return low;
  if (how == "size") return std::max(std::abs(low), std::abs(high));
  if (how == "range") return high - low;
  double sum = 0.0;
  for (const double v : values) sum += how == "rms" ? v * v : v;
  if (how == "sum") return sum;
  const double mean = sum / static_cast<double>(values.size());
  return how == "rms" ? std::sqrt(mean) : mean;
}

// Values of all chosen entries at all frames of the window, or at one time, and one number of them.
MeasureValue value(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const Selection chosen(run, call, "");
  if (call.has("at")) {
    if (call.has("from") || call.has("to")) throw Error("at is one time: it takes no from or to");
    if (!call.has("reduce")) return chosen.at_time(call.number("at"), chosen.only());
    std::vector<double> values;
    for (std::size_t entry = 0; entry < chosen.size(); ++entry)
      values.push_back(chosen.at_time(call.number("at"), entry));
    return reduce(values, call.text("reduce"));
  }
  if (!call.has("reduce")) throw Error("value needs at, a time, or reduce");
  const auto how = call.text("reduce");
  const auto frames = frames_in(run, call);
  if (how == "first") return chosen.at(frames.front(), chosen.only());
  if (how == "last") return chosen.at(frames.back(), chosen.only());
  if (how == "change")
    return chosen.at(frames.back(), chosen.only()) - chosen.at(frames.front(), chosen.only());
  std::vector<double> values;
  for (const auto k : frames)
    for (std::size_t entry = 0; entry < chosen.size(); ++entry)
      values.push_back(chosen.at(k, entry));
  return reduce(values, how);
}

/// Link and axis of the measures that name an `observable`: link 1 and x unless they say other.
int link_or_first(const MeasureCall& call) { return call.has("link") ? call.index("link") : 0; }

std::string observable_of(const MeasureCall& call) {
  return call.text("observable", "link_position");
}

MeasureValue value_at(const MeasureCall& call) {
  return at_time(call.trajectory(), observable_of(call), call.number("at"), link_or_first(call),
                 axis_of(call));
}

// NaN where the window has no frame
MeasureValue extreme(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const auto values = run.column(observable_of(call), link_or_first(call), axis_of(call));
  const double from = call.number("from", -infinity);
  const double to = call.number("to", infinity);
  const bool lowest = call.text("of") == "min";
  double found = not_a_number;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (run.time[k] < from - window_slack || run.time[k] > to + window_slack) continue;
    if (std::isnan(found) || (lowest ? values[k] < found : values[k] > found)) found = values[k];
  }
  return found;
}

// NaN if no frame has such a value
MeasureValue first_time(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const double least = call.number("at_least");
  const auto values = call.has("dataset")
                          ? Selection(run, call, "").series()
                          : run.column(observable_of(call), link_or_first(call), axis_of(call));
  for (const auto k : frames_in(run, call))
    if (std::abs(values[k]) >= least) return run.time[k];
  return not_a_number;
}

MeasureValue summary_item(const MeasureCall& call) {
  const auto& summary = call.run().summary;
  double sum = 0.0;
  for (const auto& name :
       call.has("items") ? call.texts("items") : std::vector{call.text("item")}) {
    const auto found = std::ranges::find(summary, name, &SummaryItem::name);
    if (found == summary.end()) throw Error(fmt::format("the run's summary has no {}", name));
    sum += found->number();
  }
  return sum;
}

MeasureValue stated(const MeasureCall& call) { return call.number("value"); }

}  // namespace

std::vector<Measure> dataset_measures() {
  using namespace parameter;
  const MeasureParameter observable{"observable", ParameterKind::text, false};
  const MeasureParameter at{"at", ParameterKind::number};
  const MeasureParameter maybe_at{"at", ParameterKind::number, false};
  const MeasureParameter how{
      "reduce",
      ParameterKind::word,
      true,
      {"max", "min", "size", "range", "mean", "rms", "sum", "first", "last", "change"},
      "at"};
  return {
      {"value",
       "that of the dataset",
       "any component of any dataset: at a time, or reduced over a window and all entries that "
       "are not chosen",
       {dataset, maybe_index, maybe_component, maybe_at, maybe_from, maybe_to, how},
       value},
      {"value_at",
       "that of the dataset",
       "value at a time, of link 1 and along x unless said otherwise",
       {observable, maybe_link, maybe_axis, at},
       value_at},
      {"extreme",
       "that of the dataset",
       "extreme over a window (default: the run), of link 1 and along x unless said otherwise",
       {observable,
        maybe_link,
        maybe_axis,
        {"of", ParameterKind::word, true, {"max", "min"}},
        maybe_from,
        maybe_to},
       extreme},
      {"first_time",
       "s",
       "first frame at which the size of a value is at_least",
       {{"observable", ParameterKind::text, true, {}, "dataset"},
        maybe_link,
        maybe_axis,
        maybe_dataset,
        maybe_index,
        maybe_component,
        at_least},
       first_time},
      {"summary",
       "that of the item",
       "a figure of the run's summary, such as max_torque (of every step), or the sum of several",
       {{"item", ParameterKind::text, true, {}, "items"}, {"items", ParameterKind::texts, false}},
       summary_item},
      {"stated",
       "any",
       "the number itself: what the source says, as a control",
       {{"value", ParameterKind::number}},
       stated},
  };
}

}  // namespace coluber::app

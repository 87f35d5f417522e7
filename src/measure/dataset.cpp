// Any component of any dataset, and what a run's summary says.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "measure/rows.hpp"
#include "measure/selection.hpp"

namespace coluber::measure {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

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
    return reduce_numbers(values, call.text("reduce"));
  }
  if (!call.has("reduce")) throw Error("value needs at, a time, or reduce");
  const auto how = call.text("reduce");
  const auto frames = frames_in(run, call);
  if (how == "first") return chosen.at(frames.front(), chosen.only());
  if (how == "last") return chosen.at(frames.back(), chosen.only());
  if (how == "change")
    return chosen.at(frames.back(), chosen.only()) - chosen.at(frames.front(), chosen.only());
  std::vector<double> values;
  if (how == "step") {
    for (std::size_t f = 1; f < frames.size(); ++f)
      for (std::size_t entry = 0; entry < chosen.size(); ++entry)
        values.push_back(chosen.at(frames[f], entry) - chosen.at(frames[f - 1], entry));
    return reduce_numbers(values, "size");
  }
  for (const auto k : frames)
    for (std::size_t entry = 0; entry < chosen.size(); ++entry)
      values.push_back(chosen.at(k, entry));
  return reduce_numbers(values, how);
}

// The other run's values are those at the same time, linear between its frames.
MeasureValue value_apart(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const auto& other = call.run("other").trajectory;
  const Selection one(run, call, "");
  const Selection two(other, call, "");
  if (one.size() != two.size())
    throw Error(
        fmt::format("the runs have {} and {} such numbers per frame", one.size(), two.size()));
  std::vector<double> apart;
  for (const auto k : frames_in(run, call))
    for (std::size_t entry = 0; entry < one.size(); ++entry)
      apart.push_back(one.at(k, entry) - two.at_time(run.time[k], entry));
  return reduce_numbers(apart, call.text("reduce", "size"));
}

MeasureValue end_time(const MeasureCall& call) {
  const auto& run = call.trajectory();
  if (run.frames() == 0) throw Error("the run has no frames");
  return run.time.back();
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
    if (const auto* word = std::get_if<std::string>(&found->value))
      throw Error(fmt::format("{} is the word \"{}\": summary_is asks for it", name, *word));
    sum += found->number();
  }
  return sum;
}

MeasureValue summary_is(const MeasureCall& call) {
  const auto& summary = call.run().summary;
  const auto name = call.text("item");
  const auto found = std::ranges::find(summary, name, &SummaryItem::name);
  if (found == summary.end()) throw Error(fmt::format("the run's summary has no {}", name));
  const auto* word = std::get_if<std::string>(&found->value);
  if (word == nullptr) throw Error(fmt::format("{} is a number, not a word", name));
  return *word == call.text("word") ? 1.0 : 0.0;
}

MeasureValue stated(const MeasureCall& call) { return call.number("value"); }

// frames without a number count for nothing
MeasureValue frames_with(const MeasureCall& call) {
  if (!call.has("at_least") && !call.has("at_most"))
    throw Error("frames_with needs at_least, at_most, or both");
  const auto& run = call.trajectory();
  const auto values = Selection(run, call, "").series();
  const double from = call.number("from", -infinity) - window_slack;
  const double to = call.number("to", infinity) + window_slack;
  const double low = call.number("at_least", -infinity);
  const double high = call.number("at_most", infinity);
  double count = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (run.time[k] >= from && run.time[k] <= to && values[k] >= low && values[k] <= high)
      count += 1.0;
  return count;
}

}  // namespace

double reduce_numbers(const std::vector<double>& values, const std::string& how) {
  if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) return not_a_number;
  const auto [low, high] = std::ranges::minmax(values);
  if (how == "max") return high;
  if (how == "min") return low;
  if (how == "size") return std::max(std::abs(low), std::abs(high));
  if (how == "range") return high - low;
  if (how == "median_size") {
    std::vector<double> sizes;
    for (const double v : values) sizes.push_back(std::abs(v));
    std::ranges::sort(sizes);
    const std::size_t half = sizes.size() / 2;
    return sizes.size() % 2 == 1 ? sizes[half] : 0.5 * (sizes[half - 1] + sizes[half]);
  }
  double sum = 0.0;
  for (const double v : values) sum += how == "rms" ? v * v : v;
  if (how == "sum") return sum;
  const double mean = sum / static_cast<double>(values.size());
  return how == "rms" ? std::sqrt(mean) : mean;
}

std::vector<Measure> dataset_measures() {
  using namespace parameter;
  const MeasureParameter observable{"observable", ParameterKind::text, false};
  const MeasureParameter at{"at", ParameterKind::number};
  const MeasureParameter maybe_at{"at", ParameterKind::number, false};
  const MeasureParameter how{"reduce",
                             ParameterKind::word,
                             true,
                             {"max", "min", "size", "median_size", "range", "mean", "rms", "sum",
                              "first", "last", "change", "step"},
                             "at"};
  return {
      {"value",
       "that of the dataset",
       "any component of any dataset: at a time, or reduced over a window and all entries that "
       "are not chosen",
       {dataset, maybe_index, maybe_link, maybe_joint, maybe_component, maybe_at, maybe_from,
        maybe_to, how},
       value},
      {"value_apart",
       "that of the dataset",
       "largest |a - b| of any component of any dataset between two runs, over a window and all "
       "entries that are not chosen; or another reduction of a - b",
       {dataset,
        maybe_index,
        maybe_link,
        maybe_joint,
        maybe_component,
        {"other", ParameterKind::run},
        maybe_from,
        maybe_to,
        {"reduce", ParameterKind::word, false, {"size", "max", "min", "mean", "rms"}}},
       value_apart},
      {"end_time", "s", "time of the last frame: how far a run came", {}, end_time},
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
      {"frames_with",
       "",
       "number of frames at which a value is at_least, at_most, or between the two",
       {dataset,
        maybe_index,
        maybe_component,
        {"at_least", ParameterKind::number, false},
        {"at_most", ParameterKind::number, false},
        maybe_from,
        maybe_to},
       frames_with},
      {"summary",
       "that of the item",
       "a figure of the run's summary, such as max_torque (of every step), or the sum of several",
       {{"item", ParameterKind::text, true, {}, "items"}, {"items", ParameterKind::texts, false}},
       summary_item,
       true,
       false},
      {"summary_is",
       "",
       "1 where an item of the run's summary is this word, 0 where it is another",
       {{"item", ParameterKind::text}, {"word", ParameterKind::text}},
       summary_is,
       true,
       false},
      {"stated",
       "any",
       "the number itself: what the source says, as a control",
       {{"value", ParameterKind::number}},
       stated,
       true,
       false},
  };
}

}  // namespace coluber::measure

#include "measure/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::measure {
namespace {

using record::Trajectory;

/// Position in `run.time` of a time within the run: the frame at or after it and, between two
/// frames, how far it is from the one before.
struct Instant {
  std::size_t frame = 0;
  double share = 1.0;
};

Instant find_instant(const Trajectory& run, double t) {
  if (run.frames() == 0 || t < run.time.front() - window_slack ||
      t > run.time.back() + window_slack)
    throw Error(fmt::format("the run has nothing at {} s", t));
  const double inside = std::clamp(t, run.time.front(), run.time.back());
  const auto right = std::ranges::lower_bound(run.time, inside);
  const auto k = static_cast<std::size_t>(right - run.time.begin());
  if (k == 0) return {};
  return {k, (inside - run.time[k - 1]) / (run.time[k] - run.time[k - 1])};
}

/// Which of several words for one thing the call uses; "" if it has none.
std::string_view given(const MeasureCall& call, std::initializer_list<std::string_view> words) {
  std::string_view found;
  for (const auto word : words) {
    if (!call.has(word)) continue;
    if (!found.empty()) throw Error(fmt::format("{} and {} are the same: give one", found, word));
    found = word;
  }
  return found;
}

/// Which component a call asks for, counted from 0; none: all of them.
std::optional<int> component_of(const MeasureCall& call, const Observable& dataset) {
  const auto name = given(call, {"component", "axis"});
  if (name.empty()) return {};
  if (call.is_number(name)) {
    if (dataset.shape.empty())
      throw Error(fmt::format("{} is one number per frame: it has no components", dataset.name));
    return call.index(name);
  }
  const auto& labels = dataset.components;
  const auto wanted = call.text(name);
  const auto found = std::ranges::find(labels, wanted);
  if (found != labels.end()) return static_cast<int>(found - labels.begin());
  // x, y, z of a dataset without such labels: its first, second, third column if it has columns
  if (name == "axis")
    return dataset.shape.size() < 2 && labels.empty() ? std::optional<int>{} : axis_of(call);
  if (labels.empty())
    throw Error(fmt::format("{} has no named components: give its number", dataset.name));
  throw Error(fmt::format("{} has no component \"{}\"; it has {}", dataset.name, wanted,
                          fmt::join(labels, ", ")));
}

}  // namespace

int axis_of(const MeasureCall& call) {
  const auto name = call.text("axis", "x");
  return name == "x" ? 0 : name == "y" ? 1 : 2;
}

void set_wave(const Eigen::ArrayXd& angle, Eigen::MatrixXd& basis) {
  const auto count = static_cast<std::size_t>(angle.size());
  math::sincos(std::span(angle.data(), count), std::span(basis.col(2).data(), count),
               std::span(basis.col(1).data(), count));
}

const Observable& find_dataset(const Trajectory& run, std::string_view name) {
  const auto found = std::ranges::find(run.observables, name, &Observable::name);
  if (found != run.observables.end()) return *found;
  std::vector<std::string_view> names;
  for (const auto& each : run.observables) names.push_back(each.name);
  throw Error(fmt::format("the run has no {}; it has {}", name, fmt::join(names, ", ")));
}

int entry_count(const Trajectory& run, std::string_view name) {
  const auto& shape = find_dataset(run, name).shape;
  if (shape.empty()) throw Error(fmt::format("{} is one number per frame", name));
  return shape[0];
}

double at_time(const Trajectory& run, std::string_view name, double t, int link, int axis) {
  if (run.frames() == 0 || t < run.time.front() - window_slack ||
      t > run.time.back() + window_slack)
    throw Error(fmt::format("the run has nothing at {} s", t));
  return run.at_time(name, std::clamp(t, run.time.front(), run.time.back()), link, axis);
}

std::vector<std::size_t> frames_in(const Trajectory& run, const MeasureCall& call) {
  const double from = call.number("from", -infinity);
  const double to = call.number("to", infinity);
  if (run.frames() == 0 || (std::isfinite(to) && to > run.time.back() + window_slack))
    throw Error(fmt::format("the run ends before {} s", to));
  std::vector<std::size_t> frames;
  for (std::size_t k = 0; k < run.frames(); ++k)
    if (run.time[k] >= from - window_slack && run.time[k] <= to + window_slack) frames.push_back(k);
  if (frames.size() < 2)
    throw Error(fmt::format("the run has no two frames between {} and {} s", from, to));
  return frames;
}

std::vector<std::size_t> intervals_in(const Trajectory& run, const MeasureCall& call) {
  const double from = call.number("from");
  const double to = call.number("to");
  if (run.frames() == 0 || to > run.time.back() + window_slack)
    throw Error(fmt::format("the run ends before {} s", to));
  std::vector<std::size_t> frames;
  for (std::size_t k = 1; k < run.frames(); ++k)
    if (run.time[k] > from + window_slack && run.time[k] <= to + window_slack) frames.push_back(k);
  if (frames.empty())
    throw Error(fmt::format("the run has no frame between {} and {} s", from, to));
  return frames;
}

void Selection::choose(const Observable& dataset, const std::vector<int>& wanted) {
  const auto& shape = dataset.shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (wanted[axis] >= shape[axis])
      throw Error(axis == 0
                      ? fmt::format("{} has {} entries, not {}", dataset_, shape[0], wanted[0] + 1)
                      : fmt::format("{} has {} entries along its axis {}, not {}", dataset_,
                                    shape[axis], axis + 1, wanted[axis] + 1));
  std::size_t offset = 0;
  for (const auto& each : run_->observables) {
    if (&each == &dataset) offset = stride_;
    stride_ += static_cast<std::size_t>(each.size());
  }
  for (int flat = 0; flat < dataset.size(); ++flat) {
    int rest = flat;
    bool chosen = true;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      chosen = chosen && (wanted[axis] < 0 || wanted[axis] == rest % shape[axis]);
    if (chosen) entries_.push_back(offset + static_cast<std::size_t>(flat));
  }
  if (entries_.empty()) throw Error(fmt::format("{} is empty", dataset_));
  mixed_ = dataset.components.size() > 1 && !wanted.empty() && wanted.back() < 0;
}

Selection::Selection(const Trajectory& run, const MeasureCall& call, std::string_view fallback)
    : run_(&run) {
  const auto named = given(call, {"dataset", "observable"});
  dataset_ = named.empty() ? std::string{fallback} : call.text(named);
  const Observable& dataset = find_dataset(run, dataset_);
  const auto axes = dataset.shape.size();
  std::vector<int> wanted(axes, -1);
  const auto counted = given(call, {"index", "link", "joint"});
  // a dataset of one number per frame has no links to choose from
  const auto indices = counted.empty() || (axes == 0 && counted != "index") ? std::vector<int>{}
                                                                            : call.indices(counted);
  if (indices.size() > axes)
    throw Error(fmt::format("{} has {} axes, index gives {}", dataset_, axes, indices.size()));
  std::copy(indices.begin(), indices.end(), wanted.begin());
  if (const auto component = component_of(call, dataset)) {
    if (indices.size() == axes)
      throw Error(fmt::format("{}: index leaves no component to choose", dataset_));
    wanted.back() = *component;
  }
  choose(dataset, wanted);
}

Selection Selection::places(const Trajectory& run, const MeasureCall& call, int axis) {
  Selection selection(run, "link_position");
  selection.choose(find_dataset(run, "link_position"),
                   {call.has("link") ? call.index("link") : -1, axis});
  return selection;
}

double Selection::at(std::size_t frame, std::size_t entry) const {
  return run_->values[frame * stride_ + entries_[entry]];
}

double Selection::at_time(double t, std::size_t entry) const {
  const Instant instant = find_instant(*run_, t);
  const double right = at(instant.frame, entry);
  if (instant.share == 1.0) return right;
  const double left = at(instant.frame - 1, entry);
  return left + instant.share * (right - left);
}

void Selection::refuse_mixture() const {
  if (mixed_) throw Error(fmt::format("{} has several components: choose one", dataset_));
}

std::vector<double> Selection::series() const {
  refuse_mixture();
  std::vector<double> values(run_->frames(), 0.0);
  const auto count = static_cast<double>(size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (size() == 1)
      values[k] = at(k, 0);
    else
      for (std::size_t entry = 0; entry < size(); ++entry) values[k] += at(k, entry) / count;
  }
  return values;
}

double Selection::change(double from, double to) const {
  refuse_mixture();
  const auto moved = [&](std::size_t entry) { return at_time(to, entry) - at_time(from, entry); };
  if (size() == 1) return moved(0);
  double sum = 0.0;
  for (std::size_t entry = 0; entry < size(); ++entry) sum += moved(entry);
  return sum / static_cast<double>(size());
}

std::size_t Selection::only() const {
  if (size() == 1) return 0;
  throw Error(fmt::format("{} has {} such numbers per frame: choose one by index and component",
                          dataset_, size()));
}

}  // namespace coluber::measure

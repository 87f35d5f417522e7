#include "coluber/record/trajectory.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

namespace coluber::record {

namespace {

struct Column {
  std::size_t offset = 0;  // within a frame
  std::size_t stride = 0;  // of a frame
};

// Where `name`, `link`, `axis` sits in a frame. Shapes of one axis are counted by `link`.
Column find_column(const Trajectory& trajectory, std::string_view name, int link, int axis) {
  std::size_t offset = 0;
  std::size_t stride = 0;
  const Observable* found = nullptr;
  for (const Observable& observable : trajectory.observables) {
    if (found == nullptr && observable.name == name) {
      found = &observable;
      offset = stride;
    }
    stride += static_cast<std::size_t>(observable.size());
  }
  if (found == nullptr) {
    std::string known;
    for (const Observable& observable : trajectory.observables) {
      known += (known.empty() ? "" : ", ") + observable.name;
    }
    throw Error(fmt::format("the trajectory has no \"{}\"; it has {}", name, known));
  }
  const auto& shape = found->shape;
  const int links = shape.empty() ? 1 : shape[0];
  const int axes = shape.size() < 2 ? 1 : found->size() / std::max(links, 1);
  if (link < 0 || link >= links || axis < 0 || axis >= axes) {
    throw Error(fmt::format("\"{}\" has {} × {} entries a frame, asked for [{}, {}]", name, links,
                            axes, link, axis));
  }
  return {offset + static_cast<std::size_t>(link * axes + axis), stride};
}

}  // namespace

bool Trajectory::has(std::string_view name) const {
  return std::ranges::any_of(observables, [&](const Observable& o) { return o.name == name; });
}

double Trajectory::at(std::string_view name, std::size_t frame, int link, int axis) const {
  const Column column = find_column(*this, name, link, axis);
  if (frame >= frames()) {
    throw Error(fmt::format("the trajectory has {} frames, asked for frame {}", frames(), frame));
  }
  return values[frame * column.stride + column.offset];
}

double Trajectory::at_time(std::string_view name, double t, int link, int axis) const {
  const Column column = find_column(*this, name, link, axis);
  // a rounding of k·dt must not push the ends out
  const double slack = time.empty() ? 0.0 : 1e-9 * (1.0 + std::abs(time.back()));
  if (time.empty() || !(t >= time.front() - slack && t <= time.back() + slack)) {
    throw Error(fmt::format("time {} s is outside the trajectory ({} … {} s)", t,
                            time.empty() ? 0.0 : time.front(), time.empty() ? 0.0 : time.back()));
  }
  const auto value = [&](std::size_t frame) {
    return values[frame * column.stride + column.offset];
  };
  const auto right = std::ranges::lower_bound(time, t);
  if (right == time.begin()) return value(0);
  if (right == time.end()) return value(frames() - 1);
  const auto k = static_cast<std::size_t>(right - time.begin());
  const double share = (t - time[k - 1]) / (time[k] - time[k - 1]);
  return share == 1.0 ? value(k) : value(k - 1) + share * (value(k) - value(k - 1));
}

std::vector<double> Trajectory::column(std::string_view name, int link, int axis) const {
  const Column where = find_column(*this, name, link, axis);
  std::vector<double> out(frames());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = values[k * where.stride + where.offset];
  return out;
}

}  // namespace coluber::record

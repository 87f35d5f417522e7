#include "plot/tracks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

namespace coluber::app {

using record::Drawing;
using record::Trajectory;

namespace {

constexpr const char* position = "link_position";

bool has_positions(const Trajectory& run) {
  return run.has(position) && observable(run, position).size() > 0;
}

/// Its links say what they hang on. Then link 1 is the one whose motion is told; the link in the
/// middle of the list is any.
bool is_tree(const Drawing& drawing) {
  return std::ranges::any_of(links_of(drawing),
                             [](const record::DrawnBody* link) { return !link->parent.empty(); });
}

}  // namespace

bool Tracks::exist(const Trajectory& run, const Drawing& drawing) {
  return has_positions(run) || !moving_bodies(drawing).empty();
}

Tracks::Tracks(const Trajectory& run, const Drawing& drawing) : run_(&run), drawing_(&drawing) {
  if (has_positions(run)) {
    count_ = count_of(run, position);
    middle_ = is_tree(drawing) ? 1 : middle_link(count_);
    axes_ = components_of(run, position);
    return;
  }
  bodies_ = links_of(drawing);
  by_link_ = !bodies_.empty();
  if (!by_link_) bodies_ = moving_bodies(drawing);
  if (bodies_.empty())
    throw Error("the run folder holds no bodies that move: there is nothing to draw");
  count_ = static_cast<int>(bodies_.size());
  middle_ = by_link_ && !is_tree(drawing) ? middle_link(count_) : 1;
}

std::string Tracks::axis_name(int axis) { return {"xyz"[std::clamp(axis, 0, 2)]}; }

std::string Tracks::name(int number) const {
  if (bodies_.empty()) return fmt::format("link {}", number);
  auto name = bodies_.at(static_cast<std::size_t>(number - 1))->name;
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::array<double, 3> Tracks::at(std::size_t frame, int number) const {
  if (!bodies_.empty())
    return place_of(*drawing_, *bodies_.at(static_cast<std::size_t>(number - 1)), frame);
  return {run_->at(position, frame, number - 1, 0), run_->at(position, frame, number - 1, 1),
          axes_ > 2 ? run_->at(position, frame, number - 1, 2) : 0.0};
}

Polyline Tracks::path(const Window& window, int number, const View& view) const {
  Polyline line;
  const std::size_t stride = std::max<std::size_t>(1, (window.last - window.first) / 3000);
  for (std::size_t k = window.first; k < window.last; k += stride)
    line.push_back(view.of(at(k, number)));
  line.push_back(view.of(at(window.last, number)));
  return line;
}

Polyline Tracks::over_time(const Window& window, int number, int axis) const {
  Polyline line;
  line.reserve(window.last - window.first + 1);
  for (std::size_t k = window.first; k <= window.last; ++k)
    line.push_back({run_->time[k], at(k, number).at(static_cast<std::size_t>(axis))});
  return line;
}

}  // namespace coluber::app

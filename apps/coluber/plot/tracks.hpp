#pragma once

#include <string>
#include <vector>

#include "coluber/record/trajectory.hpp"

#include "plot/outline.hpp"
#include "plot/parts.hpp"
#include "plot/scene.hpp"

namespace coluber::app {

/// The points of a robot whose ways a picture shows, counted from 1: its links by `link_position`,
/// where there is one; else its links, or all its moving bodies, by where they are drawn.
class Tracks {
 public:
  /// Keeps references to both. Throws Error if there is nothing to follow.
  Tracks(const record::Trajectory& run, const record::Drawing& drawing);
  /// True if there is something to follow.
  static bool exist(const record::Trajectory& run, const record::Drawing& drawing);

  [[nodiscard]] int count() const { return count_; }
  /// The one that stands for the robot: the middle link, of a tree link 1; else the first body.
  [[nodiscard]] int middle() const { return middle_; }
  /// Coordinates of a point: 2 or 3.
  [[nodiscard]] int axes() const { return axes_; }
  [[nodiscard]] static std::string axis_name(int axis);
  [[nodiscard]] std::string name(int number) const;  ///< "link 3"
  /// They are the links of a robot; else any bodies.
  [[nodiscard]] bool by_link() const { return by_link_; }

  /// Where it is (m); height 0 where there are two coordinates.
  [[nodiscard]] std::array<double, 3> at(std::size_t frame, int number) const;
  /// Where it goes, at most some 3000 points.
  [[nodiscard]] Polyline path(const Window& window, int number,
                              const View& view = from_above) const;
  [[nodiscard]] Polyline over_time(const Window& window, int number, int axis) const;

 private:
  const record::Trajectory* run_;
  const record::Drawing* drawing_;
  std::vector<const record::DrawnBody*> bodies_;  ///< empty: by link_position
  bool by_link_ = true;
  int count_ = 0;
  int middle_ = 1;
  int axes_ = 3;
};

}  // namespace coluber::app

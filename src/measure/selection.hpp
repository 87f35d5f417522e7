#pragma once

// Which numbers of a run a measure reads: a window of time, and entries of a dataset.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "coluber/measure/measure.hpp"
#include "coluber/record/trajectory.hpp"

namespace coluber::measure {

/// s: frames at the ends of a window count by their nominal time.
inline constexpr double window_slack = 1e-9;
/// The end of an open window.
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Frames whose time lies within `from` and `to`; without one of them the window is open there.
/// Throws Error unless there are two.
std::vector<std::size_t> frames_in(const record::Trajectory& run, const MeasureCall& call);

/// Frames k >= 1 whose interval (t_(k-1), t_k] lies in the window; forces are means over it.
std::vector<std::size_t> intervals_in(const record::Trajectory& run, const MeasureCall& call);

/// Some entries of one dataset: all that a call's `dataset`, `index` and `component` leave open.
class Selection {
 public:
  /// `dataset` (or `observable`), `index` (or `link`, `joint`) and `component` (or `axis`) of the
  /// call; `fallback` is the dataset of a call that names none. Throws Error if the run does not
  /// have it.
  Selection(const record::Trajectory& run, const MeasureCall& call, std::string_view fallback);
  /// Where a link is along axis 0, 1 or 2; without `link` in the call, where all links are.
  static Selection places(const record::Trajectory& run, const MeasureCall& call, int axis);

  /// Entries in a frame, at least one.
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Value of an entry at a frame.
  [[nodiscard]] double at(std::size_t frame, std::size_t entry) const;
  /// The same at any time within the run, linear between frames.
  [[nodiscard]] double at_time(double t, std::size_t entry) const;
  /// Over all frames: the one entry, or the mean of all of them. Throws Error if these are
  /// different components.
  [[nodiscard]] std::vector<double> series() const;
  /// Change of that number between two times.
  [[nodiscard]] double change(double from, double to) const;
  /// The one entry there is. Throws Error, which says how to choose, if there are several.
  [[nodiscard]] std::size_t only() const;

 private:
  Selection(const record::Trajectory& run, std::string dataset)
      : run_(&run), dataset_(std::move(dataset)) {}
  /// Per axis of the shape the one asked for, counted from 0; -1: all.
  void choose(const Observable& dataset, const std::vector<int>& wanted);
  void refuse_mixture() const;

  const record::Trajectory* run_;
  std::string dataset_;
  bool mixed_ = false;                ///< holds several components, such as x and y
  std::vector<std::size_t> entries_;  ///< offsets within a frame
  std::size_t stride_ = 0;            ///< numbers per frame
};

/// A dataset of the run. Throws Error if there is none of this name.
const Observable& find_dataset(const record::Trajectory& run, std::string_view name);

/// Entries along the first axis of a dataset: links, joints, …. Throws Error if it has none.
int entry_count(const record::Trajectory& run, std::string_view name);

/// Value at any time within the run, linear between frames; `link` and `axis` count from 0.
double at_time(const record::Trajectory& run, std::string_view name, double t, int link, int axis);

/// Cosine and sine of angles into columns 1 and 2, bit-identical on every processor.
void set_wave(const Eigen::ArrayXd& angle, Eigen::MatrixXd& basis);

/// 0, 1, 2 for x, y, z; x where the call names no axis.
int axis_of(const MeasureCall& call);

}  // namespace coluber::measure

#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/record/trajectory.hpp"

#include "plot/gnuplot.hpp"
#include "plot/measured.hpp"
#include "plot/scene.hpp"

namespace coluber::app {

struct FigureOptions {
  std::optional<double> time;          ///< s, of the posture drawn; the last frame if absent
  std::optional<double> from;          ///< s, start of the time axes and of the paths
  std::optional<double> to;            ///< s, their end
  std::vector<double> times;           ///< s, of the postures drawn; four if empty
  bool zoom = false;                   ///< maps: frame the robot, or its way, not all obstacles
  bool along_y = false;                ///< side: y to the right, not x
  std::vector<int> links;              ///< 1-based; empty: the figure's own choice
  const Measured* measured = nullptr;  ///< drawn over it where it has the figure's quantities
  bool* measured_drawn = nullptr;      ///< set where a measured value was drawn
  double width_cm = 17.0;              ///< of the picture: two columns of a journal page
  bool title = true;                   ///< printed above the picture
};

/// Draws a run of any System that has the observables or the bodies the figure needs. Throws Error
/// naming what is missing, and InputError for a link or a time that the run does not have.
Figure make_figure(std::string_view name, const record::Trajectory& run, const Scene& scene,
                   const FigureOptions& options = {});

/// Throws Error naming what is missing for the figure.
void require_drawable(std::string_view name, const record::Trajectory& run, const Scene& scene);
/// True if the run has what the figure needs.
bool can_draw(std::string_view name, const record::Trajectory& run, const Scene& scene);
/// True if it does, and the figure has something to tell: a robot that stays in a plane is not
/// drawn from the side unasked.
bool worth_drawing(std::string_view name, const record::Trajectory& run, const Scene& scene);

/// True if the figure can have several runs in it.
bool compares_runs(std::string_view name);
/// True if the figure of several runs may have one of a single frame among them.
bool compares_one_frame(std::string_view name);

/// True if all links lie on the ground all the time, as those of a planar model do, and touch
/// nothing else: no footfall to draw.
bool lies_flat(const record::Trajectory& run);

/// Paths of one link in several runs: over one set of obstacles each, stacked (Transeth fig 7.8);
/// without obstacles in one map (Transeth fig 7.4, 7.5).
struct PathPanel {
  std::string_view title;  ///< above the panel
  std::string_view name;   ///< in the legend of the one map
  const record::Trajectory* run;
  const Scene* scene;
};
Figure make_path_comparison(const std::vector<PathPanel>& panels, int link);

/// How well one joint of several runs follows its reference, and what that takes: the reference,
/// and under it panels with a line a run (Transeth fig 7.10, 7.11).
struct TrackingPanel {
  std::string_view title;                       ///< above the panel
  bool torque = false;                          ///< else the error
  std::vector<const record::Trajectory*> runs;  ///< in the order of the labels
};
Figure make_tracking_comparison(const std::vector<TrackingPanel>& panels,
                                const std::vector<std::string>& labels, int joint,
                                std::string_view title, const FigureOptions& options);

/// What runs save against others, in percent, over a quantity that varies from run to run: a panel
/// with a line a label (Murugendran fig 3).
struct ReductionPanel {
  std::string_view title;                  ///< above the panel
  std::vector<double> x;                   ///< the quantity, ascending
  std::vector<std::vector<double>> lines;  ///< by label, one value for each x
};
Figure make_reductions(const std::vector<ReductionPanel>& panels,
                       const std::vector<std::string>& labels, std::string_view x_label,
                       std::string_view title);

}  // namespace coluber::app

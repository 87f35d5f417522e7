#pragma once

#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/record/trajectory.hpp"

#include "plot/canvas.hpp"
#include "plot/figures.hpp"
#include "plot/outline.hpp"

namespace coluber::app {

// What the figures are made from: columns of a run as lines, styles, the user's own measurements.

inline constexpr double page_cm = 17.0;  ///< width of a figure: two columns of a journal page
inline constexpr double left_cm = 2.1;   ///< room for the y axis: numbers of seven characters
inline constexpr double below_cm = 1.25;
inline constexpr double above_cm = 0.8;  ///< room for the title
inline constexpr double degree = 180.0 / std::numbers::pi;

/// The picture across: its width, where its axes begin, and whether legends go above the panels
/// because there is no room beside them.
struct Page {
  double width = page_cm;
  double left = left_cm;
  bool narrow = false;
};
Page page_of(const FigureOptions& options);

/// What stands above a figure.
struct Heading {
  std::string note{};
  std::vector<std::string> legend{};
  int spare_rows = 0;
  std::vector<NoteArrow> arrows{};
};
Above above_of(const FigureOptions& options, const Scene& scene, Heading heading = {});
/// On a slope: the way down in this view as an arrow before the remark, and what the axes mean.
void say_slope(Heading& heading, const Scene& scene, const View& view);
/// The same of several runs; an arrow each, in the colours of their lines if `coloured`, where the
/// ways differ.
void say_slopes(Heading& heading, const std::vector<std::optional<Slope>>& slopes, const View& view,
                bool coloured);
/// The entries of a legend that has its place beside the panel: none on a narrow page, where they
/// go above it.
std::vector<std::string> if_narrow(const FigureOptions& options, std::vector<std::string> legend);
/// Where panels with a legend, or words, of this width beside them end (cm).
double right_of(const FigureOptions& options, double beside_cm);
/// Says that peaks were cut off: beside the panel, on a narrow page within it.
void note_cut(Canvas& canvas, const FigureOptions& options, double right, double top, double peak,
              std::string_view unit);
/// Ticks of a low strip among others: none so near its upper edge that it meets the next one's.
std::vector<double> strip_ticks(Range y, double height_cm);
/// At most 24 of them, evenly spread: more strips or legend entries do not fit on a page.
std::vector<int> page_full(const std::vector<int>& numbers);

[[noreturn]] void reject(std::string message, std::string hint = "");

/// Throws Error if the run does not have it.
const Observable& observable(const record::Trajectory& run, std::string_view name);
/// How many links or joints it is by. Throws Error if there are none.
int count_of(const record::Trajectory& run, std::string_view name);

/// How many components each of them has: 1, or those of the shape's last axis.
int components_of(const record::Trajectory& run, std::string_view name);
/// Name of a component, for a column ("x") and for a label; "" where there is but one.
std::string component_name(const record::Trajectory& run, std::string_view name, int component);
/// The CSV column of a component: joint_angle.3 or joint_angle.3.yaw.
std::string column_of(const record::Trajectory& run, std::string_view name, int number,
                      int component);

/// Frames [first, last] of the asked for window.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;
};
Window window_of(const record::Trajectory& run, const FigureOptions& options);
/// The same for a plot that can draw a run of one frame.
Window window_or_frame(const record::Trajectory& run, const FigureOptions& options);
/// The frame nearest to a time.
std::size_t frame_at(const record::Trajectory& run, double time);

/// 1-based numbers the figure is about: the user's choice if there is one.
std::vector<int> chosen(const FigureOptions& options, int count, std::vector<int> otherwise,
                        std::string_view what);
std::vector<int> up_to(int count);
int middle_link(int count);

Polyline over_time(const record::Trajectory& run, const Window& window, std::string_view name,
                   int number, int axis, double factor);

/// As recorded; of a run of an earlier version the displacement from frame to frame over the time
/// it took.
Polyline velocity_over_time(const record::Trajectory& run, const Window& window, int link,
                            int axis);

void include(Range& range, const Polyline& line);
/// Least spans of the axes: what is smaller is rounding, and draws as a flat line.
namespace least {
inline constexpr double length = 0.01;          ///< m
inline constexpr double moving = 1e-3;          ///< m, of a coordinate that has a strip of its own
inline constexpr double velocity = 1e-3;        ///< m/s
inline constexpr double angle = 0.1;            ///< deg
inline constexpr double tracking_error = 0.01;  ///< deg
inline constexpr double torque = 0.01;          ///< N m
inline constexpr double path_error = 0.01;      ///< mm
inline constexpr double force = 0.1;            ///< N
inline constexpr double energy = 1e-6;          ///< J
inline constexpr double slip = 0.1;             ///< mm/s, of a wheel: an ideal one has rounding
}  // namespace least
/// A little air above and below; never narrower than `least_span`.
Range padded(Range range, double least_span);

/// Where to cut an axis so that short impacts do not flatten everything else.
struct Cut {
  double limit = std::numeric_limits<double>::infinity();
  double peak = 0.0;
};
Cut cut_of(const std::vector<Polyline>& lines, double least_span);
Range limited(Range range, const Cut& cut);

std::string line_style(std::string_view colour_name, double width = 1.2, int dash = 1);
/// Circles far enough apart to be told apart.
std::string measured_style(std::string_view colour_name);

/// The user's values of a column within these times; empty if there are none.
Polyline measured_over_time(const FigureOptions& options, const std::string& name, double factor,
                            Range times);
Polyline measured_path(const FigureOptions& options, int link, Range times);

// course.cpp
Figure draw_course(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);
// path.cpp
Figure draw_path(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);
// postures.cpp
Figure draw_postures(const record::Trajectory& run, const Scene& scene,
                     const FigureOptions& options);
Figure draw_side(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);
/// True if something moves up or down, or lies above something else.
bool leaves_plane(const record::Drawing& drawing);
// series.cpp
Figure draw_velocities(const record::Trajectory& run, const Scene& scene,
                       const FigureOptions& options);
Figure draw_forces(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);
Figure draw_angles(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);
Figure draw_torques(const record::Trajectory& run, const Scene& scene,
                    const FigureOptions& options);
Figure draw_energy(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);
/// What the work of contacts is called: that of obstacles, or of the floor's impacts too.
std::string_view contact_title(const record::Trajectory& run, const Scene& scene);
Figure draw_residual(const record::Trajectory& run, const Scene& scene,
                     const FigureOptions& options);
/// The observable that `forces` shows: of obstacles, else of the ground.
std::string_view shown_force(const record::Trajectory& run, const Window& window);
// footfall.cpp
Figure draw_footfall(const record::Trajectory& run, const Scene& scene,
                     const FigureOptions& options);
/// True if a link ever leaves the ground or touches an obstacle.
bool has_footfall(const record::Trajectory& run);
// path_error.cpp
Figure draw_path_error(const record::Trajectory& run, const Scene& scene,
                       const FigureOptions& options);
inline constexpr std::string_view path_error_name = "path_error";
inline constexpr std::string_view path_error_sum_words = "sum of |z|, all links";
inline constexpr double millimetre = 1e3;  ///< a metre's
/// Sizes of the path errors of all links, summed up (mm).
Polyline path_error_sum(const record::Trajectory& run, const Window& window);
// force_map.cpp
Figure draw_force_map(const record::Trajectory& run, const Scene& scene,
                      const FigureOptions& options);
// quality.cpp
Figure draw_quality(const record::Trajectory& run, const Scene& scene,
                    const FigureOptions& options);
/// A quantity over the arc length of the rear end (m).
Polyline over_place(const record::Trajectory& run, const Window& window, std::string_view name);
/// The arc lengths of these places, half a step more at both ends.
Range places_of(const record::Trajectory& run, const Window& window);
// wheels.cpp
Figure draw_wheels(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);
/// What `wheels` shows of each wheel, where a run has it.
struct WheelQuantity {
  std::string_view name;  ///< dataset
  std::string_view title;
  std::string_view unit;
  double factor = 1.0;       ///< from SI units to this one
  double least = 0.0;        ///< span of its axis
  bool only_if_any = false;  ///< not shown where it is zero throughout
};
const std::vector<WheelQuantity>& wheel_quantities();
// internal.cpp
Figure draw_internal(const record::Trajectory& run, const Scene& scene,
                     const FigureOptions& options);
Figure draw_reactions(const record::Trajectory& run, const Scene& scene,
                      const FigureOptions& options);
// grasp.cpp
Figure draw_grasp(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);
// tracking.cpp
Figure draw_tracking(const record::Trajectory& run, const Scene& scene,
                     const FigureOptions& options);

}  // namespace coluber::app

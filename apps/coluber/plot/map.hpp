#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plot/canvas.hpp"
#include "plot/outline.hpp"

namespace coluber::app {

// Maps: pictures with the same scale along both axes.

struct Box {
  Range x = empty_range();
  Range y = empty_range();
  void include(const Polyline& line);
  void include(const std::vector<Polyline>& lines);
  void pad(double air);
};

/// A map of a box fills the page's width; a tall one is made narrower instead.
struct Map {
  double cm_per_m = 1.0;
  double width_cm = 0.0;
  double height_cm = 0.0;
};
/// Widens the box to the panel it gets.
Map fit(Box& box, double width_cm, double max_height_cm, double min_height_cm = 2.0);

std::string polygon_style(std::string_view fill, std::string_view edge, double width = 0.7);

/// The moving bodies of a frame on paper, in their order.
struct DrawnRobot {
  std::vector<Outline> outlines;
  std::vector<std::string_view> shapes;
  std::vector<Point> heads;      ///< first points of curves: where they begin
  std::vector<Polyline> spokes;  ///< of wheels seen from the side: one each, which shows the spin
  [[nodiscard]] std::vector<Polyline> lines() const;
};
DrawnRobot robot_at(const record::Drawing& drawing, std::size_t frame, const View& view,
                    const Flat& flat = {});
/// Draws it in solid colours: the last body first, so that the leading one lies on top of the
/// others. Wheels lie over all; from the side one sees the links through them.
void draw_robot(Canvas& canvas, const DrawnRobot& robot);
/// Draws it in one colour that lets others shine through, the first body strongest.
void draw_shade(Canvas& canvas, const DrawnRobot& robot, std::string_view colour_name);

/// What else a map shows, so that numbers keep clear of it.
struct Shown {
  std::vector<Polyline> bodies;  ///< closed outlines: no number lies on one
  std::vector<Polyline> lines;   ///< paths: crossed only where there is no other place
  Polyline robot;                ///< middles of the bodies
  double half_thickness = 0.0;   ///< of a body (m)
};

/// Discs with their numbers: inside a large one, else beside it, on the side away from the robot if
/// there is room. Of very many only those next to the robot are numbered. A number without a place
/// is left out. `numbers`, if there are any, stand for the obstacles' own.
void draw_obstacles(Canvas& canvas, const std::vector<Obstacle>& obstacles, const Box& view,
                    const Map& map, const Shown& shown = {}, const std::vector<int>& numbers = {});
/// Paths to follow, and what a picture calls them.
inline constexpr std::string_view path_colour = "#f0cb6b";
inline constexpr double path_width = 2.6;  ///< of a line
inline constexpr std::string_view path_words = "path to follow";
void draw_standing_curves(Canvas& canvas, const std::vector<Outline>& curves,
                          std::string_view colour_name = path_colour);
void include_curves(Box& view, const std::vector<Outline>& curves);

/// Drops the obstacles that the edge of the picture would cut.
void keep_whole(std::vector<Obstacle>& obstacles, const Box& view);
/// The obstacles that a picture has to have in it: all, or of very many those about what it shows.
void include_obstacles(Box& view, const std::vector<Obstacle>& obstacles);

}  // namespace coluber::app

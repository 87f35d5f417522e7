#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plot/gnuplot.hpp"

namespace coluber::app {

/// Colours that the colour-blind can tell apart  (Okabe and Ito).
namespace colour {
inline constexpr std::string_view black = "#1a1a1a";
inline constexpr std::string_view blue = "#0072b2";
inline constexpr std::string_view vermillion = "#d55e00";
inline constexpr std::string_view green = "#009e73";
inline constexpr std::string_view orange = "#e69f00";
inline constexpr std::string_view purple = "#cc79a7";
inline constexpr std::string_view sky = "#56b4e9";
inline constexpr std::string_view grey = "#8c8c8c";
inline constexpr std::string_view pale = "#d9d9d9";
}  // namespace colour

/// Beside the words above a figure: room for an arrow.
inline constexpr double arrow_room_cm = 0.6;

/// The i-th of n colours in order from dark violet to green: neighbours look alike, ends do not.
std::string sequential_colour(std::size_t i, std::size_t n);
/// The i-th of a few colours without order.
std::string_view distinct_colour(std::size_t i);
/// The same, mixed with as much white.
std::string pale_colour(std::size_t i);

struct Point {
  double x = 0.0;
  double y = 0.0;
};
using Polyline = std::vector<Point>;

struct Range {
  double low = 0.0;
  double high = 1.0;
  void include(double value);
  [[nodiscard]] double width() const { return high - low; }
};
Range empty_range();

/// At most about `2 buckets` points of a time series: the lowest and the highest of each bucket, so
/// that no peak is lost.
Polyline thinned(const Polyline& line, std::size_t buckets = 900);

/// Largest of 1, 2, 5 times a power of ten that is not above `value`.
double round_below(double value);

/// Labels lie over the lines or under them.
enum class Layer : unsigned char { front, back };

/// Middle of the y axis' label from the left edge of the picture, for axes at `left_cm`: beyond
/// numbers such as -0.0005.
double y_label_at(double left_cm);

/// Width of words on paper (cm) in DejaVu Sans; letters beyond Latin, Greek and Cyrillic may come
/// from another font, and count as wide ones.
double width_of_words(std::string_view words, double points = 8.0);
/// The words, with an ellipsis where they are longer than `width_cm`.
std::string shortened(std::string_view words, double width_cm, double points = 8.0);
/// The words in one line or two; what is longer still ends in an ellipsis.
std::vector<std::string> in_two_lines(std::string_view words, double width_cm);

/// An arrow before a remark.
struct NoteArrow {
  Point way;  ///< of length 1
  std::string_view tone = "#666666";
};

/// What stands above the panels, from the top: title, remark, legend. Remark and legend share a row
/// where they fit side by side.
struct Above {
  std::string name;                ///< of the picture, whether or not the title is printed
  std::vector<std::string> title;  ///< its lines; none: not printed
  std::vector<std::string> note;   ///< its lines, at most two
  std::vector<NoteArrow> arrows;
  int note_row = 0;
  int legend_row = 0;  ///< its first
  int legend_rows = 0;
  int legend_columns = 0;
  bool legend_left = false;  ///< rows begin at the axis, one entry each; else they end at the right
  double title_cm = 0.0;     ///< from the left edge
  double height_cm = 0.0;    ///< of it all
  /// Middle of a row, from the top edge (cm).
  static double row_cm(int row) { return 0.4 + 0.48 * row; }
};
struct AboveParts {
  std::string_view title;
  bool with_title = true;
  std::string note{};
  std::vector<NoteArrow> arrows{};
  std::vector<std::string> legend{};  ///< entries of a legend above the panels
  bool one_a_row = false;             ///< long entries: each in a row of its own
  int spare_rows = 0;                 ///< below the others, for what a figure adds itself
};
Above make_above(double width_cm, double left_cm, const AboveParts& parts);

/// A picture put together from panels placed in cm from the lower left corner.
class Canvas {
 public:
  Canvas(double width_cm, double height_cm);

  /// Begins a panel whose axes span this box; what follows belongs to it until the next one.
  void panel(double left_cm, double right_cm, double bottom_cm, double top_cm);
  void axes(std::string_view x_label, std::string_view y_label, Range x, Range y);
  /// Makes the panel's y axis logarithmic; to be said before `axes`.
  void logarithmic_y();
  /// Hides the numbers below the x axis: the panel underneath shows them.
  void hide_x_numbers();
  /// gnuplot commands for this panel alone, in front of its plot.
  void command(std::string_view text);
  /// Legend in one column to the right of the panel.
  void legend_right();
  /// Legend in rows of so many columns that end above this height (cm).
  void legend_over(double bottom_cm, int columns);
  /// Title, remark and legend above the panels; belongs to the uppermost one.
  void head(const Above& above);

  /// Draws lines, or closed polygons, in gnuplot's words (`with lines linecolor …`).
  void draw(const std::vector<Polyline>& lines, std::string_view style,
            std::string_view title = "");
  /// The same with four columns: x, y and two more (vectors: dx, dy).
  void draw_vectors(const std::vector<Point>& from, const std::vector<Point>& by,
                    std::string_view style);
  /// A legend entry without a line in the panel.
  void legend_entry(std::string_view style, std::string_view title);
  /// Text in the panel's coordinates or in cm of the picture; `style` in gnuplot's words.
  void text(Point at, std::string_view words, std::string_view style = "",
            Layer layer = Layer::front);
  void text_cm(Point at_cm, std::string_view words, std::string_view style = "",
               std::string_view tone = "#333333");
  /// Name of the picture and nothing above it.
  void name(std::string_view title) { title_ = title; }
  /// Makes the panel's y axis have these ticks and no others; to be said after `axes`.
  void y_ticks(const std::vector<double>& at);

  [[nodiscard]] Figure finish();

 private:
  void end_panel();

  double width_cm_;
  double height_cm_;
  double left_cm_ = 0.0, right_cm_ = 0.0, bottom_cm_ = 0.0, top_cm_ = 0.0;
  int blocks_ = 0;
  bool open_ = false;
  bool logarithmic_ = false;
  std::string title_;
  std::string data_;      ///< data blocks
  std::string settings_;  ///< of the open panel
  std::vector<std::string> elements_;
  std::string commands_;
};

}  // namespace coluber::app

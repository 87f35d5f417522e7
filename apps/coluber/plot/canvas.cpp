#include "plot/canvas.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace coluber::app {
namespace {

struct Rgb {
  double r, g, b;
};
// viridis from 0 to 0.78; its yellow end is lost on white paper
constexpr std::array<Rgb, 8> sequence{{{68, 1, 84},
                                       {70, 42, 120},
                                       {62, 75, 138},
                                       {49, 104, 142},
                                       {38, 130, 142},
                                       {31, 158, 137},
                                       {53, 183, 121},
                                       {100, 200, 95}}};

constexpr std::array<std::string_view, 6> distinct{
    colour::blue, colour::vermillion, colour::green, colour::purple, colour::orange, colour::sky};

/// Distance of ticks: 1, 2 or 5 times a power of ten, at least `apart` cm on paper.
double tick_step(Range range, double length_cm, double apart_cm) {
  const double least = range.width() * apart_cm / length_cm;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10.0 * power;
  for (const double digit : {5.0, 2.0, 1.0})
    if (digit * power >= least) step = digit * power;
  // zero alone is no scale
  const double reach = std::max(std::abs(range.low), std::abs(range.high));
  return range.low <= 0.0 && range.high >= 0.0 ? std::min(step, round_below(reach)) : step;
}

std::string power_of_ten(int exponent) {
  static constexpr std::array<std::string_view, 10> raised{"⁰", "¹", "²", "³", "⁴",
                                                           "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent)))
    text += raised[static_cast<std::size_t>(digit - '0')];
  return text;
}

}  // namespace

std::string sequential_colour(std::size_t i, std::size_t n) {
  const double s = n < 2 ? 0.0 : static_cast<double>(i) / static_cast<double>(n - 1) * 7.0;
  const auto k = std::min<std::size_t>(static_cast<std::size_t>(s), 6);
  const double f = s - static_cast<double>(k);
  const auto mix = [f](double a, double b) {
    return static_cast<int>(std::lround(a + f * (b - a)));
  };
  const Rgb& a = sequence[k];
  const Rgb& b = sequence[k + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b));
}

std::string_view distinct_colour(std::size_t i) { return distinct[i % distinct.size()]; }

std::string pale_colour(std::size_t i) {
  const std::string_view full = distinct_colour(i);
  std::string pale = "#";
  for (const std::size_t at : {1U, 3U, 5U}) {
    unsigned part = 0;
    std::from_chars(full.data() + at, full.data() + at + 2, part, 16);
    pale += fmt::format("{:02x}", (part + 255U) / 2U);
  }
  return pale;
}

void Range::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Range empty_range() {
  return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
}

Polyline thinned(const Polyline& line, std::size_t buckets) {
  if (line.size() <= 2 * buckets) return line;
  Polyline result;
  result.reserve(2 * buckets + 2);
  for (std::size_t k = 0; k < buckets; ++k) {
    const std::size_t first = k * line.size() / buckets;
    const std::size_t last = (k + 1) * line.size() / buckets;
    const Point* low = nullptr;
    const Point* high = nullptr;
    for (std::size_t i = first; i < last; ++i) {
      if (!std::isfinite(line[i].y)) continue;
      if (low == nullptr || line[i].y < low->y) low = &line[i];
      if (high == nullptr || line[i].y > high->y) high = &line[i];
    }
    if (low == nullptr) {
      result.push_back(line[first]);  // nothing but gaps: keep the gap
      continue;
    }
    result.push_back(low < high ? *low : *high);
    result.push_back(low < high ? *high : *low);
  }
  return result;
}

double round_below(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double digit : {5.0, 2.0})
    if (digit * power <= value) return digit * power;
  return power;
}

double y_label_at(double left_cm) { return std::max(0.35, left_cm - 1.7); }

Above make_above(double width_cm, double left_cm, const AboveParts& parts) {
  Above above;
  above.name = parts.title;
  const double edge = 0.3;
  const bool fits = width_of_words(parts.title) <= width_cm - left_cm - edge;
  above.title_cm = fits ? left_cm : edge;
  int row = 0;
  if (parts.with_title && !parts.title.empty()) {
    above.title = in_two_lines(parts.title, width_cm - above.title_cm - edge);
    row = static_cast<int>(above.title.size());
  }
  const double room = width_cm - left_cm;
  double widest = 0.0;
  for (const auto& entry : parts.legend) widest = std::max(widest, width_of_words(entry));
  const double pitch = widest + 1.1;  // with its sample and the gap to the next
  const auto entries = static_cast<int>(parts.legend.size());
  above.arrows = parts.arrows;
  const double arrow = arrow_room_cm * static_cast<double>(parts.arrows.size());
  if (!parts.note.empty())
    above.note =
        in_two_lines(parts.note, width_cm - std::min(left_cm, above.title_cm) - 0.1 - arrow);
  const auto note_rows = static_cast<int>(above.note.size());
  above.note_row = row;
  if (entries > 0) {
    above.legend_left = parts.one_a_row;
    above.legend_columns =
        parts.one_a_row ? 1 : std::clamp(static_cast<int>((room + 0.2) / pitch), 1, entries);
    above.legend_rows = (entries + above.legend_columns - 1) / above.legend_columns;
    const bool beside = above.legend_rows == 1 && !parts.one_a_row && note_rows < 2 &&
                        arrow + width_of_words(parts.note) + 0.4 + entries * pitch <= room;
    if (!beside) row += note_rows;
    above.legend_row = row;
    row += above.legend_rows;
  } else {
    row += note_rows;
  }
  // rows of a legend are closer
  const double closer = above.legend_rows > 1 ? 0.1 * above.legend_rows - 0.22 : 0.0;
  row += parts.spare_rows;
  above.height_cm = row == 0 ? 0.35 : Above::row_cm(row - 1) - closer + (row == 1 ? 0.4 : 0.47);
  return above;
}

Canvas::Canvas(double width_cm, double height_cm) : width_cm_(width_cm), height_cm_(height_cm) {
  commands_ = "set multiplot\n";
}

void Canvas::panel(double left_cm, double right_cm, double bottom_cm, double top_cm) {
  end_panel();
  open_ = true;
  left_cm_ = left_cm;
  right_cm_ = right_cm;
  bottom_cm_ = bottom_cm;
  top_cm_ = top_cm;
  logarithmic_ = false;
  settings_ = fmt::format(
      "reset\nset format '%g'\nset border 3 linecolor '#555555' linewidth 0.7\n"
      "set tics nomirror out scale 0.5,0.25 font ',8' textcolor '#333333'\n"
      "set grid linetype 1 linecolor '#ebebeb' linewidth 0.5 back\n"
      "set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n"
      "set bmargin at screen {:.6f}\nset tmargin at screen {:.6f}\nset key off\n",
      left_cm / width_cm_, right_cm / width_cm_, bottom_cm / height_cm_, top_cm / height_cm_);
}

void Canvas::axes(std::string_view x_label, std::string_view y_label, Range x, Range y) {
  // labels are placed by hand: gnuplot's own place depends on the terminal's idea of a character
  if (!y_label.empty())
    text_cm({y_label_at(left_cm_), 0.5 * (bottom_cm_ + top_cm_)}, y_label, "center rotate by 90");
  if (!x_label.empty())
    text_cm({0.5 * (left_cm_ + right_cm_), bottom_cm_ - 0.95}, x_label, "center");
  settings_ +=
      fmt::format("set xrange [{}:{}] noextend\nset yrange [{}:{}] noextend\nset xtics {:g}\n",
                  x.low, x.high, y.low, y.high, tick_step(x, right_cm_ - left_cm_, 1.5));
  if (!logarithmic_) {
    settings_ += fmt::format("set ytics {:g}\n", tick_step(y, top_cm_ - bottom_cm_, 0.48));
    return;
  }
  // at most eight powers of ten, in figures that need no markup
  const int first = static_cast<int>(std::ceil(std::log10(y.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(y.high) + 1e-9));
  const int step = std::max(1, (last - first + 7) / 8);
  std::string tics;
  for (int power = first; power <= last; power += step)
    tics += fmt::format("{}{} 1e{}", tics.empty() ? "" : ", ", gnuplot_quoted(power_of_ten(power)),
                        power);
  settings_ += fmt::format("set logscale y\nset ytics ({})\n", tics);
}

void Canvas::hide_x_numbers() { settings_ += "set format x ''\n"; }

void Canvas::logarithmic_y() { logarithmic_ = true; }

void Canvas::command(std::string_view words) {
  settings_ += words;
  settings_ += '\n';
}

void Canvas::legend_right() {
  settings_ += fmt::format(
      "set key at screen {:.6f},{:.6f} left top vertical Left reverse noenhanced samplen 1.6 "
      "spacing 1.05 width 0 height 0 maxrows 40 font ',8' textcolor '#333333'\n",
      (right_cm_ + 0.15) / width_cm_, (top_cm_ + 0.1) / height_cm_);
}

void Canvas::legend_over(double bottom_cm, int columns) {
  settings_ += fmt::format(
      "set key at screen {:.6f},{:.6f} right bottom horizontal Left reverse noenhanced samplen 1.6 "
      "maxcols {} width 1 height 0 spacing 1.15 font ',8' textcolor '#333333'\n",
      (right_cm_ + 0.3) / width_cm_, bottom_cm / height_cm_, columns);
}

void Canvas::head(const Above& above) {
  title_ = above.name;
  const auto row = [&](int k) { return height_cm_ - Above::row_cm(k); };
  for (std::size_t k = 0; k < above.title.size(); ++k)
    text_cm({above.title_cm, row(static_cast<int>(k))}, above.title[k], "left font ',8'",
            "#1a1a1a");
  double note_cm = std::min(left_cm_, above.title_cm);
  for (const auto& arrow : above.arrows) {
    constexpr double half = 0.21;
    const Point middle{note_cm + half, row(above.note_row)};
    settings_ += fmt::format(
        "set arrow from screen {:.6f},{:.6f} to screen {:.6f},{:.6f} head filled size screen "
        "{:.6f},20 fixed front linewidth 1.4 linecolor '{}'\n",
        (middle.x - half * arrow.way.x) / width_cm_, (middle.y - half * arrow.way.y) / height_cm_,
        (middle.x + half * arrow.way.x) / width_cm_, (middle.y + half * arrow.way.y) / height_cm_,
        0.17 / width_cm_, arrow.tone);
    note_cm += arrow_room_cm;
  }
  for (std::size_t k = 0; k < above.note.size(); ++k)
    text_cm({note_cm, row(above.note_row + static_cast<int>(k))}, above.note[k], "left font ',8'",
            "#666666");
  if (above.legend_rows == 0) return;
  // one row is centred on its height; more hang from the first
  const bool one = above.legend_rows == 1;
  const double y = row(above.legend_row) + (one ? 0.0 : 0.2);
  settings_ += fmt::format(
      "set key at screen {:.6f},{:.6f} {} {} {} Left reverse noenhanced samplen {} {} "
      "width 1 height 0 spacing 1.15 font ',8' textcolor '#333333'\n",
      (above.legend_left ? std::min(left_cm_, above.title_cm) - 0.1 : right_cm_ + 0.3) / width_cm_,
      y / height_cm_, above.legend_left ? "left" : "right", one ? "center" : "top",
      above.legend_left ? "vertical" : "horizontal", above.legend_left ? 2.6 : 1.6,
      above.legend_left ? fmt::format("maxrows {}", above.legend_rows)
                        : fmt::format("maxcols {}", above.legend_columns));
}

void Canvas::y_ticks(const std::vector<double>& at) {
  std::string tics;
  for (const double value : at) tics += fmt::format("{}{:g}", tics.empty() ? "" : ", ", value);
  settings_ += fmt::format("set ytics ({})\n", tics);
}

void Canvas::draw(const std::vector<Polyline>& lines, std::string_view style,
                  std::string_view title) {
  std::string rows;
  std::size_t points = 0;
  for (const auto& line : lines) {
    bool gap = true;
    for (const auto& p : line) {
      if (std::isfinite(p.x) && std::isfinite(p.y)) {
        fmt::format_to(std::back_inserter(rows), "{:.6g} {:.6g}\n", p.x, p.y);
        gap = false;
        ++points;
      } else if (!gap) {
        rows += '\n';  // a blank line lifts the pen
        gap = true;
      }
    }
    if (!gap) rows += '\n';
  }
  if (points == 0) {
    if (!title.empty()) legend_entry(style, title);
    return;
  }
  fmt::format_to(std::back_inserter(data_), "$d{} << END\n{}END\n", blocks_, rows);
  elements_.push_back(fmt::format("$d{} using 1:2 {} {}", blocks_, style,
                                  title.empty() ? "notitle" : "title " + gnuplot_quoted(title)));
  ++blocks_;
}

void Canvas::draw_vectors(const std::vector<Point>& from, const std::vector<Point>& by,
                          std::string_view style) {
  if (from.empty()) return;
  fmt::format_to(std::back_inserter(data_), "$d{} << END\n", blocks_);
  for (std::size_t k = 0; k < from.size(); ++k)
    fmt::format_to(std::back_inserter(data_), "{:.6g} {:.6g} {:.6g} {:.6g}\n", from[k].x, from[k].y,
                   by[k].x, by[k].y);
  data_ += "END\n";
  elements_.push_back(fmt::format("$d{} using 1:2:3:4 with vectors {} notitle", blocks_, style));
  ++blocks_;
}

void Canvas::legend_entry(std::string_view style, std::string_view title) {
  elements_.push_back(fmt::format("NaN {} title {}", style, gnuplot_quoted(title)));
}

void Canvas::text(Point at, std::string_view words, std::string_view style, Layer layer) {
  fmt::format_to(std::back_inserter(settings_), "set label {} at first {:.6g},{:.6g} {} {}\n",
                 gnuplot_quoted(words), at.x, at.y, style,
                 layer == Layer::front ? "front" : "back");
}

void Canvas::text_cm(Point at_cm, std::string_view words, std::string_view style,
                     std::string_view tone) {
  fmt::format_to(std::back_inserter(settings_),
                 "set label {} at screen {:.6f},{:.6f} {} front textcolor '{}'\n",
                 gnuplot_quoted(words), at_cm.x / width_cm_, at_cm.y / height_cm_, style, tone);
}

void Canvas::end_panel() {
  if (!open_) return;
  commands_ += settings_ + "plot ";
  if (elements_.empty()) elements_.emplace_back("NaN notitle");  // axes alone
  for (std::size_t k = 0; k < elements_.size(); ++k)
    commands_ += (k == 0 ? "" : ", \\\n  ") + elements_[k];
  commands_ += '\n';
  settings_.clear();
  elements_.clear();
  open_ = false;
}

Figure Canvas::finish() {
  end_panel();
  return {width_cm_, height_cm_, title_, data_ + commands_};
}

}  // namespace coluber::app

#include <cmath>

#include <fmt/format.h>

#include "plot/parts.hpp"

// What runs save against others.

namespace coluber::app {

Figure make_reductions(const std::vector<ReductionPanel>& panels,
                       const std::vector<std::string>& labels, std::string_view x_label,
                       std::string_view title) {
  constexpr double panel_cm = 4.2;
  constexpr double pitch = panel_cm + 0.75;  // a title above each panel
  constexpr double least_span = 1.0;         // %
  Range x = empty_range();
  Range y{0.0, 0.0};
  for (const auto& panel : panels) {
    for (const double value : panel.x) x.include(value);
    for (const auto& line : panel.lines)
      for (const double value : line)
        if (std::isfinite(value)) y.include(value);
  }
  const auto above = make_above(page_cm, left_cm, {.title = title, .legend = labels});
  const double right = page_cm - 0.5;
  const auto count = static_cast<double>(panels.size());
  Canvas canvas(page_cm, below_cm + count * pitch - 0.25 + above.height_cm);
  double bottom = below_cm + count * pitch;
  char letter = 'a';
  for (std::size_t p = 0; p < panels.size(); ++p) {
    bottom -= pitch;
    const bool lowest = p + 1 == panels.size();
    canvas.panel(left_cm, right, bottom, bottom + panel_cm);
    canvas.axes(lowest ? x_label : "", "reduction (%)", x, padded(y, least_span));
    if (!lowest) canvas.hide_x_numbers();
    if (p == 0) canvas.head(above);
    canvas.text_cm({left_cm, bottom + panel_cm + 0.22},
                   fmt::format("({}) {}", letter++, panels[p].title), "left font ',8'");
    canvas.draw({{{x.low, 0.0}, {x.high, 0.0}}}, line_style(colour::grey, 0.6));
    for (std::size_t k = 0; k < panels[p].lines.size(); ++k) {
      Polyline line;
      for (std::size_t i = 0; i < panels[p].x.size(); ++i)
        line.push_back({panels[p].x[i], panels[p].lines[k][i]});
      canvas.draw({line},
                  fmt::format("with linespoints linecolor '{}' linewidth 1.2 pointtype {} "
                              "pointsize 0.35",
                              distinct_colour(k), 5 + 2 * k),
                  p == 0 ? labels[k] : "");
    }
  }
  return canvas.finish();
}

}  // namespace coluber::app

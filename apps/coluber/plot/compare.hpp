#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coluber/record/trajectory.hpp"

#include "plot/figures.hpp"
#include "plot/scene.hpp"

namespace coluber::app {

/// A run among others in one picture.
struct ComparedRun {
  std::string label;  ///< in the legend: its name and what makes it another
  const record::Trajectory* run = nullptr;
  const Scene* scene = nullptr;
};

/// The most that one picture tells apart.
inline constexpr std::size_t most_compared = 6;

/// Several runs in one picture: lines on one axis in the colour of their run; postures, side views
/// and footfalls under each other to one scale. Throws as make_figure.
Figure make_comparison(std::string_view name, const std::vector<ComparedRun>& runs,
                       std::string_view title, std::string_view note,
                       const FigureOptions& options = {});

}  // namespace coluber::app

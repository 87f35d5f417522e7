#pragma once

#include <span>
#include <string_view>

namespace coluber::app {

struct PlotName {
  std::string_view name;
  std::string_view doc;  ///< one line
};

/// Every picture `coluber plot --what` can draw, in the order it draws them.
std::span<const PlotName> plot_names();

}  // namespace coluber::app

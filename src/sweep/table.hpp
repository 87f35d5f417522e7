#pragma once

#include <string>
#include <string_view>

#include "coluber/sweep/folder.hpp"

namespace coluber::sweep {

/// The first line of timing.csv, and one of its lines, each with its end.
inline constexpr std::string_view timing_header = "point,host,process,attempt,wall_s,cpu_s\n";
std::string timing_line(const Point& point, const Row& row);

}  // namespace coluber::sweep

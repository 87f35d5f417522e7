#pragma once

#include "plot/figures.hpp"

namespace coluber::app {

/// Link angles against those wished for, and mapped beside simulated obstacle forces.
Figure draw_mapped(const record::Trajectory& run, const Scene& scene, const FigureOptions& options);

}  // namespace coluber::app

#pragma once

#include "coluber/core/export.hpp"
#include "coluber/core/shown.hpp"
#include "coluber/path/path.hpp"

namespace coluber::path {

/// A path as a body named `path` on the floor, between two arc lengths (m). Its points are equally
/// spaced along s, so close that chords turn by at most 0.05 rad; 400 to 20000 of them.
COLUBER_EXPORT Body make_path_body(const Path& path, double from, double to);

}  // namespace coluber::path

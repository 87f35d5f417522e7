#pragma once

#include <string>
#include <string_view>

#include "plot/gnuplot.hpp"

namespace coluber::app {

// Pictures carry a mark that Coluber made them: only such ones are replaced unasked.

/// The picture with the mark: a comment in SVG and PDF, a text chunk in PNG. Bytes that are no such
/// picture come back as they are.
std::string with_signature(std::string picture, PictureFormat format);

/// Whether a picture has the mark; its beginning and its last 4 kB tell.
bool has_signature(std::string_view sample, PictureFormat format);

}  // namespace coluber::app

#pragma once

#include <string_view>

namespace coluber::record {

// What tells a file that Coluber made from one of the user's that has the same name.

/// In a page with a run, near its beginning.
inline constexpr std::string_view page_mark = "id=\"coluber-run\"";

/// In a PNG: a text chunk of keyword, a zero and the text, as the PNG specification has it.
inline constexpr std::string_view png_mark{"tEXtSoftware\0Coluber", 20};
inline constexpr std::string_view png_begin = "\x89PNG\r\n\x1a\n";

}  // namespace coluber::record

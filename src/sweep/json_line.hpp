#pragma once

#include <string>
#include <string_view>

namespace coluber::sweep {

/// A number as JSON that reads back to the same; NaN is null, infinite ones are words.
void append_number(double number, std::string& out);

/// A text as JSON, with its quotes.
void append_text(std::string_view text, std::string& out);

}  // namespace coluber::sweep

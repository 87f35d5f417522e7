#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coluber::app {

/// `text` for a picture whose letters are drawn here and now (PNG, PDF): gnuplot draws a letter
/// that no font of this machine has as a box of the size of the page. Such letters of mathematics
/// become plain ones (𝜇 → μ), others U+FFFD. Text that is no UTF-8 likewise.
std::string drawable(std::string_view text);

struct Decoded {
  char32_t letter;
  std::size_t bytes;
};
/// The letter that `text`, which is not empty, begins with; U+FFFD for one byte that is no UTF-8.
Decoded decode(std::string_view text);

/// The plain letter or digit of one of the mathematical alphabets (U+1D400 to U+1D7FF); 0 for
/// anything else.
char32_t plain_letter(char32_t letter);

}  // namespace coluber::app

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plot/canvas.hpp"
#include "plot/glyphs.hpp"

// How long words are on paper, and how to make them fit.

namespace coluber::app {

namespace {

/// Advance widths of DejaVu Sans from the blank to the tilde (em / 1000).
constexpr std::array<std::uint16_t, 95> ascii_widths{
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

double width_in_em(char32_t letter) {
  if (letter < 0x20) letter = U' ';  // as it is drawn
  if (letter < 0x7f) return 1e-3 * ascii_widths[letter - 0x20];
  if (letter == U'\u00b0' || letter == U'\u2013') return 0.5;
  if (letter >= 0x300 && letter < 0x370) return 0.0;  // accents, over the letter before
  if (letter < 0x400) return 0.7;                     // Latin and Greek
  constexpr std::u32string_view wide_cyrillic = U"ЖМФШЩЪЫЮжшщю";
  if (wide_cyrillic.find(letter) != std::u32string_view::npos) return 1.1;
  return letter < 0x530 ? 0.8 : 1.0;
}

}  // namespace

double width_of_words(std::string_view words, double points) {
  constexpr double cm_per_point = 2.54 / 72.0;
  double width = 0.0;
  while (!words.empty()) {
    const auto [letter, bytes] = decode(words);
    width += width_in_em(letter);
    words.remove_prefix(bytes);
  }
  return cm_per_point * points * width;
}

std::string shortened(std::string_view words, double width_cm, double points) {
  if (width_of_words(words, points) <= width_cm) return std::string(words);
  constexpr std::string_view ellipsis = "…";
  const double room = width_cm - width_of_words(ellipsis, points);
  std::size_t end = 0;
  for (double width = 0.0; end < words.size();) {
    const std::size_t bytes = decode(words.substr(end)).bytes;
    width += width_of_words(words.substr(end, bytes), points);
    if (width > room) break;
    end += bytes;
  }
  while (end > 0 && words[end - 1] == ' ') --end;
  return std::string(words.substr(0, end)) + std::string(ellipsis);
}

std::vector<std::string> in_two_lines(std::string_view words, double width_cm) {
  if (width_of_words(words) <= width_cm) return {std::string(words)};
  std::size_t split = 0;
  for (std::size_t at = words.find(' '); at != std::string_view::npos;
       at = words.find(' ', at + 1)) {
    if (width_of_words(words.substr(0, at)) > width_cm) break;
    split = at;
  }
  if (split == 0) return {shortened(words, width_cm)};
  const std::size_t next = words.find_first_not_of(' ', split);
  if (next == std::string_view::npos) return {std::string(words.substr(0, split))};
  return {std::string(words.substr(0, split)), shortened(words.substr(next), width_cm)};
}

}  // namespace coluber::app

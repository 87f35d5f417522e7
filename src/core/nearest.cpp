#include "coluber/core/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace coluber {

namespace {

/// Optimal string alignment distance: insertions, deletions, substitutions and swapped neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& words) {
  constexpr std::size_t longest = 64;  // nothing of ours is longer
  if (word.size() > longest) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : words) {
    std::size_t distance = edit_distance(word, candidate);
    // a word with its end or unit left out: amplitude for amplitude_deg
    if (word.size() >= 2 && (candidate.starts_with(word) || word.starts_with(candidate))) {
      distance = std::min<std::size_t>(distance, 1);
    }
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace coluber

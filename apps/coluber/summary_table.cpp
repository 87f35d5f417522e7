#include "summary_table.hpp"

#include <fmt/format.h>

namespace coluber::app {

namespace {

// One figure as a person reads it.
std::string shown(const SummaryItem& item) {
  if (const auto* word = std::get_if<std::string>(&item.value)) return *word;
  return item.count ? fmt::format("{:.0f}", item.number()) : fmt::format("{:.6g}", item.number());
}

}  // namespace

void print_summary(const std::string& title, const std::vector<SummaryItem>& summary) {
  if (!title.empty()) fmt::print("{}\n", title);
  for (const SummaryItem& item : summary) {
    fmt::print("  {:<22} {:>14} {}\n", item.name, shown(item), item.unit);
  }
}

}  // namespace coluber::app

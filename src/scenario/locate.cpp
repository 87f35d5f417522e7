#include "coluber/scenario/scenario.hpp"

namespace coluber::scenario {

SourceLocation locate(const Scenario& scenario, std::string_view key) {
  while (!key.empty()) {
    if (const auto found = scenario.locations.find(key); found != scenario.locations.end()) {
      return found->second;
    }
    const std::size_t dot = key.rfind('.');
    key = dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
  }
  return {.file = scenario.path.string()};
}

}  // namespace coluber::scenario

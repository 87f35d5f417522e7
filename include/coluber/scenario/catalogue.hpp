#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::scenario {

/// A robot that scenarios name instead of spelling it out.
struct CatalogueRobot {
  std::string name{};
  std::string doc{};  ///< one line: what it is, where its figures come from
  int links = 0;
  Link link{};  ///< every link alike
};

COLUBER_EXPORT const std::vector<CatalogueRobot>& robots();

/// nullptr if there is none of that name.
COLUBER_EXPORT const CatalogueRobot* find_robot(std::string_view name);

}  // namespace coluber::scenario

#pragma once

#include <string>
#include <vector>

#include "coluber/core/shown.hpp"

namespace coluber::app {

/// Prints the title, unless it is empty, and a line per figure of a summary.
void print_summary(const std::string& title, const std::vector<SummaryItem>& summary);

}  // namespace coluber::app

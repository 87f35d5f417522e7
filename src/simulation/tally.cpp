#include "simulation/tally.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace coluber::simulation {

Tally::Tally(const std::vector<StepFigure>& figures, std::int64_t first)
    : figures_(&figures),
      first_(first),
      largest_(figures.size(), std::numeric_limits<double>::quiet_NaN()),
      sum_(figures.size(), 0.0),
      worst_(figures.size(), 0.0),
      positive_(figures.size(), 0),
      counted_(figures.size(), 0) {}

void Tally::add_failure(const StepInfo& info, double t) {
  if (failed_steps_++ == 0) first_failure_ = t;
  for (std::size_t i = 0; i < info.figures.size(); ++i) {
    worst_[i] = std::max(worst_[i], info.figures[i]);
  }
}

std::vector<SummaryItem> Tally::summary() const {
  std::vector<SummaryItem> items;
  for (std::size_t i = 0; i < figures_->size(); ++i) {
    const StepFigure& figure = (*figures_)[i];
    if (std::isnan(largest_[i])) continue;
    if (!figure.largest_as.empty()) {
      items.push_back({figure.largest_as, largest_[i], figure.unit});
    }
    if (!figure.positive_as.empty()) {
      items.push_back({figure.positive_as, static_cast<double>(positive_[i]), "", true});
    }
    if (!figure.sum_as.empty()) items.push_back({figure.sum_as, sum_[i], figure.unit, true});
  }
  return items;
}

std::vector<RunOutcome::StepMean> Tally::means() const {
  std::vector<RunOutcome::StepMean> means;
  for (std::size_t i = 0; i < figures_->size(); ++i) {
    if (counted_[i] == 0) continue;
    means.push_back({(*figures_)[i].name, sum_[i] / static_cast<double>(counted_[i]), largest_[i]});
  }
  return means;
}

std::string Tally::failures(std::int64_t steps) const {
  if (failed_steps_ == 0) return "";
  std::string text = fmt::format("{} of {} steps did not converge: first at t = {:.6g} s",
                                 failed_steps_, steps, first_failure_);
  for (std::size_t i = 0; i < figures_->size(); ++i) {
    if (!(*figures_)[i].in_message.empty()) {
      text += fmt::format(", largest {} {:.3g}", (*figures_)[i].name, worst_[i]);
      break;  // the first is the one that decides
    }
  }
  return text;
}

bool Tally::fits(std::int64_t steps) const {
  const auto some = [&](std::int64_t n) { return n >= 0 && n <= steps; };
  return some(failed_steps_) && some(untimed) && std::ranges::all_of(positive_, some) &&
         std::ranges::all_of(counted_, some) &&
         std::ranges::all_of(sum_, [](double sum) { return std::isfinite(sum); });
}

}  // namespace coluber::simulation

#include "coluber/control/gains.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

namespace coluber::control {

Gains::Gains(std::vector<double> each) : values_(std::move(each)) {
  if (values_.empty()) throw Error("a list of gains has none");
}

void Gains::require_valid(const char* what) const {
  for (std::size_t j = 0; j < values_.size(); ++j) {
    if (std::isfinite(values_[j]) && values_[j] >= 0.0) continue;
    throw Error(fmt::format("{} of joint {} is {}", what, j + 1, values_[j]));
  }
}

}  // namespace coluber::control

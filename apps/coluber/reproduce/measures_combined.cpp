// Measures of measures.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reproduce/measures.hpp"

namespace coluber::app {
namespace {

MeasureValue mean_over_runs(const MeasureCall& call) {
  const auto runs = call.texts("runs");
  double sum = 0.0;
  for (const auto& run : runs) sum += call.measure("of", run);
  return sum / static_cast<double>(runs.size());
}

MeasureValue ratio(const MeasureCall& call) {
  return std::abs(call.measure("numerator") / call.measure("denominator"));
}

MeasureValue spread(const MeasureCall& call) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0.0;
  const auto values = call.measures("of");
  for (const double value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  return (high - low) / std::abs(sum / static_cast<double>(values.size()));
}

MeasureValue range(const MeasureCall& call) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : call.measures("of")) {
    if (std::isnan(value)) return value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high - low;
}

}  // namespace

std::vector<Measure> combined_measures() {
  const MeasureParameter several{"of", ParameterKind::measures};
  return {
      {"mean",
       "that of its parts",
       "mean of a measure over runs, or over the seeds of a run",
       {{"of", ParameterKind::measure}, {"runs", ParameterKind::runs}},
       mean_over_runs},
      {"ratio",
       "",
       "absolute ratio of two measures",
       {{"numerator", ParameterKind::measure}, {"denominator", ParameterKind::measure}},
       ratio},
      {"spread", "", "(largest - smallest) / |mean| of several measures", {several}, spread},
      {"range", "that of its parts", "largest - smallest of several measures", {several}, range},
  };
}

}  // namespace coluber::app

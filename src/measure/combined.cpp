// Measures of measures.
#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/rows.hpp"

namespace coluber::measure {
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

MeasureValue largest(const MeasureCall& call) {
  double high = -std::numeric_limits<double>::infinity();
  for (const double value : call.measures("of")) {
    if (std::isnan(value)) return value;
    high = std::max(high, value);
  }
  return high;
}

MeasureValue smallest(const MeasureCall& call) {
  double low = std::numeric_limits<double>::infinity();
  for (const double value : call.measures("of")) {
    if (std::isnan(value)) return value;
    low = std::min(low, value);
  }
  return low;
}

/// Compares the runs one by one with those `against` them, and makes one number of it. NaN among
/// them gives NaN.
template <typename Compare>
double over_pairs(const MeasureCall& call, Compare compare) {
  const auto others = call.texts("against");
  const auto runs = call.has("runs") ? call.texts("runs") : std::vector<std::string>{};
  std::vector<double> values;
  for (std::size_t k = 0; k < others.size(); ++k) {
    const double one = runs.empty() ? call.measure("of") : call.measure("of", runs[k]);
    values.push_back(compare(one, call.measure("of", others[k])));
    if (std::isnan(values.back())) return values.back();
  }
  const auto how = call.text("reduce", "mean");
  const auto [low, high] = std::ranges::minmax(values);
  if (how == "min") return low;
  if (how == "max") return high;
  if (how == "range") return high - low;
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

MeasureValue reduction(const MeasureCall& call) { return over_pairs(call, reduction_of); }

MeasureValue difference(const MeasureCall& call) {
  return over_pairs(call, [](double one, double other) { return one - other; });
}

}  // namespace

double reduction_of(double value, double reference) {
  return reference == 0.0 ? std::numeric_limits<double>::quiet_NaN()
                          : 100.0 * (1.0 - value / reference);
}

std::vector<Measure> combined_measures() {
  const MeasureParameter several{"of", ParameterKind::measures};
  const std::vector<MeasureParameter> pairs{
      {"of", ParameterKind::measure},
      {"runs", ParameterKind::runs, false},
      {"against", ParameterKind::partners},
      {"values", ParameterKind::pair, false},
      {"reduce", ParameterKind::word, false, {"mean", "min", "max", "range"}}};
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
      {"largest", "that of its parts", "largest of several measures", {several}, largest},
      {"smallest", "that of its parts", "smallest of several measures", {several}, smallest},
      {"reduction", "%",
       "what runs save of a measure against others, 100 (1 - theirs / the others'), pair by pair",
       pairs, reduction},
      {"difference", "that of its parts", "a measure of runs less that of others, pair by pair",
       pairs, difference},
  };
}

}  // namespace coluber::measure

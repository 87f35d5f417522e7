#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "coluber/core/system.hpp"
#include "coluber/record/trajectory.hpp"
#include "coluber/scenario/scenario.hpp"

#include "reproduce_claims.hpp"

namespace coluber::app {

/// What a measure gives: a number, or a set of link numbers in order.
using MeasureValue = std::variant<double, std::vector<int>>;

/// A scenario of the claims, run in one way.
struct DoneRun {
  scenario::Scenario scenario;
  record::Trajectory trajectory;
  std::vector<SummaryItem> summary;
  std::string failure;  ///< why it did not complete; "" if it did
};

/// Finds a run by its name.
using RunLookup = std::function<const DoneRun&(const std::string&)>;

/// Faults in a measure's name and parameters, in words; none if it can be computed.
std::vector<std::string> check_measure(const MeasureSpec& spec);

/// Names of the runs that the measure asks for by itself.
std::vector<std::string> runs_of_measure(const MeasureSpec& spec);

/// Computes a measure from runs; `run` is the one meant where the measure names none.
/// Throws Error if a run does not have what it needs.
MeasureValue compute_measure(const MeasureSpec& spec, const std::string& run,
                             const RunLookup& lookup);

/// True if the value fulfils every condition.
bool fulfils(const MeasureValue& value, const Bounds& bounds);

}  // namespace coluber::app

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "coluber/record/trajectory.hpp"

#include "reproduce_claims.hpp"

namespace coluber::app {

/// What a measure gives: a number, or a set of link numbers in order.
using MeasureValue = std::variant<double, std::vector<int>>;

/// Finds the trajectory of a run by its name.
using RunLookup = std::function<const record::Trajectory&(const std::string&)>;

/// Faults in a measure's name and parameters, in words; none if it can be computed.
std::vector<std::string> check_measure(const MeasureSpec& spec);

/// Names of the runs that the measure asks for by itself.
std::vector<std::string> runs_of_measure(const MeasureSpec& spec);

/// Computes a measure from trajectories; `run` is the one meant where the measure names none.
/// Throws Error if a trajectory does not have what it needs.
MeasureValue compute_measure(const MeasureSpec& spec, const std::string& run,
                             const RunLookup& lookup);

/// True if the value fulfils every condition.
bool fulfils(const MeasureValue& value, const Bounds& bounds);

}  // namespace coluber::app

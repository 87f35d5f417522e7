#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/sweep/sweep.hpp"

namespace coluber::sweep {

/// What became of a point.
enum class Status : std::uint8_t {
  completed,
  failed,   ///< the run ended early; figures that exist are kept
  refused,  ///< the scenario at this point is faulty
  crashed,  ///< its process died
  timeout,  ///< `limits.wall_s`
};
inline constexpr int status_count = 5;

/// "completed", …
COLUBER_EXPORT std::string_view to_string(Status status);
/// The other way; none for another word.
COLUBER_EXPORT std::optional<Status> find_status(std::string_view word);

/// One row: all that is known of a point but its values, which follow from its number.
struct Row {
  std::int64_t point = 0;  ///< number in the sweep that made it; rows are found by their hash
  std::uint64_t hash = 0;
  Status status = Status::completed;
  std::string reason{};          ///< one line; "" if there is nothing to say
  std::vector<double> values{};  ///< by column; NaN: missing
  std::int64_t steps = -1;       ///< -1: it did not run
  std::string final_state{};     ///< hash of the state; "": it did not run
  std::string host{};
  std::int64_t process = 0;
  int attempt = 1;
  double wall_s = 0.0;
  double cpu_s = 0.0;
  // of an optimiser's history; -1 and empty in a sweep
  std::int64_t generation = -1;
  std::int64_t candidate = -1;
  std::vector<double> searched{};  ///< shares of the ranges
};

/// A row as one line of JSON, and back. from_line() throws Error.
COLUBER_EXPORT std::string to_line(const Row& row);
/// The other way.
COLUBER_EXPORT Row from_line(std::string_view line);

/// How to evaluate.
struct EvaluateOptions {
  const std::atomic<bool>* interrupt = nullptr;  ///< set from a signal handler: give up
};

/// Runs one point in this thread and measures it; touches no file. Whatever is wrong with the point
/// is a row; none if it was interrupted.
COLUBER_EXPORT std::optional<Row> evaluate(const Sweep& sweep, const Point& point,
                                           const EvaluateOptions& options = {});

/// The same of points by their numbers, as lines of JSON in that order; fewer if interrupted.
COLUBER_EXPORT std::vector<std::string> evaluate_lines(const Sweep& sweep,
                                                       std::span<const std::int64_t> points,
                                                       const EvaluateOptions& options = {});

/// The row holds every requirement. False unless it completed.
COLUBER_EXPORT bool is_feasible(const Sweep& sweep, const Row& row);

/// Name of this machine, as rows and journals have it.
COLUBER_EXPORT const std::string& host_name();

}  // namespace coluber::sweep

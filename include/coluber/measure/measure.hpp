#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"
#include "coluber/record/trajectory.hpp"
#include "coluber/simulation/study.hpp"

/// Measures: one number, or a set of links, of a run's frames, summary or answer. Each is one row:
/// name, unit, doc, parameters and the function that computes it. Claims and sweeps name them.
namespace coluber::measure {

/// What a measure gives: a number, or a set of links (counted from 1) in order.
using MeasureValue = std::variant<double, std::vector<int>>;

/// A measure and its parameters as a file spells them: canonical JSON text, or empty. A parameter
/// `run` names the run it is taken from instead of the one meant by the caller.
using MeasureSpec = std::string;

/// What a measure is computed from.
struct MeasuredRun {
  record::Trajectory trajectory;
  std::vector<SummaryItem> summary;
  std::string answer{};  ///< of a study: the JSON that its command prints; "" of a simulation
  /// Of a study: times its parts, fastest of five; null of a simulation.
  std::function<std::vector<simulation::StudyPart>()> time_parts{};
};

/// Finds a run by its name. Throws Error if it cannot be measured.
using RunLookup = std::function<const MeasuredRun&(const std::string&)>;

/// What a parameter of a measure takes.
enum class ParameterKind : std::uint8_t {
  number,
  index,      ///< a whole number from 1: a link, a joint, …
  indices,    ///< the same, or a list of them: one per axis of a dataset
  numbers,    ///< a list of numbers
  word,       ///< one of MeasureParameter::words
  text,       ///< any text: the name of a dataset, …
  component,  ///< of a dataset: its name, or its number along the last axis from 1
  texts,      ///< a list of them
  run,        ///< the name of a run
  runs,       ///< a list of them
  partners,   ///< a list of them, one for each of the parameter `runs`
  measure,    ///< a measure that gives a number
  measures,   ///< at least two of them
  points,     ///< a list of [t, x, y]
  pair        ///< [low, high]
};

/// One parameter of a measure.
struct MeasureParameter {
  std::string name;
  ParameterKind kind = ParameterKind::number;
  bool required = true;
  std::vector<std::string> words{};  ///< of ParameterKind::word
  std::string unless{};              ///< not required where this parameter is given
};

/// The parameters of one measure as a file gives them, already checked against its row, and the
/// runs it may read.
class COLUBER_EXPORT MeasureCall {
 public:
  /// Of a parsed spec; compute_measure() makes it.
  MeasureCall(const void* spec, const std::string& run, const RunLookup& lookup)
      : spec_(spec), run_(&run), lookup_(&lookup) {}

  /// True if the file gives this parameter as a number.
  [[nodiscard]] bool is_number(std::string_view name) const;
  /// True if the file gives this parameter.
  [[nodiscard]] bool has(std::string_view name) const;
  /// A number that the file gives.
  [[nodiscard]] double number(std::string_view name) const;
  /// The same, or `fallback` where it gives none.
  [[nodiscard]] double number(std::string_view name, double fallback) const;
  /// Counted from 0; files count from 1.
  [[nodiscard]] int index(std::string_view name) const;
  /// Counted from 0; one number is a list of one.
  [[nodiscard]] std::vector<int> indices(std::string_view name) const;
  /// A word that the file gives.
  [[nodiscard]] std::string text(std::string_view name) const;
  /// The same, or `fallback` where it gives none.
  [[nodiscard]] std::string text(std::string_view name, std::string_view fallback) const;
  /// Words of a list.
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  /// Numbers of a list.
  [[nodiscard]] std::vector<double> numbers(std::string_view name) const;
  /// Lists of numbers.
  [[nodiscard]] std::vector<std::vector<double>> points(std::string_view name) const;

  /// The run it is taken from.
  [[nodiscard]] const MeasuredRun& run() const;
  /// What that run recorded.
  [[nodiscard]] const record::Trajectory& trajectory() const { return run().trajectory; }
  /// The run that the parameter `name` names.
  [[nodiscard]] const MeasuredRun& run(std::string_view name) const;

  /// The measure that the parameter `name` holds.
  [[nodiscard]] double measure(std::string_view name) const;
  /// The same, taken from the run called `run` where it names none itself.
  [[nodiscard]] double measure(std::string_view name, const std::string& run) const;
  /// The measures that the parameter `name` holds.
  [[nodiscard]] std::vector<double> measures(std::string_view name) const;

 private:
  const void* spec_;  // parsed JSON
  const std::string* run_;
  const RunLookup* lookup_;
};

/// One measure: all that claims and sweep files and `coluber list measures` need.
struct Measure {
  std::string name;
  std::string unit;  ///< of what it gives, "" for a pure number; or words, "that of the dataset"
  std::string doc;   ///< one line
  std::vector<MeasureParameter> parameters;
  /// Throws Error if a run does not have what it needs.
  std::function<MeasureValue(const MeasureCall&)> compute;
  bool is_number = true;     ///< false: a set of links
  bool reads_frames = true;  ///< false: the summary is enough
};

/// Every measure there is: the built-in ones, then those that were added.
COLUBER_EXPORT const std::vector<Measure>& measures();

/// Appends a measure of a model's or a program's own; call it before claims are read. Throws Error
/// if the name is taken or the row is not complete.
COLUBER_EXPORT void add_measure(Measure row);

/// Faults in a measure's name and parameters, in words; none if it can be computed.
COLUBER_EXPORT std::vector<std::string> check_measure(const MeasureSpec& spec);

/// Names of the runs that the measure asks for by itself.
COLUBER_EXPORT std::vector<std::string> runs_of_measure(const MeasureSpec& spec);

/// Computes a measure; `run` is the one meant where the measure names none. Throws Error if a run
/// does not have what it needs.
COLUBER_EXPORT MeasureValue compute_measure(const MeasureSpec& spec, const std::string& run,
                                            const RunLookup& lookup);

/// The unit of what the measure gives: its own, or that of the measure it is made of; "" where the
/// run decides. The spec is one that check_measure() finds no fault in.
COLUBER_EXPORT std::string unit_of_measure(const MeasureSpec& spec);

/// What a value saves against a reference, in percent; NaN if there is nothing to save.
COLUBER_EXPORT double reduction_of(double value, double reference);

/// A measure of one run that is computed many times: its text is read once. Shared by threads.
class COLUBER_EXPORT PreparedMeasure {
 public:
  /// Of a spec that check_measure() finds no fault in.
  explicit PreparedMeasure(const MeasureSpec& spec);
  /// Computes it. Throws Error if the run does not have what it needs.
  [[nodiscard]] MeasureValue compute(const MeasuredRun& run) const;
  /// Whether it, or a measure it is made of, reads frames.
  [[nodiscard]] bool reads_frames() const { return reads_frames_; }

 private:
  std::shared_ptr<const void> spec_;  // parsed JSON
  bool reads_frames_ = true;
};

}  // namespace coluber::measure

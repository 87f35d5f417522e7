#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/measure/measure.hpp"
#include "coluber/scenario/base.hpp"
#include "coluber/scenario/scenario.hpp"

/// A sweep runs one scenario at many points; each point gives one row. The file of a sweep names
/// the base scenario, the axes and the measures (docs/sweeps.md). A point is computed from its
/// number alone; nothing stores the list of points.
namespace coluber::sweep {

/// How the values of an axis are chosen.
enum class Sampling : std::uint8_t {
  crossed,   ///< every value with every value of the other axes
  uniform,   ///< drawn, for all sampled axes together
  latin,     ///< a Latin hypercube
  sobol,     ///< a Sobol sequence
  table,     ///< a column of a table of the user's
  searched,  ///< by an optimiser
};

/// One axis.
struct Axis {
  std::vector<std::string> keys{};  ///< that its value goes to
  Sampling sampling = Sampling::crossed;
  double from = 0.0;       ///< unless the values are listed
  double to = 0.0;         ///< included
  bool log = false;        ///< even in the logarithm
  bool whole = false;      ///< of a key that takes whole numbers
  std::int64_t count = 0;  ///< of crossed values
  /// Listed values: for each one node for all keys, or one for each.
  std::vector<std::vector<keys::Node>> values{};
  int dimension = 0;                   ///< among the sampled, or the searched, axes
  std::vector<std::string> columns{};  ///< of the table: key, or key.1, key.2 of a list of numbers
  std::string unit{};                  ///< of the first key
};

/// One column of figures.
struct Column {
  std::string name{};
  std::string unit{};
  std::string doc{};
  measure::MeasureSpec spec{};  ///< "": the item `name` of the run's summary
};

/// What `best`, pictures and optimisers mean by good.
struct Goal {
  std::size_t column = 0;
  bool largest = true;
};

/// Rows that do not hold it are not feasible.
struct Requirement {
  std::size_t column = 0;
  double at_least = -std::numeric_limits<double>::infinity();
  double at_most = std::numeric_limits<double>::infinity();
};

/// Bounds of one point's run.
struct Limits {
  double steps = 1e8;
  double wall_s = std::numeric_limits<double>::infinity();
};

/// `[optimise]`.
struct Optimise {
  std::string method = "cma_es";
  std::int64_t evaluations = 200;
  std::int64_t population = 8;
  double sigma = 0.3;  ///< of the range of each axis
  std::uint64_t seed = 0;
};

/// One point: its number from 1, what it sets, and the hash that finds its row.
struct Point {
  std::int64_t number = 0;
  std::vector<scenario::Assignment> values{};  ///< one per key
  std::uint64_t hash = 0;
};

/// What load() may be told.
struct LoadOptions {
  scenario::Overrides overrides{};  ///< of the base scenario: `--set`
};

/// A sweep, validated. Cheap to copy, shared by threads.
class COLUBER_EXPORT Sweep {
 public:
  /// Reads a file, its base scenario and its table. Throws InputError with every fault.
  static Sweep load(const std::filesystem::path& file, const LoadOptions& options = {});
  /// The same from TOML text; paths are relative to `folder`.
  static Sweep parse(const std::string& text, const std::filesystem::path& folder = ".",
                     const std::string& name = "<text>", const LoadOptions& options = {});
  /// What to_text() wrote. Throws InputError if it is something else.
  static Sweep from_text(std::string_view text);

  /// The sweep with its base and table as one text (JSON): what a worker elsewhere needs. Tables
  /// of numbers that the base scenario names stay files.
  [[nodiscard]] std::string to_text() const;
  /// Of to_text(), without comments and titles: equal for equal sweeps.
  [[nodiscard]] std::uint64_t hash() const;

  [[nodiscard]] const std::string& title() const;            ///< of the file, else its name
  [[nodiscard]] const std::string& source() const;           ///< the file's TOML text
  [[nodiscard]] const scenario::Scenario& base() const;      ///< with `set` and the overrides
  [[nodiscard]] const std::vector<Axis>& axes() const;       ///< in the order of the file
  [[nodiscard]] const std::vector<Column>& columns() const;  ///< the measures, or the summary
  [[nodiscard]] const std::optional<Goal>& goal() const;  ///< what `best` means, if the file says
  [[nodiscard]] const std::vector<Requirement>& requirements() const;  ///< of feasible rows
  [[nodiscard]] const Limits& limits() const;                          ///< of a point
  [[nodiscard]] const std::optional<Optimise>& optimise() const;  ///< `[optimise]`, if there is one
  /// Some of its axes are searched by an optimiser: a point needs their values.
  [[nodiscard]] std::size_t searched() const;
  /// Number of points; with searched axes, of those for each candidate.
  [[nodiscard]] std::int64_t size() const;
  /// Keys that a point sets, in the order of `Point::values`.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Columns of the axes in the table, in the order of cells().
  [[nodiscard]] std::vector<std::string> axis_columns() const;

  /// Point `number`, from 1. Throws Error if there is none.
  [[nodiscard]] Point point(std::int64_t number) const;
  /// The same with values for the searched axes, as shares from 0 to 1 of their ranges.
  [[nodiscard]] Point point(std::int64_t number, std::span<const double> searched) const;
  /// Its values as the table shows them, one per axis_columns().
  [[nodiscard]] std::vector<std::string> cells(const Point& point) const;
  /// Its scenario, whole. Throws InputError.
  [[nodiscard]] scenario::Scenario scenario(const Point& point) const;
  /// The same without `resolved`, text and places: quick.
  [[nodiscard]] scenario::Scenario options(const Point& point) const;

  /// A column of figures of a run; NaN if the run does not have it, with the reason in `why`.
  [[nodiscard]] double compute(std::size_t column, const measure::MeasuredRun& run,
                               std::string& why) const;
  /// A column needs the frames of a run, not its summary alone.
  [[nodiscard]] bool reads_frames() const;

 private:
  struct Impl;
  friend class SweepReader;
  explicit Sweep(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// The file says `sweep = …`: it is one of a sweep, not a scenario. False if it cannot be read.
COLUBER_EXPORT bool is_sweep_file(const std::filesystem::path& file);

/// "fused", or "portable": sums and products rounded one by one (core/code_path.hpp).
COLUBER_EXPORT std::string_view arithmetic();

/// A value as a cell of the table and in the hash: `30`, `0.2`, `anchored`, `[1, 2]`.
COLUBER_EXPORT std::string value_text(const keys::Node& value);

}  // namespace coluber::sweep

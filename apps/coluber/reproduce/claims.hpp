#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/measure/measure.hpp"

namespace coluber::app {

using measure::MeasureSpec;
using measure::MeasureValue;

/// A scenario with its changes: what claims are measured on. Runs are shared between claims.
struct ClaimRun {
  std::string name;
  std::filesystem::path scenario;  ///< resolved against the claims file
  std::string command;             ///< the study it is for, "force-map"; empty: it is simulated
  std::vector<std::string> set;    ///< `key=value`, as on the command line
  bool as_it_is = false;           ///< the ways change nothing about it
  bool may_fail = false;           ///< its frames up to a failure are measured
  std::vector<std::string> ways;   ///< those it is done in; empty: all of the file
  std::string value;               ///< of one run of an `each`: its value, as in `set` …
  std::optional<double> number;    ///< … and the same if it is a number
};

/// Runs that share a name: `noise` stands for `noise, seed 1`, `noise, seed 2`, …
struct RunSeries {
  std::string over;               ///< "seeds" or "values of path.radius"
  std::vector<std::string> runs;  ///< their full names
};

/// A way of running every scenario of a source: its own method, our default, ….
struct Way {
  std::string name;
  std::vector<std::string> set;
};

enum class ClaimKind : std::uint8_t { number, relation, behaviour };
/// What in the source a claim is judged by.
enum class ClaimBasis : std::uint8_t {
  number,     ///< a number it prints
  figure,     ///< what one of its figures shows
  statement,  ///< its words
  own,        ///< nothing: a computation of our own stands for it
};
inline constexpr std::size_t claim_bases = 4;
/// From best to worst.
enum class ClaimStatus : std::uint8_t { reproduced, differs, not_reproducible };

std::string_view to_string(ClaimKind kind);
std::string_view to_string(ClaimBasis basis);
std::string_view to_string(ClaimStatus status);

/// What a value must fulfil for a behaviour to be there, or for a statement without a number to
/// hold.
struct Bounds {
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::optional<std::vector<int>> equals;  ///< a set of links
  [[nodiscard]] bool empty() const { return !at_least && !at_most && !equals; }
};

/// One statement of a source.
struct Claim {
  std::string id;
  std::string source;
  std::string where;      ///< section, figure, table
  std::string statement;  ///< what the source says, in one or two sentences
  ClaimKind kind = ClaimKind::number;
  ClaimBasis basis = ClaimBasis::own;
  std::string unit;
  std::optional<double> published;  ///< the source's number …
  double tolerance = 0.0;           ///< … and how precisely it states it
  Bounds holds;                     ///< behaviours, and statements without a number
  std::optional<double> expected;   ///< our own regression value …
  double band = 0.0;                ///< … and what it may move by
  std::string run;                  ///< name of a ClaimRun; empty: nothing is computed
  MeasureSpec measure;              ///< may be empty, as may its control
  std::string control_run;          ///< behaviours: the same measure on this run must not hold …
  MeasureSpec control_measure;      ///< … or this measure must not
  std::string judged;  ///< the one way that decides; empty: all, the last is `measured`
  ClaimStatus recorded = ClaimStatus::reproduced;
  std::string note;
  std::string file;  ///< where it is written down
  int line = 0;

  /// False: the source gives too little to compute anything.
  [[nodiscard]] bool is_measured() const {
    return recorded != ClaimStatus::not_reproducible || !run.empty() || !measure.empty();
  }
};

/// A part of a picture that holds several runs side by side.
struct FigurePanel {
  std::string title;
  std::string quantity;              ///< tracking: "error" or "torque" of a joint
  std::vector<std::string> runs;     ///< tracking: a line each; reductions: a point each
  std::vector<std::string> against;  ///< reductions: their partners
};

/// A picture of the report.
struct ClaimFigure {
  std::string title;
  std::string caption;
  /// A name of `coluber list plots`, "paths": one link of several runs, or "reductions": what runs
  /// with `each` save against others, over its values.
  std::string plot;
  std::vector<std::string> runs;      ///< all that are drawn and played
  std::vector<FigurePanel> panels;    ///< reductions, and tracking of several runs
  std::vector<std::string> labels;    ///< of the lines, the same in every panel
  std::vector<MeasureSpec> measures;  ///< reductions: one a label
  std::string x;                      ///< reductions: words below the axis
  std::optional<double> time, from, to;
  std::vector<double> times;  ///< postures
  bool zoom = false;
  std::vector<int> links;
};

/// One claims file.
struct ClaimFile {
  std::filesystem::path path;
  std::string source;
  std::string document;   ///< author, title, year
  std::vector<Way> ways;  ///< the last is the one `measured` comes from, unless a claim says other
  std::map<std::string, ClaimRun, std::less<>> runs;
  std::map<std::string, RunSeries, std::less<>> series;
  std::vector<Claim> claims;
  std::vector<ClaimFigure> figures;
};

/// True if the run is to be done in this way.
bool done_in(const ClaimRun& run, const Way& way);

/// Names of all runs that the claim and its control need.
std::set<std::string> runs_needed(const Claim& claim);

/// Names of all runs that the figure shows.
std::set<std::string> runs_needed(const ClaimFigure& figure);

/// The last way that all runs of the figure are done in.
const Way& way_of(const ClaimFile& file, const ClaimFigure& figure);

/// `transeth-spatial-3` of the third figure in spatial.toml: files of one source have their own.
std::string figure_name(const ClaimFile& file, int number);

/// Reads every `*.toml` of the folder and of the folders in it (one a source), in the order of
/// their names. Throws InputError with every fault.
std::vector<ClaimFile> load_claims(const std::filesystem::path& folder);

}  // namespace coluber::app

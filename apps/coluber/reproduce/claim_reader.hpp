#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <toml++/toml.h>

#include "reproduce/claims.hpp"
#include "toml_reader.hpp"

namespace coluber::app {

/// Reads one claims file and gathers its faults.
class ClaimReader : TomlReader {
 public:
  ClaimReader(const std::filesystem::path& path, std::vector<Diagnostic>& faults)
      : TomlReader(path, faults) {
    file_.path = path;
  }

  ClaimFile read();

 private:
  using Position = toml::source_position;

  // claim_reader.cpp: runs and claims
  void read_run(const toml::table& table);
  /// `{ key = "path.radius", values = [0.2, 0.25] }`: one run per value of the key.
  void read_each(const toml::node& node, const ClaimRun& run,
                 const std::function<void(const ClaimRun&)>& add);
  /// A run's `command` must be a study's name.
  void known_command(const Position& where, const std::string& name);
  void read_claim(const toml::table& table);
  /// A claim must be able to fail, and must say why when it is not reproduced.
  void check(const Claim& claim, const Position& at);
  /// The way that decides must be one that the claim's runs are done in.
  void check_ways(const Claim& claim, const Position& at);
  /// What decides the status must be what the claim says it rests on.
  void check_basis(const Claim& claim, const Position& at);

  // claim_measures.cpp: measures and what they name
  MeasureSpec measure_of(const toml::table& table, std::string_view key);
  MeasureSpec measure_of(const toml::node& node, const std::string& key);
  /// The names, those of a series replaced by all of its runs, or by those whose value lies in
  /// [low, high].
  [[nodiscard]] std::vector<std::string> spread(const std::vector<std::string>& names,
                                                const std::vector<double>& within = {}) const;
  /// A series becomes all of its runs in the lists `runs` and `against` of a measure.
  void spread_series(nlohmann::json& spec) const;
  /// Runs with `each` are compared value by value.
  void check_values(const Position& where, const std::string& key,
                    const std::vector<std::string>& names, const std::vector<std::string>& others);
  /// The same of every measure over pairs.
  void check_values(const Position& where, const std::string& key, const nlohmann::json& spec);
  void known_way(const Position& where, std::string_view key, const std::string& name);
  void known_run(const Position& where, std::string_view key, const std::string& name);

  // claim_figures.cpp
  /// Panels of several runs; all of these are runs of the figure.
  void read_panels(const toml::table& table, ClaimFigure& figure);
  /// A panel of reductions: pairs of runs over the values of their `each`.
  void read_pairs(const toml::table& part, ClaimFigure& figure);
  /// What a figure of reductions shows: a measure for each of its labels.
  void read_reductions(const toml::table& table, ClaimFigure& figure);
  void read_figure(const toml::table& table);
  /// True if all runs that the figure shows, of those there are, are done in this way.
  [[nodiscard]] bool shown_in(const ClaimFigure& figure, const Way& way) const;

  ClaimFile file_;
  std::set<std::string, std::less<>> ids_;
};

}  // namespace coluber::app

#pragma once

// From a sweep file's tree to a Sweep, with every fault at its place.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/sweep/sweep.hpp"

#include "keys/faults.hpp"
#include "sweep/impl.hpp"

namespace coluber::sweep {

/// Reads one sweep. Faults gather until finish().
class SweepReader {
 public:
  SweepReader(std::string name, std::filesystem::path folder);

  /// Reads the tree; `base` and `table` are given where they need not be read from files.
  Sweep read(keys::Node root, std::string source, std::optional<scenario::Base> base,
             std::optional<std::string> table, const LoadOptions& options);

 private:
  using Node = keys::Node;

  void fault(const Node& at, const std::string& key, std::string message, std::string hint = "");
  void allow(const Node& table, const std::string& path, const std::vector<std::string>& words);
  const Node* table_of(const Node& parent, const std::string& word);
  std::vector<const Node*> tables_of(const Node& parent, const std::string& word);
  std::optional<double> number_of(const Node& table, const std::string& path,
                                  const std::string& word, bool infinite = false);
  std::optional<std::int64_t> whole_of(const Node& table, const std::string& path,
                                       const std::string& word, std::int64_t least,
                                       std::int64_t most);
  std::optional<std::string> word_of(const Node& table, const std::string& path,
                                     const std::string& word,
                                     const std::vector<std::string>& choices = {});

  void read_top();
  void read_base(const LoadOptions& options);
  // axes.cpp
  void read_axes();
  void read_axis(const Node& table, const std::string& path);
  std::vector<std::string> keys_of(const Node& table, const std::string& path);
  void check_key(const Node& at, const std::string& path, const std::string& key);
  void check_model(const Node& at, const std::string& path, const std::string& key,
                   const scenario::KeyTarget& target);
  void read_listed(const Node& table, const std::string& path, Axis& axis);
  void read_range(const Node& table, const std::string& path, Axis& axis);
  void read_count(const Node& table, const std::string& path, Axis& axis);
  bool check_value(const Node& at, const std::string& path, const std::string& key, Node& value,
                   std::size_t number);
  void name_columns(Axis& axis);
  void read_table(const std::optional<std::string>& text);
  void count_points();
  // measures.cpp
  void read_measures();
  void read_measure(const Node& table, const std::string& path);
  void check_windows(const Node& spec, const std::string& path);
  void add_summary_columns();
  void read_goal();
  void read_requirements();
  void read_limits();
  void read_optimise();
  std::optional<std::size_t> column_of(const Node& table, const std::string& path);

  void finish(const std::vector<Diagnostic>& base_faults);
  void prepare();

  std::vector<keys::Source> sources_;
  keys::Faults faults_;
  std::vector<Diagnostic> base_faults_;
  std::shared_ptr<Sweep::Impl> impl_ = std::make_shared<Sweep::Impl>();
  std::vector<std::string> taken_;  // keys that are axes already
};

}  // namespace coluber::sweep

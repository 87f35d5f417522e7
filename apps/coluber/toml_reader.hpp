#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "coluber/core/error.hpp"

namespace coluber::app {

/// Reads values of a TOML file and gathers its faults with their lines and columns: for the files
/// beside scenarios, which have their own reader (coluber/scenario). `parent` is the table a key is
/// in, for messages; "" at the top.
class TomlReader {
 public:
  TomlReader(const std::filesystem::path& file, std::vector<Diagnostic>& faults)
      : name_(file.string()), faults_(&faults) {}

  /// The file as messages call it.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The whole file; none, with the fault, if it is not TOML or cannot be read.
  std::optional<toml::table> parse();

  void fault(const toml::source_position& where, std::string key, std::string message,
             std::string hint = "");

  /// Every other key of the table is a fault.
  void allow(const toml::table& table, std::string_view parent,
             const std::vector<std::string_view>& keys);

  /// The tables [[key]]; none if there are none.
  std::vector<const toml::table*> tables_of(const toml::table& root, std::string_view key);

  std::string text_of(const toml::table& table, std::string_view parent, std::string_view key,
                      bool required);
  std::vector<std::string> texts_of(const toml::table& table, std::string_view parent,
                                    std::string_view key);
  std::optional<double> number_of(const toml::table& table, std::string_view parent,
                                  std::string_view key);
  std::vector<double> numbers_of(const toml::table& table, std::string_view parent,
                                 std::string_view key);
  std::vector<int> integers_of(const toml::table& table, std::string_view parent,
                               std::string_view key);

  /// "parent.key".
  static std::string path_of(std::string_view parent, std::string_view key);

 private:
  std::string name_;
  std::vector<Diagnostic>* faults_;
};

}  // namespace coluber::app

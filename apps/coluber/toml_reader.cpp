#include "toml_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace coluber::app {

std::optional<toml::table> TomlReader::parse() {
  std::ifstream stream(name_, std::ios::binary);
  if (!stream) {
    fault({}, "", "cannot read it");
    return {};
  }
  std::ostringstream text;
  text << stream.rdbuf();
  try {
    return toml::parse(text.view(), std::string_view{name_});
  } catch (const toml::parse_error& error) {
    fault(error.source().begin, "", std::string{error.description()});
    return {};
  }
}

void TomlReader::fault(const toml::source_position& where, std::string key, std::string message,
                       std::string hint) {
  Diagnostic found;
  found.where = {name_, static_cast<int>(where.line), static_cast<int>(where.column)};
  found.key = std::move(key);
  found.message = std::move(message);
  found.hint = std::move(hint);
  faults_->push_back(std::move(found));
}

std::string TomlReader::path_of(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string{key} : fmt::format("{}.{}", parent, key);
}

void TomlReader::allow(const toml::table& table, std::string_view parent,
                       const std::vector<std::string_view>& keys) {
  for (const auto& [key, value] : table)
    if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
      fault(key.source().begin, path_of(parent, key.str()), "unknown key",
            fmt::format("known here: {}", fmt::join(keys, ", ")));
}

std::vector<const toml::table*> TomlReader::tables_of(const toml::table& root,
                                                      std::string_view key) {
  std::vector<const toml::table*> tables;
  const auto* node = root.get(key);
  if (node == nullptr) return tables;
  const auto* array = node->as_array();
  if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
    fault(node->source().begin, std::string{key}, fmt::format("expected [[{}]]", key));
    return tables;
  }
  for (const auto& item : *array) tables.push_back(item.as_table());
  return tables;
}

std::string TomlReader::text_of(const toml::table& table, std::string_view parent,
                                std::string_view key, bool required) {
  const auto* node = table.get(key);
  if (node == nullptr) {
    if (required) fault(table.source().begin, path_of(parent, key), "is missing");
    return {};
  }
  if (const auto* text = node->as_string()) return text->get();
  fault(node->source().begin, path_of(parent, key), "expected a text");
  return {};
}

std::vector<std::string> TomlReader::texts_of(const toml::table& table, std::string_view parent,
                                              std::string_view key) {
  std::vector<std::string> texts;
  const auto* node = table.get(key);
  if (node == nullptr) return texts;
  const auto* array = node->as_array();
  if (array == nullptr) {
    fault(node->source().begin, path_of(parent, key), "expected a list of texts");
    return texts;
  }
  for (const auto& item : *array) {
    if (const auto* text = item.as_string())
      texts.push_back(text->get());
    else
      fault(item.source().begin, path_of(parent, key), "expected a list of texts");
  }
  return texts;
}

std::optional<double> TomlReader::number_of(const toml::table& table, std::string_view parent,
                                            std::string_view key) {
  const auto* node = table.get(key);
  if (node == nullptr) return {};
  const auto value = node->is_number() ? node->value<double>() : std::optional<double>{};
  if (!value || !std::isfinite(*value))
    fault(node->source().begin, path_of(parent, key), "expected a finite number");
  return value;
}

std::vector<double> TomlReader::numbers_of(const toml::table& table, std::string_view parent,
                                           std::string_view key) {
  std::vector<double> values;
  const auto* node = table.get(key);
  if (node == nullptr) return values;
  const auto* array = node->as_array();
  for (std::size_t k = 0; array != nullptr && k < array->size(); ++k) {
    const auto value = array->get(k)->is_number() ? array->get(k)->value<double>() : std::nullopt;
    if (value && std::isfinite(*value)) values.push_back(*value);
  }
  if (array == nullptr || values.size() != array->size())
    fault(node->source().begin, path_of(parent, key), "expected a list of finite numbers");
  return values;
}

std::vector<int> TomlReader::integers_of(const toml::table& table, std::string_view parent,
                                         std::string_view key) {
  std::vector<int> values;
  const auto* node = table.get(key);
  if (node == nullptr) return values;
  const auto* array = node->as_array();
  if (array == nullptr || (!array->empty() && !array->is_homogeneous(toml::node_type::integer))) {
    fault(node->source().begin, path_of(parent, key), "expected a list of whole numbers");
    return values;
  }
  for (const auto& item : *array) values.push_back(static_cast<int>(item.as_integer()->get()));
  return values;
}

}  // namespace coluber::app

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/keys/registry.hpp"

namespace coluber::keys {

/// All keys of a registry, to be looked up by name and by table.
class KeyTable {
 public:
  explicit KeyTable(const Registry& registry);

  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }
  [[nodiscard]] const Key* find(std::string_view name) const;
  /// The same as this model knows it: with its own words where models differ in them.
  [[nodiscard]] const Key* find(std::string_view name, std::string_view model) const;
  [[nodiscard]] const ListInfo* find_list(std::string_view name) const;
  /// Names one level below `table` ("" is the top), keys and tables, sorted.
  [[nodiscard]] const std::vector<std::string>& names_in(std::string_view table) const;
  /// Keys of an entry of a list that must be given.
  [[nodiscard]] std::vector<std::string> required_in(std::string_view list) const;

 private:
  std::vector<Key> keys_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::map<std::string, std::map<std::string, Key, std::less<>>, std::less<>> own_;  // by model
  std::map<std::string, ListInfo, std::less<>> lists_;
  std::map<std::string, std::vector<std::string>, std::less<>> levels_;
};

/// That of registry().
const KeyTable& key_table();

}  // namespace coluber::keys

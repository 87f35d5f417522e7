#include "scenario/resolve.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/hash.hpp"
#include "coluber/keys/registry.hpp"

namespace coluber::scenario {

namespace {

using keys::Node;
using nlohmann::json;

json to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::boolean:
      return node.boolean;
    case Node::Kind::integer:
      return node.integer;
    case Node::Kind::number:
      if (std::isinf(node.number)) return node.number > 0 ? "inf" : "-inf";  // JSON has none
      return node.number;
    case Node::Kind::text:
      return node.text;
    case Node::Kind::array: {
      json list = json::array();
      for (const Node& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case Node::Kind::table: {
      json table = json::object();
      for (const auto& [word, child] : node.fields) table[word] = to_json(child);
      return table;
    }
    default:
      return nullptr;
  }
}

std::string hash_of_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";  // whoever reads it says so
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return fmt::format("{:016x}", Hasher().update(bytes).finish());
}

json* find(json& root, std::string_view name) {
  json* node = &root;
  for (;;) {
    const std::size_t dot = name.find('.');
    const std::string word(name.substr(0, dot));
    if (!node->is_object() || !node->contains(word)) return nullptr;
    node = &(*node)[word];
    if (dot == std::string_view::npos) return node;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

void resolve(Scenario& scenario, const std::vector<const keys::Section*>& sections) {
  Node tree;
  for (const keys::Section* section : sections) {
    const void* options = section->address(scenario.options.of(*section));
    section->write(options, tree);
  }
  json root = to_json(tree);
  for (const keys::Section* section : sections) {
    for (const keys::Row& row : section->rows()) {
      json* value = find(root, row.key.name);
      if (!row.key.by_contents || value == nullptr || !value->is_string()) continue;
      const std::filesystem::path file = value->get<std::string>();
      *value = file.filename().string();
      const std::string name = row.key.name + "_hash";
      const std::size_t dot = name.rfind('.');
      (*find(root, name.substr(0, dot)))[name.substr(dot + 1)] = hash_of_file(file);
    }
    // entries that are all alike: one table stands for them
    for (const keys::ListRow& list : section->lists()) {
      if (list.info.form != keys::Form::one_for_all) continue;
      json* entries = find(root, list.name);
      if (entries == nullptr || !entries->is_array() || entries->empty()) continue;
      const bool alike = std::all_of(entries->begin(), entries->end(),
                                     [&](const json& each) { return each == entries->front(); });
      if (alike) *entries = json(entries->front());
    }
  }
  root["robot"]["model"] = scenario.model;
  root["robot"]["name"] = scenario.robot.empty() ? json() : json(scenario.robot);
  if (scenario.gait.empty()) {
    root["gait"] = nullptr;
  } else {
    root["gait"]["name"] = scenario.gait;
  }
  if (!scenario.controller.empty()) root["controller"]["name"] = scenario.controller;
  scenario.resolved = root.dump();
  scenario.hash = Hasher().update(scenario.resolved).finish();
}

}  // namespace coluber::scenario

#include "coluber/scenario/base.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/keys/registry.hpp"

#include "scenario/document.hpp"
#include "scenario/make.hpp"
#include "scenario/text_file.hpp"

namespace coluber::scenario {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::optional<std::size_t> number_of(std::string_view word) {
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc{} || end != word.data() + word.size() || value == 0) return {};
  return value;
}

/// A name cut at its first dot: the word, and what is behind it.
std::pair<std::string_view, std::string_view> cut(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {name, {}};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

json to_lossless_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::boolean:
      return node.boolean;
    case Node::Kind::integer:
      return node.integer;
    case Node::Kind::number:
      if (std::isnan(node.number)) return {{"$", "nan"}};
      if (std::isinf(node.number)) return {{"$", node.number > 0 ? "inf" : "-inf"}};
      return node.number;
    case Node::Kind::text:
      return node.text;
    case Node::Kind::array: {
      json list = json::array();
      for (const Node& item : node.items) list.push_back(to_lossless_json(item));
      return list;
    }
    case Node::Kind::table: {
      json table = json::object();
      for (const auto& [word, child] : node.fields) table[word] = to_lossless_json(child);
      return table;
    }
    default:
      return nullptr;
  }
}

Node to_tree(const json& value) {
  if (value.is_boolean()) return keys::make_node(value.get<bool>());
  if (value.is_number_integer()) return keys::make_node(value.get<std::int64_t>());
  if (value.is_number()) return keys::make_node(value.get<double>());
  if (value.is_string()) return keys::make_node(value.get<std::string>());
  if (value.is_array()) {
    Node node;
    node.kind = Node::Kind::array;
    for (const auto& item : value) node.items.push_back(to_tree(item));
    return node;
  }
  if (value.is_object()) {
    if (value.size() == 1 && value.contains("$")) {
      const auto& word = value["$"];
      constexpr double infinity = std::numeric_limits<double>::infinity();
      return keys::make_node(word == "inf"    ? infinity
                             : word == "-inf" ? -infinity
                                              : std::numeric_limits<double>::quiet_NaN());
    }
    Node node;
    for (const auto& [word, child] : value.items()) node.fields.emplace(word, to_tree(child));
    return node;
  }
  return keys::make_none();
}

/// What the resolved scenario has under a name, entries of lists counted from 1; nullptr if
/// nothing.
const json* find_in(const json& root, std::string_view name) {
  const json* at = &root;
  while (!name.empty()) {
    const auto [word, rest] = cut(name);
    name = rest;
    if (at->is_array()) {
      const auto entry = number_of(word);
      if (!entry || *entry > at->size()) return nullptr;
      at = &(*at)[*entry - 1];
    } else {
      const auto found = at->find(word);
      if (found == at->end()) return nullptr;
      at = &*found;
    }
  }
  return at->is_null() ? nullptr : at;
}

/// Lays a value at a place that Base::prepare() found.
void assign(Node& root, const Assignment& assignment) {
  Node* node = &root;
  std::string_view name = assignment.key;
  while (!name.empty()) {
    const auto [word, rest] = cut(name);
    name = rest;
    if (node->is_array()) {
      const auto entry = number_of(word);
      if (!entry || *entry > node->items.size()) {
        throw Error(fmt::format("{}: there is no such entry", assignment.key));
      }
      node = &node->items[*entry - 1];
    } else {
      const auto found = node->fields.find(word);
      if (found != node->fields.end()) {
        node = &found->second;
      } else {
        node = &node->fields[std::string(word)];
        node->where = assignment.value.where;
        node->key = assignment.value.where;
      }
    }
  }
  keys::merge(*node, Node(assignment.value));
}

/// Paths as a machine finds them from any folder.
void make_absolute(Node& node, const std::string& name, const std::vector<Source>& sources) {
  for (auto& [word, child] : node.fields) {
    make_absolute(child, keys::joined(name, word), sources);
  }
  const keys::Key* key = keys::find_key(name);
  const bool path = key != nullptr && !key->written &&
                    (key->type == keys::KeyType::path || key->type == keys::KeyType::path_list);
  for (Node& item : node.items) make_absolute(item, name, sources);
  if (!path || node.kind != Node::Kind::text || node.text.empty()) return;
  const fs::path& folder = sources.at(static_cast<std::size_t>(node.where.source)).folder;
  std::error_code failure;
  const fs::path whole = fs::absolute(folder / node.text, failure);
  if (!failure) node.text = whole.lexically_normal().string();
}

}  // namespace

std::string to_json_text(const keys::Node& node) { return to_lossless_json(node).dump(); }

keys::Node from_json_text(std::string_view text) {
  const json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) refuse({.file = "<text>"}, "is not JSON", "");
  return to_tree(value);
}

KeyTarget find_target(std::string_view key) {
  KeyTarget target;
  std::string name;
  std::string_view rest = key;
  std::size_t last = 0;  // the number at its end
  while (!rest.empty()) {
    const auto [word, behind] = cut(rest);
    rest = behind;
    const auto number = number_of(word);
    last = number && rest.empty() ? *number : 0;
    if (!number) name = keys::joined(name, std::string(word));
  }
  target.row = keys::find_key(name);
  if (target.row == nullptr) return target;
  target.key = *target.row;
  if (last == 0) return target;
  using Type = keys::KeyType;
  switch (target.row->type) {
    case Type::pair:
    case Type::numbers:
    case Type::number_or_numbers:
    case Type::word_or_numbers:
      target.key.type = Type::number;
      target.component = static_cast<int>(last);
      break;
    case Type::integers:
      target.key.type = Type::integer;
      target.component = static_cast<int>(last);
      break;
    default:
      target.row = nullptr;  // a number behind what has no components
  }
  return target;
}

struct Base::Impl {
  Document document;
  Scenario scenario;
  json resolved;

  void finish(Faults& faults) {
    Document copy = document;
    scenario = make_scenario(copy, faults, Extent::whole);
    resolved = json::parse(scenario.resolved);
  }
};

namespace {

/// The values of a sweep file, with places of their own, then those of the command line.
void lay_over(Document& document, const Base::Over& over, const Overrides& overrides,
              Faults& faults) {
  const int source = static_cast<int>(document.sources.size());
  if (!over.values.empty()) document.sources.push_back({over.name, over.folder});
  const auto place = [source](auto&& self, Node& node) -> void {
    node.where.source = source;
    node.key.source = source;
    for (Node& item : node.items) self(self, item);
    for (auto& [word, field] : node.fields) self(self, field);
  };
  for (const Assignment& assignment : over.values) {
    Node value = assignment.value;
    place(place, value);
    const Place where = value.key.line > 0 ? value.key : value.where;
    apply_value(document, assignment.key, std::move(value), where, faults);
  }
  apply_overrides(document, overrides, faults);
}

}  // namespace

Base Base::load(const fs::path& file, const Over& over, const Overrides& overrides) {
  Faults faults;
  auto impl = std::make_shared<Impl>();
  impl->document = read_document(file, {}, faults);
  lay_over(impl->document, over, overrides, faults);
  impl->finish(faults);
  impl->scenario.path = file;
  if (impl->scenario.title.empty()) impl->scenario.title = file.stem().string();
  return Base(std::move(impl));
}

Base Base::parse(const std::string& text, const fs::path& folder, const std::string& name,
                 const Over& over, const Overrides& overrides) {
  Faults faults;
  auto impl = std::make_shared<Impl>();
  impl->document = parse_document(text, name, folder, {}, faults);
  lay_over(impl->document, over, overrides, faults);
  impl->finish(faults);
  if (impl->scenario.title.empty()) impl->scenario.title = name;
  return Base(std::move(impl));
}

Base Base::from_text(std::string_view text) {
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object() || !all.contains("values") || !all["values"].is_object() ||
      !all.value("/text"_json_pointer, json()).is_string() ||
      !all.value("/name"_json_pointer, json()).is_string()) {
    refuse({.file = "<text>"}, "is not the text of a base scenario", "");
  }
  Faults faults;
  auto impl = std::make_shared<Impl>();
  impl->document.root = to_tree(all["values"]);
  impl->document.text = all["text"].get<std::string>();
  const fs::path name = all["name"].get<std::string>();
  impl->document.sources.push_back({name.string(), fs::path("/")});
  impl->finish(faults);
  if (impl->scenario.title.empty()) impl->scenario.title = name.stem().string();
  return Base(std::move(impl));
}

const Scenario& Base::scenario() const { return impl_->scenario; }

std::string Base::to_text() const {
  Node values = impl_->document.root;
  make_absolute(values, "", impl_->document.sources);
  return json{{"name", fs::path(impl_->document.sources.front().name).filename().string()},
              {"text", impl_->document.text},
              {"values", to_lossless_json(values)}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string Base::prepare(const std::string& key) {
  // the lists on the way, at their defaults or those of the catalogue's robot
  std::size_t end = 0;
  while (end != std::string::npos) {
    end = key.find('.', end == 0 ? 0 : end + 1);
    const std::string passed = key.substr(0, end);
    const std::string_view next = end == std::string::npos
                                      ? std::string_view()
                                      : cut(std::string_view(key).substr(end + 1)).first;
    if (!number_of(next) || impl_->document.root.find_path(passed) != nullptr) continue;
    const json* list = find_in(impl_->resolved, passed);
    if (list == nullptr || !list->is_array()) {
      return list == nullptr ? fmt::format("the base scenario has no {}", passed)
                             : fmt::format("{} is no list in the base scenario", passed);
    }
    const bool numbers = std::ranges::all_of(*list, [](const json& v) { return v.is_number(); });
    const json* now = find_in(impl_->resolved, key);
    Faults faults;
    if (numbers) {
      apply_value(impl_->document, passed, to_tree(*list), {}, faults);
    } else if (now != nullptr) {
      apply_value(impl_->document, key, to_tree(*now), {}, faults);
    }
    if (impl_->document.root.find_path(passed) == nullptr) {
      return fmt::format("{} comes from the catalogue: write it into the base scenario", passed);
    }
  }
  Document trial = impl_->document;
  Faults faults;
  apply_value(trial, key, keys::make_none(), {}, faults);
  try {
    faults.raise(trial.sources);
  } catch (const InputError& error) {
    return error.faults().front().message;
  }
  return "";
}

Scenario Base::make(std::span<const Assignment> values) const {
  Document document;
  document.root = impl_->document.root;
  document.sources = impl_->document.sources;
  for (const Assignment& assignment : values) assign(document.root, assignment);
  Faults faults;
  Scenario scenario = make_scenario(document, faults, Extent::options);
  if (scenario.title.empty()) scenario.title = impl_->scenario.title;
  return scenario;
}

Scenario Base::make_whole(std::span<const Assignment> values) const {
  Document document = impl_->document;
  for (const Assignment& assignment : values) assign(document.root, assignment);
  Faults faults;
  Scenario scenario = make_scenario(document, faults, Extent::whole);
  scenario.path = impl_->scenario.path;
  if (scenario.title.empty()) scenario.title = impl_->scenario.title;
  return scenario;
}

}  // namespace coluber::scenario

#include "coluber/keys/node.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "coluber/keys/key.hpp"

namespace coluber::keys {

const Node* Node::find(std::string_view field) const {
  const auto found = fields.find(field);
  return found == fields.end() ? nullptr : &found->second;
}

namespace {

/// Entry `number` of a list, counted from 1; nullptr if there is none.
const Node* find_entry(const Node& list, std::string_view number) {
  std::size_t at = 0;
  const auto [stop, fault] = std::from_chars(number.begin(), number.end(), at);
  if (fault != std::errc{} || stop != number.end() || at == 0 || at > list.items.size())
    return nullptr;
  return &list.items[at - 1];
}

}  // namespace

const Node* Node::find_path(std::string_view name) const {
  const Node* node = this;
  for (;;) {
    const std::size_t dot = name.find('.');
    const std::string_view word = name.substr(0, dot);
    node = node->is_table()   ? node->find(word)
           : node->is_array() ? find_entry(*node, word)
                              : nullptr;
    if (node == nullptr || dot == std::string_view::npos) return node;
    name.remove_prefix(dot + 1);
  }
}

Node& Node::at_path(std::string_view name) {
  Node* node = this;
  for (;;) {
    const std::size_t dot = name.find('.');
    node = &node->fields.try_emplace(std::string(name.substr(0, dot))).first->second;
    if (dot == std::string_view::npos) return *node;
    name.remove_prefix(dot + 1);
  }
}

Node make_node(bool value) {
  Node node;
  node.kind = Node::Kind::boolean;
  node.boolean = value;
  return node;
}

Node make_node(std::int64_t value) {
  Node node;
  node.kind = Node::Kind::integer;
  node.integer = value;
  return node;
}

Node make_node(double value) {
  Node node;
  node.kind = Node::Kind::number;
  node.number = value;
  return node;
}

Node make_node(std::string value) {
  Node node;
  node.kind = Node::Kind::text;
  node.text = std::move(value);
  return node;
}

Node make_node(const std::vector<double>& values) {
  Node node;
  node.kind = Node::Kind::array;
  for (const double value : values) node.items.push_back(make_node(value));
  return node;
}

Node make_node(const std::vector<std::string>& values) {
  Node node;
  node.kind = Node::Kind::array;
  for (const std::string& value : values) node.items.push_back(make_node(value));
  return node;
}

Node make_none() {
  Node node;
  node.kind = Node::Kind::none;
  return node;
}

void merge(Node& base, Node&& over) {
  if (!base.is_table() || !over.is_table()) {
    base = std::move(over);
    return;
  }
  base.where = over.where;
  base.key = over.key;
  for (auto& [name, child] : over.fields) {
    const auto [place, fresh] = base.fields.try_emplace(name);
    if (fresh) {
      place->second = std::move(child);
    } else {
      merge(place->second, std::move(child));
    }
  }
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::boolean:
      return to_toml(node.boolean);
    case Node::Kind::integer:
      return to_toml(node.integer);
    case Node::Kind::number:
      return to_toml(node.number);
    case Node::Kind::text: {
      constexpr std::size_t longest = 60;
      if (node.text.size() <= longest) return to_toml(node.text);
      return to_toml(node.text.substr(0, longest) + "…");
    }
    case Node::Kind::date:
      return "a date or time";
    case Node::Kind::array:
      return fmt::format("a list of {}", node.items.size());
    case Node::Kind::table:
      return "a table";
    case Node::Kind::none:
      return "nothing";
  }
  return "something else";
}

std::string joined(const std::string& path, const std::string& word) {
  return path.empty() ? word : fmt::format("{}.{}", path, word);
}

SourceLocation to_location(const Place& place, const std::vector<Source>& sources) {
  return {.file = sources.at(static_cast<std::size_t>(place.source)).name,
          .line = place.line,
          .column = place.column};
}

}  // namespace coluber::keys

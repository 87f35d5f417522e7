// The only file that sees toml++: from files to one tree of values with their places.

#include "scenario/document.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "coluber/core/nearest.hpp"
#include "coluber/keys/key.hpp"
#include "coluber/keys/registry.hpp"

#include "keys/limits.hpp"
#include "scenario/text_file.hpp"

namespace coluber::scenario {

using keys::describe;
using keys::merge;
using keys::to_location;
namespace limits = keys::limits;
namespace fs = std::filesystem;

namespace {

Place to_place(const toml::source_region& region, int source) {
  return {.source = source,
          .line = static_cast<int>(region.begin.line),
          .column = static_cast<int>(region.begin.column)};
}

Node convert(const toml::node& from, int source) {
  Node node;
  node.where = to_place(from.source(), source);
  if (const auto* table = from.as_table()) {
    node.kind = Node::Kind::table;
    for (const auto& [key, value] : *table) {
      Node child = convert(value, source);
      child.key = to_place(key.source(), source);
      node.fields.emplace(std::string(key.str()), std::move(child));
    }
  } else if (const auto* array = from.as_array()) {
    node.kind = Node::Kind::array;
    node.items.reserve(array->size());
    for (const toml::node& item : *array) {
      node.items.push_back(convert(item, source));
      node.items.back().key = node.items.back().where;
    }
  } else if (const auto* text = from.as_string()) {
    node.kind = Node::Kind::text;
    node.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    node.kind = Node::Kind::integer;
    node.integer = integer->get();
  } else if (const auto* number = from.as_floating_point()) {
    node.kind = Node::Kind::number;
    node.number = number->get();
  } else if (const auto* boolean = from.as_boolean()) {
    node.kind = Node::Kind::boolean;
    node.boolean = boolean->get();
  } else {
    node.kind = Node::Kind::date;
  }
  return node;
}

/// The beginning of a text, of so many bytes at the most, whole characters.
std::string_view beginning(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

/// What to do about a syntax error, from the line it is in.
std::string syntax_hint(std::string_view text, const toml::source_region& where) {
  std::size_t begin = 0;
  for (toml::source_index line = 1; line < where.begin.line; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  std::string_view line = beginning(text.substr(begin, text.find('\n', begin) - begin), 80);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  const std::string rule =
      "TOML is  key = value,  [table]  and  # comment; words need quotes, decimals a leading digit";
  return line.empty() ? rule : fmt::format("the line is  {}  – {}", line, rule);
}

Node parse_text(const std::string& text, const std::string& name, int source) {
  check_text(text, name);
  try {
    const toml::table table = toml::parse(std::string_view(text), std::string_view(name));
    return convert(table, source);
  } catch (const toml::parse_error& error) {
    std::string message(error.description());
    if (!message.empty()) message.front() = static_cast<char>(std::tolower(message.front()));
    refuse({.file = name,
            .line = static_cast<int>(error.source().begin.line),
            .column = static_cast<int>(error.source().begin.column)},
           "syntax: " + message, syntax_hint(text, error.source()));
  }
}

// ---- includes ------------------------------------------------------------------------------

class Reader {
 public:
  explicit Reader(Document& document) : document_(document) {}

  /// The tree of `text` on top of the trees of its includes.
  Node read(const std::string& text, const std::string& name, const fs::path& folder) {
    const int source = static_cast<int>(document_.sources.size());
    document_.sources.push_back({name, folder});
    Node own = parse_text(text, name, source);
    const auto found = own.fields.find("include");
    if (found == own.fields.end()) return own;
    const Node include = std::move(found->second);
    own.fields.erase(found);

    Node merged;
    for (const Node& entry : include_entries(include)) {
      merge(merged, read_include(entry));
    }
    merge(merged, std::move(own));
    return merged;
  }

  void push(const fs::path& file) { open_.push_back(identity(file)); }

 private:
  std::vector<Node> include_entries(const Node& include) {
    const std::string hint = "for example  include = [\"aiko.toml\"]";
    const auto wrong = [&](const Node& node) {
      refuse(to_location(node.where, document_.sources),
             "expected a path in quotes, or a list of them, got " + describe(node), hint,
             "include");
    };
    if (include.kind == Node::Kind::text) return {include};
    if (!include.is_array()) wrong(include);
    for (const Node& entry : include.items) {
      if (entry.kind != Node::Kind::text) wrong(entry);
    }
    return include.items;
  }

  Node read_include(const Node& entry) {
    const Source includer = document_.sources.at(static_cast<std::size_t>(entry.where.source));
    const SourceLocation where = to_location(entry.where, document_.sources);
    const fs::path file = includer.folder / fs::path(entry.text);
    if (std::find(open_.begin(), open_.end(), identity(file)) != open_.end()) {
      refuse(where, fmt::format("\"{}\" includes itself, by way of {}", entry.text, includer.name),
             "break the circle: leave one of the includes out", "include");
    }
    if (++count_ > limits::included_files) {
      refuse(where, fmt::format("more than {} includes", limits::included_files),
             "merge some of the files", "include");
    }
    FileText contents = read_file(file);
    if (!contents.fault.empty()) {
      refuse(where, fmt::format("\"{}\" {}", entry.text, contents.fault), contents.hint, "include");
    }
    // shown beside the file that includes it
    const fs::path shown = fs::path(includer.name).parent_path() / fs::path(entry.text);
    push(file);
    Node node = read(contents.text, shown.lexically_normal().string(), file.parent_path());
    open_.pop_back();
    return node;
  }

  static fs::path identity(const fs::path& file) {
    std::error_code failure;
    fs::path canonical = fs::weakly_canonical(file, failure);
    return failure ? file.lexically_normal() : canonical;
  }

  Document& document_;
  std::vector<fs::path> open_;  ///< files being read, outermost first
  int count_ = 0;
};

// ---- overrides -----------------------------------------------------------------------------

/// The value of `--set key=value`: TOML, or a bare word taken as text.
std::optional<Node> parse_value(const std::string& text, int source) {
  if (text.find_first_of("\n\r") != std::string::npos) return std::nullopt;
  const std::string line = "value = " + text;
  std::optional<Node> node;
  try {
    check_text(line, "--set");
    const toml::table table = toml::parse(std::string_view(line));
    if (table.size() == 1) node = convert(*table.get("value"), source);
  } catch (const toml::parse_error&) {
    if (!text.empty() && text.find_first_of("\"'[]{}#=, \t") == std::string::npos) {
      node.emplace();
      node->kind = Node::Kind::text;
      node->text = text;
    }
  } catch (const InputError&) {
    return std::nullopt;  // no text, or absurdly deep
  }
  return node;
}

/// Places in a `--set` mean nothing: it names itself.
void forget_places(Node& node, int source) {
  node.where = {.source = source};
  node.key = node.where;
  for (Node& item : node.items) forget_places(item, source);
  for (auto& [name, field] : node.fields) forget_places(field, source);
}

std::optional<std::size_t> to_index(std::string_view word) {
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::string trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return std::string{};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The robot of the catalogue that a document names when all overrides are in.
struct Named {
  std::string name{};
  Node tree{};  ///< its values; empty if there is no such robot
};

Named find_named(const Node& root, const Overrides& overrides) {
  Named named;
  const auto take = [&named](const Node* node) {
    if (node != nullptr && node->kind == Node::Kind::text) named.name = node->text;
  };
  take(root.find_path("robot.name"));
  for (const std::string& assignment : overrides) {
    const std::size_t equals = assignment.find('=');
    const std::string key = trim(assignment.substr(0, equals));
    if (equals == std::string::npos || (key != "robot.name" && key != "robot")) continue;
    const std::optional<Node> value = parse_value(trim(assignment.substr(equals + 1)), 0);
    if (value) take(key == "robot" ? value->find("name") : &*value);
  }
  const auto& robots = keys::registry().robots;
  const auto found = std::ranges::find(robots, named.name, &keys::CatalogueRobot::name);
  if (found != robots.end()) named.tree = parse_node(found->toml, found->name);
  return named;
}

void assign(Document& document, const std::string& key, Node value, const Place& where,
            const Named& robot, Faults& faults) {
  // down the dotted key; tables that are not there yet appear, list entries must exist: in the
  // file, or else in the catalogue's robot, whose list is then the scenario's own
  Node* node = &document.root;
  std::string passed;
  std::string_view rest = key;
  for (;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view word = rest.substr(0, dot);
    if (node->is_array()) {
      const std::optional<std::size_t> index = to_index(word);
      if (!index || *index < 1 || *index > node->items.size()) {
        faults.add(where, key,
                   fmt::format("{} is a list of {}, it has no entry \"{}\"", passed,
                               node->items.size(), word),
                   node->items.empty() ? "give the whole list"
                                       : fmt::format("entries are numbered from 1:  {}.1 … {}.{}",
                                                     passed, passed, node->items.size()));
        return;
      }
      node = &node->items[*index - 1];
    } else if (node->is_table()) {
      const auto [child, fresh] = node->fields.try_emplace(std::string(word));
      node = &child->second;
      if (fresh) {
        node->where = where;
        node->key = where;
      }
      const Node* listed = fresh && dot != std::string_view::npos
                               ? robot.tree.find_path(keys::joined(passed, std::string(word)))
                               : nullptr;
      if (listed != nullptr && listed->is_array()) {
        *node = *listed;
        forget_places(*node, static_cast<int>(document.sources.size()));
        document.sources.push_back({fmt::format("robot \"{}\"", robot.name), fs::path(".")});
      }
    } else {
      faults.add(where, key, fmt::format("{} is {}, not a table", passed, describe(*node)),
                 "coluber list keys prints every key");
      return;
    }
    if (!passed.empty()) passed += '.';
    passed += word;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  merge(*node, std::move(value));
}

void apply_override(Document& document, const std::string& assignment, const Named& robot,
                    Faults& faults) {
  const int source = static_cast<int>(document.sources.size());
  // Every value of a list says where it comes from: a list of a thousand bodies does not repeat
  // itself in each of them.
  const std::string_view begin = beginning(assignment, 200);
  document.sources.push_back(
      {fmt::format("--set {}{}", begin, begin.size() < assignment.size() ? "…" : ""),
       fs::path(".")});
  const Place where{.source = source};

  const std::size_t equals = assignment.find('=');
  const std::string key = trim(assignment.substr(0, equals));
  if (equals == std::string::npos || key.empty()) {
    faults.add(where, "", "expected key=value", "for example  --set solver.dt=5e-4");
    return;
  }
  if (key == "include") {
    faults.add(where, key, "cannot be set from the command line",
               "write it in the scenario file, or run the other file");
    return;
  }
  if (key.starts_with('.') || key.ends_with('.') || key.find("..") != std::string::npos ||
      std::count(key.begin(), key.end(), '.') > limits::dots) {
    faults.add(where, key, "is not a key", "coluber list keys prints them all");
    return;
  }
  const std::string given = trim(assignment.substr(equals + 1));
  const keys::Key* row = keys::find_key(key);
  std::optional<Node> value = parse_value(given, source);
  // the shell takes the quotes of  --set world.obstacle_table=""
  if (given.empty() && row != nullptr && row->type == keys::KeyType::path) {
    value = keys::make_node(std::string());
  }
  if (!value) {
    faults.add(where, key, "the value is not TOML",
               fmt::format("for example  --set {}={}; quote it from the shell:  --set '…'", key,
                           row != nullptr ? row->example : "1.0"));
    return;
  }
  forget_places(*value, source);

  assign(document, key, std::move(*value), where, robot, faults);
}

void finish(Document& document, Node root, const Overrides& overrides, Faults& faults) {
  document.root = std::move(root);
  if (overrides.empty()) return;
  const Named robot = find_named(document.root, overrides);
  for (const std::string& assignment : overrides) {
    apply_override(document, assignment, robot, faults);
  }
}

}  // namespace

void apply_overrides(Document& document, const Overrides& overrides, Faults& faults) {
  finish(document, std::move(document.root), overrides, faults);
}

void apply_value(Document& document, const std::string& key, Node value, const Place& where,
                 Faults& faults) {
  if (key.empty() || key.starts_with('.') || key.ends_with('.') ||
      key.find("..") != std::string::npos ||
      std::count(key.begin(), key.end(), '.') > limits::dots) {
    faults.add(where, key, "is not a key", "coluber list keys prints them all");
    return;
  }
  Overrides naming;
  if (key == "robot.name" && value.kind == Node::Kind::text) {
    naming.push_back("robot.name=\"" + value.text + '"');
  }
  assign(document, key, std::move(value), where, find_named(document.root, naming), faults);
}

Document read_document(const fs::path& file, const Overrides& overrides, Faults& faults) {
  FileText contents = read_file(file);
  if (!contents.fault.empty()) {
    refuse({.file = file.string()}, contents.fault, contents.hint);
  }
  Document document;
  document.text = contents.text;
  Reader reader(document);
  reader.push(file);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  Node root = reader.read(contents.text, file.string(), folder);
  finish(document, std::move(root), overrides, faults);
  return document;
}

Document parse_document(const std::string& text, const std::string& name, const fs::path& folder,
                        const Overrides& overrides, Faults& faults) {
  Document document;
  document.text = text;
  Node root = Reader(document).read(text, name, folder);
  finish(document, std::move(root), overrides, faults);
  return document;
}

Node parse_node(const std::string& text, const std::string& name) {
  return parse_text(text, name, 0);
}

}  // namespace coluber::scenario

#include "scenario/validate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "coluber/core/nearest.hpp"
#include "coluber/scenario/keys.hpp"

#include "scenario/limits.hpp"

namespace coluber::scenario {

namespace {

bool is_list_of_tables(std::string_view name) {
  return name == "world.obstacle" || name == "robot.link";
}

std::string_view last_word(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

/// Names one level below `table` ("" is the top), keys and tables, sorted.
const std::vector<std::string>& names_in(std::string_view table) {
  static const auto levels = [] {
    std::map<std::string, std::set<std::string>, std::less<>> names;
    for (const Key& key : keys()) {
      for (std::size_t begin = 0, dot = 0; dot != std::string::npos; begin = dot + 1) {
        dot = key.name.find('.', begin);
        names[key.name.substr(0, begin == 0 ? 0 : begin - 1)].insert(
            key.name.substr(begin, dot - begin));
      }
    }
    std::map<std::string, std::vector<std::string>, std::less<>> lists;
    for (const auto& [name, words] : names) lists[name] = {words.begin(), words.end()};
    return lists;
  }();
  static const std::vector<std::string> none;
  const auto found = levels.find(table);
  return found == levels.end() ? none : found->second;
}

std::optional<double> as_number(const Node& node) {
  if (node.kind == Node::Kind::number) return node.number;
  if (node.kind == Node::Kind::integer) return static_cast<double>(node.integer);
  return std::nullopt;
}

bool in_range(const Key& key, double x) {
  if (std::isnan(x)) return false;
  if (std::isinf(x) && !key.infinity_allowed) return false;
  if (key.above_min ? !(x > key.min) : !(x >= key.min)) return false;
  return x <= key.max;
}

bool is_default(const Key& key, const Node& node) {
  if (const auto* x = std::get_if<double>(&key.default_value)) return as_number(node) == *x;
  if (const auto* x = std::get_if<std::int64_t>(&key.default_value)) {
    return node.kind == Node::Kind::integer && node.integer == *x;
  }
  if (const auto* x = std::get_if<std::string>(&key.default_value)) {
    return node.kind == Node::Kind::text && node.text == *x;
  }
  if (const auto* x = std::get_if<std::vector<double>>(&key.default_value)) {
    return node.is_array() &&
           std::equal(node.items.begin(), node.items.end(), x->begin(), x->end(),
                      [](const Node& item, double value) { return as_number(item) == value; });
  }
  return false;  // no other kind of default is asked about
}

class Validator {
 public:
  /// `model` is the robot's, "" if it is not known.
  Validator(std::string model, Faults& faults) : model_(std::move(model)), faults_(faults) {}

  /// `name` is the row's name ("world.obstacle"), `path` the user's ("world.obstacle.3").
  void table(Node& node, const std::string& name, const std::string& path) {
    for (auto& [word, child] : node.fields) {
      const std::string child_name = joined(name, word);
      const std::string child_path = joined(path, word);
      if (const Key* key = find_key(child_name)) {
        value(child, *key, child_path);
      } else if (!names_in(child_name).empty()) {
        section(child, child_name, child_path);
      } else {
        unknown(child, word, name, child_path);
      }
    }
  }

 private:
  void fault(Node& node, const std::string& path, std::string message, std::string hint) {
    node.valid = false;
    faults_.add(node.where, path, std::move(message), std::move(hint));
  }

  void section(Node& node, const std::string& name, const std::string& path) {
    if (node.is_table() && name != "world.obstacle") {
      table(node, name, path);
      return;
    }
    if (!is_list_of_tables(name)) {
      fault(node, path, "expected a table, got " + describe(node),
            fmt::format("write  [{}]  and its keys below it", name));
      return;
    }
    const std::string hint =
        name == "robot.link"
            ? "write  link = { mass = 0.682, … }  for all links, or  [[robot.link]]  once a link"
            : "write  [[world.obstacle]]  once an obstacle, then x, y and radius";
    if (!node.is_array()) {
      fault(node, path,
            fmt::format("expected {}a list of tables, got {}",
                        name == "robot.link" ? "a table or " : "", describe(node)),
            hint);
      return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Node& item = node.items[i];
      const std::string item_path = fmt::format("{}.{}", path, i + 1);
      if (item.is_table()) {
        table(item, name, item_path);
      } else {
        fault(item, item_path, "expected a table, got " + describe(item), hint);
      }
    }
  }

  void unknown(Node& node, const std::string& word, const std::string& table,
               const std::string& path) {
    node.valid = false;
    std::string hint;
    if (const std::string guess = nearest(word, names_in(table)); !guess.empty()) {
      hint = fmt::format("did you mean {}?", guess);
    }
    if (hint.empty() && table == "robot.link" &&
        word.find_first_not_of("0123456789") == std::string::npos) {
      hint =
          "robot.link is one table for all links; write  [[robot.link]]  once a link to tell "
          "them apart";
    }
    // the right word in the wrong table
    for (const Key& key : keys()) {
      if (hint.empty() && last_word(key.name) == word) {
        hint = fmt::format("did you mean {}?", key.name);
      }
    }
    if (hint.empty()) {
      std::string known;
      for (const std::string& name : names_in(table)) known += (known.empty() ? "" : ", ") + name;
      hint = fmt::format("{} knows {}; coluber list keys explains them",
                         table.empty() ? "the top of a file" : '[' + table + ']', known);
    }
    faults_.add(node.key, path, "unknown key", std::move(hint));
  }

  void value(Node& node, const Key& key, const std::string& path) {
    if (!fits(node, key)) {
      wrong(node, key, path);
      return;
    }
    if (!key.built && !is_default(key, node)) {
      std::string hint = to_toml(key.default_value);
      hint = hint.empty()
                 ? "leave it out"
                 : fmt::format("leave it out, or write  {} = {}", last_word(key.name), hint);
      fault(node, path, fmt::format("{} is not built yet", describe(node)), hint);
      return;
    }
    if (!model_.empty() && !goes_with(key, model_) && !is_default(key, node)) {
      fault(node, path,
            fmt::format("goes with robot.model = \"{}\", this robot is \"{}\"",
                        fmt::join(key.models, "\" or \""), model_),
            fmt::format("leave it out, or write  model = \"{}\"  in [robot]", key.models.front()));
      return;
    }
    for (const Choice& choice : key.choices) {
      if (!choice.built && node.kind == Node::Kind::text && choice.name == node.text) {
        fault(node, path, fmt::format("\"{}\" is not built yet", choice.name),
              "built are " + built_words(key));
      }
    }
  }

  static bool fits(const Node& node, const Key& key) {
    const auto is_word = [&key](const Node& x) {
      return x.kind == Node::Kind::text &&
             std::any_of(key.choices.begin(), key.choices.end(),
                         [&x](const Choice& choice) { return choice.name == x.text; });
    };
    const auto is_number = [&key](const Node& x) {
      const std::optional<double> number = as_number(x);
      return number && in_range(key, *number);
    };
    const auto are_numbers = [&](const Node& x) {
      return x.is_array() && std::all_of(x.items.begin(), x.items.end(), is_number);
    };
    switch (key.type) {
      case KeyType::number:
        return is_number(node);
      case KeyType::integer:
        return node.kind == Node::Kind::integer && is_number(node);
      case KeyType::boolean:
        return node.kind == Node::Kind::boolean;
      case KeyType::text:
        return node.kind == Node::Kind::text &&
               std::none_of(node.text.begin(), node.text.end(),
                            [](char c) { return static_cast<unsigned char>(c) < 0x20; });
      case KeyType::path:
        return node.kind == Node::Kind::text && !node.text.empty();
      case KeyType::choice:
        return is_word(node);
      case KeyType::pair:
        return are_numbers(node) && node.items.size() == 2;
      case KeyType::gains:
        return is_number(node) || (are_numbers(node) && !node.items.empty());
      case KeyType::start_shape:
        return is_word(node) || are_numbers(node);
      case KeyType::path_list:
        return false;  // taken out by the reader; a second one cannot appear
    }
    return false;
  }

  static std::string built_words(const Key& key) {
    std::string words;
    for (const Choice& choice : key.choices) {
      if (choice.built) words += (words.empty() ? "\"" : ", \"") + choice.name + '"';
    }
    return words;
  }

  void wrong(Node& node, const Key& key, const std::string& path) {
    std::string hint;
    const bool wants_word = key.type == KeyType::choice || key.type == KeyType::start_shape;
    if (wants_word && node.kind == Node::Kind::text) {
      std::vector<std::string> words;
      for (const Choice& choice : key.choices) words.push_back(choice.name);
      if (const std::string guess = nearest(node.text, words); !guess.empty()) {
        hint = fmt::format("did you mean \"{}\"?", guess);
      }
    }
    if (hint.empty()) {
      hint = fmt::format("{}{}{}, for example  {} = {}", key.doc, key.unit.empty() ? "" : ", in ",
                         key.unit, last_word(key.name), key.example);
    }
    // in a list of numbers, name the one that is wrong
    if (node.is_array() && (key.type == KeyType::pair || key.type == KeyType::gains ||
                            key.type == KeyType::start_shape)) {
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        const std::optional<double> number = as_number(node.items[i]);
        if (number && in_range(key, *number)) continue;
        node.valid = false;
        faults_.add(node.items[i].where, path,
                    fmt::format("expected {}, got {} as number {}", expectation(key),
                                describe(node.items[i]), i + 1),
                    hint);
      }
      if (!node.valid) return;
    }
    fault(node, path, fmt::format("expected {}, got {}", expectation(key), describe(node)), hint);
  }

  std::string model_;
  Faults& faults_;
};

/// The model the document asks for; "" if that is no model.
std::string find_model(const Document& document) {
  const Key& key = *find_key("robot.model");
  const Node* robot = document.root.find("robot");
  const Node* model = robot != nullptr && robot->is_table() ? robot->find("model") : nullptr;
  if (model == nullptr) return std::get<std::string>(key.default_value);
  for (const Choice& choice : key.choices) {
    if (model->kind == Node::Kind::text && model->text == choice.name) return choice.name;
  }
  return "";
}

}  // namespace

void validate(Document& document, Faults& faults) {
  Validator(find_model(document), faults).table(document.root, "", "");
}

}  // namespace coluber::scenario

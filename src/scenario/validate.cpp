#include "scenario/validate.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/nearest.hpp"
#include "coluber/keys/registry.hpp"

#include "keys/key_table.hpp"

namespace coluber::scenario {

using keys::Choice;
using keys::describe;
using keys::expectation;
using keys::fits;
using keys::goes_with;
using keys::is_default;
using keys::joined;
using keys::Key;
using keys::KeyType;
using keys::last_word;
using keys::to_toml;

namespace {

class Validator {
 public:
  Validator(keys::Check::Words words, const std::map<std::string, Node, std::less<>>& defaults,
            Faults& faults)
      : words_(std::move(words)), defaults_(defaults), faults_(faults), table_(keys::key_table()) {}

  /// `name` is the row's name ("world.obstacle"), `path` the user's ("world.obstacle.3").
  void table(Node& node, const std::string& name, const std::string& path) {
    for (auto& [word, child] : node.fields) {
      const std::string child_name = joined(name, word);
      const std::string child_path = joined(path, word);
      if (const Key* key = table_.find(child_name, words_.model)) {
        value(child, *key, child_path, node);
      } else if (!table_.names_in(child_name).empty()) {
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

  /// A table, or what is written as tables: a list, one table for all, one that may be absent.
  void section(Node& node, const std::string& name, const std::string& path) {
    const keys::ListInfo* list = table_.find_list(name);
    const bool may_be_table = list == nullptr || list->form != keys::Form::list;
    if (node.is_table() && may_be_table) {
      table(node, name, path);
      if (list != nullptr && list->form == keys::Form::optional) {
        std::vector<std::string> required = table_.required_in(name);
        std::erase_if(required, [&](const std::string& word) {
          return defaults_.contains(joined(name, word));  // the catalogue's robot has it
        });
        require(node, *list, required, path);
      }
      return;
    }
    if (list == nullptr || list->form == keys::Form::optional) {
      fault(node, path, "expected a table, got " + describe(node),
            fmt::format("write  [{}]  and its keys below it", name));
      return;
    }
    const bool one_for_all = list->form == keys::Form::one_for_all;
    const std::string hint = !list->hint.empty()
                                 ? list->hint
                                 : fmt::format("write  [[{}]]  once per {}", name, last_word(name));
    if (!node.is_array()) {
      fault(node, path,
            fmt::format("expected {}a list of tables, got {}", one_for_all ? "a table or " : "",
                        describe(node)),
            hint);
      return;
    }
    const std::vector<std::string> required = table_.required_in(name);
    const std::size_t faults_before = faults_.size();
    bool all_tables = true;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Node& item = node.items[i];
      const std::string item_path = fmt::format("{}.{}", path, i + 1);
      if (item.is_table()) {
        table(item, name, item_path);
        require(item, *list, required, item_path);
      } else {
        fault(item, item_path, "expected a table, got " + describe(item), hint);
        all_tables = false;
      }
    }
    // Checks of a list that has been refused would only tell of its faults again.
    if (!all_tables || (!one_for_all && faults_.size() > faults_before)) node.valid = false;
  }

  /// Every key that must be given is.
  void require(const Node& node, const keys::ListInfo& list,
               const std::vector<std::string>& required, const std::string& path) {
    std::string missing;
    for (const std::string& word : required) {
      if (node.find(word) == nullptr) missing += (missing.empty() ? "" : ", ") + word;
    }
    if (missing.empty()) return;
    faults_.add(node.where, path, "missing: " + missing,
                fmt::format("{} is  {}", list.noun, list.example));
  }

  void unknown(Node& node, const std::string& word, const std::string& table,
               const std::string& path) {
    node.valid = false;
    std::string hint;
    if (const std::string guess = nearest(word, table_.names_in(table)); !guess.empty()) {
      hint = fmt::format("did you mean {}?", guess);
    }
    const keys::ListInfo* list = table_.find_list(table);
    if (hint.empty() && list != nullptr && list->form == keys::Form::one_for_all &&
        word.find_first_not_of("0123456789") == std::string::npos) {
      hint = fmt::format("{} is one table for all; write  [[{}]]  once per {} to tell them apart",
                         table, table, last_word(table));
    }
    // the right word in the wrong table
    for (const Key& key : table_.keys()) {
      if (hint.empty() && last_word(key.name) == word) {
        hint = fmt::format("did you mean {}?", key.name);
      }
    }
    if (hint.empty()) {
      std::string known;
      for (const std::string& name : table_.names_in(table))
        known += (known.empty() ? "" : ", ") + name;
      hint = fmt::format("{} knows {}; coluber list keys explains them",
                         table.empty() ? "the top of a file" : '[' + table + ']', known);
    }
    faults_.add(node.key, path, "unknown key", std::move(hint));
  }

  void value(Node& node, const Key& key, const std::string& path, const Node& around) {
    if (!fits(node, key)) {
      wrong(node, key, path);
      return;
    }
    if (!key.built && !is_default(node, key)) {
      std::string hint = to_toml(key.default_value);
      hint = hint.empty()
                 ? "leave it out"
                 : fmt::format("leave it out, or write  {} = {}", last_word(key.name), hint);
      fault(node, path, fmt::format("{} is not built yet", describe(node)), hint);
      return;
    }
    if (!belongs(node, key, path, key.models, words_.model, "robot.model", "this robot is") ||
        !belongs(node, key, path, key.gaits, words_.gait, "gait.name", "this gait is") ||
        !belongs(node, key, path, key.controllers, words_.controller, "controller.name",
                 "this controller is") ||
        !has_meaning(node, key, path, around) || !has_owner(node, key, path)) {
      return;
    }
    for (const Choice& choice : key.choices) {
      if (!choice.built && node.kind == Node::Kind::text && choice.name == node.text) {
        fault(node, path, fmt::format("\"{}\" is not built yet", choice.name),
              "built are " + built_words(key));
      }
    }
  }

  /// The key is known to the component that the scenario chose, or has its default.
  bool belongs(Node& node, const Key& key, const std::string& path,
               const std::vector<std::string>& components, const std::string& chosen,
               std::string_view word, std::string_view is) {
    if (chosen.empty() || goes_with(components, chosen) || is_default(node, key)) return true;
    const std::size_t dot = word.find('.');
    // A file that includes another cannot leave out the wave of its gait, nor its gains.
    const std::string usual = word == "robot.model" ? "" : to_toml(key.default_value);
    fault(node, path,
          fmt::format("goes with {} = \"{}\", {} \"{}\"", word, fmt::join(components, "\" or \""),
                      is, chosen),
          fmt::format("leave it out{}, or write  {} = \"{}\"  in [{}]",
                      usual.empty() ? "" : fmt::format(" or at its default, {}", usual),
                      word.substr(dot + 1), components.front(), word.substr(0, dot)));
    return false;
  }

  /// A key of some models, and of a controller with others: some component here has it.
  bool has_owner(Node& node, const Key& key, const std::string& path) {
    const keys::Registry& registry = keys::registry();
    const auto model = std::ranges::find(registry.models, words_.model, &keys::ModelKeys::name);
    if (model == registry.models.end() || key.models.empty() || !key.controllers.empty() ||
        !key.gaits.empty() || is_default(node, key)) {
      return true;
    }
    const auto has = [&key](const keys::Section* section) {
      return std::ranges::any_of(section->rows(),
                                 [&](const keys::Row& row) { return row.key.name == key.name; });
    };
    std::vector<std::string> with;
    for (const keys::Component& controller : registry.controllers) {
      if (!keys::takes_controller(*model, controller)) continue;
      if (std::ranges::any_of(controller.sections, has)) with.push_back(controller.name);
    }
    if (with.empty() || std::ranges::any_of(model->sections, has)) return true;
    return belongs(node, key, path, with, words_.controller, "controller.name",
                   "this controller is");
  }

  /// The key goes with the word that its table has, or has its default.
  bool has_meaning(Node& node, const Key& key, const std::string& path, const Node& around) {
    if (key.with.key.empty() || is_default(node, key)) return true;
    const Node* given = around.find(key.with.key);
    const std::string name =
        joined(key.name.substr(0, key.name.size() - last_word(key.name).size() - 1), key.with.key);
    const Key* row = table_.find(name);
    const auto* fallback = row != nullptr ? std::get_if<std::string>(&row->default_value) : nullptr;
    const std::string word =
        given != nullptr ? given->text : (fallback != nullptr ? *fallback : std::string{});
    if ((given != nullptr && given->kind != Node::Kind::text) || goes_with(key.with.words, word)) {
      return true;
    }
    fault(node, path,
          fmt::format("goes with {} = \"{}\", {}", key.with.key,
                      fmt::join(key.with.words, "\" or \""),
                      word.empty() ? "and none is given" : fmt::format("here it is \"{}\"", word)),
          fmt::format("leave it out, or change {}", key.with.key));
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
    if (!key.choices.empty() && node.kind == Node::Kind::text) {
      std::vector<std::string> words;
      for (const Choice& choice : key.choices) {
        if (!choice.formerly.empty() && node.text == choice.formerly) {
          hint = fmt::format("it is called \"{}\" now", choice.name);
        }
        words.push_back(choice.name);
      }
      const std::string guess = nearest(node.text, words);
      if (hint.empty() && !guess.empty()) hint = fmt::format("did you mean \"{}\"?", guess);
    }
    if (hint.empty()) {
      hint = fmt::format("{}{}{}, for example  {} = {}", key.doc, key.unit.empty() ? "" : ", in ",
                         key.unit, last_word(key.name), key.example);
    }
    // in a list of numbers, name the one that is wrong
    Key one = key;
    one.type = key.type == KeyType::integers ? KeyType::integer : KeyType::number;
    const bool list_of_numbers = key.type == KeyType::pair || key.type == KeyType::numbers ||
                                 key.type == KeyType::integers ||
                                 key.type == KeyType::number_or_numbers ||
                                 key.type == KeyType::word_or_numbers;
    if (node.is_array() && list_of_numbers) {
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (fits(node.items[i], one)) continue;
        node.valid = false;
        faults_.add(node.items[i].where, path,
                    fmt::format("expected {}, got {} as number {}", expectation(key),
                                describe(node.items[i]), i + 1),
                    hint);
      }
      if (!node.valid) return;
    }
    // in a list of pairs too
    one.type = KeyType::pair;
    if (node.is_array() && key.type == KeyType::pairs) {
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        const Node& item = node.items[i];
        if (fits(item, one)) continue;
        node.valid = false;
        std::string got = describe(item);
        for (std::size_t k = 0; item.is_array() && item.items.size() == 2 && k < 2; ++k) {
          Key number = key;
          number.type = KeyType::number;
          if (!fits(item.items[k], number)) got = "in it " + describe(item.items[k]);
        }
        faults_.add(item.where, path,
                    fmt::format("expected {}, got {} as pair {}", expectation(one), got, i + 1),
                    hint);
      }
      if (!node.valid) return;
    }
    fault(node, path, fmt::format("expected {}, got {}", expectation(key), describe(node)), hint);
  }

  keys::Check::Words words_;
  const std::map<std::string, Node, std::less<>>& defaults_;
  Faults& faults_;
  const keys::KeyTable& table_;
};

}  // namespace

void validate(Document& document, const keys::Check::Words& words,
              const std::map<std::string, Node, std::less<>>& defaults, Faults& faults) {
  Validator(words, defaults, faults).table(document.root, "", "");
}

}  // namespace coluber::scenario

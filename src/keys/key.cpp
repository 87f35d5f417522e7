#include "coluber/keys/key.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coluber::keys {

namespace {

std::string bound(double x) { return fmt::format("{}", x); }

std::string range_text(const Key& key) {
  std::string text;
  if (std::isfinite(key.min) && !key.above_min && std::isfinite(key.max)) {
    return fmt::format(" from {} to {}", bound(key.min), bound(key.max));
  }
  if (std::isfinite(key.min)) {
    text += fmt::format(" {} {}", key.above_min ? ">" : ">=", bound(key.min));
  }
  if (std::isfinite(key.max)) {
    text += fmt::format("{} at most {}", text.empty() ? "" : ",", bound(key.max));
  }
  return text;
}

std::string words_text(const Key& key) {
  std::string text;
  for (std::size_t i = 0; i < key.choices.size(); ++i) {
    if (i > 0) text += i + 1 == key.choices.size() ? " or " : ", ";
    text += '"' + key.choices[i].name + '"';
  }
  return text;
}

/// "a list of 6 numbers", "a list of numbers"
std::string list_text(const Key& key, std::string_view what) {
  std::string text = key.count > 0 ? fmt::format("a list of {} {}", key.count, what)
                                   : fmt::format("a list of {}", what);
  text += range_text(key);
  if (!key.each.empty()) text += ", one per " + key.each;
  return text;
}

bool in_range(const Key& key, double x) {
  if (std::isnan(x)) return false;
  if (std::isinf(x) && (x > 0.0 || !key.infinity_allowed)) return key.infinity_allowed;
  if (key.above_min ? !(x > key.min) : !(x >= key.min)) return false;
  return x <= key.max;
}

bool is_number(const Node& node, const Key& key) {
  return node.is_number() && in_range(key, node.as_double());
}

bool is_integer(const Node& node, const Key& key) {
  return node.kind == Node::Kind::integer && is_number(node, key);
}

bool is_pair(const Node& node, const Key& key) {
  return node.is_array() && node.items.size() == 2 && is_number(node.items[0], key) &&
         is_number(node.items[1], key);
}

bool is_text(const Node& node) {
  return node.kind == Node::Kind::text &&
         std::none_of(node.text.begin(), node.text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

bool is_word(const Node& node, const Key& key) {
  return node.kind == Node::Kind::text &&
         std::any_of(key.choices.begin(), key.choices.end(),
                     [&](const Choice& choice) { return choice.name == node.text; });
}

template <typename Good>
bool is_list(const Node& node, const Key& key, Good&& good) {
  return node.is_array() && (key.count == 0 || node.items.size() == key.count) &&
         std::all_of(node.items.begin(), node.items.end(), good);
}

}  // namespace

std::string_view to_string(KeyType type) {
  switch (type) {
    case KeyType::number:
      return "number";
    case KeyType::integer:
      return "integer";
    case KeyType::boolean:
      return "boolean";
    case KeyType::text:
      return "text";
    case KeyType::choice:
      return "word";
    case KeyType::path:
      return "path";
    case KeyType::pair:
      return "two numbers";
    case KeyType::numbers:
      return "list of numbers";
    case KeyType::integers:
      return "list of integers";
    case KeyType::words:
      return "list of words";
    case KeyType::pairs:
      return "list of pairs of numbers";
    case KeyType::number_or_numbers:
      return "number or list of numbers";
    case KeyType::word_or_numbers:
      return "word or list of numbers";
    case KeyType::path_list:
      return "path or list of paths";
  }
  return "unknown";
}

bool goes_with(const std::vector<std::string>& components, std::string_view name) {
  return components.empty() || std::ranges::find(components, name) != components.end();
}

std::string expectation(const Key& key) {
  switch (key.type) {
    case KeyType::number:
      return "a number" + range_text(key);
    case KeyType::integer:
      if (key.min == key.max) return bound(key.min);
      return "an integer" + range_text(key);
    case KeyType::boolean:
      return "true or false";
    case KeyType::text:
      return "one line of text in quotes";
    case KeyType::choice:
      return words_text(key);
    case KeyType::path:
      return key.required ? "a path in quotes" : "a path in quotes, \"\" for none";
    case KeyType::pair:
      return "two numbers" + range_text(key);
    case KeyType::numbers:
      return list_text(key, "numbers");
    case KeyType::integers:
      return list_text(key, "integers");
    case KeyType::words:
      return key.choices.empty() ? list_text(key, "texts in quotes")
                                 : "a list of " + words_text(key);
    case KeyType::pairs:
      return list_text(key, "pairs of numbers");
    case KeyType::number_or_numbers:
      return "a number" + range_text(key) + ", or a list of such, one a " + key.each;
    case KeyType::word_or_numbers:
      return words_text(key) + ", or " +
             (key.count > 0 ? fmt::format("a list of {} numbers", key.count)
                            : "a list of numbers") +
             range_text(key);
    case KeyType::path_list:
      return "a path in quotes, or a list of them";
  }
  return "";
}

namespace {

/// A value as TOML text.
struct TomlText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool x) const { return x ? "true" : "false"; }
  std::string operator()(std::int64_t x) const { return std::to_string(x); }
  std::string operator()(double x) const {
    std::string text = fmt::format("{}", x);
    // a whole number stays a float in TOML
    if (std::isfinite(x) && text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }
  std::string operator()(const std::string& x) const {
    return nlohmann::json(x).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  std::string operator()(const std::vector<double>& x) const { return list(x); }
  std::string operator()(const std::vector<std::string>& x) const { return list(x); }
  [[nodiscard]] std::string list(const auto& x) const {
    std::string text = "[";
    for (std::size_t i = 0; i < x.size(); ++i) text += (i > 0 ? ", " : "") + (*this)(x[i]);
    return text + "]";
  }
};

}  // namespace

std::string to_toml(const KeyValue& value) { return std::visit(TomlText{}, value); }

std::string default_text(const Key& key) {
  if (!key.default_note.empty()) return key.default_note;
  const auto short_text = [](const KeyValue& value) {
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
    return to_toml(value);
  };
  if (key.defaults.empty()) return to_toml(key.default_value);
  std::string text = short_text(key.default_value);
  const char* separator = "; ";
  for (const ComponentDefault& each : key.defaults) {
    text += fmt::format("{}{} for {}", separator, short_text(each.value), each.component);
    separator = ", ";
  }
  return text;
}

Node to_node(const KeyValue& value) {
  return std::visit(
      [](const auto& x) {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>) {
          return make_none();
        } else {
          return make_node(x);
        }
      },
      value);
}

KeyValue to_key_value(const Node& node) {
  switch (node.kind) {
    case Node::Kind::boolean:
      return node.boolean;
    case Node::Kind::integer:
      return node.integer;
    case Node::Kind::number:
      return node.number;
    case Node::Kind::text:
      return node.text;
    case Node::Kind::array: {
      const auto all = [&node](auto&& good) { return std::ranges::all_of(node.items, good); };
      if (all([](const Node& item) { return item.is_number(); })) {
        std::vector<double> values;
        for (const Node& item : node.items) values.push_back(item.as_double());
        return values;
      }
      if (!all([](const Node& item) { return item.kind == Node::Kind::text; })) return {};
      std::vector<std::string> words;
      for (const Node& item : node.items) words.push_back(item.text);
      return words;
    }
    default:
      return {};
  }
}

bool fits(const Node& node, const Key& key) {
  const auto number = [&key](const Node& x) { return is_number(x, key); };
  const auto plain_list = [&](const Node& x) {
    return x.is_array() && std::all_of(x.items.begin(), x.items.end(), number);
  };
  switch (key.type) {
    case KeyType::number:
      return is_number(node, key);
    case KeyType::integer:
      return is_integer(node, key);
    case KeyType::boolean:
      return node.kind == Node::Kind::boolean;
    case KeyType::text:
      return is_text(node);
    case KeyType::path:
      return node.kind == Node::Kind::text && !(key.required && node.text.empty());
    case KeyType::choice:
      return is_word(node, key);
    case KeyType::pair:
      return is_pair(node, key);
    case KeyType::numbers:
      return is_list(node, key, number);
    case KeyType::integers:
      return is_list(node, key, [&](const Node& x) { return is_integer(x, key); });
    case KeyType::words:
      return is_list(node, key, [&](const Node& x) {
        return key.choices.empty() ? is_text(x) : is_word(x, key);
      });
    case KeyType::pairs:
      return is_list(node, key, [&](const Node& x) { return is_pair(x, key); });
    case KeyType::number_or_numbers:
      return is_number(node, key) || (plain_list(node) && !node.items.empty());
    case KeyType::word_or_numbers:
      return is_word(node, key) || is_list(node, key, number);
    case KeyType::path_list:
      return false;  // taken out by the reader; a second one cannot appear
  }
  return false;
}

bool is_default(const Node& node, const Key& key) {
  if (key.type == KeyType::path && node.kind == Node::Kind::text && node.text.empty()) return true;
  if (const auto* x = std::get_if<double>(&key.default_value)) {
    return node.is_number() && node.as_double() == *x;
  }
  if (const auto* x = std::get_if<std::vector<double>>(&key.default_value)) {
    return node.is_array() && std::equal(node.items.begin(), node.items.end(), x->begin(), x->end(),
                                         [](const Node& item, double value) {
                                           return item.is_number() && item.as_double() == value;
                                         });
  }
  const KeyValue value = to_key_value(node);
  return value == key.default_value && !std::holds_alternative<std::monostate>(value);
}

std::string_view last_word(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace coluber::keys

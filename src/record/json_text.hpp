#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace coluber::record {

/// JSON in one line; what is no UTF-8 in it is replaced.
std::string to_text(const nlohmann::ordered_json& json);

/// Goes through JSON of any length, character by character, and tells what lies between quotes.
class JsonScanner {
 public:
  /// Whether `c`, the next character, is of a text or one of the quotes around it.
  bool is_text(char c) {
    const bool inside = quoted_;
    if (c == '"' && !escaped_) quoted_ = !quoted_;
    escaped_ = inside && c == '\\' && !escaped_;
    return inside || c == '"';
  }

 private:
  bool quoted_ = false;
  bool escaped_ = false;
};

/// The text under `key`; "" if there is none.
std::string text_of(const nlohmann::ordered_json& object, const char* key);

}  // namespace coluber::record

#include "record/json_text.hpp"

#include "coluber/record/run_state.hpp"

namespace coluber::record {

std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool is_shallow(std::string_view json) {
  constexpr int deepest = 32;  // ours has six
  int depth = 0;
  JsonScanner scanner;
  for (const char c : json) {
    if (scanner.is_text(c)) continue;
    if ((c == '[' || c == '{') && ++depth > deepest) return false;
    if (c == ']' || c == '}') --depth;
  }
  return true;
}

std::string text_of(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace coluber::record

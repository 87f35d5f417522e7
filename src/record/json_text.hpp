#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace coluber::record {

/// JSON in one line; what is no UTF-8 in it is replaced.
std::string to_text(const nlohmann::ordered_json& json);

/// The text under `key`; "" if there is none.
std::string text_of(const nlohmann::ordered_json& object, const char* key);

}  // namespace coluber::record

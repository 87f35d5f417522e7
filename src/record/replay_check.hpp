#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace coluber::record {

/// What is wrong with the bodies and fields of a replay.json whose frames have `width` floats;
/// empty when nothing is. The viewer asks the same of it.
std::string fault_of_replay(const nlohmann::ordered_json& replay, std::size_t width);

}  // namespace coluber::record

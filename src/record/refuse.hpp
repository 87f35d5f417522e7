#pragma once

#include <filesystem>
#include <string>

namespace coluber::record {

/// Throws InputError about a file, or folder, that a user named.
[[noreturn]] void refuse(const std::filesystem::path& file, std::string message, std::string hint);

}  // namespace coluber::record

#pragma once

// Scenario files as text: read, and looked over before they are parsed.

#include <filesystem>
#include <string>
#include <string_view>

#include "coluber/core/error.hpp"

namespace coluber::scenario {

/// Why a file could not be read, or its bytes.
struct FileText {
  std::string text{};
  std::string fault{};  ///< empty: read
  std::string hint{};
};

FileText read_file(const std::filesystem::path& file);

/// Refuses what is no text, and keys so deep that the parser's recursion could not hold them.
/// Follows TOML's strings and comments, whose dots do not count. Throws InputError.
void check_text(std::string_view text, const std::string& name);

/// Throws InputError.
[[noreturn]] void refuse(const SourceLocation& where, std::string message, std::string hint,
                         std::string key = "");

}  // namespace coluber::scenario

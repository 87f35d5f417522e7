#include "scenario/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/nearest.hpp"

#include "keys/limits.hpp"

namespace coluber::scenario {

namespace limits = keys::limits;
namespace fs = std::filesystem;

namespace {

/// Length of the UTF-8 sequence at `i`; 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || i + length > text.size()) return 0;
  // too long for what it says, half of a UTF-16 pair, beyond the last character
  const unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(i + 1) < least || byte(i + 1) > most) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

void refuse(const SourceLocation& where, std::string message, std::string hint, std::string key) {
  throw InputError(Diagnostic{.where = where,
                              .key = std::move(key),
                              .message = std::move(message),
                              .hint = std::move(hint)});
}

FileText read_file(const fs::path& file) {
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  if (!fs::exists(status)) {
    if (failure && failure != std::errc::no_such_file_or_directory &&
        failure != std::errc::not_a_directory) {
      return {.fault = "cannot be read: " + failure.message(), .hint = "check the path"};
    }
    std::vector<std::string> neighbours;
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
      if (entry->path().extension() == ".toml") {
        neighbours.push_back(entry->path().filename().string());
      }
    }
    std::sort(neighbours.begin(), neighbours.end());
    const std::string guess = nearest(file.filename().string(), neighbours);
    return {.fault = "no such file",
            .hint = guess.empty()
                        ? "check the path; coluber list scenarios prints those that come with it"
                        : fmt::format("did you mean {}?", (file.parent_path() / guess).string())};
  }
  if (fs::is_directory(status)) {
    return {.fault = "is a folder, not a scenario file",
            .hint = "name a .toml file in it, for example  " +
                    (file / "scenario.toml").lexically_normal().string()};
  }
  if (!fs::is_regular_file(status)) {
    return {.fault = "is not a regular file", .hint = "scenarios are read from .toml files"};
  }
  const std::uintmax_t size = fs::file_size(file, failure);
  if (failure) return {.fault = "cannot be read: " + failure.message(), .hint = "check the path"};
  if (size > limits::file_bytes) {
    return {.fault = fmt::format("is {} bytes long, the limit is {}", size, limits::file_bytes),
            .hint = "is it a scenario? joint angles over time belong in a CSV, gait.table"};
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  if (in) {
    // a file that grows meanwhile is read as far as it was, one that shrinks is shorter
    text.resize(static_cast<std::size_t>(size));
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
  }
  if (!in && !in.eof()) {
    return {.fault = fmt::format("cannot be read: {}",
                                 errno != 0 ? std::strerror(errno) : "unknown reason"),
            .hint = "check its permissions"};
  }
  return {.text = std::move(text)};
}

void check_text(std::string_view text, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    refuse({.file = name}, "is empty",
           "a scenario needs at least a robot, for example  [robot]  and  name = \"aiko\"");
  }
  enum class In : std::uint8_t { code, comment, basic, literal, long_basic, long_literal };
  In in = In::code;
  int line = 1;
  int column = 1;
  int dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = text[i] == '\0' ? 0 : utf8_length(text, i);
    if (length == 0) {
      refuse({.file = name, .line = line, .column = column},
             fmt::format("is not a text file: byte 0x{:02x} at offset {}",
                         static_cast<unsigned char>(text[i]), i),
             "scenarios are TOML, written in UTF-8");
    }
    const char c = length == 1 ? text[i] : 'x';
    std::size_t taken = length;
    int columns = 1;
    const auto quotes = [&](char quote) {
      std::size_t count = 0;
      while (count < 5 && i + count < text.size() && text[i + count] == quote) ++count;
      return count;
    };
    const auto take = [&](std::size_t count) {
      taken = count;
      columns = static_cast<int>(count);
    };
    // the character a backslash here would escape: 0 at the end of a line, and where it is bad
    const std::size_t escaped = i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != '\0'
                                    ? utf8_length(text, i + 1)
                                    : 0;
    switch (in) {
      case In::code:
        if (c == '#') {
          in = In::comment;
        } else if (c == '"' || c == '\'') {
          const bool is_long = quotes(c) >= 3;
          if (is_long) take(3);
          in = c == '"' ? (is_long ? In::long_basic : In::basic)
                        : (is_long ? In::long_literal : In::literal);
        } else if (c == '.') {
          if (++dots > limits::dots) {
            refuse({.file = name, .line = line, .column = column},
                   fmt::format("a key with more than {} dots", limits::dots),
                   "no key has that many; coluber list keys prints them all");
          }
        } else if (std::strchr(",=[]{}\n", c) != nullptr) {
          dots = 0;
        }
        break;
      case In::comment:
        break;
      case In::basic:
        if (c == '\\' && escaped > 0) {
          take(1 + escaped);
          columns = 2;
        } else if (c == '"') {
          in = In::code;
        }
        break;
      case In::literal:
        if (c == '\'') in = In::code;
        break;
      case In::long_basic:
      case In::long_literal: {
        const char quote = in == In::long_basic ? '"' : '\'';
        if (in == In::long_basic && c == '\\' && escaped > 0) {
          take(1 + escaped);
          columns = 2;
        } else if (c == quote && quotes(quote) >= 3) {
          take(quotes(quote));  // up to two quotes before the closing three belong to the text
          in = In::code;
        }
        break;
      }
    }
    if (c == '\n') {
      if (in == In::comment || in == In::basic || in == In::literal) in = In::code;
      ++line;
      column = 1;
      dots = 0;
    } else {
      column += columns;
    }
    i += taken;
  }
}

}  // namespace coluber::scenario

#include "plot/glyphs.hpp"

#include <array>
#include <cstdint>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace coluber::app {
namespace {

constexpr char32_t replacement = 0xFFFD;

void append(std::string& text, char32_t letter) {
  const auto put = [&](char32_t bits) { text += static_cast<char>(bits); };
  if (letter < 0x80) {
    put(letter);
  } else if (letter < 0x800) {
    put(0xC0U | (letter >> 6U));
    put(0x80U | (letter & 0x3FU));
  } else {  // what replaces a letter is in the basic plane
    put(0xE0U | (letter >> 12U));
    put(0x80U | ((letter >> 6U) & 0x3FU));
    put(0x80U | (letter & 0x3FU));
  }
}

// What DejaVu Sans has, and most other fonts: Latin, Greek, Cyrillic, punctuation, raised figures,
// arrows and mathematics.
bool is_common(char32_t letter) {
  struct Block {
    char32_t first, last;
  };
  constexpr std::array<Block, 6> blocks{{{0x20, 0x24F},
                                         {0x391, 0x3C9},
                                         {0x400, 0x45F},
                                         {0x2010, 0x2026},
                                         {0x2070, 0x208E},
                                         {0x2190, 0x22FF}}};
  for (const Block& block : blocks) {
    if (letter >= block.first && letter <= block.last) return true;
  }
  return letter == replacement;
}

// Whether an outline font has it, as fontconfig says, which gnuplot's terminals come with.
bool asked_of_fontconfig(char32_t letter) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "fc-list";
  std::string pattern =
      fmt::format(":charset={:x}:scalable=true:color=false", static_cast<std::uint32_t>(letter));
  std::string element = "family";
  char* const arguments[] = {program.data(), pattern.data(), element.data(), nullptr};
  pid_t child = 0;
  const int fault = posix_spawnp(&child, "fc-list", &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  std::size_t said = 0;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; fault == 0 && (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    said += static_cast<std::size_t>(got);
  }
  ::close(ends[0]);
  int status = 0;
  return fault == 0 && ::waitpid(child, &status, 0) == child && status == 0 && said > 0;
}

bool has_glyph(char32_t letter) {
  if (letter < 0x20 || is_common(letter)) return true;
  static std::map<char32_t, bool> known;
  const auto found = known.find(letter);
  if (found != known.end()) return found->second;
  return known.emplace(letter, asked_of_fontconfig(letter)).first->second;
}

}  // namespace

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return {replacement, 1};
  char32_t letter = first & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0U) != 0x80U) return {replacement, 1};
    letter = (letter << 6U) | (byte(k) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = letter >= 0xD800 && letter <= 0xDFFF;
  if (letter < least[length] || letter > 0x10FFFF || surrogate) return {replacement, 1};
  return {letter, length};
}

// Unicode 15, Mathematical Alphanumeric Symbols: thirteen Latin alphabets, two dotless letters,
// five Greek alphabets of 58, digits five times.
char32_t plain_letter(char32_t letter) {
  constexpr std::u32string_view greek =
      U"ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΘΣΤΥΦΧΨΩ∇αβγδεζηθικλμνξοπρςστυφχψω∂εθκφρπ";
  static_assert(greek.size() == 58);
  if (letter >= 0x1D400 && letter <= 0x1D6A3) {
    const char32_t k = (letter - 0x1D400) % 52;
    return k < 26 ? U'A' + k : U'a' + (k - 26);
  }
  if (letter >= 0x1D6A4 && letter <= 0x1D6A5) return letter == 0x1D6A4 ? U'i' : U'j';
  if (letter >= 0x1D6A8 && letter <= 0x1D7C9) return greek[(letter - 0x1D6A8) % 58];
  if (letter >= 0x1D7CE && letter <= 0x1D7FF) return U'0' + (letter - 0x1D7CE) % 10;
  return 0;
}

std::string drawable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [letter, bytes] = decode(text);
    const bool whole = letter != replacement || bytes == 3;
    if (whole && has_glyph(letter)) {
      out += text.substr(0, bytes);
    } else {
      const char32_t plain = plain_letter(letter);
      append(out, plain != 0 ? plain : replacement);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace coluber::app

// Journals of a sweep folder: a.jsonl and b.jsonl. The reader gives rows or throws a
// coluber::Error; what it gives is whole. The mutator corrects the CRC-32 of most lines, so that
// what is behind it is read too.

#include "coluber/sweep/journal.hpp"

#include <cstdlib>

#include "coluber/core/error.hpp"

#include "input.hpp"
#include "mutate.hpp"

namespace {

using namespace coluber;

/// The lines with their right checksums.
std::string mend(std::string part) {
  std::string out;
  for (std::size_t begin = 0; begin < part.size();) {
    const std::size_t end = std::min(part.find('\n', begin), part.size());
    const std::string line = part.substr(begin, end - begin);
    out += line.size() > 9 ? sweep::to_journal_line(std::string_view(line).substr(9)) : line;
    if (end < part.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string change(const std::string& part, std::minstd_rand& generator) {
  std::string out = part;
  if (out.empty()) return out;
  constexpr const char* odd[] = {"null", "\"row\"", "\"start\"", "-1",
                                 "1e99", "[]",      "\"\"",      "true"};
  const std::size_t at = out.find(':', generator() % out.size());
  if (at == std::string::npos) return out;
  const std::size_t end = std::min(out.find_first_of(",}\n", at), out.size());
  return out.substr(0, at + 1) + fuzz::pick(odd, generator) + out.substr(end);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return fuzz::mutate(data, size, max_size, seed, change, mend);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::Folder folder;
  const std::vector<std::string_view> parts = fuzz::split(data, size);
  folder.put("a.jsonl", parts[0]);
  folder.put("b.jsonl", parts.size() > 1 ? std::optional(parts[1]) : std::nullopt);
  const sweep::JournalIndex index(folder.path());
  for (const auto& place : index.rows()) {
    if (index.find(place.hash) == nullptr) std::abort();
    try {
      static_cast<void>(index.read(place));
    } catch (const Error&) {  // a line whose checksum is right and that holds no row
    }
  }
  return 0;
}

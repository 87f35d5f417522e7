#include "coluber/core/bytes.hpp"

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/hash.hpp"

namespace coluber {

namespace {

constexpr std::string_view magic = "COLUBER\x1a";
constexpr std::size_t word_size = 8;

}  // namespace

void ByteWriter::section(std::string_view name, std::uint32_t version) {
  put(std::string(name));
  put(version);
}

void ByteWriter::put(const std::string& text) {
  put_word(text.size());
  bytes_ += text;
}

void ByteWriter::put_word(std::uint64_t word) {
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes_ += static_cast<char>(static_cast<unsigned char>(word >> shift));
  }
}

void ByteReader::section(std::string_view name, std::uint32_t version) {
  std::string found;
  std::uint32_t number = 0;
  get(found);
  get(number);
  if (found != name) refuse(fmt::format("\"{}\" was expected, \"{}\" is there", name, found));
  if (number != version) {
    refuse(fmt::format("it holds version {} of \"{}\", this program reads version {}", number, name,
                       version));
  }
}

void ByteReader::finish() const {
  if (!rest_.empty()) refuse(fmt::format("{} bytes are left over", rest_.size()));
}

void ByteReader::refuse(const std::string& why) const {
  throw FileError(fmt::format("{}: does not fit: {}", name_, why));
}

void ByteReader::get(std::string& text) {
  const std::size_t size = get_count();
  text = rest_.substr(0, size);
  rest_.remove_prefix(size);
}

std::uint64_t ByteReader::get_word() {
  if (rest_.size() < word_size) refuse("it ends too early");
  std::uint64_t word = 0;
  for (std::size_t i = word_size; i-- > 0;) {
    word = (word << 8U) | static_cast<unsigned char>(rest_[i]);
  }
  rest_.remove_prefix(word_size);
  return word;
}

// Every entry of a list takes at least a byte: a count beyond what is left is damage, and must not
// become an allocation.
std::size_t ByteReader::get_count() {
  const std::uint64_t count = get_word();
  if (count > rest_.size()) refuse("it ends too early");
  return static_cast<std::size_t>(count);
}

void ByteReader::require_size(std::uint64_t found, std::uint64_t wanted) const {
  if (found != wanted) refuse(fmt::format("it has {} numbers where {} belong", found, wanted));
}

// magic | version | kind | length of payload | payload | hash of all before
std::string seal(std::string_view kind, std::uint32_t version, std::string_view payload) {
  ByteWriter head;
  head(version, std::string(kind), std::string(payload));
  std::string bytes = std::string(magic) + head.bytes();
  ByteWriter tail;
  tail(Hasher().update(bytes).finish());
  return bytes + tail.bytes();
}

std::string_view unseal(std::string_view kind, std::uint32_t version, std::string_view bytes,
                        const std::string& name) {
  if (!bytes.starts_with(magic)) {
    throw FileError(fmt::format("{}: is not a {} of Coluber, or is damaged", name, kind));
  }
  if (bytes.size() < magic.size() + 4 * word_size) {
    throw FileError(fmt::format("{}: is cut short", name));
  }
  const std::string_view body = bytes.substr(0, bytes.size() - word_size);
  std::uint64_t hash = 0;
  ByteReader(bytes.substr(body.size()), name)(hash);
  if (hash != Hasher().update(body).finish()) {
    throw FileError(fmt::format("{}: is cut short or damaged (its checksum differs)", name));
  }
  ByteReader head(body.substr(magic.size()), name);
  std::uint32_t found_version = 0;
  std::string found_kind;
  std::uint64_t size = 0;
  head(found_version, found_kind, size);
  if (found_kind != kind) {
    throw FileError(fmt::format("{}: is a {}, not a {}", name, found_kind, kind));
  }
  if (found_version != version) {
    throw FileError(fmt::format("{}: has format {} of a {}, this program reads format {}", name,
                                found_version, kind, version));
  }
  const std::size_t before = magic.size() + 3 * word_size + found_kind.size();
  if (body.size() - before != size) throw FileError(fmt::format("{}: is damaged", name));
  return body.substr(before);
}

}  // namespace coluber

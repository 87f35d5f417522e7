#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <zlib.h>

#include "coluber/core/error.hpp"
#include "coluber/core/hash.hpp"

#include "record/frame_file.hpp"

// The checksums of frames.bin (src/record/frame_file.hpp) and of sealed bytes (core/bytes.hpp).

namespace coluber::fuzz {

inline constexpr std::string_view frames_magic = "CLBRFRM1";
inline constexpr std::string_view sealed_magic = "COLUBER\x1a";
inline constexpr std::size_t frames_head = 16;  // magic, length, checksum

inline std::uint32_t crc(std::uint32_t seed, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(seed, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <typename T>
void put_number(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// The JSON text of a frames.bin.
inline std::optional<std::string_view> frame_header_text(std::string_view bytes) {
  if (!bytes.starts_with(frames_magic) || bytes.size() < frames_head) return std::nullopt;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + frames_magic.size(), sizeof length);
  return bytes.substr(frames_head, length);
}

/// The same file with another text.
inline std::string with_frame_header(std::string_view bytes, std::string_view text) {
  const auto padded = [](std::size_t size) { return (size + 7) / 8 * 8; };
  const std::size_t before = frames_head + frame_header_text(bytes)->size();
  std::string out(bytes.substr(0, frames_head));
  put_number(out, frames_magic.size(), static_cast<std::uint32_t>(text.size()));
  out += text;
  out.resize(padded(out.size()), ' ');
  return out += bytes.substr(std::min(padded(before), bytes.size()));
}

/// Header and frames of a frames.bin get the checksums of what is there.
inline void mend_frames(std::string& bytes) {
  const std::string_view text = *frame_header_text(bytes);
  put_number(bytes, frames_magic.size(), static_cast<std::uint32_t>(text.size()));
  put_number(bytes, frames_magic.size() + 4, crc(0, text));
  record::FrameLayout layout;
  try {
    layout = record::parse_frame_header(bytes, "");
  } catch (const Error&) {
    return;
  }
  std::uint64_t number = 0;
  for (std::size_t at = layout.header_bytes; at + layout.record_bytes <= bytes.size();
       at += layout.record_bytes) {
    const std::size_t body = layout.record_bytes - 4;
    const auto index = crc(0, {reinterpret_cast<const char*>(&number), sizeof number});
    put_number(bytes, at + body, crc(index, std::string_view(bytes).substr(at, body)));
    ++number;
  }
}

/// Sealed bytes end with the hash of all before it.
inline void mend_seal(std::string& bytes) {
  if (bytes.size() < sealed_magic.size() + sizeof(std::uint64_t)) return;
  const std::size_t body = bytes.size() - sizeof(std::uint64_t);
  put_number(bytes, body, Hasher().update(std::string_view(bytes).substr(0, body)).finish());
}

/// A part whose checksums are right; one without any as it is.
inline std::string mend_sums(std::string part) {
  if (frame_header_text(part)) mend_frames(part);
  if (part.starts_with(sealed_magic)) mend_seal(part);
  return part;
}

}  // namespace coluber::fuzz

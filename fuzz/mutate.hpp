#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "input.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace coluber::fuzz {

/// Leaves a part as it is.
inline std::string keep(std::string part) { return part; }

/// Half of the time mutates bytes, as libFuzzer does by itself; else lets `change(part, generator)`
/// change one part of the input in its own language. Most of the time `mend(part)` then sets right
/// what guards a part, such as checksums, which no mutation would. For LLVMFuzzerCustomMutator.
template <typename Change, typename Mend>
std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                   const Change& change, const Mend& mend) {
  std::minstd_rand generator(seed);
  const bool by_bytes = generator() % 2 == 0;
  const bool mended = generator() % 16 != 0;
  if (by_bytes) size = LLVMFuzzerMutate(data, size, max_size);
  const std::vector<std::string_view> parts = split(data, size);
  const std::size_t chosen = by_bytes ? parts.size() : generator() % parts.size();
  std::string whole;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) whole += "\n%%\n";
    std::string part(parts[i]);
    if (i == chosen) part = change(std::move(part), generator);
    whole += mended ? mend(std::move(part)) : std::move(part);
  }
  if (whole.size() > max_size ||
      (!by_bytes && whole == std::string_view(reinterpret_cast<char*>(data), size))) {
    return by_bytes ? size : LLVMFuzzerMutate(data, size, max_size);
  }
  whole.copy(reinterpret_cast<char*>(data), whole.size());
  return whole.size();
}

/// One of them.
template <typename List>
const auto& pick(const List& list, std::minstd_rand& generator) {
  return list[generator() % std::size(list)];
}

}  // namespace coluber::fuzz

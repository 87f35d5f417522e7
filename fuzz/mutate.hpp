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

/// Half of the time mutates bytes, as libFuzzer does by itself; else lets `change(part, generator)`
/// change one part of the input in its own language. For LLVMFuzzerCustomMutator.
template <typename Change>
std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                   const Change& change) {
  std::minstd_rand generator(seed);
  if (generator() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::vector<std::string_view> parts = split(data, size);
  const std::size_t chosen = generator() % parts.size();
  std::string whole;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) whole += "\n%%\n";
    whole += i == chosen ? change(std::string(parts[i]), generator) : std::string(parts[i]);
  }
  if (whole.size() > max_size || whole == std::string_view(reinterpret_cast<char*>(data), size)) {
    return LLVMFuzzerMutate(data, size, max_size);
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

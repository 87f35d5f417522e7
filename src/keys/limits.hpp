#pragma once

#include <cstddef>

/// Bounds that keep a mistyped figure from filling memory or disk.
namespace coluber::keys::limits {

inline constexpr double duration = 1e6;          ///< s
inline constexpr double dt = 0.1;                ///< s
inline constexpr double least_dt = 1e-9;         ///< s
inline constexpr double links = 100000;          ///< –
inline constexpr std::size_t obstacles = 10000;  ///< –
inline constexpr double steps = 1e10;            ///< in a run
inline constexpr double values = 2.5e8;          ///< recorded in a run: frames × numbers in a frame

inline constexpr std::size_t file_bytes = std::size_t{16} << 20;
inline constexpr int included_files = 256;
/// Dots in one key. toml++ recurses once a dot and 256 times through nested values, so that this
/// bounds its stack.
inline constexpr int dots = 16;
inline constexpr std::size_t faults = 1000;  ///< reported at once

}  // namespace coluber::keys::limits

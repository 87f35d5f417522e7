#pragma once

#include <cstdint>

#include "coluber/core/export.hpp"

/// Numbers of samples, each computed by its index alone, bit-identical everywhere.
namespace coluber::sweep {

/// Dimensions that sobol() has.
inline constexpr int sobol_dimensions = 32;

/// Coordinate `dimension` (from 0) of point `index` (from 0) of the Sobol sequence, in [0, 1), with
/// the direction numbers of Joe and Kuo (2008), in Gray-code order. `shift` is XORed to its 53
/// bits, which keeps all its equidistribution; 0: the sequence itself, its point 0 is the origin.
COLUBER_EXPORT double sobol(std::uint64_t index, int dimension, std::uint64_t shift = 0);
/// The digital shift of an axis (from 0); 0 if `seed` is 0.
COLUBER_EXPORT std::uint64_t sobol_shift(std::uint64_t seed, int axis);

/// Coordinate of sample `index` of `count` of a Latin hypercube, in [0, 1): of the `count` equal
/// intervals of an axis each holds one sample. Another count is another design.
COLUBER_EXPORT double latin(std::uint64_t index, std::uint64_t count, std::uint64_t seed, int axis);

/// Independent uniform numbers in [0, 1), the same for any number of samples.
COLUBER_EXPORT double uniform(std::uint64_t index, std::uint64_t seed, int axis);

/// Entry `k` of `count` from `from` to `to`, both included, evenly spaced. Entries that another
/// count has too are bit-identical: entry 1 of 3 is entry 2 of 5.
COLUBER_EXPORT double spaced(double from, double to, std::int64_t k, std::int64_t count);

/// The number a share `u` of the way from `from` to `to`.
COLUBER_EXPORT double between(double from, double to, double u);
/// The same evenly in the logarithm; both ends of one sign, not 0. Rounded to 15 digits where that
/// is what was meant: 0.01 between 0.001 and 0.1.
COLUBER_EXPORT double between_log(double from, double to, double u);

}  // namespace coluber::sweep

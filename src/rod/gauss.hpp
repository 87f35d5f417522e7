#pragma once

#include <array>
#include <cstddef>

namespace coluber::rod {

/// Collocation at the Gauss points of [0, 1]: points c, weights b, integrals a[i][j] of the j-th
/// Lagrange polynomial over [0, c_i].
template <std::size_t S>
struct Gauss {
  std::array<double, S> c, b;
  std::array<std::array<double, S>, S> a;
};

template <std::size_t S>
inline constexpr Gauss<S> gauss{};

namespace gauss_roots {
inline constexpr double r3 = 1.7320508075688772935;  // NOLINT
inline constexpr double r15 = 3.8729833462074168852;
}  // namespace gauss_roots

template <>
inline constexpr Gauss<2> gauss<2>{
    {0.5 - gauss_roots::r3 / 6, 0.5 + gauss_roots::r3 / 6},
    {0.5, 0.5},
    {{{0.25, 0.25 - gauss_roots::r3 / 6}, {0.25 + gauss_roots::r3 / 6, 0.25}}}};

template <>
inline constexpr Gauss<3> gauss<3>{
    {0.5 - gauss_roots::r15 / 10, 0.5, 0.5 + gauss_roots::r15 / 10},
    {5.0 / 18, 4.0 / 9, 5.0 / 18},
    {{{5.0 / 36, 2.0 / 9 - gauss_roots::r15 / 15, 5.0 / 36 - gauss_roots::r15 / 30},
      {5.0 / 36 + gauss_roots::r15 / 24, 2.0 / 9, 5.0 / 36 - gauss_roots::r15 / 24},
      {5.0 / 36 + gauss_roots::r15 / 30, 2.0 / 9 + gauss_roots::r15 / 15, 5.0 / 36}}}};

}  // namespace coluber::rod

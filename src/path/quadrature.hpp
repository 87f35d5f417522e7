#pragma once

#include <array>

namespace coluber::path {

/// Gauss-Legendre with eight points: exact for polynomials of degree 15.
template <typename Value, typename Function>
Value integrate(double from, double to, const Value& zero, const Function& f) {
  constexpr std::array<double, 4> node{0.18343464249564980494, 0.52553240991632898582,
                                       0.79666647741362673959, 0.96028985649753623168};
  constexpr std::array<double, 4> weight{0.36268378337836198297, 0.31370664587788728734,
                                         0.22238103445337447054, 0.10122853629037625915};
  const double middle = 0.5 * (from + to);
  const double half = 0.5 * (to - from);
  Value sum = zero;
  for (std::size_t i = 0; i < node.size(); ++i) {
    sum += weight[i] * (f(middle - half * node[i]) + f(middle + half * node[i]));
  }
  return half * sum;
}

}  // namespace coluber::path

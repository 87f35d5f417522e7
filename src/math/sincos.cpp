#include "coluber/math/sincos.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace coluber::math {
namespace {

#include "sincos_kernel.inl"

}  // namespace

void sincos(std::span<const double> x, std::span<double> s, std::span<double> c) {
  const std::size_t count = x.size();
  const double* __restrict__ in = x.data();
  double* __restrict__ out_s = s.data();
  double* __restrict__ out_c = c.data();
  bool far = false;
  for (std::size_t i = 0; i < count; ++i) {
    sincos_kernel<std::uint64_t>(in[i], out_s[i], out_c[i]);
  }
  for (std::size_t i = 0; i < count; ++i) far |= !(std::abs(in[i]) <= kSincosLimit);
  if (!far) return;
  for (std::size_t i = 0; i < count; ++i) sincos(in[i], out_s[i], out_c[i]);
}

void sincos(double x, double& s, double& c) {
  if (std::abs(x) <= kSincosLimit) {
    sincos_kernel<std::uint64_t>(x, s, c);
  } else {
    s = std::sin(x);
    c = std::cos(x);
  }
}

}  // namespace coluber::math

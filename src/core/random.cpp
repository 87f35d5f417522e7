#include "coluber/core/random.hpp"

#include <bit>
#include <cmath>

#include "coluber/core/error.hpp"

namespace coluber {

namespace {

std::uint64_t splitmix64(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) : state_{} {
  for (std::uint64_t& word : state_) word = splitmix64(seed);
}

Random::Random(const State& state) : state_(state) {
  if (state == State{}) throw Error("random state of four zeros: not a state of this generator");
}

std::uint64_t Random::next() {
  // xoshiro256++ 1.0
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double Random::uniform(double low, double high) {
  const double x = low + (high - low) * uniform();
  return x < high ? x : std::nextafter(high, low);  // the product may round up to `high`
}

double Random::normal() {
  // Marsaglia's polar method; the second number is dropped
  for (;;) {
    const double u = uniform(-1.0, 1.0);
    const double v = uniform(-1.0, 1.0);
    const double s = u * u + v * v;
    if (s > 0.0 && s < 1.0) return u * std::sqrt(-2.0 * std::log(s) / s);
  }
}

}  // namespace coluber

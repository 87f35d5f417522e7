#include "coluber/core/hash.hpp"

#include <array>
#include <bit>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/hash_both.hpp"

namespace coluber {
namespace hash_test {

std::uint64_t hash_of(std::string_view text) { return Hasher().update(text).finish(); }

/// Published FNV-1a values, sent through the finaliser here by its inverse-free definition.
std::uint64_t fmix64(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

TEST(Hash, IsThePublishedFnv1aBehindItsFinaliser) {
  EXPECT_EQ(hash_of(""), fmix64(0xcbf29ce484222325ULL));
  EXPECT_EQ(hash_of("a"), fmix64(0xaf63dc4c8601ec8cULL));
  EXPECT_EQ(hash_of("foobar"), fmix64(0x85944171f73967e8ULL));
}

TEST(Hash, TakesNumbersAsTheirBytesLowByteFirst) {
  const std::array<char, 8> one{0, 0, 0, 0, 0, 0, static_cast<char>(0xf0), 0x3f};
  EXPECT_EQ(Hasher().update(1.0).finish(), hash_of({one.data(), one.size()}));
  EXPECT_EQ(Hasher().update(-1).finish(), hash_of(std::string(8, '\xff')));
}

TEST(Hash, TakesTwoStreamsAtOnce) {
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
  for (const auto& [one, other] : {std::pair<std::string_view, std::string_view>{"foobar", "a"},
                                   {"a", "foobar"},
                                   {"", "foobar"},
                                   {"foo", "bar"}}) {
    Hasher a;
    Hasher b;
    update_both(a, bytes(one), b, bytes(other));
    EXPECT_EQ(a.finish(), hash_of(one));
    EXPECT_EQ(b.finish(), hash_of(other));
  }
}

TEST(Hash, DoesNotDependOnHowTheStreamIsCut) {
  EXPECT_EQ(Hasher().update("foo").update("bar").finish(), hash_of("foobar"));
  const std::vector<double> values{0.1, -2.5, 1e300};
  EXPECT_EQ(Hasher().update(std::span<const double>(values)).finish(),
            Hasher().update(0.1).update(-2.5).update(1e300).finish());
}

TEST(Hash, TellsTheLastBitOfADoubleAndTheSignOfZero) {
  const double x = 0.1;
  const double next = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + 1);
  EXPECT_NE(Hasher().update(x).finish(), Hasher().update(next).finish());
  EXPECT_NE(Hasher().update(0.0).finish(), Hasher().update(-0.0).finish());
}

TEST(Hash, ChangesAboutHalfItsBitsWhenOneInputBitChanges) {
  int changed = 0;
  int pairs = 0;
  for (std::uint64_t word = 0; word < 64; ++word) {
    for (int bit = 0; bit < 64; ++bit) {
      const std::uint64_t a = Hasher().update(word).finish();
      const std::uint64_t b = Hasher().update(word ^ (std::uint64_t{1} << bit)).finish();
      changed += std::popcount(a ^ b);
      ++pairs;
    }
  }
  // 4096 pairs of 64 bits: the deviation of the mean is 4/64 bits, eight of them allowed
  EXPECT_NEAR(static_cast<double>(changed) / pairs, 32.0, 0.5);
}

TEST(Hash, MayGoOnAfterFinish) {
  Hasher hasher;
  hasher.update("foo");
  EXPECT_EQ(hasher.finish(), hash_of("foo"));
  EXPECT_EQ(hasher.update("bar").finish(), hash_of("foobar"));
}

}  // namespace hash_test
}  // namespace coluber

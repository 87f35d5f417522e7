#include "coluber/core/state_hash.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "coluber/core/bytes.hpp"

namespace coluber {
namespace state_hash_test {

/// A state of everything that a ByteWriter takes, exchanged once for checkpoint and hash.
struct State {
  std::int64_t k = 5;
  bool flag = true;
  double x = 0.25;
  Eigen::VectorXd q = Eigen::Vector3d(1.0, 2.0, 3.0);
  Eigen::Matrix2d matrix = Eigen::Matrix2d::Identity();
  std::array<double, 2> pair{7.0, 8.0};
  std::vector<double> list{1.5, 2.5};

  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes(self.k, self.flag, self.x, self.q, self.matrix, self.pair);
    bytes.list(self.list, [&](auto& value) { bytes(value); });
  }
};

std::uint64_t hash_of(const State& state, StateHasher::Sizes sizes) {
  StateHasher hasher(sizes);
  State::exchange(hasher, state);
  return hasher.finish();
}

using Sizes = StateHasher::Sizes;

TEST(StateHasher, EveryMemberCounts) {
  const std::vector<std::function<void(State&)>> changes{
      [](State& s) { ++s.k; },
      [](State& s) { s.flag = false; },
      [](State& s) { s.x = -s.x; },
      [](State& s) { s.q(2) += 1e-15; },
      [](State& s) { s.matrix(0, 1) = 1e-300; },
      [](State& s) { std::swap(s.pair[0], s.pair[1]); },
      [](State& s) { s.list[1] = 2.0; },
      [](State& s) { s.list.push_back(0.0); }};
  for (const Sizes sizes : {Sizes::left_out, Sizes::counted}) {
    const std::uint64_t before = hash_of({}, sizes);
    EXPECT_EQ(hash_of({}, sizes), before);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      State changed;
      changes[i](changed);
      EXPECT_NE(hash_of(changed, sizes), before) << "change " << i;
    }
  }
}

TEST(StateHasher, NumbersAreComparedByTheirBits) {
  State zero;
  zero.x = 0.0;
  State minus;
  minus.x = -0.0;
  EXPECT_NE(hash_of(zero, Sizes::counted), hash_of(minus, Sizes::counted));
}

TEST(StateHasher, SizesCountWhereTheyAreAskedFor) {
  // the same numbers, cut into lists in another way
  const auto hash = [](const Eigen::VectorXd& a, const Eigen::VectorXd& b, Sizes sizes) {
    StateHasher hasher(sizes);
    hasher(a, b);
    return hasher.finish();
  };
  const Eigen::VectorXd all = Eigen::Vector3d(1.0, 2.0, 3.0);
  EXPECT_EQ(hash(all.head(1), all.tail(2), Sizes::left_out),
            hash(all.head(2), all.tail(1), Sizes::left_out));
  EXPECT_NE(hash(all.head(1), all.tail(2), Sizes::counted),
            hash(all.head(2), all.tail(1), Sizes::counted));
}

TEST(StateHasher, WhatACheckpointHoldsComesBackWithTheSameHash) {
  State first;
  first.k = 77;
  first.q = Eigen::VectorXd::LinSpaced(9, 0.0, 1.0);
  first.list = {};
  ByteWriter bytes;
  State::exchange(bytes, first);
  State second;
  second.q.resize(9);
  ByteReader reader(bytes.bytes(), "checkpoint");
  State::exchange(reader, second);
  reader.finish();
  EXPECT_EQ(hash_of(second, Sizes::counted), hash_of(first, Sizes::counted));
}

}  // namespace state_hash_test
}  // namespace coluber

#include "chain/memory.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace coluber::chain {
namespace memory_test {

struct Memory {
  int link = 0, key = 0;
  double impulse = 0.0;
};
std::pair<int, int> key_of(const Memory& memory) { return {memory.link, memory.key}; }

TEST(ChainMemory, IsRecalledByItsKeyInAscendingOrder) {
  const std::vector<Memory> memories{{0, 1, 0.1}, {2, 0, 0.2}, {2, 3, 0.3}, {5, 1, 0.4}};
  Recall<Memory> recall(memories);
  EXPECT_EQ(recall.find(std::pair{0, 0}), nullptr);
  ASSERT_NE(recall.find(std::pair{0, 1}), nullptr);
  EXPECT_EQ(recall.find(std::pair{1, 7}), nullptr);
  ASSERT_NE(recall.find(std::pair{2, 3}), nullptr);
  EXPECT_EQ(recall.find(std::pair{2, 3})->impulse, 0.3);
  EXPECT_EQ(recall.find(std::pair{5, 0}), nullptr);
  EXPECT_EQ(recall.find(std::pair{5, 1})->impulse, 0.4);
  EXPECT_EQ(recall.find(std::pair{9, 9}), nullptr);
  const std::vector<Memory> nothing;
  EXPECT_EQ(Recall<Memory>(nothing).find(std::pair{0, 0}), nullptr);
}

TEST(ChainMemory, IsHandedOverWithRoomForTheNextStep) {
  std::vector<Memory> renewed{{1, 1, 0.5}};
  std::vector<Memory> memories(40);
  hand_over(renewed, memories);
  ASSERT_EQ(memories.size(), 1U);
  EXPECT_EQ(memories[0].impulse, 0.5);
  EXPECT_GE(renewed.capacity(), memories.capacity());
}

}  // namespace memory_test
}  // namespace coluber::chain

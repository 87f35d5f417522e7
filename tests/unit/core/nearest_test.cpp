#include "coluber/core/nearest.hpp"

#include <gtest/gtest.h>

namespace coluber {
namespace nearest_test {

TEST(Nearest, ForgivesSwapsDropsAndMissingEnds) {
  const std::vector<std::string> words{"mass", "length", "radius", "amplitude_deg", "x", "y"};
  EXPECT_EQ(nearest("lenght", words), "length");
  EXPECT_EQ(nearest("radious", words), "radius");
  EXPECT_EQ(nearest("amplitude", words), "amplitude_deg");
  EXPECT_EQ(nearest("colour", words), "");
  EXPECT_EQ(nearest(std::string(1000000, 'a'), words), "");
}

}  // namespace nearest_test
}  // namespace coluber

#include "coluber/gait/held.hpp"

#include <gtest/gtest.h>

namespace coluber::gait {
namespace held_test {

TEST(Held, KeepsItsAnglesWithRateZeroForEver) {
  const Eigen::Vector3d angles(0.1, -0.2, 0.3);
  const Held gait(angles);
  Eigen::VectorXd phi(3);
  Eigen::VectorXd rate = Eigen::VectorXd::Ones(3);
  for (const double t : {0.0, 1e6}) {
    gait.evaluate(t, phi, rate);
    EXPECT_EQ(phi, angles);
    EXPECT_EQ(rate, Eigen::VectorXd::Zero(3));
  }
  EXPECT_EQ(gait.max_rate(), 0.0);
}

}  // namespace held_test
}  // namespace coluber::gait

#include "coluber/math/ode.hpp"

#include <algorithm>
#include <cmath>

namespace coluber::math {

// Increments that went down with the entry itself would leave a column of rounding errors where an
// entry is zero, and Newton's iteration would fail.
bool Ode::compute_jacobian(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                           const Eigen::Ref<const Eigen::VectorXd>& ydot,
                           Eigen::Ref<Eigen::MatrixXd> J) {
  constexpr double root_epsilon = 1.4901161193847656e-8;
  shifted_ = y;
  bool good = true;
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    shifted_(j) += root_epsilon * std::max(std::abs(y(j)), 0.1);
    good = compute_rate(t, shifted_, J.col(j)) && good;
    J.col(j) = (J.col(j) - ydot) / (shifted_(j) - y(j));
    shifted_(j) = y(j);
  }
  return good;
}

}  // namespace coluber::math

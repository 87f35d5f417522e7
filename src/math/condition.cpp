#include "math/condition.hpp"

#include <Eigen/SVD>

namespace coluber::math {

double compute_condition(const Eigen::MatrixXd& matrix) {
  if (matrix.size() == 0) return 1.0;
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
  return values(0) / values(values.size() - 1);
}

}  // namespace coluber::math

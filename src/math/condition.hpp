#pragma once

#include <Eigen/Core>

namespace coluber::math {

/// Largest over smallest singular value; 1 of an empty matrix. Allocates.
/// By itself in a file: Eigen's singular values take ten seconds to compile.
double compute_condition(const Eigen::MatrixXd& matrix);

}  // namespace coluber::math

// Singular values and pseudo-inverses against Eigen's Jacobi decomposition.

#include "coluber/grasp/pseudo_inverse.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <gtest/gtest.h>

namespace coluber::grasp {
namespace pseudo_inverse_test {

using Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

MatrixXd random_matrix(int rows, int columns, int rank, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto draw = [&](int r, int c) {
    return MatrixXd(MatrixXd::NullaryExpr(r, c, [&] { return normal(random); }));
  };
  return draw(rows, rank) * draw(rank, columns);
}

TEST(SingularValues, AndBothPseudoInversesAreThoseOfTheJacobiMethod) {
  std::mt19937 random(20051201);
  std::normal_distribution<double> normal;
  SingularValues values(30, 28, 3);
  for (int round = 0; round < 200; ++round) {
    const int columns = 1 + static_cast<int>(random() % 28);
    const int rows = columns + static_cast<int>(random() % static_cast<unsigned>(31 - columns));
    const int rank = 1 + static_cast<int>(random() % static_cast<unsigned>(columns));
    const MatrixXd M = random_matrix(rows, columns, rank, random);
    Eigen::JacobiSVD<MatrixXd> svd(M, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-8);
    ASSERT_TRUE(values.compute(M));
    EXPECT_EQ(values.rank(1e-8), svd.rank());
    Eigen::VectorXd own = values.values().cwiseAbs();
    std::ranges::sort(own, std::ranges::greater{});
    const double size = svd.singularValues()(0);
    EXPECT_LE((own - svd.singularValues()).cwiseAbs().maxCoeff(), 1e-13 * size);

    // errors of a solution grow with the condition of what is kept
    const double condition = size / svd.singularValues()(svd.rank() - 1);
    const MatrixXd b = MatrixXd::NullaryExpr(rows, 3, [&] { return normal(random); });
    RowMajor X = b;
    values.solve(X, 1e-8);
    const MatrixXd x = svd.solve(b);
    EXPECT_LE((X.topRows(columns) - x).norm(), 1e-12 * condition * (1.0 + x.norm()));

    const MatrixXd c = MatrixXd::NullaryExpr(columns, 3, [&] { return normal(random); });
    RowMajor Y = RowMajor::Constant(rows, 3, std::numeric_limits<double>::quiet_NaN());
    Y.topRows(columns) = c;
    values.solve_transposed(Y, 1e-8);
    Eigen::JacobiSVD<MatrixXd> turned(M.transpose(), Eigen::ComputeThinU | Eigen::ComputeThinV);
    turned.setThreshold(1e-8);
    const MatrixXd y = turned.solve(c);
    EXPECT_LE((Y - y).norm(), 1e-12 * condition * (1.0 + y.norm()));
  }
}

TEST(SingularValues, SurviveZerosAnywhereOnTheDiagonal) {
  SingularValues values(6, 5);
  for (int zero = 0; zero < 5; ++zero) {
    MatrixXd M = MatrixXd::Zero(6, 5);
    for (int k = 0; k < 5; ++k) {
      M(k, k) = k == zero ? 0.0 : 1.0 + k;
      if (k > 0) M(k - 1, k) = 0.5;
    }
    ASSERT_TRUE(values.compute(M));
    const Eigen::VectorXd expected = Eigen::JacobiSVD<MatrixXd>(M).singularValues();
    Eigen::VectorXd own = values.values().cwiseAbs();
    std::ranges::sort(own, std::ranges::greater{});
    EXPECT_LE((own - expected).norm(), 1e-14) << zero;
  }
  ASSERT_TRUE(values.compute(MatrixXd::Zero(6, 5)));
  EXPECT_EQ(values.rank(1e-8), 0);
}

TEST(SingularValues, AreDampedAsAsked) {
  std::mt19937 random(7);
  const MatrixXd M = random_matrix(8, 5, 5, random);
  SingularValues values(8, 5);
  ASSERT_TRUE(values.compute(M));
  RowMajor X = RowMajor::Zero(8, 1);
  X.topRows(5).setOnes();
  values.solve_transposed(X, 0.0, 0.3);
  // M (MᵀM + λ²)⁻¹ 1
  const MatrixXd damped = M.transpose() * M + 0.09 * MatrixXd::Identity(5, 5);
  EXPECT_LE((X - M * damped.inverse() * Eigen::VectorXd::Ones(5)).norm(), 1e-12);
}

TEST(SingularValues, RefuseWhatIsNotFinite) {
  MatrixXd M = MatrixXd::Identity(4, 3);
  M(2, 1) = std::numeric_limits<double>::quiet_NaN();
  SingularValues values(4, 3);
  EXPECT_FALSE(values.compute(M));
}

}  // namespace pseudo_inverse_test
}  // namespace coluber::grasp

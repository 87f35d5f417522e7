#include "coluber/grasp/control.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace coluber::grasp {

namespace {

/// Of A_0⁺.
constexpr double kHeadCutoff = 1e-9;
/// Of the differences that give the ascent (rad).
constexpr double kDifference = 1e-6;

/// Decomposes Bᵀ, or (B W^(1/2))ᵀ.
bool decompose(const Rows& rows, const ControlOptions& options, Control& control) {
  if (options.inverse != Inverse::weighted) {
    return control.B.compute(rows.Bt.leftCols(rows.size));
  }
  auto scaled = control.weighted.leftCols(rows.size);
  for (Eigen::Index j = 0; j < scaled.rows(); ++j) {
    scaled.row(j) = std::sqrt(control.mobility(j)) * rows.Bt.row(j).head(rows.size);
  }
  return control.B.compute(scaled);
}

/// X = B⁺ X, `rows.size` rows in, one per input out.
void solve(const Rows& rows, const ControlOptions& options, const Control& control,
           SingularValues::Vectors X) {
  control.B.solve_transposed(X.topRows(std::max(rows.Bt.rows(), Eigen::Index{rows.size})),
                             options.cutoff,
                             options.inverse == Inverse::damped ? options.damping : 0.0);
  if (options.inverse != Inverse::weighted) return;
  for (Eigen::Index j = 0; j < rows.Bt.rows(); ++j) X.row(j) *= std::sqrt(control.mobility(j));
}

/// ẇ_0, and ż_0 where wheels that stay on the ground determine it.
void solve_head(const Model& model, const Chain& chain, const Rows& rows,
                const ControlOptions& options, const Eigen::Ref<const Eigen::VectorXd>& v,
                Control& control) {
  const int m = rows.wheels;
  control.climb = 0.0;
  if (options.head_solve == HeadSolve::wished) {
    control.head = v.head<4>();
    return;
  }
  auto X = control.columns.leftCols(1);
  if (options.head_solve == HeadSolve::plain) {
    for (int i = 0; i < m; ++i) X(i, 0) = rows.Bt.col(i).dot(control.u);
    if (!control.few.compute(rows.A0())) return;
    control.few.solve(X.topRows(m), kHeadCutoff);
    control.head = X.topRows(4);
    return;
  }
  // 2m rows: no slip, and ż_fi = ż_0 + (rise of wheel i)˙ = 0  spec 2.3
  auto tall = control.tall.topLeftCorner(2 * m, 5);
  tall.topLeftCorner(m, 4) = rows.A0();
  tall.col(4).head(m).setZero();
  for (int i = 0; i < m; ++i) {
    const int link = model.wheeled[static_cast<std::size_t>(i)];
    X(i, 0) = rows.Bt.col(i).dot(control.u);
    if (link == 0) {  // the head: its middle follows its own pitch alone
      tall.row(m + i) << 0.0, 0.0, chain.by_pitch(0, 0).z(), chain.by_yaw(0, 0).z(), 1.0;
      X(m + i, 0) = 0.0;
      continue;
    }
    const int row = m + link - 1;
    tall.row(m + i) << 0.0, 0.0, -rows.head(row, 2), -rows.head(row, 3), 1.0;
    X(m + i, 0) = -rows.Bt.col(row).dot(control.u);
  }
  if (!control.few.compute(tall)) return;
  control.few.solve(X.topRows(2 * m), kHeadCutoff);
  control.head = X.topRows(4);
  control.climb = X(4, 0);
}

}  // namespace

void Scaled::times(double x) {
  int more = 0;
  m = std::frexp(m * x, &more);
  e += more;
}

double Scaled::over(const Scaled& other) const {
  const std::int64_t exponent = std::clamp<std::int64_t>(e - other.e, -1000, 1000);
  return std::ldexp(m / other.m, static_cast<int>(exponent));
}

Control::Control(const Model& model)
    : B(std::max(model.inputs(), static_cast<int>(Rows(model).Bt.cols())),
        static_cast<int>(Rows(model).Bt.cols()), static_cast<int>(Rows(model).w.size())),
      u(Eigen::VectorXd::Zero(model.inputs())),
      mobility(Eigen::VectorXd::Ones(model.inputs())),
      ascent(Eigen::VectorXd::Zero(model.inputs())),
      few(2 * model.links, 5, 1),
      BA(model.inputs(), static_cast<int>(Rows(model).w.size()), 1),
      weighted(model.inputs(), Rows(model).Bt.cols()),
      tall(2 * model.links, 5),
      columns(std::max(model.inputs(), static_cast<int>(Rows(model).Bt.cols())) + 8,
              Rows(model).w.size() + 1),
      moved(model.links),
      moved_rows(model),
      q(model.links),
      BBt(Rows(model).Bt.cols(), Rows(model).Bt.cols()) {}

bool compute_inputs(const Model& model, const Chain& chain, const Rows& rows,
                    const ControlOptions& options, const Eigen::Ref<const Eigen::VectorXd>& v,
                    Control& control) {
  const int size = rows.size;
  const int m = rows.wheels;
  const double alpha = options.null_space.alpha;
  if (!control.decomposed && !decompose(rows, options, control)) return false;
  control.decomposed = false;
  // B⁺(A v − α B η) + α η
  auto X = control.columns.leftCols(1);
  for (int i = 0; i < size; ++i) {
    double right = rows.head.row(i).dot(v.head<4>());
    if (i >= m) right += v(4 + i - m);
    if (alpha != 0.0) right -= alpha * rows.Bt.col(i).dot(control.ascent);
    X(i, 0) = right;
  }
  solve(rows, options, control, X);
  control.u = X.topRows(model.inputs());
  if (alpha != 0.0) control.u += alpha * control.ascent;
  solve_head(model, chain, rows, options, v, control);
  control.slip = 0.0;
  for (int i = 0; i < m; ++i) {
    control.slip = std::max(
        control.slip, std::abs(rows.head.row(i).dot(control.head) - rows.Bt.col(i).dot(control.u)));
  }
  return control.u.allFinite() && control.head.allFinite() && std::isfinite(control.climb);
}

// Differs: the printed determinant of the 28 × 28 matrix (B⁺A)(B⁺A)ᵀ (3.18) is zero whatever the
// shape, and its ratios are rounding.
bool update_determinant(const Rows& rows, const ControlOptions& options, Control& control) {
  if (!decompose(rows, options, control)) return false;
  const int size = rows.size;
  const int m = rows.wheels;
  const Eigen::Index states = 4 + size - m;
  auto X = control.columns.leftCols(states - 1);
  X.topRows(size).setZero();
  X.topLeftCorner(size, 2) = rows.head.topLeftCorner(size, 2);
  X.col(2).head(size) = rows.head.col(3).head(size);
  for (int i = m; i < size; ++i) X(i, 3 + i - m) = 1.0;
  solve(rows, options, control, X);
  auto BA = control.weighted.leftCols(states - 1);
  BA = X.topRows(rows.Bt.rows());
  if (!control.BA.compute(BA)) return false;
  const double least = options.cutoff * control.BA.largest();
  control.D = {};
  for (double value : control.BA.values()) {
    if (std::abs(value) > least) control.D.times(value * value);
  }
  control.decomposed = true;
  return true;
}

double compute_objective(const Model& model, const Layout& layout, const Configuration& q,
                         const NullSpace& options, Control& control) {
  update_chain(model, q, control.moved);
  update_rows(model, layout, q, control.moved, control.moved_rows);
  const Rows& rows = control.moved_rows;
  double V = 0.0;
  if (options.a != 0.0) {
    V += options.a * (options.columns == 3
                          ? compute_posture(rows)
                          : Eigen::Matrix4d(rows.A0().transpose() * rows.A0()).determinant());
  }
  if (options.b != 0.0) {
    auto G = control.BBt.topLeftCorner(rows.size, rows.size);
    const auto Bt = rows.Bt.leftCols(rows.size);
    for (int i = 0; i < rows.size; ++i) {
      for (int j = 0; j <= i; ++j) G(i, j) = Bt.col(i).dot(Bt.col(j));
    }
    // Cholesky in place; a pivot that is not positive: the rows are dependent
    double det = 1.0;
    for (int i = 0; i < rows.size && det > 0.0; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = G(i, j);
        for (int k = 0; k < j; ++k) sum -= G(i, k) * G(j, k);
        if (i != j) {
          G(i, j) = sum / G(j, j);
        } else if (sum > 0.0) {
          G(i, i) = std::sqrt(sum);
          det *= sum;
        } else {
          det = 0.0;
        }
      }
    }
    V += options.b * det;
  }
  return V;
}

void update_ascent(const Model& model, const Layout& layout, const Configuration& q,
                   const NullSpace& options, Control& control) {
  control.q = q;
  const int joints = model.joints();
  for (int k = 0; k < model.inputs(); ++k) {
    double& angle = k < joints ? control.q.pitch(k + 1) : control.q.yaw(k - joints + 1);
    const double before = angle;
    angle = before + kDifference;
    const double up = compute_objective(model, layout, control.q, options, control);
    angle = before - kDifference;
    const double down = compute_objective(model, layout, control.q, options, control);
    angle = before;
    control.ascent(k) = (up - down) / (2.0 * kDifference);
  }
}

}  // namespace coluber::grasp

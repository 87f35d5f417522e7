#include "coluber/grasp/rows.hpp"

#include <cmath>

#include <Eigen/LU>

#include "coluber/math/atan2.hpp"

namespace coluber::grasp {

namespace {

using Eigen::Vector3d;

/// aᵀ (Ṗ_fi − Ṗ_0): to the columns of u with plus, to those of the head with minus.
void add_row(const Chain& chain, int i, const Vector3d& a, int row, Rows& rows) {
  const Eigen::Index joints = chain.mid.cols() - 1;
  rows.head(row, 2) = -a.dot(chain.by_pitch(i, 0));
  rows.head(row, 3) = -a.dot(chain.by_yaw(i, 0));
  for (int j = 1; j <= i; ++j) {
    rows.Bt(j - 1, row) = a.dot(chain.by_pitch(i, j));
    rows.Bt(joints + j - 1, row) = a.dot(chain.by_yaw(i, j));
  }
}

/// Adds share · φ̇_i.  φ̇_i = (l_x ς_y − l_y ς_x)/(l_x² + l_y²), ς = ω_i × l_i
void add_heading_row(const Chain& chain, int i, double share, int row, Rows& rows) {
  const Eigen::Index joints = chain.mid.cols() - 1;
  const Vector3d l = chain.along.col(i);
  const double flat = l.x() * l.x() + l.y() * l.y();
  const Vector3d across = Vector3d(-l.y(), l.x(), 0.0) / flat;
  const auto rate = [&](const Vector3d& axis) { return share * across.dot(axis.cross(l)); };
  rows.head(row, 2) -= rate(chain.e_y.col(0));
  rows.head(row, 3) -= rate(chain.e_z.col(0));
  for (int j = 1; j <= i; ++j) {
    rows.Bt(j - 1, row) += rate(chain.e_y.col(j));
    rows.Bt(joints + j - 1, row) += rate(chain.e_z.col(j));
  }
}

}  // namespace

Rows::Rows(const Model& model) {
  Layout largest;
  largest.holds = kHeld;
  largest.oscillating = 1;
  const int most = largest.rows(model);
  head.resize(most, 4);
  Bt.resize(model.inputs(), most);
  w.resize(largest.states(model));
  head.setZero();
  Bt.setZero();
  w.setZero();
}

void update_rows(const Model& model, const Layout& layout, const Configuration& q,
                 const Chain& chain, Rows& rows) {
  rows.wheels = model.wheels();
  rows.size = layout.rows(model);
  rows.head.topRows(rows.size).setZero();
  rows.Bt.leftCols(rows.size).setZero();
  rows.w.head<4>() << q.P0.x(), q.P0.y(), q.pitch(0), q.yaw(0);

  // h_iᵀ Ṗ_fi = 0, h_i across the link  (2.40)-(2.42)
  int row = 0;
  for (int i : model.wheeled) {
    const Vector3d l = chain.along.col(i);
    const double size = std::sqrt(l.x() * l.x() + l.y() * l.y());
    const Vector3d h(l.y() / size, -l.x() / size, 0.0);
    add_row(chain, i, -h, row, rows);
    rows.head(row, 0) = h.x();
    rows.head(row, 1) = h.y();
    ++row;
  }
  // rises  (2.43)-(2.45)
  int state = 4;
  for (int i = 1; i < model.links; ++i) {
    add_row(chain, i, Vector3d::UnitZ(), row++, rows);
    rows.w(state++) = chain.mid(2, i) - q.P0.z();
  }
  // offsets of contacts  (3.11)-(3.14)
  for (int axis = 0; axis < 2; ++axis) {
    for (int c = 0; c < layout.holds; ++c) {
      const int i = layout.held[static_cast<std::size_t>(c)];
      add_row(chain, i, Vector3d::Unit(axis), row++, rows);
      rows.w(state++) = chain.mid(axis, i) - q.P0(axis);
    }
  }
  // ψ = φ_i − φ_{i−1}  (2.46)-(2.49)
  if (layout.oscillating > 0) {
    const int i = layout.oscillating;
    add_heading_row(chain, i, 1.0, row, rows);
    add_heading_row(chain, i - 1, -1.0, row, rows);
    const Vector3d a = chain.along.col(i - 1);
    const Vector3d b = chain.along.col(i);
    rows.w(state) = math::atan2(a.x() * b.y() - a.y() * b.x(), a.x() * b.x() + a.y() * b.y());
  }
}

double compute_posture(const Rows& rows) {
  Eigen::Matrix3d XtX;
  const int columns[] = {0, 1, 3};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      XtX(a, b) = rows.A0().col(columns[a]).dot(rows.A0().col(columns[b]));
    }
  }
  return XtX.determinant();
}

}  // namespace coluber::grasp

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "coluber/math/sincos.hpp"

#include "multibody/parts.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Vector3d;

/// A row counts as well apart from others if so much of it is across them.
constexpr double kWellApart = 0.02;

/// The part of `a` that the basis has not; its parts along the basis into `along`.
Vector3d reduce(const RowBasis& basis, const Vector3d& a, Vector3d& along) {
  Vector3d rest = a;
  along.setZero();
  for (int twice = 0; twice < 2; ++twice) {
    for (int k = 0; k < basis.rank; ++k) {
      const double part = basis.q.row(k).dot(rest);
      along(k) += part;
      rest -= part * basis.q.row(k).transpose();
    }
  }
  return rest;
}

void accept(int row, const Vector3d& rest, const Vector3d& along, double share, RowBasis& basis) {
  const double size = rest.norm();
  basis.q.row(basis.rank) = rest.transpose() / size;
  basis.L.row(basis.rank) = along.transpose();
  basis.L(basis.rank, basis.rank) = size;
  basis.chosen[basis.rank] = row;
  basis.least = std::min(basis.least, share);
  ++basis.rank;
}

/// Fills the rows behind the basis with what is across all of it.
void complete(RowBasis& basis) {
  if (basis.rank == 0) {
    basis.q.setIdentity();
  } else if (basis.rank == 1) {
    Vector3d other = Vector3d::Zero();
    Eigen::Index least = 0;
    basis.q.row(0).cwiseAbs().minCoeff(&least);
    other(least) = 1.0;
    const Vector3d first = basis.q.row(0).transpose();
    const Vector3d second = first.cross(other).normalized();
    basis.q.row(1) = second.transpose();
    basis.q.row(2) = first.cross(second).transpose();
  } else if (basis.rank == 2) {
    const Vector3d first = basis.q.row(0).transpose();
    const Vector3d second = basis.q.row(1).transpose();
    basis.q.row(2) = first.cross(second).normalized().transpose();
  }
}

}  // namespace

// Row of wheel w on body j, carried to S_0: A = w^T Ad_{jgo}; b = B ṙ, the wheel's sideways
// velocity when S_0 stands.  Ali (3.42)
void update_rows(const Model& model, const Program& program, double t, const Data& data,
                 Data::Base& base) {
  program(t, base.input);
  for (int k : model.passive) {  // found by loops, as they are now
    base.input.r(k) = data.r(k);
    base.input.rdot(k) = data.rdot(k);
    base.input.rddot(k) = data.rddot(k);
  }
  base.to_root[0] = Pose{};
  base.eta[0].setZero();
  for (int j : model.base_bodies) {
    const auto at = static_cast<std::size_t>(j);
    const auto parent = static_cast<std::size_t>(model.body(j).parent);
    const JointRate place = joint_rate(model, j, base.input.r);
    double s = 0.0;
    double c = 1.0;
    math::sincos(place.about, s, c);
    Pose& g = base.g[at];
    set_pose(model.body(j), s, c, place.along, g);
    base.to_root[at] = base.to_root[parent] * g;
    base.eta[at] = math::to_child(g, base.eta[parent]);
    add_joint(joint_rate(model, j, base.input.rdot), base.eta[at]);
  }
  int row = 0;
  for (int w : model.base_wheels) {
    const Wheel& wheel = model.wheel(w);
    const auto at = static_cast<std::size_t>(wheel.body);
    const Vector6d across = wheel_row(wheel, base.input.beta(w)).across;
    base.rows.a.row(row) = in_plane(math::to_parent(base.to_root[at], across)).transpose();
    base.rows.b(row) = across.dot(base.eta[at]);
    ++row;
  }
  base.rows.sliding = row;
  if (model.drive) {
    base.rows.a.row(row) << 1.0, 0.0, 0.0;
    base.rows.b(row) = -base.input.speed;
    ++row;
  } else {
    for (int w : model.driven) {
      const Wheel& wheel = model.wheel(w);
      base.rows.a.row(row) = in_plane(wheel_row(wheel, base.input.beta(w)).along).transpose();
      base.rows.b(row) = -wheel.radius * base.input.thetadot(w);
      ++row;
    }
  }
  base.rows.size = row;
}

// γ = w · η̇_j with η̇_o = 0, and ẇ · η_j; B r̈ counted in.
void update_row_bias(const Model& model, Data::Base& base) {
  base.eta[0] = base.eta_o;
  base.etadot[0].setZero();
  for (int j : model.base_bodies) {
    const auto at = static_cast<std::size_t>(j);
    const auto parent = static_cast<std::size_t>(model.body(j).parent);
    const Pose& g = base.g[at];
    const JointRate rate = joint_rate(model, j, base.input.rdot);
    base.eta[at] = math::to_child(g, base.eta[parent]);
    add_joint(rate, base.eta[at]);
    base.etadot[at] = math::to_child(g, base.etadot[parent]) + joint_bias(base.eta[at], rate);
    add_joint(joint_rate(model, j, base.input.rddot), base.etadot[at]);
  }
  int row = 0;
  for (int w : model.base_wheels) {
    const Wheel& wheel = model.wheel(w);
    const auto at = static_cast<std::size_t>(wheel.body);
    const WheelRow each = wheel_row(wheel, base.input.beta(w));
    base.rows.gamma(row++) =
        each.across.dot(base.etadot[at]) - base.input.betadot(w) * each.along.dot(base.eta[at]);
  }
  if (model.drive) {
    base.rows.gamma(row++) = -base.input.speeddot;
  } else {
    for (int w : model.driven) {
      const Wheel& wheel = model.wheel(w);
      base.rows.gamma(row++) =
          base.input.betadot(w) * wheel_row(wheel, base.input.beta(w)).across.dot(base.eta_o) -
          wheel.radius * base.input.thetaddot(w);
    }
  }
}

// Rows in their order, as long as they are well apart; then the one that is farthest from the
// others. So the choice does not depend on rounding, and a wheel that would have to slide is one of
// the last.
void choose_rows(const Rows& rows, int count, int wanted, double tolerance, RowBasis& basis) {
  basis.rank = 0;
  basis.least = 1.0;
  Vector3d along;
  for (int i = 0; i < count && basis.rank < wanted; ++i) {
    const Vector3d a = rows.a.row(i).transpose();
    const Vector3d rest = reduce(basis, a, along);
    const double share = rest.norm() / a.norm();
    if (share > kWellApart) accept(i, rest, along, share, basis);
  }
  while (basis.rank < wanted) {
    int best = -1;
    double most = tolerance;
    for (int i = 0; i < count; ++i) {
      const Vector3d a = rows.a.row(i).transpose();
      const double share = reduce(basis, a, along).norm() / a.norm();
      if (share <= most) continue;
      best = i;
      most = share;
    }
    if (best < 0) break;
    const Vector3d rest = reduce(basis, rows.a.row(best).transpose(), along);
    accept(best, rest, along, most, basis);
  }
  complete(basis);
}

// Where later wheels would have the motion otherwise, the first ones determine it at every instant,
// however near to dependent they are: the later ones slide.
void choose_rows(const Rows& rows, const Classification& as, double tolerance, RowBasis& basis) {
  if (!as.leads) {
    choose_rows(rows, rows.size, as.rank, tolerance, basis);
    return;
  }
  basis.rank = 0;
  basis.least = 1.0;
  Vector3d along;
  for (int row : as.lead) {
    const Vector3d a = rows.a.row(row).transpose();
    const Vector3d rest = reduce(basis, a, along);
    const double share = rest.norm() / a.norm();
    if (!(share > tolerance)) break;
    accept(row, rest, along, share, basis);
  }
  complete(basis);
}

double share_of_row(const Rows& rows, std::span<const int> others, int row) {
  RowBasis basis;
  Vector3d along;
  for (int other : others) {
    const Vector3d rest = reduce(basis, rows.a.row(other).transpose(), along);
    if (rest.norm() > 0.0) accept(other, rest, along, 1.0, basis);
  }
  const Vector3d a = rows.a.row(row).transpose();
  return reduce(basis, a, along).norm() / a.norm();
}

// Column k of B: the wheels' sideways velocities for unit rate of one coordinate.
bool compute_row_column(const Model& model, const Data::Base& base, int k, Eigen::VectorXd& b) {
  b.setZero();
  const int j = model.body_of[static_cast<std::size_t>(k)];
  if (!std::ranges::binary_search(model.base_bodies, j)) return false;
  const Vector6d S = math::Ad(base.to_root[static_cast<std::size_t>(j)]) * screw(model, k);
  for (int i = 0; i < base.rows.sliding; ++i) {
    const int w = model.base_wheels[static_cast<std::size_t>(i)];
    int on = model.wheel(w).body;
    while (on > j) on = model.body(on).parent;
    if (on != j) continue;
    const Vector6d across = wheel_row(model.wheel(w), base.input.beta(w)).across;
    const Pose& g = base.to_root[static_cast<std::size_t>(model.wheel(w).body)];
    b(i) = math::to_parent(g, across).dot(S);
  }
  return true;
}

Vector3d solve_rows(const RowBasis& basis, const Eigen::VectorXd& rhs) {
  Vector3d x = Vector3d::Zero();
  Vector3d y = Vector3d::Zero();
  for (int k = 0; k < basis.rank; ++k) {
    double value = -rhs(basis.chosen[k]);
    for (int i = 0; i < k; ++i) value -= basis.L(k, i) * y(i);
    y(k) = value / basis.L(k, k);
    x += y(k) * basis.q.row(k).transpose();
  }
  return x;
}

// 1/|L⁻¹|: the inverse of a triangular matrix is accurate however small its diagonal is.
double smallest_singular_value(const RowBasis& basis) {
  Eigen::Matrix3d inverse = Eigen::Matrix3d::Zero();
  for (int k = 0; k < basis.rank; ++k) {
    if (!(basis.L(k, k) > 0.0)) return 0.0;
    inverse(k, k) = 1.0 / basis.L(k, k);
    for (int i = 0; i < k; ++i) {
      double sum = 0.0;
      for (int j = i; j < k; ++j) sum += basis.L(k, j) * inverse(j, i);
      inverse(k, i) = -sum * inverse(k, k);
    }
  }
  const Eigen::Matrix3d square = inverse * inverse.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(square, Eigen::EigenvaluesOnly);
  const double largest = solver.eigenvalues()(2);
  return largest > 0.0 ? 1.0 / std::sqrt(largest) : 0.0;
}

}  // namespace coluber::multibody

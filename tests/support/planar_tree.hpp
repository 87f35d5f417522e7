#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "coluber/multibody/model.hpp"

namespace coluber::multibody::support {

using Eigen::VectorXd;

/// A planar tree of revolute joints in world coordinates q = (x, y, θ, r), its wheels' forces as
/// multipliers: M q̈ + h = (0, τ) + C^T λ, C q̈ + Ċ q̇ = 0. Nothing of it is shared with the library.
class PlanarTree {
 public:
  PlanarTree(const Tree& tree, double theta, const Eigen::Vector3d& eta, const VectorXd& r,
             const VectorXd& rdot)
      : n_(3 + r.size()),
        M(Eigen::MatrixXd::Zero(n_, n_)),
        C(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(tree.wheels.size()), n_)),
        h(VectorXd::Zero(n_)),
        bias(VectorXd::Zero(C.rows())) {
    qdot_ = VectorXd::Zero(n_);
    qdot_.head<2>() = turn(theta) * eta.head<2>();
    qdot_(2) = eta(2);
    qdot_.tail(r.size()) = rdot;
    for (std::size_t j = 0; j < tree.bodies.size(); ++j) {
      const Body& body = tree.bodies[j];
      const auto parent = static_cast<std::size_t>(body.parent);
      const auto joint = static_cast<Eigen::Index>(j) - 1;
      angle_.push_back(j == 0 ? theta : angle_[parent] + r(joint));
      origin_.push_back(j == 0
                            ? Eigen::Vector2d::Zero()
                            : Eigen::Vector2d(origin_[parent] +
                                              turn(angle_[parent]) * body.joint_frame.p.head<2>()));
      path_.push_back(j == 0 ? std::vector<std::size_t>{} : path_[parent]);
      path_.back().push_back(j);
      const Point point = at(j, body.c.head<2>());
      M += body.m * point.J.transpose() * point.J;
      h += body.m * point.J.transpose() * point.bias;
      const VectorXd spin = spin_of(j);
      M += body.I_c(2, 2) * spin * spin.transpose();
    }
    for (std::size_t w = 0; w < tree.wheels.size(); ++w) {
      const auto j = static_cast<std::size_t>(tree.wheels[w].body);
      const auto row = static_cast<Eigen::Index>(w);
      const Point point = at(j, tree.wheels[w].place);
      const Eigen::Vector2d normal = turn(angle_[j]).col(1);
      C.row(row) = normal.transpose() * point.J;
      bias(row) = normal.dot(point.bias) +
                  spin_of(j).dot(qdot_) * across(normal).dot(Eigen::Vector2d(point.J * qdot_));
    }
  }

  [[nodiscard]] VectorXd accelerations(const VectorXd& tau) const {
    const Eigen::Index rows = C.rows();
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n_ + rows, n_ + rows);
    K << M, -C.transpose(), C, Eigen::MatrixXd::Zero(rows, rows);
    VectorXd rhs(n_ + rows);
    rhs << -h, -bias;
    rhs.segment(3, tau.size()) += tau;
    return K.fullPivLu().solve(rhs).head(n_);
  }
  [[nodiscard]] double slip() const { return (C * qdot_).cwiseAbs().maxCoeff(); }

  static Eigen::Matrix2d turn(double angle) { return Eigen::Rotation2Dd(angle).matrix(); }

 private:
  struct Point {
    Eigen::Matrix<double, 2, Eigen::Dynamic> J;
    Eigen::Vector2d bias;  // J̇ q̇
  };
  static Eigen::Vector2d across(const Eigen::Vector2d& x) { return {-x.y(), x.x()}; }
  [[nodiscard]] VectorXd spin_of(std::size_t j) const {
    VectorXd spin = VectorXd::Zero(n_);
    for (std::size_t k : path_[j]) spin(2 + static_cast<Eigen::Index>(k)) = 1.0;
    return spin;
  }
  [[nodiscard]] Eigen::Matrix<double, 2, Eigen::Dynamic> jacobian(std::size_t j,
                                                                  const Eigen::Vector2d& x) const {
    Eigen::Matrix<double, 2, Eigen::Dynamic> J(2, n_);
    J.setZero();
    J.leftCols<2>().setIdentity();
    for (std::size_t k : path_[j]) {
      J.col(2 + static_cast<Eigen::Index>(k)) = across(x - origin_[k]);
    }
    return J;
  }
  [[nodiscard]] Point at(std::size_t j, const Eigen::Vector2d& place) const {
    const Eigen::Vector2d x = origin_[j] + turn(angle_[j]) * place;
    Point point{jacobian(j, x), Eigen::Vector2d::Zero()};
    const Eigen::Vector2d v = point.J * qdot_;
    for (std::size_t k : path_[j]) {
      const Eigen::Vector2d v_k = jacobian(k, origin_[k]) * qdot_;
      point.bias += qdot_(2 + static_cast<Eigen::Index>(k)) * across(v - v_k);
    }
    return point;
  }

  Eigen::Index n_;
  VectorXd qdot_;
  std::vector<double> angle_;
  std::vector<Eigen::Vector2d> origin_;
  std::vector<std::vector<std::size_t>> path_;

 public:
  Eigen::MatrixXd M, C;
  VectorXd h, bias;
};

}  // namespace coluber::multibody::support

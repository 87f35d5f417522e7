#pragma once

// Random states of the minimal model, and its literal dense construction.

#include <random>

#include <Eigen/Dense>

#include "coluber/planar/minimal.hpp"

#include "sample/snake.hpp"

namespace coluber::sample {

/// A state of the minimal model.
struct RobotState {
  Eigen::VectorXd q, qdot;
};

inline Eigen::VectorXd uniform(Eigen::Index size, double bound, std::mt19937_64& random) {
  std::uniform_real_distribution<double> number(-bound, bound);
  Eigen::VectorXd values(size);
  for (double& value : values) value = number(random);
  return values;
}

inline RobotState random_robot_state(int n, std::mt19937_64& random) {
  RobotState state{uniform(n + 2, 1.2, random), uniform(n + 2, 2.0, random)};
  state.q.head<2>() *= 3.0;
  state.q(2) *= 10.0;
  return state;
}

/// The literal construction of Transeth 6.2: Jacobians of points about the joints they turn on.
class DenseRobot {
 public:
  DenseRobot(const planar::Model& model, const Eigen::VectorXd& q) : model_(model), n_(model.n()) {
    O_.resize(2, n_ + 1);
    e_.resize(2, n_);
    O_.col(0) = q.head<2>();
    double theta = q(2);
    for (int i = 0; i < n_; ++i) {
      if (i > 0) theta += q(i + 2);
      e_.col(i) << std::cos(theta), std::sin(theta);
      O_.col(i + 1) = O_.col(i) + link(i).L * e_.col(i);  // (6.2)
    }
  }

  [[nodiscard]] const planar::Link& link(int i) const {
    return model_.links[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] Eigen::Vector2d axis(int i) const { return e_.col(i); }
  [[nodiscard]] Eigen::Matrix2d rotation(int i) const {
    Eigen::Matrix2d R;
    R << e_(0, i), -e_(1, i), e_(1, i), e_(0, i);
    return R;
  }
  /// Centre of gravity of link i.
  [[nodiscard]] Eigen::Vector2d G(int i) const {
    return O_.col(i) + (0.5 * link(i).L + link(i).offset) * e_.col(i);
  }
  /// Of a point P of link i.  (6.5)-(6.6), (6.11)-(6.12)
  [[nodiscard]] Eigen::MatrixXd J_v(int i, const Eigen::Vector2d& P) const {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2, n_ + 2);
    J.leftCols<2>().setIdentity();
    for (int k = 0; k <= i; ++k) {
      const Eigen::Vector2d r = P - O_.col(k);
      J.col(k + 2) << -r.y(), r.x();
    }
    return J;
  }
  /// (6.8)-(6.9)
  [[nodiscard]] Eigen::RowVectorXd J_omega(int i) const {
    Eigen::RowVectorXd J = Eigen::RowVectorXd::Zero(n_ + 2);
    J.segment(2, i + 1).setOnes();
    return J;
  }
  /// (6.15)
  [[nodiscard]] Eigen::MatrixXd mass_matrix() const {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n_ + 2, n_ + 2);
    for (int i = 0; i < n_; ++i) {
      const Eigen::MatrixXd J = J_v(i, G(i));
      M += link(i).m * J.transpose() * J + link(i).Theta * J_omega(i).transpose() * J_omega(i);
    }
    return M;
  }
  /// Generalised forces of (6.21) and (6.26), two points a link, and of rotational friction.
  [[nodiscard]] Eigen::VectorXd friction(const Eigen::VectorXd& qdot, double eps_C) const {
    Eigen::VectorXd force = Eigen::VectorXd::Zero(n_ + 2);
    const double load = model_.g * std::cos(model_.tilt);
    for (int i = 0; i < n_; ++i) {
      const double lean = link(i).offset / link(i).L_GS;
      for (const double side : {-1.0, 1.0}) {
        const double N = 0.5 * link(i).m * load * (1.0 + side * lean);
        const Eigen::Vector2d P = G(i) + (side * link(i).L_GS - link(i).offset) * axis(i);
        const Eigen::MatrixXd J = J_v(i, P);
        const Eigen::Vector2d v = rotation(i).transpose() * (J * qdot);
        const Eigen::Array2d coulomb =
            model_.mu_T.array() * 2.0 / std::numbers::pi * (v / eps_C).array().atan();
        const Eigen::Array2d viscous = model_.mu_V.array() * v.array();
        force += J.transpose() * (rotation(i) * (-N * (coulomb + viscous)).matrix());
      }
      const Eigen::RowVectorXd J = J_omega(i);
      force -= model_.c_R * link(i).m * load * J.dot(qdot) * J.transpose();
    }
    return force;
  }

 private:
  const planar::Model& model_;
  int n_;
  Eigen::Matrix2Xd O_, e_;
};

/// C of (6.16)-(6.17): Christoffel symbols from central differences of the dense M. Error about
/// h² and rounding/h: 1e-9 of M.
inline Eigen::MatrixXd christoffel(const planar::Model& model, const RobotState& state) {
  const Eigen::Index size = state.q.size();
  const double h = 3e-6;
  std::vector<Eigen::MatrixXd> dM;
  for (Eigen::Index k = 0; k < size; ++k) {
    Eigen::VectorXd q = state.q;
    q(k) = state.q(k) + h;
    const Eigen::MatrixXd ahead = DenseRobot(model, q).mass_matrix();
    q(k) = state.q(k) - h;
    const Eigen::MatrixXd behind = DenseRobot(model, q).mass_matrix();
    dM.push_back((ahead - behind) / (2.0 * h));
  }
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      for (Eigen::Index k = 0; k < size; ++k) {
        const auto at = [&](Eigen::Index of) -> const Eigen::MatrixXd& {
          return dM[static_cast<std::size_t>(of)];
        };
        C(i, j) += 0.5 * (at(k)(i, j) + at(j)(i, k) - at(i)(k, j)) * state.qdot(k);  // (6.17)
      }
    }
  }
  return C;
}

}  // namespace coluber::sample

#pragma once

// Second route to one step: the thesis' own absolute coordinates, dense matrices, joint impulses
// eliminated by (W_J^T M^-1 W_J)^-1 as printed, Transeth (3.73)-(3.81), with its position
// projection. Written from the equations alone; it shares no line with the library's step. The laws
// are the problem's (b, c, c_T, A), so that both routes answer the same question; b = c = c_T = 0
// is the thesis itself.

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "coluber/planar/snake.hpp"

namespace coluber::absolute {

using Eigen::Matrix2d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

struct Servo {
  VectorXd tau, k_P, phi_d, k_D, phidot_d;  // as JointCommand
};

struct ObstacleForce {
  int link;
  int obstacle;
  double P;
  double P_T;  // along the normal turned by +90°
};

struct Step {
  VectorXd u_E;
  std::vector<Vector2d> P_T;  // of every friction point, link by link, rear first; link frame (N s)
  std::vector<ObstacleForce> P_H;
  int iterations = 0;
};

struct Laws {
  double epsilon = 0.02;  // c = c_T = epsilon/m; 0: the thesis
  double beta = 0.2;
  bool landing = true;
};

inline Matrix2d rotation(double theta) {
  Matrix2d R;
  R << std::cos(theta), -std::sin(theta), std::sin(theta), std::cos(theta);
  return R;
}

/// Gap and direction w of one link and one obstacle, by cases: side (3.8), (3.16), caps
/// (3.10)-(3.12), (3.18).
inline double obstacle_gap(const planar::Link& link, const VectorXd& q_i,
                           const planar::Obstacle& obstacle, Eigen::Vector3d& w) {
  const Matrix2d R = rotation(q_i(2));
  const Vector2d e_x = R.col(0);
  const Vector2d e_y = R.col(1);
  const Vector2d r_G = q_i.head<2>();
  const Vector2d centre = r_G - link.offset * e_x;
  const double s = (obstacle.H - centre).dot(e_x);
  Matrix2d D;
  D << 0.0, -1.0, 1.0, 0.0;
  if (std::abs(s) <= link.L_GS) {
    const double d = (centre - obstacle.H).dot(e_y);
    const double sign = d < 0.0 ? -1.0 : 1.0;
    w << sign * e_y, sign * (obstacle.H - r_G).dot(e_x);
    return std::abs(d) - (obstacle.L_H + link.L_SC);
  }
  const Vector2d r_GS{(s > 0.0 ? link.L_GS : -link.L_GS) - link.offset, 0.0};
  const Vector2d p = r_G + R * r_GS - obstacle.H;
  const Vector2d n = p / p.norm();
  w << n, n.dot(R * D * r_GS);
  return p.norm() - (obstacle.L_H + link.L_SC);
}

/// W_J: block-bidiagonal, 3n by 2(n-1).  (3.36)-(3.39)
inline MatrixXd joint_directions(const planar::Model& model, const VectorXd& q) {
  const int n = model.n();
  MatrixXd W = MatrixXd::Zero(3 * n, 2 * (n - 1));
  for (int i = 0; i + 1 < n; ++i) {
    const auto& a = model.links[static_cast<std::size_t>(i)];
    const auto& b = model.links[static_cast<std::size_t>(i + 1)];
    const double ahead = 0.5 * a.L - a.offset;
    const double behind = 0.5 * b.L + b.offset;
    const double th_a = q(3 * i + 2);
    const double th_b = q(3 * i + 5);
    W(3 * i, 2 * i) = 1.0;
    W(3 * i + 2, 2 * i) = -ahead * std::sin(th_a);
    W(3 * i + 3, 2 * i) = -1.0;
    W(3 * i + 5, 2 * i) = -behind * std::sin(th_b);
    W(3 * i + 1, 2 * i + 1) = 1.0;
    W(3 * i + 2, 2 * i + 1) = ahead * std::cos(th_a);
    W(3 * i + 4, 2 * i + 1) = -1.0;
    W(3 * i + 5, 2 * i + 1) = behind * std::cos(th_b);
  }
  return W;
}

/// One point of ground friction: where on the link, from its centre of gravity, and what rests on
/// it.
struct FrictionPoint {
  int link;
  double arm;   // m
  double load;  // N s
};

/// Transeth (3.26) with the load at the centre of gravity, or 6.2 with two points at ±L_GS from the
/// link's middle. The two loads are those of a beam on two supports: a 2 by 2 system for forces and
/// moments.
inline std::vector<FrictionPoint> friction_points(const planar::Model& model, double dt) {
  std::vector<FrictionPoint> points;
  for (int i = 0; i < model.n(); ++i) {
    const auto& link = model.links[static_cast<std::size_t>(i)];
    const double weight = link.m * model.g * std::cos(model.tilt) * dt;
    if (model.friction_points == 1) {
      points.push_back({i, 0.0, weight});
      continue;
    }
    const double rear = -link.L_GS - link.offset;
    const double front = link.L_GS - link.offset;
    Matrix2d balance;
    balance << 1.0, 1.0, rear, front;
    const Vector2d load = balance.inverse() * Vector2d{weight, 0.0};
    points.push_back({i, rear, load(0)});
    points.push_back({i, front, load(1)});
  }
  return points;
}

/// Solves one step from (q_M, u_A). `anchor` is P_T of the last step (link frame, as Step::P_T),
/// `warm` and `warm_T` the obstacle impulses to start from (n by nu), the latter also their
/// anchors. r = 0: half of what the spectrum of W^T M^-1 W allows; `stop` on |dP| (N s).
inline Step solve(const planar::Model& model, const VectorXd& q_M, const VectorXd& u_A,
                  const Servo& servo, double dt, const Laws& laws,
                  const std::vector<Vector2d>& anchor, const MatrixXd& warm, const MatrixXd& warm_T,
                  double r_T, double r_H, double stop, int cap) {
  const int n = model.n();
  const int size = 3 * n;
  // Mass with the servo's implicit part: impulse = dt (...) - sd B u_E, B u = joint rates.
  MatrixXd M = MatrixXd::Zero(size, size);
  VectorXd S = VectorXd::Zero(size);
  for (int i = 0; i < n; ++i) {
    const auto& link = model.links[static_cast<std::size_t>(i)];
    M.diagonal().segment<3>(3 * i) << link.m, link.m, link.Theta;
  }
  S += M * u_A;
  for (int i = 0; i < n; ++i) {
    const double pull =
        model.links[static_cast<std::size_t>(i)].m * model.g * std::sin(model.tilt) * dt;
    S(3 * i) += pull * std::cos(model.tilt_direction);
    S(3 * i + 1) += pull * std::sin(model.tilt_direction);
  }
  double Theta_min = model.links[0].Theta;
  for (const auto& link : model.links) Theta_min = std::min(Theta_min, link.Theta);
  MatrixXd B = MatrixXd::Zero(n - 1, size);
  for (int j = 0; j + 1 < n; ++j) {
    B(j, 3 * j + 2) = -1.0;
    B(j, 3 * j + 5) = 1.0;
    const double phi_M = q_M(3 * j + 5) - q_M(3 * j + 2);
    // A stiff servo looks further ahead than to the end of the step, docs/theory-planar.md.
    const double s = servo.k_P(j) * dt * dt / Theta_min;
    const double ahead = s > 1.0 ? 0.5 - 0.5 / s : 0.0;  // steps
    const double sd = dt * servo.k_D(j) + (0.5 + ahead) * dt * dt * servo.k_P(j);
    const double phi_d = servo.phi_d(j) + ahead * dt * servo.phidot_d(j);
    const double sr =
        dt * (servo.tau(j) + servo.k_P(j) * (phi_d - phi_M) + servo.k_D(j) * servo.phidot_d(j));
    M += sd * B.row(j).transpose() * B.row(j);
    S += sr * B.row(j).transpose();
  }

  // Contacts in the problem
  const std::vector<FrictionPoint> points = friction_points(model, dt);
  const int n_T = static_cast<int>(points.size());
  MatrixXd W_T = MatrixXd::Zero(size, 2 * n_T);
  for (int k = 0; k < n_T; ++k) {
    const FrictionPoint& point = points[static_cast<std::size_t>(k)];
    const int i = point.link;
    W_T.block<2, 2>(3 * i, 2 * k) = rotation(q_M(3 * i + 2));
    W_T(3 * i + 2, 2 * k + 1) = point.arm;  // across the link; the part along it has no moment
    // viscous friction, implicit as the servo: impulse = -load mu_V gamma_E  (6.26)
    const MatrixXd W = W_T.middleCols<2>(2 * k);
    M += point.load * W * model.mu_V.asDiagonal() * W.transpose();
    M(3 * i + 2, 3 * i + 2) += point.load * model.c_R;
  }
  const MatrixXd M_inv = M.inverse();
  const MatrixXd W_J = joint_directions(model, q_M);
  const Eigen::PartialPivLU<MatrixXd> A_J(W_J.transpose() * M_inv * W_J);
  struct Touch {
    int link, obstacle;
    VectorXd w, w_T;
    double b, c, mu, P, P_T, A;
  };
  std::vector<Touch> touches;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < static_cast<int>(model.obstacles.size()); ++j) {
      Eigen::Vector3d w;
      const auto& link = model.links[static_cast<std::size_t>(i)];
      const double g = obstacle_gap(link, q_M.segment<3>(3 * i),
                                    model.obstacles[static_cast<std::size_t>(j)], w);
      if (laws.landing ? g >= 0.02 : g > 0.0) continue;
      const double mu_H = model.obstacles[static_cast<std::size_t>(j)].mu;
      Touch touch{.link = i,
                  .obstacle = j,
                  .w = VectorXd::Zero(size),
                  .w_T = VectorXd::Zero(size),
                  .b = 0.0,
                  .c = laws.epsilon / link.m,
                  .mu = mu_H,
                  .P = warm(i, j),
                  .P_T = warm_T(i, j),
                  .A = warm_T(i, j)};
      touch.w.segment<3>(3 * i) = w;
      // The tangent at the link's surface. w = (n, n . R D r) has the arm of the core point r; the
      // surface point lies L_SC further towards the obstacle.
      const Vector2d normal = w.head<2>();
      const Vector2d tangent{-normal.y(), normal.x()};
      const Vector2d axis = rotation(q_M(3 * i + 2)).col(0);
      const Vector2d r_G = q_M.segment<2>(3 * i);
      const Vector2d H = model.obstacles[static_cast<std::size_t>(j)].H;
      const double along = std::clamp((H - r_G).dot(axis) + link.offset, -link.L_GS, link.L_GS);
      const Vector2d arm = (along - link.offset) * axis - link.L_SC * normal;
      touch.w_T.segment<3>(3 * i) << tangent, arm.x() * tangent.y() - arm.y() * tangent.x();
      if (laws.landing) touch.b = g > 0.0 ? g / dt : std::max(laws.beta * g / dt, -0.3);
      touches.push_back(touch);
    }
  }

  const auto velocity = [&](const VectorXd& impulse) -> VectorXd {
    const VectorXd P_J = -A_J.solve(W_J.transpose() * (M_inv * impulse));  // (3.75)
    return M_inv * (impulse + W_J * P_J);                                  // (3.77)
  };
  if (r_T <= 0.0) {  // largest eigenvalue of W^T (...) W over all contacts
    MatrixXd W(size, 2 * n_T + 2 * static_cast<int>(touches.size()));
    W.leftCols(2 * n_T) = W_T;
    for (std::size_t k = 0; k < touches.size(); ++k) {
      W.col(2 * n_T + 2 * static_cast<int>(k)) = touches[k].w;
      W.col(2 * n_T + 2 * static_cast<int>(k) + 1) =
          touches[k].mu > 0.0 ? touches[k].w_T : VectorXd::Zero(size);
    }
    MatrixXd G(W.cols(), W.cols());
    for (Eigen::Index k = 0; k < W.cols(); ++k) G.col(k) = W.transpose() * velocity(W.col(k));
    const double top = Eigen::SelfAdjointEigenSolver<MatrixXd>(G).eigenvalues().maxCoeff();
    r_T = r_H = 1.0 / top;
  }

  // Algorithm 3.1, friction in scaled variables T_i = P_i/mu_i (a disc for any ellipse)
  const double mu = model.mu_T.maxCoeff();
  std::vector<Vector2d> T;
  for (const Vector2d& P : anchor) T.emplace_back(P.cwiseQuotient(model.mu_T));
  const std::vector<Vector2d> T_A = T;
  Step result;
  for (result.iterations = 1; result.iterations <= cap; ++result.iterations) {
    VectorXd impulse = S;
    for (int k = 0; k < n_T; ++k) {
      impulse += W_T.middleCols<2>(2 * k) * model.mu_T.cwiseProduct(T[static_cast<std::size_t>(k)]);
    }
    for (const Touch& touch : touches) impulse += touch.P * touch.w + touch.P_T * touch.w_T;
    result.u_E = velocity(impulse);
    double dP_T = 0.0;
    double dP_H = 0.0;
    for (int k = 0; k < n_T; ++k) {  // (3.79)
      const FrictionPoint& point = points[static_cast<std::size_t>(k)];
      Vector2d& P = T[static_cast<std::size_t>(k)];
      const double m = model.links[static_cast<std::size_t>(point.link)].m;
      const double c_t = laws.epsilon / m * mu * mu;
      const Vector2d gamma =
          model.mu_T.cwiseProduct(W_T.middleCols<2>(2 * k).transpose() * result.u_E);
      Vector2d x = P - r_T / (mu * mu) * (gamma + c_t * (P - T_A[static_cast<std::size_t>(k)]));
      if (x.norm() > point.load) x *= point.load / x.norm();
      dP_T += model.mu_T.cwiseProduct(x - P).squaredNorm();
      P = x;
    }
    for (Touch& touch : touches) {  // (3.78)
      const double x =
          std::max(0.0, touch.P - r_H * (touch.w.dot(result.u_E) + touch.b + touch.c * touch.P));
      dP_H += (x - touch.P) * (x - touch.P);
      touch.P = x;
      if (touch.mu <= 0.0) continue;
      const double slip = touch.w_T.dot(result.u_E) + touch.c * (touch.P_T - touch.A);
      const double y = std::clamp(touch.P_T - r_T * slip, -touch.mu * x, touch.mu * x);
      dP_T += (y - touch.P_T) * (y - touch.P_T);
      touch.P_T = y;
    }
    if (std::sqrt(dP_H) + std::sqrt(dP_T) < stop) break;  // (3.81)
  }
  for (const Vector2d& P : T) result.P_T.push_back(model.mu_T.cwiseProduct(P));
  for (const Touch& touch : touches) {
    result.P_H.push_back({touch.link, touch.obstacle, touch.P, touch.P_T});
  }
  return result;
}

/// 3.6.3: angles and link 1 keep their place, every other link is put back onto its joint.
inline void project(const planar::Model& model, VectorXd& q) {
  for (int i = 0; i + 1 < model.n(); ++i) {
    const auto& a = model.links[static_cast<std::size_t>(i)];
    const auto& b = model.links[static_cast<std::size_t>(i + 1)];
    q.segment<2>(3 * i + 3) = q.segment<2>(3 * i) +
                              (0.5 * a.L - a.offset) * rotation(q(3 * i + 2)).col(0) +
                              (0.5 * b.L + b.offset) * rotation(q(3 * i + 5)).col(0);
  }
}

}  // namespace coluber::absolute

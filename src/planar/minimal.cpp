#include "coluber/planar/minimal.hpp"

#include <cstddef>
#include <span>

#include "coluber/core/assert.hpp"
#include "coluber/math/sincos.hpp"

#include "problem.hpp"
#include "robot_kinematics.hpp"

// Kinematics of the minimal model. A link is described by its start: the joint to the link before
// it, O_2 for the first. Joint k of the source is the start of link k-2 (ours, from 1).

namespace coluber::planar {

RobotData::RobotData(const Model& model) {
  require_valid(model);
  const int n = model.n();
  for (VectorXd* each :
       {&m,   &Theta, &L,   &b, &theta, &cos, &sin, &omega, &p_x, &p_y, &w_x, &w_y,
        &F_x, &F_y,   &F_n, &J, &s_x,   &s_y, &h_x, &h_y,   &h_n, &a_x, &a_y, &alpha}) {
    each->setZero(n);
  }
  arm.setZero(2, n);
  N.setZero(2, n);
  slip.setZero(4 * n);
  angle.setZero(4 * n);
  mu_C = model.mu_T;
  mu_V = model.mu_V;
  c_R = model.c_R;
  double sin_tilt = 0.0;
  double cos_tilt = 1.0;
  math::sincos(model.tilt, sin_tilt, cos_tilt);
  math::sincos(model.tilt_direction, pull.y(), pull.x());
  pull *= model.g * sin_tilt;
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    m(i) = link.m;
    Theta(i) = link.Theta;
    L(i) = link.L;
    b(i) = 0.5 * link.L + link.offset;
    const Vector2d share = load_share_of(model, link);
    for (int p = 0; p < model.friction_points; ++p) {
      arm(p, i) = b(i) + friction_arm(model, i, p);
      N(p, i) = link.m * model.g * cos_tilt * share(p);
    }
  }
}

Root root_of(const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& qdot) {
  return {q(2), qdot(2), qdot(0), qdot(1)};
}

void update_positions(double theta, const Eigen::Ref<const VectorXd>& phi, RobotData& data) {
  const Eigen::Index n = data.m.size();
  COLUBER_ASSERT(phi.size() == n - 1, phi.size(), n);
  data.theta(0) = theta;
  for (Eigen::Index i = 1; i < n; ++i) data.theta(i) = data.theta(i - 1) + phi(i - 1);
  const auto size = static_cast<std::size_t>(n);
  math::sincos(std::span(data.theta.data(), size), std::span(data.sin.data(), size),
               std::span(data.cos.data(), size));
  data.p_x(0) = 0.0;
  data.p_y(0) = 0.0;
  for (Eigen::Index i = 1; i < n; ++i) {  // (6.2)
    data.p_x(i) = data.p_x(i - 1) + data.L(i - 1) * data.cos(i - 1);
    data.p_y(i) = data.p_y(i - 1) + data.L(i - 1) * data.sin(i - 1);
  }
}

void update_velocities(const Root& root, const Eigen::Ref<const VectorXd>& phidot,
                       RobotData& data) {
  const Eigen::Index n = data.m.size();
  COLUBER_ASSERT(phidot.size() == n - 1, phidot.size(), n);
  data.omega(0) = root.omega;
  data.w_x(0) = root.v_x;
  data.w_y(0) = root.v_y;
  for (Eigen::Index i = 1; i < n; ++i) {
    const double turn = data.L(i - 1) * data.omega(i - 1);
    data.omega(i) = data.omega(i - 1) + phidot(i - 1);
    data.w_x(i) = data.w_x(i - 1) - turn * data.sin(i - 1);
    data.w_y(i) = data.w_y(i - 1) + turn * data.cos(i - 1);
  }
}

}  // namespace coluber::planar

#include <cstddef>
#include <numbers>
#include <span>

#include "coluber/core/assert.hpp"
#include "coluber/math/atan.hpp"
#include "coluber/planar/minimal.hpp"

#include "robot_kinematics.hpp"

// Smooth friction at the points of every link, componentwise in the link's axes:
//   F = -N (2/pi mu_C atan(v/eps_C) + mu_V v),  Transeth (6.21), (6.26)
// N the load of the point; and the torque -N c_R omega (Holden, Table V). Differs: the source
// prints F_N/pi, which is 2 N/pi where two points carry halves; here a centre of gravity off the
// middle loads them unequally.

namespace coluber::planar {

void clear_friction(RobotData& data) {
  data.F_x.setZero();
  data.F_y.setZero();
  data.F_n.setZero();
  data.friction_power = 0.0;
}

void update_friction(const SmoothFriction& friction, RobotData& data) {
  const Eigen::Index n = data.m.size();
  COLUBER_ASSERT(friction.eps_C > 0.0, friction.eps_C);
  const double over = 1.0 / friction.eps_C;
  double* slip_x = data.slip.data();  // two points a link
  double* slip_y = slip_x + 2 * n;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double along = data.cos(i) * data.w_x(i) + data.sin(i) * data.w_y(i);
    const double across = data.cos(i) * data.w_y(i) - data.sin(i) * data.w_x(i);
    slip_x[2 * i] = slip_x[2 * i + 1] = along * over;
    slip_y[2 * i] = (across + data.arm(0, i) * data.omega(i)) * over;
    slip_y[2 * i + 1] = (across + data.arm(1, i) * data.omega(i)) * over;
  }
  const auto size = static_cast<std::size_t>(4 * n);
  math::atan(std::span(data.slip.data(), size), std::span(data.angle.data(), size));

  const Vector2d coulomb = 2.0 / std::numbers::pi * data.mu_C;
  const Vector2d viscous = friction.eps_C * data.mu_V;
  const double* angle_x = data.angle.data();
  const double* angle_y = angle_x + 2 * n;
  double power = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    double x = 0.0;
    double y = 0.0;
    double moment = 0.0;
    for (Eigen::Index p = 0; p < 2; ++p) {
      const Eigen::Index k = 2 * i + p;
      const double f_x = -data.N(p, i) * (coulomb.x() * angle_x[k] + viscous.x() * slip_x[k]);
      const double f_y = -data.N(p, i) * (coulomb.y() * angle_y[k] + viscous.y() * slip_y[k]);
      x += f_x;
      y += f_y;
      moment += data.arm(p, i) * f_y;
      power += f_x * slip_x[k] + f_y * slip_y[k];
    }
    data.F_x(i) = data.cos(i) * x - data.sin(i) * y;
    data.F_y(i) = data.sin(i) * x + data.cos(i) * y;
    data.F_n(i) = moment;
    if (data.c_R > 0.0) {
      const double torque = -data.c_R * data.N.col(i).sum() * data.omega(i);
      data.F_n(i) += torque;
      power += torque * data.omega(i) * over;
    }
  }
  data.friction_power = power * friction.eps_C;
}

void compute_smooth_friction(const Model& model, const SmoothFriction& friction,
                             const Eigen::Ref<const VectorXd>& q,
                             const Eigen::Ref<const VectorXd>& qdot, RobotData& data,
                             Eigen::Ref<VectorXd> force) {
  const Eigen::Index n = model.n();
  COLUBER_ASSERT(q.size() == n + 2 && qdot.size() == n + 2 && force.size() == n + 2, q.size(),
                 qdot.size(), force.size(), n);
  update_positions(q(2), q.tail(n - 1), data);
  update_velocities(root_of(q, qdot), qdot.tail(n - 1), data);
  update_friction(friction, data);
  double x = 0.0;
  double y = 0.0;
  double moment = 0.0;
  for (Eigen::Index i = n - 1; i >= 0; --i) {  // J^T F, from the last link to the first
    moment += data.F_n(i) + data.L(i) * (data.cos(i) * y - data.sin(i) * x);
    x += data.F_x(i);
    y += data.F_y(i);
    force(i + 2) = moment;
  }
  force(0) = x;
  force(1) = y;
}

}  // namespace coluber::planar

#include <Eigen/Cholesky>

#include "coluber/core/assert.hpp"
#include "coluber/planar/minimal.hpp"

#include "robot_kinematics.hpp"

// One articulated sweep from the last link to the first, one back. About the start of link i the
// force that link i-1 has to give the rest of the chain is affine in the start's acceleration:
//   moment = J alpha + h.a + n,   force = h alpha + K a + f,
// (J, h, K) the articulated inertia, (n, f) what rates, friction and torques ask for. A link alone:
//   J = Theta + m b²,  h = m b D e,  K = m,  f = -m omega² b e - F,  n = -F_n.
// Joint i is revolute: the moment at the start of link i+1 is tau_i, which gives alpha_(i+1) and
// leaves a force alone:
//   alpha = (tau - n - h.a) / J,   force = (K - h h^T/J) a + f + h (tau - n)/J.
// The start of link i+1 is the end of link i: a_(i+1) = a_i + alpha_i L D e - omega_i² L e.

namespace coluber::planar {

void update_accelerations(const Vector3d& root, const Eigen::Ref<const VectorXd>& tau,
                          RobotData& data) {
  const Eigen::Index n = data.m.size();
  COLUBER_ASSERT(tau.size() == n - 1, tau.size(), n);
  // what the links beyond ask for: force K a + f at the end of link i, moment tau
  double K_xx = 0.0;
  double K_xy = 0.0;
  double K_yy = 0.0;
  double f_x = 0.0;
  double f_y = 0.0;
  double J = 0.0;
  double h_x = 0.0;
  double h_y = 0.0;
  double moment = 0.0;
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    const double c = data.cos(i);
    const double s = data.sin(i);
    const double squared = data.omega(i) * data.omega(i);
    const double first = data.m(i) * data.b(i);
    // along D e of the end, L away from the start
    const double t_x = -data.L(i) * s;
    const double t_y = data.L(i) * c;
    const double g_x = K_xx * t_x + K_xy * t_y;
    const double g_y = K_xy * t_x + K_yy * t_y;
    // K (-omega² L e), e = (t_y, -t_x)/L
    f_x -= squared * (K_xx * t_y - K_xy * t_x);
    f_y -= squared * (K_xy * t_y - K_yy * t_x);
    J = data.Theta(i) + first * data.b(i) + t_x * g_x + t_y * g_y;
    moment = (i + 1 < n ? tau(i) : 0.0) + t_x * f_x + t_y * f_y - data.F_n(i);
    h_x = g_x - first * s;
    h_y = g_y + first * c;
    f_x -= squared * first * c + data.F_x(i);
    f_y -= squared * first * s + data.F_y(i);
    K_xx += data.m(i);
    K_yy += data.m(i);
    if (i == 0) break;
    data.J(i) = 1.0 / J;
    data.h_x(i) = h_x;
    data.h_y(i) = h_y;
    data.h_n(i) = (tau(i - 1) - moment) / J;
    f_x += h_x * data.h_n(i);
    f_y += h_y * data.h_n(i);
    const double over = 1.0 / J;
    K_xx -= h_x * h_x * over;
    K_xy -= h_x * h_y * over;
    K_yy -= h_y * h_y * over;
  }

  // nothing but `root` holds link 1: 3 × 3
  Eigen::Matrix3d A;
  A << K_xx, K_xy, h_x,  //
      K_xy, K_yy, h_y,   //
      h_x, h_y, J;
  const Vector3d a = A.llt().solve(Vector3d{root.x() - f_x, root.y() - f_y, root.z() - moment});
  data.a_x(0) = a.x();
  data.a_y(0) = a.y();
  data.alpha(0) = a.z();
  for (Eigen::Index i = 1; i < n; ++i) {
    const double along = data.omega(i - 1) * data.omega(i - 1) * data.L(i - 1);
    const double across = data.alpha(i - 1) * data.L(i - 1);
    data.a_x(i) = data.a_x(i - 1) - across * data.sin(i - 1) - along * data.cos(i - 1);
    data.a_y(i) = data.a_y(i - 1) + across * data.cos(i - 1) - along * data.sin(i - 1);
    data.alpha(i) =
        data.h_n(i) - (data.h_x(i) * data.a_x(i) + data.h_y(i) * data.a_y(i)) * data.J(i);
  }
}

void forward_dynamics(const Model& model, const Eigen::Ref<const VectorXd>& q,
                      const Eigen::Ref<const VectorXd>& qdot,
                      const Eigen::Ref<const VectorXd>& force, RobotData& data,
                      Eigen::Ref<VectorXd> qddot) {
  const Eigen::Index n = model.n();
  COLUBER_ASSERT(
      q.size() == n + 2 && qdot.size() == n + 2 && force.size() == n + 2 && qddot.size() == n + 2,
      q.size(), qdot.size(), force.size(), qddot.size(), n);
  update_positions(q(2), q.tail(n - 1), data);
  update_velocities(root_of(q, qdot), qdot.tail(n - 1), data);
  clear_friction(data);
  update_accelerations(force.head<3>(), force.tail(n - 1), data);
  qddot.head<3>() << data.a_x(0), data.a_y(0), data.alpha(0);
  qddot.tail(n - 1) = data.alpha.tail(n - 1) - data.alpha.head(n - 1);
}

void smooth_dynamics(const Model& model, const SmoothFriction& friction,
                     const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& qdot,
                     const Eigen::Ref<const VectorXd>& tau, RobotData& data,
                     Eigen::Ref<VectorXd> qddot) {
  const Eigen::Index n = model.n();
  COLUBER_ASSERT(q.size() == n + 2 && qdot.size() == n + 2 && qddot.size() == n + 2, q.size(),
                 qdot.size(), qddot.size(), n);
  update_positions(q(2), q.tail(n - 1), data);
  update_velocities(root_of(q, qdot), qdot.tail(n - 1), data);
  update_friction(friction, data);
  update_accelerations(Vector3d::Zero(), tau, data);
  // weight along the slope moves a free body as a whole
  qddot.head<3>() << data.a_x(0) + data.pull.x(), data.a_y(0) + data.pull.y(), data.alpha(0);
  qddot.tail(n - 1) = data.alpha.tail(n - 1) - data.alpha.head(n - 1);
}

}  // namespace coluber::planar

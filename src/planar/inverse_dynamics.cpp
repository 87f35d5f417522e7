#include <Eigen/Cholesky>

#include "coluber/core/assert.hpp"
#include "coluber/planar/minimal.hpp"

#include "robot_kinematics.hpp"

// Recursive Newton-Euler: accelerations from the first link to the last, forces back.

namespace coluber::planar {
namespace {

/// Accelerations of the links' starts from the root's and the joints'.
void update_given_accelerations(double a_x, double a_y, double alpha,
                                const Eigen::Ref<const VectorXd>& phiddot, RobotData& data) {
  data.a_x(0) = a_x;
  data.a_y(0) = a_y;
  data.alpha(0) = alpha;
  for (Eigen::Index i = 1; i < data.m.size(); ++i) {
    const double along = data.omega(i - 1) * data.omega(i - 1) * data.L(i - 1);
    const double across = data.alpha(i - 1) * data.L(i - 1);
    data.a_x(i) = data.a_x(i - 1) - across * data.sin(i - 1) - along * data.cos(i - 1);
    data.a_y(i) = data.a_y(i - 1) + across * data.cos(i - 1) - along * data.sin(i - 1);
    data.alpha(i) = data.alpha(i - 1) + phiddot(i - 1);
  }
}

/// Force and moment about its start that each link and those beyond need beside their friction:
/// h_x, h_y, h_n.
void update_joint_forces(RobotData& data) {
  double f_x = 0.0;
  double f_y = 0.0;
  double moment = 0.0;
  for (Eigen::Index i = data.m.size() - 1; i >= 0; --i) {
    const double c = data.cos(i);
    const double s = data.sin(i);
    const double first = data.m(i) * data.b(i);
    const double squared = data.omega(i) * data.omega(i);
    moment += data.L(i) * (c * f_y - s * f_x);  // of the force at the link's end
    moment += (data.Theta(i) + first * data.b(i)) * data.alpha(i) +
              first * (c * data.a_y(i) - s * data.a_x(i)) - data.F_n(i);
    f_x += data.m(i) * data.a_x(i) - first * (s * data.alpha(i) + c * squared) - data.F_x(i);
    f_y += data.m(i) * data.a_y(i) + first * (c * data.alpha(i) - s * squared) - data.F_y(i);
    data.h_x(i) = f_x;
    data.h_y(i) = f_y;
    data.h_n(i) = moment;
  }
}

}  // namespace

void inverse_dynamics(const Model& model, const Eigen::Ref<const VectorXd>& q,
                      const Eigen::Ref<const VectorXd>& qdot,
                      const Eigen::Ref<const VectorXd>& qddot, RobotData& data,
                      Eigen::Ref<VectorXd> force) {
  const Eigen::Index n = model.n();
  COLUBER_ASSERT(
      q.size() == n + 2 && qdot.size() == n + 2 && qddot.size() == n + 2 && force.size() == n + 2,
      q.size(), qdot.size(), qddot.size(), force.size(), n);
  update_positions(q(2), q.tail(n - 1), data);
  update_velocities(root_of(q, qdot), qdot.tail(n - 1), data);
  clear_friction(data);
  update_given_accelerations(qddot(0), qddot(1), qddot(2), qddot.tail(n - 1), data);
  update_joint_forces(data);
  force(0) = data.h_x(0);
  force(1) = data.h_y(0);
  force.tail(n) = data.h_n;
}

// Transeth (6.50)-(6.58) without a matrix. For given joint accelerations u the unactuated rows
//   M11 a + M12 u + h1 = g1
// are the balance of the whole robot: M11 is its inertia about O_2 as one rigid body, and
// M12 u + h1 - g1 the force at O_2 when O_2 itself is not accelerated. With `a` from there
//   tau = M21 a + M22 u + h2 - g2,
// where M21 a is the moment about each joint of the rigid motion `a` of the links beyond it.
// Inserting a gives Mbar u + hbar - gbar of (6.55)-(6.57). `a` is the acceleration of O_2 in the
// axes of link 1, not the rate of its components; both make the same forces.
void linearising_torque(const Model& model, const SmoothFriction& friction, const BaseTwist& base,
                        const Eigen::Ref<const VectorXd>& phi,
                        const Eigen::Ref<const VectorXd>& phidot,
                        const Eigen::Ref<const VectorXd>& u, RobotData& data,
                        Eigen::Ref<VectorXd> tau) {
  const Eigen::Index n = model.n();
  COLUBER_ASSERT(
      phi.size() == n - 1 && phidot.size() == n - 1 && u.size() == n - 1 && tau.size() == n - 1,
      phi.size(), phidot.size(), u.size(), tau.size(), n);
  update_positions(0.0, phi, data);
  update_velocities({0.0, base.thetadot, base.v.x(), base.v.y()}, phidot, data);
  update_friction(friction, data);
  update_given_accelerations(0.0, 0.0, 0.0, u, data);
  update_joint_forces(data);
  const double mass = update_composites(data);

  Eigen::Matrix3d M11;             // of (a_x, a_y, alpha)
  M11 << mass, 0.0, -data.s_y(0),  //
      0.0, mass, data.s_x(0),      //
      -data.s_y(0), data.s_x(0), data.J(0);
  const Vector3d a = M11.llt().solve(-Vector3d{data.h_x(0), data.h_y(0), data.h_n(0)});  // (6.53)
  for (Eigen::Index i = 1; i < n; ++i) {                                                 // (6.58)
    const double a_x = a.x() - a.z() * data.p_y(i);
    const double a_y = a.y() + a.z() * data.p_x(i);
    tau(i - 1) = data.h_n(i) + data.J(i) * a.z() + data.s_x(i) * a_y - data.s_y(i) * a_x;
  }
}

}  // namespace coluber::planar

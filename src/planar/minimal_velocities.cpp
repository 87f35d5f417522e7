#include "chain/links.hpp"
#include "problem.hpp"

// The minimal model's step, Transeth (6.14) by the midpoint rule of 3.6, on the common core.
//
// With u = J(q) nu, u the velocities of the links and nu = (omega, v, phidot) those of the joint
// coordinates, the planar step is
//
//     J^T [ M (J nu_E - u_A) - impulses ] = joint impulses           J = J(q_M)
//
// and the step in minimal coordinates, M_P = J^T M J and C_P nu = J^T M Jdot nu (6.16)-(6.17),
//
//     M_P (nu_E - nu_A) + dt C_P nu_A - J^T impulses = joint impulses
//     J^T [ M (J nu_E - (J nu_A - dt Jdot nu_A)) - impulses ] = joint impulses.
//
// It is the planar step that starts from u_A = J nu_A - dt Jdot nu_A instead of from the velocities
// the links had at the middle of the step before. Jdot nu_A is what the links' accelerations are
// while nu stands still: towards the joint for every arm that turns, none of omega.
//
// Differs: the thesis counts from the end of its tail, (x, y, theta) of link 1; here the middle
// link is the base, as everywhere in this model. The motion is the same, and so is M_P and C_P up
// to that change of coordinates; two bases' steps differ in the order of the step.

namespace coluber::planar {

void update_minimal_velocities(const Model& model, const State& state, double dt, Data& data) {
  const Pose& pose = data.pose;
  const int n = model.n();
  const int b = model.base();
  VectorXd& u = data.u_minimal;
  double T = 0.0;
  const auto put = [&](int i, double v_x, double v_y, double omega) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const auto old = state.u.segment<3>(3 * i);
    T += link.m * (v_x * v_x + v_y * v_y) + link.Theta * omega * omega;
    T -= link.m * old.head<2>().squaredNorm() + link.Theta * old(2) * old(2);
    u.segment<3>(3 * i) << v_x, v_y, omega;
  };
  put(b, state.twist(1), state.twist(2), state.twist(0));

  // From link to link over their joint: an arm a e turned by omega adds omega a (-sin, cos) to the
  // velocity and -omega² a (cos, sin) to Jdot nu. Both halves, from the middle to the tips.
  for (const bool front : {true, false}) {
    const int step = front ? 1 : -1;
    double v_x = state.twist(1);
    double v_y = state.twist(2);
    double omega = state.twist(0);
    const auto add_arm = [&](double arm, int i) {
      const double x = omega * arm;
      const double turned = dt * omega * x;  // -dt Jdot nu
      v_x += turned * pose.cos(i) - x * pose.sin(i);
      v_y += turned * pose.sin(i) + x * pose.cos(i);
    };
    for (int i = b + step; front ? i < n : i >= 0; i += step) {
      const Link& inner = model.links[static_cast<std::size_t>(i - step)];
      const Link& outer = model.links[static_cast<std::size_t>(i)];
      add_arm(front ? chain::ahead(inner) : -chain::behind(inner), i - step);
      omega += front ? state.phidot(i - 1) : -state.phidot(i);
      add_arm(-chain::arm_to_root(outer, front), i);
      put(i, v_x, v_y, omega);
    }
  }
  data.T_minimal = 0.5 * T;
}

}  // namespace coluber::planar

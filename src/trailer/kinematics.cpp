#include "coluber/trailer/kinematics.hpp"

#include <numbers>

#include "coluber/math/atan2.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::trailer {

// P_i moves along its axis with v_i, and the module turns with v_i tan(delta_i)/L_PJ, so that J_i
// moves in the direction delta_i (18). Then J_(i+1), L_JP behind P_i, has the velocity (v_i, -L_JP
// thetadot_i) in module i's axes: its direction is beta_i = atan(-(L_JP/L_PJ) tan delta_i) (25),
// and seen from module i + 1 delta_(i+1) = beta_i - phi_(i+1) (27). Its component along module i +
// 1 is v_(i+1) = v_i cos(delta_(i+1))/cos(beta_i) (26). The difference of the turning rates of
// modules i and i + 1 is (23).
int update_motion(const Lengths& lengths, const Eigen::Ref<const Eigen::VectorXd>& phi,
                  double delta_1, double v_1, Motion& motion) {
  const double ratio = lengths.L_JP / lengths.L_PJ;
  int singular = 0;
  const auto note = [&](double angle, Eigen::Index module) {
    if (singular == 0 && !(std::abs(angle) < 0.5 * std::numbers::pi)) {
      singular = static_cast<int>(module) + 1;
    }
  };
  motion.delta(0) = delta_1;
  motion.v(0) = v_1;
  note(delta_1, 0);
  double s_delta = 0.0;
  double c_delta = 0.0;
  math::sincos(delta_1, s_delta, c_delta);
  motion.thetadot = v_1 * s_delta / (c_delta * lengths.L_PJ);
  for (Eigen::Index i = 0; i < phi.size(); ++i) {  // joint between modules i and i + 1, 0-based
    const double tan_delta = s_delta / c_delta;
    const double beta = math::atan2(-ratio * tan_delta, 1.0);
    double s_phi = 0.0;
    double c_phi = 0.0;
    math::sincos(phi(i), s_phi, c_phi);
    motion.phidot(i) =
        -motion.v(i) / lengths.L_PJ * (s_phi + (ratio * c_phi + 1.0) * tan_delta);  // (23)
    motion.delta(i + 1) = beta - phi(i);                                            // (27)
    math::sincos(motion.delta(i + 1), s_delta, c_delta);
    // 1/cos(beta) = sqrt(1 + tan² beta)
    motion.v(i + 1) =
        motion.v(i) * c_delta * std::sqrt(1.0 + ratio * ratio * tan_delta * tan_delta);
    note(phi(i), i + 1);
    note(motion.delta(i + 1), i + 1);
  }
  return singular;
}

}  // namespace coluber::trailer

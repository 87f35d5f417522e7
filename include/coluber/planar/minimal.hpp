#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/planar/snake.hpp"

/// The planar snake in minimal coordinates, as a control plant: Transeth, chapter 6 ("robot
/// model"). The robot is a `planar::Model`; obstacles are not part of it. Everything is O(n) except
/// where a matrix is asked for.
///
// clang-format off
/// | letter | code | meaning | unit | equation |
/// |---|---|---|---|---|
/// | O_2 | – | end of link 1 (the source's "tail") away from link 2 | – | 6.2.1 |
/// | q | `q` | (x_O2, y_O2, theta, phi_1 … phi_(n-1)), n + 2 numbers | m, rad | (6.3) |
/// | theta, phi_j | – | angle of link 1; of link j+1 from link j | rad | (6.3) |
/// | M_P | `M` | mass matrix | kg, kg m, kg m² | (6.15) |
/// | C_P | `C` | Coriolis matrix of the Christoffel symbols | – | (6.16)-(6.17) |
/// | eps_C | `SmoothFriction::eps_C` | width of the smooth Coulomb law | m/s | (6.21) |
/// | mu_C, mu_V | `Model::mu_T`, `mu_V` | Coulomb and viscous friction | –, s/m | (6.22), (6.26) |
/// | w | `BaseTwist` | velocity of O_2 in the axes of link 1, turning rate | m/s, rad/s | (6.41) |
/// | tau | `tau` | joint torques, positive drives phi up | N m | (6.14) |
/// | u | `u` | joint accelerations asked for | rad/s² | (6.58) |
// clang-format on
namespace coluber::planar {

using Eigen::MatrixXd;

/// Width of the smooth Coulomb law.  Transeth (6.21)
struct SmoothFriction {
  double eps_C = 1e-3;  ///< m/s; > 0
};

/// How link 1 moves, seen from itself: all a heading-free controller knows of the base.
/// Transeth (6.41)
struct BaseTwist {
  Vector2d v = Vector2d::Zero();  ///< of O_2, along and across link 1 (m/s)
  double thetadot = 0.0;          ///< rad/s
};

/// Scratch and results of one thread, sized once; nothing allocates afterwards. Holds what the
/// algorithms need of the model it was made for.
struct COLUBER_EXPORT RobotData {
  /// Sized for this model. Throws Error if the model is not physical.
  explicit RobotData(const Model& model);

  // of the model, by link
  VectorXd m, Theta, L;
  VectorXd b;            ///< from the link's start to its centre of gravity (m)
  Eigen::Matrix2Xd arm;  ///< from the link's start to its friction points (m)
  Eigen::Matrix2Xd N;    ///< loads of its friction points (N)
  Vector2d mu_C, mu_V;   ///< along and across the link
  double c_R = 0.0;      ///< rotational friction (m s)
  Vector2d pull;         ///< weight along the slope, world axes (N/kg)

  // of the last call: every link's start (its joint to the link before, O_2 of the first),
  // relative to O_2, in the axes of that call
  VectorXd theta, cos, sin, omega;
  VectorXd p_x, p_y;  ///< m
  VectorXd w_x, w_y;  ///< m/s

  // friction on each link: force in the axes of the call, moment about the link's start
  VectorXd F_x, F_y, F_n;
  double friction_power = 0.0;  ///< of the ground on the robot, never positive (W)

  // scratch
  VectorXd slip;         ///< point velocities over eps_C in link axes: all x, then all y
  VectorXd angle;        ///< their arctangents
  VectorXd J, s_x, s_y;  ///< suffix sums or articulated inertias about the link's start
  VectorXd h_x, h_y, h_n;
  VectorXd a_x, a_y, alpha;  ///< accelerations of the links' starts
};

/// M(q) of (6.15), (n+2) × (n+2), in O(n²).
COLUBER_EXPORT void compute_mass_matrix(const Model& model, const Eigen::Ref<const VectorXd>& q,
                                        RobotData& data, Eigen::Ref<MatrixXd> M);

/// C(q, qdot) of (6.16)-(6.17), in O(n²); dM/dt - 2C is skew.
COLUBER_EXPORT void compute_coriolis_matrix(const Model& model, const Eigen::Ref<const VectorXd>& q,
                                            const Eigen::Ref<const VectorXd>& qdot, RobotData& data,
                                            Eigen::Ref<MatrixXd> C);

/// Generalised forces of the smooth friction (6.21) and (6.26) at every friction point.
COLUBER_EXPORT void compute_smooth_friction(const Model& model, const SmoothFriction& friction,
                                            const Eigen::Ref<const VectorXd>& q,
                                            const Eigen::Ref<const VectorXd>& qdot, RobotData& data,
                                            Eigen::Ref<VectorXd> force);

/// Solves M qddot + C qdot = force for qddot, in O(n).
COLUBER_EXPORT void forward_dynamics(const Model& model, const Eigen::Ref<const VectorXd>& q,
                                     const Eigen::Ref<const VectorXd>& qdot,
                                     const Eigen::Ref<const VectorXd>& force, RobotData& data,
                                     Eigen::Ref<VectorXd> qddot);

/// Generalised forces M qddot + C qdot, in O(n).
COLUBER_EXPORT void inverse_dynamics(const Model& model, const Eigen::Ref<const VectorXd>& q,
                                     const Eigen::Ref<const VectorXd>& qdot,
                                     const Eigen::Ref<const VectorXd>& qddot, RobotData& data,
                                     Eigen::Ref<VectorXd> force);

/// Accelerations of the robot under joint torques `tau`, smooth friction and its weight along a
/// slope, in O(n).  Transeth (6.14)
COLUBER_EXPORT void smooth_dynamics(const Model& model, const SmoothFriction& friction,
                                    const Eigen::Ref<const VectorXd>& q,
                                    const Eigen::Ref<const VectorXd>& qdot,
                                    const Eigen::Ref<const VectorXd>& tau, RobotData& data,
                                    Eigen::Ref<VectorXd> qddot);

/// Torques `tau` that make the joint accelerations `u` under smooth friction, in O(n):
/// tau = Mbar u + hbar - gbar.  Transeth (6.55)-(6.58)
/// Knows neither position nor heading. Right on a slope too: weight moves a free body as a whole.
COLUBER_EXPORT void linearising_torque(const Model& model, const SmoothFriction& friction,
                                       const BaseTwist& base, const Eigen::Ref<const VectorXd>& phi,
                                       const Eigen::Ref<const VectorXd>& phidot,
                                       const Eigen::Ref<const VectorXd>& u, RobotData& data,
                                       Eigen::Ref<VectorXd> tau);

}  // namespace coluber::planar

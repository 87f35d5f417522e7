#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>

#include "coluber/core/export.hpp"
#include "coluber/planar/snake.hpp"

/// Obstacle forces and accelerations of a planar snake as functions of its joint torques, at one
/// instant.  Holden, Stavdahl, Gravdahl: (1)-(46)
///
// clang-format off
/// | letter | code | meaning | unit | Holden |
/// |---|---|---|---|---|
/// | n, n_C, n_d | – | links, contacts, links with an angle under control | – | II |
/// | theta, theta' | `theta`, `theta_dot` | link angles, towards link i+1, and their rates | rad, rad/s | II-A |
/// | p | `p` | what `Kinematics` says: centre of mass, or mean of the links' centres of gravity | m | (1), (2) |
/// | l_h, l_t | `l_h`, `l_t` | from a link's centre of gravity to its next and its previous joint | m | II-A |
/// | l_i | `LinkContact::at` | from a link's centre of gravity to its contact, towards link i+1 | m | II-A |
/// | gamma_i | `LinkContact::gamma` | +1: the obstacle is right of the link, -1: left | – | (27) |
/// | K_l, K_w | `K` | link positions from angles: x = -K^T cos(theta) + e p_x | m | (1), (2) |
/// | H | `H` | K (I - M E/m_T) | m | (13) |
/// | M_theta, W | `M_theta`, – | inertia and centrifugal matrix of the angles | kg m² | (13) |
/// | f_r, tau_r | `GroundLoad` | ground friction on each link | N, N m | (7), (12) |
/// | u | `u` | joint torques; `joint_torque` of the record is -u | N m | (12) |
/// | f_C | `f_C` | signed contact forces across the links, positive to the left | N | (26) |
/// | G | `g` | direction of a contact's force, friction included | – | (22)-(24) |
/// | A_f, A_u, b_f | same | A_f f_C + A_u u = b_f | 1/kg, 1/(kg m), m/s² | (34) |
/// | A_e | same | A_e u = b_e: the wished accelerations; rows 1, 2 in N, the others in rad/s² | – | (46) |
// clang-format on
namespace coluber::planar {

/// What p is.
enum class Kinematics : std::uint8_t {
  centre_of_mass,  ///< of the robot
  mean,            ///< of the links' centres of gravity, as printed
};

/// How a contact constrains its link's acceleration.
enum class ContactAcceleration : std::uint8_t {
  point,  ///< an obstacle that stays in place while the link slides past it
  skate,  ///< as printed: a skate at the link's centre of gravity
};

/// An obstacle that touches a link, frozen.
struct LinkContact {
  int link = 0;     ///< counted from 0
  double at = 0.0;  ///< m
  int gamma = 1;
  double mu = 0.0;  ///< friction between obstacle and link

  friend bool operator==(const LinkContact&, const LinkContact&) = default;
};

/// What does not change while the robot is the same.
struct ForceMapModel {
  Kinematics kinematics = Kinematics::centre_of_mass;
  VectorXd m, J, l_h, l_t;
  double m_T = 0.0;  ///< kg
  Eigen::MatrixXd K, H;
  Eigen::MatrixXd V;  ///< K M K^T (kg m²)

  /// Number of links.
  [[nodiscard]] int n() const { return static_cast<int>(m.size()); }
};

/// The robot's links, as the force map sees them.
COLUBER_EXPORT ForceMapModel make_force_map_model(const std::vector<Link>& links,
                                                  Kinematics kinematics);

/// Where the robot is and how it moves.
struct Instant {
  VectorXd theta, theta_dot;
  Vector2d p = Vector2d::Zero();
  Vector2d p_dot = Vector2d::Zero();
};

/// Link places or velocities, a column per link.
using Columns = Eigen::Matrix2Xd;

/// Centres of gravity of the links (m), Holden (1), (2).
COLUBER_EXPORT void compute_link_centres(const ForceMapModel& model, const Instant& instant,
                                         Columns& r);
/// Their velocities (m/s), Holden (3), (4).
COLUBER_EXPORT void compute_link_velocities(const ForceMapModel& model, const Instant& instant,
                                            Columns& v);
/// p and its rate from the links' centres of gravity.
COLUBER_EXPORT void place_instant(const ForceMapModel& model, const Columns& r, const Columns& v,
                                  Instant& instant);

/// Velocity of the links across themselves at the contacts (m/s), Holden (31): zero where contacts
/// last. With `ContactAcceleration::skate` at the links' centres of gravity.
COLUBER_EXPORT VectorXd compute_contact_rates(const ForceMapModel& model, const Instant& instant,
                                              std::span<const LinkContact> contacts,
                                              ContactAcceleration form);
/// Changes the velocities as little as possible, by kinetic energy, so that contacts last.
COLUBER_EXPORT void project_velocities(const ForceMapModel& model,
                                       std::span<const LinkContact> contacts,
                                       ContactAcceleration form, Instant& instant);

/// Forces of the ground on each link.
struct GroundLoad {
  Columns f_r;     ///< N, at the centre of gravity
  VectorXd tau_r;  ///< N m

  /// No load on n links.
  void set_zero(int n) {
    f_r.setZero(2, n);
    tau_r.setZero(n);
  }
};

/// Friction as the simulation has it, of a robot that slides: Coulomb at one or two points per
/// link, viscous, rotational. A point that rests has none; returns how many do. Coulomb's grows
/// linearly up to the speed `blend` (m/s), so that the force of a creeping point does not jump.
COLUBER_EXPORT int compute_ground_load(const Model& model, const Instant& instant, const Columns& v,
                                       GroundLoad& load, double blend = 0.0);

/// How the map came out.
struct [[nodiscard]] ForceMapInfo {
  bool regular = true;         ///< false: the contacts do not determine their forces
  double rcond = 1.0;          ///< least over largest pivot of A_f
  std::vector<int> dependent;  ///< links (from 0) of contacts that depend on each other
  int at_rest = 0;             ///< contacts without sliding, which are taken as without friction
};

/// Torques to forces and accelerations at one instant; scratch and results, sized by the first
/// update and allocated again only when sizes change.
struct ForceMap {
  Columns v;          ///< links' velocities (m/s)
  VectorXd v_t;       ///< of sliding along the link, by contact (m/s), (20)
  Columns g;          ///< by contact, (22)
  Columns normal;     ///< left normal of its link, by contact, (17)
  VectorXd mu_tilde;  ///< signed friction coefficients, by contact, (21)
  Eigen::MatrixXd A_f, A_u;
  VectorXd b_f;
  Eigen::MatrixXd F_u;  ///< A_f^-1 A_u …
  VectorXd f_0;         ///< … and A_f^-1 b_f: f_C = f_0 - F_u u
  Eigen::MatrixXd A_e;
  VectorXd b_0;  ///< b_e of zero wished accelerations

  // scratch
  VectorXd s, c;            ///< sines and cosines of theta
  Eigen::MatrixXd M_theta;  ///< n x n
  Eigen::LLT<Eigen::MatrixXd> M_theta_factor;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> A_f_factor;
  Eigen::MatrixXd G;        ///< G~ P^T: n x n_C
  Eigen::MatrixXd R;        ///< rows of M~ at the contacts, transposed: n x n_C
  Eigen::MatrixXd X_C;      ///< M_theta^-1 R
  Eigen::MatrixXd X_d;      ///< M_theta^-1 P~^T: n x n_d
  VectorXd load;            ///< right side of (13) without torques and contacts: n
  Vector2d f_ground;        ///< sum of the ground's forces (N)
  Eigen::MatrixXd T;        ///< P~ M_theta^-1 G: n_d x n_C
  Eigen::MatrixXd F;        ///< [A_u b_f], and [F_u f_0] before its rows are put in order
  Eigen::RowVectorXd work;  ///< of the factorisation
  VectorXd t_1, t_2;        ///< n each
};

/// Assembles everything at one instant. `controlled`: links (from 0) whose angular accelerations
/// are rows 3 … of A_e. Links of contacts, and controlled links, are distinct. The friction of
/// contacts grows linearly up to the sliding speed `blend` (m/s).
COLUBER_EXPORT ForceMapInfo update_force_map(const ForceMapModel& model, const Instant& instant,
                                             std::span<const LinkContact> contacts,
                                             std::span<const int> controlled,
                                             const GroundLoad& ground, ContactAcceleration form,
                                             ForceMap& map, double blend = 0.0);

/// Contact forces of these torques, Holden (34).
COLUBER_EXPORT void compute_contact_forces(const ForceMap& map, const VectorXd& u, VectorXd& f_C);

/// Accelerations that follow, Holden (13)-(15): of the angles (rad/s²) and of p (m/s²).
COLUBER_EXPORT void compute_accelerations(const ForceMapModel& model, const ForceMap& map,
                                          const VectorXd& u, const VectorXd& f_C,
                                          VectorXd& theta_ddot, Vector2d& p_ddot);

}  // namespace coluber::planar

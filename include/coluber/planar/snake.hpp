#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/step_data.hpp"
#include "coluber/chain/step_options.hpp"
#include "coluber/chain/step_work.hpp"
#include "coluber/core/export.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/nonsmooth/point_memory.hpp"
#include "coluber/nonsmooth/solver.hpp"
#include "coluber/nonsmooth/step_info.hpp"
#include "coluber/world/candidates.hpp"
#include "coluber/world/obstacle_grid.hpp"
#include "coluber/world/surface.hpp"
#include "coluber/world/swept.hpp"

/// The planar snake of Transeth, chapter 3: rigid capsule links in a plane, set-valued and viscous
/// friction on the ground at one or two points a link, inelastic contact with circular obstacles
/// (with friction, if they have any), motors in the joints.
///
// clang-format off
/// | letter | code | meaning | unit | equation |
/// |---|---|---|---|---|
/// | n | `n()` | number of links | – | 3.3 |
/// | L_i | `Link::L` | joint to joint | m | table 7.1 |
/// | L_GS, L_SC | `Link::L_GS`, `L_SC` | half length and radius of the capsule's core | m | (3.8)-(3.12) |
/// | m, Theta | `Link::m`, `Theta` | mass, inertia about the centre of gravity | kg, kg m² | (3.44) |
/// | theta_i | `theta` | angle from e_x to the link's axis, which points to link i+1; never wrapped | rad | 3.3 |
/// | phi_i | `phi` | theta_(i+1) - theta_i | rad | (3.51) |
/// | u_i | `u` | (xdot, ydot, omega) of link i | m/s, rad/s | 3.3 |
/// | H_j, L_Hj | `Obstacle::H`, `L_H` | centre and radius of obstacle j | m | (3.8) |
/// | mu_T | `mu_T` | friction along and across the link | – | (3.60) |
/// | mu_V | `mu_V` | viscous friction: force -N mu_V v on a point with load N | s/m | (6.26) |
/// | c | `c_R` | rotational friction: torque -c m g omega on a link | m s | Holden, table V |
/// | F_i, R_i | – | the two friction points of link i, ±L_GS from its middle | m | 6.2 |
/// | L_w, Theta_w | `Axle::L_w`, `Theta_w` | radius of a link's wheels; inertia of them and their shaft | m, kg m² | Murugendran (3) |
/// | omega_w | `omega` | rate of a shaft, positive when it rolls forward, link 1 ahead | rad/s | Murugendran (8) |
/// | mu_H | `Obstacle::mu` | friction between an obstacle and a link | – | not in the source |
/// | q_A, q_M, q_E | – | configuration at start, middle and end of a step | – | 3.6 |
// clang-format on
namespace coluber::planar {

using chain::StepWork;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using nonsmooth::Activation;
using nonsmooth::PointMemory;
using nonsmooth::Solver;
using world::Obstacle;
using world::ObstacleGrid;

/// One rigid link, a capsule. Letters as in the table above.
struct Link {
  double m = 0.0;
  double Theta = 0.0;
  double L = 0.0;
  double L_GS = 0.0;
  double L_SC = 0.0;
  double offset = 0.0;  ///< centre of gravity ahead of the link's middle, towards link i+1 (m)
};

/// The two wheels of a link on one shaft, in place of its friction points. The ground bears each
/// with half the link's weight; whatever the link does, both turn alike.
struct Axle {
  double L_w = 0.0;
  double Theta_w = 0.0;
  double offset = 0.0;      ///< ahead of the link's middle, towards link i+1 (m)
  double half_track = 0.0;  ///< from the link's axis to each wheel (m)
};

/// The robot and its world. Never changed by a step.
struct Model {
  std::vector<Link> links;
  std::vector<Axle> axles;  ///< one per link, or none
  std::vector<Obstacle> obstacles;
  double g = 9.81;  ///< m/s²
  Vector2d mu_T{0.2, 0.2};
  Vector2d mu_V{0.0, 0.0};      ///< viscous friction along and across the link (s/m)
  double c_R = 0.0;             ///< rotational friction (m s)
  int friction_points = 1;      ///< of a link: 1 at its centre of gravity, 2 at its core's ends, or
                                ///< its wheels, left (of the way forward) and right
  double tilt = 0.0;            ///< slope of the ground (rad)
  double tilt_direction = 0.0;  ///< downhill, from e_x (rad)

  /// Number of links.
  [[nodiscard]] int n() const { return static_cast<int>(links.size()); }
  /// Its links have wheels.
  [[nodiscard]] bool has_wheels() const { return !axles.empty(); }
  /// 0-based index of the middle link, number ⌈n/2⌉: the root of the joint coordinates.
  [[nodiscard]] int base() const { return (n() - 1) / 2; }
};

/// Throws Error naming the first quantity that is not physical.
COLUBER_EXPORT void require_valid(const Model& model);

/// Memory of a link near an obstacle.
struct ObstacleMemory {
  int node = 0;
  int obstacle = 0;
  PointMemory point;
  double last_active =
      0.0;  ///< N s, impulse when it was last in the problem (the thesis' warm start)
  friend bool operator==(const ObstacleMemory&, const ObstacleMemory&) = default;
};

/// All that is needed to continue bit-identically. Positions are those of the coming step's middle:
/// the midpoint rule is a leapfrog on q_M, and q(t) = q_M - dt/2 u.
struct State {
  std::int64_t k = 0;                 ///< steps done; t = k dt
  Vector3d base = Vector3d::Zero();   ///< x, y, theta of the middle link at q_M
  VectorXd phi;                       ///< joint angles at q_M
  Vector3d twist = Vector3d::Zero();  ///< omega, v_x, v_y of the middle link
  VectorXd phidot;
  Vector3d twist_2 = Vector3d::Zero(), twist_3 = Vector3d::Zero();  ///< one and two steps earlier
  VectorXd phidot_2, phidot_3;
  VectorXd u;                        ///< link velocities (xdot, ydot, omega), 3n
  VectorXd wheel;                    ///< angles of the shafts at q_M, positive forward
  VectorXd omega, omega_2, omega_3;  ///< rates of the shafts, and one and two steps earlier
  std::vector<PointMemory> ground;   ///< friction_points a link, the rear (-L_GS) or left one first
  std::vector<ObstacleMemory> near;  ///< ordered by (node, obstacle)
};

/// A robot at rest: joint angles `phi`, link `link` (0-based) with its centre of gravity at
/// `position` and its axis at the angle `theta`.
COLUBER_EXPORT State make_state(const Model& model, const Eigen::Ref<const VectorXd>& phi, int link,
                                const Vector2d& position, double theta);

/// How a step is done.
struct StepOptions : chain::StepOptions {
  /// The step of the minimal model of Transeth 6.2: M(q_M) (nu_E - nu_A) + dt C(q_M, nu_A) nu_A =
  /// impulses, in the velocities nu = (twist, phidot) of the joint coordinates, instead of chapter
  /// 3's M (u_E - u_A) in those of the links. The same motion as dt goes to zero.
  bool minimal_coordinates = false;
};

/// Configuration of every link at one instant.
struct Pose {
  VectorXd theta, sin, cos;            ///< n
  Eigen::Matrix2Xd r;                  ///< centres of gravity relative to the middle link's (m)
  Vector2d origin = Vector2d::Zero();  ///< centre of gravity of the middle link (m)
  /// Room for n links.
  void resize(int n);
};

/// Nearest points of a link's capsule and an obstacle.  Transeth (3.8)-(3.12)
struct Gap {
  double g = 0.0;    ///< distance, negative inside (m)
  Vector2d normal;   ///< from the obstacle to the link
  double s_c = 0.0;  ///< where on the core, from its centre of gravity along the link (m)
};

/// Arrays and kernels of the fast step: the chain as one array per quantity.
struct FastStep;

/// Scratch and results of one thread, sized once.
struct COLUBER_EXPORT Data : chain::StepData<3> {
  /// Sized for this model.
  explicit Data(const Model& model);
  ~Data();
  Data(Data&&) noexcept;
  Data& operator=(Data&&) noexcept;

  Pose pose;       ///< at q_M of the step done
  int shafts = 0;  ///< the first nodes are theirs, those of the links follow in the same order
  std::vector<int> node_of_link;
  std::vector<ObstacleMemory> next_near;  ///< becomes State::near
  /// A link at an obstacle, in the step's problem.
  struct Touch {
    int node = 0;
    int near = 0;  ///< index into next_near
    Gap gap;
  };
  std::vector<Touch> touching;  ///< obstacle contacts in the problem, by node
  /// Obstacles that links meet on their way through the step, farther off than what is near.
  std::vector<world::SurfacePoint> on_the_way;
  world::SweptContacts swept;
  Pose next_pose;  ///< at q_M of the step to come, where links may have passed something
  State before;    ///< of a step in which links may meet something on their way
  std::vector<int> near_of_contact;  ///< index into next_near; -1 - p: point p of the ground
  Vector2d pull = Vector2d::Zero();  ///< weight along it, g sin(tilt) downhill (N/kg)
  VectorXd u_minimal;      ///< link velocities a step in minimal coordinates starts from, 3n
  double T_minimal = 0.0;  ///< their kinetic energy less that of the state's own (J)

  std::unique_ptr<FastStep> fast;

  // results of the last step, beside those of every chain
  Eigen::Matrix2Xd ground_impulse;  ///< on each link, world axes (N s)
  Eigen::Matrix2Xd obstacle_impulse;
  double penetration = 0.0;  ///< deepest at q_M (m)
  VectorXd tau_w;            ///< torques of the shafts, mean over the step (N m)

  ObstacleGrid grid;            ///< the model's obstacles by place
  Eigen::Matrix2Xd load_share;  ///< of a link's weight on its friction points, by link
  /// Viscous torque about a link's centre of gravity (rotational friction included), force along
  /// and across it, over its turn and speeds, by link (N m s, N s/m, N s/m)
  Eigen::Matrix3Xd viscosity;
  bool viscous = false;          ///< some of it is not zero
  world::Candidates candidates;  ///< pairs of node and obstacle
};

/// Poses of all links from the middle link's (x, y, theta) and the joint angles.
COLUBER_EXPORT void compute_pose(const Model& model, const Vector3d& base,
                                 const Eigen::Ref<const VectorXd>& phi, Pose& pose);

/// Configuration at t = k dt: q_M - dt/2 u.
COLUBER_EXPORT void compute_pose_at_time(const Model& model, const State& state, double dt,
                                         Pose& pose);

/// The gap of a link whose centre of gravity is at `r_G`.
COLUBER_EXPORT Gap compute_gap(const Link& link, const Vector2d& r_G, double cos_theta,
                               double sin_theta, const Obstacle& obstacle);

/// Fills `data.problem` for the step that starts in `state`.
COLUBER_EXPORT void make_problem(const Model& model, const State& state,
                                 const JointCommand& command, const StepOptions& options,
                                 Data& data);

/// One step of Moreau's midpoint rule in joint coordinates about the middle link.  Transeth 3.6
/// The state is left untouched if a non-finite value appears.
COLUBER_EXPORT nonsmooth::ContactStepInfo step(const Model& model, State& state, Data& data,
                                               const JointCommand& command,
                                               const StepOptions& options);

/// Limit on dt (s) of an explicit servo with these gains on this chain, posture `state`.
COLUBER_EXPORT double explicit_servo_limit(const Model& model, const State& state, double k_P,
                                           double k_D);

}  // namespace coluber::planar

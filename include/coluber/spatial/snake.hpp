#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "coluber/chain/step_data.hpp"
#include "coluber/chain/step_options.hpp"
#include "coluber/chain/step_work.hpp"
#include "coluber/core/export.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/nonsmooth/contact_problem.hpp"
#include "coluber/nonsmooth/point_memory.hpp"
#include "coluber/nonsmooth/solver.hpp"
#include "coluber/nonsmooth/step_info.hpp"
#include "coluber/world/surface.hpp"
#include "coluber/world/swept.hpp"

/// The snake in space of Transeth, chapter 4: rigid links with joints of one or two axes, end
/// spheres on the ground with sliding and rolling friction under the load they really carry,
/// contact with vertical cylinders. Flight, landing and ground phases are one formulation.
///
// clang-format off
/// | letter | code | meaning | unit | equation |
/// |---|---|---|---|---|
/// | n | `n()` | number of links | – | 4.2 |
/// | L | `Link::L` | joint to joint | m | table 7.1 |
/// | L_GS, L_SC | `Link::L_GS`, `L_SC` | centre to end sphere, radius | m | table 7.1 |
/// | m, Theta_psi, Theta_rho | `Link::m`, … | mass, inertia across and about the long axis | kg, kg m² | (4.70) |
/// | e_x, e_y, e_z | `Pose::e_x`, … | axes of a link: left, up when it lies flat, along it to link i+1 | – | 4.2 |
/// | phi_h, phi_v | `phi` | joint angles: R_(i+1) = R_i R_y(phi_h) R_x(phi_v) | rad | (4.92)-(4.95) |
/// | mu_Tx, mu_Ty | `mu_T` | friction along and across the link | – | (4.83), (4.84) |
/// | mu_V | `mu_V` | rolling friction | – | (4.87) |
/// | F_i, R_i | – | front and rear ground point of link i | – | (4.8) |
/// | H_j, L_H | `Obstacle::H`, `L_H` | axis and radius of cylinder j | m | 4.2.1; used in (4.11)-(4.14) |
/// | q_A, q_M, q_E | – | configuration at start, middle and end of a step | – | 4.6 |
// clang-format on
///
/// Differs: the thesis has six coordinates a link and closes the joints by projection; here joint
/// angles about the middle link are the coordinates, so that a joint never opens.
namespace coluber::spatial {

using chain::StepWork;
using Eigen::Matrix3Xd;
using Eigen::Quaterniond;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using nonsmooth::Activation;
using nonsmooth::Solver;
using world::Obstacle;

/// One rigid link. Letters as in the table above.
struct Link {
  double m = 0.0;
  double Theta_psi = 0.0;
  double Theta_rho = 0.0;
  double L = 0.0;
  double L_GS = 0.0;
  double L_SC = 0.0;
  double offset = 0.0;   ///< centre of gravity ahead of the link's middle, towards link i+1 (m)
  bool spheres = false;  ///< obstacles meet the end spheres only, not the cylinder between them
};

/// Axes of a joint.
enum class Joint : std::uint8_t {
  yaw,     ///< phi_h alone
  cardan,  ///< phi_h and phi_v
};

/// What the friction of a ground point is limited by.
enum class LoadSharing : std::uint8_t {
  least_squares,  ///< the impulse it carries; of all sharings that balance, the most even one
  equal,          ///< its link's weight by halves, whatever it carries: for a robot that lies flat
};

/// The robot and its world. Never changed by a step.
struct Model {
  std::vector<Link> links;
  Joint joint = Joint::cardan;
  std::vector<Obstacle> obstacles;
  double g = 9.81;  ///< m/s²
  Vector2d mu_T{0.2, 0.2};
  double mu_V = 0.0;
  double tilt = 0.0;            ///< slope of the ground (rad)
  double tilt_direction = 0.0;  ///< downhill, from e_x (rad)
  LoadSharing load_sharing = LoadSharing::least_squares;

  /// Number of links.
  [[nodiscard]] int n() const { return static_cast<int>(links.size()); }
  /// 0-based index of the middle link, number ⌈n/2⌉: the root of the joint coordinates.
  [[nodiscard]] int base() const { return (n() - 1) / 2; }
  /// Angles of a joint.
  [[nodiscard]] int axes() const { return joint == Joint::cardan ? 2 : 1; }
  /// All joint angles: phi_h,1, phi_v,1, phi_h,2, … or phi_h,1, phi_h,2, …
  [[nodiscard]] int angles() const { return axes() * (n() - 1); }
};

/// Throws Error naming the first quantity that is not physical.
COLUBER_EXPORT void require_valid(const Model& model);

/// What a point keeps from step to step.
struct ContactMemory {
  int link = 0;
  int key = 0;               ///< world::SurfacePoint::key
  double last_active = 0.0;  ///< N s, normal impulse when it was last in the problem
  nonsmooth::PointMemory sliding, rolling;
  friend bool operator==(const ContactMemory&, const ContactMemory&) = default;
};

/// The surfaces a robot can touch, in the order of `State::near`.
enum SurfaceIndex : std::uint8_t { kGround, kCylinders, kSurfaces };

/// All that is needed to continue bit-identically. Positions are those of the coming step's middle:
/// the midpoint rule is a leapfrog on q_M, and q(t) = q_M - dt/2 u.
struct State {
  std::int64_t k = 0;                            ///< steps done; t = k dt
  Vector3d r = Vector3d::Zero();                 ///< centre of gravity of the middle link (m)
  Eigen::Vector4d p = Eigen::Vector4d::UnitX();  ///< its Euler parameters, scalar first
  VectorXd phi;                                  ///< joint angles
  nonsmooth::Twist<6> twist = nonsmooth::Twist<6>::Zero();  ///< omega, v of the middle link
  VectorXd phidot;
  nonsmooth::Twist<6> twist_2 = nonsmooth::Twist<6>::Zero();  ///< one step earlier
  nonsmooth::Twist<6> twist_3 = nonsmooth::Twist<6>::Zero();  ///< two steps earlier
  VectorXd phidot_2, phidot_3;
  Matrix3Xd v;      ///< of the centres of gravity, world axes (m/s)
  Matrix3Xd omega;  ///< world axes (rad/s)
  Matrix3Xd l;      ///< angular momentum about the centres, world axes (N m s)
  std::array<std::vector<ContactMemory>, kSurfaces> near;  ///< ordered by (link, key)
};

/// How a step is done.
struct StepOptions : chain::StepOptions {
  /// Table 7.2 of the thesis has another r_T in space.
  StepOptions() { thesis.r_T = 0.01; }
};

/// Configuration of every link at one instant.
struct Pose {
  Matrix3Xd e_x, e_y, e_z;             ///< axes of the links, world axes
  Matrix3Xd r;                         ///< centres of gravity relative to the middle link's (m)
  Vector3d origin = Vector3d::Zero();  ///< centre of gravity of the middle link (m)
  std::vector<double> sin, cos;        ///< of the joint angles
  /// Room for a robot.
  void resize(const Model& model);
  /// Centre of gravity of link i (m).
  [[nodiscard]] Vector3d centre(int i) const { return origin + r.col(i); }
};

/// Arrays and kernels of the fast step: the chain as one array per quantity.
struct FastStep;

/// Scratch and results of one thread, sized once, for a model that does not change meanwhile. The
/// fast step keeps its own arrays: pose (but for the root's and, among obstacles, all e_z and r),
/// problem, solution, near[kGround] and origin are then those of an earlier plain or audited step.
struct COLUBER_EXPORT Data : chain::StepData<6> {
  /// Sized for this model.
  explicit Data(const Model& model);
  ~Data();
  Data(Data&&) noexcept;
  Data& operator=(Data&&) noexcept;

  Pose pose;  ///< at q_M of the step done
  /// Then, of the links' centres over the ground, counted from pose.origin (m).
  Vector2d sum_of_places = Vector2d::Zero();
  Vector3d weight = Vector3d::Zero();  ///< N/kg

  world::Plane ground;
  world::Cylinders cylinders;
  std::vector<world::PlacedLink> placed;
  /// Cylinders that links meet on their way through the step, farther off than what is near.
  std::vector<world::SurfacePoint> on_the_way;
  world::SweptContacts swept;
  Pose next_pose;  ///< at q_M of the step to come, where links may have passed something
  State before;    ///< of a step in which links may meet something on their way
  /// Near points of one surface in the step.
  struct Near {
    world::SurfacePoints found;
    std::vector<ContactMemory> memory;            ///< one per point; becomes State::near
    std::vector<nonsmooth::Impulse> slide, roll;  ///< one per point
  };
  std::array<Near, kSurfaces> near;
  /// What a contact of the problem stands for.
  struct Origin {
    SurfaceIndex surface = kGround;
    /// The point's normal and friction together, one of the two, or its rolling friction.
    enum class Part : std::uint8_t { whole, support, friction, rolling };
    Part part = Part::whole;
    int point = 0;          ///< index into near[surface]
    int link = 0, key = 0;  ///< of the point
  };
  std::vector<Origin> origin;  ///< one per contact
  std::unique_ptr<FastStep> fast;
  int contacts_closed = 0;  ///< points with an impulse in the last step

  // results of the last step, beside those of every chain
  Matrix3Xd ground_impulse;  ///< on each link, world axes (N s)
  Matrix3Xd obstacle_impulse;
  double ground_penetration = 0.0, obstacle_penetration = 0.0;  ///< deepest at q_M (m)
};

/// A robot at rest: joint angles `phi`; link `link` (0-based) has its centre of gravity at
/// `position` and its axes along the columns of `R` (left, up, along).
COLUBER_EXPORT State make_state(const Model& model, const Eigen::Ref<const VectorXd>& phi, int link,
                                const Vector3d& position, const Eigen::Matrix3d& R);

/// Axes of a link whose axis points along `heading` in the plane, is then pitched up by `pitch` and
/// rolled about itself by `roll` (rad). Flat and unrolled, e_y is up.
COLUBER_EXPORT Eigen::Matrix3d compute_axes(double heading, double pitch, double roll);

/// Poses of all links from the middle link's and the joint angles.
COLUBER_EXPORT void compute_pose(const Model& model, const Vector3d& r, const Eigen::Vector4d& p,
                                 const Eigen::Ref<const VectorXd>& phi, Pose& pose);

/// Configuration at t = k dt: q_M - dt/2 u.
COLUBER_EXPORT void compute_pose_at_time(const Model& model, const State& state, double dt,
                                         Pose& pose);

/// Euler parameters of link i, scalar first, with a non-negative scalar.
COLUBER_EXPORT Eigen::Vector4d compute_euler_parameters(const Pose& pose, int i);

/// Deepest overlap (m) with the ground and with a cylinder in a pose; 0 if there is none.
COLUBER_EXPORT std::array<double, kSurfaces> compute_penetration(const Model& model,
                                                                 const Pose& pose);

/// How deep a link is inside an obstacle.
struct Overlap {
  double depth = 0.0;  ///< m; 0: not at all
  int link = 0;        ///< 0-based
};

/// The deepest link of every obstacle in a pose; `deepest` has one entry an obstacle.
COLUBER_EXPORT void find_overlaps(const Model& model, const Pose& pose, std::span<Overlap> deepest);

/// Fills `data.problem` for the step that starts in `state`.
COLUBER_EXPORT void make_problem(const Model& model, const State& state,
                                 const JointCommand& command, const StepOptions& options,
                                 Data& data);

/// One step of Moreau's midpoint rule in joint coordinates about the middle link.  Transeth 4.6
/// The state is left untouched if a non-finite value appears.
COLUBER_EXPORT nonsmooth::ContactStepInfo step(const Model& model, State& state, Data& data,
                                               const JointCommand& command,
                                               const StepOptions& options);

/// Limit on dt (s) of an explicit servo with these gains on this chain, posture `state`.
COLUBER_EXPORT double explicit_servo_limit(const Model& model, const State& state, double k_P,
                                           double k_D);

}  // namespace coluber::spatial

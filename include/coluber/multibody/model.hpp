#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/math/group.hpp"

/// Mobile multibody systems: trees of rigid bodies whose shape is given as a function of time, free
/// or on wheels. What comes out is the motion of the reference body and the torques it took.
///
// clang-format off
/// | letter | code | meaning | unit | Ali |
/// |---|---|---|---|---|
/// | S_j | `bodies[j]` | body j; S_0 is the reference body, link 1 in files | – | 3.1 |
/// | i_g_j | `Data::Body::g` | pose of body j in its parent i | –, m | (3.7) |
/// | η_j | `Data::Body::eta` | body twist, linear part first | m/s, rad/s | (3.8) |
/// | ζ_j | `Data::Body::zeta` | what a joint adds to the acceleration | m/s², rad/s² | (3.10) |
/// | r_k | `Data::r(k)` | joint coordinate, counted in the order of the bodies | rad or m | (3.4) |
/// | A_j | – | joint screw: z of the body's frame | – | (3.8) |
/// | M_j | – | inertia about the frame's origin | kg, kg m, kg m² | (3.5) |
/// | M_o⁺, F_o⁺ | `Data::Body::composite`, `F_plus` | of the composite body | – | (3.23)-(3.28) |
/// | A, B, γ | `Rows` | rows of the wheels: A η_o + B ṙ = 0, A η̇_o + B r̈ + γ = 0 | – | (3.42) |
/// | β_w, θ_w | `Input::beta`, `Data::thetadot` | steering and rolling angle of a wheel | rad | (3.2) |
/// | λ_w | `Data::lambda` | side force of a wheel, positive to its left | N | (7.1) |
/// | Γ_w | `Data::Gamma` | motor torque of a driven wheel, positive drives it forward | N m | (3.86) |
/// | τ_k | `Data::tau` | joint torque or force, positive drives the coordinate up | N m or N | (3.12) |
// clang-format on
///
/// Differs: accelerations are time derivatives of body components throughout. Ali (3.10) with
/// (3.13) mixes these with absolute accelerations and counts a term twice.
namespace coluber::multibody {

using math::Matrix6d;
using math::Pose;
using math::Vector6d;

/// How a body moves against its parent: about, along, or along and about z of its frame.
enum class Joint : std::uint8_t { revolute, prismatic, cylindrical, fixed };

/// Coordinates of a joint: 0, 1 or 2. Those of a cylindrical one are along, then about.
COLUBER_EXPORT int coordinates_of(Joint joint);

/// Diagonal of an inertia that a fluid adds to a body, at its centre of mass, in the body's axes.
using AddedMass = Vector6d;

/// One rigid body.
struct Body {
  std::string name{};
  int parent = -1;  ///< index of another, before this one; -1: the reference body
  Joint joint = Joint::revolute;
  Pose joint_frame{};                             ///< of the joint at rest, in the parent's frame
  double m = 0.0;                                 ///< kg
  Eigen::Vector3d c = Eigen::Vector3d::Zero();    ///< centre of mass in the body's frame (m)
  Eigen::Matrix3d I_c = Eigen::Matrix3d::Zero();  ///< inertia about it, body axes (kg m²)
  AddedMass added = AddedMass::Zero();            ///< kg, kg m²
};

/// What a wheel forbids.
enum class WheelKind : std::uint8_t {
  fixed,    ///< sliding sideways
  steered,  ///< the same, its heading is given over time
  castor,   ///< nothing
  omni,     ///< nothing sideways
};

/// A wheel on level ground, without mass.
struct Wheel {
  int body = 0;
  Eigen::Vector2d place = Eigen::Vector2d::Zero();  ///< in the body's x y plane (m)
  double heading = 0.0;                             ///< rolling direction from the body's x (rad)
  WheelKind kind = WheelKind::fixed;
  bool driven = false;  ///< its rolling is given; of the reference body only
  double radius = 0.05;
  double side_friction = std::numeric_limits<double>::infinity();  ///< N s/m; inf: a constraint
  double weight = 1.0;     ///< in the norm of the wheel forces, > 0
  double prestress = 0.0;  ///< N

  /// It does not slide sideways.
  [[nodiscard]] bool holds() const {
    return (kind == WheelKind::fixed || kind == WheelKind::steered) &&
           side_friction == std::numeric_limits<double>::infinity();
  }
  /// It slides sideways against friction.
  [[nodiscard]] bool rubs() const {
    return (kind == WheelKind::fixed || kind == WheelKind::steered) && !holds();
  }
};

/// A revolute joint that closes a loop: both points stay together.
struct Loop {
  int a = 0, b = 0;
  Eigen::Vector3d point_a = Eigen::Vector3d::Zero();  ///< in body a (m)
  Eigen::Vector3d point_b = Eigen::Vector3d::Zero();  ///< in body b (m)
};

/// Force laws, at each body's centre of mass and in its axes.
enum class ForceLaw : std::uint8_t { viscous, quadratic, coulomb_smooth };

/// A force on bodies. Per kg of the body; moments per kg m² of its inertia about its centre.
struct Force {
  ForceLaw law = ForceLaw::viscous;
  double c_along = 0.0;       ///< 1/s, or 1/m
  double c_across = 0.0;      ///< 1/s, or 1/m
  double c_turn = 0.0;        ///< 1/s, or 1/rad
  double mu_along = 0.0;      ///< –
  double mu_across = 0.0;     ///< –
  double v_smooth = 1e-3;     ///< m/s
  double load = 9.81;         ///< N/kg
  std::vector<int> bodies{};  ///< none: all
};

/// Where a joint coordinate comes from.
enum class Role : std::uint8_t {
  imposed,   ///< given over time
  follower,  ///< such that a wheel does not slide
  loop,      ///< such that loops stay closed
};

/// What a system is made of, as a user describes it.
struct Tree {
  std::vector<Body> bodies{};
  std::vector<Wheel> wheels{};
  std::vector<Loop> loops{};
  std::vector<Force> forces{};
  std::vector<Role> roles{};  ///< one per coordinate; none: all imposed
  double gravity = 0.0;       ///< m/s², along -z of the world
  bool base_imposed = false;  ///< the motion of the reference body is given
  bool drive = false;         ///< the speed of the reference body along its x is given
};

/// A symmetric 3 x 3 matrix.
struct SymmetricInertia {
  double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;  ///< kg m²
  /// All nine entries.
  [[nodiscard]] Eigen::Matrix3d matrix() const {
    Eigen::Matrix3d I;
    I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return I;
  }
};

/// Inertia of a rigid body, or of several in their present shape, about a frame's origin.
struct RigidInertia {
  double m = 0.0;                               ///< kg
  Eigen::Vector3d h = Eigen::Vector3d::Zero();  ///< m times centre of mass (kg m)
  SymmetricInertia I{};
};

/// What the recursions read of a body, close together.
struct Node {
  int parent = -1;
  int first = 0;  ///< coordinate of its joint
  Joint joint = Joint::fixed;
  Pose joint_frame{};
  RigidInertia M{};
};

/// A follower and the wheel it follows from.
struct Follower {
  int coordinate = 0;
  int wheel = 0;
  std::vector<int> path{};  ///< bodies from the one with the coordinate to that of the wheel
};

/// A tree, checked, with what follows from it. Throws Error where it cannot be.
struct COLUBER_EXPORT Model : Tree {
  /// Checks the tree and finds what follows from it.
  explicit Model(Tree tree);

  int coordinates = 0;
  std::vector<int> first{};        ///< coordinate of each body's joint
  std::vector<int> body_of{};      ///< body of each coordinate
  std::vector<Node> nodes{};       ///< of each body
  std::vector<int> axis_of{};      ///< of each coordinate: 2, along z of its body, or 5, about it
  bool planar = false;             ///< it stands on wheels: S_0 stays level
  std::vector<int> base_wheels{};  ///< that hold and have no follower on their path
  std::vector<int> base_bodies{};  ///< on the paths to them, parents first
  std::vector<Follower> followers{};
  std::vector<int> passive{};       ///< coordinates that loops determine
  std::vector<int> driven{};        ///< wheels
  std::vector<int> wheel_bodies{};  ///< on the paths to wheels that hold, parents first
  std::vector<Matrix6d> added{};    ///< about each frame's origin; empty: no body has any
  double mass = 0.0;                ///< kg

  /// Unknowns of the reference body's motion: (V_x, V_y, Ω_z) on wheels, else all six.
  [[nodiscard]] int dim() const { return planar ? 3 : 6; }
  /// Number of bodies.
  [[nodiscard]] int size() const { return static_cast<int>(bodies.size()); }
  /// Body j, from 0.
  [[nodiscard]] const Body& body(int j) const { return bodies[static_cast<std::size_t>(j)]; }
  /// The same for the recursions.
  [[nodiscard]] const Node& node(int j) const { return nodes[static_cast<std::size_t>(j)]; }
  /// Wheel w, from 0.
  [[nodiscard]] const Wheel& wheel(int w) const { return wheels[static_cast<std::size_t>(w)]; }
  /// First coordinate of body j's joint.
  [[nodiscard]] int first_of(int j) const { return first[static_cast<std::size_t>(j)]; }
};

/// Inertia about the frame's origin of a body (kg m²).
COLUBER_EXPORT Eigen::Matrix3d inertia_about_origin(const Body& body);

/// Whether some rigid body has this inertia about its centre: no principal moment is negative or
/// exceeds the sum of the others.
COLUBER_EXPORT bool is_physical(const Eigen::Matrix3d& I_c);

}  // namespace coluber::multibody

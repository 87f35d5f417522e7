#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/multibody/model.hpp"

namespace coluber::multibody {

/// Rows of three numbers: covectors of the plane.
using Rows3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// What is given at an instant. Entries of coordinates that are not imposed are not read.
struct COLUBER_EXPORT Input {
  /// All zero, wheels at their headings.
  explicit Input(const Model& model);
  Input() = default;

  Eigen::VectorXd r, rdot, rddot;              ///< of the coordinates
  Eigen::VectorXd beta, betadot;               ///< heading of each wheel (rad), its rate
  Eigen::VectorXd theta, thetadot, thetaddot;  ///< rolling of each driven wheel (rad, …)
  double speed = 0.0, speeddot = 0.0;          ///< of a driven reference body along its x (m/s, …)
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< of an imposed reference body (m)
  Eigen::Vector3d placedot = Eigen::Vector3d::Zero();
  Eigen::Vector3d placeddot = Eigen::Vector3d::Zero();
  double yaw = 0.0, yawdot = 0.0, yawddot = 0.0;       ///< its heading (rad, …)
  Eigen::Matrix3d tilt = Eigen::Matrix3d::Identity();  ///< its pitch and roll, which do not change
};

/// Pose of a reference body whose motion is given.
COLUBER_EXPORT Pose imposed_pose(const Input& input);

/// Gives the input of time t (s).
using Program = std::function<void(double t, Input& input)>;

/// How the reference body's motion is found.  Ali, Table 3.1
enum class Case : std::uint8_t {
  unconstrained,
  under_constrained,
  fully_constrained,
  over_constrained,
  fully_actuated,
  partially_actuated,
  imposed,  ///< it is given
};

/// In words: "under_constrained", …
COLUBER_EXPORT const char* to_string(Case which);

/// Rows of the wheels that determine, with nothing else unknown, the reference body's motion in the
/// plane: a · x + b = 0 and a · ẋ + gamma = 0, x = (V_x, V_y, Ω_z).
struct Rows {
  Rows3 a;
  Eigen::VectorXd b, gamma;
  int size = 0;     ///< used
  int sliding = 0;  ///< of these, the first: no sliding; then rolling of driven wheels
};

/// An orthonormal basis of independent rows, in their order.
struct RowBasis {
  Eigen::Matrix3d q = Eigen::Matrix3d::Zero();  ///< rows: the basis, then its complement
  Eigen::Matrix3d L = Eigen::Matrix3d::Zero();  ///< chosen rows = L q
  int rank = 0;
  int chosen[3] = {0, 0, 0};
  double least = 0.0;  ///< smallest part of a chosen row that the others have not
};

/// Scratch and results of one instant, sized once.
struct COLUBER_EXPORT Data {
  /// Sized for this model.
  explicit Data(const Model& model);

  /// Of one body, at the instant evaluated.
  struct Body {
    Pose g{};                          ///< in the parent's frame
    Vector6d eta = Vector6d::Zero();   ///< twist
    Vector6d zeta = Vector6d::Zero();  ///< what its joint adds to the acceleration
    Vector6d etadot = Vector6d::Zero();
    Vector6d momentum = Vector6d::Zero();  ///< M_j η_j
    Vector6d F_in = Vector6d::Zero();      ///< F_gyr + F_ext, without the wheels' side forces
    Vector6d F = Vector6d::Zero();         ///< wrench of its parent on it, without those forces
    Vector6d F_plus = Vector6d::Zero();    ///< of the composite body
    RigidInertia composite{};
    Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< m/s², body axes
  };

  Input input;
  std::vector<Body> body;
  Eigen::VectorXd r, rdot, rddot;  ///< all coordinates
  Eigen::VectorXd tau;             ///< torques (N m), forces (N)
  Eigen::VectorXd lambda;          ///< side force of each wheel (N)
  Eigen::VectorXd Gamma;           ///< torque of each driven wheel (N m), else 0
  Eigen::VectorXd thetadot;        ///< rolling of each wheel (rad/s)
  Eigen::VectorXd slip;            ///< sideways velocity of each wheel (m/s)
  Vector6d eta_o = Vector6d::Zero(), etadot_o = Vector6d::Zero();
  Matrix6d M_o = Matrix6d::Zero();   ///< composite inertia, where the motion needed it
  Vector6d F_c = Vector6d::Zero();   ///< wrench that the wheels have to supply
  double singular_value = 0.0;       ///< smallest of the system solved
  bool averaged = false;             ///< from both sides of a singular instant
  double constraint_residual = 0.0;  ///< largest sideways velocity of a wheel that holds (m/s)
  double root_residual = 0.0;        ///< largest part of the root's wrench left over (N, N m)
  double wrench_scale = 0.0;         ///< largest wrench of a body (N, N m)
  double energy = 0.0;               ///< kinetic (J)
  double power_servo = 0.0, power_friction = 0.0, power_contact = 0.0, power_gravity = 0.0;  ///< W
  double power_energy = 0.0;  ///< rate of `energy` (W)
  double power_scale = 0.0;   ///< largest term of the balance (W)

  // scratch
  /// The wheels' rows at an instant, and the motion they give.
  struct Base {
    Input input;
    Rows rows;
    RowBasis basis;
    std::vector<Pose> g, to_root;       // of each body, on base paths: in its parent, in S_0
    std::vector<Vector6d> eta, etadot;  // of each body, on base paths
    Vector6d eta_o = Vector6d::Zero(), etadot_o = Vector6d::Zero();
  };
  Base base, before, after;
  /// Covectors of a wheel on (V_x, V_y, Ω_z): of its body, and the first carried to the root.
  struct WheelCovectors {
    Eigen::Vector3d across = Eigen::Vector3d::Zero(), along = Eigen::Vector3d::Zero();
    Eigen::Vector3d across_at_root = Eigen::Vector3d::Zero();
  };
  /// An orthonormal basis of the directions that a body's wheels forbid.
  struct Forbidden {
    Eigen::Matrix3d q = Eigen::Matrix3d::Zero();  ///< rows
    int rank = 0;
  };
  std::vector<WheelCovectors> wheel;               // of every wheel
  Eigen::VectorXd wheel_sine, wheel_cosine;        // of their headings
  std::vector<Pose> to_root;                       // of bodies on paths to wheels
  std::vector<Eigen::Vector3d> ground;             // wrench of the wheels behind, at the root
  std::vector<Forbidden> forbidden;                // of every body, for projective torques
  Eigen::VectorXd sine, cosine, angle;             // of the joints
  Eigen::Matrix<double, Eigen::Dynamic, 3> A_all;  // rows of all wheel forces
  Eigen::VectorXd weight, force;                   // of these
  Eigen::VectorXd rest;                            // of the base rows
  std::vector<Matrix6d> composite_added;
  Eigen::MatrixXd W_p, W_a;  // closure of the loops
  Eigen::MatrixXd W_q, W_r;  // W_p = W_q W_r, columns in `W_order`
  std::vector<int> W_order;
  Eigen::VectorXd closure, lambda_loop, passive;
};

/// How an instant is evaluated.
struct EvaluateOptions {
  bool projective = false;        ///< torques by Ali 3.7.2, else those that carry the wheel forces
  double rank_tolerance = 1e-9;   ///< of a row, relative
  double singular_window = 1e-4;  ///< s, to both sides of a singular instant
  bool torques = true;            ///< false: the motion alone
  bool loads = true;  ///< false: inertia and wheels alone, as in a jump; no prestress either
};

/// What an instant could not give.
struct [[nodiscard]] Outcome {
  /// What was in the way.
  enum class Kind : std::uint8_t { ok, singular, inertia, follower, loop, jammed, non_finite };
  Kind kind = Kind::ok;
  int index = 0;      ///< 1-based: coordinate, wheel or loop
  double size = 0.0;  ///< singular value, pivot, coefficient, slip (m/s), gap (m)
  Eigen::Vector3d direction = Eigen::Vector3d::Zero();  ///< free twist at a singular instant
  /// Nothing was.
  [[nodiscard]] bool ok() const { return kind == Kind::ok; }
};

}  // namespace coluber::multibody

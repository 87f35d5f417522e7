#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/drive/laws.hpp"
#include "coluber/keys/section.hpp"
#include "coluber/multibody/data.hpp"
#include "coluber/multibody/model.hpp"

namespace coluber::multibody {

/// `dh` of a body: Rz(gamma) Tz(b) Rx(alpha) Tx(d), the convention of Khalil and Kleinfinger.
struct DhKeys {
  double gamma_deg = 0.0, b = 0.0, alpha_deg = 0.0, d = 0.0;
};

/// How a body is drawn.
enum class BodyShape : std::uint8_t { box, cylinder, capsule, sphere };

/// `[[robot.body]]`.
struct BodyKeys {
  std::string name{};
  std::string parent{};
  Joint joint = Joint::revolute;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Vector3d rotation_deg = Eigen::Vector3d::Zero();
  std::optional<DhKeys> dh{};
  double mass = 0.0;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  std::array<double, 6> inertia{};  ///< xx yy zz xy xz yz, about the centre of mass
  BodyShape shape = BodyShape::box;
  std::vector<double> size{};  ///< m; none: of the box with this mass and inertia
};

/// `[[robot.wheel]]`.
struct WheelKeys {
  std::string body{};
  Eigen::Vector2d position = Eigen::Vector2d::Zero();
  double heading_deg = 0.0;
  WheelKind kind = WheelKind::fixed;
  bool driven = false;
  double radius = 0.05;
  double side_friction = std::numeric_limits<double>::infinity();
  double weight = 1.0;
  double prestress = 0.0;
};

/// `[[robot.loop]]`.
struct LoopKeys {
  std::vector<std::string> bodies{};
  Eigen::Vector3d point_a = Eigen::Vector3d::Zero();
  Eigen::Vector3d point_b = Eigen::Vector3d::Zero();
};

/// `[robot]` of a tree.
struct RobotKeys {
  std::vector<BodyKeys> body{};
  std::vector<WheelKeys> wheel{};
  std::vector<LoopKeys> loop{};
  bool known = false;  ///< when checked: nothing in it was refused
};

/// Laws of `[[world.force]]`.
enum class ForceKind : std::uint8_t { viscous, quadratic, coulomb_smooth, added_mass };

/// `[[world.force]]`.
struct ForceKeys {
  ForceKind law = ForceKind::viscous;
  double c_along = 0.0, c_across = 0.0, c_turn = 0.0;
  double mu_along = 0.0, mu_across = 0.0;
  double v_smooth = 1e-3;
  double load = 9.81;
  std::array<double, 6> added_mass{};
  std::vector<int> links{};
};

/// `[world]` of a tree, beside gravity.
struct WorldKeys {
  std::vector<ForceKeys> force{};
};

/// `[start]` of a tree.
struct StartKeys {
  Eigen::Vector2d position = Eigen::Vector2d::Zero();
  double z = 0.0;
  double heading_deg = 0.0, pitch_deg = 0.0, roll_deg = 0.0;
  keys::WordOrNumbers twist{"", {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
};

/// How the motion is integrated.
enum class Integrator : std::uint8_t { rk4, dopri5, cvode };

/// Which torques are computed.
enum class Torques : std::uint8_t { consistent, projective };

/// `[solver]` of a tree, beside dt.
struct SolverKeys {
  Integrator integrator = Integrator::rk4;
  double rtol = 1e-8, atol = 1e-10;
  Torques torques = Torques::consistent;
  double rank_tolerance = 1e-9;
  double singular_window = 1e-4;
  bool connection = false;  ///< record.connection
};

/// The keys of RobotKeys.
COLUBER_EXPORT const keys::Section& robot_keys();
/// The keys of WorldKeys.
COLUBER_EXPORT const keys::Section& world_keys();
/// The keys of StartKeys.
COLUBER_EXPORT const keys::Section& start_keys();
/// The keys of SolverKeys.
COLUBER_EXPORT const keys::Section& solver_keys();

/// Joint coordinates of a robot; none where it was refused.
COLUBER_EXPORT std::optional<int> count_coordinates(const RobotKeys& robot);

/// The tree that these keys describe. They have been checked.
COLUBER_EXPORT Tree make_tree(const RobotKeys& robot, const WorldKeys& world, double gravity,
                              const drive::Laws* laws);

}  // namespace coluber::multibody

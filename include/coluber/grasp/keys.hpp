#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/grasp/control.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::grasp {

/// `robot.link` of a grasping robot.
struct LinkKeys {
  double length = 1.0;   ///< m
  double radius = 0.05;  ///< m
};

/// `[robot]` of a grasping robot.
struct RobotKeys {
  int links = 15;
  std::vector<LinkKeys> link{};  ///< when checked, one for all
  std::vector<int> wheeled_links{};
};

/// `[start]` of a grasping robot.
struct StartKeys {
  Eigen::Vector2d position = Eigen::Vector2d::Zero();  ///< of the head's tip (m)
  double heading_deg = 0.0;
  std::vector<double> yaws_deg{};     ///< of joints 1 …; none: 0
  std::vector<double> pitches_deg{};  ///< instead of rises
  keys::WordOrNumbers rises{"flat", {}};
  double height = 0.3;  ///< m
  int level_to = 8;
};

/// `world.object.shape`.
enum class ObjectShape : std::uint8_t { cylinder, prism };

/// `[world.object]`.
struct ObjectKeys {
  ObjectShape shape = ObjectShape::cylinder;
  std::optional<int> tangent_to{};
  std::optional<double> x{}, y{};  ///< m
  double radius = 0.75;            ///< m
  std::vector<Eigen::Vector2d> vertices{};
  double height = 1.0;  ///< m
  double weight = 4.0;  ///< N
};

/// `[world]` of a grasping robot.
struct WorldKeys {
  std::optional<ObjectKeys> object{};
};

/// `[controller]` of a grasping robot.
struct ControllerKeys {
  ControlOptions law{};
  double input_limit = std::numeric_limits<double>::infinity();  ///< rad/s
  double contact_limit = 0.01;                                   ///< m
};

/// Kinds of `[[task]]`.
enum class TaskKind : std::uint8_t { pose, lasso, drag, approach, regrasp, hold };
/// `task.route`.
enum class Route : std::uint8_t { direct, swing };

/// `task.contacts`: how many, or which links.
struct Contacts {
  int count = 0;             ///< 0: none said
  std::vector<int> links{};  ///< counted from 1
  bool whole = true;         ///< nothing in it was rounded
};

/// `[[task]]`.
struct TaskKeys {
  TaskKind kind = TaskKind::pose;
  std::optional<double> duration{};  ///< s
  std::optional<double> x{}, y{};    ///< m
  std::optional<double> yaw_deg{};
  std::vector<double> rises{};  ///< m
  Contacts contacts{};
  int oscillating_joint = 0;
  double oscillation_deg = 20.0, oscillation_omega = 3.0;
  std::optional<int> first_link{};
  double link_time = 6.0;  ///< s
  Route route = Route::direct;
  std::optional<Eigen::Vector2d> goal{};  ///< m
  double turn_deg = 0.0;
  std::optional<Eigen::Vector3d> push{};  ///< N
};

/// `[[task]]`, all of them.
struct TaskList {
  std::vector<TaskKeys> task{};
};

/// `stiffness.criterion`.
enum class Criterion : std::uint8_t { definite, eigenvalues };
/// `stiffness.contact`.
enum class ContactKind : std::uint8_t { point, rolling };
/// `stiffness.origin`.
enum class Origin : std::uint8_t { object, world };

/// `[stiffness]`.
struct StiffnessKeys {
  std::vector<double> k_t{};           ///< N/m, one per contact
  std::vector<double> k_n{};           ///< N/m
  std::vector<Eigen::Vector2d> F_t{};  ///< N, along and across the link
  std::vector<double> F_n{};           ///< N, of rolling contacts
  ContactKind contact = ContactKind::point;
  Criterion criterion = Criterion::definite;
  Origin origin = Origin::object;
};

/// `[stiffness]`, if there is one.
struct StiffnessTable {
  std::optional<StiffnessKeys> stiffness{};
};

/// How the motion is integrated.
enum class Integrator : std::uint8_t { rk4, euler };

/// `[solver]` of a grasping robot, beside dt.
struct SolverKeys {
  Integrator integrator = Integrator::rk4;
};

/// The keys of RobotKeys.
COLUBER_EXPORT const keys::Section& robot_keys();
/// The keys of StartKeys.
COLUBER_EXPORT const keys::Section& start_keys();
/// The keys of WorldKeys.
COLUBER_EXPORT const keys::Section& world_keys();
/// The keys of ControllerKeys.
COLUBER_EXPORT const keys::Section& controller_keys();
/// The keys of TaskList.
COLUBER_EXPORT const keys::Section& task_keys();
/// The keys of StiffnessTable.
COLUBER_EXPORT const keys::Section& stiffness_keys();
/// The keys of SolverKeys.
COLUBER_EXPORT const keys::Section& solver_keys();

}  // namespace coluber::grasp

namespace coluber::keys {

// Contacts are a number, or a list of links.
/// @cond
template <>
struct Binding<grasp::Contacts> {
  static KeyType type(const Key& /*key*/) { return KeyType::number_or_numbers; }
  static grasp::Contacts read(const Node& node, const Key&, const ReadContext&) {
    grasp::Contacts value;
    const auto whole = [&value](const Node& number) {
      const double x = number.as_double();
      const int i = static_cast<int>(x);
      value.whole = value.whole && static_cast<double>(i) == x;
      return i;
    };
    if (!node.is_array()) {
      value.count = whole(node);
    } else {
      for (const Node& item : node.items) value.links.push_back(whole(item));
    }
    return value;
  }
  static Node write(const grasp::Contacts& value, const Key& /*key*/) {
    if (value.count > 0) return make_node(static_cast<std::int64_t>(value.count));
    if (value.links.empty()) return make_none();
    Node list;
    list.kind = Node::Kind::array;
    for (int link : value.links) list.items.push_back(make_node(static_cast<std::int64_t>(link)));
    return list;
  }
};
/// @endcond

}  // namespace coluber::keys

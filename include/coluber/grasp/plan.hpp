#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/grasp/keys.hpp"
#include "coluber/grasp/rows.hpp"

namespace coluber::grasp {

/// What is grasped: an upright cylinder, or a prism.
struct Object {
  double radius = 0.75;        ///< m; of a cylinder
  Eigen::Matrix2Xd corners{};  ///< m, about its centre, counter-clockwise; of a prism
  double rho = 0.8;            ///< m: link axes wrap at this distance from its centre
  double height = 1.0;         ///< m
  double weight = 0.0;         ///< N
  /// False: a cylinder.
  [[nodiscard]] bool is_prism() const { return corners.cols() > 0; }
};

/// Where an object is, seen from above.
struct Place {
  Eigen::Vector2d p = Eigen::Vector2d::Zero();  ///< m
  double yaw = 0.0;                             ///< rad

  /// A point of the object, world axes.
  [[nodiscard]] COLUBER_EXPORT Eigen::Vector2d at(const Eigen::Vector2d& local) const;
  /// The other way.
  [[nodiscard]] COLUBER_EXPORT Eigen::Vector2d local(const Eigen::Vector2d& point) const;
};

/// A link that was laid on the object.
struct Contact {
  int link = -1;
  Eigen::Vector2d local = Eigen::Vector2d::Zero();  ///< its middle then, in the object (m)
  bool touches = false;                             ///< within the tolerance of touching
};

/// A stretch of time with one wish.
struct Phase {
  double begin = 0.0, end = 0.0;  ///< s
  int task = 0;
  TaskKind kind = TaskKind::hold;
  int lays = -1;  ///< of a lasso: the link that is laid on the object
};

/// The tasks as phases, one after another; a lasso has one per link. Behind them a hold.
COLUBER_EXPORT std::vector<Phase> make_phases(const std::vector<TaskKeys>& tasks, double duration);

/// What a phase wishes from its start on. All of it is in a checkpoint.
struct Wish {
  /// Nothing wished yet, with room for the model's joints.
  explicit Wish(const Model& model)
      : rises(Eigen::VectorXd::Zero(model.joints())), rises_wished(rises) {}

  Layout layout{};
  double begin = 0.0;   ///< s
  double motion = 0.0;  ///< s; 0: the wish jumps
  Eigen::Vector4d head = Eigen::Vector4d::Zero(), head_wished = head;
  Eigen::VectorXd rises, rises_wished;
  Eigen::Matrix<double, 2, kHeld> offset = Eigen::Matrix<double, 2, kHeld>::Zero();
  bool fixed = false;  ///< contacts stay where they are in the world, `anchor`
  Eigen::Matrix<double, 2, kHeld> anchor = Eigen::Matrix<double, 2, kHeld>::Zero();
  Eigen::Vector2d pivot = Eigen::Vector2d::Zero(), shift = Eigen::Vector2d::Zero();
  double turn = 0.0;                                  ///< rad, about the pivot
  double sway = 0.0;                                  ///< rad, first the other way
  int closing = 0;                                    ///< joint that a lasso closes; 0: none
  bool carries = false;                               ///< the object moves with the contacts
  double psi = 0.0, psi_size = 0.0, psi_omega = 0.0;  ///< of the joint that oscillates

  /// w_d and its rate at time t, of `layout.states`.
  COLUBER_EXPORT void at(const Model& model, double t, Eigen::Ref<Eigen::VectorXd> w,
                         Eigen::Ref<Eigen::VectorXd> wdot) const;
};

/// A wish to stay where it is: head, rises and the offsets of the links in `wish.layout`.
COLUBER_EXPORT void begin_hold(const Model& model, const Configuration& q, const Chain& chain,
                               double t, Wish& wish);

/// What can be wrong with a lasso's next link.
enum class LayFault : std::uint8_t { none, inside, beyond };

/// A wish that turns everything ahead of link `link + 1` until `link` is tangent to the object.
/// Spec 3.2: the direction to the centre, seen from the joint, is asin(ρ/|v|) off the link's.
COLUBER_EXPORT LayFault begin_lay(const Model& model, const Chain& chain, const Object& object,
                                  const Place& place, int link, Route route, Wish& wish);

/// Cylinder or prism: how far the axis of a link is from where it would touch (m), negative inside.
COLUBER_EXPORT double compute_clearance(const Model& model, const Chain& chain,
                                        const Object& object, const Place& place, int link);

/// Where an object is whose contacts are at `chain`: moved as a rigid body, nearest to `place`.
COLUBER_EXPORT Place carry(const Chain& chain, const std::vector<Contact>& contacts,
                           const Layout& layout, const Place& place);

}  // namespace coluber::grasp

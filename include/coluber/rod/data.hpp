#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/rod/model.hpp"
#include "coluber/rod/strain.hpp"

namespace coluber::rod {

/// Wrenches on the ends, in the axes of their sections.
struct Loads {
  Vector6d F_minus = Vector6d::Zero();  ///< on section 0
  Vector6d F_plus = Vector6d::Zero();   ///< on section l
};

/// A point of the mesh: a section i l/elements or a contact. Fields in the head's axes.
struct Point {
  double X = 0.0;
  Pose h{};                            ///< g_o⁻¹ g
  Vector6d y = Vector6d::Zero();       ///< ∫ Ad_h ξ̇: η = Ad_h⁻¹ (η_o + y)
  Vector6d z = Vector6d::Zero();       ///< η̇ = Ad_h⁻¹ (η̇_o + z)
  Vector6d Lambda = Vector6d::Zero();  ///< section axes; at a contact Λ(C−)
};

/// A Gauss point inside an element. Fields in the head's axes.
struct Node {
  Pose h{};
  Vector6d ydot = Vector6d::Zero();   ///< dy/dX = Ad_h ξ̇
  Vector6d yddot = Vector6d::Zero();  ///< Ad_h ξ̈
  Vector6d y = Vector6d::Zero();
  Vector6d F = Vector6d::Zero();  ///< dF_o/dX
};

/// A wrench on the section of a contact.
struct Contact {
  int id = 0;                          ///< its number, from 0; the list is ordered by X
  double X = 0.0;                      ///< m
  int point = 0;                       ///< of the mesh
  Vector6d wrench = Vector6d::Zero();  ///< section axes
};

/// Scratch and results of one instant, sized once for a model and a number of contacts.
struct COLUBER_EXPORT Data {
  /// Sized for this model and so many contacts inside.
  explicit Data(const Model& model, int contact_count = 0);
  ~Data();
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  std::vector<Point> points;       ///< ordered by X: sections and contacts
  std::vector<Node> nodes;         ///< per element in order; none with `adaptive`
  std::vector<double> node_X;      ///< m
  std::vector<Strains> strains;    ///< of the nodes
  std::vector<int> section_point;  ///< which point a section is
  std::vector<Contact> contacts;   ///< set X, then call place_contacts
  Loads loads;

  Pose g_o{};                            ///< of the head in the world
  Vector6d eta_o = Vector6d::Zero();     ///< its twist
  Vector6d etadot_o = Vector6d::Zero();  ///< rate of it
  Matrix6d M_o = Matrix6d::Zero();       ///< inertia of the rod (5.26)
  Vector6d F_o = Vector6d::Zero();       ///< F_in + forces other than contacts (5.27), (5.28)
  Vector6d F_c = Vector6d::Zero();       ///< what contacts have to supply (5.42)
  Vector6d momentum = Vector6d::Zero();  ///< of the rod, head axes
  double energy = 0.0;                   ///< kinetic (J)
  double power_energy = 0.0;             ///< its rate (W)
  double power_friction = 0.0, power_gravity = 0.0;  ///< of the force laws, of gravity (W)
  double power_ends = 0.0;                           ///< of the loads F₋, F₊ (W)
  double power_contact = 0.0;           ///< of the contacts' wrenches on their sections (W)
  double actuator_power = 0.0;          ///< −∫ Λ · ξ̇ (W)
  double end_residual = 0.0;            ///< |Λ(l) − F₊| (N, N m)
  double bad_X = 0.0;                   ///< where a strain was not sound (m)
  double energy_slope = 0.0;            ///< rate of `energy` if η̇_o were 0 (W)
  const StrainLaw* shape_of = nullptr;  ///< the shape known is this law's, at `shape_t`
  double shape_t = 0.0;                 ///< s

  /// Pose of a point of the mesh in the world.
  [[nodiscard]] Pose pose(const Point& point) const { return g_o * point.h; }
  /// Twist of a point's section, in its axes.
  [[nodiscard]] Vector6d twist(const Point& point) const {
    return math::to_child(point.h, eta_o + point.y);
  }
  /// Rate of the twist of a point's section.
  [[nodiscard]] Vector6d acceleration(const Point& point) const {
    return math::to_child(point.h, etadot_o + point.z);
  }
  /// Point of section i.
  [[nodiscard]] const Point& section(int i) const {
    return points[static_cast<std::size_t>(section_point[static_cast<std::size_t>(i)])];
  }
  /// Bytes per element, all of them together.
  [[nodiscard]] std::size_t bytes() const;

  /// Integrators of the scheme `adaptive`.
  struct Marching;
  std::unique_ptr<Marching> marching;
};

/// What an instant could not give.
enum class Fault : std::uint8_t {
  none,
  strain,      ///< not finite or Γ_X ≤ 0, at Data::bad_X
  inertia,     ///< M_o cannot be inverted
  space,       ///< `adaptive` does not reach its tolerance
  still,       ///< no travel can be found: the strain has no slope
  not_finite,  ///< some result
};

/// Puts the contacts on the mesh by their X: elements end there.
COLUBER_EXPORT void place_contacts(const Model& model, Data& data);

/// Operator f1 without the head's motion: strains, poses h and y.  Ali (5.11), (5.12)
COLUBER_EXPORT Fault update_shape(const Model& model, const StrainLaw& strain, double t,
                                  Data& data);

/// Operator f2, η̇(0) = 0: the fields z, M_o, F_o, energies, from `g_o`, `eta_o` and the shape.
/// Ali (5.13), (5.26)-(5.28)
///
/// Differs: z is found by its definition, the solution of (5.13); the closed form printed as (5.24)
/// is wrong. F₋ enters F_ext with a plus, (5.27) prints a minus against (5.21).
COLUBER_EXPORT Fault update_motion(const Model& model, const StrainLaw& strain, double t,
                                   const Pose& g_o, const Vector6d& eta_o, Data& data);

/// Operator f3: Λ along X with its jumps at the contacts, the actuators' power and the rates of
/// energy, from `etadot_o` and the contacts' wrenches.  Ali (5.20), (5.21)
///
/// Differs: Λ(C+) = Λ(C−) − F_c, Λ(0) = −F₋; 5.5.3 and 6.2.2 print other signs.
COLUBER_EXPORT Fault update_internal(const Model& model, const StrainLaw& strain, double t,
                                     Data& data);

/// M_o η̇_o = F_o in the directions that the group has.  Ali (5.25)
COLUBER_EXPORT Fault solve_head(const Model& model, Data& data);

/// Dynamic locomotion: shape, motion and η̇_o at an instant; with `internal`, Λ too.  Ali 5.4
COLUBER_EXPORT Fault evaluate_dynamic(const Model& model, const StrainLaw& strain, double t,
                                      const Pose& g_o, const Vector6d& eta_o, bool internal,
                                      Data& data);

}  // namespace coluber::rod

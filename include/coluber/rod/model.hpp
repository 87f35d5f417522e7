#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/math/group.hpp"

/// Continuous robots: rods of rigid cross sections whose strains are given as functions of X and t.
/// What comes out is the motion of the head, what the contacts must push and what the actuators
/// must supply.
///
// clang-format off
/// | letter | code | meaning | unit | Ali |
/// |---|---|---|---|---|
/// | X | `X` | material label of a cross section, 0 at the head, l at the tail | m | 5.1 |
/// | g | `Data::section_pose` | pose of section X in the world; t_X points from head to tail | –, m | (5.1) |
/// | k⁻¹ | `Point::h`, `Node::h` | pose of section X seen from the head, g_o⁻¹ g | –, m | (5.11) |
/// | ξ | `Strains::xi` | strain (Γ_X, Γ_Y, Γ_Z, K_X, K_Y, K_Z), g' = g ξ^ | –, 1/m | (5.11) |
/// | η | `section_twist` | body twist (V, Ω), linear part first | m/s, rad/s | (5.12) |
/// | η_o, η̇_o | `Data::eta_o`, `etadot_o` | of the head | – | (5.25) |
/// | M | `Model::M` | diagonal of the inertia per unit of X | kg/m, kg m | 5.2 |
/// | M_o, F_o | `Data::M_o`, `F_o` | inertia and wrench of the whole rod, head axes | – | (5.26)-(5.28) |
/// | F₋, F₊ | `Loads` | wrenches applied on sections 0 and l, in their axes | N, N m | (5.21) |
/// | F_c | `Data::F_c` | wrench that the contacts have to supply, head axes | N, N m | (5.42) |
/// | Λ | `Point::Lambda` | internal wrench, by the part beyond X on the part before it | N, N m | (5.20) |
/// | C_i | `Contact::X` | abscissa of a contact | m | 5.5 |
/// | V_o | `Travel::V` | axial speed along the body's own path; forward is negative | m/s | (6.34) |
// clang-format on
///
/// Differs: all fields are carried to the head's axes, where (5.12), (5.13) and (5.20) are plain
/// integrals over X: y' = Ad_h ξ̇, z' = Ad_h ξ̈ − ad_y' (η_o + y), with h = g_o⁻¹ g.
namespace coluber::rod {

using math::Matrix6d;
using math::Pose;
using math::Vector6d;

/// The group in which sections move: along a line, in the plane x y, in space.
enum class Group : std::uint8_t { R, SE2, SE3 };

/// In words: "R", "SE2", "SE3".
COLUBER_EXPORT const char* to_string(Group group);

/// Entries of a twist that a group has.
COLUBER_EXPORT const std::vector<int>& components_of(Group group);

/// Which strains may differ from their reference (1, 0, 0, 0, 0, 0).  Ali, Table 5.1 and 8.12
enum class Beam : std::uint8_t {
  B1,  ///< all six: Timoshenko-Reissner
  B2,  ///< Γ_X and K: extensible Kirchhoff
  B3,  ///< K: inextensible Kirchhoff
  B4,  ///< K_Y, K_Z
  B5,  ///< K_Z: inextensible planar Kirchhoff
  B6,  ///< Γ_Y, K_Z: planar Timoshenko-Reissner, inextensible
  B7,  ///< Γ_X: axial bar
};

/// Of each strain: whether it is set.
using StrainMask = std::array<bool, 6>;

/// Strains that a beam lets differ from their reference.
COLUBER_EXPORT StrainMask strains_of(Beam beam);

/// Strains that sections of a group can have.
COLUBER_EXPORT StrainMask strains_of(Group group);

/// "Gamma_X", …, "K_Z".
COLUBER_EXPORT const char* strain_name(int component);

/// Laws of forces per unit of X, in the section's axes.
enum class ForceLaw : std::uint8_t { viscous, quadratic, coulomb_smooth };

/// A force on every section. `along` is t_X, `across` t_Y and t_Z.
struct Force {
  ForceLaw law = ForceLaw::viscous;
  double c_along = 0.0;    ///< N s/m² (viscous), N s²/m³ (quadratic)
  double c_across = 0.0;   ///< the same
  double c_turn = 0.0;     ///< N s (viscous), N s² (quadratic): moment against the rate
  double mu_along = 0.0;   ///< –
  double mu_across = 0.0;  ///< –
  double v_smooth = 1e-3;  ///< m/s
  double load = 9.81;      ///< N/m
};

/// How fields are integrated along X.
enum class Space : std::uint8_t {
  magnus4,       ///< order 4, two Gauss points per element
  collocation6,  ///< order 6, three Gauss points per element
  adaptive,      ///< Dormand-Prince from section to section, as the source
};

/// A rod: its section, its world and its mesh. Never changed by an algorithm.
struct COLUBER_EXPORT Model {
  Group group = Group::SE3;
  double l = 1.0;  ///< m
  /// Inertia per unit of X: (m, m, m, I_X, I_Y, I_Z), with what a fluid adds.
  Vector6d M = uniform_section(1.0, 0.05);
  double m = 1.0;        ///< kg/m, without what a fluid adds: gravity's
  double radius = 0.05;  ///< m, drawn
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< m/s², world axes
  std::vector<Force> forces{};
  int elements = 160;
  Space space = Space::magnus4;
  double space_rtol = 1e-10;  ///< of `adaptive`

  /// Diagonal of a circular section of so much mass per length and radius r: I_Y = I_Z = m r²/4.
  static Vector6d uniform_section(double m, double r);
  /// Throws Error where something cannot be: lengths, inertias or elements that are not positive.
  void check() const;
};

}  // namespace coluber::rod

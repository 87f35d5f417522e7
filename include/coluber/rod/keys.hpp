#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"
#include "coluber/rod/contact.hpp"
#include "coluber/rod/model.hpp"
#include "coluber/rod/strain.hpp"

namespace coluber::rod {

/// `[robot]` of a rod.
struct RobotKeys {
  Group group = Group::SE3;
  Beam beam = Beam::B1;
  double length = 1.0;
  double mass_per_length = 1.0;
  double radius = 0.05;
  int elements = 160;
};

/// Laws of `[strain]`.
enum class LawKind : std::uint8_t {
  undulation,
  spiral,
  peristalsis,
  omega_bend,
  swim,
  waves,
  table
};

/// Names of `[[strain.wave]]`.
enum class StrainName : std::uint8_t { Gamma_X, Gamma_Y, Gamma_Z, K_X, K_Y, K_Z };

/// `[[strain.wave]]`.
struct WaveKeys {
  StrainName component = StrainName::K_Z;
  double amplitude = 0.0;
  double wavelength = std::numeric_limits<double>::infinity();
  double omega = 0.0;
  double phase = 0.0;
  double offset = 0.0;
  double ramp = 0.0;
};

/// `[strain]`.
struct StrainKeys {
  LawKind law = LawKind::undulation;
  double amplitude = 10.0;
  double wavelength = 1.0;
  double speed = -0.5;
  double acceleration = 0.0;
  double omega = 1.5707963267948966;
  std::optional<Turn> turn{};
  std::vector<WaveKeys> wave{};
  std::filesystem::path file{};
};

/// `world.contact.fixed_in`.
enum class FixedIn : std::uint8_t { space, body };

/// `[world.contact]`.
struct ContactKeys {
  ContactKind kind = ContactKind::none;
  int count = 5;
  std::vector<double> abscissae{};
  FixedIn fixed_in = FixedIn::space;
  double load_time = 0.0;
  Distribution distribution = Distribution::min_norm;
  double length_scale = 1.0;
  std::vector<double> prestress{};
  bool unilateral = false;
  double torque_limit = std::numeric_limits<double>::infinity();
  Eigen::Vector3d support_velocity = Eigen::Vector3d::Zero();
  Eigen::Vector3d support_rate = Eigen::Vector3d::Zero();
  double period = 2.0;
  std::vector<Clamp> clamp{};
};

/// How the motion is integrated.
enum class Integrator : std::uint8_t { rk4, dopri5, cvode };

/// `[solver]` of a rod, beside dt.
struct SolverKeys {
  Integrator integrator = Integrator::rk4;
  double rtol = 1e-8, atol = 1e-10;
  Space space = Space::magnus4;
  double space_rtol = 1e-10;
};

/// The keys of RobotKeys.
COLUBER_EXPORT const keys::Section& robot_keys();
/// The keys of StrainKeys.
COLUBER_EXPORT const keys::Section& strain_keys();
/// The keys of ContactKeys.
COLUBER_EXPORT const keys::Section& contact_keys();
/// The keys of SolverKeys.
COLUBER_EXPORT const keys::Section& solver_keys();

}  // namespace coluber::rod

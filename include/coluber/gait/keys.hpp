#pragma once

#include <filesystem>
#include <optional>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::gait {

/// `[gait]` of a harmonic gait; angles in degrees, as in the file.
struct HarmonicKeys {
  double amplitude_deg = 40.0;
  double omega_deg = 80.0;
  double phase_deg = -50.0;
  double offset_deg = 0.0;
  bool soft_start = false;
};

/// `[gait.vertical]`: the wave of the pitch joints; angles in degrees. A model that has such joints
/// brings these keys.
struct VerticalKeys {
  double amplitude_deg = 0.0;
  std::optional<double> omega_deg{};  ///< when checked, it is set
  std::optional<double> phase_deg{};  ///< when checked, it is set
  double offset_phase_deg = 90.0;     ///< against the yaw joints
};

/// `[gait]` with name = "table".
struct TableKeys {
  std::filesystem::path table{};
};

COLUBER_EXPORT const keys::Section& harmonic_keys();
COLUBER_EXPORT const keys::Section& vertical_keys();
COLUBER_EXPORT const keys::Section& table_keys();

}  // namespace coluber::gait

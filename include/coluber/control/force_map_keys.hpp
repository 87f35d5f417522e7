#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/control/force_mapping.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/core/export.hpp"
#include "coluber/keys/binding.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::control {

/// Side of a link, seen along its axis towards the next link.
enum class Side : std::uint8_t { left, right };

/// `[[force_map.contact]]`: a frozen contact.
struct ContactKeys {
  int link = 0;     ///< counted from 1
  double at = 0.0;  ///< m
  Side side = Side::left;
  double friction = 0.0;
};

/// `[force_map.wish]`.
struct WishKeys {
  keys::WordOrNumbers position{"current", {}};
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();
  Eigen::Vector2d acceleration = Eigen::Vector2d::Zero();
  keys::WordOrNumbers links{"contacts", {}};  ///< counted from 1
  keys::WordOrNumbers angle{"current", {}};
  std::vector<double> rate{};
  std::vector<double> angular_acceleration{};
  double kp = 1.0;
  double kd = 1.0;
  double kp_angle = 1.0;
  double kd_angle = 1.0;
};

/// `[force_map]`.
struct ForceMapKeys {
  planar::Kinematics kinematics = planar::Kinematics::centre_of_mass;
  planar::ContactAcceleration contact_acceleration = planar::ContactAcceleration::point;
  bool project = false;
  Gains weight_torque = 1.0;
  Gains weight_slack = 1e12;  ///< one, or of p and of the angles
  WishKeys wish{};
  std::vector<ContactKeys> contact{};
};

/// `[quality]`: the robot slid along `[path]`.
struct QualityKeys {
  double speed = 0.1;                     ///< m/s
  double acceleration = 0.0;              ///< m/s²
  double from = 0.5;                      ///< m
  double to = 1.265;                      ///< m
  double step = 0.01;                     ///< m
  double reach = 0.01;                    ///< m
  keys::WordOrNumbers links{"wish", {}};  ///< counted from 1

  /// Number of places.
  [[nodiscard]] COLUBER_EXPORT double places() const;
};

/// The contacts, links counted from 0.
COLUBER_EXPORT std::vector<planar::LinkContact> make_contacts(const ForceMapKeys& keys);
/// The options of a force mapping with torques up to `u_max` (N m).
COLUBER_EXPORT ForceMappingOptions make_options(const ForceMapKeys& keys, double u_max);
/// Controlled links of a robot of n links, counted from 0, for these contacts.
COLUBER_EXPORT std::vector<int> make_controlled(const WishKeys& keys,
                                                std::span<const planar::LinkContact> contacts,
                                                int n, bool last_leads);
/// The low-level laws for these links.
COLUBER_EXPORT WishLaw make_law(const WishKeys& keys, std::vector<int> links);

/// The keys of ForceMapKeys.
COLUBER_EXPORT const keys::Section& force_map_keys();
/// The keys of QualityKeys.
COLUBER_EXPORT const keys::Section& quality_keys();

}  // namespace coluber::control

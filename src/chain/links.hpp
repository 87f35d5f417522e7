#pragma once

// A chain of links as every model of it sees it: lengths, weights, and the order of its halves.

#include <algorithm>
#include <vector>

#include <Eigen/Core>

#include "coluber/math/sincos.hpp"
#include "coluber/nonsmooth/point_memory.hpp"

namespace coluber::chain {

/// From a link's centre of gravity to the joint towards link i+1, along the link (m).
template <typename Link>
double ahead(const Link& link) {
  return 0.5 * link.L - link.offset;
}

/// From a link's centre of gravity back to the joint towards link i-1 (m).
template <typename Link>
double behind(const Link& link) {
  return 0.5 * link.L + link.offset;
}

/// From the centre of gravity to the joint towards the middle link, along the link (m): behind it
/// in the front half, ahead of it in the rear half.
template <typename Link>
double arm_to_root(const Link& link, bool front) {
  return front ? -behind(link) : ahead(link);
}

/// Share of a link's weight on the point at the rear or at the front end of its core: halves, or
/// what balances about a centre of gravity that is not in the middle.
template <typename Link>
double load_share(const Link& link, bool front) {
  const double lean = link.L_GS > 0.0 ? link.offset / link.L_GS : 0.0;
  return 0.5 * (front ? 1.0 + lean : 1.0 - lean);
}

/// What residuals are judged against.
struct Scales {
  double weight = 1.0;  ///< of the lightest link; without gravity, as on earth (N)
  double length = 1.0;  ///< of the robot (m)
};

/// Least inertia of a link across its axis (kg m²); `inertia_of` tells a link's.
template <typename Link, typename InertiaOf>
double least_inertia(const std::vector<Link>& links, const InertiaOf& inertia_of) {
  double least = inertia_of(links.front());
  for (const Link& link : links) least = std::min(least, inertia_of(link));
  return least;
}

/// Contacts take no link to be lighter than this (kg), a tenth of the links' mean: what presses a
/// link onto a surface is the robot, and a compliance of epsilon over the mass of a link that is a
/// thousand times lighter than its neighbours would let them press it through.
template <typename Link>
double least_contact_mass(const std::vector<Link>& links) {
  double sum = 0.0;
  for (const Link& link : links) sum += link.m;
  return 0.1 * sum / static_cast<double>(links.size());
}

/// c and c_T of the contacts of a link (1/kg), the latter per mu².
inline double contact_compliance(double m, double least_mass) {
  return nonsmooth::kEpsilon / std::max(m, least_mass);
}

template <typename Link>
Scales compute_scales(const std::vector<Link>& links, double g) {
  double m_min = links.front().m;
  double length = 0.0;
  for (const Link& link : links) {
    m_min = std::min(m_min, link.m);
    length += link.L;
  }
  return {m_min * (g > 0.0 ? g : 9.81), length};
}

/// Weight on a slope (N/kg).
struct Weight {
  double across = 0.0;    ///< g cos(tilt), into the ground
  Eigen::Vector2d along;  ///< g sin(tilt), downhill
};
inline Weight compute_weight(double g, double tilt, double tilt_direction) {
  Weight weight;
  double sin_tilt = 0.0;
  double cos_tilt = 1.0;
  math::sincos(tilt, sin_tilt, cos_tilt);
  weight.across = g * cos_tilt;
  math::sincos(tilt_direction, weight.along.y(), weight.along.x());
  weight.along *= g * sin_tilt;
  return weight;
}

/// Fast steps run the two halves of the chain side by side: slot 2 j is a link of the front half,
/// slot 2 j + 1 one of the rear half, j = 0 the tips, and the middle link, the root, comes last.
struct Slots {
  int base = 0;   ///< 0-based index of the middle link
  int pairs = 0;  ///< links of the longer half
  int root = 0;   ///< slot of the middle link

  explicit Slots(int n) : base((n - 1) / 2), pairs(std::max(base, n - 1 - base)), root(2 * pairs) {}
  /// Slot of link i.
  [[nodiscard]] int of(int i) const {
    if (i == base) return root;
    return i > base ? 2 * (pairs - (i - base)) : 2 * (pairs - (base - i)) + 1;
  }
};

}  // namespace coluber::chain

#include "coluber/gait/harmonic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "coluber/core/assert.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::gait {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A release time that falls on a step must not depend on its last bit: a joint counts as released
// this much (s) early.
constexpr double release_slack = 1e-9;

// Smallest d >= 0 with from + d = to modulo a turn.
double turn_from(double from, double to) {
  constexpr double turn = 2.0 * std::numbers::pi;
  const double d = std::fmod(to - from, turn);
  return d < 0.0 ? d + turn : d;
}

}  // namespace

// Outside the band |phi| <= bound the reference can only enter through its nearer edge e = ±bound,
// so the release is the first time with sin(psi) = s = (e - gamma)/A, psi = w t + c. Its solutions
// are psi = asin(s) and pi - asin(s), each modulo a turn; the one met first in the direction of w
// counts.
double compute_release_time(double amplitude, double omega, double c, double offset, double bound,
                            double t_0) {
  const double psi_0 = omega * t_0 + c;
  double sine = 0.0;
  double cosine = 0.0;
  math::sincos(psi_0, sine, cosine);
  const double phi = amplitude * sine + offset;
  if (std::abs(phi) <= bound) return t_0;
  if (amplitude == 0.0 || omega == 0.0) return infinity;

  const double s = (std::copysign(bound, phi) - offset) / amplitude;
  if (std::abs(s) > 1.0) return infinity;
  const double up = std::asin(s);
  const double down = std::numbers::pi - up;
  const double turned = omega > 0.0 ? std::min(turn_from(psi_0, up), turn_from(psi_0, down))
                                    : std::min(turn_from(up, psi_0), turn_from(down, psi_0));
  return t_0 + turned / std::abs(omega);
}

Harmonic::Harmonic(int joints, const HarmonicOptions& options)
    : options_(options),
      release_(static_cast<std::size_t>(joints), -infinity),
      angle_(release_.size()),
      sine_(release_.size()),
      cosine_(release_.size()) {
  if (!options.soft_start) return;
  for (std::size_t i = 0; i < release_.size(); ++i) {
    release_[i] = compute_release_time(options.amplitude, options.omega,
                                       static_cast<double>(i) * options.phase + options.start_phase,
                                       options.offset, release_angle, options.start_time);
  }
}

void Harmonic::evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                        Eigen::Ref<Eigen::VectorXd> phidot_d) const {
  const std::size_t joints = release_.size();
  COLUBER_ASSERT(phi_d.size() == static_cast<Eigen::Index>(joints), phi_d.size(), joints);
  COLUBER_ASSERT(phidot_d.size() == phi_d.size(), phidot_d.size(), phi_d.size());
  const auto& [A, w, beta, gamma, beta_0, soft_start, start_time] = options_;

  for (std::size_t i = 0; i < joints; ++i) {
    angle_[i] = w * t + static_cast<double>(i) * beta + beta_0;
  }
  math::sincos(angle_, sine_, cosine_);
  for (std::size_t i = 0; i < joints; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const bool held = t + release_slack < release_[i];  // Transeth 7.2.2
    phi_d(row) = held ? 0.0 : A * sine_[i] + gamma;     // Transeth (7.1)
    phidot_d(row) = held ? 0.0 : A * w * cosine_[i];
  }
}

void Harmonic::evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const {
  const std::size_t joints = release_.size();
  COLUBER_ASSERT(phidd_d.size() == static_cast<Eigen::Index>(joints), phidd_d.size(), joints);
  const auto& [A, w, beta, gamma, beta_0, soft_start, start_time] = options_;
  for (std::size_t i = 0; i < joints; ++i) {
    angle_[i] = w * t + static_cast<double>(i) * beta + beta_0;
  }
  math::sincos(angle_, sine_, cosine_);
  for (std::size_t i = 0; i < joints; ++i) {
    const bool held = t + release_slack < release_[i];
    phidd_d(static_cast<Eigen::Index>(i)) = held ? 0.0 : -A * w * w * sine_[i];
  }
}

// The instant from which on evaluate() has a joint released.
double Harmonic::next_break(double t) const {
  double next = infinity;
  for (const double release : release_) {
    const double at = std::nextafter(release - release_slack, infinity);
    if (at > t) next = std::min(next, at);
  }
  return next;
}

double Harmonic::max_rate() const { return std::abs(options_.amplitude * options_.omega); }

// theta_i = theta_1 + sum phi_k; for phi_k = A sin((k-1) beta) the sum is
// A (cos(beta/2) - cos((i-3/2) beta)) / (2 sin(beta/2)): a constant and a wave about it. The
// constant turns the wave's mean line onto the heading. An offset bends that line; its mean over
// the links is taken. Of less than half a wave the robot lies on one side of that line, and the
// constant grows without bound as beta goes to 0 or a turn: there is no line then.
std::optional<double> Harmonic::mean_line() const {
  constexpr double turn = 2.0 * std::numbers::pi;
  const double waves =
      std::abs(std::remainder(options_.phase, turn)) * static_cast<double>(release_.size()) / turn;
  if (waves < 0.5 * (1.0 - 1e-9)) return std::nullopt;
  double s = 0.0;
  double c = 1.0;
  math::sincos(0.5 * options_.phase, s, c);
  if (!(std::abs(s) > 1e-9)) return std::nullopt;
  return -options_.amplitude * c / (2.0 * s) -
         options_.offset * static_cast<double>(release_.size()) / 2.0;
}

TwoAxes::TwoAxes(int joints, const HarmonicOptions& yaw, const HarmonicOptions& pitch)
    : yaw_(joints, yaw), pitch_(joints, pitch), phi_(joints), phidot_(joints) {}

void TwoAxes::evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                       Eigen::Ref<Eigen::VectorXd> phidot_d) const {
  const Eigen::Index joints = phi_.size();
  COLUBER_ASSERT(phi_d.size() == 2 * joints, phi_d.size(), joints);
  Eigen::Index axis = 0;
  for (const Harmonic* wave : {&yaw_, &pitch_}) {
    wave->evaluate(t, phi_, phidot_);
    for (Eigen::Index i = 0; i < joints; ++i) {
      phi_d(2 * i + axis) = phi_(i);
      phidot_d(2 * i + axis) = phidot_(i);
    }
    ++axis;
  }
}

void TwoAxes::evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const {
  const Eigen::Index joints = phi_.size();
  COLUBER_ASSERT(phidd_d.size() == 2 * joints, phidd_d.size(), joints);
  Eigen::Index axis = 0;
  for (const Harmonic* wave : {&yaw_, &pitch_}) {
    wave->evaluate_acceleration(t, phi_);
    for (Eigen::Index i = 0; i < joints; ++i) phidd_d(2 * i + axis) = phi_(i);
    ++axis;
  }
}

double TwoAxes::next_break(double t) const {
  return std::min(yaw_.next_break(t), pitch_.next_break(t));
}

double TwoAxes::max_rate() const { return std::max(yaw_.max_rate(), pitch_.max_rate()); }

}  // namespace coluber::gait

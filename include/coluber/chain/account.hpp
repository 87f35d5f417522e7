#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/step_work.hpp"
#include "coluber/core/bytes.hpp"
#include "coluber/core/shown.hpp"
#include "coluber/core/status.hpp"
#include "coluber/core/torque_peak.hpp"
#include "coluber/nonsmooth/step_info.hpp"

namespace coluber::chain {

/// What every step of a robot with contacts tells of itself. `rigid`: with the figures that only
/// the law `rigid` has.
COLUBER_EXPORT std::vector<StepFigure> contact_figures(bool rigid);

/// Says that links went through obstacles in so many steps, first link `link` through obstacle
/// `obstacle`, both 1-based, at `t` (s); empty if in none. `prescribed`: joints follow their
/// references whatever that takes.
COLUBER_EXPORT std::vector<std::string> warn_of_passing(std::int64_t steps, double t, int link,
                                                        int obstacle, bool prescribed);

/// How deep links were in what they touch (m), the deepest since the start.
struct Depths {
  double obstacles = 0.0;
  double floor = 0.0;
};

/// Says that links of this radius (m) were that deep in obstacles or in the floor, where that is
/// more than a tenth of it. `thesis`: solved by the thesis' iteration, whose factors may be to
/// blame.
COLUBER_EXPORT std::vector<std::string> warn_of_overlap(const Depths& depths, double radius,
                                                        bool prescribed, bool thesis = false);

/// What the joints' motors do to the arithmetic of a step.
struct Gains {
  double k_P = 0.0;   ///< the largest (N m/rad)
  double k_D = 0.0;   ///< the largest (N m s/rad)
  double rate = 0.0;  ///< the fastest reference (rad/s)
};

/// What may help against a step that did not converge: its friction is beyond what was tested, or
/// its gains are beyond what the arithmetic can balance. `mu` is the largest friction coefficient,
/// `torque` the unit of the momentum's residual over dt (N m). "" for nothing.
COLUBER_EXPORT std::string advise(const nonsmooth::ContactStepInfo& info, double mu,
                                  const Gains& gains, double dt, double torque);

/// Says that the time discretisation took, or gave, more than a share of the work that was done:
/// figures then depend on dt.
COLUBER_EXPORT std::vector<std::string> warn_of_scheme(const StepWork& work);

/// Says that the largest torque of the run came up within a few steps, as at landings and jumps:
/// its height then depends on dt, unless it is the motor's `limit` (N m). `cause`: what it comes
/// of, if that is known.
COLUBER_EXPORT std::vector<std::string> warn_of_spike(
    const TorquePeak& peak, int angles_per_joint,
    double limit = std::numeric_limits<double>::infinity(), const std::string& cause = "");
/// The same of the shafts of wheels, one per link.
COLUBER_EXPORT std::vector<std::string> warn_of_shaft_spike(
    const TorquePeak& peak, double limit = std::numeric_limits<double>::infinity());

/// How a robot travels over the ground, counted at every step: the mean of its links' centres of
/// gravity and their mean angle, or link 1 alone where that is the model's reference.
struct Travel {
  Eigen::Vector2d start = Eigen::Vector2d::Zero();  ///< where it began (m)
  double start_angle = 0.0;                         ///< its heading then (rad)
  Eigen::Vector2d place = Eigen::Vector2d::Zero();  ///< where it was last (m)
  double length = 0.0;                              ///< of its path so far (m)

  /// Begins.
  void begin(const Eigen::Vector2d& centre, double angle) {
    start = place = centre;
    start_angle = angle;
  }
  /// It has got there. Chains tell where they are in the middle of every step.
  void add(const Eigen::Vector2d& centre) {
    length += (centre - place).norm();
    place = centre;
  }
  /// To or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    auto& [start, start_angle, place, length] = self;
    bytes(start, start_angle, place, length);
  }
};

/// Mean of the first two rows of `columns`, which has one column per link.
template <typename Columns>
Eigen::Vector2d mean_over_ground(const Columns& columns) {
  double x = 0.0;
  double y = 0.0;
  const double* at = columns.data();  // every step does this
  for (Eigen::Index i = 0; i < columns.cols(); ++i, at += columns.outerStride()) {
    x += at[0];
    y += at[1];
  }
  const double share = 1.0 / static_cast<double>(columns.cols());
  return {share * x, share * y};
}

/// Motors, works and travel since the start, and the time since the last frame: of every chain.
struct RunAccount {
  Eigen::VectorXd phi_d;  ///< references of the last step (rad)
  StepWork work{};
  TorquePeak torque{};
  std::int64_t frame_start = 0;  ///< step of the last frame
  std::int64_t iterations = 0;   ///< since it
  Travel travel{};
  Eigen::MatrixXd frame_velocity{};  ///< of the centres of gravity then, a column per link (m/s)

  /// Impulses since the last frame become forces by this factor (1/s).
  [[nodiscard]] double per_second(std::int64_t k, double dt) const {
    const auto steps = static_cast<double>(k - frame_start);
    return steps > 0.0 ? 1.0 / (steps * dt) : 0.0;
  }
  /// Iterations per step since the last frame.
  [[nodiscard]] double mean_iterations(std::int64_t k) const {
    const auto steps = static_cast<double>(k - frame_start);
    return steps > 0.0 ? static_cast<double>(iterations) / steps : 0.0;
  }
  /// Refuses what only a damaged checkpoint can hold.
  void require_fit(const ByteReader& bytes, std::int64_t k) const {
    constexpr std::int64_t most = std::int64_t{1} << 62U;  // leaves room to add
    if (frame_start < 0 || frame_start > k) bytes.refuse("a frame before the first step");
    if (iterations < 0 || iterations > most) bytes.refuse("an impossible number of iterations");
  }
  /// All of it, to or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    auto& [phi_d, work, torque, frame_start, iterations, travel, frame_velocity] = self;
    bytes(phi_d, frame_start, iterations, frame_velocity);
    StepWork::exchange(bytes, work);
    TorquePeak::exchange(bytes, torque);
    Travel::exchange(bytes, travel);
  }
};

/// The same of a chain with contacts, in the plane (D = 2) or in space (D = 3).
template <int D>
struct ContactAccount {
  /// A column per link (N s).
  using Impulses = Eigen::Matrix<double, D, Eigen::Dynamic>;

  /// Nothing summed up yet; `start_phi` (rad) stands for the references until the first step.
  /// `rigid`: with the figures of the law `rigid`.
  ContactAccount(int links, Eigen::VectorXd start_phi, bool rigid)
      : run{std::move(start_phi)},
        ground(Impulses::Zero(D, links)),
        obstacle(Impulses::Zero(D, links)),
        figures(contact_figures(rigid)) {
    run.torque.follow_from_rest(run.phi_d.size());
  }

  /// A step that was taken. `penetration` (m) is its deepest, `audit` its residual by the plain
  /// problem, NaN where that was not computed. The info lives until the next step.
  template <typename Data>
  StepInfo add(const nonsmooth::ContactStepInfo& info, const Data& data,
               const Eigen::VectorXd& phi_d, double penetration, double t) {
    run.phi_d = phi_d;
    run.work += data.work;
    run.torque.follow(data.tau, t);
    run.iterations += info.iterations;
    ground += data.ground_impulse;
    obstacle += data.obstacle_impulse;
    const double audit = audit_of(data);
    residual = std::max({residual, info.residual, data.audit ? audit : 0.0});
    rigid_residual = std::max(rigid_residual, info.rigid_residual);
    deepest = std::max(deepest, penetration);
    return tell(info, audit);
  }
  /// Residual of a step by the plain problem; NaN if that was not computed.
  template <typename Data>
  static double audit_of(const Data& data) {
    return data.audit ? std::max(data.audit->law, data.audit->momentum)
                      : std::numeric_limits<double>::quiet_NaN();
  }
  /// The figures of a step that is not taken.
  StepInfo refuse(const nonsmooth::ContactStepInfo& info, double audit) {
    StepInfo told = tell(info, audit);
    told.refused = true;
    return told;
  }
  /// The figures of a step, taken or not.
  StepInfo tell(const nonsmooth::ContactStepInfo& info, double audit) {
    const double residual_now = audit > info.residual ? audit : info.residual;
    values = {residual_now,
              info.residual_law,
              info.residual_momentum,
              info.rigid_residual,
              audit,
              static_cast<double>(info.iterations),
              static_cast<double>(info.fallback_sweeps),
              info.friction_share,
              static_cast<double>(info.fallback_passes),
              info.gap};
    return {info.status, info.quantity, info.index, {values.data(), figures.size()}, false};
  }
  /// A new frame begins after step k.
  void start_frame(std::int64_t k) {
    run.frame_start = k;
    run.iterations = 0;
    ground.setZero();
    obstacle.setZero();
    residual = rigid_residual = deepest = 0.0;
  }
  /// All but the figures of the last step, to or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    RunAccount::exchange(bytes, self.run);
    bytes(self.ground, self.obstacle, self.residual, self.rigid_residual, self.deepest);
  }

  RunAccount run;
  // since the last frame
  Impulses ground, obstacle;  ///< N s on each link
  double residual = 0.0, rigid_residual = 0.0;
  double deepest = 0.0;  ///< m
  // of the last step
  std::vector<StepFigure> figures;
  std::array<double, 10> values{};
};

}  // namespace coluber::chain

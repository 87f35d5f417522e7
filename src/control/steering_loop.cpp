#include "control/steering_loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <Eigen/Core>

namespace coluber::control {

namespace {

using Eigen::Vector2d;
using Eigen::VectorXd;

// Small angles. The axle of link i is at y_i = y + x_i theta + c_i(phi) beside the path and points
// to theta + s_i(phi), with y and theta those of link 1. No axle can roll without slip in general,
// there are more of them than the two that a rigid shape has left to choose: the robot takes the
// rates that fit best,
//   min over (ydot, thetadot) of the sum over i of (ydot + x_i thetadot + c_i(phidot) - v
//   (theta + s_i))².
// Where references jump the joints follow faster than friction can do anything: the robot moves as
// momentum has it, its links taken as equal rods.
class LinearLoop {
 public:
  explicit LinearLoop(const SteeringLoop& loop)
      : loop_(loop),
        n_(loop.modules.size()),
        K_i_(loop.heading.K_i * loop.heading.T < 1.0 ? 0.0 : loop.heading.K_i),  // else it creeps
        phi_(VectorXd::Zero(static_cast<Eigen::Index>(n_) - 1)),
        before_(phi_) {
    double place = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (i > 0) {
        place -= loop.modules[i - 1].length - loop.modules[i - 1].axle + loop.modules[i].axle;
      }
      x_.push_back(place);
      mean_ += place;
    }
    mean_ /= static_cast<double>(n_);
    for (const double x : x_) spread_ += (x - mean_) * (x - mean_);
    for (std::size_t i = 0; i < n_; ++i) middle_ += (x_[i] + ahead(i)) / static_cast<double>(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const double arm = x_[i] + ahead(i) - middle_;
      inertia_ += arm * arm + gyration(i);
    }
    if (!loop.leader) return;
    double longest = 0.0;
    for (std::size_t i = 1; i < n_; ++i) longest += loop.modules[i].length;
    past_.assign(static_cast<std::size_t>(longest / (loop.v * loop.period)) + 3, 0.0);
  }

  /// Largest deviation after a tick: angles, and the distance over a link's length.
  double tick() {
    const double z = y_ + loop_.point * theta_;
    const double delta =
        -loop_.heading.K * (z + K_i_ * integral_ + loop_.v * loop_.heading.T * theta_);  // (13)
    integral_ += loop_.period * z;
    if (loop_.kinematic) {
      roll(0.0, loop_.v * delta / loop_.trailer.L_PJ);
    } else {
      before_ = phi_;
      lead(delta);
      move();
    }
    return std::max({std::abs(y_) / loop_.modules.front().length, std::abs(theta_),
                     phi_.size() > 0 ? phi_.cwiseAbs().maxCoeff() : 0.0});
  }

 private:
  /// References of the joints: (23), (28).
  void lead(double delta) {
    const double ratio = loop_.trailer.L_JP / loop_.trailer.L_PJ;
    const double share = loop_.v * loop_.period / loop_.trailer.L_PJ;
    const Eigen::Index led = loop_.leader ? std::min<Eigen::Index>(1, phi_.size()) : phi_.size();
    for (Eigen::Index j = 0; j < led; ++j) {
      const double next = -ratio * delta - phi_(j);
      phi_(j) -= share * (phi_(j) + (ratio + 1.0) * delta);
      delta = next;
    }
    if (!loop_.leader || phi_.size() == 0) return;
    last_ = (last_ + past_.size() - 1) % past_.size();
    past_[last_] = phi_(0);
    const auto past = [&](std::size_t ticks) { return past_[(last_ + ticks) % past_.size()]; };
    double back = 0.0;
    for (Eigen::Index j = 1; j < phi_.size(); ++j) {
      back += loop_.modules[static_cast<std::size_t>(j)].length / (loop_.v * loop_.period);
      const auto whole = std::min(static_cast<std::size_t>(back), past_.size() - 2);
      const double rest = back - static_cast<double>(whole);
      phi_(j) = past(whole) + rest * (past(whole + 1) - past(whole));
    }
  }

  /// ydot and thetadot that fit the axles' rates best.
  template <typename Rate>
  [[nodiscard]] Vector2d fit(Rate rate) const {
    double sum = 0.0;
    double moment = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double w = rate(i);
      sum += w;
      moment += (x_[i] - mean_) * w;
    }
    const double slope = moment / spread_;
    return {sum / static_cast<double>(n_) - slope * mean_, slope};
  }
  /// What the axles' directions make of the base's rates, beside v theta.
  [[nodiscard]] Vector2d drift(const VectorXd& phi) const {
    double s = 0.0;
    return fit([&](std::size_t i) {
      if (i > 0) s += phi(static_cast<Eigen::Index>(i) - 1);
      return loop_.v * s;
    });
  }
  /// Of a link's middle ahead of its axle (m).
  [[nodiscard]] double ahead(std::size_t i) const {
    return loop_.modules[i].axle - 0.5 * loop_.modules[i].length;
  }
  /// Its moment of inertia over its mass (m²).
  [[nodiscard]] double gyration(std::size_t i) const {
    return loop_.modules[i].length * loop_.modules[i].length / 12.0;
  }
  /// Takes c_i and s_i of joints that turn by these angles.
  struct Turned {
    const SteeringLoop& loop;
    const VectorXd& phi;
    double c = 0.0, s = 0.0;

    void next(std::size_t i) {
      if (i == 0) return;
      const SteeringLoop::Module& before = loop.modules[i - 1];
      c -= (before.length - before.axle) * s;
      s += phi(static_cast<Eigen::Index>(i) - 1);
      c -= loop.modules[i].axle * s;
    }
  };
  /// Where joints that turn by these angles move the base, while it rolls.
  [[nodiscard]] Vector2d recoil(const VectorXd& phi) const {
    Turned turned{loop_, phi};
    return fit([&](std::size_t i) {
      turned.next(i);
      return -turned.c;
    });
  }
  /// The same at once, by momentum.
  [[nodiscard]] Vector2d recoil_at_once(const VectorXd& phi) const {
    Turned turned{loop_, phi};
    double sum = 0.0;
    double moment = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      turned.next(i);
      const double c = turned.c + ahead(i) * turned.s;
      sum += c;
      moment += (x_[i] + ahead(i) - middle_) * c + gyration(i) * turned.s;
    }
    const double slope = -moment / inertia_;
    return {-sum / static_cast<double>(n_) - slope * middle_, slope};
  }

  void move() {
    const VectorXd turned = phi_ - before_;
    const Vector2d jump = loop_.ramp ? recoil(turned) : recoil_at_once(turned);
    if (!loop_.ramp) {
      y_ += jump.x();
      theta_ += jump.y();
      const Vector2d rate = drift(phi_);
      roll(rate.x(), rate.y());
      return;
    }
    const Vector2d from = drift(before_);
    const Vector2d to = drift(phi_);
    const double P = loop_.period;
    const double v = loop_.v;
    y_ += jump.x() + 0.5 * P * (from.x() + to.x()) +
          v * P * (theta_ + 0.5 * jump.y() + P * (from.y() / 3.0 + to.y() / 6.0));
    theta_ += jump.y() + 0.5 * P * (from.y() + to.y());
  }
  /// For a period, with a constant rate of theta.
  void roll(double ydot, double thetadot) {
    const double P = loop_.period;
    y_ += P * (ydot + loop_.v * (theta_ + 0.5 * P * thetadot));
    theta_ += P * thetadot;
  }

  const SteeringLoop& loop_;
  std::size_t n_;
  std::vector<double> x_;                // of the axles, from that of link 1 (m)
  double mean_ = 0.0, spread_ = 0.0;     // of the axles (m, m²)
  double middle_ = 0.0, inertia_ = 0.0;  // of the links, by mass (m, m²)
  double K_i_;
  double y_ = 1.0, theta_ = 0.0, integral_ = 0.0;
  VectorXd phi_, before_;
  std::vector<double> past_;  // of the first joint, a ring, the last tick's at last_
  std::size_t last_ = 0;
};

}  // namespace

// By simulation: its eigenvalues would be those of a matrix with a row for each tick that
// follow-the-leader remembers. Long enough for the slow motion of the head and for several passages
// through the robot; then the last quarter must not be larger than the one before.
bool is_unstable(const SteeringLoop& loop) {
  constexpr double most = 2e4;
  double length = 0.0;
  for (const SteeringLoop::Module& module : loop.modules) length += module.length;
  const double slow = std::sqrt(loop.trailer.L_PJ / std::max(loop.heading.K, 1e-12)) / loop.v;
  const double ticks = 400.0 + (8.0 * length / loop.v + 40.0 * slow) / loop.period;
  if (length / (loop.v * loop.period) > most) return false;  // a crawl: ticks are as good as none
  const auto quarter = static_cast<int>(0.25 * std::min(ticks, most));
  LinearLoop linear(loop);
  double larger = 0.0;
  for (int part = 0; part < 4; ++part) {
    const double before = larger;
    larger = 0.0;
    for (int k = 0; k < quarter; ++k) {
      larger = std::max(larger, linear.tick());
      if (!(larger < 1e100)) return true;
    }
    if (part == 3) return larger > before;
  }
  return false;
}

double find_stable_period(SteeringLoop loop, double dt) {
  for (double steps = std::floor(loop.period / dt * (1.0 + 1e-9)); steps >= 1.0;) {
    loop.period = steps * dt;
    if (!is_unstable(loop)) return loop.period;
    steps = std::min(steps - 1.0, std::floor(0.91 * steps));
  }
  return 0.0;
}

}  // namespace coluber::control

#include "coluber/control/train.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "math/direction.hpp"

namespace coluber::control {

using Eigen::Vector2d;
using Eigen::VectorXd;

RobotTrain::RobotTrain(std::shared_ptr<const path::Path> path, const planar::ForceMapModel& model,
                       bool last_leads)
    : path_(std::move(path)), last_leads_(last_leads) {
  const int n = model.n();
  for (int i = 0; i < n; ++i) lengths_.push_back(model.l_h(i) + model.l_t(i));
  for (const double L : lengths_) length_ += L;
  if (!last_leads_) std::ranges::reverse(lengths_);
  arm_ = last_leads_ ? model.l_t : model.l_h;
  weight_ = model.kinematics == planar::Kinematics::mean ? VectorXd::Constant(n, 1.0 / n)
                                                         : VectorXd(model.m / model.m_T);
}

// With the rear end at unit speed and without acceleration, time is arc length: rates and
// accelerations of the train are the derivatives asked for. The train is counted from the rear; a
// link's axis points to the next link, along the way where the last link leads, else against it.
bool RobotTrain::lay(double s, TrainShape& shape) {
  const int count = n();
  shape.s = s;
  shape.theta.resize(count);
  shape.theta_s.resize(count);
  shape.theta_ss.resize(count);
  shape.p.setZero();
  shape.p_s.setZero();
  shape.p_ss.setZero();
  const bool laid = path::lay_train(*path_, lengths_, s, 1.0, 0.0, train_);
  for (int i = 0; i < count; ++i) {
    const int k = last_leads_ ? i : count - 1 - i;
    const double omega = train_.omega(k);
    const Vector2d along = math::direction(train_.theta(k));
    const Vector2d left{-along.y(), along.x()};
    shape.theta(i) = last_leads_ ? train_.theta(k) : train_.theta(k) + std::numbers::pi;
    shape.theta_s(i) = omega;
    shape.theta_ss(i) = train_.alpha(k);
    shape.p += weight_(i) * (train_.r.col(k) + arm_(i) * along);
    shape.p_s += weight_(i) * (train_.v.col(k) + arm_(i) * omega * left);
    shape.p_ss +=
        weight_(i) * (train_.a.col(k) + arm_(i) * (train_.alpha(k) * left - omega * omega * along));
  }
  return laid;
}

std::optional<double> RobotTrain::fit(double s, const VectorXd& theta, const Vector2d& p) {
  constexpr int most = 20;
  constexpr double close = 1e-7;  // of a link
  const double link = length_ / n();
  const double scale = link * link / n();
  for (int i = 0; i < most; ++i) {
    if (!lay(s, near_)) return std::nullopt;
    double slope = (p - near_.p).dot(near_.p_s);
    double square = near_.p_s.squaredNorm();
    for (int k = 0; k < n(); ++k) {
      slope += scale * (theta(k) - near_.theta(k)) * near_.theta_s(k);
      square += scale * near_.theta_s(k) * near_.theta_s(k);
    }
    if (!(square > 0.0)) break;  // a path on which nothing moves
    const double step = std::clamp(slope / square, -0.5 * link, 0.5 * link);
    s += step;
    if (std::abs(step) <= close * link) break;
  }
  return s;
}

}  // namespace coluber::control

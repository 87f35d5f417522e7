#include "coluber/grasp/chain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "coluber/math/atan2.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::grasp {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// R Ry(θ_y) Rz(θ_z).
void turn_link(const Matrix3d& R, double sy, double cy, double sz, double cz, Matrix3d& out) {
  const Vector3d x = cy * R.col(0) - sy * R.col(2);
  out.col(2) = sy * R.col(0) + cy * R.col(2);
  out.col(0) = cz * x + sz * R.col(1);
  out.col(1) = cz * R.col(1) - sz * x;
}

/// Pitch nearest to 0 for which link i, on R, climbs by `slope`; false if there is none.
bool find_pitch(const Matrix3d& R, double yaw, double slope, double& pitch) {
  double s = 0.0;
  double c = 1.0;
  math::sincos(yaw, s, c);
  // R_zx cos θ cos ψ + R_zy sin ψ − R_zz sin θ cos ψ = slope
  const double a = R(2, 0) * c;
  const double b = R(2, 2) * c;
  const double rest = slope - R(2, 1) * s;
  const double size = std::sqrt(a * a + b * b);
  if (!(std::abs(rest) <= size) || size < 1e-12) {
    if (std::abs(rest) > 1e-12) return false;
    pitch = 0.0;
    return true;
  }
  const double offset = math::atan2(b, a);
  const double share = rest / size;
  const double angle = math::atan2(std::sqrt(std::max(0.0, 1.0 - share * share)), share);
  const auto wrapped = [](double x) {
    constexpr double turn = 2.0 * std::numbers::pi;
    return x - turn * std::round(x / turn);
  };
  const double one = wrapped(angle - offset);
  const double other = wrapped(-angle - offset);
  pitch = std::abs(one) <= std::abs(other) ? one : other;
  return true;
}

/// Pitches link by link: `slope(i, z)` is how link i climbs, whose front end is at z.
template <typename Slope>
int pitch_links(const Model& model, const Slope& slope, Configuration& q) {
  Matrix3d R = Matrix3d::Identity();
  double z = 0.0;
  for (int i = 0; i < model.links; ++i) {
    const double climb = slope(i, z);
    if (!find_pitch(R, q.yaw(i), climb, q.pitch(i))) return i;
    double sy = 0.0;
    double cy = 1.0;
    double sz = 0.0;
    double cz = 1.0;
    math::sincos(q.pitch(i), sy, cy);
    math::sincos(q.yaw(i), sz, cz);
    Matrix3d next;
    turn_link(R, sy, cy, sz, cz, next);
    R = next;
    z += model.length * R(2, 0);
  }
  return -1;
}

}  // namespace

void update_chain(const Model& model, const Configuration& q, Chain& chain) {
  const int n = model.links;
  for (int i = 0; i < n; ++i) {
    chain.angles_[static_cast<std::size_t>(i)] = q.pitch(i);
    chain.angles_[static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] = q.yaw(i);
  }
  math::sincos(chain.angles_, chain.sines_, chain.cosines_);
  Matrix3d R = Matrix3d::Identity();
  Vector3d J = q.P0;
  for (int i = 0; i < n; ++i) {
    const auto y = static_cast<std::size_t>(i);
    const auto z = static_cast<std::size_t>(n) + y;
    Matrix3d& own = chain.R[y];
    turn_link(R, chain.sines_[y], chain.cosines_[y], chain.sines_[z], chain.cosines_[z], own);
    chain.e_y.col(i) = R.col(1);    // of the link before: the world's for the head
    chain.e_z.col(i) = own.col(2);  // the yaw does not turn its own axis
    chain.along.col(i) = own.col(0);
    chain.joint.col(i) = J;
    chain.mid.col(i) = J + 0.5 * model.length * own.col(0);
    J += model.length * own.col(0);
    R = own;
  }
  chain.joint.col(n) = J;
}

void settle(const Model& model, Configuration& q, Chain& chain) {
  double sum = 0.0;
  for (int i : model.wheeled) sum += chain.mid(2, i);
  const double up = model.wheeled.empty() ? 0.0 : -sum / static_cast<double>(model.wheels());
  q.P0.z() += up;
  for (Eigen::Index i = 0; i < chain.mid.cols(); ++i) {
    chain.mid(2, i) += up;
    chain.joint(2, i) += up;
  }
  chain.joint(2, chain.mid.cols()) += up;
}

int pitch_to_heights(const Model& model, const Eigen::VectorXd& heights, Configuration& q) {
  return pitch_links(
      model, [&](int i, double z) { return (heights(i + 1) - heights(0) - z) / model.length; }, q);
}

int pitch_to_rises(const Model& model, const Eigen::VectorXd& rises, Configuration& q) {
  return pitch_links(
      model,
      [&](int i, double z) { return i == 0 ? 0.0 : 2.0 * (rises(i - 1) - z) / model.length; }, q);
}

}  // namespace coluber::grasp

#include "coluber/math/group.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "coluber/math/atan2.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::math {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// All coefficients are even functions of the angle, hence analytic in its square x. Below 1 their
// power series are summed to rounding, above it their closed forms lose no more than a digit.
constexpr double kSeries = 1.0;

template <std::size_t N>
double polynomial(const std::array<double, N>& c, double x) {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

/// 1/first!, -1/(first + 2)!, 1/(first + 4)!, ...
constexpr std::array<double, 9> inverse_factorials(int first) {
  std::array<double, 9> c{};
  double factorial = 1.0;  // exact: 22! has 52 odd bits
  for (int i = 2; i <= first; ++i) factorial *= i;
  double sign = 1.0;
  for (std::size_t k = 0; k < c.size(); ++k) {
    c[k] = sign / factorial;
    const int last = first + 2 * static_cast<int>(k);
    factorial *= (last + 1) * (last + 2);
    sign = -sign;
  }
  return c;
}

/// exp(w^) = 1 + a w^ + b w^²; its mean over [0, w] is 1 + b w^ + c w^².
struct ExpCoefficients {
  double a;  // sin(theta)/theta
  double b;  // (1 - cos(theta))/theta²
  double c;  // (theta - sin(theta))/theta³
};

ExpCoefficients exp_coefficients(double x) {
  static constexpr auto a = inverse_factorials(1);
  static constexpr auto b = inverse_factorials(2);
  static constexpr auto c = inverse_factorials(3);
  if (x < kSeries) return {polynomial(a, x), polynomial(b, x), polynomial(c, x)};
  const double theta = std::sqrt(x);
  double s = 0.0;
  double cosine = 1.0;
  sincos(0.5 * theta, s, cosine);
  const double sine = 2.0 * s * cosine;
  return {sine / theta, 2.0 * s * s / x, (theta - sine) / (theta * x)};
}

/// d = (1 - theta/2 cot(theta/2))/theta²: the inverse of 1 + b w^ + c w^² is 1 - w^/2 + d w^².
struct LogCoefficients {
  double d;
  double slope;  // of d over x
};

LogCoefficients log_coefficients(double x) {
  // |B_2k|/(2k)!, k = 1, 2, ...
  static constexpr std::array<double, 11> series{1.0 / 12.0,
                                                 1.0 / 720.0,
                                                 1.0 / 30240.0,
                                                 1.0 / 1209600.0,
                                                 1.0 / 47900160.0,
                                                 691.0 / 1307674368000.0,
                                                 1.0 / 74724249600.0,
                                                 3617.0 / 10670622842880000.0,
                                                 43867.0 / 5109094217170944000.0,
                                                 174611.0 / 802857662698291200000.0,
                                                 77683.0 / 14101100039391805440000.0};
  static constexpr auto slopes = [] {
    std::array<double, series.size() - 1> c{};
    for (std::size_t k = 0; k < c.size(); ++k) c[k] = static_cast<double>(k + 1) * series[k + 1];
    return c;
  }();
  if (x < kSeries) return {polynomial(series, x), polynomial(slopes, x)};
  const double half = 0.5 * std::sqrt(x);
  double s = 0.0;
  double c = 1.0;
  sincos(half, s, c);
  const double r = half / s;
  const double h = r * c;
  return {(1.0 - h) / x, (0.5 * (h + r * r) - 1.0) / (x * x)};
}

/// (1 + first w^ + second w^²) v
Vector3d apply(const Vector3d& w, double first, double second, const Vector3d& v) {
  const Vector3d wv = w.cross(v);
  return v + first * wv + second * w.cross(wv);
}

Matrix3d rotation(const Vector3d& w, const ExpCoefficients& e) {
  // 1 + a w^ + (b w^) w^, entry by entry: a zero plus a w^ is never -0
  const double x = w.x();
  const double y = w.y();
  const double z = w.z();
  const double ax = e.a * x;
  const double ay = e.a * y;
  const double az = e.a * z;
  const double bx = e.b * x;
  const double by = e.b * y;
  const double bz = e.b * z;
  Matrix3d R;
  R << 1.0 + (-(bz * z) - by * y), (0.0 - az) + by * x, (0.0 + ay) + bz * x,  //
      (0.0 + az) + bx * y, 1.0 + (-(bz * z) - bx * x), (0.0 - ax) + bz * y,   //
      (0.0 - ay) + bx * z, (0.0 + ax) + by * z, 1.0 + (-(by * y) - bx * x);
  return R;
}

Vector2d turned(const Vector2d& v) { return {-v.y(), v.x()}; }

Vector2d rotated(double c, double s, const Vector2d& v) {
  return {c * v.x() - s * v.y(), s * v.x() + c * v.y()};
}

}  // namespace

Matrix6d Ad(const Pose& g) {
  Matrix6d A;
  A.topLeftCorner<3, 3>() = g.R;
  A.topRightCorner<3, 3>() = hat(g.p) * g.R;
  A.bottomLeftCorner<3, 3>().setZero();
  A.bottomRightCorner<3, 3>() = g.R;
  return A;
}

Matrix6d ad(const Vector6d& eta) {
  Matrix6d A;
  A.topLeftCorner<3, 3>() = hat(eta.tail<3>());
  A.topRightCorner<3, 3>() = hat(eta.head<3>());
  A.bottomLeftCorner<3, 3>().setZero();
  A.bottomRightCorner<3, 3>() = A.topLeftCorner<3, 3>();
  return A;
}

Pose exp(const Vector6d& xi) {
  const Vector3d w = xi.tail<3>();
  const ExpCoefficients e = exp_coefficients(w.squaredNorm());
  return {rotation(w, e), apply(w, e.b, e.c, xi.head<3>())};
}

Matrix3d exp(const Vector3d& w) { return rotation(w, exp_coefficients(w.squaredNorm())); }

Vector6d log(const Pose& g) {
  const Vector3d w = log(g.R);
  Vector6d xi;
  xi.head<3>() = apply(w, -0.5, log_coefficients(w.squaredNorm()).d, g.p);
  xi.tail<3>() = w;
  return xi;
}

Vector3d log(const Matrix3d& R) {
  const Eigen::Quaterniond q = to_quaternion(R);
  const double s = q.vec().norm();
  return (s > 0.0 ? 2.0 * math::atan2(s, q.w()) / s : 2.0) * q.vec();
}

// SE(3) is the tangent bundle of SO(3): with w + eps v for w and eta_w + eps eta_v for eta_w,
// eps² = 0, the formula of SO(3) becomes that of SE(3), and its eps part is the linear one.
Vector6d dexp_inverse(const Vector6d& sigma, const Vector6d& eta) {
  const Vector3d v = sigma.head<3>();
  const Vector3d w = sigma.tail<3>();
  const Vector3d V = eta.head<3>();
  const Vector3d Omega = eta.tail<3>();
  const LogCoefficients l = log_coefficients(w.squaredNorm());
  const Vector3d first = w.cross(Omega);                 // ad eta
  const Vector3d first_v = w.cross(V) + v.cross(Omega);  // its eps part
  const Vector3d second = w.cross(first);                // ad² eta
  const Vector3d second_v = w.cross(first_v) + v.cross(first);
  Vector6d rate;
  rate.head<3>() = V + 0.5 * first_v + l.d * second_v + (2.0 * l.slope * w.dot(v)) * second;
  rate.tail<3>() = Omega + 0.5 * first + l.d * second;
  return rate;
}

Vector3d dexp_inverse(const Vector3d& sigma, const Vector3d& Omega) {
  return apply(sigma, 0.5, log_coefficients(sigma.squaredNorm()).d, Omega);
}

// The largest of the four entries first, so that nothing cancels (Shepperd).
Eigen::Quaterniond to_quaternion(const Matrix3d& R) {
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  double w = 1.0 + trace;
  Vector3d v(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  int i = 0;
  if (R(1, 1) > R(i, i)) i = 1;
  if (R(2, 2) > R(i, i)) i = 2;
  if (R(i, i) > trace) {  // proportional to 4 q_i (w, v)
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    w = v(i);
    v(i) = 1.0 + R(i, i) - R(j, j) - R(k, k);
    v(j) = R(j, i) + R(i, j);
    v(k) = R(k, i) + R(i, k);
  }
  const double length = std::sqrt(w * w + (v.x() * v.x() + v.y() * v.y() + v.z() * v.z()));
  const double scale = (w < 0.0 ? -1.0 : 1.0) / length;
  return {scale * w, scale * v.x(), scale * v.y(), scale * v.z()};
}

Pose2 operator*(const Pose2& g, const Pose2& h) {
  double s = 0.0;
  double c = 1.0;
  sincos(g.theta, s, c);
  return {g.p + rotated(c, s, h.p), g.theta + h.theta};
}

Pose2 inverse(const Pose2& g) {
  double s = 0.0;
  double c = 1.0;
  sincos(g.theta, s, c);
  return {-rotated(c, -s, g.p), -g.theta};
}

Matrix3d Ad(const Pose2& g) {
  double s = 0.0;
  double c = 1.0;
  sincos(g.theta, s, c);
  Matrix3d A;
  A << c, -s, g.p.y(), s, c, -g.p.x(), 0.0, 0.0, 1.0;
  return A;
}

Matrix3d ad_se2(const Vector3d& eta) {
  Matrix3d A;
  A << 0.0, -eta.z(), eta.y(), eta.z(), 0.0, -eta.x(), 0.0, 0.0, 0.0;
  return A;
}

Vector3d to_child(const Pose2& g, const Vector3d& eta) {
  double s = 0.0;
  double c = 1.0;
  sincos(g.theta, s, c);
  const Vector2d V = rotated(c, -s, eta.head<2>() + eta.z() * turned(g.p));
  return {V.x(), V.y(), eta.z()};
}

Vector3d to_parent(const Pose2& g, const Vector3d& wrench) {
  double s = 0.0;
  double c = 1.0;
  sincos(g.theta, s, c);
  const Vector2d N = rotated(c, s, wrench.head<2>());
  return {N.x(), N.y(), wrench.z() + (g.p.x() * N.y() - g.p.y() * N.x())};
}

Pose2 exp_se2(const Vector3d& xi) {
  const ExpCoefficients e = exp_coefficients(xi.z() * xi.z());
  const Vector2d v = xi.head<2>();
  return {e.a * v + (e.b * xi.z()) * turned(v), xi.z()};
}

Vector3d log(const Pose2& g) {
  const double x = g.theta * g.theta;
  const Vector2d v = (1.0 - x * log_coefficients(x).d) * g.p - (0.5 * g.theta) * turned(g.p);
  return {v.x(), v.y(), g.theta};
}

// `dexp_inverse` of SE(3) with w along the normal
Vector3d dexp_inverse_se2(const Vector3d& sigma, const Vector3d& eta) {
  const double w = sigma.z();
  const double d = log_coefficients(w * w).d;
  const Vector2d first = turned(w * eta.head<2>() - eta.z() * sigma.head<2>());
  const Vector2d V = eta.head<2>() + 0.5 * first + (d * w) * turned(first);
  return {V.x(), V.y(), eta.z()};
}

}  // namespace coluber::math

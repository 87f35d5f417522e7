#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/math/sincos.hpp"
#include "coluber/planar/snake.hpp"

#include "chain/links.hpp"
#include "chain/validity.hpp"

namespace coluber::planar {

void require_valid(const Model& model) {
  const chain::Demand demand("planar");
  if (model.links.empty()) throw Error("planar model: a robot needs at least one link");
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    demand.is_positive("link mass", link.m, i);
    demand.is_positive("link inertia", link.Theta, i);
    demand.shape(link, i);
    demand(model.friction_points != 2 || model.has_wheels() || std::abs(link.offset) <= link.L_GS,
           "with two friction points, which carry the link between them, the link cg_offset",
           link.offset, i);
  }
  if (model.has_wheels() &&
      (model.axles.size() != model.links.size() || model.friction_points != 2)) {
    throw Error("planar model: wheels are two on one axle for every link, or there are none");
  }
  for (std::size_t i = 0; i < model.axles.size(); ++i) {
    const Axle& axle = model.axles[i];
    demand.is_positive("wheel radius", axle.L_w, i);
    demand.is_positive("wheel inertia", axle.Theta_w, i);
    demand(std::abs(axle.offset) < 0.5 * model.links[i].L, "axle offset", axle.offset, i);
    demand(axle.half_track >= 0.0 && std::isfinite(axle.half_track), "half track", axle.half_track,
           i);
  }
  demand.obstacles(model.obstacles);
  if (model.friction_points != 1 && model.friction_points != 2) {
    throw Error(fmt::format("planar model: a link has 1 or 2 friction points, not {}",
                            model.friction_points));
  }
  demand.ground(model.g, model.mu_T);
  demand(model.mu_V.allFinite() && model.mu_V.minCoeff() >= 0.0, "viscous friction",
         model.mu_V.allFinite() ? model.mu_V.minCoeff() : model.mu_V.sum());
  demand(model.c_R >= 0.0 && std::isfinite(model.c_R), "rotational friction", model.c_R);
  demand.slope(model.tilt, model.tilt_direction);
}

void Pose::resize(int n) {
  theta.resize(n);
  sin.resize(n);
  cos.resize(n);
  r.resize(2, n);
}

namespace {

/// Poses from the middle link's and `phi(j)`, the angle of joint j.
template <typename Angle>
void fill_pose(const Model& model, const Vector3d& base, const Angle& phi, Pose& pose) {
  const int n = model.n();
  const int b = model.base();
  pose.origin = base.head<2>();
  pose.theta(b) = base(2);
  for (int i = b + 1; i < n; ++i) pose.theta(i) = pose.theta(i - 1) + phi(i - 1);
  for (int i = b - 1; i >= 0; --i) pose.theta(i) = pose.theta(i + 1) - phi(i);
  const auto size = static_cast<std::size_t>(n);
  math::sincos(std::span(pose.theta.data(), size), std::span(pose.sin.data(), size),
               std::span(pose.cos.data(), size));

  const auto ahead = [&](int i) { return chain::ahead(model.links[static_cast<std::size_t>(i)]); };
  const auto behind = [&](int i) {
    return chain::behind(model.links[static_cast<std::size_t>(i)]);
  };
  double x = 0.0;
  double y = 0.0;
  pose.r(0, b) = 0.0;
  pose.r(1, b) = 0.0;
  for (int i = b + 1; i < n; ++i) {
    x += ahead(i - 1) * pose.cos(i - 1) + behind(i) * pose.cos(i);
    y += ahead(i - 1) * pose.sin(i - 1) + behind(i) * pose.sin(i);
    pose.r(0, i) = x;
    pose.r(1, i) = y;
  }
  x = 0.0;
  y = 0.0;
  for (int i = b - 1; i >= 0; --i) {
    x -= behind(i + 1) * pose.cos(i + 1) + ahead(i) * pose.cos(i);
    y -= behind(i + 1) * pose.sin(i + 1) + ahead(i) * pose.sin(i);
    pose.r(0, i) = x;
    pose.r(1, i) = y;
  }
}

}  // namespace

void compute_pose(const Model& model, const Vector3d& base, const Eigen::Ref<const VectorXd>& phi,
                  Pose& pose) {
  fill_pose(model, base, [&](int j) { return phi(j); }, pose);
}

void compute_pose_at_time(const Model& model, const State& state, double dt, Pose& pose) {
  const Vector3d base{state.base(0) - 0.5 * dt * state.twist(1),
                      state.base(1) - 0.5 * dt * state.twist(2),
                      state.base(2) - 0.5 * dt * state.twist(0)};
  pose.resize(model.n());
  fill_pose(model, base, [&](int j) { return state.phi(j) - 0.5 * dt * state.phidot(j); }, pose);
}

State make_state(const Model& model, const Eigen::Ref<const VectorXd>& phi, int link,
                 const Vector2d& position, double theta) {
  const int n = model.n();
  if (phi.size() != n - 1) {
    throw Error(fmt::format("phi has {} entries, the model needs {} (one per joint, {} links)",
                            phi.size(), n - 1, n));
  }
  if (link < 0 || link >= n) throw Error(fmt::format("link {} of {} does not exist", link + 1, n));

  State state;
  state.phi = phi;
  state.phidot = state.phidot_2 = state.phidot_3 = VectorXd::Zero(n - 1);
  state.u = VectorXd::Zero(3 * n);
  state.wheel = state.omega = state.omega_2 = state.omega_3 =
      VectorXd::Zero(static_cast<Eigen::Index>(model.axles.size()));
  state.ground.resize(model.links.size() * static_cast<std::size_t>(model.friction_points));

  // Turn and shift so that the given link lies as asked.
  double theta_base = theta;
  for (int i = link; i < model.base(); ++i) theta_base += phi(i);
  for (int i = link; i > model.base(); --i) theta_base -= phi(i - 1);
  Pose pose;
  pose.resize(n);
  compute_pose(model, Vector3d{0.0, 0.0, theta_base}, phi, pose);
  state.base << position - pose.r.col(link), theta_base;
  return state;
}

Gap compute_gap(const Link& link, const Vector2d& r_G, double cos_theta, double sin_theta,
                const Obstacle& obstacle) {
  // One formula for the sides and both caps: the nearest point of the core, clamped.  Transeth
  // (3.8)-(3.12)
  const double dx = obstacle.H.x() - r_G.x();
  const double dy = obstacle.H.y() - r_G.y();
  const double along = dx * cos_theta + dy * sin_theta + link.offset;
  const double s_c = std::clamp(along, -link.L_GS, link.L_GS) - link.offset;
  const double p_x = s_c * cos_theta - dx;
  const double p_y = s_c * sin_theta - dy;
  const double distance = std::sqrt(p_x * p_x + p_y * p_y);
  Gap gap;
  gap.g = distance - (obstacle.L_H + link.L_SC);
  gap.s_c = s_c;
  // An obstacle's centre on the core has no normal; push it out sideways.
  gap.normal =
      distance > 0.0 ? Vector2d{p_x / distance, p_y / distance} : Vector2d{-sin_theta, cos_theta};
  return gap;
}

}  // namespace coluber::planar

#include <cmath>

#include "coluber/core/error.hpp"
#include "coluber/math/sincos.hpp"
#include "coluber/spatial/snake.hpp"

#include "chain/links.hpp"
#include "chain/validity.hpp"
#include "rotation.hpp"

namespace coluber::spatial {

void require_valid(const Model& model) {
  const chain::Demand demand("spatial");
  if (model.links.empty()) throw Error("spatial model: a robot needs at least one link");
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    demand.is_positive("link mass", link.m, i);
    demand.is_positive("link inertia", link.Theta_psi, i);
    demand.is_positive("link inertia_axial", link.Theta_rho, i);
    demand(link.Theta_rho <= 2.0 * link.Theta_psi,
           "link inertia_axial, which no body has above twice its inertia across,", link.Theta_rho,
           i);
    demand.shape(link, i);
    demand(model.load_sharing != LoadSharing::equal || std::abs(link.offset) <= link.L_GS,
           "with equal load sharing, where the two points carry the link between them, the link "
           "cg_offset",
           link.offset, i);
  }
  demand.obstacles(model.obstacles);
  demand.ground(model.g, model.mu_T);
  demand.is_not_negative("rolling friction", model.mu_V);
  demand.slope(model.tilt, model.tilt_direction);
}

void Pose::resize(const Model& model) {
  for (Matrix3Xd* matrix : {&e_x, &e_y, &e_z, &r}) matrix->resize(3, model.n());
  sin.resize(static_cast<std::size_t>(model.angles()));
  cos.resize(sin.size());
}

namespace {

// The links under the joint angles whose sines and cosines are in `pose`.
void place_links(const Model& model, const Vector3d& r, const Eigen::Vector4d& p, Pose& pose) {
  const int n = model.n();
  const int b = model.base();
  const int axes = model.axes();

  const Eigen::Matrix3d R = to_matrix(p);
  pose.origin = r;
  pose.e_x.col(b) = R.col(0);
  pose.e_y.col(b) = R.col(1);
  pose.e_z.col(b) = R.col(2);
  pose.r.col(b).setZero();

  const auto ahead = [&](int i) { return chain::ahead(model.links[static_cast<std::size_t>(i)]); };
  const auto behind = [&](int i) {
    return chain::behind(model.links[static_cast<std::size_t>(i)]);
  };
  const auto angle = [&](int joint, int axis, double& s, double& c) {
    const int number = axes * joint + axis;
    const auto index = static_cast<std::size_t>(number);
    s = pose.sin[index];
    c = pose.cos[index];
  };

  for (int i = b + 1; i < n; ++i) {  // R_i = R_(i-1) R_y(phi_h) R_x(phi_v)
    double s = 0.0;
    double c = 1.0;
    angle(i - 1, 0, s, c);
    const Vector3d y = pose.e_y.col(i - 1);
    const Vector3d x = c * pose.e_x.col(i - 1) - s * pose.e_z.col(i - 1);
    const Vector3d z = s * pose.e_x.col(i - 1) + c * pose.e_z.col(i - 1);
    pose.e_x.col(i) = x;
    if (axes == 2) {
      angle(i - 1, 1, s, c);
      pose.e_y.col(i) = c * y + s * z;
      pose.e_z.col(i) = c * z - s * y;
    } else {
      pose.e_y.col(i) = y;
      pose.e_z.col(i) = z;
    }
    pose.r.col(i) =
        pose.r.col(i - 1) + ahead(i - 1) * pose.e_z.col(i - 1) + behind(i) * pose.e_z.col(i);
  }
  for (int i = b - 1; i >= 0; --i) {  // R_i = R_(i+1) R_x(-phi_v) R_y(-phi_h)
    double s = 0.0;
    double c = 1.0;
    Vector3d y = pose.e_y.col(i + 1);
    Vector3d z = pose.e_z.col(i + 1);
    if (axes == 2) {
      angle(i, 1, s, c);
      y = c * pose.e_y.col(i + 1) - s * pose.e_z.col(i + 1);
      z = s * pose.e_y.col(i + 1) + c * pose.e_z.col(i + 1);
    }
    angle(i, 0, s, c);
    pose.e_y.col(i) = y;
    pose.e_x.col(i) = c * pose.e_x.col(i + 1) + s * z;
    pose.e_z.col(i) = c * z - s * pose.e_x.col(i + 1);
    pose.r.col(i) =
        pose.r.col(i + 1) - behind(i + 1) * pose.e_z.col(i + 1) - ahead(i) * pose.e_z.col(i);
  }
}

}  // namespace

void compute_pose(const Model& model, const Vector3d& r, const Eigen::Vector4d& p,
                  const Eigen::Ref<const VectorXd>& phi, Pose& pose) {
  math::sincos(std::span(phi.data(), pose.sin.size()), pose.sin, pose.cos);
  place_links(model, r, p, pose);
}

void compute_pose_at_time(const Model& model, const State& state, double dt, Pose& pose) {
  pose.resize(model);
  const Vector3d r = state.r - 0.5 * dt * state.twist.tail<3>();
  const Eigen::Vector4d p = turn(state.p, -0.5 * dt * state.twist.head<3>());
  for (std::size_t j = 0; j < pose.sin.size(); ++j) {  // one by one: no room for all is needed
    const auto at = static_cast<Eigen::Index>(j);
    math::sincos(state.phi(at) - 0.5 * dt * state.phidot(at), pose.sin[j], pose.cos[j]);
  }
  place_links(model, r, p, pose);
}

Eigen::Vector4d compute_euler_parameters(const Pose& pose, int i) {
  Eigen::Matrix3d R;
  R << pose.e_x.col(i), pose.e_y.col(i), pose.e_z.col(i);
  const Quaterniond q(R);
  const Eigen::Vector4d p{q.w(), q.x(), q.y(), q.z()};
  return (p(0) < 0.0 ? -1.0 : 1.0) * p.normalized();
}

Eigen::Matrix3d compute_axes(double heading, double pitch, double roll) {
  double s = 0.0;
  double c = 1.0;
  math::sincos(heading, s, c);
  const Vector3d left{-s, c, 0.0};
  const Vector3d flat{c, s, 0.0};
  math::sincos(pitch, s, c);
  const Vector3d along = c * flat + s * Vector3d::UnitZ();
  const Vector3d up = c * Vector3d::UnitZ() - s * flat;
  math::sincos(roll, s, c);
  Eigen::Matrix3d R;
  R.col(0) = c * left + s * up;
  R.col(1) = c * up - s * left;
  R.col(2) = along;
  return R;
}

State make_state(const Model& model, const Eigen::Ref<const VectorXd>& phi, int link,
                 const Vector3d& position, const Eigen::Matrix3d& R) {
  // The chain laid out with its middle link at the origin, then moved and turned so that `link` is
  // where it should be.
  Pose pose;
  pose.resize(model);
  compute_pose(model, Vector3d::Zero(), Eigen::Vector4d::UnitX(), phi, pose);
  Eigen::Matrix3d there;
  there << pose.e_x.col(link), pose.e_y.col(link), pose.e_z.col(link);
  const Eigen::Matrix3d turned = R * there.transpose();

  State state;
  state.phi = phi;
  state.r = position - turned * pose.r.col(link);
  const Quaterniond q(turned);
  state.p = Eigen::Vector4d{q.w(), q.x(), q.y(), q.z()}.normalized();
  state.phidot = state.phidot_2 = state.phidot_3 = VectorXd::Zero(model.angles());
  state.v = state.omega = state.l = Matrix3Xd::Zero(3, model.n());
  return state;
}

}  // namespace coluber::spatial

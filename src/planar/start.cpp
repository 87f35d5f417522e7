#include "start.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/chain/plane_start.hpp"
#include "coluber/chain/robot.hpp"
#include "coluber/core/error.hpp"
#include "coluber/path/keys.hpp"
#include "coluber/path/train.hpp"

#include "chain/links.hpp"
#include "math/degree.hpp"
#include "math/direction.hpp"
#include "start_impact.hpp"

namespace coluber::planar {

namespace {

/// Joint angles, the angle of link 1, and the direction from link 1 to the last.
struct Posture {
  VectorXd phi;
  double theta = 0.0;
  double heading = 0.0;
};

Posture posture_of(const drive::Build& build, const Model& model) {
  const auto& start = build.get<chain::Start>();
  const auto& plane = build.get<chain::PlaneStart>();
  Posture posture;
  if (!plane.link_angle.empty()) {
    posture.phi.resize(model.n() - 1);
    for (Eigen::Index j = 0; j < posture.phi.size(); ++j) {
      const auto i = static_cast<std::size_t>(j);
      posture.phi(j) = plane.link_angle[i + 1] - plane.link_angle[i];
    }
    posture.theta = plane.link_angle.front();
    posture.heading = Eigen::Map<const VectorXd>(plane.link_angle.data(), model.n()).mean();
    return posture;
  }
  posture.phi = chain::compute_start_angles(build, model.n() - 1);
  posture.heading = start.heading_deg * math::degree;
  posture.theta = posture.heading + chain::first_link_angle(build, posture.phi);
  return posture;
}

/// Share of each link in what `[start]` places and moves.
VectorXd weights_of(const drive::Build& build, const Model& model) {
  VectorXd weights = VectorXd::Zero(model.n());
  switch (build.get<chain::PlaneStart>().place) {
    case chain::Place::link:
      weights(build.get<chain::Start>().link - 1) = 1.0;
      break;
    case chain::Place::mean:
      weights.setConstant(1.0 / model.n());
      break;
    case chain::Place::centre_of_mass:
      for (int i = 0; i < model.n(); ++i) weights(i) = model.links[static_cast<std::size_t>(i)].m;
      weights /= weights.sum();
  }
  return weights;
}

/// Straight behind the start of the path, at rest.
State make_path_start(const drive::Build& build, const Model& model) {
  const path::PathPoint at = path::make_path(build.get<path::PathKeys>())->at(0.0);
  const Vector2d forward = math::direction(at.theta);
  const Vector2d left{-forward.y(), forward.x()};
  const double arm = model.axles.front().offset - model.links.front().offset;
  const Vector2d centre = at.r + build.get<chain::WheelStart>().offset * left + arm * forward;
  return make_state(model, VectorXd::Zero(model.n() - 1), 0, centre, at.theta + std::numbers::pi);
}

/// The links' lengths from the rear; `reversed`: link 1 is in front.
std::vector<double> lengths_of(const Model& model, bool reversed) {
  std::vector<double> length;
  for (const Link& link : model.links) length.push_back(link.L);
  if (reversed) std::ranges::reverse(length);
  return length;
}

/// Laid on the path, every joint and both ends on it, and moving along it.
State make_train_start(const drive::Build& build, const Model& model, double dt) {
  const int n = model.n();
  const auto& keys = build.get<path::PathKeys>();
  const bool reversed = keys.leads == path::Leads::first;
  const double s = build.get<chain::TrainStart>().s;
  const double speed = build.get<chain::PathStart>().speed;
  const std::vector<double> length = lengths_of(model, reversed);
  const auto path = path::make_path(keys);
  path::Train train;
  if (!path::lay_train(*path, length, s, speed, 0.0, train)) {
    int k = 0;  // the first link from the rear that found no place
    while (std::isfinite(train.s(k + 1))) ++k;
    throw InputError(build.fault(
        "start.on_path",
        fmt::format(
            "link {}, {:.6g} m long, finds no place on the path beyond s = {:.6g} m: the path "
            "is curled too tightly there",
            (reversed ? n - 1 - k : k) + 1, length[static_cast<std::size_t>(k)], train.s(k)),
        "widen the path, take shorter links, or start elsewhere with start.s"));
  }
  // a link's axis points to the next link: ahead if the last one is in front
  VectorXd theta = train.theta;
  VectorXd rate = train.omega;
  if (reversed) {
    theta = (train.theta.array() + std::numbers::pi).reverse().eval();
    rate = train.omega.reverse().eval();
  }
  const int b = model.base();
  const Eigen::Index from = reversed ? n - b : b;  // the point at the start of its axis
  const Link& link = model.links[static_cast<std::size_t>(b)];
  const double arm = 0.5 * link.L + link.offset;
  const Vector2d axis = math::direction(theta(b));
  const Vector2d across{-axis.y(), axis.x()};
  State state = make_state(model, theta.tail(n - 1) - theta.head(n - 1), b,
                           train.r.col(from) + arm * axis, theta(b));
  if (speed == 0.0) return state;
  const State rest = state;
  VectorXd weights = VectorXd::Zero(n);
  weights(b) = 1.0;
  set_in_motion(model, rate, weights, train.v.col(from) + arm * rate(b) * across, dt, state);
  take_start_impacts(build, model, rest, dt, state);
  return state;
}

}  // namespace

void set_in_motion(const Model& model, const VectorXd& rate, const VectorXd& weights,
                   const Vector2d& velocity, double dt, State& state) {
  const int n = model.n();
  const int b = model.base();
  Pose pose;
  pose.resize(n);
  compute_pose(model, state.base, state.phi, pose);
  const auto turned = [&](int i, double arm) -> Vector2d {
    return arm * rate(i) * Vector2d{-pose.sin(i), pose.cos(i)};
  };
  const auto link = [&](int i) -> const Link& { return model.links[static_cast<std::size_t>(i)]; };
  Eigen::Matrix2Xd v = Eigen::Matrix2Xd::Zero(2, n);  // relative to the middle link's
  for (int i = b + 1; i < n; ++i) {
    v.col(i) =
        v.col(i - 1) + turned(i - 1, chain::ahead(link(i - 1))) + turned(i, chain::behind(link(i)));
  }
  for (int i = b - 1; i >= 0; --i) {
    v.col(i) =
        v.col(i + 1) - turned(i + 1, chain::behind(link(i + 1))) - turned(i, chain::ahead(link(i)));
  }
  v.colwise() += (velocity - v * weights).eval();
  for (int i = 0; i < n; ++i) {
    state.u.segment<3>(3 * i) << v.col(i), rate(i);
    if (i + 1 < n) state.phidot(i) = rate(i + 1) - rate(i);
    if (!model.has_wheels()) continue;
    const Axle& axle = model.axles[static_cast<std::size_t>(i)];  // forward is against the axis
    state.omega(i) = -(pose.cos(i) * v(0, i) + pose.sin(i) * v(1, i)) / axle.L_w;
  }
  state.twist << rate(b), v.col(b);
  state.base.head<2>() += 0.5 * dt * v.col(b);
  state.base(2) += 0.5 * dt * rate(b);
  state.phi += 0.5 * dt * state.phidot;
  state.wheel += 0.5 * dt * state.omega;
}

State make_start(const drive::Build& build, const Model& model, double dt) {
  const auto* on_wheels = build.options.find<chain::PathStart>();
  if (build.options.find<chain::TrainStart>() != nullptr) {
    if (on_wheels->on_path.value_or(false)) return make_train_start(build, model, dt);
    on_wheels = nullptr;  // its keys are for the path alone
  }
  VectorXd weights = VectorXd::Zero(model.n());
  weights(0) = 1.0;
  VectorXd rate = VectorXd::Zero(model.n());
  Vector2d velocity = Vector2d::Zero();
  State state;
  double heading = 0.0;
  if (on_wheels != nullptr && on_wheels->on_path.value_or(false)) {
    state = make_path_start(build, model);
    heading = state.base(2);
  } else {
    const auto& plane = build.get<chain::PlaneStart>();
    const Posture posture = posture_of(build, model);
    heading = posture.heading;
    const int link = plane.place == chain::Place::link ? build.get<chain::Start>().link - 1 : 0;
    const Vector2d& position = build.get<chain::Start>().position;
    double theta = posture.theta;
    for (int j = 0; j < link; ++j) theta += posture.phi(j);
    state = make_state(model, posture.phi, link, position, theta);
    weights = weights_of(build, model);
    if (plane.place != chain::Place::link) {
      Pose pose;
      pose.resize(model.n());
      compute_pose(model, state.base, state.phi, pose);
      state.base.head<2>() += position - (pose.origin + pose.r * weights);
    }
    if (!plane.link_rate.empty()) {
      rate = Eigen::Map<const VectorXd>(plane.link_rate.data(), model.n());
    }
    velocity = plane.velocity.value_or(Vector2d::Zero());
  }
  if (on_wheels != nullptr && on_wheels->speed != 0.0) {
    velocity = -on_wheels->speed * math::direction(heading);
  }
  if (rate.isZero(0.0) && velocity.isZero(0.0)) return state;
  const State rest = state;
  set_in_motion(model, rate, weights, velocity, dt, state);
  take_start_impacts(build, model, rest, dt, state);
  return state;
}

}  // namespace coluber::planar

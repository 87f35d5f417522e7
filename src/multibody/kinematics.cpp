#include <cmath>
#include <span>

#include "coluber/math/sincos.hpp"

#include "multibody/parts.hpp"
#include "multibody/spatial.hpp"

namespace coluber::multibody {

namespace {

/// A follower whose wheel hardly feels it cannot follow.
constexpr double kLeastCoefficient = 1e-9;

std::span<double> all_of(Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Adds A ṙ.
void add_joint(const JointRate& rate, Six& eta) {
  eta.linear.z += rate.along;
  eta.angular.z += rate.about;
}

/// ad_eta (A ṙ), as `joint_bias` of a vector.
Six joint_bias(const Six& eta, const JointRate& rate) {
  const double a = rate.along;
  const double b = rate.about;
  return {{a * eta.angular.y + b * eta.linear.y, -a * eta.angular.x - b * eta.linear.x, 0.0},
          {b * eta.angular.y, -b * eta.angular.x, 0.0}};
}

/// A covector of a wheel on a twist or an acceleration.
double of(const Eigen::Vector3d& covector, const Six& x) {
  return covector.x() * x.linear.x + covector.y() * x.linear.y + covector.z() * x.angular.z;
}

Six unit_screw(const Model& model, int k) {
  const bool along = model.axis_of[static_cast<std::size_t>(k)] == 2;
  return {{0.0, 0.0, along ? 1.0 : 0.0}, {0.0, 0.0, along ? 0.0 : 1.0}};
}

/// A follower's wheel as its rate and acceleration decide about it, both zero so far.
struct Followed {
  Six eta, etadot, unit;
};

/// Carries what is at the follower's body to that of its wheel, along the few bodies in between.
template <bool accelerations>
void carry_to_wheel(const Model& model, const Data& data, const Follower& follower, Followed& x) {
  for (std::size_t i = 1; i < follower.path.size(); ++i) {
    const int next = follower.path[i];
    const Node& node = model.node(next);
    const Pose& g = data.body[static_cast<std::size_t>(next)].g;
    const JointRate rate = joint_rate(node, data.rdot);
    x.eta = carry_out(g, x.eta);
    add_joint(rate, x.eta);
    if constexpr (accelerations) {
      x.etadot = carry_out(g, x.etadot) + joint_bias(x.eta, rate);
      add_joint(joint_rate(node, data.rddot), x.etadot);
    }
    x.unit = carry_out(g, x.unit);
  }
}

}  // namespace

WheelRow wheel_row(const Wheel& wheel, double beta) {
  double s = 0.0;
  double c = 1.0;
  math::sincos(beta, s, c);
  const double x = wheel.place.x();
  const double y = wheel.place.y();
  WheelRow row;
  row.across << -s, c, 0.0, 0.0, 0.0, x * c + y * s;
  row.along << c, s, 0.0, 0.0, 0.0, x * s - y * c;
  return row;
}

// i_g_j(r_j)  Ali (3.7)
void update_poses(const Model& model, Data& data) {
  for (int j = 1; j < model.size(); ++j) {
    data.angle(j) = joint_rate(model.node(j), data.r).about;
  }
  math::sincos(all_of(data.angle), all_of(data.sine), all_of(data.cosine));
  for (int j = 1; j < model.size(); ++j) {
    const Node& node = model.node(j);
    set_pose(node.joint_frame, data.sine(j), data.cosine(j), joint_rate(node, data.r).along,
             data.body[static_cast<std::size_t>(j)].g);
  }
  if (data.wheel.empty()) return;
  math::sincos(all_of(data.input.beta), all_of(data.wheel_sine), all_of(data.wheel_cosine));
  for (std::size_t w = 0; w < data.wheel.size(); ++w) {
    const double s = data.wheel_sine(static_cast<Eigen::Index>(w));
    const double c = data.wheel_cosine(static_cast<Eigen::Index>(w));
    const Eigen::Vector2d& place = model.wheels[w].place;
    data.wheel[w].across = {-s, c, place.x() * c + place.y() * s};
    data.wheel[w].along = {c, s, place.x() * s - place.y() * c};
  }
}

// η_j = Ad η_i + ṙ_j A_j (3.8). A follower's rate is the one for which its wheel does not slide:
// looked for along the few bodies between them, with the rate zero and with the rate one.
Outcome update_velocities(const Model& model, Data& data) {
  data.body[0].eta = data.eta_o;
  auto follower = model.followers.begin();
  for (int j = 1; j < model.size(); ++j) {
    const Node& node = model.node(j);
    Data::Body& body = data.body[static_cast<std::size_t>(j)];
    Six eta = carry_out(body.g, six(data.body[static_cast<std::size_t>(node.parent)].eta));
    for (; follower != model.followers.end() && follower->path.front() == j; ++follower) {
      const int k = follower->coordinate;
      const Eigen::Vector3d& across = data.wheel[static_cast<std::size_t>(follower->wheel)].across;
      data.rdot(k) = 0.0;
      Followed at{eta, {}, unit_screw(model, k)};
      add_joint(joint_rate(node, data.rdot), at.eta);
      carry_to_wheel<false>(model, data, *follower, at);
      const double coefficient = of(across, at.unit);
      if (!(std::abs(coefficient) > kLeastCoefficient)) {
        return {Outcome::Kind::follower, k + 1, coefficient, Eigen::Vector3d::Zero()};
      }
      data.rdot(k) = -of(across, at.eta) / coefficient;
    }
    const JointRate rate = joint_rate(node, data.rdot);
    add_joint(rate, eta);
    put(eta, body.eta);
    put(joint_bias(eta, rate), body.zeta);
  }
  return {};
}

// η̇_j = Ad η̇_i + ζ_j (3.9); followers as above, (3.46) and its like.
void update_accelerations(const Model& model, Data& data) {
  data.body[0].etadot = data.etadot_o;
  auto follower = model.followers.begin();
  for (int j = 1; j < model.size(); ++j) {
    const Node& node = model.node(j);
    Data::Body& body = data.body[static_cast<std::size_t>(j)];
    Six etadot = carry_out(body.g, six(data.body[static_cast<std::size_t>(node.parent)].etadot)) +
                 six(body.zeta);
    for (; follower != model.followers.end() && follower->path.front() == j; ++follower) {
      const int k = follower->coordinate;
      const auto& wheel = data.wheel[static_cast<std::size_t>(follower->wheel)];
      data.rddot(k) = 0.0;
      Followed at{six(body.eta), etadot, unit_screw(model, k)};
      add_joint(joint_rate(node, data.rddot), at.etadot);
      carry_to_wheel<true>(model, data, *follower, at);
      const double bias = of(wheel.across, at.etadot) -
                          data.input.betadot(follower->wheel) * of(wheel.along, at.eta);
      data.rddot(k) = -bias / of(wheel.across, at.unit);
    }
    const JointRate acceleration = joint_rate(node, data.rddot);
    add_joint(acceleration, etadot);
    put(etadot, body.etadot);
    body.zeta(2) += acceleration.along;
    body.zeta(5) += acceleration.about;
  }
}

// Rolling: ρ θ̇ = t · η_j  Ali (3.40), (3.50)
void update_wheels(const Model& model, Data& data) {
  data.constraint_residual = 0.0;
  for (int w = 0; w < static_cast<int>(model.wheels.size()); ++w) {
    const Wheel& wheel = model.wheel(w);
    const auto& covectors = data.wheel[static_cast<std::size_t>(w)];
    const Six eta = six(data.body[static_cast<std::size_t>(wheel.body)].eta);
    const bool holds = wheel.holds();
    data.slip(w) = holds || wheel.rubs() ? of(covectors.across, eta) : 0.0;
    data.thetadot(w) = of(covectors.along, eta) / wheel.radius;
    if (holds) {
      data.constraint_residual = std::max(data.constraint_residual, std::abs(data.slip(w)));
    }
    if (wheel.driven && !model.drive) {
      const double rolling = wheel.radius * (data.thetadot(w) - data.input.thetadot(w));
      data.constraint_residual = std::max(data.constraint_residual, std::abs(rolling));
    }
  }
}

}  // namespace coluber::multibody

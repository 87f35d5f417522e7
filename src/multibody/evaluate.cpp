#include "coluber/multibody/evaluate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/math/sincos.hpp"

#include "multibody/parts.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Vector3d;

/// Twist and acceleration of a reference body whose place and heading are given.
void impose_base(const Eigen::Matrix3d& R, Data& data) {
  const Input& input = data.input;
  const Vector3d V = R.transpose() * input.placedot;
  const Vector3d Omega = R.transpose() * Vector3d{0.0, 0.0, input.yawdot};
  data.eta_o << V, Omega;
  data.etadot_o << R.transpose() * input.placeddot - Omega.cross(V),
      R.transpose() * Vector3d{0.0, 0.0, input.yawddot};
}

bool is_finite(const Data& data) {
  return data.eta_o.allFinite() && data.etadot_o.allFinite() && data.rdot.allFinite() &&
         data.rddot.allFinite() && data.tau.allFinite();
}

/// A row that is never farther than this from those before it depends on them by structure.
constexpr double kApartByStructure = 1e-6;

/// Whether some wheel's row asks more of the shape than the others, whatever the rates.
bool asks_too_much(const Model& model, const Data& data, double tolerance) {
  const Data::Base& base = data.base;
  Eigen::VectorXd b(base.rows.size);
  for (int k = 0; k < model.coordinates; ++k) {
    if (!compute_row_column(model, base, k, b)) continue;
    const Vector3d x = solve_rows(base.basis, b);
    for (int i = 0; i < base.rows.sliding; ++i) {
      const double rest = base.rows.a.row(i).dot(x) + b(i);
      const double scale = std::abs(b(i)) + base.rows.a.row(i).norm() * x.norm();
      if (std::abs(rest) > tolerance * scale) return true;
    }
  }
  return false;
}

}  // namespace

void gather(const Model& model, const Configuration& at, Data& data) {
  data.r = data.input.r;
  data.rdot = data.input.rdot;
  data.rddot = data.input.rddot;
  for (std::size_t i = 0; i < model.followers.size(); ++i) {
    const int k = model.followers[i].coordinate;
    data.r(k) = at.follower(static_cast<Eigen::Index>(i));
    data.rdot(k) = data.rddot(k) = 0.0;
  }
  for (std::size_t i = 0; i < model.passive.size(); ++i) {
    data.r(model.passive[i]) = at.passive(static_cast<Eigen::Index>(i));
  }
}

const char* to_string(Case which) {
  static constexpr std::array words{"unconstrained",    "under_constrained", "fully_constrained",
                                    "over_constrained", "fully_actuated",    "partially_actuated",
                                    "imposed"};
  return words[static_cast<std::size_t>(which)];
}

Pose imposed_pose(const Input& input) {
  return {math::exp(Vector3d{0.0, 0.0, input.yaw}) * input.tilt, input.place};
}

Input::Input(const Model& model) {
  const auto n = static_cast<Eigen::Index>(model.coordinates);
  const auto wheels = static_cast<Eigen::Index>(model.wheels.size());
  r = rdot = rddot = Eigen::VectorXd::Zero(n);
  beta = betadot = theta = thetadot = thetaddot = Eigen::VectorXd::Zero(wheels);
  for (Eigen::Index w = 0; w < wheels; ++w) beta(w) = model.wheel(static_cast<int>(w)).heading;
}

Data::Data(const Model& model)
    : input(model), body(model.bodies.size()), wheel(model.wheels.size()) {
  const auto n = static_cast<Eigen::Index>(model.coordinates);
  const auto wheels = static_cast<Eigen::Index>(model.wheels.size());
  const auto bodies = static_cast<Eigen::Index>(model.bodies.size());
  r = rdot = rddot = tau = Eigen::VectorXd::Zero(n);
  lambda = Gamma = thetadot = slip = Eigen::VectorXd::Zero(wheels);
  sine = cosine = angle = Eigen::VectorXd::Zero(bodies);
  const Eigen::Index rows = 2 * wheels + 1;
  wheel_sine = wheel_cosine = Eigen::VectorXd::Zero(wheels);
  if (model.planar) {
    A_all.setZero(rows, 3);
    weight = force = rest = Eigen::VectorXd::Zero(rows);
    to_root.resize(model.bodies.size());
    ground.assign(model.bodies.size(), Vector3d::Zero());
    forbidden.resize(model.bodies.size());
  }
  composite_added = model.added;
  for (Base* each : {&base, &before, &after}) {
    if (wheels == 0) break;
    each->input = Input(model);
    each->rows.a = Rows3::Zero(rows, 3);
    each->rows.b = each->rows.gamma = Eigen::VectorXd::Zero(rows);
    const std::size_t reach =  // bodies behind the last base path are not looked at
        model.base_bodies.empty() ? 1 : static_cast<std::size_t>(model.base_bodies.back()) + 1;
    each->g.resize(reach);
    each->to_root.resize(reach);
    each->eta.assign(reach, Vector6d::Zero());
    each->etadot.assign(reach, Vector6d::Zero());
  }
  const auto loops = static_cast<Eigen::Index>(3 * model.loops.size());
  const auto passive_count = static_cast<Eigen::Index>(model.passive.size());
  W_a = Eigen::MatrixXd::Zero(loops, n);
  W_p = W_q = Eigen::MatrixXd::Zero(loops, passive_count);
  W_r = Eigen::MatrixXd::Zero(passive_count, passive_count);
  W_order.resize(model.passive.size());
  closure = lambda_loop = Eigen::VectorXd::Zero(loops);
  passive = Eigen::VectorXd::Zero(passive_count);
}

Classification classify(const Model& model, const Program& program, const Configuration& start,
                        double duration, const EvaluateOptions& options, Data& data) {
  Classification as;
  if (model.base_imposed) return {Case::imposed, 0, 0, true};
  if (!model.planar) return as;
  bool too_much = false;
  // A singular instant is one of a kind; so is a straight shape at the start.
  constexpr std::array shares{0.0, 0.0137, 0.0731, 0.1618, 0.2718, 0.3141, 0.4669, 0.5873, 0.8346};
  const auto look = [&](double share) {
    program(share * duration, data.input);
    gather(model, start, data);
    update_rows(model, program, share * duration, data, data.base);
  };
  for (double share : shares) {
    look(share);
    choose_rows(data.base.rows, data.base.rows.sliding, 3, options.rank_tolerance, data.base.basis);
    if (data.base.basis.rank >= as.sliding_rank) {
      as.sliding_rank = data.base.basis.rank;
      too_much = too_much || (as.sliding_rank == 3 && asks_too_much(model, data, 1e-6));
    }
    choose_rows(data.base.rows, data.base.rows.size, 3, options.rank_tolerance, data.base.basis);
    as.rank = std::max(as.rank, data.base.basis.rank);
  }
  as.kinematic = as.rank == 3;
  if (as.sliding_rank == 3) {
    as.which = too_much ? Case::over_constrained : Case::fully_constrained;
    int found = 0;
    for (int row = 0; too_much && row < data.base.rows.sliding && found < 3; ++row) {
      const std::span<const int> before(as.lead.data(), static_cast<std::size_t>(found));
      const bool apart = std::ranges::any_of(shares, [&](double share) {
        look(share);
        return share_of_row(data.base.rows, before, row) > kApartByStructure;
      });
      if (apart) as.lead[static_cast<std::size_t>(found++)] = row;
    }
    as.leads = found == 3;
  } else if (model.drive || !model.driven.empty()) {
    as.which = as.kinematic ? Case::fully_actuated : Case::partially_actuated;
  } else {
    as.which = as.rank == 0 ? Case::unconstrained : Case::under_constrained;
  }
  if (!as.kinematic && !model.followers.empty()) {
    throw Error(
        fmt::format("joint {} follows a wheel, but the wheels before it do not determine "
                    "how the first body moves: {} of 3 directions",
                    model.followers.front().coordinate + 1, as.rank));
  }
  return as;
}

// Ali 3.8.2, steps 1-7
Outcome evaluate(const Model& model, const Classification& as, const Program& program, double t,
                 const Configuration& at, const EvaluateOptions& options, Data& data) {
  program(t, data.input);
  gather(model, at, data);
  update_poses(model, data);
  if (!model.passive.empty()) {
    if (const Outcome outcome = update_loops(model, data); !outcome.ok()) return outcome;
  }
  if (as.which == Case::imposed) {
    impose_base(at.g.R, data);
  } else if (as.kinematic) {
    if (const Outcome outcome = solve_base(model, as, program, t, options, data); !outcome.ok()) {
      return outcome;
    }
  } else {
    data.eta_o = at.eta;
  }
  if (const Outcome outcome = update_velocities(model, data); !outcome.ok()) return outcome;
  update_wheels(model, data);
  update_forces(model, at.g.R, data, options.loads);
  if (as.which != Case::imposed && !as.kinematic) {
    update_composite(model, data);
    if (model.planar) {
      update_rows(model, program, t, data, data.base);
      choose_rows(data.base.rows, as, options.rank_tolerance, data.base.basis);
      data.singular_value = smallest_singular_value(data.base.basis);
      if (data.base.basis.rank < as.rank) {
        return {Outcome::Kind::singular, 0, 0.0, data.base.basis.q.row(2).transpose()};
      }
      data.base.eta_o = data.eta_o;
      update_row_bias(model, data.base);
    }
    if (const Outcome outcome = solve_dynamics(model, data); !outcome.ok()) return outcome;
  }
  update_accelerations(model, data);
  if (options.torques) update_torques(model, options, data);
  if (!is_finite(data)) return {Outcome::Kind::non_finite, 0, 0.0, Vector3d::Zero()};
  return {};
}

Vector6d nearest_twist(const Model& model, const Classification& as, const Program& program,
                       double t, const Configuration& at, Data& data) {
  if (!model.planar) return at.eta;
  if (!model.passive.empty()) {  // rows of wheels in loops have the rates of these
    program(t, data.input);
    gather(model, at, data);
    update_poses(model, data);
    if (!update_loops(model, data).ok()) return at.eta;
  }
  update_rows(model, program, t, data, data.base);
  choose_rows(data.base.rows, as, 0.0, data.base.basis);
  const Vector3d x = in_plane(at.eta);
  const Rows& rows = data.base.rows;
  for (int i = 0; i < rows.size; ++i) data.rest(i) = rows.b(i) + rows.a.row(i).dot(x);
  return from_plane(x + solve_rows(data.base.basis, data.rest));
}

Vector6d twist_without_momentum(const Model& model, const Classification& as,
                                const Program& program, double t, const Configuration& at,
                                Data& data) {
  // Momentum is linear in the twist: M_o⁺ η_o plus what the joints have while S_0 stands.
  program(t, data.input);
  gather(model, at, data);
  update_poses(model, data);
  data.eta_o.setZero();
  if (!model.passive.empty() && !update_loops(model, data).ok()) return data.eta_o;
  if (!update_velocities(model, data).ok()) return data.eta_o;
  update_forces(model, at.g.R, data);
  update_composite(model, data);
  Vector6d p = Vector6d::Zero();
  for (Data::Body& body : data.body) body.F = body.momentum;
  for (int j = model.size() - 1; j >= 1; --j) {
    const Data::Body& body = data.body[static_cast<std::size_t>(j)];
    data.body[static_cast<std::size_t>(model.body(j).parent)].F += math::to_parent(body.g, body.F);
  }
  p = data.body[0].F;
  if (!model.planar) return -data.M_o.ldlt().solve(p);
  Configuration standing = at;
  standing.eta.setZero();
  const Vector6d least = nearest_twist(model, as, program, t, standing, data);
  const Vector6d rest = p + data.M_o * least;
  const int free = 3 - data.base.basis.rank;
  Eigen::MatrixXd H(6, free);
  for (int k = 0; k < free; ++k) {
    H.col(k) = from_plane(data.base.basis.q.row(data.base.basis.rank + k).transpose());
  }
  const Eigen::MatrixXd reduced = H.transpose() * data.M_o * H;
  return least - H * reduced.ldlt().solve(Eigen::VectorXd{H.transpose() * rest});
}

}  // namespace coluber::multibody

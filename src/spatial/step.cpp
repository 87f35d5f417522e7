#include "chain/step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "coluber/core/assert.hpp"
#include "coluber/spatial/snake.hpp"

#include "chain/along_the_way.hpp"
#include "chain/memory.hpp"
#include "contact_frame.hpp"
#include "fast_step.hpp"
#include "nonsmooth/solve_step.hpp"
#include "problem.hpp"
#include "rotation.hpp"

namespace coluber::spatial {
namespace {

using nonsmooth::Impulse;
using Part = Data::Origin::Part;

/// Works of the step's impulses, P.(gamma_A + gamma_E)/2 with W at q_M, the impulses on each link,
/// and the link velocities at E.
void update_links(const Model& model, State& state, Data& data, const StepOptions& options) {
  const double dt = options.dt;
  const Pose& pose = data.pose;
  const auto& problem = data.problem;
  StepWork work;
  double T_A = 0.0;
  double T_E = 0.0;
  for (std::size_t k = 0; k < problem.nodes.size(); ++k) {
    const int i = data.link_of_node[k];
    if (i < 0) continue;
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const auto& u = data.solution.twist[k];
    const Vector3d r = pose.r.col(i);
    const Vector3d e_z = pose.e_z.col(i);
    const Vector3d omega = u.head<3>();
    const Vector3d v = u.tail<3>() + omega.cross(r);
    const Vector3d l =
        link.Theta_psi * omega + ((link.Theta_rho - link.Theta_psi) * e_z.dot(omega)) * e_z;
    const Vector3d v_mean = 0.5 * (state.v.col(i) + v);
    const Vector3d omega_mean = 0.5 * (state.omega.col(i) + omega);
    T_A += 0.5 * (link.m * state.v.col(i).squaredNorm() + state.omega.col(i).dot(state.l.col(i)));
    T_E += 0.5 * (link.m * v.squaredNorm() + omega.dot(l));
    work.gravity += link.m * dt * data.weight.dot(v_mean);

    data.ground_impulse.col(i).setZero();
    data.obstacle_impulse.col(i).setZero();
    const auto& node = problem.nodes[k];
    for (int c = node.first_contact; c < node.first_contact + node.contact_count; ++c) {
      const auto index = static_cast<std::size_t>(c);
      const auto& contact = problem.contacts[index];
      const Impulse& P = data.solution.impulse[index];
      const nonsmooth::Twist<6> wrench = nonsmooth::compute_wrench(contact, P);
      const auto done_by = [&](const nonsmooth::Twist<6>& w) {
        const Vector3d force = w.tail<3>();
        const Vector3d torque = w.head<3>() - r.cross(force);
        return force.dot(v_mean) + torque.dot(omega_mean);
      };
      if (data.origin[index].surface == kCylinders) {
        work.contact += done_by(wrench);
        data.obstacle_impulse.col(i) += wrench.tail<3>();
      } else {
        const double normal = contact.shares_normal ? 0.0 : P.N * done_by(contact.w_N);
        work.contact += normal;
        work.friction += done_by(wrench) - normal;
        data.ground_impulse.col(i) += wrench.tail<3>();
      }
    }
    state.v.col(i) = v;
    state.omega.col(i) = omega;
    state.l.col(i) = l;
  }
  chain::update_servo_work(state, data, dt, work);
  chain::close_balance(work, T_A, T_E, data);
}

/// Impulses go to the memory of their points; a point that was not in the problem had none.
void remember_impulses(State& state, Data& data) {
  data.contacts_closed = 0;
  for (auto& near : data.near) {
    near.slide.assign(near.memory.size(), Impulse{});
    near.roll.assign(near.memory.size(), Impulse{});
  }
  for (std::size_t c = 0; c < data.origin.size(); ++c) {
    const Data::Origin& origin = data.origin[c];
    Data::Near& near = data.near[origin.surface];
    const auto point = static_cast<std::size_t>(origin.point);
    const Impulse& P = data.solution.impulse[c];
    Impulse& slide = near.slide[point];
    switch (origin.part) {
      case Part::whole:
        slide = P;
        break;
      case Part::support:
        slide.N = P.N;
        break;
      case Part::friction:
        slide.T = P.T;
        break;
      case Part::rolling:
        near.roll[point] = P;
        break;
    }
    if (origin.part == Part::whole || origin.part == Part::support) {
      near.memory[point].last_active = P.N;
      if (P.N > 0.0) ++data.contacts_closed;
    }
  }
  for (std::size_t surface = 0; surface < kSurfaces; ++surface) {
    Data::Near& near = data.near[surface];
    for (std::size_t point = 0; point < near.memory.size(); ++point) {
      nonsmooth::remember(near.memory[point].sliding, near.slide[point]);
      nonsmooth::remember(near.memory[point].rolling, near.roll[point]);
    }
    chain::hand_over(near.memory, state.near[surface]);
  }
}

/// The step in the plain step: any solver, any contact.
nonsmooth::ContactStepInfo step_plain(const Model& model, State& state, Data& data,
                                      const JointCommand& command, const StepOptions& options) {
  make_problem(model, state, command, options, data);
  lap(data.profile, Phase::problem);
  const nonsmooth::ContactStepInfo info =
      nonsmooth::solve_step(data, options, data.link_of_node, "impulse on link");
  if (info.status == Status::non_finite) {
    return chain::name_non_finite(command, model.axes(), data, info);
  }
  if (chain::is_refused(options, info)) return info;

  chain::take_rates(state, data, command, options.dt);
  update_links(model, state, data, options);
  remember_impulses(state, data);
  return info;
}

/// A step whose command and place are numbers in every part.
nonsmooth::ContactStepInfo step_once(const Model& model, State& state, Data& data,
                                     const JointCommand& command, const StepOptions& options) {
  data.audit.reset();
  chain::place_joints(state, command);
  if (!options.plain && options.audit) make_problem(model, state, command, options, data);
  std::optional<nonsmooth::ContactStepInfo> fast =
      options.plain ? std::nullopt : step_fast(model, state, data, command, options);
  if (fast && options.audit) {
    read_answer(state, data);
    chain::audit(options, data.pose.origin.norm() + data.problem.length_scale, data, *fast);
  }
  const nonsmooth::ContactStepInfo info =
      fast ? *fast : step_plain(model, state, data, command, options);
  if (!fast && chain::is_refused(options, info)) return info;

  // q_M of the next step
  const double dt = options.dt;
  state.r += dt * state.twist.tail<3>();
  state.p = turn(state.p, dt * state.twist.head<3>());
  chain::advance_joints(state, command, dt);
  ++state.k;
  return info;
}

/// The step with contacts found along its motion.
nonsmooth::ContactStepInfo step_far(const Model& model, State& state, Data& data,
                                    const JointCommand& command, const StepOptions& options) {
  StepOptions taking = options;
  taking.refuse = false;
  return chain::step_along_the_way(
      model, state, data, data.cylinders.grid(), options,
      [&] { return step_once(model, state, data, command, taking); },
      [&](int i) -> world::MovingLink {
        return {data.placed[static_cast<std::size_t>(i)], state.v.col(i), state.omega.col(i)};
      },
      [&](int i, int key) {
        const std::pair sought{i, key};
        return std::ranges::any_of(state.near[kCylinders], [&](const ContactMemory& entry) {
          return key_of(entry) == sought;
        });
      },
      [&] {
        compute_pose(model, state.r, state.p, state.phi, data.next_pose);
        return [&](int i) {
          world::PlacedLink placed = data.placed[static_cast<std::size_t>(i)];
          place(data.next_pose, i, placed);
          return placed;
        };
      });
}

}  // namespace

nonsmooth::ContactStepInfo step(const Model& model, State& state, Data& data,
                                const JointCommand& command, const StepOptions& options) {
  // A limit that is no number would compare as none at all, and joints are not put nowhere.
  if (std::isnan(command.tau_max.sum()) || !chain::is_finite_if_prescribed(command)) {
    return chain::name_non_finite(command, model.axes(), data, {});
  }
  COLUBER_ASSERT(command.tau_max.size() == model.angles(), command.tau_max.size(), model.angles());
  COLUBER_ASSERT(state.phi.size() == model.angles(), state.phi.size(), model.angles());
  COLUBER_ASSERT(state.v.cols() == model.n(), state.v.cols(), model.n());
  COLUBER_ASSERT(!(command.tau_max.array() < 0.0).any(), command.tau_max.transpose());
  // A place that is no number would be far from everything.
  if (!state.r.allFinite()) return chain::name_non_finite(command, model.axes(), data, {});
  if (!model.obstacles.empty()) {
    update_way(model, state, options.dt, data);
    const double way = data.way + chain::motor_reach(state, command, data.Theta_min,
                                                     data.problem.length_scale, options.dt);
    if (way > chain::kFar) return step_far(model, state, data, command, options);
  }
  return step_once(model, state, data, command, options);
}

double explicit_servo_limit(const Model& model, const State& state, double k_P, double k_D) {
  if (model.n() < 2) return std::numeric_limits<double>::infinity();
  Data data(model);
  make_problem(model, state, JointCommand(model.angles()), StepOptions{}, data);
  return chain::explicit_servo_limit(nonsmooth::joint_mobility(data.problem, data.solver), k_P,
                                     k_D);
}

}  // namespace coluber::spatial

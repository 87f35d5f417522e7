#include "chain/step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "coluber/planar/snake.hpp"

#include "chain/along_the_way.hpp"
#include "chain/memory.hpp"
#include "fast_step.hpp"
#include "nonsmooth/solve_step.hpp"
#include "problem.hpp"
#include "wheels.hpp"

namespace coluber::planar {
namespace {

using nonsmooth::Impulse;

/// Works of the step's impulses, P.(gamma_A + gamma_E)/2 with W at q_M, and the link velocities at
/// E.
void update_works(const Model& model, State& state, Data& data, const StepOptions& options) {
  const double dt = options.dt;
  const Pose& pose = data.pose;
  const auto& problem = data.problem;
  const VectorXd& start = start_velocities(state, options, data);
  StepWork work;
  double T_A = 0.0;
  double T_E = 0.0;
  const auto shafts = static_cast<std::size_t>(data.shafts);
  for (std::size_t k = shafts; k < problem.nodes.size(); ++k) {
    const int i = data.link_of_node[k];
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const auto& u = data.solution.twist[k];
    const Vector3d u_A = start.segment<3>(3 * i);
    const Vector3d u_E{u(1) - u(0) * pose.r(1, i), u(2) + u(0) * pose.r(0, i), u(0)};
    const Vector3d mean = 0.5 * (u_A + u_E);
    T_A += 0.5 * (link.m * u_A.head<2>().squaredNorm() + link.Theta * u_A(2) * u_A(2));
    T_E += 0.5 * (link.m * u_E.head<2>().squaredNorm() + link.Theta * u_E(2) * u_E(2));
    work.gravity += link.m * dt * data.pull.dot(mean.head<2>());

    data.ground_impulse.col(i).setZero();
    data.obstacle_impulse.col(i).setZero();
    if (data.viscous) {  // Transeth (6.26)
      const Vector3d eta = dt * data.viscosity.col(i);
      const double c = pose.cos(i);
      const double s = pose.sin(i);
      const double P_1 = -eta(1) * (c * u_E(0) + s * u_E(1));
      const double P_2 = -eta(2) * (c * u_E(1) - s * u_E(0));
      const Vector3d P{c * P_1 - s * P_2, s * P_1 + c * P_2, -eta(0) * u_E(2)};
      work.friction += P.dot(mean);
      data.ground_impulse.col(i) += P.head<2>();
    }
    // `slide` (m/s): how fast the shaft moves them along the link
    const auto add_contacts = [&](const nonsmooth::Node<3>& node, double slide) {
      for (int c = node.first_contact; c < node.first_contact + node.contact_count; ++c) {
        const auto index = static_cast<std::size_t>(c);
        const auto& contact = problem.contacts[index];
        const Impulse& P = data.solution.impulse[index];
        const nonsmooth::Twist<3> wrench =
            P.N * contact.w_N + P.T.x() * contact.w_1 + P.T.y() * contact.w_2;
        const double torque = wrench(0) - (pose.r(0, i) * wrench(2) - pose.r(1, i) * wrench(1));
        const double done = wrench(1) * mean(0) + wrench(2) * mean(1) + torque * mean(2) +
                            slide * (pose.cos(i) * wrench(1) + pose.sin(i) * wrench(2));
        if (data.near_of_contact[index] < 0) {
          work.friction += done;
          data.ground_impulse.col(i) += wrench.tail<2>();
        } else {
          work.contact += done;
          data.obstacle_impulse.col(i) += wrench.tail<2>();
        }
      }
    };
    if (shafts > 0) {
      const double L_w = model.axles[static_cast<std::size_t>(i)].L_w;
      add_contacts(problem.nodes[k - shafts], 0.5 * L_w * (state.omega_2(i) + state.omega(i)));
    }
    add_contacts(problem.nodes[k], 0.0);
    state.u.segment<3>(3 * i) = u_E;
  }
  chain::update_servo_work(state, data, dt, work);
  if (shafts > 0) {
    add_shaft_works(state, data, dt, work);
    T_A += shaft_energy(model, state.omega_2);
    T_E += shaft_energy(model, state.omega);
  }
  chain::close_balance(work, T_A, T_E, data);
}

/// Rates at E and torques of the shafts.
void take_shafts(const Model& model, State& state, Data& data, const JointCommand& command,
                 double dt) {
  push_shafts(state);
  for (std::size_t k = 0; k < static_cast<std::size_t>(data.shafts); ++k) {
    const int i = data.link_of_node[k];
    const double L_w = model.axles[static_cast<std::size_t>(i)].L_w;
    const double rate = data.solution.rate[k];
    const double impulse = nonsmooth::joint_impulse(data.problem.nodes[k], rate);
    state.omega(i) = rate / L_w;
    data.tau_w(i) = chain::mean_torque(L_w * impulse, dt, command.shafts.tau_max(i));
  }
}

/// The step in the plain step: any solver, any contact.
nonsmooth::ContactStepInfo step_plain(const Model& model, State& state, Data& data,
                                      const JointCommand& command, const StepOptions& options) {
  fill_problem(model, state, command, options, data);
  lap(data.profile, Phase::problem);

  const nonsmooth::ContactStepInfo info =
      nonsmooth::solve_step(data, options, data.link_of_node, "impulse on link");
  if (info.status == Status::non_finite) return chain::name_non_finite(command, 1, data, info);
  if (chain::is_refused(options, info)) return info;

  chain::take_rates(state, data, command, options.dt);
  if (data.shafts > 0) take_shafts(model, state, data, command, options.dt);
  update_works(model, state, data, options);

  for (std::size_t k = 0; k < data.problem.nodes.size(); ++k) {
    const auto& node = data.problem.nodes[k];
    for (int c = node.first_contact; c < node.first_contact + node.contact_count; ++c) {
      const auto index = static_cast<std::size_t>(c);
      const Impulse& P = data.solution.impulse[index];
      if (const int near = data.near_of_contact[index]; near < 0) {
        const int point = data.link_of_node[k] * model.friction_points + (-1 - near);
        remember(state.ground[static_cast<std::size_t>(point)], P);
      } else {
        ObstacleMemory& entry = data.next_near[static_cast<std::size_t>(near)];
        remember(entry.point, P);
        entry.last_active = P.N;
      }
    }
  }
  return info;
}

/// A step whose contacts have been found.
nonsmooth::ContactStepInfo step_once(const Model& model, State& state, Data& data,
                                     const JointCommand& command, const StepOptions& options) {
  data.audit.reset();
  const bool try_fast = options.solver == Solver::newton && !options.plain;
  if (try_fast && options.audit) fill_problem(model, state, command, options, data);
  std::optional<nonsmooth::ContactStepInfo> fast =
      try_fast ? step_fast(model, state, data, command, options) : std::nullopt;
  if (fast && options.audit) {
    read_answer(model, state, data);
    chain::audit(options, data.pose.origin.norm() + data.problem.length_scale, data, *fast);
  }
  const nonsmooth::ContactStepInfo info =
      fast ? *fast : step_plain(model, state, data, command, options);
  if (!fast && chain::is_refused(options, info)) return info;
  // what the step started with and the state had not is the scheme's
  if (options.minimal_coordinates) data.work.scheme += data.T_minimal;
  chain::hand_over(data.next_near, state.near);

  // q_M of the next step
  const double dt = options.dt;
  state.base(0) += dt * state.twist(1);
  state.base(1) += dt * state.twist(2);
  state.base(2) += dt * state.twist(0);
  chain::advance_joints(state, command, dt);
  if (data.shafts > 0) state.wheel += dt * state.omega;
  ++state.k;
  return info;
}

/// Link i at a pose, as surfaces see it.
world::PlacedLink place(const Model& model, const Pose& pose, int i) {
  const Link& link = model.links[static_cast<std::size_t>(i)];
  world::PlacedLink placed;
  placed.centre << pose.r.col(i) + pose.origin, 0.0;
  placed.axis << pose.cos(i), pose.sin(i), 0.0;
  placed.rear = -link.L_GS - link.offset;
  placed.front = link.L_GS - link.offset;
  placed.radius = link.L_SC;
  return placed;
}

/// The step with contacts found along its motion.
nonsmooth::ContactStepInfo step_far(const Model& model, State& state, Data& data,
                                    const JointCommand& command, const StepOptions& options) {
  StepOptions taking = options;
  taking.refuse = false;
  return chain::step_along_the_way(
      model, state, data, data.grid, options,
      [&] {
        if (!data.on_the_way.empty()) find_contacts(model, state, options, data);
        return step_once(model, state, data, command, taking);
      },
      [&](int i) -> world::MovingLink {
        return {place(model, data.pose, i),
                {state.u(3 * i), state.u(3 * i + 1), 0.0},
                {0.0, 0.0, state.u(3 * i + 2)}};
      },
      [&](int i, int key) {
        const std::pair sought{data.node_of_link[static_cast<std::size_t>(i)], key / 2};
        return std::ranges::any_of(
            state.near, [&](const ObstacleMemory& entry) { return key_of(entry) == sought; });
      },
      [&] {
        compute_pose(model, state.base, state.phi, data.next_pose);
        return [&](int i) { return place(model, data.next_pose, i); };
      });
}

}  // namespace

nonsmooth::ContactStepInfo step(const Model& model, State& state, Data& data,
                                const JointCommand& command, const StepOptions& options) {
  // A limit that is no number would compare as none at all, and joints are not put nowhere.
  if (std::isnan(command.tau_max.sum()) || std::isnan(command.shafts.tau_max.sum()) ||
      !chain::is_finite_if_prescribed(command))
    return chain::name_non_finite(command, 1, data, {});
  chain::place_joints(state, command);
  find_contacts(model, state, options, data);
  if (!model.obstacles.empty() &&
      data.way + chain::motor_reach(state, command, data.Theta_min, data.problem.length_scale,
                                    options.dt) >
          chain::kFar) {
    return step_far(model, state, data, command, options);
  }
  return step_once(model, state, data, command, options);
}

double explicit_servo_limit(const Model& model, const State& state, double k_P, double k_D) {
  if (model.n() < 2) return std::numeric_limits<double>::infinity();
  Model dry = model;  // viscous impulses stand beside the inertia in the problem, and are none
  dry.mu_V.setZero();
  dry.c_R = 0.0;
  dry.axles.clear();
  Data data(dry);
  make_problem(dry, state, JointCommand(model.n() - 1), StepOptions{}, data);
  return chain::explicit_servo_limit(nonsmooth::joint_mobility(data.problem, data.solver), k_P,
                                     k_D);
}

}  // namespace coluber::planar

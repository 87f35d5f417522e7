#include "fast_step.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "coluber/core/code_path.hpp"

#include "chain/links.hpp"
#include "chain/step.hpp"
#include "nonsmooth/constants.hpp"
#include "nonsmooth/solve_step.hpp"
#include "problem.hpp"
#include "wheels.hpp"

namespace coluber::planar {
namespace {

using nonsmooth::Law;

using nonsmooth::kLostDigits;
using nonsmooth::kRigidShare;

// Kernels compiled for other processors return these: no constructors (fast_kernel.hpp).
static_assert(std::is_trivially_default_constructible_v<FastSolve> &&
              std::is_trivially_default_constructible_v<FastResidual> &&
              std::is_trivially_default_constructible_v<FastRounding> &&
              std::is_trivially_default_constructible_v<FastWork>);

FastKernels kernels_for_this_processor(bool wheels) {
#if defined(__x86_64__)
  if (code_path() != "portable") return avx2_fast_kernels(wheels);
#endif
  return portable_fast_kernels(wheels);
}

/// Servos of the shafts, and the guess of their rims' speeds.
void load_shafts(const Model& model, const State& state, const ShaftCommand& command, double dt,
                 FastStep& fast) {
  FastArrays& k = fast.arrays;
  const bool three = state.k >= 3;
  k.rims_limited = (command.tau_max.array() < std::numeric_limits<double>::infinity()).any();
  for (int i = 0; i < model.n(); ++i) {
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    const Axle& axle = model.axles[static_cast<std::size_t>(i)];
    const RimServo servo = make_rim_servo(command, axle, i, dt);
    k.rim_sd[slot] = servo.sd;
    k.rim_sr[slot] = servo.sr;
    k.rim_limit[slot] = servo.limit;
    k.rim_A[slot] = axle.L_w * state.omega(i);
    k.rim[slot] = axle.L_w * extrapolate(three, state.omega(i), state.omega_2(i), state.omega_3(i));
  }
}

/// Rates and torques of the shafts.
void unload_shafts(const Model& model, State& state, Data& data, const ShaftCommand& command,
                   double dt, const FastStep& fast) {
  const FastArrays& k = fast.arrays;
  push_shafts(state);
  for (int i = 0; i < model.n(); ++i) {
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    const double L_w = model.axles[static_cast<std::size_t>(i)].L_w;
    const double impulse = std::clamp(k.rim_sr[slot] - k.rim_sd[slot] * k.rim[slot],
                                      -k.rim_limit[slot], k.rim_limit[slot]);
    state.omega(i) = k.rim[slot] / L_w;
    data.tau_w(i) = chain::mean_torque(L_w * impulse, dt, command.tau_max(i));
  }
}

/// Pose, velocities, servos and the guess, from the state and the command.
void load(const Model& model, const State& state, const JointCommand& command,
          const StepOptions& options, const Data& data, FastStep& fast) {
  FastArrays& k = fast.arrays;
  const double dt = options.dt;
  const int b = model.base();
  const bool three = state.k >= 3;
  const VectorXd& u_A = start_velocities(state, options, data);
  k.pull_x = dt * data.pull.x();
  k.pull_y = dt * data.pull.y();
  const double load_per_mass = data.load * dt;
  for (int i = 0; i < model.n(); ++i) {
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    k.c[slot] = data.pose.cos(i);
    k.s[slot] = data.pose.sin(i);
    k.x[slot] = data.pose.r(0, i);
    k.y[slot] = data.pose.r(1, i);
    k.u_x[slot] = u_A(3 * i);
    k.u_y[slot] = u_A(3 * i + 1);
    k.u_w[slot] = u_A(3 * i + 2);
    for (int p = 0; p < k.points; ++p) {
      const int point = i * k.points + p;
      const PointMemory& memory = state.ground[static_cast<std::size_t>(point)];
      const bool full = memory.closed >= 3;
      k.T_1[p][slot] = extrapolate(full, memory.x_1.T.x(), memory.x_2.T.x(), memory.x_3.T.x());
      k.T_2[p][slot] = extrapolate(full, memory.x_1.T.y(), memory.x_2.T.y(), memory.x_3.T.y());
      k.A_1[p][slot] = memory.x_1.T.x();
      k.A_2[p][slot] = memory.x_1.T.y();
      k.R[p][slot] = k.m[slot] * load_per_mass * data.load_share(p, i);
    }
  }
  k.limited = (command.tau_max.array() < std::numeric_limits<double>::infinity()).any();
  for (int joint = 0; joint < model.n() - 1; ++joint) {
    const int slot = fast.slot_of_joint[static_cast<std::size_t>(joint)];
    const double sign = joint < b ? -1.0 : 1.0;
    const chain::Servo servo =
        chain::make_servo(command, joint, state.phi(joint), dt, data.Theta_min);
    k.sd[slot] = servo.sd;
    k.sr[slot] = sign * servo.sr;
    k.limit[slot] = servo.limit;
    k.rate[slot] = sign * extrapolate(three, state.phidot(joint), state.phidot_2(joint),
                                      state.phidot_3(joint));
  }
  if (model.has_wheels()) load_shafts(model, state, command.shafts, dt, fast);
  const Vector3d root = extrapolate(three, state.twist, state.twist_2, state.twist_3);
  k.root_w = root(0);
  k.root_x = root(1);
  k.root_y = root(2);

  for (int i = 0; k.viscous && i < model.n(); ++i) {
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    k.eta_0[slot] = dt * data.viscosity(0, i);
    k.eta_1[slot] = dt * data.viscosity(1, i);
    k.eta_2[slot] = dt * data.viscosity(2, i);
  }

  fast.contacts.clear();
  for (const Data::Touch& touch : data.touching) {
    const int i = data.link_of_node[static_cast<std::size_t>(touch.node)];
    const Gap& gap = touch.gap;
    const double x = data.pose.r(0, i) + gap.s_c * data.pose.cos(i);
    const double y = data.pose.r(1, i) + gap.s_c * data.pose.sin(i);
    FastContact contact;
    contact.slot = fast.slot[static_cast<std::size_t>(i)];
    contact.w_0 = x * gap.normal.y() - y * gap.normal.x();
    contact.w_1 = gap.normal.x();
    contact.w_2 = gap.normal.y();
    contact.b = chain::landing_speed(gap.g, options);
    contact.c =
        chain::contact_compliance(model.links[static_cast<std::size_t>(i)].m, data.least_mass) *
        data.obstacle_give;
    contact.P = predict(data.next_near[static_cast<std::size_t>(touch.near)].point).N;
    fast.contacts.push_back(contact);
  }
  k.contacts = fast.contacts.data();
  k.contact_count = static_cast<int>(fast.contacts.size());
}

void use_law(Law law, FastStep& fast) {
  if (fast.law == law) return;
  fast.law = law;
  const std::vector<double>& c_t = law == Law::rigid ? fast.c_t_rigid : fast.c_t_anchored;
  for (std::size_t i = 0; i < c_t.size(); ++i) {
    fast.arrays.c_t[i] = c_t[i];
    fast.arrays.inverse_c_t[i] = fast.arrays.m[i] > 0.0 ? 1.0 / c_t[i] : 0.0;
  }
}

/// Velocities, impulses, torques and works of the step into the state and the results.
void unload(const Model& model, State& state, Data& data, const JointCommand& command, double dt,
            FastStep& fast) {
  FastArrays& k = fast.arrays;
  const int b = model.base();
  data.obstacle_impulse.setZero();
  StepWork work;
  for (std::size_t n = 0; n < data.touching.size(); ++n) {
    const Data::Touch& touch = data.touching[n];
    const FastContact& contact = fast.contacts[n];
    const int i = data.link_of_node[static_cast<std::size_t>(touch.node)];
    const int slot = contact.slot;
    const Vector2d force = contact.P * touch.gap.normal;
    data.obstacle_impulse.col(i) += force;
    // mean of the velocities at A and E of the link's centre, and its turn
    const double w = k.w[slot];
    const double mean_x = 0.5 * (k.u_x[slot] + (k.v_x[slot] - k.y[slot] * w));
    const double mean_y = 0.5 * (k.u_y[slot] + (k.v_y[slot] + k.x[slot] * w));
    const double mean_w = 0.5 * (k.u_w[slot] + w);
    const double torque = contact.P * contact.w_0 - (k.x[slot] * force.y() - k.y[slot] * force.x());
    work.contact += force.x() * mean_x + force.y() * mean_y + torque * mean_w;
    ObstacleMemory& entry = data.next_near[static_cast<std::size_t>(touch.near)];
    remember(entry.point, {contact.P, Vector2d::Zero()});
    entry.last_active = contact.P;
  }
  const FastWork done = fast.kernels.finish(k);

  chain::push_twist(state, Vector3d{k.root_w, k.root_x, k.root_y});
  chain::push_rates(state);
  for (int i = 0; i < model.n(); ++i) {
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    state.u(3 * i) = k.u_x[slot];
    state.u(3 * i + 1) = k.u_y[slot];
    state.u(3 * i + 2) = k.u_w[slot];
    data.ground_impulse(0, i) = k.f_x[slot];
    data.ground_impulse(1, i) = k.f_y[slot];
    for (int p = 0; p < k.points; ++p) {
      const int point = i * k.points + p;
      remember(state.ground[static_cast<std::size_t>(point)],
               {k.R[p][slot], {k.T_1[p][slot], k.T_2[p][slot]}});
    }
  }
  for (int joint = 0; joint < model.n() - 1; ++joint) {
    const int slot = fast.slot_of_joint[static_cast<std::size_t>(joint)];
    const double sign = joint < b ? -1.0 : 1.0;
    state.phidot(joint) = sign * k.rate[slot];
    data.tau(joint) = chain::mean_torque(sign * (k.sr[slot] - k.sd[slot] * k.rate[slot]), dt,
                                         command.tau_max(joint));
  }
  chain::update_servo_work(state, data, dt, work);
  if (model.has_wheels()) {
    unload_shafts(model, state, data, command.shafts, dt, fast);
    add_shaft_works(state, data, dt, work);
  }
  work.friction = done.friction;
  work.gravity = done.gravity;
  chain::close_balance(work, done.T_A, done.T_E, data);
}

}  // namespace

FastStep::FastStep(const Model& model, const Data& data, std::size_t pairs)
    : kernels(kernels_for_this_processor(model.has_wheels())) {
  FastArrays& k = arrays;
  const int n = model.n();
  const int b = model.base();
  const chain::Slots slots_of(n);
  k.pairs = slots_of.pairs;
  k.root = slots_of.root;
  k.slots = (k.root + 1 + 3) / 4 * 4;
  k.points = model.mu_T.maxCoeff() > 0.0 && data.load > 0.0 ? model.friction_points : 0;
  k.mu_1 = model.mu_T.x();
  k.mu_2 = model.mu_T.y();
  k.viscous = data.viscous;
  k.length = data.problem.length_scale;

  const std::initializer_list<double**> all{
      &k.m,          &k.Theta,  &k.arm,     &k.a[0],    &k.a[1],    &k.c_t,     &k.inverse_c_t,
      &k.c,          &k.s,      &k.x,       &k.y,       &k.s_1,     &k.s_2,     &k.t_1,
      &k.t_2,        &k.u_x,    &k.u_y,     &k.u_w,     &k.p_0,     &k.p_1,     &k.p_2,
      &k.sd,         &k.sr,     &k.limit,   &k.R[0],    &k.R[1],    &k.A_1[0],  &k.A_1[1],
      &k.A_2[0],     &k.A_2[1], &k.rate,    &k.T_1[0],  &k.T_1[1],  &k.T_2[0],  &k.T_2[1],
      &k.w,          &k.v_x,    &k.v_y,     &k.f_x,     &k.f_y,     &k.q_1[0],  &k.q_1[1],
      &k.q_2[0],     &k.q_2[1], &k.k_11[0], &k.k_11[1], &k.k_12[0], &k.k_12[1], &k.k_22[0],
      &k.k_22[1],    &k.G_00,   &k.G_01,    &k.G_02,    &k.G_11,    &k.G_12,    &k.G_22,
      &k.r_0,        &k.r_1,    &k.r_2,     &k.sd_used, &k.sr_used, &k.V_0,     &k.V_1,
      &k.V_2,        &k.e,      &k.d_0,     &k.d_1,     &k.d_2,     &k.eta_0,   &k.eta_1,
      &k.eta_2,      &k.b[0],   &k.b[1],    &k.J,       &k.rim_sd,  &k.rim_sr,  &k.rim_limit,
      &k.rim_A,      &k.rim,    &k.Z_0,     &k.Z_1,     &k.Z_2,     &k.rim_e,   &k.rim_sd_used,
      &k.rim_sr_used};
  const auto slots = static_cast<std::size_t>(k.slots);
  storage.assign(all.size() * slots, 0.0);
  double* next = storage.data();
  for (double** array : all) {
    *array = next;
    next += slots;
  }
  contacts.reserve(pairs);

  const double mu = model.mu_T.maxCoeff();
  const double least_mass = chain::least_contact_mass(model.links);
  c_t_anchored.assign(slots, 1.0);
  c_t_rigid.assign(slots, 1.0);
  std::fill(k.sd, k.sd + slots, 1.0);
  std::fill(k.limit, k.limit + slots, std::numeric_limits<double>::infinity());
  std::fill(k.c, k.c + slots, 1.0);
  std::fill(k.J, k.J + slots, 1.0);
  std::fill(k.rim_limit, k.rim_limit + slots, std::numeric_limits<double>::infinity());
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const int at = slots_of.of(i);
    slot.push_back(at);
    if (i != b) slot_of_joint.push_back(at);
    k.m[at] = link.m;
    k.Theta[at] = link.Theta;
    if (i != b) k.arm[at] = chain::arm_to_root(link, i > b);
    for (int p = 0; p < k.points; ++p) k.a[p][at] = friction_arm(model, i, p);
    if (model.has_wheels()) {
      const Axle& axle = model.axles[static_cast<std::size_t>(i)];
      k.J[at] = rim_inertia(axle);
      for (int p = 0; p < 2; ++p) k.b[p][at] = wheel_side(axle, p);
    }
    const double c = chain::contact_compliance(link.m, least_mass);
    c_t_anchored[static_cast<std::size_t>(at)] = c * mu * mu;
    c_t_rigid[static_cast<std::size_t>(at)] =
        kRigidShare * kEpsilon / std::max(link.m, least_mass) * mu * mu;
  }
  law = Law::rigid;  // so that the arrays are filled
  use_law(Law::anchored, *this);
}

std::optional<nonsmooth::ContactStepInfo> step_fast(const Model& model, State& state, Data& data,
                                                    const JointCommand& command,
                                                    const StepOptions& options) {
  if (command.prescribed) return std::nullopt;
  for (const Data::Touch& touch : data.touching) {
    const ObstacleMemory& entry = data.next_near[static_cast<std::size_t>(touch.near)];
    if (model.obstacles[static_cast<std::size_t>(entry.obstacle)].mu > 0.0) return std::nullopt;
  }
  FastStep& fast = *data.fast;
  load(model, state, command, options, data, fast);
  use_law(options.law, fast);
  fast.kernels.prepare(fast.arrays);
  lap(data.profile, Phase::problem);
  const double impulse_scale = data.weight_scale * options.dt;
  nonsmooth::ContactStepInfo info;
  const bool solved =
      chain::settle(fast, options, impulse_scale, kLostDigits * impulse_scale, info.iterations)
          .has_value();
  lap(data.profile, Phase::solve);
  if (!solved) return std::nullopt;

  chain::report(fast.kernels.residual(fast.arrays), impulse_scale, info);
  const bool good = nonsmooth::bears_out(
      info.residual_law, info.residual_momentum, options.newton.tolerance,
      [&]() -> nonsmooth::Rounding {
        const FastRounding rounding = fast.kernels.rounding(fast.arrays);
        return {rounding.law / impulse_scale, rounding.momentum / impulse_scale};
      });
  lap(data.profile, Phase::residual);
  if (!good) return std::nullopt;

  unload(model, state, data, command, options.dt, fast);
  return info;
}

// Velocities and impulses are read from the state, not from the arrays: so the audit covers how
// they got there, too. Proximal terms are not part of the state.
void read_answer(const Model& model, const State& state, Data& data) {
  const FastArrays& k = data.fast->arrays;
  nonsmooth::Solution<3>& answer = data.solution;
  answer.root = state.twist;
  answer.proximal.assign(data.problem.contacts.size(), nonsmooth::Proximal{});
  for (std::size_t node = 0; node < data.problem.nodes.size(); ++node) {
    if (const int joint = data.angle_of_node[node]; joint >= 0) {
      answer.rate[node] = state.phidot(joint);
    }
    const int i = data.link_of_node[node];
    const int slot = data.fast->slot[static_cast<std::size_t>(i)];
    if (node < static_cast<std::size_t>(data.shafts)) {
      answer.rate[node] = model.axles[static_cast<std::size_t>(i)].L_w * state.omega(i);
    }
    const int first = data.problem.nodes[node].first_contact;
    for (int c = first; c < first + data.problem.nodes[node].contact_count; ++c) {
      const auto index = static_cast<std::size_t>(c);
      if (const int near = data.near_of_contact[index]; near < 0) {
        const int p = -1 - near;
        const int point = i * model.friction_points + p;
        answer.impulse[index] = state.ground[static_cast<std::size_t>(point)].x_1;
        answer.proximal[index] = {k.c_t[slot], {k.A_1[p][slot], k.A_2[p][slot]}};
      } else {
        answer.impulse[index] = data.next_near[static_cast<std::size_t>(near)].point.x_1;
      }
    }
  }
}

}  // namespace coluber::planar

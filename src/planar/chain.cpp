#include "chain.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "coluber/core/assert.hpp"
#include "coluber/core/code_path.hpp"

#include "nonsmooth/constants.hpp"
#include "nonsmooth/solve_step.hpp"
#include "problem.hpp"

namespace coluber::planar {
namespace {

using nonsmooth::Impulse;
using nonsmooth::Law;

using nonsmooth::kLostDigits;
using nonsmooth::kRigidShare;

// Kernels compiled for other processors return these: no constructors (chain_kernel.hpp).
static_assert(std::is_trivially_default_constructible_v<ChainSolve> &&
              std::is_trivially_default_constructible_v<ChainResidual> &&
              std::is_trivially_default_constructible_v<ChainRounding> &&
              std::is_trivially_default_constructible_v<ChainWork>);

ChainKernels kernels_for_this_processor() {
#if defined(__x86_64__)
  if (code_path() != "portable") return avx2_chain_kernels();
#endif
  return portable_chain_kernels();
}

/// Pose, velocities, servos and the guess, from the state and the command.
void load(const Model& model, const State& state, const JointCommand& command,
          const StepOptions& options, const Data& data, Chain& chain) {
  ChainArrays& k = chain.arrays;
  const double dt = options.dt;
  const int b = model.base();
  const bool three = state.k >= 3;
  const VectorXd& u_A = start_velocities(state, options, data);
  k.pull_x = dt * data.pull.x();
  k.pull_y = dt * data.pull.y();
  k.limited = false;
  for (int i = 0; i < model.n(); ++i) {
    const int slot = chain.slot[static_cast<std::size_t>(i)];
    k.c[slot] = data.pose.cos(i);
    k.s[slot] = data.pose.sin(i);
    k.x[slot] = data.pose.r(0, i);
    k.y[slot] = data.pose.r(1, i);
    k.u_x[slot] = u_A(3 * i);
    k.u_y[slot] = u_A(3 * i + 1);
    k.u_w[slot] = u_A(3 * i + 2);
    if (i == b) continue;
    const int joint = i > b ? i - 1 : i;
    const double sign = i > b ? 1.0 : -1.0;
    const double sd = dt * command.k_D(joint) + 0.5 * dt * dt * command.k_P(joint);
    COLUBER_ASSERT(!(command.tau_max(joint) < 0.0), joint, command.tau_max(joint));
    const double limit = dt * command.tau_max(joint);
    double sr =
        dt * (command.tau(joint) + command.k_P(joint) * (command.phi_d(joint) - state.phi(joint)) +
              command.k_D(joint) * command.phidot_d(joint));
    if (sd == 0.0) sr = std::clamp(sr, -limit, limit);
    k.sd[slot] = sd;
    k.sr[slot] = sign * sr;
    k.limit[slot] = limit;
    k.limited = k.limited || limit < std::numeric_limits<double>::infinity();
    k.rate[slot] = sign * extrapolate(three, state.phidot(joint), state.phidot_2(joint),
                                      state.phidot_3(joint));
  }
  const Vector3d root = extrapolate(three, state.twist, state.twist_2, state.twist_3);
  k.root_w = root(0);
  k.root_x = root(1);
  k.root_y = root(2);

  for (int i = 0; k.viscous && i < model.n(); ++i) {
    const int slot = chain.slot[static_cast<std::size_t>(i)];
    k.eta_0[slot] = dt * data.viscosity(0, i);
    k.eta_1[slot] = dt * data.viscosity(1, i);
    k.eta_2[slot] = dt * data.viscosity(2, i);
  }

  const double load_per_mass = data.load * dt;
  for (int i = 0; i < model.n(); ++i) {
    const int slot = chain.slot[static_cast<std::size_t>(i)];
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
  chain.contacts.clear();
  for (const Data::Touch& touch : data.touching) {
    const int i = data.link_of_node[static_cast<std::size_t>(touch.node)];
    const Gap& gap = touch.gap;
    const double x = data.pose.r(0, i) + gap.s_c * data.pose.cos(i);
    const double y = data.pose.r(1, i) + gap.s_c * data.pose.sin(i);
    ChainContact contact;
    contact.slot = chain.slot[static_cast<std::size_t>(i)];
    contact.w_0 = x * gap.normal.y() - y * gap.normal.x();
    contact.w_1 = gap.normal.x();
    contact.w_2 = gap.normal.y();
    contact.b = landing_speed(gap, options);
    contact.c = kEpsilon / model.links[static_cast<std::size_t>(i)].m;
    contact.P = predict(data.next_near[static_cast<std::size_t>(touch.near)].point).N;
    chain.contacts.push_back(contact);
  }
  k.contacts = chain.contacts.data();
  k.contact_count = static_cast<int>(chain.contacts.size());
}

void use_law(Law law, Chain& chain) {
  if (chain.law == law) return;
  chain.law = law;
  const std::vector<double>& c_t = law == Law::rigid ? chain.c_t_rigid : chain.c_t_anchored;
  for (std::size_t i = 0; i < c_t.size(); ++i) {
    chain.arrays.c_t[i] = c_t[i];
    chain.arrays.inverse_c_t[i] = chain.arrays.m[i] > 0.0 ? 1.0 / c_t[i] : 0.0;
  }
}

/// Newton; law `rigid` with its proximal term moved along. False if it did not settle.
bool solve(Chain& chain, const StepOptions& options, double impulse_scale, StepInfo& info) {
  ChainArrays& k = chain.arrays;
  const double tolerance = options.newton.tolerance * impulse_scale;
  const double lost = kLostDigits * impulse_scale;
  int& sweeps = info.iterations;
  if (options.law == Law::anchored) {
    const ChainSolve result = chain.kernels.solve(k, tolerance, lost, options.newton.max_sweeps);
    sweeps = result.sweeps;
    return result.settled;
  }
  const int max_sweeps = options.newton.max_sweeps + options.newton.max_sweeps / 3;
  while (sweeps < max_sweeps) {
    const ChainSolve result = chain.kernels.solve(k, tolerance, lost, max_sweeps - sweeps);
    sweeps += result.sweeps;
    if (!result.settled) return false;
    const double gap = chain.kernels.gap(k);
    if (gap <= options.newton.gap * impulse_scale) return true;
    chain.kernels.move_anchors(k);
  }
  return false;
}

/// Velocities, impulses, torques and works of the step into the state and the results.
void unload(const Model& model, State& state, Data& data, const JointCommand& command, double dt,
            Chain& chain) {
  ChainArrays& k = chain.arrays;
  const int b = model.base();
  data.obstacle_impulse.setZero();
  StepWork work;
  for (std::size_t n = 0; n < data.touching.size(); ++n) {
    const Data::Touch& touch = data.touching[n];
    const ChainContact& contact = chain.contacts[n];
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
  const ChainWork done = chain.kernels.finish(k);

  state.twist_3 = state.twist_2;
  state.twist_2 = state.twist;
  state.twist << k.root_w, k.root_x, k.root_y;
  state.phidot_3.swap(state.phidot_2);
  state.phidot_2.swap(state.phidot);
  for (int i = 0; i < model.n(); ++i) {
    const int slot = chain.slot[static_cast<std::size_t>(i)];
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
    if (i == b) continue;
    const int joint = i > b ? i - 1 : i;
    const double sign = i > b ? 1.0 : -1.0;
    state.phidot(joint) = sign * k.rate[slot];
    // dt tau_max / dt may round up
    const double tau_max = command.tau_max(joint);
    const double tau = sign * (k.sr[slot] - k.sd[slot] * k.rate[slot]) / dt;
    data.tau(joint) = std::clamp(tau, -tau_max, tau_max);
    work.servo += 0.5 * dt * data.tau(joint) * (state.phidot_2(joint) + state.phidot(joint));
  }
  work.friction = done.friction;
  work.gravity = done.gravity;
  work.scheme = done.T_E - done.T_A - work.servo - work.friction - work.contact - work.gravity;
  data.work = work;
  data.kinetic_energy = done.T_E;
}

}  // namespace

Chain::Chain(const Model& model, const Data& data, std::size_t pairs)
    : kernels(kernels_for_this_processor()) {
  ChainArrays& k = arrays;
  const int n = model.n();
  const int b = model.base();
  k.pairs = std::max(b, n - 1 - b);
  k.root = 2 * k.pairs;
  k.slots = (k.root + 1 + 3) / 4 * 4;
  k.points = model.mu_T.maxCoeff() > 0.0 && data.load > 0.0 ? model.friction_points : 0;
  k.mu_1 = model.mu_T.x();
  k.mu_2 = model.mu_T.y();
  k.viscous = data.viscous;
  k.length = data.problem.length_scale;

  const std::initializer_list<double**> all{
      &k.m,       &k.Theta,  &k.arm,     &k.a[0],    &k.a[1],    &k.c_t,     &k.inverse_c_t,
      &k.c,       &k.s,      &k.x,       &k.y,       &k.s_1,     &k.s_2,     &k.t_1,
      &k.t_2,     &k.u_x,    &k.u_y,     &k.u_w,     &k.p_0,     &k.p_1,     &k.p_2,
      &k.sd,      &k.sr,     &k.limit,   &k.R[0],    &k.R[1],    &k.A_1[0],  &k.A_1[1],
      &k.A_2[0],  &k.A_2[1], &k.rate,    &k.T_1[0],  &k.T_1[1],  &k.T_2[0],  &k.T_2[1],
      &k.w,       &k.v_x,    &k.v_y,     &k.f_x,     &k.f_y,     &k.q_1[0],  &k.q_1[1],
      &k.q_2[0],  &k.q_2[1], &k.k_11[0], &k.k_11[1], &k.k_12[0], &k.k_12[1], &k.k_22[0],
      &k.k_22[1], &k.G_00,   &k.G_01,    &k.G_02,    &k.G_11,    &k.G_12,    &k.G_22,
      &k.r_0,     &k.r_1,    &k.r_2,     &k.sd_used, &k.sr_used, &k.V_0,     &k.V_1,
      &k.V_2,     &k.e,      &k.d_0,     &k.d_1,     &k.d_2,     &k.eta_0,   &k.eta_1,
      &k.eta_2};
  const auto slots = static_cast<std::size_t>(k.slots);
  storage.assign(all.size() * slots, 0.0);
  double* next = storage.data();
  for (double** array : all) {
    *array = next;
    next += slots;
  }
  contacts.reserve(pairs);

  const double mu = model.mu_T.maxCoeff();
  c_t_anchored.assign(slots, 1.0);
  c_t_rigid.assign(slots, 1.0);
  std::fill(k.sd, k.sd + slots, 1.0);
  std::fill(k.limit, k.limit + slots, std::numeric_limits<double>::infinity());
  std::fill(k.c, k.c + slots, 1.0);
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const int at = i == b ? k.root : i > b ? 2 * (k.pairs - (i - b)) : 2 * (k.pairs - (b - i)) + 1;
    slot.push_back(at);
    k.m[at] = link.m;
    k.Theta[at] = link.Theta;
    if (i != b) k.arm[at] = i > b ? -(0.5 * link.L + link.offset) : 0.5 * link.L - link.offset;
    for (int p = 0; p < k.points; ++p) k.a[p][at] = friction_arm(model, link, p);
    c_t_anchored[static_cast<std::size_t>(at)] = kEpsilon / link.m * mu * mu;
    c_t_rigid[static_cast<std::size_t>(at)] = kRigidShare * kEpsilon / link.m * mu * mu;
  }
  law = Law::rigid;  // so that the arrays are filled
  use_law(Law::anchored, *this);
}

std::optional<StepInfo> step_chain(const Model& model, State& state, Data& data,
                                   const JointCommand& command, const StepOptions& options) {
  for (const Data::Touch& touch : data.touching) {
    const ObstacleMemory& entry = data.next_near[static_cast<std::size_t>(touch.near)];
    if (model.obstacles[static_cast<std::size_t>(entry.obstacle)].mu > 0.0) return std::nullopt;
  }
  Chain& chain = *data.chain;
  load(model, state, command, options, data, chain);
  use_law(options.law, chain);
  chain.kernels.prepare(chain.arrays);
  lap(data.profile, Phase::problem);
  const double impulse_scale = data.weight_scale * options.dt;
  StepInfo info;
  const bool solved = solve(chain, options, impulse_scale, info);
  lap(data.profile, Phase::solve);
  if (!solved) return std::nullopt;

  const ChainResidual residual = chain.kernels.residual(chain.arrays);
  info.residual_law = residual.law / impulse_scale;
  info.residual_momentum = residual.momentum / impulse_scale;
  info.residual = std::max(info.residual_law, info.residual_momentum);
  info.rigid_residual = std::max(residual.rigid_law, residual.momentum) / impulse_scale;
  const bool good =
      nonsmooth::bears_out(info, options.newton.tolerance, [&]() -> nonsmooth::Rounding {
        const ChainRounding rounding = chain.kernels.rounding(chain.arrays);
        return {rounding.law / impulse_scale, rounding.momentum / impulse_scale};
      });
  lap(data.profile, Phase::residual);
  if (!good) return std::nullopt;

  unload(model, state, data, command, options.dt, chain);
  return info;
}

}  // namespace coluber::planar

#include "chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <type_traits>

#include "coluber/core/code_path.hpp"

#include "contact_frame.hpp"
#include "nonsmooth/constants.hpp"
#include "problem.hpp"
#include "rotation.hpp"

namespace coluber::spatial {
namespace {

using nonsmooth::extrapolate;
using nonsmooth::Impulse;
using nonsmooth::kEpsilon;
using nonsmooth::kRigidShare;
using nonsmooth::Law;
using nonsmooth::PointMemory;

// Kernels compiled for other processors return these: no constructors (chain_kernel.hpp).
static_assert(std::is_trivially_default_constructible_v<ChainSolve> &&
              std::is_trivially_default_constructible_v<ChainResidual> &&
              std::is_trivially_default_constructible_v<ChainWork> &&
              std::is_trivially_default_constructible_v<ChainGround>);

/// Whether this layout can do the step at all.
bool is_for_chain(const Model& model, const StepOptions& options) {
  return options.solver == Solver::newton && options.activation == Activation::landing &&
         model.load_sharing == LoadSharing::least_squares;
}

static_assert(sizeof(ContactMemory) == ChainMemory::size &&
              sizeof(Impulse) == ChainMemory::impulse);
static_assert(offsetof(ContactMemory, sliding) == ChainMemory::sliding &&
              offsetof(ContactMemory, rolling) == ChainMemory::rolling &&
              offsetof(ContactMemory, last_active) == ChainMemory::last_active &&
              offsetof(PointMemory, closed) == ChainMemory::closed &&
              offsetof(PointMemory, x_1) == 0);

/// Poses of the links; into `data.pose` what obstacles are looked for with.
bool place_links(const Model& model, const State& state, const ChainState& all, Data& data,
                 Chain& chain) {
  ChainArrays& k = chain.arrays;
  Pose& pose = data.pose;
  const Eigen::Matrix3d R = to_matrix(state.p);
  std::copy(R.data(), R.data() + 9, k.root_axes);
  k.origin_z = state.r.z();
  if (!chain.kernels.place(k, all)) return false;

  pose.origin = state.r;
  pose.e_z.col(model.base()) = R.col(2);
  if (model.obstacles.empty()) return true;
  for (int i = 0; i < model.n(); ++i) {
    const int slot = chain.slot[static_cast<std::size_t>(i)];
    const ChainGroup& g = k.groups[slot / kGroup];
    for (int d = 0; d < 3; ++d) {
      pose.e_z(d, i) = g.e[d][slot % kGroup];
      pose.r(d, i) = g.r[d][slot % kGroup];
    }
  }
  return true;
}

void load_disc(const PointMemory& memory, int lane, ChainDisc& disc) {
  const bool three = memory.closed >= 3;
  disc.T_1[lane] = extrapolate(three, memory.x_1.T.x(), memory.x_2.T.x(), memory.x_3.T.x());
  disc.T_2[lane] = extrapolate(three, memory.x_1.T.y(), memory.x_2.T.y(), memory.x_3.T.y());
  disc.A_1[lane] = memory.x_1.T.x();
  disc.A_2[lane] = memory.x_1.T.y();
}

void clear_disc(int lane, ChainDisc& disc) {
  disc.T_1[lane] = disc.T_2[lane] = disc.A_1[lane] = disc.A_2[lane] = 0.0;
}

/// Guess and anchors of the ground points; State::near is ordered by link and key.
void load_ground(const Model& model, const State& state, Chain& chain) {
  ChainArrays& k = chain.arrays;
  const std::vector<ContactMemory>& old = state.near[kGround];
  std::size_t next = 0;
  std::size_t number = 0;
  for (int i = 0; i < model.n(); ++i) {
    const int slot = chain.slot[static_cast<std::size_t>(i)];
    ChainGroup& g = k.groups[slot / kGroup];
    const int lane = slot % kGroup;
    for (int key = 0; key < 2; ++key, ++number) {
      ChainPoint& point = g.point[key];
      while (next < old.size() &&
             (old[next].link < i || (old[next].link == i && old[next].key < key))) {
        ++next;
      }
      const bool near = point.b[lane] < kChainFar;
      const bool known = near && next < old.size() && old[next].link == i && old[next].key == key;
      chain.memory[number] = known ? static_cast<int>(next) : near ? -1 : -2;
      if (!known) {
        point.N[lane] = 0.0;
        clear_disc(lane, point.sliding);
        clear_disc(lane, g.rolling[key]);
        continue;
      }
      const PointMemory& sliding = old[next].sliding;
      point.N[lane] = extrapolate(sliding.closed >= 3, sliding.x_1.N, sliding.x_2.N, sliding.x_3.N);
      load_disc(sliding, lane, point.sliding);
      if (k.rolling) load_disc(old[next].rolling, lane, g.rolling[key]);
    }
  }
}

/// Contacts with cylinders; `memories` has what each near point was in the last step.
void load_cylinders(const Model& model, const StepOptions& options, const Data& data,
                    const std::vector<ContactMemory>& memories, Chain& chain) {
  ChainArrays& k = chain.arrays;
  if (!chain.contacts.empty()) std::ranges::fill(chain.first_contact, -1);
  chain.contacts.clear();
  k.contact_count = 0;
  const Data::Near& near = data.near[kCylinders];
  const double share = options.law == Law::rigid ? kRigidShare : 1.0;
  for (std::size_t n = 0; n < near.found.points.size(); ++n) {
    const world::SurfacePoint& point = near.found.points[n];
    const Link& link = model.links[static_cast<std::size_t>(point.link)];
    const PointMemory& memory = memories[n].sliding;
    const Impulse guess = nonsmooth::predict(memory);
    ChainContact contact;
    contact.slot = chain.slot[static_cast<std::size_t>(point.link)];
    const ChainGroup& g = k.groups[contact.slot / kGroup];
    const int lane = contact.slot % kGroup;
    contact.a_x = g.r[0][lane] + point.s * g.e[0][lane] - link.L_SC * point.normal.x();
    contact.a_y = g.r[1][lane] + point.s * g.e[1][lane] - link.L_SC * point.normal.y();
    contact.a_z = g.r[2][lane] + point.s * g.e[2][lane];
    contact.n_x = point.normal.x();
    contact.n_y = point.normal.y();
    contact.mu = model.obstacles[static_cast<std::size_t>(point.body)].mu;
    contact.b = nonsmooth::landing_speed(point.g, options.dt);
    contact.c = kEpsilon / link.m;
    contact.c_t = share * kEpsilon / link.m * contact.mu * contact.mu;
    contact.A_1 = memory.x_1.T.x();
    contact.A_2 = memory.x_1.T.y();
    contact.N = guess.N;
    contact.T_1 = guess.T.x();
    contact.T_2 = guess.T.y();
    int& first = chain.first_contact[static_cast<std::size_t>(contact.slot / 2)];
    contact.next = first;
    first = static_cast<int>(n);
    chain.contacts.push_back(contact);
  }
  k.contacts = chain.contacts.data();
  k.contact_count = static_cast<int>(chain.contacts.size());
}

/// Where the kernels find what they load and store.
ChainState state_for_kernels(State& state, Data& data, const JointCommand& command) {
  ChainState all{};
  all.v = state.v.data();
  all.omega = state.omega.data();
  all.l = state.l.data();
  all.ground_impulse = data.ground_impulse.data();
  all.phi = state.phi.data();
  all.tau = command.tau.data();
  all.k_P = command.k_P.data();
  all.phi_d = command.phi_d.data();
  all.k_D = command.k_D.data();
  all.phidot_d = command.phidot_d.data();
  all.tau_max = command.tau_max.data();
  all.phidot = state.phidot.data();
  all.phidot_2 = state.phidot_2.data();
  all.phidot_3 = state.phidot_3.data();
  all.torque = data.tau.data();
  all.three = state.k >= 3;
  all.memory = reinterpret_cast<unsigned char*>(state.near[kGround].data());
  return all;
}

/// Compliances of the law: arrays hold those of one.
void use_law(const Model& model, Law law, Chain& chain) {
  if (chain.law == law) return;
  chain.law = law;
  ChainArrays& k = chain.arrays;
  const double share = law == Law::rigid ? kRigidShare : 1.0;
  const double mu = model.mu_T.maxCoeff();
  k.share_T = k.sliding ? share * mu * mu : 1.0;
  if (!k.rolling) return;
  for (const int slot : chain.slot) {
    ChainGroup& g = k.groups[slot / kGroup];
    const int lane = slot % kGroup;
    g.c_V[lane] = share * g.c[lane] * g.mu_V[lane];
    g.inverse_c_V[lane] = 1.0 / g.c_V[lane];
  }
}

/// Newton; law `rigid` with its proximal term moved along. False if it did not settle.
bool solve(Chain& chain, const StepOptions& options, double impulse_scale, StepInfo& info) {
  ChainArrays& k = chain.arrays;
  const double tolerance = options.newton.tolerance * impulse_scale;
  const bool rigid = options.law == Law::rigid;
  const int max_sweeps = options.newton.max_sweeps + (rigid ? options.newton.max_sweeps / 3 : 0);
  while (info.iterations < max_sweeps) {
    const ChainSolve result =
        chain.kernels.solve(k, tolerance, 10.0 * tolerance, max_sweeps - info.iterations);
    info.iterations += result.sweeps;
    if (!result.settled) return false;
    if (!rigid || chain.kernels.gap(k) <= options.newton.gap * impulse_scale) {
      info.residual_law = result.residual.law / impulse_scale;
      info.residual_momentum = result.residual.momentum / impulse_scale;
      info.residual = std::max(info.residual_law, info.residual_momentum);
      info.rigid_residual =
          std::max(result.residual.rigid_law, result.residual.momentum) / impulse_scale;
      return true;
    }
    chain.kernels.move_anchors(k);
  }
  return false;
}

/// Impulses of the ground to the memory of their points.
void unload_ground(const Model& model, State& state, Data& data, Chain& chain) {
  ChainArrays& k = chain.arrays;
  std::vector<ContactMemory>& old = state.near[kGround];
  const auto far = std::ranges::count(chain.memory, -2);
  const auto fresh = std::ranges::count(chain.memory, -1);
  const bool same = fresh == 0 && chain.memory.size() - static_cast<std::size_t>(far) == old.size();
  std::vector<ContactMemory>& renewed = data.near[kGround].memory;
  if (!same) renewed.clear();
  std::size_t number = 0;
  for (int i = 0; i < model.n(); ++i) {
    const int slot = chain.slot[static_cast<std::size_t>(i)];
    for (int key = 0; key < 2; ++key, ++number) {
      const int from = chain.memory[number];
      if (from == -2) continue;
      if (!same) {
        if (from >= 0) {
          renewed.push_back(old[static_cast<std::size_t>(from)]);
        } else {
          renewed.emplace_back();
          renewed.back().link = i;
          renewed.back().key = key;
        }
      }
      ContactMemory& memory = same ? old[static_cast<std::size_t>(from)] : renewed.back();
      const ChainGroup& g = k.groups[slot / kGroup];
      const int lane = slot % kGroup;
      const ChainDisc& sliding = g.point[key].sliding;
      const double N = g.point[key].N[lane];
      remember(memory.sliding, {N, {sliding.T_1[lane], sliding.T_2[lane]}});
      if (k.rolling) {
        remember(memory.rolling, {N, {g.rolling[key].T_1[lane], g.rolling[key].T_2[lane]}});
      }
      memory.last_active = N;
      if (N > 0.0) ++data.contacts_closed;
    }
  }
  if (same) return;
  old.swap(renewed);
  renewed.reserve(old.capacity());
}

/// Impulses of the cylinders to the memory of their points; their work.
double unload_cylinders(Data& data, std::vector<ContactMemory>& memories, const Chain& chain) {
  const ChainArrays& k = chain.arrays;
  const Data::Near& near = data.near[kCylinders];
  double work = 0.0;
  for (std::size_t n = 0; n < chain.contacts.size(); ++n) {
    const ChainContact& contact = chain.contacts[n];
    ContactMemory& memory = memories[n];
    remember(memory.sliding, {contact.N, {contact.T_1, contact.T_2}});
    memory.last_active = contact.N;
    if (!(contact.N > 0.0)) continue;
    ++data.contacts_closed;
    const int slot = contact.slot;
    const double t = contact.mu * contact.T_1;
    const Vector3d force{contact.n_x * contact.N - contact.n_y * t,
                         contact.n_y * contact.N + contact.n_x * t, contact.mu * contact.T_2};
    data.obstacle_impulse.col(near.found.points[n].link) += force;
    // mean of the velocities at A and E where it touches
    const ChainGroup& g = k.groups[slot / kGroup];
    const auto vector = [&](const double(&from)[3][kGroup]) {
      return Vector3d{from[0][slot % kGroup], from[1][slot % kGroup], from[2][slot % kGroup]};
    };
    const Vector3d w = vector(g.w);
    const Vector3d v = vector(g.v);
    const Vector3d w_A = vector(g.u_w);
    const Vector3d v_A = vector(g.u_v);
    const Vector3d r = vector(g.r);
    const Vector3d a{contact.a_x, contact.a_y, contact.a_z};
    const Vector3d gamma_E = v + w.cross(a);
    const Vector3d gamma_A = v_A + w_A.cross(a - r);
    work += 0.5 * force.dot(gamma_A + gamma_E);
  }
  return work;
}

/// Surfaces whose near points are those of the last step: their memories are used where they are.
struct Known {
  bool ground = false;
  bool cylinders = true;
};

/// Velocities, impulses, torques and works of the step into the state and the results.
void unload(const Model& model, State& state, Data& data, const ChainState& all, Known known,
            Chain& chain) {
  ChainArrays& k = chain.arrays;
  data.contacts_closed = 0;
  StepWork work;
  if (!model.obstacles.empty()) {
    data.obstacle_impulse.setZero();
    std::vector<ContactMemory>& renewed = data.near[kCylinders].memory;
    std::vector<ContactMemory>& old = state.near[kCylinders];
    work.contact = unload_cylinders(data, known.cylinders ? old : renewed, chain);
    if (!known.cylinders) {
      old.swap(renewed);
      renewed.reserve(old.capacity());
    }
  }
  const ChainWork done = chain.kernels.finish(k, all);
  if (known.ground) {
    data.contacts_closed += chain.kernels.remember(k, all);
  } else {
    unload_ground(model, state, data, chain);
  }
  state.twist_3 = state.twist_2;
  state.twist_2 = state.twist;
  std::copy(k.root_twist, k.root_twist + 6, state.twist.data());
  work.servo = done.servo;
  work.friction = done.friction;
  work.contact += done.contact;
  work.gravity = done.gravity;
  work.scheme = done.T_E - done.T_A - work.servo - work.friction - work.contact - work.gravity;
  data.work = work;
  data.kinetic_energy = done.T_E;
}

}  // namespace

ChainKernels kernels_for_this_processor(int links) {
#if defined(__x86_64__)
  // eight lanes pay where few of them are empty
  if (code_path() == "x86-64-v4") {
    return links < 16 ? avx512vl_chain_kernels() : avx512_chain_kernels();
  }
  if (code_path() == "x86-64-v3") return avx2_chain_kernels();
#endif
  static_cast<void>(links);
  return portable_chain_kernels();
}

Chain::Chain(const Model& model, const Data& data)
    : kernels(kernels_for_this_processor(model.n())) {
  ChainArrays& k = arrays;
  const int n = model.n();
  const int b = model.base();
  const double mu = model.mu_T.maxCoeff();
  k.n = n;
  k.base = b;
  k.pairs = std::max(b, n - 1 - b);
  k.root = 2 * k.pairs;
  k.slots = (k.root + kGroup) / kGroup * kGroup;  // of the groups
  k.axes = model.axes();
  k.sliding = mu > 0.0;
  k.rolling = model.mu_V > 0.0;
  k.mu_1 = model.mu_T.x();
  k.mu_2 = model.mu_T.y();
  k.length = data.problem.length_scale;
  k.near = nonsmooth::kNear;
  k.beta = nonsmooth::kBeta;
  k.push_out = nonsmooth::kPushOutSpeed;
  k.upright = kUpright;

  groups.assign(static_cast<std::size_t>(k.slots / kGroup), ChainGroup{});
  k.groups = groups.data();
  // joint twists, pivot columns, numbers in the order of the angles
  const std::size_t joints = static_cast<std::size_t>(k.axes) * static_cast<std::size_t>(k.pairs);
  constexpr std::size_t kTwist = 12;
  constexpr std::size_t kLine = 8;  // doubles of a cache line: vectors should not straddle two
  const std::size_t angles = (static_cast<std::size_t>(model.angles()) / kLine + 1) * kLine;
  const std::size_t twists = (kTwist * joints / kLine + 1) * kLine;
  const std::size_t size = 2 * twists + 6 * angles;
  storage.assign(size + kLine, 0.0);
  void* begin = storage.data();
  std::size_t room = storage.size() * sizeof(double);
  k.s =
      static_cast<double*>(std::align(kLine * sizeof(double), size * sizeof(double), begin, room));
  k.V = k.s + twists;
  k.sine = k.V + twists;
  k.cosine = k.sine + angles;
  for (std::size_t q = 0; q < 4; ++q) k.by_angle[q] = k.cosine + (q + 1) * angles;
  first_contact.assign(static_cast<std::size_t>(k.slots / 2), -1);
  k.first_contact = first_contact.data();
  memory_at.assign(static_cast<std::size_t>(k.slots), -1);
  k.memory_at = memory_at.data();

  for (ChainGroup& g : groups) {  // massless links, far above the ground
    std::ranges::fill(g.L_SC, -1e3);
    for (auto* ones : {&g.c, &g.inverse_c, &g.c_V, &g.inverse_c_V, &g.mu_V}) {
      std::ranges::fill(*ones, 1.0);
    }
  }

  memory.resize(2 * static_cast<std::size_t>(n));
  contacts.reserve(data.near[kCylinders].memory.capacity());
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const int at = i == b ? k.root : i > b ? 2 * (k.pairs - (i - b)) : 2 * (k.pairs - (b - i)) + 1;
    slot.push_back(at);
    memory_at[static_cast<std::size_t>(at)] = 2 * i * ChainMemory::size;
    const double ahead = 0.5 * link.L - link.offset;
    const double behind = 0.5 * link.L + link.offset;
    const world::PlacedLink shape = shape_of(link);
    ChainGroup& g = groups[static_cast<std::size_t>(at / kGroup)];
    const int lane = at % kGroup;
    g.m[lane] = link.m;
    g.Theta_psi[lane] = link.Theta_psi;
    g.Theta_d[lane] = link.Theta_rho - link.Theta_psi;
    g.L_SC[lane] = link.L_SC;
    g.point[0].s[lane] = shape.rear;
    g.point[1].s[lane] = shape.front;
    g.c[lane] = kEpsilon / link.m;
    g.inverse_c[lane] = 1.0 / g.c[lane];
    g.arm_V[lane] = model.mu_V * link.L_SC;
    if (k.rolling) g.mu_V[lane] = g.arm_V[lane] * g.arm_V[lane] * (link.m / link.Theta_psi);
    if (i == b) {
      k.root_out[0] = ahead;
      k.root_out[1] = -behind;
    } else {
      g.arm[lane] = i > b ? -behind : ahead;
      g.out[lane] = i > b ? ahead : -behind;
    }
  }
  use(kernels);
  law = Law::rigid;  // so that the arrays are filled
  use_law(model, Law::anchored, *this);
}

void Chain::use(const ChainKernels& others) {
  kernels = others;
  const int lanes = std::max(others.lanes, 4);
  arrays.slots = (arrays.root + lanes) / lanes * lanes;
}

std::optional<StepInfo> step_chain(const Model& model, State& state, Data& data,
                                   const JointCommand& command, const StepOptions& options) {
  if (!is_for_chain(model, options)) return std::nullopt;
  Chain& chain = *data.chain;
  ChainArrays& k = chain.arrays;
  k.dt = options.dt;
  for (int d = 0; d < 3; ++d) k.pull[d] = k.dt * data.weight(d);
  const ChainState all = state_for_kernels(state, data, command);
  if (!place_links(model, state, all, data, chain)) return std::nullopt;
  const ChainGround ground = chain.kernels.find_ground(k);
  data.ground_penetration = ground.deepest;
  chain.kernels.load_motion(k, all);
  const nonsmooth::Twist<6> root =
      extrapolate(all.three, state.twist, state.twist_2, state.twist_3);
  std::copy(root.data(), root.data() + 6, k.root_twist);
  Known known;
  known.ground =
      ground.all_near && state.near[kGround].size() == 2 * static_cast<std::size_t>(model.n());
  if (known.ground) {
    chain.kernels.recall(k, all);
  } else {
    load_ground(model, state, chain);
  }
  if (!model.obstacles.empty()) {
    Data::Near& near = data.near[kCylinders];
    find_cylinders(model, data);
    data.obstacle_penetration = find_deepest(near);
    // A state with less room than ours gets ours, so that no later step allocates.
    const bool roomy = state.near[kCylinders].capacity() >= near.memory.capacity();
    known.cylinders = roomy && are_known(state.near[kCylinders], near);
    if (!known.cylinders) recall(state.near[kCylinders], near);
    load_cylinders(model, options, data, known.cylinders ? state.near[kCylinders] : near.memory,
                   chain);
  }
  use_law(model, options.law, chain);
  lap(data.profile, Phase::problem);

  const double impulse_scale = data.weight_scale * options.dt;
  StepInfo info;
  const bool solved = solve(chain, options, impulse_scale, info);
  lap(data.profile, Phase::solve);
  if (!solved) return std::nullopt;

  unload(model, state, data, all, known, chain);
  return info;
}

}  // namespace coluber::spatial

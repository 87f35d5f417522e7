#include "fast_step.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "coluber/core/code_path.hpp"

#include "chain/links.hpp"
#include "chain/memory.hpp"
#include "chain/step.hpp"
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

// Kernels compiled for other processors return these: no constructors (fast_kernel.hpp).
static_assert(std::is_trivially_default_constructible_v<FastSolve> &&
              std::is_trivially_default_constructible_v<FastResidual> &&
              std::is_trivially_default_constructible_v<FastWork> &&
              std::is_trivially_default_constructible_v<FastGround>);

/// Whether the fast step can take this step at all.
bool is_for_fast_step(const Model& model, const StepOptions& options) {
  return options.solver == Solver::newton && options.activation == Activation::landing &&
         model.load_sharing == LoadSharing::least_squares;
}

static_assert(sizeof(ContactMemory) == FastMemory::size && sizeof(Impulse) == FastMemory::impulse);
static_assert(offsetof(ContactMemory, sliding) == FastMemory::sliding &&
              offsetof(ContactMemory, rolling) == FastMemory::rolling &&
              offsetof(ContactMemory, last_active) == FastMemory::last_active &&
              offsetof(PointMemory, closed) == FastMemory::closed &&
              offsetof(PointMemory, x_1) == 0);

/// Poses of the links; into `data` what obstacles are looked for with, and where the robot is.
bool place_links(const Model& model, const State& state, const FastState& all, Data& data,
                 FastStep& fast) {
  FastArrays& k = fast.arrays;
  const Eigen::Matrix3d R = to_matrix(state.p);
  std::copy(R.data(), R.data() + 9, k.root_axes);
  k.origin_z = state.r.z();
  if (!fast.kernels.place(k, all)) return false;

  data.pose.origin = state.r;
  data.pose.e_z.col(model.base()) = R.col(2);
  data.sum_of_places = fast.sum_of_places();
  for (int i = 0; !model.obstacles.empty() && i < model.n(); ++i) {
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    const FastGroup& g = k.groups[slot / kGroup];
    for (int d = 0; d < 3; ++d) {
      data.pose.e_z(d, i) = g.e[d][slot % kGroup];
      data.pose.r(d, i) = g.r[d][slot % kGroup];
    }
  }
  return true;
}

void load_disc(const PointMemory& memory, int lane, FastDisc& disc) {
  const Impulse guess = nonsmooth::predict(memory);
  disc.T_1[lane] = guess.T.x();
  disc.T_2[lane] = guess.T.y();
  disc.A_1[lane] = memory.x_1.T.x();
  disc.A_2[lane] = memory.x_1.T.y();
}

void clear_disc(int lane, FastDisc& disc) {
  disc.T_1[lane] = disc.T_2[lane] = disc.A_1[lane] = disc.A_2[lane] = 0.0;
}

/// Guess and anchors of the ground points; State::near is ordered by link and key.
void load_ground(const Model& model, const State& state, FastStep& fast) {
  FastArrays& k = fast.arrays;
  const std::vector<ContactMemory>& old = state.near[kGround];
  chain::Recall memories(old);
  std::size_t number = 0;
  for (int i = 0; i < model.n(); ++i) {
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    FastGroup& g = k.groups[slot / kGroup];
    const int lane = slot % kGroup;
    for (int key = 0; key < 2; ++key, ++number) {
      FastPoint& point = g.point[key];
      const bool near = point.b[lane] < kFar;
      const ContactMemory* known = memories.find(std::pair(i, key));
      if (!near) known = nullptr;
      fast.memory[number] = known != nullptr ? static_cast<int>(known - old.data())
                            : near           ? -1
                                             : -2;
      if (known == nullptr) {
        point.N[lane] = 0.0;
        clear_disc(lane, point.sliding);
        clear_disc(lane, g.rolling[key]);
        continue;
      }
      point.N[lane] = nonsmooth::predict(known->sliding).N;
      load_disc(known->sliding, lane, point.sliding);
      if (k.rolling) load_disc(known->rolling, lane, g.rolling[key]);
    }
  }
}

/// Contacts with cylinders; `memories` has what each near point was in the last step.
void load_cylinders(const Model& model, const StepOptions& options, const Data& data,
                    const std::vector<ContactMemory>& memories, FastStep& fast) {
  FastArrays& k = fast.arrays;
  if (!fast.contacts.empty()) std::ranges::fill(fast.first_contact, -1);
  fast.contacts.clear();
  k.contact_count = 0;
  const Data::Near& near = data.near[kCylinders];
  const double share = options.law == Law::rigid ? kRigidShare : 1.0;
  for (std::size_t n = 0; n < near.found.points.size(); ++n) {
    const world::SurfacePoint& point = near.found.points[n];
    const Link& link = model.links[static_cast<std::size_t>(point.link)];
    const PointMemory& memory = memories[n].sliding;
    const Impulse guess = nonsmooth::predict(memory);
    FastContact contact;
    contact.slot = fast.slot[static_cast<std::size_t>(point.link)];
    const FastGroup& g = k.groups[contact.slot / kGroup];
    const int lane = contact.slot % kGroup;
    contact.a_x = g.r[0][lane] + point.s * g.e[0][lane] - link.L_SC * point.normal.x();
    contact.a_y = g.r[1][lane] + point.s * g.e[1][lane] - link.L_SC * point.normal.y();
    contact.a_z = g.r[2][lane] + point.s * g.e[2][lane];
    contact.n_x = point.normal.x();
    contact.n_y = point.normal.y();
    contact.mu = model.obstacles[static_cast<std::size_t>(point.body)].mu;
    contact.b = nonsmooth::landing_speed(point.g, options.dt);
    const double mass = std::max(link.m, data.least_mass);
    contact.c = kEpsilon / mass * data.obstacle_give;
    contact.c_t = share * kEpsilon / mass * contact.mu * contact.mu;
    contact.A_1 = memory.x_1.T.x();
    contact.A_2 = memory.x_1.T.y();
    contact.N = guess.N;
    contact.T_1 = guess.T.x();
    contact.T_2 = guess.T.y();
    int& first = fast.first_contact[static_cast<std::size_t>(contact.slot / 2)];
    contact.next = first;
    first = static_cast<int>(n);
    fast.contacts.push_back(contact);
  }
  k.contacts = fast.contacts.data();
  k.contact_count = static_cast<int>(fast.contacts.size());
}

/// Where the kernels find what they load and store.
FastState state_for_kernels(State& state, Data& data, const JointCommand& command) {
  FastState all{};
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
  all.Theta_min = data.Theta_min;
  all.memory = reinterpret_cast<unsigned char*>(state.near[kGround].data());
  return all;
}

/// Compliances of the law: arrays hold those of one.
void use_law(const Model& model, Law law, FastStep& fast) {
  if (fast.law == law) return;
  fast.law = law;
  FastArrays& k = fast.arrays;
  const double share = law == Law::rigid ? kRigidShare : 1.0;
  const double mu = model.mu_T.maxCoeff();
  k.share_T = k.sliding ? share * mu * mu : 1.0;
  if (!k.rolling) return;
  for (const int slot : fast.slot) {
    FastGroup& g = k.groups[slot / kGroup];
    const int lane = slot % kGroup;
    g.c_V[lane] = share * g.c[lane] * g.mu_V[lane];
    g.inverse_c_V[lane] = 1.0 / g.c_V[lane];
  }
}

/// Impulses of the ground to the memory of their points.
void unload_ground(const Model& model, State& state, Data& data, FastStep& fast) {
  FastArrays& k = fast.arrays;
  std::vector<ContactMemory>& old = state.near[kGround];
  const auto far = std::ranges::count(fast.memory, -2);
  const auto fresh = std::ranges::count(fast.memory, -1);
  const bool same = fresh == 0 && fast.memory.size() - static_cast<std::size_t>(far) == old.size();
  std::vector<ContactMemory>& renewed = data.near[kGround].memory;
  if (!same) renewed.clear();
  std::size_t number = 0;
  for (int i = 0; i < model.n(); ++i) {
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    for (int key = 0; key < 2; ++key, ++number) {
      const int from = fast.memory[number];
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
      const FastGroup& g = k.groups[slot / kGroup];
      const int lane = slot % kGroup;
      const FastDisc& sliding = g.point[key].sliding;
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
  chain::hand_over(renewed, old);
}

/// Impulses of the cylinders to the memory of their points; their work.
double unload_cylinders(Data& data, std::vector<ContactMemory>& memories, const FastStep& fast) {
  const FastArrays& k = fast.arrays;
  const Data::Near& near = data.near[kCylinders];
  double work = 0.0;
  for (std::size_t n = 0; n < fast.contacts.size(); ++n) {
    const FastContact& contact = fast.contacts[n];
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
    const FastGroup& g = k.groups[slot / kGroup];
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
void unload(const Model& model, State& state, Data& data, const FastState& all, Known known,
            FastStep& fast) {
  FastArrays& k = fast.arrays;
  data.contacts_closed = 0;
  StepWork work;
  if (!model.obstacles.empty()) {
    data.obstacle_impulse.setZero();
    std::vector<ContactMemory>& renewed = data.near[kCylinders].memory;
    std::vector<ContactMemory>& old = state.near[kCylinders];
    work.contact = unload_cylinders(data, known.cylinders ? old : renewed, fast);
    if (!known.cylinders) chain::hand_over(renewed, old);
  }
  const FastWork done = fast.kernels.finish(k, all);
  if (known.ground) {
    data.contacts_closed += fast.kernels.remember(k, all);
  } else {
    unload_ground(model, state, data, fast);
  }
  chain::push_twist(state, Eigen::Map<const nonsmooth::Twist<6>>(k.root_twist));
  work.servo = done.servo;
  work.positive = done.positive;
  work.friction = done.friction;
  work.contact += done.contact;
  work.gravity = done.gravity;
  chain::close_balance(work, done.T_A, done.T_E, data);
}

}  // namespace

FastKernels kernels_for_this_processor(int links) {
#if defined(__x86_64__)
  // eight lanes pay where few of them are empty
  if (code_path() == "x86-64-v4") {
    return links < 16 ? avx512vl_fast_kernels() : avx512_fast_kernels();
  }
  if (code_path() == "x86-64-v3") return avx2_fast_kernels();
#endif
  static_cast<void>(links);
  return portable_fast_kernels();
}

FastStep::FastStep(const Model& model, const Data& data)
    : kernels(kernels_for_this_processor(model.n())) {
  FastArrays& k = arrays;
  const int n = model.n();
  const int b = model.base();
  const double mu = model.mu_T.maxCoeff();
  k.n = n;
  k.base = b;
  const chain::Slots slots_of(n);
  k.pairs = slots_of.pairs;
  k.root = slots_of.root;
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

  groups.assign(static_cast<std::size_t>(k.slots / kGroup), FastGroup{});
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

  for (FastGroup& g : groups) {  // massless links, far above the ground
    std::ranges::fill(g.L_SC, -1e3);
    for (auto* ones : {&g.c, &g.inverse_c, &g.c_V, &g.inverse_c_V, &g.mu_V}) {
      std::ranges::fill(*ones, 1.0);
    }
  }

  const double least_mass = chain::least_contact_mass(model.links);
  memory.resize(2 * static_cast<std::size_t>(n));
  contacts.reserve(data.near[kCylinders].memory.capacity());
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const int at = slots_of.of(i);
    slot.push_back(at);
    const FastGroup& group = groups[static_cast<std::size_t>(at / kGroup)];
    place.emplace_back(&group.r[0][at % kGroup], &group.r[1][at % kGroup]);
    memory_at[static_cast<std::size_t>(at)] = 2 * i * FastMemory::size;
    const double ahead = chain::ahead(link);
    const double behind = chain::behind(link);
    const world::PlacedLink shape = shape_of(link);
    FastGroup& g = groups[static_cast<std::size_t>(at / kGroup)];
    const int lane = at % kGroup;
    g.m[lane] = link.m;
    g.Theta_psi[lane] = link.Theta_psi;
    g.Theta_d[lane] = link.Theta_rho - link.Theta_psi;
    g.L_SC[lane] = link.L_SC;
    g.point[0].s[lane] = shape.rear;
    g.point[1].s[lane] = shape.front;
    g.c[lane] = chain::contact_compliance(link.m, least_mass);
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

void FastStep::use(const FastKernels& others) {
  kernels = others;
  const int lanes = std::max(others.lanes, 4);
  arrays.slots = (arrays.root + lanes) / lanes * lanes;
}

std::optional<nonsmooth::ContactStepInfo> step_fast(const Model& model, State& state, Data& data,
                                                    const JointCommand& command,
                                                    const StepOptions& options) {
  if (command.prescribed || !is_for_fast_step(model, options)) return std::nullopt;
  FastStep& fast = *data.fast;
  FastArrays& k = fast.arrays;
  k.dt = options.dt;
  for (int d = 0; d < 3; ++d) k.pull[d] = k.dt * data.weight(d);
  const FastState all = state_for_kernels(state, data, command);
  if (!place_links(model, state, all, data, fast)) return std::nullopt;
  const FastGround ground = fast.kernels.find_ground(k);
  data.ground_penetration = ground.deepest;
  fast.kernels.load_motion(k, all);
  const nonsmooth::Twist<6> root =
      extrapolate(all.three, state.twist, state.twist_2, state.twist_3);
  std::copy(root.data(), root.data() + 6, k.root_twist);
  Known known;
  known.ground =
      ground.all_near && state.near[kGround].size() == 2 * static_cast<std::size_t>(model.n());
  if (known.ground) {
    fast.kernels.recall(k, all);
  } else {
    load_ground(model, state, fast);
  }
  if (!model.obstacles.empty()) {
    Data::Near& near = data.near[kCylinders];
    find_cylinders(model, state, options.dt, data);
    data.obstacle_penetration = find_deepest(near);
    // A state with less room than ours gets ours, so that no later step allocates.
    const bool roomy = state.near[kCylinders].capacity() >= near.memory.capacity();
    known.cylinders = roomy && are_known(state.near[kCylinders], near);
    if (!known.cylinders) recall(state.near[kCylinders], near);
    load_cylinders(model, options, data, known.cylinders ? state.near[kCylinders] : near.memory,
                   fast);
  }
  use_law(model, options.law, fast);
  lap(data.profile, Phase::problem);

  const double impulse_scale = data.weight_scale * options.dt;
  nonsmooth::ContactStepInfo info;
  const double good = 10.0 * (options.newton.tolerance * impulse_scale);  // of the momentum
  const auto solved = chain::settle(fast, options, impulse_scale, good, info.iterations);
  lap(data.profile, Phase::solve);
  if (!solved) return std::nullopt;
  chain::report(solved->residual, impulse_scale, info);

  unload(model, state, data, all, known, fast);
  return info;
}

// Velocities and impulses are read from the state, not from the arrays: so the audit covers how
// they got there, too. A point that is near for the plain step's pose alone, by a rounding, has
// none. Proximal terms are not part of the state.
void read_answer(const State& state, Data& data) {
  const FastStep& fast = *data.fast;
  nonsmooth::Solution<6>& answer = data.solution;
  answer.root = state.twist;
  for (std::size_t k = 0; k + 1 < data.problem.nodes.size(); ++k) {
    answer.rate[k] = state.phidot(data.angle_of_node[k]);
  }
  answer.proximal.assign(data.origin.size(), nonsmooth::Proximal{});
  for (std::size_t c = 0; c < data.origin.size(); ++c) {
    const Data::Origin& origin = data.origin[c];
    const std::vector<ContactMemory>& near = state.near[origin.surface];
    const std::pair key{origin.link, origin.key};
    const auto memory = std::ranges::lower_bound(near, key, {}, key_of);
    answer.impulse[c] = {};
    if (memory == near.end() || key_of(*memory) != key) continue;
    if (origin.surface == kCylinders) {
      const FastContact& contact = fast.contacts[static_cast<std::size_t>(memory - near.begin())];
      answer.impulse[c] = memory->sliding.x_1;
      answer.proximal[c] = {contact.c_t, {contact.A_1, contact.A_2}};
      continue;
    }
    const int slot = fast.slot[static_cast<std::size_t>(origin.link)];
    const FastGroup& g = fast.arrays.groups[slot / kGroup];
    const int lane = slot % kGroup;
    const bool rolling = origin.part == Data::Origin::Part::rolling;
    const FastDisc& disc = rolling ? g.rolling[origin.key] : g.point[origin.key].sliding;
    answer.impulse[c] = (rolling ? memory->rolling : memory->sliding).x_1;
    answer.proximal[c] = {rolling ? g.c_V[lane] : fast.arrays.share_T * g.c[lane],
                          {disc.A_1[lane], disc.A_2[lane]}};
  }
}

}  // namespace coluber::spatial

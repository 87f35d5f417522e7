#include "problem.hpp"

#include <algorithm>
#include <cmath>

#include "coluber/core/assert.hpp"
#include "coluber/planar/snake.hpp"

#include "chain/along_the_way.hpp"
#include "chain/links.hpp"
#include "chain/memory.hpp"
#include "chain/step.hpp"
#include "fast_step.hpp"
#include "wheels.hpp"

// The contact problem of one step (docs/theory-planar.md). Velocities are taken at the middle
// link's centre of gravity, positions are those of q_M.

namespace coluber::planar {
namespace {

using nonsmooth::Contact;
using nonsmooth::kNear;
using nonsmooth::Node;
using Twist = nonsmooth::Twist<3>;

double cross(double x, double y, double f_x, double f_y) { return x * f_y - y * f_x; }

/// (omega, v) contribution of a unit force (f_x, f_y) at (x, y): its column of W.
Twist force_direction(double x, double y, double f_x, double f_y) {
  return Twist{cross(x, y, f_x, f_y), f_x, f_y};
}

/// Pairs that can come within kNear before some link has moved far.
void update_candidates(const Model& model, Data& data) {
  const auto link_of = [&](std::size_t k) {
    return data.link_of_node[static_cast<std::size_t>(data.shafts) + k];
  };
  data.candidates.update(
      data.grid, model.links.size(),
      [&](std::size_t k) -> Vector2d { return data.pose.r.col(link_of(k)) + data.pose.origin; },
      [&](std::size_t k) {
        const Link& link = model.links[static_cast<std::size_t>(link_of(k))];
        return link.L_GS + std::abs(link.offset) + link.L_SC + kNear;
      });
}

/// Viscous friction of a link: -N_p diag(mu_V) gamma at every friction point, in the link's frame.
/// Transeth (6.26)
/// A point `a` ahead of the centre of gravity has gamma = (v_1, v_2 + a omega), so the sums over
/// the points are
///     force along     -sum N   mu_V1 v_1
///     force across    -sum N   mu_V2 v_2  -  sum N a  mu_V2 omega
///     torque          -sum N a mu_V2 v_2  -  sum N a² mu_V2 omega,
/// and sum N a = 0, because the loads balance about the centre of gravity (load_share_of): turning
/// and sliding do not mix. Rotational friction adds -sum N c_R omega to the torque (Holden, Table
/// V). Returns their coefficients (torque, along, across).
Vector3d viscosity_of(const Model& model, int i, double load, const Vector2d& share) {
  const Link& link = model.links[static_cast<std::size_t>(i)];
  double arms = 0.0;
  for (int p = 0; p < model.friction_points; ++p) {
    const double a = friction_arm(model, i, p);
    arms += share(p) * a * a;
  }
  const double weight = link.m * load;
  return {weight * arms * model.mu_V.y() + weight * model.c_R, weight * model.mu_V.x(),
          weight * model.mu_V.y()};
}

/// M of a link with viscous impulses -dt W diag(eta) W^T u_E, W at q_M: they are on the side of the
/// unknown, where they look like inertia; the momentum at A has none of it.
void add_viscosity(const Pose& pose, int i, const Vector3d& eta, double dt,
                   nonsmooth::Block<3>& M) {
  const double c = pose.cos(i);
  const double s = pose.sin(i);
  const Twist w_1 = force_direction(pose.r(0, i), pose.r(1, i), c, s);
  const Twist w_2 = force_direction(pose.r(0, i), pose.r(1, i), -s, c);
  M += (dt * eta(1)) * w_1 * w_1.transpose() + (dt * eta(2)) * w_2 * w_2.transpose();
  M(0, 0) += dt * eta(0);
}

/// Friction of the ground at point p of link i under a constant load, its share of m g cos(tilt)
/// dt. `compliance` (1/kg) is the link's.  Transeth (3.60), (6.24), Murugendran (8)
Contact<3> ground_contact(const Model& model, const Pose& pose, int i, int p, double load,
                          double compliance, const PointMemory& memory) {
  const double arm = friction_arm(model, i, p);
  const double side =
      model.has_wheels() ? wheel_side(model.axles[static_cast<std::size_t>(i)], p) : 0.0;
  Contact<3> contact;
  const double c = pose.cos(i);
  const double s = pose.sin(i);
  const double x = pose.r(0, i) + arm * c - side * s;
  const double y = pose.r(1, i) + arm * s + side * c;
  contact.mu = model.mu_T;
  contact.mu_max = model.mu_T.maxCoeff();
  contact.w_1 = model.mu_T.x() * force_direction(x, y, c, s);
  contact.w_2 = model.mu_T.y() * force_direction(x, y, -s, c);
  contact.c_t = compliance * contact.mu_max * contact.mu_max;
  contact.load = load;
  contact.A = memory.x_1.T;
  return contact;
}

/// Obstacle contact: 0 <= P _|_ gamma + b + c P >= 0, and |P_T| <= mu P along the tangent, the
/// normal turned by +90°, at the link's nearest surface point. The friction set of the plane is a
/// segment: the disc of the law with its second direction empty. `compliance` (1/kg) is the link's,
/// `give` what is left of it along the normal.
Contact<3> obstacle_contact(const Link& link, const Pose& pose, int i, const Gap& gap, double mu,
                            const StepOptions& options, double compliance, double give,
                            const PointMemory& memory) {
  Contact<3> contact;
  const double x = pose.r(0, i) + gap.s_c * pose.cos(i);
  const double y = pose.r(1, i) + gap.s_c * pose.sin(i);
  contact.w_N = force_direction(x, y, gap.normal.x(), gap.normal.y());
  contact.unilateral = true;
  contact.c = compliance * give;
  contact.b = chain::landing_speed(gap.g, options);
  if (mu > 0.0) {
    contact.mu << mu, 0.0;
    contact.mu_max = mu;
    contact.w_1 =
        mu * force_direction(x - link.L_SC * gap.normal.x(), y - link.L_SC * gap.normal.y(),
                             -gap.normal.y(), gap.normal.x());
    contact.c_t = compliance * mu * mu;
    contact.A = memory.x_1.T;  // zero after a step in which the contact was open
  }
  return contact;
}

/// How far a link may move within the step, and what that leaves of the obstacles' compliance.
void update_way(const Model& model, const State& state, double dt, Data& data) {
  double speed = 0.0;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    speed = std::max(speed, std::abs(state.u(3 * i)) + std::abs(state.u(3 * i + 1)) +
                                std::abs(state.u(3 * i + 2)) * (link.L_GS + std::abs(link.offset)));
  }
  data.way = chain::reach(speed, std::abs(data.pull.x()) + std::abs(data.pull.y()), dt);
  data.obstacle_give = chain::compliance_share(data.way);
}

/// What links meet on their way joins what is near them, in the same order.
void add_on_the_way(Data& data) {
  for (const world::SurfacePoint& point : data.on_the_way) {
    ObstacleMemory entry;
    entry.node = data.node_of_link[static_cast<std::size_t>(point.link)];
    entry.obstacle = point.body;
    const auto later = [&](const ObstacleMemory& other) { return key_of(other) > key_of(entry); };
    const auto at = std::ranges::find_if(data.next_near, later);
    const auto near = static_cast<int>(at - data.next_near.begin());
    data.next_near.insert(at, entry);
    for (Data::Touch& touch : data.touching) {
      if (touch.near >= near) ++touch.near;
    }
    const Gap gap{point.g, point.normal.head<2>(), point.s};
    const auto place = std::ranges::find_if(
        data.touching, [&](const Data::Touch& touch) { return touch.near > near; });
    data.touching.insert(place, {entry.node, near, gap});
  }
}

}  // namespace

// From the balance of moments about the centre of gravity: N_R (L_GS + offset) = N_F (L_GS -
// offset). Differs: Transeth 6.2.3 has the centre of gravity in the middle, and halves. Wheels of
// one shaft do not balance a link about it; the ends of its neighbours do, by forces that a model
// in the plane does not know.  Murugendran II-B
Vector2d load_share_of(const Model& model, const Link& link) {
  if (model.friction_points == 1) return {1.0, 0.0};
  if (model.has_wheels()) return {0.5, 0.5};
  return {chain::load_share(link, false), chain::load_share(link, true)};
}

double friction_arm(const Model& model, int i, int p) {
  const Link& link = model.links[static_cast<std::size_t>(i)];
  if (model.friction_points == 1) return 0.0;
  if (model.has_wheels()) return model.axles[static_cast<std::size_t>(i)].offset - link.offset;
  return (p == 0 ? -link.L_GS : link.L_GS) - link.offset;
}

Data::Data(const Model& model) : grid(model.obstacles) {
  const int n = model.n();
  const int b = model.base();
  const auto size = static_cast<std::size_t>(n);
  pose.resize(n);

  // Elimination order: front half from its tip, rear half from its tip, the middle link last. The
  // shafts go before all links.
  shafts = static_cast<int>(model.axles.size());
  for (int part = model.has_wheels() ? 0 : 1; part < 2; ++part) {
    for (int i = n - 1; i > b; --i) link_of_node.push_back(i);
    for (int i = 0; i < b; ++i) link_of_node.push_back(i);
    link_of_node.push_back(b);
  }
  node_of_link.resize(size);
  angle_of_node.assign(static_cast<std::size_t>(shafts), -1);
  for (auto node = static_cast<std::size_t>(shafts); node < link_of_node.size(); ++node) {
    const int i = link_of_node[node];
    node_of_link[static_cast<std::size_t>(i)] = static_cast<int>(node);
    angle_of_node.push_back(i == b ? -1 : i > b ? i - 1 : i);
  }
  problem.nodes.resize(link_of_node.size());
  for (std::size_t node = 0; node < static_cast<std::size_t>(shafts); ++node) {
    problem.nodes[node].parent = static_cast<int>(node) + shafts;
  }
  for (auto node = static_cast<std::size_t>(shafts); node + 1 < link_of_node.size(); ++node) {
    const int i = link_of_node[node];
    problem.nodes[node].parent = node_of_link[static_cast<std::size_t>(i > b ? i - 1 : i + 1)];
  }

  const chain::Scales scales = chain::compute_scales(model.links, model.g);
  weight_scale = scales.weight;
  least_mass = chain::least_contact_mass(model.links);
  Theta_min = chain::least_inertia(model.links, [](const Link& link) { return link.Theta; });
  problem.impulse_scale = scales.weight;  // times dt, set by make_problem
  problem.length_scale = scales.length;
  const chain::Weight weight = chain::compute_weight(model.g, model.tilt, model.tilt_direction);
  load = weight.across;
  pull = weight.along;

  // Room for more pairs than a sane scene brings near at once, so that later steps do not allocate.
  const std::size_t pairs = std::min(size * model.obstacles.size(), 64 * size + 64);
  const std::size_t contacts = size * static_cast<std::size_t>(model.friction_points) + pairs;
  reserve(link_of_node.size(), contacts);
  near_of_contact.reserve(contacts);
  next_near.reserve(pairs);
  touching.reserve(pairs);
  candidates.reserve(size, pairs);
  if (pairs > 0) {
    on_the_way.reserve(pairs);
    swept.reserve(std::min<std::size_t>(model.obstacles.size(), 256));
    before = make_state(model, VectorXd::Zero(n - 1), 0, Vector2d::Zero(), 0.0);
    before.near.reserve(pairs);
    next_pose.resize(n);
  }

  load_share.resize(2, n);
  viscosity.resize(3, n);
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    load_share.col(i) = load_share_of(model, link);
    viscosity.col(i) = viscosity_of(model, i, load, load_share.col(i));
  }
  viscous = viscosity.maxCoeff() > 0.0;

  u_minimal = VectorXd::Zero(3 * n);
  tau = VectorXd::Zero(std::max(0, n - 1));
  tau_w = VectorXd::Zero(shafts);
  ground_impulse = Eigen::Matrix2Xd::Zero(2, n);
  obstacle_impulse = Eigen::Matrix2Xd::Zero(2, n);
  fast = std::make_unique<FastStep>(model, *this, pairs);
}
Data::~Data() = default;
Data::Data(Data&&) noexcept = default;
Data& Data::operator=(Data&&) noexcept = default;

void find_contacts(const Model& model, const State& state, const StepOptions& options, Data& data) {
  compute_pose(model, state.base, state.phi, data.pose);
  if (options.minimal_coordinates) update_minimal_velocities(model, state, options.dt, data);
  data.next_near.clear();
  data.touching.clear();
  data.penetration = 0.0;
  if (model.obstacles.empty()) return;
  update_way(model, state, options.dt, data);
  update_candidates(model, data);
  const Pose& pose = data.pose;
  const auto& list = data.candidates;
  // state.near has the order of this loop. Differs: the thesis starts a contact from the value it
  // had when last active, however long ago; here a pair more than 2 cm apart is forgotten.
  chain::Recall memories(state.near);
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    const int node = static_cast<int>(k) + data.shafts;
    const int i = data.link_of_node[static_cast<std::size_t>(node)];
    const Link& link = model.links[static_cast<std::size_t>(i)];
    for (int c = list.first[k]; c < list.first[k + 1]; ++c) {
      const int j = list.obstacle[static_cast<std::size_t>(c)];
      const Gap gap = compute_gap(link, pose.r.col(i) + pose.origin, pose.cos(i), pose.sin(i),
                                  model.obstacles[static_cast<std::size_t>(j)]);
      if (gap.g >= kNear) continue;
      data.penetration = std::max(data.penetration, -gap.g);
      ObstacleMemory entry;
      entry.node = node;
      entry.obstacle = j;
      if (const ObstacleMemory* known = memories.find(key_of(entry))) entry = *known;
      data.next_near.push_back(entry);
      if (chain::is_active(gap.g, options)) {
        data.touching.push_back({node, static_cast<int>(data.next_near.size()) - 1, gap});
      } else {
        remember(data.next_near.back().point, nonsmooth::Impulse{});
      }
    }
  }
  if (!data.on_the_way.empty()) add_on_the_way(data);
}

void make_problem(const Model& model, const State& state, const JointCommand& command,
                  const StepOptions& options, Data& data) {
  find_contacts(model, state, options, data);
  fill_problem(model, state, command, options, data);
}

void fill_problem(const Model& model, const State& state, const JointCommand& command,
                  const StepOptions& options, Data& data) {
  const double dt = options.dt;
  const int b = model.base();
  const Pose& pose = data.pose;
  const VectorXd& u_A = start_velocities(state, options, data);
  auto& problem = data.problem;
  COLUBER_ASSERT(
      state.ground.size() == model.links.size() * static_cast<std::size_t>(model.friction_points),
      state.ground.size(), model.n(), model.friction_points);

  problem.impulse_scale = data.weight_scale * dt;
  problem.contacts.clear();
  data.near_of_contact.clear();
  data.solution.impulse.clear();
  const double load_per_mass = data.load * dt;
  const double pull_x = data.pull.x() * dt;
  const double pull_y = data.pull.y() * dt;
  const bool friction = model.mu_T.maxCoeff() > 0.0 && load_per_mass > 0.0;
  const bool warm_start = options.solver == Solver::thesis;
  std::size_t touch = 0;

  const auto add_ground = [&](std::size_t k) {
    const int i = data.link_of_node[k];
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const double compliance = chain::contact_compliance(link.m, data.least_mass);
    for (int p = 0; friction && p < model.friction_points; ++p) {
      const int index = i * model.friction_points + p;
      const PointMemory& point = state.ground[static_cast<std::size_t>(index)];
      const double load = link.m * load_per_mass * data.load_share(p, i);
      problem.contacts.push_back(ground_contact(model, pose, i, p, load, compliance, point));
      data.near_of_contact.push_back(-1 - p);
      data.solution.impulse.push_back(warm_start ? point.x_1 : predict(point));
      data.solution.impulse.back().N = load;
    }
  };
  for (std::size_t k = 0; k < static_cast<std::size_t>(data.shafts); ++k) {
    Node<3>& node = problem.nodes[k];
    const int i = data.link_of_node[k];
    const Axle& axle = model.axles[static_cast<std::size_t>(i)];
    node.s << 0.0, pose.cos(i), pose.sin(i);
    const RimServo servo = make_rim_servo(command.shafts, axle, i, dt);
    node.sd = servo.sd;
    node.sr = servo.sr;
    node.limit = servo.limit;
    node.J = rim_inertia(axle);
    node.p_J = node.J * axle.L_w * state.omega(i);
    data.solution.rate[k] = axle.L_w * nonsmooth::extrapolate(state.k >= 3, state.omega(i),
                                                              state.omega_2(i), state.omega_3(i));
    data.previous.rate[k] = axle.L_w * state.omega(i);
    node.first_contact = static_cast<int>(problem.contacts.size());
    add_ground(k);
    node.contact_count = static_cast<int>(problem.contacts.size()) - node.first_contact;
  }

  for (auto k = static_cast<std::size_t>(data.shafts); k < problem.nodes.size(); ++k) {
    Node<3>& node = problem.nodes[k];
    const int i = data.link_of_node[k];
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const double x = pose.r(0, i);
    const double y = pose.r(1, i);

    // Inertia, and the momentum at A with the weight's share along the slope.
    const double m = link.m;
    node.M << link.Theta + m * (x * x + y * y), -m * y, m * x,  //
        -m * y, m, 0.0,                                         //
        m * x, 0.0, m;
    if (data.viscous) add_viscosity(pose, i, data.viscosity.col(i), dt, node.M);
    const double p_x = m * (u_A(3 * i) + pull_x);
    const double p_y = m * (u_A(3 * i + 1) + pull_y);
    node.p << link.Theta * u_A(3 * i + 2) + cross(x, y, p_x, p_y), p_x, p_y;

    // Joint to the parent: phi = theta_(i+1) - theta_i, so in the rear half the child turns by
    // -phidot.
    if (i != b) {
      const bool front = i > b;
      const double arm = chain::arm_to_root(link, front);
      const double o_x = x + arm * pose.cos(i);
      const double o_y = y + arm * pose.sin(i);
      const double sign = front ? 1.0 : -1.0;
      node.s << sign, sign * o_y, -sign * o_x;
      chain::fill_joint(state, command, dt, k, data);
    }

    const double compliance = chain::contact_compliance(m, data.least_mass);
    node.first_contact = static_cast<int>(problem.contacts.size());
    if (!model.has_wheels()) add_ground(k);
    for (; touch < data.touching.size() && data.touching[touch].node == static_cast<int>(k);
         ++touch) {
      const Data::Touch& here = data.touching[touch];
      const ObstacleMemory& entry = data.next_near[static_cast<std::size_t>(here.near)];
      const double mu = model.obstacles[static_cast<std::size_t>(entry.obstacle)].mu;
      problem.contacts.push_back(obstacle_contact(link, pose, i, here.gap, mu, options, compliance,
                                                  data.obstacle_give, entry.point));
      data.near_of_contact.push_back(here.near);
      data.solution.impulse.push_back(warm_start
                                          ? nonsmooth::Impulse{entry.last_active, entry.point.x_1.T}
                                          : predict(entry.point));
    }
    node.contact_count = static_cast<int>(problem.contacts.size()) - node.first_contact;
  }
  chain::fill_root(state, data);
}

}  // namespace coluber::planar

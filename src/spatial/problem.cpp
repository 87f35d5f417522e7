#include "problem.hpp"

#include <algorithm>
#include <cmath>

#include "coluber/spatial/snake.hpp"

#include "chain/along_the_way.hpp"
#include "chain/links.hpp"
#include "chain/memory.hpp"
#include "chain/step.hpp"
#include "contact_frame.hpp"
#include "fast_step.hpp"

// The contact problem of one step (docs/theory-spatial.md). Velocities are taken at the middle
// link's centre of gravity in world axes, positions are those of q_M.

namespace coluber::spatial {
namespace {

using nonsmooth::Contact;
using nonsmooth::ContactKind;
using nonsmooth::Node;
using Twist = nonsmooth::Twist<6>;
using Part = Data::Origin::Part;

// A point this close to the ground carries its share under `LoadSharing::equal` (m).
constexpr double kOnGround = 1e-4;

/// (omega, v) contribution of a force `f` at `a`: its column of W.
Twist force_direction(const Vector3d& a, const Vector3d& f) {
  Twist w;
  w << a.cross(f), f;
  return w;
}

/// The same of a torque.
Twist torque_direction(const Vector3d& torque) {
  Twist w;
  w << torque, Vector3d::Zero();
  return w;
}

/// Inertia of a link with its centre at r from the common point.  Transeth (4.70)
void set_inertia(const Link& link, const Vector3d& r, const Vector3d& e_z, Node<6>& node) {
  const double m = link.m;
  const double across = link.Theta_psi + m * r.squaredNorm();
  const Eigen::Matrix3d top = across * Eigen::Matrix3d::Identity() - m * r * r.transpose() +
                              (link.Theta_rho - link.Theta_psi) * e_z * e_z.transpose();
  Eigen::Matrix3d skew;
  skew << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  node.M.topLeftCorner<3, 3>() = top;
  node.M.topRightCorner<3, 3>() = m * skew;
  node.M.bottomLeftCorner<3, 3>() = -m * skew;
  node.M.bottomRightCorner<3, 3>() = m * Eigen::Matrix3d::Identity();
}

/// c of the normal law: what shares the load. The thesis, its solver with its law and activation,
/// has none, and its iteration shares the load as it happens to.
double normal_compliance(double compliance, const StepOptions& options) {
  const bool literal = options.solver == Solver::thesis && options.law == nonsmooth::Law::rigid &&
                       options.activation == Activation::gap;
  return literal ? 0.0 : compliance;
}

/// Friction at `a` of a link of this compliance (1/kg).
void set_friction(double compliance, const Vector3d& a, const ContactFrame& frame,
                  const nonsmooth::PointMemory& memory, Contact<6>& contact) {
  contact.mu = frame.mu;
  contact.mu_max = frame.mu.maxCoeff();
  contact.w_1 = frame.mu.x() * force_direction(a, frame.t_1);
  contact.w_2 = frame.mu.y() * force_direction(a, frame.t_2);
  contact.c_t = compliance * contact.mu_max * contact.mu_max;
  contact.A = memory.x_1.T;  // zero after a step in which the contact was open
}

/// Rolling friction of the ground: gamma_V = L_SC (-omega_y, omega_x), |P_V| <= mu_V P_N.
/// Transeth (4.43)-(4.45), (4.86), (4.87). Its scale is that of a velocity of the link's surface:
/// mu_max² carries m/Theta_psi, so that compliance and residual mean what they mean for sliding.
void set_rolling(const Link& link, double compliance, double mu_V,
                 const nonsmooth::PointMemory& memory, Contact<6>& contact) {
  contact.kind = ContactKind::rolling;
  const double arm = mu_V * link.L_SC;
  contact.mu << mu_V, mu_V;
  contact.mu_max = arm * std::sqrt(link.m / link.Theta_psi);
  contact.w_1 = torque_direction({0.0, -arm, 0.0});
  contact.w_2 = torque_direction({arm, 0.0, 0.0});
  contact.c_t = compliance * contact.mu_max * contact.mu_max;
  contact.A = memory.x_1.T;
}

/// Adds contacts of the problem together with what they stand for and the guess of their impulse.
class Adder {
 public:
  Adder(Data& data, const StepOptions& options)
      : data_(data), warm_start_(options.solver == Solver::thesis) {}

  void operator()(const Contact<6>& contact, SurfaceIndex surface, int point, Part part) {
    data_.problem.contacts.push_back(contact);
    const ContactMemory& memory = data_.near[surface].memory[static_cast<std::size_t>(point)];
    data_.origin.push_back({surface, part, point, memory.link, memory.key});
    const nonsmooth::PointMemory& impulses =
        part == Part::rolling ? memory.rolling : memory.sliding;
    nonsmooth::Impulse guess = warm_start_ ? nonsmooth::Impulse{memory.last_active, impulses.x_1.T}
                                           : nonsmooth::predict(impulses);
    if (part == Part::rolling) guess.N = data_.solution.impulse.back().N;
    if (!contact.unilateral) guess.N = contact.load;
    if (part == Part::support) guess.T.setZero();
    data_.solution.impulse.push_back(guess);
  }

 private:
  Data& data_;
  bool warm_start_;
};

/// Contacts of one end of a link with the ground: the body-fixed point that touches now, a = s e_z
/// - L_SC e_z^I, so that a rolling link rolls.  Transeth (4.21)-(4.25), (4.30)-(4.39)
void add_ground_point(const Model& model, const Link& link, const Vector3d& r, const Vector3d& e_z,
                      int index, double share, const StepOptions& options, Data& data, Adder& add) {
  const auto i = static_cast<std::size_t>(index);
  const world::SurfacePoint& point = data.near[kGround].found.points[i];
  const ContactMemory& memory = data.near[kGround].memory[i];
  const Vector3d up = Vector3d::UnitZ();
  const Vector3d a = r + point.s * e_z - link.L_SC * up;
  const ContactFrame frame = compute_frame(model, kGround, point, e_z);
  const bool friction = frame.mu.maxCoeff() > 0.0;
  const double compliance = chain::contact_compliance(link.m, data.least_mass);

  Contact<6> contact;
  contact.kind = ContactKind::ground;
  contact.w_N = force_direction(a, up);
  contact.unilateral = true;
  contact.c = normal_compliance(compliance, options);
  contact.b = chain::landing_speed(point.g, options);
  const bool left_out = !chain::is_active(point.g, options);
  if (model.load_sharing == LoadSharing::equal) {
    if (!left_out) add(contact, kGround, index, Part::support);
    if (point.g > kOnGround) return;
    Contact<6> loaded;
    loaded.kind = ContactKind::ground;
    loaded.load = share * link.m * data.load * options.dt;
    if (!(loaded.load > 0.0)) return;
    if (friction) {
      set_friction(compliance, a, frame, memory.sliding, loaded);
      add(loaded, kGround, index, Part::friction);
    }
    if (model.mu_V > 0.0) {
      set_rolling(link, compliance, model.mu_V, memory.rolling, loaded);
      add(loaded, kGround, index, Part::rolling);
    }
    return;
  }
  if (left_out) return;
  if (friction) set_friction(compliance, a, frame, memory.sliding, contact);
  add(contact, kGround, index, Part::whole);
  if (model.mu_V > 0.0) {
    contact.shares_normal = true;
    set_rolling(link, compliance, model.mu_V, memory.rolling, contact);
    add(contact, kGround, index, Part::rolling);
  }
}

/// Contact of a link with a cylinder, with friction at the surface if the cylinder has any: along
/// the horizontal tangent and along the vertical.  Transeth (4.53), (4.57)
void add_cylinder_point(const Model& model, const Link& link, const Vector3d& r,
                        const Vector3d& e_z, int index, const StepOptions& options, Data& data,
                        Adder& add) {
  const auto i = static_cast<std::size_t>(index);
  const world::SurfacePoint& point = data.near[kCylinders].found.points[i];
  const Vector3d& normal = point.normal;
  const double compliance = chain::contact_compliance(link.m, data.least_mass);
  Contact<6> contact;
  contact.w_N = force_direction(r + point.s * e_z, normal);
  contact.unilateral = true;
  contact.c = normal_compliance(compliance, options) * data.obstacle_give;
  contact.b = chain::landing_speed(point.g, options);
  const ContactFrame frame = compute_frame(model, kCylinders, point, e_z);
  if (frame.mu.maxCoeff() > 0.0) {
    const Vector3d a = r + point.s * e_z - link.L_SC * normal;
    set_friction(compliance, a, frame, data.near[kCylinders].memory[i].sliding, contact);
  }
  add(contact, kCylinders, index, Part::whole);
}

/// The links as surfaces see them at the pose.
void place_links(const Model& model, Data& data) {
  for (int i = 0; i < model.n(); ++i) {
    place(data.pose, i, data.placed[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

void update_way(const Model& model, const State& state, double dt, Data& data) {
  double speed = 0.0;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    speed = std::max(speed, state.v.col(i).lpNorm<1>() + state.omega.col(i).lpNorm<1>() *
                                                             (link.L_GS + std::abs(link.offset)));
  }
  data.way = chain::reach(speed, data.weight.lpNorm<1>(), dt);
  data.obstacle_give = chain::compliance_share(data.way);
}

void find_cylinders(const Model& model, const State& state, double dt, Data& data) {
  if (!model.obstacles.empty()) update_way(model, state, dt, data);
  place_links(model, data);
  data.cylinders.find(data.placed, nonsmooth::kNear, data.near[kCylinders].found);
  if (!data.on_the_way.empty()) {
    world::Cylinders::insert(data.on_the_way, data.near[kCylinders].found);
  }
}

bool are_known(const std::vector<ContactMemory>& old, const Data::Near& near) {
  const auto same = [](const ContactMemory& entry, const world::SurfacePoint& point) {
    return key_of(entry) == std::pair(point.link, point.key);
  };
  return std::ranges::equal(old, near.found.points, same);
}

void recall(const std::vector<ContactMemory>& old, Data::Near& near) {
  near.memory.clear();
  chain::Recall memories(old);  // both lists are ordered by (link, key)
  for (const world::SurfacePoint& point : near.found.points) {
    ContactMemory memory;
    memory.link = point.link;
    memory.key = point.key;
    const ContactMemory* known = memories.find(key_of(memory));
    near.memory.push_back(known != nullptr ? *known : memory);
  }
}

double find_deepest(const Data::Near& near) {
  double depth = 0.0;
  for (const world::SurfacePoint& point : near.found.points) depth = std::max(depth, -point.g);
  return depth;
}

Data::Data(const Model& model) : cylinders(model.obstacles) {
  const int n = model.n();
  const int b = model.base();
  const int axes = model.axes();
  const auto size = static_cast<std::size_t>(n);
  pose.resize(model);

  // Elimination order: front half from its tip, rear half from its tip, the middle link last. Of a
  // joint with two axes, the one that belongs to the child comes first, then a massless node.
  const auto add_node = [&](int link, int angle) {
    link_of_node.push_back(link);
    angle_of_node.push_back(angle);
    problem.nodes.emplace_back();
    problem.nodes.back().parent = static_cast<int>(problem.nodes.size());  // the next, for now
  };
  std::size_t last_of_first_half = 0;
  for (int i = n - 1; i > b; --i) {
    const int joint = i - 1;
    if (axes == 2) add_node(i, 2 * joint + 1);
    add_node(axes == 2 ? -1 : i, axes * joint);
    last_of_first_half = problem.nodes.size() - 1;
  }
  for (int i = 0; i < b; ++i) {
    add_node(i, axes * i);
    if (axes == 2) add_node(-1, 2 * i + 1);
  }
  add_node(b, -1);
  problem.nodes.back().parent = -1;
  if (n - 1 > b) {
    problem.nodes[last_of_first_half].parent = static_cast<int>(problem.nodes.size()) - 1;
  }

  for (const Link& link : model.links) placed.push_back(shape_of(link));
  const chain::Scales scales = chain::compute_scales(model.links, model.g);
  weight_scale = scales.weight;
  least_mass = chain::least_contact_mass(model.links);
  Theta_min = chain::least_inertia(model.links, [](const Link& link) { return link.Theta_psi; });
  problem.length_scale = scales.length;
  const chain::Weight pull = chain::compute_weight(model.g, model.tilt, model.tilt_direction);
  load = pull.across;
  weight << pull.along, -load;

  // Room for more points than a sane scene brings near at once, so that later steps do not
  // allocate.
  std::size_t contacts = 0;
  const std::array<std::size_t, kSurfaces> points{size * ground.points_a_link(),
                                                  size * cylinders.points_a_link()};
  for (std::size_t surface = 0; surface < kSurfaces; ++surface) {
    Near& room = near[surface];
    room.found.first.reserve(size + 1);
    room.found.points.reserve(points[surface]);
    room.memory.reserve(points[surface]);
    room.slide.reserve(points[surface]);
    room.roll.reserve(points[surface]);
    contacts += (surface == kGround ? 3 : 1) * points[surface];
  }
  reserve(problem.nodes.size(), contacts);
  origin.reserve(contacts);
  cylinders.reserve(size);
  if (!model.obstacles.empty()) {
    on_the_way.reserve(points[kCylinders]);
    swept.reserve(std::min<std::size_t>(model.obstacles.size(), 256));
    next_pose.resize(model);
    before = make_state(model, VectorXd::Zero(model.angles()), 0, Vector3d::Zero(),
                        Eigen::Matrix3d::Identity());
    for (std::size_t surface = 0; surface < kSurfaces; ++surface) {
      before.near[surface].reserve(points[surface]);
    }
  }

  tau = VectorXd::Zero(model.angles());
  ground_impulse = obstacle_impulse = Matrix3Xd::Zero(3, n);
  fast = std::make_unique<FastStep>(model, *this);
}

Data::~Data() = default;
Data::Data(Data&&) noexcept = default;
Data& Data::operator=(Data&&) noexcept = default;

void make_problem(const Model& model, const State& state, const JointCommand& command,
                  const StepOptions& options, Data& data) {
  const double dt = options.dt;
  const int b = model.base();
  const Pose& pose = data.pose;
  auto& problem = data.problem;
  compute_pose(model, state.r, state.p, state.phi, data.pose);
  data.sum_of_places = pose.r.topRows<2>().rowwise().sum();
  find_cylinders(model, state, options.dt, data);
  data.ground.find(data.placed, nonsmooth::kNear, data.near[kGround].found);
  for (std::size_t surface = 0; surface < kSurfaces; ++surface) {
    recall(state.near[surface], data.near[surface]);
  }
  data.ground_penetration = find_deepest(data.near[kGround]);
  data.obstacle_penetration = find_deepest(data.near[kCylinders]);

  problem.impulse_scale = data.weight_scale * dt;
  problem.contacts.clear();
  data.origin.clear();
  data.solution.impulse.clear();
  Adder add(data, options);

  for (std::size_t k = 0; k < problem.nodes.size(); ++k) {
    Node<6>& node = problem.nodes[k];
    node.first_contact = static_cast<int>(problem.contacts.size());
    node.contact_count = 0;
    const int i = data.link_of_node[k];

    // Axis to the parent: omega_(i+1) = omega_i + e_y,i phidot_h + e_x,i+1 phidot_v, so in the half
    // of the lower numbers, where the child is link i, a node turns by -phidot.
    if (const int angle = data.angle_of_node[k]; angle >= 0) {
      const int joint = angle / model.axes();  // between links `joint` and `joint + 1`
      const bool yaw = model.axes() == 1 || angle % 2 == 0;
      const Link& lower = model.links[static_cast<std::size_t>(joint)];
      const Vector3d o = pose.r.col(joint) + chain::ahead(lower) * pose.e_z.col(joint);
      const double sign = joint >= b ? 1.0 : -1.0;
      const Vector3d axis = sign * (yaw ? pose.e_y.col(joint) : pose.e_x.col(joint + 1));
      node.s << axis, o.cross(axis);
      chain::fill_joint(state, command, dt, k, data);
    }
    if (i < 0) continue;

    // Inertia, and the momentum at A with the weight. Angular momentum is carried in world axes, so
    // that there is no gyroscopic term: a free link keeps it to the last bit.
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const Vector3d r = pose.r.col(i);
    const Vector3d e_z = pose.e_z.col(i);
    set_inertia(link, r, e_z, node);
    const Vector3d p = link.m * (state.v.col(i) + dt * data.weight);
    node.p << Vector3d{state.l.col(i)} + r.cross(p), p;

    const auto& ground = data.near[kGround].found;
    for (int c = ground.first[static_cast<std::size_t>(i)];
         c < ground.first[static_cast<std::size_t>(i) + 1]; ++c) {
      const bool front = ground.points[static_cast<std::size_t>(c)].key != 0;
      const double share = chain::load_share(link, front);
      add_ground_point(model, link, r, e_z, c, share, options, data, add);
    }
    const auto& cylinders = data.near[kCylinders].found;
    for (int c = cylinders.first[static_cast<std::size_t>(i)];
         c < cylinders.first[static_cast<std::size_t>(i) + 1]; ++c) {
      if (!chain::is_active(cylinders.points[static_cast<std::size_t>(c)].g, options)) continue;
      add_cylinder_point(model, link, r, e_z, c, options, data, add);
    }
    node.contact_count = static_cast<int>(problem.contacts.size()) - node.first_contact;
  }
  chain::fill_root(state, data);
}

void find_overlaps(const Model& model, const Pose& pose, std::span<Overlap> deepest) {
  std::vector<world::PlacedLink> placed;
  for (int i = 0; i < model.n(); ++i) {
    placed.push_back(shape_of(model.links[static_cast<std::size_t>(i)]));
    place(pose, i, placed.back());
  }
  world::SurfacePoints found;
  world::Cylinders(model.obstacles).find(placed, 0.0, found);
  for (const world::SurfacePoint& point : found.points) {
    Overlap& overlap = deepest[static_cast<std::size_t>(point.body)];
    if (-point.g > overlap.depth) overlap = {-point.g, point.link};
  }
}

std::array<double, kSurfaces> compute_penetration(const Model& model, const Pose& pose) {
  std::array<double, kSurfaces> deepest{};
  for (int i = 0; i < model.n(); ++i) {
    world::PlacedLink placed = shape_of(model.links[static_cast<std::size_t>(i)]);
    place(pose, i, placed);
    for (const int key : {0, 1}) {
      deepest[kGround] = std::max(deepest[kGround], -world::Plane().locate(placed, key).g);
    }
  }
  std::vector<Overlap> overlaps(model.obstacles.size());
  find_overlaps(model, pose, overlaps);
  for (const Overlap& overlap : overlaps) {
    deepest[kCylinders] = std::max(deepest[kCylinders], overlap.depth);
  }
  return deepest;
}

}  // namespace coluber::spatial

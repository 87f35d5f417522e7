// The peers' scene in Box3D (float, maximal coordinates, soft steps), stepped through its C
// interface. Prints one JSON object.
//
// Links: bodies with mass and inertia set, two sphere shapes; joints: revolute with its spring as
// the servo. The spring is the implicit PD law itself: Box3D's stiffness is m (2 pi hertz)² and its
// damping 2 m ratio (2 pi hertz) with m = 1 / (1/I + 1/I) of the two links about the hinge, which
// never changes here; the target's rate goes into the target, phi_d + k_D / k_P phidot_d. Floor: a
// box hull; cylinders: capsules standing through it, round where the links can touch them.
//
//   --setting NAME=VALUE, repeated. None: Box3D's own defaults, with sleeping off.
//     substeps   4    of a step, each with one sweep that pushes and one that relaxes
//     recycle    0.05 distance (m) over which a contact's old normal and points are kept, 0: never
//     continuous 1    sweeps fast bodies
//     joint_hertz 60, joint_damping 2      softness of the joints
//     contact_hertz 30, contact_damping 10 softness of the contacts (static ones are twice as
//                     stiff; both at most a quarter of the substeps' rate)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <box3d/box3d.h>

#include "scene.hpp"

#ifndef PEER_VERSION
#define PEER_VERSION "(crate unknown)"
#endif

namespace {

using peers::Job;

struct Settings {
  int substeps = 4;
  float recycle = -1.0F;  // negative: as it comes
  bool continuous = true;
  float joint_hertz = -1.0F, joint_damping = -1.0F;
  float contact_hertz = -1.0F, contact_damping = -1.0F;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "box3d: %s\n", what.c_str());
  std::exit(2);
}

void apply(Settings& settings, const std::string& name, const std::string& value) {
  const auto number = static_cast<float>(std::atof(value.c_str()));
  if (name == "substeps") {
    settings.substeps = std::atoi(value.c_str());
  } else if (name == "recycle") {
    settings.recycle = number;
  } else if (name == "continuous") {
    settings.continuous = number != 0.0F;
  } else if (name == "joint_hertz") {
    settings.joint_hertz = number;
  } else if (name == "joint_damping") {
    settings.joint_damping = number;
  } else if (name == "contact_hertz") {
    settings.contact_hertz = number;
  } else if (name == "contact_damping") {
    settings.contact_damping = number;
  } else {
    fail("unknown setting " + name);
  }
}

b3Vec3 vec(double x, double y, double z) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
}

/// The scene at rest in its start pose.
class World {
 public:
  World(const Job& job, const Settings& settings) : substeps_(settings.substeps) {
    b3WorldDef def = b3DefaultWorldDef();
    const peers::Gravity g = peers::scene_gravity(job);
    def.gravity = vec(g.x, g.y, g.z);
    def.enableSleep = false;
    def.enableContinuous = settings.continuous;
    def.workerCount = 1;
    if (settings.contact_hertz >= 0.0F) def.contactHertz = settings.contact_hertz;
    if (settings.contact_damping >= 0.0F) def.contactDampingRatio = settings.contact_damping;
    world_ = b3CreateWorld(&def);
    if (settings.recycle >= 0.0F) b3World_SetContactRecycleDistance(world_, settings.recycle);
    add_ground(job);
    for (const peers::LinkPose& pose : peers::start_poses(job)) add_link(pose);
    for (int i = 0; i + 1 < job.n; ++i) add_joint(i, settings);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() { b3DestroyWorld(world_); }

  void step(const peers::References& references, int k) {
    const double* phi = references.phi(k);
    const double* rate = references.rate(k);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      b3RevoluteJoint_SetTargetAngle(
          joints_[i], static_cast<float>(phi[i] + peers::k_D / peers::k_P * rate[i]));
    }
    b3World_Step(world_, static_cast<float>(peers::dt), substeps_);
  }

  void poses(std::vector<peers::LinkPose>& out) const {
    out.clear();
    for (const b3BodyId link : links_) {
      const b3WorldTransform at = b3Body_GetTransform(link);
      const b3Vec3 e = b3RotateVector(at.q, b3Vec3{1.0F, 0.0F, 0.0F});
      out.push_back({at.p.x, at.p.y, at.p.z, e.x, e.y, e.z});
    }
  }

  /// Points of all contacts the solver is handed.
  [[nodiscard]] int contacts() const {
    int count = 0;
    std::vector<b3ContactData> data;
    for (const b3BodyId link : links_) {
      data.resize(static_cast<std::size_t>(b3Body_GetContactCapacity(link)));
      const int found = b3Body_GetContactData(link, data.data(), static_cast<int>(data.size()));
      for (int c = 0; c < found; ++c) {
        const b3ContactData& contact = data[static_cast<std::size_t>(c)];
        for (int m = 0; m < contact.manifoldCount; ++m) count += contact.manifolds[m].pointCount;
      }
    }
    return count;
  }

 private:
  // links do not meet links
  static constexpr std::uint64_t ground_bit = 1, link_bit = 2;

  static b3ShapeDef shape(std::uint64_t is, std::uint64_t meets) {
    b3ShapeDef def = b3DefaultShapeDef();
    def.baseMaterial.friction = static_cast<float>(peers::friction);  // a pair's: sqrt(a b)
    def.baseMaterial.restitution = 0.0F;
    def.filter.categoryBits = is;
    def.filter.maskBits = meets;
    return def;
  }

  void add_ground(const Job& job) {
    b3BodyDef body = b3DefaultBodyDef();
    const b3ShapeDef def = shape(ground_bit, link_bit);
    const b3BoxHull box = b3MakeBoxHull(50.0F, 50.0F, 1.0F);
    body.position = {0.0F, 0.0F, -1.0F};
    b3CreateHullShape(b3CreateBody(world_, &body), &def, &box.base);
    for (const peers::Cylinder& cylinder : peers::load_cylinders(job)) {
      body.position = vec(cylinder.x, cylinder.y, 0.0);
      const b3Capsule capsule = {vec(0.0, 0.0, -0.5), vec(0.0, 0.0, 0.5),
                                 static_cast<float>(cylinder.radius)};
      b3CreateCapsuleShape(b3CreateBody(world_, &body), &def, &capsule);
    }
  }

  void add_link(const peers::LinkPose& pose) {
    b3BodyDef body = b3DefaultBodyDef();
    body.type = b3_dynamicBody;
    body.position = vec(pose.x, pose.y, pose.z);
    const double theta = std::atan2(pose.e_y, pose.e_x);
    body.rotation = {vec(0.0, 0.0, std::sin(theta / 2)), static_cast<float>(std::cos(theta / 2))};
    body.enableSleep = false;
    const b3BodyId id = b3CreateBody(world_, &body);
    b3ShapeDef def = shape(link_bit, ground_bit);
    def.updateBodyMass = false;
    for (const double side : {-1.0, 1.0}) {
      const b3Sphere sphere = {vec(side * peers::half_core, 0.0, 0.0),
                               static_cast<float>(peers::radius)};
      b3CreateSphereShape(id, &def, &sphere);
    }
    const b3MassData mass = {
        static_cast<float>(peers::mass),
        vec(0.0, 0.0, 0.0),
        {vec(peers::inertia_axial, 0.0, 0.0), vec(0.0, peers::inertia, 0.0),
         vec(0.0, 0.0, peers::inertia)},
    };
    b3Body_SetMassData(id, mass);
    links_.push_back(id);
  }

  void add_joint(int i, const Settings& settings) {
    b3RevoluteJointDef def = b3DefaultRevoluteJointDef();
    def.base.bodyIdA = links_[static_cast<std::size_t>(i)];
    def.base.bodyIdB = links_[static_cast<std::size_t>(i) + 1];
    def.base.localFrameA.p = vec(peers::length / 2, 0.0, 0.0);
    def.base.localFrameB.p = vec(-peers::length / 2, 0.0, 0.0);
    def.base.collideConnected = false;
    if (settings.joint_hertz >= 0.0F) def.base.constraintHertz = settings.joint_hertz;
    if (settings.joint_damping >= 0.0F) def.base.constraintDampingRatio = settings.joint_damping;
    const double m = peers::inertia / 2;
    const double w = std::sqrt(peers::k_P / m);
    def.enableSpring = true;
    def.hertz = static_cast<float>(w / (2 * std::numbers::pi));
    def.dampingRatio = static_cast<float>(peers::k_D / (2 * m * w));
    joints_.push_back(b3CreateRevoluteJoint(world_, &def));
  }

  b3WorldId world_{};
  int substeps_;
  std::vector<b3BodyId> links_;
  std::vector<b3JointId> joints_;
};

// One more run, looked at after every step.
void watch(const Job& job, const Settings& settings, const peers::References& references,
           peers::Result& result) {
  World world(job, settings);
  peers::Poses file(job);
  std::vector<peers::LinkPose> poses;
  world.poses(poses);
  file.add(poses);
  result.contacts = result.failed = 0.0;
  for (int k = 1; k <= job.steps(); ++k) {
    world.step(references, k);
    world.poses(poses);
    file.add(poses);
    result.contacts += static_cast<double>(world.contacts()) / job.steps();
    const bool finite = std::all_of(poses.begin(), poses.end(), [](const peers::LinkPose& p) {
      return std::isfinite(p.x + p.y + p.z + p.e_x + p.e_y + p.e_z);
    });
    if (!finite) result.failed += 1.0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  Settings settings;
  for (int a = 1; a + 1 < argc; a += 2) {
    const std::string value = argv[a + 1];
    if (peers::take(job, argv[a], argv[a + 1])) continue;
    const std::size_t cut = value.find('=');
    if (std::string(argv[a]) != "--setting" || cut == std::string::npos) {
      fail("usage: --setting NAME=VALUE");
    }
    apply(settings, value.substr(0, cut), value.substr(cut + 1));
  }
  const peers::References references(job);

  peers::Result result;
  const b3Version version = b3GetVersion();
  result.engine = "Box3D " + std::to_string(version.major) + "." + std::to_string(version.minor) +
                  "." + std::to_string(version.revision) + " " PEER_VERSION;
  result.iterations = result.iterations_max = settings.substeps;
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < job.repeat; ++r) {
    World world(job, settings);
    const double begin = peers::cpu_seconds();
    for (int k = 1; k <= job.steps(); ++k) world.step(references, k);
    best = std::min(best, (peers::cpu_seconds() - begin) / job.steps());
  }
  result.us_per_step = 1e6 * best;
  if (!job.poses.empty()) watch(job, settings, references, result);
  peers::print(job, result);
}

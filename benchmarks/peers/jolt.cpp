// The peers' scene in Jolt (float, maximal coordinates, sequential impulses). Prints one JSON
// object.
//
// Links: bodies with mass and inertia set, a compound of two spheres; joints: hinges with their
// position motor as the servo. The motor's spring, given by stiffness and damping, is the implicit
// PD law itself; the target's rate goes into the target, phi_d + k_D / k_P phidot_d. Jolt's damping
// of bodies (0.05 by default) is not in the scene and off. Cylinders: capsules standing through the
// floor, round where the links can touch them.
//
//   --setting NAME=VALUE, repeated. None: Jolt's own defaults, with sleeping off.
//     velocity 10   sweeps over the velocities; at least 2, or there is no friction
//     position 2    sweeps over the positions
//     baumgarte 0.2 share of a position's error taken back by a sweep
//     slop 0.02     depth (m) that is left alone
//     cache 1       contacts kept while a pair has moved by less than 1 mm
//     splitter 1    large islands cut up for threads
//     deterministic 1
//     floor triangle  a large one, for which spheres have a routine of their own; or box: Jolt's
//                   general convex routine, slower, and so rough in its normals that a straight
//                   robot rolls sideways
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

// clang-format off: Jolt wants it first
#include <Jolt/Jolt.h>
// clang-format on
#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/Shape/StaticCompoundShape.h>
#include <Jolt/Physics/Collision/Shape/TriangleShape.h>
#include <Jolt/Physics/Constraints/HingeConstraint.h>
#include <Jolt/Physics/PhysicsSettings.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include "scene.hpp"

#ifndef PEER_VERSION
#define PEER_VERSION "(crate unknown)"
#endif

namespace {

using peers::Job;

struct Settings {
  JPH::PhysicsSettings physics;
  bool triangle = true;  // the floor
  Settings() { physics.mAllowSleeping = false; }
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "jolt: %s\n", what.c_str());
  std::exit(2);
}

void apply(Settings& settings, const std::string& name, const std::string& value) {
  JPH::PhysicsSettings& physics = settings.physics;
  const double number = std::atof(value.c_str());
  if (name == "velocity") {
    physics.mNumVelocitySteps = static_cast<JPH::uint>(number);
  } else if (name == "position") {
    physics.mNumPositionSteps = static_cast<JPH::uint>(number);
  } else if (name == "baumgarte") {
    physics.mBaumgarte = static_cast<float>(number);
  } else if (name == "slop") {
    physics.mPenetrationSlop = static_cast<float>(number);
  } else if (name == "cache") {
    physics.mUseBodyPairContactCache = number != 0.0;
  } else if (name == "splitter") {
    physics.mUseLargeIslandSplitter = number != 0.0;
  } else if (name == "deterministic") {
    physics.mDeterministicSimulation = number != 0.0;
  } else if (name == "floor" && (value == "box" || value == "triangle")) {
    settings.triangle = value == "triangle";
  } else {
    fail("unknown setting " + name + "=" + value);
  }
}

JPH::Vec3 vec(double x, double y, double z) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
}

// Links meet the ground and nothing else.
constexpr JPH::ObjectLayer ground_layer = 0, link_layer = 1;

class Layers final : public JPH::BroadPhaseLayerInterface {
 public:
  [[nodiscard]] JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
  [[nodiscard]] JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
    return JPH::BroadPhaseLayer(static_cast<JPH::BroadPhaseLayer::Type>(layer));
  }
};

class LayerMeetsTree final : public JPH::ObjectVsBroadPhaseLayerFilter {
 public:
  [[nodiscard]] bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override {
    return a != static_cast<JPH::BroadPhaseLayer::Type>(b);
  }
};

class LayerMeetsLayer final : public JPH::ObjectLayerPairFilter {
 public:
  [[nodiscard]] bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override {
    return a != b;
  }
};

class CountContacts final : public JPH::ContactListener {
 public:
  void OnContactAdded(const JPH::Body& /*a*/, const JPH::Body& /*b*/,
                      const JPH::ContactManifold& manifold, JPH::ContactSettings& /*s*/) override {
    points += manifold.mRelativeContactPointsOn1.size();
  }
  void OnContactPersisted(const JPH::Body& /*a*/, const JPH::Body& /*b*/,
                          const JPH::ContactManifold& manifold,
                          JPH::ContactSettings& /*s*/) override {
    points += manifold.mRelativeContactPointsOn1.size();
  }
  std::size_t points = 0;
};

/// The scene at rest in its start pose.
class World {
 public:
  World(const Job& job, const Settings& settings)
      : temporary_(32 * 1024 * 1024), jobs_(JPH::cMaxPhysicsJobs) {
    system_.Init(1024, 1, 4096, 4096, layers_, meets_tree_, meets_layer_);
    system_.SetPhysicsSettings(settings.physics);
    const peers::Gravity g = peers::scene_gravity(job);
    system_.SetGravity(vec(g.x, g.y, g.z));
    add_ground(job, settings);
    JPH::StaticCompoundShapeSettings spheres;
    for (const double side : {-1.0, 1.0}) {
      spheres.AddShape(vec(side * peers::half_core, 0.0, 0.0), JPH::Quat::sIdentity(),
                       new JPH::SphereShape(static_cast<float>(peers::radius)));
    }
    const JPH::ShapeRefC shape = spheres.Create().Get();
    for (const peers::LinkPose& pose : peers::start_poses(job)) add_link(pose, shape);
    for (std::size_t i = 0; i + 1 < links_.size(); ++i) add_joint(i);
    system_.OptimizeBroadPhase();
  }

  void step(const peers::References& references, int k) {
    const double* phi = references.phi(k);
    const double* rate = references.rate(k);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      joints_[i]->SetTargetAngle(static_cast<float>(phi[i] + peers::k_D / peers::k_P * rate[i]));
    }
    error_ = system_.Update(static_cast<float>(peers::dt), 1, &temporary_, &jobs_);
  }

  /// Whether the last step overflowed a buffer.
  [[nodiscard]] bool failed() const { return error_ != JPH::EPhysicsUpdateError::None; }

  void poses(std::vector<peers::LinkPose>& out) const {
    out.clear();
    for (const JPH::Body* link : links_) {
      const JPH::RVec3 at = link->GetCenterOfMassPosition();
      const JPH::Vec3 e = link->GetRotation().RotateAxisX();
      out.push_back({at.GetX(), at.GetY(), at.GetZ(), e.GetX(), e.GetY(), e.GetZ()});
    }
  }

  void listen(JPH::ContactListener& listener) { system_.SetContactListener(&listener); }

 private:
  JPH::Body& add(JPH::BodyCreationSettings& settings) {
    settings.mFriction = static_cast<float>(peers::friction);  // a pair's: sqrt(a b)
    settings.mRestitution = 0.0F;
    JPH::BodyInterface& bodies = system_.GetBodyInterfaceNoLock();
    JPH::Body* body = bodies.CreateBody(settings);
    if (body == nullptr) fail("no room for a body");
    bodies.AddBody(body->GetID(), settings.mMotionType == JPH::EMotionType::Static
                                      ? JPH::EActivation::DontActivate
                                      : JPH::EActivation::Activate);
    return *body;
  }

  void add_fixed(const JPH::Shape* shape, const JPH::Vec3& at, const JPH::Quat& rotation) {
    JPH::BodyCreationSettings settings(shape, at, rotation, JPH::EMotionType::Static, ground_layer);
    add(settings);
  }

  void add_ground(const Job& job, const Settings& settings) {
    if (settings.triangle) {
      add_fixed(new JPH::TriangleShape(vec(-90.0, -52.0, 0.0), vec(90.0, -52.0, 0.0),
                                       vec(0.0, 104.0, 0.0)),
                vec(0.0, 0.0, 0.0), JPH::Quat::sIdentity());
    } else {
      add_fixed(new JPH::BoxShape(vec(50.0, 50.0, 1.0)), vec(0.0, 0.0, -1.0),
                JPH::Quat::sIdentity());
    }
    const JPH::Quat upright = JPH::Quat::sRotation(JPH::Vec3::sAxisX(), 0.5F * JPH::JPH_PI);
    for (const peers::Cylinder& cylinder : peers::load_cylinders(job)) {
      add_fixed(new JPH::CapsuleShape(0.5F, static_cast<float>(cylinder.radius)),
                vec(cylinder.x, cylinder.y, 0.0), upright);
    }
  }

  void add_link(const peers::LinkPose& pose, const JPH::Shape* shape) {
    const auto theta = static_cast<float>(std::atan2(pose.e_y, pose.e_x));
    JPH::BodyCreationSettings settings(shape, vec(pose.x, pose.y, pose.z),
                                       JPH::Quat::sRotation(JPH::Vec3::sAxisZ(), theta),
                                       JPH::EMotionType::Dynamic, link_layer);
    settings.mOverrideMassProperties = JPH::EOverrideMassProperties::MassAndInertiaProvided;
    settings.mMassPropertiesOverride.mMass = static_cast<float>(peers::mass);
    settings.mMassPropertiesOverride.mInertia =
        JPH::Mat44::sScale(vec(peers::inertia_axial, peers::inertia, peers::inertia));
    settings.mLinearDamping = settings.mAngularDamping = 0.0F;
    settings.mAllowSleeping = false;
    links_.push_back(&add(settings));
  }

  void add_joint(std::size_t i) {
    JPH::HingeConstraintSettings settings;
    settings.mSpace = JPH::EConstraintSpace::LocalToBodyCOM;
    settings.mPoint1 = vec(peers::length / 2, 0.0, 0.0);
    settings.mPoint2 = vec(-peers::length / 2, 0.0, 0.0);
    settings.mHingeAxis1 = settings.mHingeAxis2 = JPH::Vec3::sAxisZ();
    settings.mNormalAxis1 = settings.mNormalAxis2 = JPH::Vec3::sAxisX();
    settings.mMotorSettings.mSpringSettings =
        JPH::SpringSettings(JPH::ESpringMode::StiffnessAndDamping, static_cast<float>(peers::k_P),
                            static_cast<float>(peers::k_D));
    auto* hinge = static_cast<JPH::HingeConstraint*>(settings.Create(*links_[i], *links_[i + 1]));
    hinge->SetMotorState(JPH::EMotorState::Position);
    system_.AddConstraint(hinge);
    joints_.push_back(hinge);
  }

  Layers layers_;
  LayerMeetsTree meets_tree_;
  LayerMeetsLayer meets_layer_;
  JPH::TempAllocatorImpl temporary_;
  JPH::JobSystemSingleThreaded jobs_;
  JPH::PhysicsSystem system_;
  JPH::EPhysicsUpdateError error_ = JPH::EPhysicsUpdateError::None;
  std::vector<JPH::Body*> links_;
  std::vector<JPH::HingeConstraint*> joints_;
};

// One more run, looked at after every step.
void watch(const Job& job, const Settings& settings, const peers::References& references,
           peers::Result& result) {
  const auto world = std::make_unique<World>(job, settings);
  CountContacts count;
  world->listen(count);
  peers::Poses file(job);
  std::vector<peers::LinkPose> poses;
  world->poses(poses);
  file.add(poses);
  result.failed = 0.0;
  for (int k = 1; k <= job.steps(); ++k) {
    world->step(references, k);
    world->poses(poses);
    file.add(poses);
    const bool finite = std::all_of(poses.begin(), poses.end(), [](const peers::LinkPose& p) {
      return std::isfinite(p.x + p.y + p.z + p.e_x + p.e_y + p.e_z);
    });
    if (!finite || world->failed()) result.failed += 1.0;
  }
  result.contacts = static_cast<double>(count.points) / job.steps();
}

}  // namespace

int main(int argc, char** argv) {
  JPH::RegisterDefaultAllocator();
  JPH::Factory::sInstance = new JPH::Factory();
  JPH::RegisterTypes();

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
  result.engine = "Jolt " + std::to_string(JPH_VERSION_MAJOR) + "." +
                  std::to_string(JPH_VERSION_MINOR) + "." + std::to_string(JPH_VERSION_PATCH) +
                  " " PEER_VERSION;
  result.iterations = result.iterations_max = settings.physics.mNumVelocitySteps;
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < job.repeat; ++r) {
    const auto world = std::make_unique<World>(job, settings);
    const double begin = peers::cpu_seconds();
    for (int k = 1; k <= job.steps(); ++k) world->step(references, k);
    best = std::min(best, (peers::cpu_seconds() - begin) / job.steps());
  }
  result.us_per_step = 1e6 * best;
  if (!job.poses.empty()) watch(job, settings, references, result);
  peers::print(job, result);

  JPH::UnregisterTypes();
  delete JPH::Factory::sInstance;
}

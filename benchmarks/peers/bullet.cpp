// The peers' scene in Bullet, as rigid bodies with hinges (btRigidBody, btHingeConstraint) or as an
// articulated body (btMultiBody); one step a call, nothing subdivided. Debian has the library in
// single precision (what pkg-config names) and in double (-DBT_USE_DOUBLE_PRECISION and libraries
// named -float64); this file compiles with either.
//
// Servos are torques k_P (phi_d - phi) + k_D (phi_d' - phi') at the step's beginning: Bullet's
// joint motors are constraints with gains of another meaning. A link has a compound of its two
// spheres, a cylinder is a capsule whose ends no sphere reaches. Nothing sleeps, no damping of its
// own (Bullet gives an articulated body 0.04 otherwise), no restitution.
//
// Articulated bodies put the weight on few points, often half of it on a single one: on a floor the
// loads are not determined, and its solver starts from zero each step and takes one point after the
// other. It is a solution of the rigid problem all the same.
//
// Settings:
//   bodies=rigid|multi  maximal coordinates (default), or Featherstone's articulated body
//   iterations=10       of the sequential-impulse solver; 10 is Bullet's default
//   directions=1|2      rigid: friction along one direction, that of sliding (default), or along
//                       two, a pyramid; multi always has two and a cone
//   gyro=on|off         the gyroscopic term of rigid bodies, implicit (default on)
//   aabbs=all|active    boxes of the fixed shapes are renewed every step (default) or not
#include <memory>

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include "driver.hpp"

namespace {

using peers::Job;

constexpr int robot_group = 1;
constexpr int world_group = 2;

btScalar scalar(double value) { return static_cast<btScalar>(value); }
btVector3 vector(double x, double y, double z) { return {scalar(x), scalar(y), scalar(z)}; }
btTransform transform(const peers::LinkPose& pose) {
  const btQuaternion turn(vector(0, 0, 1), scalar(std::atan2(pose.e_y, pose.e_x)));
  return btTransform(turn, vector(pose.x, pose.y, pose.z));
}

class World {
 public:
  World(const Job& job, const peers::References& references, peers::Settings& settings)
      : references_(references) {
    multi_ = settings.word("bodies", "rigid", {"rigid", "multi"}) == "multi";
    iterations_ = static_cast<int>(settings.number("iterations", 10));
    const bool two = settings.word("directions", "1", {"1", "2"}) == "2";
    const bool gyro = settings.word("gyro", "on", {"on", "off"}) == "on";
    const bool all = settings.word("aabbs", "all", {"all", "active"}) == "all";

    dispatcher_ = std::make_unique<btCollisionDispatcher>(&configuration_);
    if (multi_) {
      auto solver = std::make_unique<btMultiBodyConstraintSolver>();
      world_ = std::make_unique<btMultiBodyDynamicsWorld>(dispatcher_.get(), &broadphase_,
                                                          solver.get(), &configuration_);
      solver_ = std::move(solver);
    } else {
      solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
      world_ = std::make_unique<btDiscreteDynamicsWorld>(dispatcher_.get(), &broadphase_,
                                                         solver_.get(), &configuration_);
    }
    btContactSolverInfo& info = world_->getSolverInfo();
    info.m_numIterations = iterations_;
    if (two) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    world_->setForceUpdateAllAabbs(all);
    const auto g = peers::scene_gravity(job);
    world_->setGravity(vector(g.x, g.y, g.z));

    for (const int side : {-1, 1}) {
      link_shape_.addChildShape(
          btTransform(btQuaternion::getIdentity(), vector(side * peers::half_core, 0, 0)),
          &sphere_);
    }
    make_world(job);
    const auto start = peers::start_poses(job);
    multi_ ? make_articulated(job, start) : make_rigid(start, gyro);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    for (const auto& hinge : hinges_) world_->removeConstraint(hinge.get());
    for (const auto& object : fixed_) world_->removeCollisionObject(object.get());
    for (const auto& body : rigid_) world_->removeRigidBody(body.get());
    for (const auto& collider : colliders_) world_->removeCollisionObject(collider.get());
    if (multi_) articulated_world().removeMultiBody(robot_.get());
  }

  void step(int k) {
    multi_ ? add_joint_torques(k) : add_body_torques(k);
    world_->stepSimulation(scalar(peers::dt), 0);
  }

  [[nodiscard]] std::vector<peers::LinkPose> poses() const {
    std::vector<peers::LinkPose> poses;
    for (const btCollisionObject* link : links_) {
      const btVector3& r = link->getWorldTransform().getOrigin();
      const btVector3 e = link->getWorldTransform().getBasis().getColumn(0);
      poses.push_back({r.x(), r.y(), r.z(), e.x(), e.y(), e.z()});
    }
    return poses;
  }
  [[nodiscard]] int contacts() const {
    int count = 0;
    for (int m = 0; m < dispatcher_->getNumManifolds(); ++m) {
      count += dispatcher_->getManifoldByIndexInternal(m)->getNumContacts();
    }
    return count;
  }
  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] static bool failed() { return false; }

 private:
  btMultiBodyDynamicsWorld& articulated_world() {
    return static_cast<btMultiBodyDynamicsWorld&>(*world_);
  }

  // Bullet multiplies the frictions of the two shapes: the robot's is mu, the world's 1.
  void make_world(const Job& job) {
    const auto add = [&](btCollisionShape* shape, const btVector3& at) {
      auto object = std::make_unique<btCollisionObject>();
      object->setCollisionShape(shape);
      object->setWorldTransform(btTransform(btQuaternion::getIdentity(), at));
      object->setFriction(1);
      world_->addCollisionObject(object.get(), world_group, robot_group);
      fixed_.push_back(std::move(object));
    };
    add(&floor_, vector(0, 0, 0));
    for (const peers::Cylinder& cylinder : peers::load_cylinders(job)) {
      capsules_.push_back(std::make_unique<btCapsuleShapeZ>(scalar(cylinder.radius), scalar(1)));
      add(capsules_.back().get(), vector(cylinder.x, cylinder.y, 0.25));
    }
  }

  // Link 1 is the base, the others hang on it one after the other.
  void make_articulated(const Job& job, const std::vector<peers::LinkPose>& start) {
    const btVector3 inertia = vector(peers::inertia_axial, peers::inertia, peers::inertia);
    const btVector3 half = vector(peers::length / 2, 0, 0);
    robot_ = std::make_unique<btMultiBody>(job.n - 1, scalar(peers::mass), inertia, false, false);
    for (int i = 0; i + 1 < job.n; ++i) {
      robot_->setupRevolute(i, scalar(peers::mass), inertia, i - 1, btQuaternion::getIdentity(),
                            vector(0, 0, 1), half, half, true);
    }
    robot_->finalizeMultiDof();
    robot_->setLinearDamping(0);
    robot_->setAngularDamping(0);
    robot_->setHasSelfCollision(false);
    robot_->setBaseWorldTransform(transform(start.front()));
    for (int i = 0; i + 1 < job.n; ++i) robot_->setJointPos(i, scalar(references_.phi(0)[i]));
    articulated_world().addMultiBody(robot_.get());
    for (int i = -1; i + 1 < job.n; ++i) {
      auto collider = std::make_unique<btMultiBodyLinkCollider>(robot_.get(), i);
      collider->setCollisionShape(&link_shape_);
      collider->setFriction(scalar(peers::friction));
      collider->setActivationState(DISABLE_DEACTIVATION);
      collider->setWorldTransform(transform(start[static_cast<std::size_t>(i + 1)]));
      world_->addCollisionObject(collider.get(), robot_group, world_group);
      if (i < 0) {
        robot_->setBaseCollider(collider.get());
      } else {
        robot_->getLink(i).m_collider = collider.get();
      }
      links_.push_back(collider.get());
      colliders_.push_back(std::move(collider));
    }
  }

  void make_rigid(const std::vector<peers::LinkPose>& start, bool gyro) {
    const btVector3 inertia = vector(peers::inertia_axial, peers::inertia, peers::inertia);
    for (const peers::LinkPose& pose : start) {
      btRigidBody::btRigidBodyConstructionInfo info(scalar(peers::mass), nullptr, &link_shape_,
                                                    inertia);
      info.m_startWorldTransform = transform(pose);
      info.m_friction = scalar(peers::friction);
      auto body = std::make_unique<btRigidBody>(info);
      body->setActivationState(DISABLE_DEACTIVATION);
      if (!gyro) body->setFlags(0);
      world_->addRigidBody(body.get(), robot_group, world_group);
      links_.push_back(body.get());
      rigid_.push_back(std::move(body));
    }
    const btVector3 half = vector(peers::length / 2, 0, 0);
    for (std::size_t i = 0; i + 1 < rigid_.size(); ++i) {
      hinges_.push_back(std::make_unique<btHingeConstraint>(*rigid_[i], *rigid_[i + 1], half, -half,
                                                            vector(0, 0, 1), vector(0, 0, 1)));
      world_->addConstraint(hinges_.back().get(), true);
    }
  }

  void add_joint_torques(int k) {
    for (int i = 0; i < robot_->getNumLinks(); ++i) {
      const double torque = peers::k_P * (references_.phi(k)[i] - robot_->getJointPos(i)) +
                            peers::k_D * (references_.rate(k)[i] - robot_->getJointVel(i));
      robot_->addJointTorque(i, scalar(torque));
    }
  }

  void add_body_torques(int k) {
    for (std::size_t i = 0; i + 1 < rigid_.size(); ++i) {
      btRigidBody& a = *rigid_[i];
      btRigidBody& b = *rigid_[i + 1];
      const btMatrix3x3& A = a.getWorldTransform().getBasis();
      const btVector3 x = b.getWorldTransform().getBasis().getColumn(0);
      const btVector3 e = A.getColumn(2);
      const double phi = std::atan2(x.dot(A.getColumn(1)), x.dot(A.getColumn(0)));
      const double rate = e.dot(b.getAngularVelocity() - a.getAngularVelocity());
      const btVector3 torque = e * scalar(peers::k_P * (references_.phi(k)[i] - phi) +
                                          peers::k_D * (references_.rate(k)[i] - rate));
      b.applyTorque(torque);
      a.applyTorque(-torque);
    }
  }

  const peers::References& references_;
  bool multi_ = true;
  int iterations_ = 10;

  btSphereShape sphere_{scalar(peers::radius)};
  btCompoundShape link_shape_{false};
  btStaticPlaneShape floor_{vector(0, 0, 1), 0};
  std::vector<std::unique_ptr<btCapsuleShapeZ>> capsules_;

  btDefaultCollisionConfiguration configuration_;
  btDbvtBroadphase broadphase_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  std::unique_ptr<btConstraintSolver> solver_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::unique_ptr<btCollisionObject>> fixed_;
  std::vector<const btCollisionObject*> links_;
  std::unique_ptr<btMultiBody> robot_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<std::unique_ptr<btRigidBody>> rigid_;
  std::vector<std::unique_ptr<btHingeConstraint>> hinges_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string version =
      std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
  const char* precision = sizeof(btScalar) == sizeof(float) ? "single" : "double";
  return peers::drive<World>("Bullet " + version + ", " + precision + " precision", argc, argv);
}

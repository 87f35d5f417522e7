// The peers' scene in DART: one skeleton in joint coordinates, link 1 on a free joint and the
// others on revolute joints; contacts as a boxed LCP over a dense matrix. Double precision.
//
// Servos are the joints' own springs and dampers, which DART treats implicitly: rest position
// phi_d + (k_D/k_P) phi_d', stiffness k_P, damping k_D. Friction is a pyramid along two axes of
// DART's choice (the scene's x and y on the floor). A step has failed if the LCP solver said so;
// DART then asks projected Gauss-Seidel.
//
// Settings:
//   collision=fcl|ode    the detector: DART's default, which makes meshes of spheres and cylinders
//                        and has no plane (the floor is a box), or ODE's exact shapes. DART's own
//                        knows no cylinders; Bullet's lets them in by 6 mm.
//   lcp=dantzig|pgs      the solver (default dantzig, with pgs behind it)
//   iterations=30        of pgs; 30 is DART's default
//   root=first|middle    the link on the free joint (default first)
//   servo=spring|torque  torque: k_P (phi_d - phi) + k_D (phi_d' - phi') at the step's beginning
//                        (default spring)
#include <memory>

#include <dart/collision/fcl/FCLCollisionDetector.hpp>
#include <dart/collision/ode/ode.hpp>
#include <dart/config.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/CylinderShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlaneShape.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/ShapeNode.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include "driver.hpp"

namespace {

using peers::Job;
namespace dyn = dart::dynamics;

/// Dantzig's method that says how often it failed.
class Watched : public dart::constraint::DantzigBoxedLcpSolver {
 public:
  bool solve(int n, double* A, double* x, double* b, int nub, double* lo, double* hi, int* findex,
             bool early) override {
    const bool solved =
        dart::constraint::DantzigBoxedLcpSolver::solve(n, A, x, b, nub, lo, hi, findex, early);
    failed = failed || !solved;
    return solved;
  }
  bool failed = false;
};

class World {
 public:
  World(const Job& job, const peers::References& references, peers::Settings& settings)
      : references_(references) {
    const bool ode = settings.word("collision", "fcl", {"fcl", "ode"}) == "ode";
    const bool dantzig = settings.word("lcp", "dantzig", {"dantzig", "pgs"}) == "dantzig";
    const int iterations = static_cast<int>(settings.number("iterations", 30));
    const bool middle = settings.word("root", "first", {"first", "middle"}) == "middle";
    spring_ = settings.word("servo", "spring", {"spring", "torque"}) == "spring";

    auto pgs = std::make_shared<dart::constraint::PgsBoxedLcpSolver>();
    auto option = pgs->getOption();
    option.mMaxIteration = iterations;
    pgs->setOption(option);
    if (dantzig) {
      watched_ = std::make_shared<Watched>();
      world_->setConstraintSolver(
          std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(watched_, pgs));
    } else {
      world_->setConstraintSolver(
          std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(pgs, nullptr));
    }
    world_->getConstraintSolver()->setCollisionDetector(make_detector(ode));
    world_->setTimeStep(peers::dt);
    const auto g = peers::scene_gravity(job);
    world_->setGravity(Eigen::Vector3d(g.x, g.y, g.z));

    make_world(job, ode);
    make_robot(job, middle ? (job.n - 1) / 2 : 0);
  }

  void step(int k) {
    const double* phi = references_.phi(k);
    const double* rate = references_.rate(k);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      dyn::Joint& joint = *joints_[i];
      if (spring_) {
        joint.setRestPosition(0, phi[i] + peers::k_D / peers::k_P * rate[i]);
      } else {
        joint.setForce(0, peers::k_P * (phi[i] - joint.getPosition(0)) +
                              peers::k_D * (rate[i] - joint.getVelocity(0)));
      }
    }
    if (watched_) watched_->failed = false;
    world_->step();
  }

  [[nodiscard]] std::vector<peers::LinkPose> poses() const {
    std::vector<peers::LinkPose> poses;
    for (const dyn::BodyNode* link : links_) {
      const Eigen::Isometry3d& T = link->getWorldTransform();
      const Eigen::Vector3d r = T.translation(), e = T.linear().col(0);
      poses.push_back({r.x(), r.y(), r.z(), e.x(), e.y(), e.z()});
    }
    return poses;
  }
  [[nodiscard]] int contacts() const {
    return static_cast<int>(world_->getLastCollisionResult().getNumContacts());
  }
  [[nodiscard]] static int iterations() { return -1; }
  [[nodiscard]] bool failed() const { return watched_ && watched_->failed; }

 private:
  static dart::collision::CollisionDetectorPtr make_detector(bool ode) {
    if (ode) return dart::collision::OdeCollisionDetector::create();
    auto fcl = dart::collision::FCLCollisionDetector::create();  // as World makes it
    fcl->setPrimitiveShapeType(dart::collision::FCLCollisionDetector::MESH);
    fcl->setContactPointComputationMethod(dart::collision::FCLCollisionDetector::DART);
    return fcl;
  }

  static void add_shape(dyn::BodyNode* body, const dyn::ShapePtr& shape,
                        const Eigen::Vector3d& at) {
    auto* node = body->createShapeNodeWith<dyn::CollisionAspect, dyn::DynamicsAspect>(shape);
    node->getDynamicsAspect()->setFrictionCoeff(peers::friction);
    node->getDynamicsAspect()->setRestitutionCoeff(0.0);
    node->setRelativeTranslation(at);
  }

  void make_world(const Job& job, bool plane) {
    const auto ground = dyn::Skeleton::create("world");
    auto* body = ground->createJointAndBodyNodePair<dyn::WeldJoint>().second;
    if (plane) {
      add_shape(body, std::make_shared<dyn::PlaneShape>(Eigen::Vector3d::UnitZ(), 0.0),
                Eigen::Vector3d::Zero());
    } else {
      add_shape(body, std::make_shared<dyn::BoxShape>(Eigen::Vector3d(100, 100, 1)),
                Eigen::Vector3d(0, 0, -0.5));
    }
    for (const peers::Cylinder& cylinder : peers::load_cylinders(job)) {
      add_shape(body, std::make_shared<dyn::CylinderShape>(cylinder.radius, 1.0),
                Eigen::Vector3d(cylinder.x, cylinder.y, 0.25));
    }
    ground->setMobile(false);
    world_->addSkeleton(ground);
  }

  // The chain hangs on the root outwards in both directions; a body's frame is its link's centre.
  void make_robot(const Job& job, int root) {
    const auto robot = dyn::Skeleton::create("robot");
    const auto start = peers::start_poses(job);
    links_.resize(static_cast<std::size_t>(job.n));
    joints_.resize(static_cast<std::size_t>(job.n - 1));
    const auto finish = [&](dyn::BodyNode* body, int i) {
      dyn::Inertia inertia(peers::mass, Eigen::Vector3d::Zero(),
                           Eigen::Vector3d(peers::inertia_axial, peers::inertia, peers::inertia)
                               .asDiagonal()
                               .toDenseMatrix());
      body->setInertia(inertia);
      for (const int side : {-1, 1}) {
        add_shape(body, std::make_shared<dyn::SphereShape>(peers::radius),
                  Eigen::Vector3d(side * peers::half_core, 0, 0));
      }
      links_[static_cast<std::size_t>(i)] = body;
    };
    const auto named = [](int i) {  // unnamed ones are talked about
      return dyn::BodyNode::Properties(
          dyn::BodyNode::AspectProperties("link" + std::to_string(i + 1)));
    };
    auto [free, base] = robot->createJointAndBodyNodePair<dyn::FreeJoint>(
        nullptr, dyn::FreeJoint::Properties(), named(root));
    finish(base, root);
    // phi_i = theta_(i+1) - theta_i: a link that hangs on the next one turns the other way
    const auto hang = [&](int i, int parent) {
      const int way = i > parent ? 1 : -1;
      const auto at = static_cast<std::size_t>(std::min(i, parent));
      dyn::RevoluteJoint::Properties properties;
      properties.mName = "phi" + std::to_string(at + 1);
      properties.mAxis = Eigen::Vector3d(0, 0, way);
      properties.mT_ParentBodyToJoint.translation().x() = way * peers::length / 2;
      properties.mT_ChildBodyToJoint.translation().x() = -way * peers::length / 2;
      properties.mInitialPositions[0] = references_.phi(0)[at];
      if (spring_) {
        properties.mSpringStiffnesses[0] = peers::k_P;
        properties.mDampingCoefficients[0] = peers::k_D;
      }
      auto [joint, body] =
          links_[static_cast<std::size_t>(parent)]
              ->createChildJointAndBodyNodePair<dyn::RevoluteJoint>(properties, named(i));
      joint->setPosition(0, references_.phi(0)[at]);
      joints_[at] = joint;
      finish(body, i);
    };
    for (int i = root + 1; i < job.n; ++i) hang(i, i - 1);
    for (int i = root - 1; i >= 0; --i) hang(i, i + 1);

    const peers::LinkPose& p = start[static_cast<std::size_t>(root)];
    Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
    T.translation() = Eigen::Vector3d(p.x, p.y, p.z);
    T.linear() = Eigen::AngleAxisd(std::atan2(p.e_y, p.e_x), Eigen::Vector3d::UnitZ()).matrix();
    free->setPositions(dyn::FreeJoint::convertToPositions(T));
    world_->addSkeleton(robot);
  }

  const peers::References& references_;
  bool spring_ = true;
  std::shared_ptr<Watched> watched_;
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<dyn::BodyNode*> links_;
  std::vector<dyn::Joint*> joints_;
};

}  // namespace

int main(int argc, char** argv) { return peers::drive<World>("DART " DART_VERSION, argc, argv); }

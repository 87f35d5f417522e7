// The recursions against direct sums over all bodies, and against each other.

#include <random>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "coluber/math/group.hpp"
#include "coluber/multibody/evaluate.hpp"

#include "multibody/parts.hpp"
#include "sample/trees.hpp"

namespace coluber::multibody {
namespace recursion_test {

using Eigen::VectorXd;

struct Case1 {
  Model model;
  Data data;
  Configuration at;
  Program program;

  Case1(std::mt19937_64& random, int bodies)
      : model(sample::random_tree(random, bodies)), data(model), at(sample::at_origin(model)) {
    at.eta = sample::random_vector(random, 6, 1.0);
    program = sample::frozen(sample::random_vector(random, model.coordinates, 2.0),
                             sample::random_vector(random, model.coordinates, 2.0),
                             sample::random_vector(random, model.coordinates, 2.0));
  }
  Outcome evaluate() {
    return multibody::evaluate(model, Classification{}, program, 0.0, at, {}, data);
  }
};

Matrix6d inertia_of(const Model& model, int j) {
  const Body& body = model.body(j);
  Matrix6d M = Matrix6d::Zero();
  M.topLeftCorner<3, 3>().diagonal().setConstant(body.m);
  M.topRightCorner<3, 3>() = -body.m * math::hat(body.c);
  M.bottomLeftCorner<3, 3>() = body.m * math::hat(body.c);
  M.bottomRightCorner<3, 3>() = inertia_about_origin(body);
  return M;
}

// Ali (3.23)-(3.26): every body's inertia and wrench carried to the root by itself.
struct DirectSums {
  Matrix6d M = Matrix6d::Zero();
  Vector6d F = Vector6d::Zero();        // (3.24)
  Vector6d printed = Vector6d::Zero();  // with the minus that (3.28) prints before F_j⁺

  explicit DirectSums(const Case1& test) {
    const Model& model = test.model;
    std::vector<Pose> root(static_cast<std::size_t>(model.size()));
    std::vector<Vector6d> zeta(root.size(), Vector6d::Zero());  // of the path, in body j's axes
    for (int j = 0; j < model.size(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      const Data::Body& body = test.data.body[at];
      if (j > 0) {
        const auto parent = static_cast<std::size_t>(model.body(j).parent);
        root[at] = root[parent] * body.g;
        zeta[at] = math::Ad(math::inverse(body.g)) * zeta[parent] + body.zeta;
      }
      const Matrix6d Ad = math::Ad(math::inverse(root[at]));
      const Matrix6d own = inertia_of(model, j);
      const Vector6d gyroscopic = math::ad(body.eta).transpose() * own * body.eta;
      M += Ad.transpose() * own * Ad;
      F += Ad.transpose() * (gyroscopic - own * zeta[at]);
      printed += Ad.transpose() * ((j == 0 ? 1.0 : -1.0) * gyroscopic - own * zeta[at]);
    }
  }
};

TEST(TreeRecursion, CompositeInertiaAndWrenchAreTheSumsOverAllBodies) {
  std::mt19937_64 random(1);
  double printed = 0.0;
  for (int bodies : {1, 2, 7, 20, 60}) {
    Case1 test(random, bodies);
    ASSERT_TRUE(test.evaluate().ok());
    const DirectSums sums(test);
    EXPECT_LE((test.data.M_o - sums.M).norm(), 1e-12 * sums.M.norm()) << bodies << " bodies";
    const double scale = sums.F.norm() + test.data.wrench_scale;
    EXPECT_LE((test.data.body[0].F_plus - sums.F).norm(), 1e-12 * scale) << bodies << " bodies";
    printed = std::max(printed, (test.data.body[0].F_plus - sums.printed).norm() / scale);
  }
  EXPECT_GT(printed, 0.01) << "the printed minus would have gone unnoticed";
}

TEST(TreeRecursion, LeavesNoWrenchAtTheRootOfAFreeTree) {
  std::mt19937_64 random(2);
  for (int bodies : {1, 3, 15, 60}) {
    Case1 test(random, bodies);
    ASSERT_TRUE(test.evaluate().ok());
    EXPECT_LE(test.data.root_residual, 1e-12 * test.data.wrench_scale) << bodies << " bodies";
  }
}

// Ali (3.10) is of another convention than (3.13): together they count Ω × V twice.
TEST(TreeRecursion, TheAccelerationIsTheRateOfTheBodysComponents) {
  std::mt19937_64 random(3);
  Case1 test(random, 8);
  const VectorXd r = sample::random_vector(random, test.model.coordinates, 1.0);
  const VectorXd w = sample::random_vector(random, test.model.coordinates, 1.0);
  test.program = [&](double t, Input& input) {
    input.r = (r.array() + t * w.array() + 0.5 * t * t * r.array()).matrix();
    input.rdot = w + t * r;
    input.rddot = r;
  };
  const auto twists = [&](double t) {
    const Outcome outcome =
        evaluate(test.model, Classification{}, test.program, t, test.at, {}, test.data);
    EXPECT_TRUE(outcome.ok());
    std::vector<Vector6d> eta;
    for (const Data::Body& body : test.data.body) eta.push_back(body.eta);
    return eta;
  };
  const double h = 1e-5;
  const auto after = twists(h);
  const auto before = twists(-h);
  twists(0.0);
  for (std::size_t j = 1; j < after.size(); ++j) {
    // η_o is held by the test: its acceleration is not part of the difference
    Vector6d carried = test.data.etadot_o;
    std::vector<int> path;
    for (int k = static_cast<int>(j); k > 0; k = test.model.body(k).parent) path.push_back(k);
    for (auto k = path.rbegin(); k != path.rend(); ++k) {
      carried = math::to_child(test.data.body[static_cast<std::size_t>(*k)].g, carried);
    }
    const Vector6d rate = (after[j] - before[j]) / (2.0 * h);
    EXPECT_LE((test.data.body[j].etadot - carried - rate).norm(), 1e-7) << "body " << j + 1;
  }
}

// Absolute accelerations, the other convention: ζ of (3.10), and (3.13) without its V terms. It
// says the same; (3.10) with (3.13) as printed does not.
TEST(TreeRecursion, ThePrintedAccelerationsBelongToOtherGyroscopicWrenches) {
  std::mt19937_64 random(5);
  Tree tree = sample::random_tree(random, 7);
  for (Body& body : tree.bodies) body.joint = Joint::revolute;
  const Model model(tree);
  Data data(model);
  Configuration at = sample::at_origin(model);
  at.eta = sample::random_vector(random, 6, 1.0);
  const VectorXd rdot = sample::random_vector(random, 6, 2.0);
  const VectorXd rddot = sample::random_vector(random, 6, 2.0);
  const Program program = sample::frozen(sample::random_vector(random, 6, 2.0), rdot, rddot);
  ASSERT_TRUE(evaluate(model, Classification{}, program, 0.0, at, {}, data).ok());

  Vector6d absolute = Vector6d::Zero();  // F_o⁺
  Vector6d mixed = Vector6d::Zero();
  std::vector<Pose> root(7);
  std::vector<Vector6d> zeta(7, Vector6d::Zero());
  for (int j = 0; j < 7; ++j) {
    const auto index = static_cast<std::size_t>(j);
    const Data::Body& body = data.body[index];
    if (j > 0) {
      const auto parent = static_cast<std::size_t>(model.body(j).parent);
      const Eigen::Vector3d Omega = data.body[parent].eta.tail<3>();
      const Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
      Vector6d own;  // (3.10)
      own << body.g.R.transpose() * Omega.cross(Omega.cross(body.g.p)),
          (body.g.R.transpose() * Omega).cross(rdot(j - 1) * axis) + rddot(j - 1) * axis;
      root[index] = root[parent] * body.g;
      zeta[index] = math::Ad(math::inverse(body.g)) * zeta[parent] + own;
    }
    const Matrix6d Ad = math::Ad(math::inverse(root[index]));
    const Matrix6d M = inertia_of(model, j);
    Vector6d turning = body.eta;
    turning.head<3>().setZero();
    const Vector6d gyroscopic = math::ad(turning).transpose() * M * turning;  // no V terms
    const Vector6d printed = math::ad(body.eta).transpose() * M * body.eta;   // (3.13)
    absolute += Ad.transpose() * (gyroscopic - M * zeta[index]);
    mixed += Ad.transpose() * (printed - M * zeta[index]);
  }
  const auto solve = [&](const Vector6d& F) { return Vector6d(data.M_o.ldlt().solve(F)); };
  Vector6d rate = solve(absolute);
  rate.head<3>() -= Eigen::Vector3d(at.eta.tail<3>()).cross(Eigen::Vector3d(at.eta.head<3>()));
  EXPECT_LE((rate - data.etadot_o).norm(), 1e-12 * data.etadot_o.norm());
  EXPECT_GT((solve(mixed) - data.etadot_o).norm(), 0.1 * data.etadot_o.norm());
}

// Two routes: one cylindrical joint, or a prismatic and a revolute one with nothing in between.
TEST(TreeRecursion, ACylindricalJointIsAPrismaticAndARevoluteOne) {
  std::mt19937_64 random(4);
  Tree one = sample::random_tree(random, 3);
  one.bodies[1].joint = Joint::cylindrical;
  one.bodies[1].parent = 0;
  one.bodies[2].joint = Joint::revolute;
  one.bodies[2].parent = 1;
  Tree two = one;
  Body slide;
  slide.parent = 0;
  slide.joint = Joint::prismatic;
  slide.joint_frame = one.bodies[1].joint_frame;
  two.bodies[1].joint = Joint::revolute;
  two.bodies[1].joint_frame = {};
  two.bodies[1].parent = 1;
  two.bodies[2].parent = 2;
  two.bodies.insert(two.bodies.begin() + 1, slide);
  const Program program =
      sample::frozen(sample::random_vector(random, 3, 1.0), sample::random_vector(random, 3, 1.0),
                     sample::random_vector(random, 3, 1.0));
  const Vector6d eta = sample::random_vector(random, 6, 1.0);
  std::vector<VectorXd> torques;
  std::vector<Vector6d> accelerations;
  for (const Tree& tree : {one, two}) {
    const Model model(tree);
    Data data(model);
    Configuration at = sample::at_origin(model);
    at.eta = eta;
    ASSERT_TRUE(evaluate(model, Classification{}, program, 0.0, at, {}, data).ok());
    torques.push_back(data.tau);
    accelerations.push_back(data.etadot_o);
  }
  EXPECT_LE((torques[0] - torques[1]).norm(), 1e-12 * torques[0].norm());
  EXPECT_LE((accelerations[0] - accelerations[1]).norm(), 1e-12 * accelerations[0].norm());
}

}  // namespace recursion_test
}  // namespace coluber::multibody

// Connections: momentum that stays zero, the area rule, shapes that return.

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "coluber/math/group.hpp"
#include "coluber/multibody/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "sample/trees.hpp"

namespace coluber::multibody {
namespace connection_test {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Three slender bodies in a row that move in their plane, joints at their ends; `added` of a
/// fluid.
Tree three_in_a_row(bool added) {
  Tree tree;
  for (int j = 0; j < 3; ++j) {
    const double I = 0.3 * 0.04 / 12.0 * (1.0 + j);
    tree.bodies.push_back(
        sample::body_at(j - 1, {j == 0 ? 0.0 : 0.2, 0.0, 0.0}, 0.3 + 0.1 * j, {0.1 * I, I, I}));
    tree.bodies.back().c = {0.1, 0.0, 0.0};
    if (added) tree.bodies.back().added << 0.02, 0.3, 0.3, 0.0, I, I;
  }
  return tree;
}

// Ali (3.32), (2.19): without momentum the twist is -𝒜 ṙ.
TEST(Connection, IsTheTwistOfATreeWithoutMomentum) {
  std::mt19937_64 random(1);
  for (bool added : {false, true}) {
    for (const Tree& tree : {three_in_a_row(added), sample::random_tree(random, 12)}) {
      const Model model(tree);
      Data data(model);
      const Configuration at = sample::at_origin(model);
      const VectorXd rdot = sample::random_vector(random, model.coordinates, 1.0);
      const Program program =
          sample::frozen(sample::random_vector(random, model.coordinates, 1.0), rdot, 0.0 * rdot);
      const Vector6d eta = twist_without_momentum(model, {}, program, 0.0, at, data);
      const Eigen::MatrixXd A = compute_connection(model, {}, program, 0.0, at, data);
      EXPECT_LE((eta + A * rdot).norm(), 1e-12 * (1.0 + eta.norm()));
    }
  }
}

// Ali (2.3): headings of planar trees add up, so a closed curve in the shapes turns the robot by
// the integral of d𝒜 over what it encloses. Places do not: the rule fails for them.
TEST(Connection, ALoopOfShapesTurnsByTheAreaItEncloses) {
  for (bool added : {false, true}) {
    const Model model(three_in_a_row(added));
    Data data(model);
    const Configuration at = sample::at_origin(model);
    const auto connection = [&](const Vector2d& r) {
      return compute_connection(model, {}, sample::frozen(r, VectorXd::Zero(2), VectorXd::Zero(2)),
                                0.0, at, data);
    };
    const Vector2d middle{0.3, -0.2};
    const Vector2d half{0.9, 0.7};
    const auto shape = [&](double size, double s) {
      return Vector2d(middle + size * half.cwiseProduct(Vector2d(std::cos(s), std::sin(s))));
    };
    // along the curve: heading by sums, place by steps of the group
    constexpr int count = 4000;
    const double ds = 2.0 * sample::pi / count;
    double turned = 0.0;
    Pose g;
    for (int k = 0; k < count; ++k) {
      const double s = (k + 0.5) * ds;
      const Vector2d rate{-half.x() * std::sin(s), half.y() * std::cos(s)};
      const Vector6d eta = -connection(shape(1.0, s)) * rate;
      turned += eta(5) * ds;
      g = g * math::exp(Vector6d(ds * eta));
    }
    // over the area: Gauss' three points in each of 24 rings
    const auto derivative = [&](const Vector2d& r) {
      constexpr double h = 1e-3;
      const auto difference = [&](double step) {
        const Eigen::MatrixXd by_1 =
            connection(r + step * Vector2d::UnitX()) - connection(r - step * Vector2d::UnitX());
        const Eigen::MatrixXd by_2 =
            connection(r + step * Vector2d::UnitY()) - connection(r - step * Vector2d::UnitY());
        return Vector6d((by_1.col(1) - by_2.col(0)) / (2.0 * step));
      };
      return Vector6d((4.0 * difference(h) - difference(2.0 * h)) / 3.0);
    };
    constexpr int rings = 24;
    constexpr int spokes = 48;
    constexpr std::array<double, 3> place{-0.7745966692414834, 0.0, 0.7745966692414834};
    constexpr std::array<double, 3> weight{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    Vector6d area = Vector6d::Zero();
    for (int ring = 0; ring < rings; ++ring) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double size = (ring + 0.5 + 0.5 * place[i]) / rings;
        for (int k = 0; k < spokes; ++k) {
          area += weight[i] / rings * (2.0 * sample::pi / spokes) * size * half.prod() *
                  derivative(shape(size, 2.0 * sample::pi * k / spokes));
        }
      }
    }
    EXPECT_GT(std::abs(turned), 5e-3);
    EXPECT_NEAR(turned, -area(5), 1e-8) << "added masses: " << added;
    EXPECT_NEAR(std::atan2(g.R(1, 0), g.R(0, 0)), turned, 1e-9);
    EXPECT_GT((g.p.head<2>() + area.head<2>()).norm(), 1e-3) << "places are no sums";
  }
}

/// How far from its start a run ends: place (m) and angle (rad) of link 1.
double way_of(const std::string& file, const scenario::Overrides& set) {
  simulation::Simulation run = simulation::make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/reproduce/ali/scenarios/" + file, set));
  auto& system = dynamic_cast<MultibodySystem&>(*run.system);
  const Pose start = system.configuration().g;
  const auto steps = static_cast<std::int64_t>(std::llround(run.scenario.duration / system.dt()));
  while (system.step_count() < steps) {
    if (system.step().status != Status::ok) return std::numeric_limits<double>::infinity();
  }
  const Pose way = math::inverse(start) * system.configuration().g;
  return way.p.norm() + Eigen::AngleAxisd(way.R).angle();
}

// Ali 2.3.5
TEST(Scallop, OneParameterOutAndBackMovesNothing) {
  EXPECT_LE(way_of("satellite_cycle.toml", {}), 1e-9);
  EXPECT_LE(way_of("axles_cycle.toml", {}), 1e-9);
  EXPECT_LE(way_of("fish_cycle.toml", {}), 1e-9);
}

TEST(Scallop, TwoParametersRoundALoopDo) {
  EXPECT_GT(
      way_of("satellite_cycle.toml", {"gait.joint.2.law='sin'", "start.twist='zero_momentum'"}),
      1e-3);
  EXPECT_GT(way_of("axles_cycle.toml", {"gait.joint.2.law='sin'"}), 1e-3);
  EXPECT_GT(way_of("fish_cycle.toml", {"gait.joint.2.law='sin'", "gait.joint.4.law='sin'"}), 1e-3);
}

}  // namespace connection_test
}  // namespace coluber::multibody

// A planar robot laid on a path: where its joints are, how they move, what it holds, what it shows.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/path/keys.hpp"
#include "coluber/path/train.hpp"
#include "coluber/planar/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {
namespace path_start_test {

using Eigen::Vector2d;
using Eigen::VectorXd;

constexpr double pi = std::numbers::pi;

const char* const kSerpenoid = "shape = 'serpenoid'\namplitude = 0.99\nwavelength = 0.765\n";

/// Links that all differ, centres of gravity off the middle.
std::string scenario_of(const std::string& path, const std::string& start, int links = 9) {
  std::string text = "duration = 0.2\n[robot]\nmodel = 'planar'\n";
  for (int i = 0; i < links; ++i) {
    text += fmt::format(
        "[[robot.link]]\nmass = {}\ninertia = 1e-3\nlength = {}\nhalf_core = 0.02\nradius = 0.01\n"
        "cg_offset = {}\n",
        0.5 + 0.05 * i, 0.09 + 0.005 * i, 0.01 - 0.003 * i);
  }
  return text + "[path]\n" + path + "[start]\non_path = true\n" + start;
}

const planar::PlanarSystem& system_of(const Simulation& simulation) {
  return dynamic_cast<const planar::PlanarSystem&>(*simulation.system);
}

/// Ends and joints, from link 1 on, with their velocities.
struct Joints {
  Eigen::Matrix2Xd r, v;
};

Joints joints_of(const Simulation& simulation) {
  const planar::PlanarSystem& system = system_of(simulation);
  const planar::Model& model = system.model();
  const planar::State& state = system.state();
  planar::Pose pose;
  planar::compute_pose_at_time(model, state, simulation.system->dt(), pose);
  const int n = model.n();
  Joints joints{Eigen::Matrix2Xd(2, n + 1), Eigen::Matrix2Xd(2, n + 1)};
  for (int i = 0; i <= n; ++i) {
    const int of = std::min(i, n - 1);  // the point at which link i begins; the last: its end
    const planar::Link& link = model.links[static_cast<std::size_t>(of)];
    const double arm = (i < n ? -0.5 : 0.5) * link.L - link.offset;
    joints.r.col(i) = pose.origin + pose.r.col(of) + arm * Vector2d{pose.cos(of), pose.sin(of)};
    joints.v.col(i) = state.u.segment<2>(3 * of) +
                      state.u(3 * of + 2) * arm * Vector2d{-pose.sin(of), pose.cos(of)};
  }
  return joints;
}

struct Scene {
  Simulation simulation;
  path::Train train;
  std::unique_ptr<path::Path> path;
  bool reversed = false;
};

Scene make_scene(const std::string& path, double s, double speed, bool last, int links = 9) {
  const scenario::Scenario read =
      scenario::parse(scenario_of(path + fmt::format("leads = '{}'\n", last ? "last" : "first"),
                                  fmt::format("s = {}\nspeed = {}\n", s, speed), links));
  Scene scene{make_simulation(read), {}, path::make_path(read.get<path::PathKeys>()), !last};
  std::vector<double> length;
  for (const planar::Link& link : system_of(scene.simulation).model().links) {
    length.push_back(link.L);
  }
  if (scene.reversed) std::ranges::reverse(length);
  EXPECT_TRUE(path::lay_train(*scene.path, length, s, speed, 0.0, scene.train));
  return scene;
}

TEST(PlanarPathStart, EveryJointAndBothEndsLieOnThePathAndMoveAlongIt) {
  for (const std::string& path :
       {std::string(kSerpenoid), std::string("shape = 'eight'\nradius = 0.4\n"),
        std::string("shape = 'turn'\nradius = 0.3\nheading_deg = 70\nposition = [1, 2]\n"),
        std::string("shape = 'spline'\npoints = [[0, 0], [0.5, 0.3], [1.2, -0.2], [2, 0]]\n")}) {
    for (const bool last : {false, true}) {
      for (const double speed : {0.0, 0.3, -0.2}) {
        SCOPED_TRACE(path + (last ? "last" : "first"));
        const Scene scene = make_scene(path, 0.37, speed, last);
        const Joints joints = joints_of(scene.simulation);
        const auto& state = system_of(scene.simulation).state();
        const int n = 9;
        for (int i = 0; i <= n; ++i) {
          const int k = last ? i : n - i;  // of the train, from the rear
          EXPECT_LE((joints.r.col(i) - scene.path->at(scene.train.s(k)).r).norm(), 1e-12);
          EXPECT_LE((joints.v.col(i) - scene.train.v.col(k)).norm(), 1e-12);
        }
        EXPECT_EQ(scene.train.s(0), 0.37) << "the rear end";
        planar::Pose pose;
        planar::compute_pose_at_time(system_of(scene.simulation).model(), state,
                                     scene.simulation.system->dt(), pose);
        for (int i = 0; i < n; ++i) {
          const int k = last ? i : n - 1 - i;
          EXPECT_NEAR(pose.theta(i), scene.train.theta(k) + (last ? 0.0 : pi), 1e-12);
          EXPECT_NEAR(state.u(3 * i + 2), scene.train.omega(k), 1e-12);
        }
      }
    }
  }
}

TEST(PlanarPathStart, MomentumIsThatOfTheLinksOfTheTrain) {
  const Scene scene = make_scene(kSerpenoid, 0.1, 0.4, true);
  const planar::Model& model = system_of(scene.simulation).model();
  Vector2d train = Vector2d::Zero();
  Vector2d robot = Vector2d::Zero();
  for (int i = 0; i < model.n(); ++i) {
    const planar::Link& link = model.links[static_cast<std::size_t>(i)];
    const double share = 0.5 + link.offset / link.L;  // of the front point
    train += link.m * ((1.0 - share) * scene.train.v.col(i) + share * scene.train.v.col(i + 1));
    robot += link.m * system_of(scene.simulation).state().u.segment<2>(3 * i);
  }
  EXPECT_GT(train.norm(), 0.1);
  EXPECT_LE((train - robot).norm(), 1e-12);
}

TEST(PlanarPathStart, HoldsItsStartAnglesWithoutAGait) {
  Scene scene = make_scene(kSerpenoid, 0.0, 0.0, true);
  const VectorXd phi = system_of(scene.simulation).state().phi;
  EXPECT_GT(phi.cwiseAbs().maxCoeff(), 0.3);
  ASSERT_EQ(run(scene.simulation, {}).status, RunStatus::completed);
  EXPECT_LE((system_of(scene.simulation).state().phi - phi).norm(), 1e-9);
}

TEST(PlanarPathStart, OneLinkIsAChordOfThePath) {
  const Scene scene =
      make_scene("shape = 'circle'\nradius = 0.2\nstraight = 0\n", 0.1, 0.2, true, 1);
  const Joints joints = joints_of(scene.simulation);
  EXPECT_LE((joints.r.col(0) - scene.path->at(0.1).r).norm(), 1e-13);
  EXPECT_NEAR((joints.r.col(1) - Vector2d{0.0, 0.2}).norm(), 0.2, 1e-13);
  EXPECT_NEAR(system_of(scene.simulation).state().u(2), 0.2 / 0.2, 1e-12);
}

TEST(PlanarPathStart, IsNotOnThePathUnlessAsked) {
  const Simulation simulation = make_simulation(
      scenario::parse("[robot]\nname = 'aiko'\n[path]\nshape = 'turn'\n[start]\nlink = 1\n"));
  planar::Pose pose;
  planar::compute_pose_at_time(system_of(simulation).model(), system_of(simulation).state(),
                               simulation.system->dt(), pose);
  EXPECT_LE((pose.origin + pose.r.col(0)).norm(), 1e-15);
}

TEST(PlanarPathStart, DrawsThePathUnderTheRobot) {
  const Scene scene = make_scene(kSerpenoid, 0.5, 0.0, false);
  const std::vector<Body>& bodies = scene.simulation.system->bodies();
  const auto body = std::ranges::find(bodies, std::string("path"), &Body::name);
  ASSERT_NE(body, bodies.end());
  EXPECT_EQ(body->shape, ShapeKind::tube);
  EXPECT_FALSE(body->moving);
  for (Eigen::Index k = 0; k < scene.train.s.size(); ++k) {
    double nearest = 1.0;
    for (const Eigen::Vector3d& point : body->points) {
      nearest = std::min(nearest, (point.head<2>() - scene.train.r.col(k)).norm());
    }
    EXPECT_LE(nearest, 0.01) << "the part under the robot is drawn";
  }
  const Simulation none = make_simulation(scenario::parse("[robot]\nname = 'aiko'\n"));
  EXPECT_EQ(std::ranges::count(none.system->bodies(), std::string("path"), &Body::name), 0);
}

TEST(PlanarPathStart, APathCurledTooTightlyNamesTheLink) {
  for (const bool last : {true, false}) {
    // straight up to 0.2 m: two links fit before the circle, 0.05 m across
    const std::string text =
        scenario_of(fmt::format("shape = 'circle'\nradius = 0.025\nstraight = 0.2\nleads = '{}'\n",
                                last ? "last" : "first"),
                    "");
    try {
      static_cast<void>(make_simulation(scenario::parse(text)));
      FAIL() << "no fault";
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(last ? "link 3, 0.1 m long, finds no place on the path"
                               : "link 8, 0.125 m long, finds no place on the path"),
                std::string::npos)
          << what;
    }
  }
}

}  // namespace path_start_test
}  // namespace coluber::simulation

// Links so fast that they are on one side of an obstacle before a step and on the other after it.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/planar/system.hpp"
#include "coluber/spatial/system.hpp"
#include "coluber/world/swept.hpp"

#include "sample/snake.hpp"
#include "sample/spatial.hpp"

namespace coluber {
namespace tunnelling_test {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kPeg = 0.02;  // radius (m)

/// Two links, one behind the other along +x; the front of the second is at `front`.
template <typename Model>
double front_of(const Model& model) {
  const auto& link = model.links[1];
  return link.L + link.L_GS + link.L_SC - link.offset;
}

/// Slides down a steep slope at a peg half a metre ahead, `aside` of the middle.
planar::PlanarSystem make_planar(double dt, double aside) {
  planar::Model model = sample::aiko(2);
  model.g = 600.0;
  model.tilt = 89.0 * kDegree;
  model.obstacles = {{{front_of(model) + 0.5 + kPeg, aside}, kPeg, 0.0}};
  planar::StepOptions options;
  options.dt = dt;
  return {model, planar::make_state(model, Eigen::VectorXd::Zero(1), 0, {0.0, 0.0}, 0.0), options,
          false};
}

JointCommand hold() { return sample::hold(Eigen::VectorXd::Zero(1)); }

struct Fall {
  double fastest = 0.0;   // m/s
  double farthest = 0.0;  // x of the second link's centre (m)
  double deepest = 0.0;   // m
};

Fall fall(planar::PlanarSystem& system, double seconds) {
  Fall result;
  const JointCommand command = hold();
  Eigen::VectorXd centres(4);
  while (system.time() < seconds) {
    const StepInfo info = system.step(command);
    EXPECT_EQ(info.status, Status::ok) << system.time();
    result.fastest = std::max(result.fastest, system.state().u(3));
    system.link_centres(centres);
    result.farthest = std::max(result.farthest, centres(2));
    result.deepest = std::max(result.deepest, system.data().penetration);
  }
  return result;
}

TEST(Tunnelling, ALinkAtTwentyMetresPerSecondStopsAtAPeg) {
  for (const auto& [dt, depth] : {std::pair{1e-3, 1e-3}, std::pair{1e-2, 5e-3}}) {
    planar::PlanarSystem system = make_planar(dt, 0.0);
    const Fall result = fall(system, 0.06);
    EXPECT_GT(result.fastest, 17.0) << dt;
    EXPECT_LE(result.deepest, depth) << dt;
    const auto& model = system.model();
    EXPECT_LE(result.farthest, model.links[1].L + 0.5 + depth) << dt;
    EXPECT_THAT(system.warnings(), testing::IsEmpty()) << dt;
  }
}

TEST(Tunnelling, ALinkThatWouldNotTouchThePegGoesBy) {
  planar::PlanarSystem system = make_planar(1e-2, sample::aiko(2).links[0].L_SC + kPeg + 1e-3);
  const Fall result = fall(system, 0.08);
  EXPECT_GT(result.farthest, system.model().links[1].L + 0.7) << "it goes by";
  EXPECT_THAT(system.warnings(), testing::IsEmpty());
}

TEST(Tunnelling, WithContactsThatCloseOnceTheyTouchItIsWarnedOf) {
  planar::PlanarSystem base = make_planar(1e-2, 0.0);
  planar::StepOptions options = base.options();
  options.activation = nonsmooth::Activation::gap;
  planar::PlanarSystem system(base.model(), base.state(), options, false);
  const Fall result = fall(system, 0.08);
  EXPECT_GT(result.farthest, system.model().links[1].L + 0.6) << "nothing held it";
  ASSERT_EQ(system.warnings().size(), 1U);
  EXPECT_THAT(system.warnings().front(),
              testing::AllOf(testing::HasSubstr("link 2 went through obstacle 1"),
                             testing::HasSubstr("t = 0.0")));
}

// At rest, and swung by its motor within the first step: nothing at the start of it tells.
TEST(Tunnelling, ALinkThatAMotorSwingsAtAPegDoesNotPassItUnseen) {
  for (const double dt : {1e-2, 1e-3}) {
    planar::Model model = sample::aiko(2);
    for (planar::Link& link : model.links) link = {1.0, 0.08, 1.0, 0.45, 0.03, 0.0};
    model.obstacles = {{{0.42, -0.15}, 0.02, 0.0}};
    planar::StepOptions options;
    options.dt = dt;
    planar::PlanarSystem system(
        model, planar::make_state(model, Eigen::VectorXd::Zero(1), 0, {0.0, 0.0}, 0.0), options,
        false);
    const JointCommand command =
        sample::hold(Eigen::VectorXd::Constant(1, 80.0 * kDegree), 1e6, 2.0);
    double pushed = 0.0;
    while (system.time() < 0.05) {
      EXPECT_NE(system.step(command).status, Status::non_finite);
      pushed = std::max(pushed, system.data().obstacle_impulse.cwiseAbs().maxCoeff());
    }
    EXPECT_TRUE(pushed > 0.0 || !system.warnings().empty())
        << dt << ": the link went past the peg, and nothing was said";
  }
}

// Hit aside of its middle a link turns on its way, and can end up in the peg: that is said.
TEST(Tunnelling, APegHitAsideHoldsOrIsWarnedOf) {
  for (const double aside : {0.01, 0.03, 0.05, 0.055}) {
    planar::PlanarSystem system = make_planar(1e-2, aside);
    const Fall result = fall(system, 0.08);
    EXPECT_TRUE(result.deepest < 6e-3 || !system.warnings().empty())
        << aside << ", " << result.deepest;
  }
}

TEST(Tunnelling, ALinkInSpaceStopsAtACylinder) {
  for (const auto& [dt, depth] : {std::pair{1e-3, 1e-3}, std::pair{1e-2, 5e-3}}) {
    spatial::Model model = spatial::sample::make_aiko(2);
    model.g = 600.0;
    model.tilt = 89.0 * kDegree;
    model.obstacles = {{{front_of(model) + 0.5 + kPeg, 0.0}, kPeg, 0.0}};
    spatial::StepOptions options;
    options.dt = dt;
    Eigen::Matrix3d R;  // columns: left, up, along
    R << 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0;
    const spatial::State state = spatial::make_state(model, Eigen::VectorXd::Zero(model.angles()),
                                                     0, {0.0, 0.0, model.links[0].L_SC}, R);
    spatial::SpatialSystem system(model, state, options, false);
    const JointCommand command = sample::hold(Eigen::VectorXd::Zero(model.angles()));
    double fastest = 0.0;
    double deepest = 0.0;
    Eigen::VectorXd centres(6);
    double farthest = 0.0;
    while (system.time() < 0.06) {
      EXPECT_EQ(system.step(command).status, Status::ok) << system.time();
      fastest = std::max(fastest, system.state().v(0, 1));
      deepest = std::max(deepest, system.data().obstacle_penetration);
      system.link_centres(centres);
      farthest = std::max(farthest, centres(3));
    }
    EXPECT_GT(fastest, 17.0) << dt;
    EXPECT_LE(deepest, depth) << dt;
    EXPECT_LE(farthest, model.links[1].L + 0.5 + depth) << dt;
    EXPECT_THAT(system.warnings(), testing::Each(testing::HasSubstr("is a spike"))) << dt;
  }
}

TEST(SweptContacts, TheFirstTouchIsTheClosedFormsOfASphereThatFliesAtACircle) {
  // a sphere of radius a comes along +x, `aside` of a circle of radius b at the origin: it touches
  // at x = -sqrt((a + b)² - aside²); a micrometre before is a touch, which counts where it grazes
  const double a = 0.03;
  const double b = 0.05;
  const std::vector<world::Obstacle> obstacles{{{0.0, 0.0}, b, 0.0}};
  const world::ObstacleGrid grid(obstacles);
  for (const double aside : {0.0, 0.02, 0.06, 0.0799}) {
    world::MovingLink link;
    link.start.centre << -1.0, aside, 0.0;
    link.start.radius = a;
    link.v << 200.0, 0.0, 0.0;
    world::SweptContacts swept;
    std::vector<world::SurfacePoint> found;
    swept.find(grid, obstacles, link, 4, 1e-2, [](int) { return false; }, found);
    ASSERT_EQ(found.size(), 1U) << aside;
    const double x = -std::sqrt((a + b) * (a + b) - aside * aside);
    EXPECT_EQ(found[0].link, 4);
    EXPECT_NEAR(found[0].normal.x(), x / (a + b), 5e-4) << aside;
    // what the sphere closes of the distance along the normal until it touches
    EXPECT_NEAR(found[0].g, (1.0 + x) * -x / (a + b), 5e-4) << aside;
    EXPECT_EQ(swept.find_passed(grid, obstacles, link.start, place_after(link, 1e-2)),
              aside < 0.07 ? 0 : -1)
        << aside;
  }
  world::MovingLink beside;
  beside.start.centre << -1.0, a + b + 1e-4, 0.0;
  beside.start.radius = a;
  beside.v << 200.0, 0.0, 0.0;
  world::SweptContacts swept;
  std::vector<world::SurfacePoint> found;
  swept.find(grid, obstacles, beside, 0, 1e-2, [](int) { return false; }, found);
  EXPECT_TRUE(found.empty());
}

TEST(SweptContacts, ARodThatTurnsMeetsWhatItsEndSweeps) {
  const std::vector<world::Obstacle> obstacles{{{0.0, 0.4}, 0.01, 0.0}};
  const world::ObstacleGrid grid(obstacles);
  world::MovingLink rod;  // along +x, turns by 120 degrees
  rod.start.front = 0.5;
  rod.start.radius = 0.01;
  rod.omega << 0.0, 0.0, 120.0 * kDegree / 1e-2;
  world::SweptContacts swept;
  std::vector<world::SurfacePoint> found;
  swept.find(grid, obstacles, rod, 0, 1e-2, [](int) { return false; }, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].s, 0.4, 1e-2);
  EXPECT_EQ(swept.find_passed(grid, obstacles, rod.start, place_after(rod, 1e-2)), 0);
}

}  // namespace tunnelling_test
}  // namespace coluber

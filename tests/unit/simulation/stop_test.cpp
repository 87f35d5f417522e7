// [stop]: a run ends, completed, when link 1 has passed a line or when nothing moves on.

#include "simulation/stop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/control/pd.hpp"
#include "coluber/core/bytes.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/simulation.hpp"

#include "support/one_joint.hpp"

namespace coluber::simulation {
namespace {

using testing::HasSubstr;
using Path = std::function<Eigen::Vector2d(double)>;

constexpr double kLength = 0.122;  // m, of a link

scenario::Stop past(double x) {
  scenario::Stop stop;
  stop.past_x = x;
  return stop;
}

scenario::Stop stuck(double seconds) {
  scenario::Stop stop;
  stop.stuck_s = seconds;
  return stop;
}

/// Links that move as they are told, turned by 90°.
class Puppet final : public test::OneJoint {
 public:
  Puppet(double dt, std::vector<Path> paths) : OneJoint(dt), paths_(std::move(paths)) {
    bodies_.resize(paths_.size() + 1);
    for (std::size_t i = 0; i < paths_.size(); ++i) bodies_[i].moving = true;
    bodies_.back().shape = ShapeKind::plane;
  }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const Eigen::Vector2d at = paths_[i](time());
      const double half = std::sqrt(0.5);
      const std::array<double, 7> pose{at.x(), at.y(), 0.0, half, 0.0, 0.0, half};
      std::ranges::copy(pose, values.begin() + static_cast<std::ptrdiff_t>(7 * i));
    }
  }
  [[nodiscard]] int contact_slots() const override { return 0; }
  void contacts(std::span<ContactSlot> /*slots*/) const override {}

 private:
  std::vector<Path> paths_;
  std::vector<Body> bodies_;
};

Simulation make_puppet(scenario::Stop stop, std::vector<Path> paths, double dt = 1e-3) {
  Simulation simulation;
  simulation.scenario.duration = 10.0;
  simulation.scenario.record.rate_hz = 10.0;
  simulation.scenario.stop = stop;
  simulation.scenario.robot.link.assign(paths.size(), {.length = kLength});
  simulation.system = std::make_unique<Puppet>(dt, std::move(paths));
  simulation.gait = std::make_unique<gait::Held>(Eigen::VectorXd::Zero(1));
  simulation.controller = std::make_unique<control::Pd>(control::PdOptions{});
  return simulation;
}

const Path rest = [](double) { return Eigen::Vector2d(0.3, -0.2); };

TEST(Stop, PastXEndsTheRunAtTheFirstStepOnTheOtherSide) {
  for (const double way : {1.0, -1.0}) {
    Simulation simulation = make_puppet(
        past(0.3),
        {[way](double t) { return Eigen::Vector2d(0.3 + way * (0.1 * t - 0.25), 7.0); }, rest});
    const RunOutcome outcome = run(simulation, {});
    EXPECT_EQ(outcome.status, RunStatus::completed);
    EXPECT_EQ(outcome.stopped_by, "stop.past_x");
    EXPECT_THAT(outcome.message, HasSubstr("stopped at t = 2.50"));
    EXPECT_THAT(outcome.message, HasSubstr("link 1 is past x = 0.3 m"));
    EXPECT_NEAR(simulation.system->time(), 2.5, 1.5e-3);
  }
}

TEST(Stop, PastXLooksAtTheCentreOfGravityOfLinkOneAlone) {
  // The links point along +y, their centres of gravity 2 cm ahead of what is drawn.
  const Path along_y = [](double t) { return Eigen::Vector2d(0.1 * t, 0.0); };
  const Path ahead = [](double t) { return Eigen::Vector2d(0.1 * t + 5.0, 0.0); };
  Simulation simulation = make_puppet(past(0.3), {along_y, ahead});
  for (scenario::Link& link : simulation.scenario.robot.link) link.cg_offset = 0.02;
  EXPECT_EQ(run(simulation, {}).stopped_by, "stop.past_x");
  EXPECT_NEAR(simulation.system->time(), 3.0, 1.5e-3) << "an offset along y changes no x";

  Simulation other = make_puppet(past(0.3), {rest, along_y});
  EXPECT_EQ(run(other, {}).stopped_by, "") << "link 2 may be where it likes";
  EXPECT_NEAR(other.system->time(), 10.0, 1e-9);
}

TEST(Stop, ARobotAtRestIsStuckAfterExactlyThatTime) {
  for (const double dt : {1e-3, 3e-3, 0.1}) {
    Simulation simulation = make_puppet(stuck(1.5), {rest, rest}, dt);
    const RunOutcome outcome = run(simulation, {});
    EXPECT_EQ(outcome.status, RunStatus::completed);
    EXPECT_EQ(outcome.stopped_by, "stop.stuck_s");
    EXPECT_THAT(outcome.message, HasSubstr("stuck, no link moved its length within 1.5 s"));
    EXPECT_NEAR(simulation.system->time(), 1.5, 1e-9) << dt;
  }
}

TEST(Stop, ARobotThatComesToRestIsFoundAtMostThatTimeLater) {
  const Path run_out = [](double t) { return Eigen::Vector2d(0.5 * std::min(t, 2.0), 0.0); };
  Simulation simulation = make_puppet(stuck(1.5), {run_out});
  EXPECT_EQ(run(simulation, {}).stopped_by, "stop.stuck_s");
  EXPECT_LE(simulation.system->time(), 3.5 + 1e-9);
  EXPECT_GT(simulation.system->time(), 3.5 - kLength / 0.5)
      << "its last link length took this long";
}

TEST(Stop, SwingingByLessThanALinkLengthIsStuckAndByMoreIsNot) {
  for (const double amplitude : {0.5, 1.1}) {
    const Path swing = [amplitude](double t) {
      return Eigen::Vector2d(0.0, amplitude * kLength * std::sin(3.0 * t));
    };
    Simulation simulation = make_puppet(stuck(4.0), {swing, rest});
    EXPECT_EQ(run(simulation, {}).stopped_by, amplitude < 1.0 ? "stop.stuck_s" : "");
  }
}

TEST(Stop, OneLinkThatMovesOnKeepsTheRunAlive) {
  const Path slow = [](double t) { return Eigen::Vector2d(0.1 * t, 0.0); };
  Simulation simulation = make_puppet(stuck(1.5), {rest, rest, slow});
  EXPECT_EQ(run(simulation, {}).stopped_by, "") << "a link length in 1.22 s";
  simulation = make_puppet(stuck(1.0), {rest, rest, slow});
  EXPECT_EQ(run(simulation, {}).stopped_by, "stop.stuck_s");
}

TEST(Stop, TimeBeforeTheMotorsStartDoesNotCount) {
  Simulation simulation = make_puppet(stuck(1.5), {rest});
  simulation.scenario.controller.start_time = 4.0;
  EXPECT_EQ(run(simulation, {}).stopped_by, "stop.stuck_s");
  EXPECT_NEAR(simulation.system->time(), 5.5, 1.5e-3);
}

TEST(Stop, FramesStayOnTheirScheduleWhereverTheRunEnds) {
  Simulation simulation = make_puppet(stuck(1.234), {rest});
  record::TrajectorySink sink;
  FrameSink* const sinks[] = {&sink};
  const RunOutcome outcome = run(simulation, sinks);
  EXPECT_EQ(outcome.stopped_by, "stop.stuck_s");
  ASSERT_EQ(sink.trajectory().frames(), 13U);
  EXPECT_NEAR(sink.trajectory().time.back(), 1.2, 1e-12);
}

TEST(Stop, WithoutConditionsARunGoesToItsEnd) {
  Simulation simulation = make_puppet({}, {rest});
  const RunOutcome outcome = run(simulation, {});
  EXPECT_EQ(outcome.stopped_by, "");
  EXPECT_EQ(outcome.message, "");
  EXPECT_NEAR(simulation.system->time(), 10.0, 1e-9);
}

TEST(Stop, GoesOnFromItsMemoryAsIfItHadNeverBeenInterrupted) {
  const Path path = [](double t) {
    return Eigen::Vector2d(0.3 + 0.2 * std::min(t, 1.7) - 0.4 * std::max(0.0, t - 4.0), 0.0);
  };
  const auto ends = [&](std::int64_t interrupted, const scenario::Stop& stop) {
    scenario::Scenario scenario;
    scenario.stop = stop;
    scenario.robot.link.assign(1, {.length = kLength});
    Puppet puppet(1e-3, {path});
    auto conditions = std::make_unique<StopConditions>(scenario, puppet);
    while (puppet.step_count() < 20000) {
      (void)puppet.step(JointCommand(1));
      if (conditions->triggered(puppet)) return std::pair{puppet.step_count(), conditions->key()};
      if (puppet.step_count() == interrupted) {
        ByteWriter bytes;
        StopConditions::exchange(bytes, *conditions);
        conditions = std::make_unique<StopConditions>(scenario, puppet);
        ByteReader back(bytes.bytes(), "checkpoint");
        StopConditions::exchange(back, *conditions);
      }
    }
    return std::pair{puppet.step_count(), conditions->key()};
  };
  for (const scenario::Stop& stop : {stuck(2.0), past(0.31), past(0.2)}) {
    const auto whole = ends(-1, stop);
    EXPECT_NE(whole.second, "");
    for (std::int64_t k : {1, 40, 1000, 2500, 3500}) EXPECT_EQ(ends(k, stop), whole) << k;
  }
}

TEST(Stop, AMemoryOfStepsBeforeTheFirstOrStillToComeDoesNotFit) {
  Puppet puppet(1e-3, {rest});
  scenario::Scenario scenario;
  scenario.stop = stuck(2.0);
  scenario.robot.link.assign(1, {.length = kLength});
  StopConditions conditions(scenario, puppet);
  for (const std::int64_t since : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{70},
                                   std::int64_t{71}, INT64_MAX}) {
    ByteWriter bytes;
    bytes(false, since, Eigen::VectorXd(Eigen::Vector2d(0.3, -0.2)));
    ByteReader back(bytes.bytes(), "checkpoint");
    StopConditions::exchange(back, conditions);
    EXPECT_EQ(conditions.fits(70), since >= 0 && since <= 70) << since;
  }
}

}  // namespace
}  // namespace coluber::simulation

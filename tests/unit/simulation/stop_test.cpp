// [stop]: a run ends, completed, when link 1 has passed a line or when nothing moves on.

#include "simulation/stop.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/control/pd.hpp"
#include "coluber/core/bytes.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/simulation.hpp"

#include "support/one_joint.hpp"

namespace coluber::simulation {
namespace stop_test {

using testing::HasSubstr;
using Path = std::function<Eigen::Vector2d(double)>;

constexpr double kLength = 0.122;  // m, of a link

drive::Stop past(double x) {
  drive::Stop stop;
  stop.past_x = x;
  return stop;
}

drive::Stop stuck(double seconds) {
  drive::Stop stop;
  stop.stuck_s = seconds;
  return stop;
}

/// Links whose centres of gravity move as they are told.
class Puppet final : public test::OneJoint, public Linked {
 public:
  Puppet(double dt, std::vector<Path> paths) : OneJoint(dt), paths_(std::move(paths)) {}
  [[nodiscard]] int link_count() const override { return static_cast<int>(paths_.size()); }
  [[nodiscard]] double link_length(int /*link*/) const override { return kLength; }
  [[nodiscard]] double link_mass(int /*link*/) const override { return 1.0; }
  void link_centres(Eigen::Ref<Eigen::VectorXd> centres) const override {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      centres.segment<2>(2 * static_cast<Eigen::Index>(i)) = paths_[i](time());
    }
  }

 private:
  std::vector<Path> paths_;
};

/// Motors that are off before `start_time`.
std::unique_ptr<control::Controller> make_servo(double start_time = 0.0) {
  return std::make_unique<control::Pd>(control::PdOptions{.start_time = start_time});
}

Simulation make_puppet(drive::Stop stop, std::vector<Path> paths, double dt = 1e-3) {
  Simulation simulation;
  simulation.scenario.duration = 10.0;
  simulation.scenario.record.rate_hz = 10.0;
  simulation.scenario.options.of(drive::stop_keys()) = stop;
  simulation.system = std::make_unique<Puppet>(dt, std::move(paths));
  simulation.gait = std::make_unique<gait::Held>(Eigen::VectorXd::Zero(1));
  simulation.controller = make_servo();
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
  const Path first = [](double t) { return Eigen::Vector2d(0.1 * t, 0.0); };
  const Path ahead = [](double t) { return Eigen::Vector2d(0.1 * t + 5.0, 0.0); };
  Simulation simulation = make_puppet(past(0.3), {first, ahead});
  EXPECT_EQ(run(simulation, {}).stopped_by, "stop.past_x");
  EXPECT_NEAR(simulation.system->time(), 3.0, 1.5e-3);

  Simulation other = make_puppet(past(0.3), {rest, first});
  EXPECT_EQ(run(other, {}).stopped_by, "") << "link 2 may be where it likes";
  EXPECT_NEAR(other.system->time(), 10.0, 1e-9);
}

TEST(Stop, TheCentresOfEveryModelAreThoseItRecordsAsPositions) {
  for (const char* model : {"planar", "minimal", "spatial"}) {
    const Simulation simulation = make_simulation(
        scenario::parse("[robot]\nname = 'aiko'\n[gait]\n[start]\nheading_deg = 37\n", ".",
                        {std::string("robot.model=") + model, "robot.link.cg_offset=0.02"}));
    const auto& robot = dynamic_cast<const Linked&>(*simulation.system);
    const System& system = *simulation.system;
    std::vector<double> frame(static_cast<std::size_t>(frame_size(system.observables())));
    system.observe(frame);
    ASSERT_EQ(system.observables()[0].name, "link_position") << model;
    const auto axes = static_cast<std::size_t>(system.observables()[0].shape.at(1));
    Eigen::VectorXd centres(22);
    robot.link_centres(centres);
    for (int i = 0; i < 11; ++i) {
      EXPECT_EQ(centres(2 * i), frame[axes * static_cast<std::size_t>(i)]) << model;
      EXPECT_EQ(centres(2 * i + 1), frame[axes * static_cast<std::size_t>(i) + 1]) << model;
    }
  }
}

TEST(Stop, ASystemWithoutLinksIsNeverStopped) {
  Simulation simulation = make_puppet(stuck(0.5), {rest});
  simulation.system = std::make_unique<test::OneJoint>(1e-3);
  EXPECT_EQ(run(simulation, {}).stopped_by, "");
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
  simulation.controller = make_servo(4.0);
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
  const auto ends = [&](std::int64_t interrupted, const drive::Stop& stop) {
    Puppet puppet(1e-3, {path});
    auto conditions = std::make_unique<StopConditions>(stop, 0.0, puppet);
    while (puppet.step_count() < 20000) {
      (void)puppet.step(JointCommand(1));
      if (conditions->triggered(puppet)) return std::pair{puppet.step_count(), conditions->key()};
      if (puppet.step_count() == interrupted) {
        ByteWriter bytes;
        StopConditions::exchange(bytes, *conditions);
        conditions = std::make_unique<StopConditions>(stop, 0.0, puppet);
        ByteReader back(bytes.bytes(), "checkpoint");
        StopConditions::exchange(back, *conditions);
      }
    }
    return std::pair{puppet.step_count(), conditions->key()};
  };
  for (const drive::Stop& stop : {stuck(2.0), past(0.31), past(0.2)}) {
    const auto whole = ends(-1, stop);
    EXPECT_NE(whole.second, "");
    for (std::int64_t k : {1, 40, 1000, 2500, 3500}) EXPECT_EQ(ends(k, stop), whole) << k;
  }
}

TEST(Stop, AMemoryOfStepsBeforeTheFirstOrStillToComeDoesNotFit) {
  Puppet puppet(1e-3, {rest});
  StopConditions conditions(stuck(2.0), 0.0, puppet);
  for (const std::int64_t since : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{70},
                                   std::int64_t{71}, INT64_MAX}) {
    ByteWriter bytes;
    bytes(false, since, Eigen::VectorXd(Eigen::Vector2d(0.3, -0.2)));
    ByteReader back(bytes.bytes(), "checkpoint");
    StopConditions::exchange(back, conditions);
    EXPECT_EQ(conditions.fits(70), since >= 0 && since <= 70) << since;
  }
}

}  // namespace stop_test
}  // namespace coluber::simulation

// Runs of a robot on wheels along paths: figures of an independent computation (the same equations
// in absolute coordinates), closed forms, controllers and starts.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/drive/linked.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {
namespace wheeled_test {

using scenario::Overrides;

/// The source's way: servos that hold their torques over a step of 0.25 ms.
const Overrides kPaper{"controller.servo='explicit'", "solver.dt=2.5e-4"};

struct Done {
  record::Trajectory trajectory;
  RunOutcome outcome;

  [[nodiscard]] double figure(const std::string& name) const {
    for (const SummaryItem& item : outcome.summary) {
      if (item.name == name) return item.number();
    }
    ADD_FAILURE() << "no " << name;
    return 0.0;
  }
  [[nodiscard]] double last(const std::string& name, int link = 0, int axis = 0) const {
    return trajectory.at(name, trajectory.frames() - 1, link, axis);
  }
};

Done run_of(const std::string& file, const Overrides& overrides) {
  Simulation simulation = make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + file + ".toml", overrides));
  record::TrajectorySink sink;
  const std::array<FrameSink*, 1> sinks{&sink};
  Done done;
  done.outcome = run(simulation, sinks);
  EXPECT_EQ(done.outcome.status, RunStatus::completed) << done.outcome.message;
  done.trajectory = sink.trajectory();
  return done;
}

Overrides with(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Overrides kLeader{"controller.name='follow_the_leader'"};

struct Figures {
  const char* file;
  bool paper;
  bool leader;
  double path_error, torque_joints, torque_wheels, path_length, path_error_max;
};

class Reference : public testing::TestWithParam<Figures> {};

TEST_P(Reference, FiguresComeOut) {
  const Figures& want = GetParam();
  Overrides set = want.paper ? kPaper : Overrides{};
  if (want.leader) set = with(set, kLeader);
  const Done done = run_of(want.file, set);
  const auto near = [&](const char* name, double expected) {
    EXPECT_NEAR(done.figure(name), expected, 5e-3 * expected) << name;
  };
  near("path_error", want.path_error);
  near("torque_joints", want.torque_joints);
  near("torque_wheels", want.torque_wheels);
  near("path_length", want.path_length);
  near("path_error_max", want.path_error_max);
  EXPECT_EQ(done.figure("failed_steps"), 0.0);
  EXPECT_LE(done.figure("residual_max"), 1e-9);
  EXPECT_EQ(done.figure("steering_clamped"), 0.0);
}

INSTANTIATE_TEST_SUITE_P(
    Murugendran, Reference,
    testing::Values(Figures{"piko_turn", true, false, 0.1557, 9.679, 0.4437, 3.080, 12.84e-3},
                    Figures{"piko_turn", true, true, 0.2654, 12.00, 0.4563, 3.093, 18.34e-3},
                    Figures{"piko_turn", false, false, 0.1505, 8.924, 0.4418, 3.080, 12.52e-3},
                    Figures{"piko_turn", false, true, 0.2621, 10.88, 0.4549, 3.092, 18.25e-3},
                    Figures{"piko_eight", true, false, 0.7601, 29.87, 1.560, 13.378, 13.77e-3},
                    Figures{"piko_eight", true, true, 1.541, 36.89, 1.608, 13.525, 21.12e-3},
                    Figures{"piko_eight", false, false, 0.7577, 27.80, 1.550, 13.377, 13.37e-3},
                    Figures{"piko_eight", false, true, 1.534, 33.41, 1.600, 13.521, 20.66e-3}));

struct Reductions {
  const char* name;
  Overrides set;
  double error, distance, torque;
};

class Sensitivity : public testing::TestWithParam<Reductions> {};

// In percent, by the n-trailer's coordination against follow-the-leader's.
TEST_P(Sensitivity, ReductionsComeOut) {
  const Reductions& want = GetParam();
  // chain speeds are a key of follow-the-leader alone
  Overrides both = want.set;
  std::erase_if(both, [](const std::string& set) { return set.find("wheel_speeds") == 11; });
  const Done trailer = run_of("piko_turn", both);
  const Done leader = run_of("piko_turn", with(want.set, kLeader));
  const auto reduction = [](double a, double b) { return 100.0 * (1.0 - a / b); };
  const auto torque = [](const Done& done) {
    return done.figure("torque_joints") + done.figure("torque_wheels");
  };
  EXPECT_NEAR(reduction(trailer.figure("path_error"), leader.figure("path_error")), want.error,
              0.5);
  EXPECT_NEAR(reduction(trailer.figure("path_length"), leader.figure("path_length")), want.distance,
              0.05);
  EXPECT_NEAR(reduction(torque(trailer), torque(leader)), want.torque, 0.5);
}

Overrides paper(const Overrides& more) { return with(kPaper, more); }

INSTANTIATE_TEST_SUITE_P(
    Murugendran, Sensitivity,
    testing::Values(
        Reductions{"as_it_is", paper({}), 41.3, 0.41, 18.7},
        Reductions{
            "short_steps", {"controller.servo='explicit'", "solver.dt=2.5e-5"}, 41.5, 0.40, 18.35},
        Reductions{"short_implicit_steps", {"solver.dt=2.5e-5"}, 41.5, 0.40, 18.35},
        Reductions{"rough", paper({"world.friction=[0.5,0.5]"}), 38.2, 0.44, 18.9},
        Reductions{"rough_and_soft",
                   paper({"world.friction=[0.5,0.5]", "controller.kp=50", "controller.kd=0.5"}),
                   26.9, 0.43, -0.3},
        Reductions{"soft", paper({"controller.kp=200", "controller.kd=1"}), 53.5, 0.37, 23.7},
        Reductions{"ramp", paper({"controller.reference='ramp'"}), 64.7, 0.41, 39.6},
        Reductions{"measured", paper({"controller.update='measured'"}), 34.3, 0.36, 24.6},
        Reductions{"chain", paper({"controller.wheel_speeds='chain'"}), 36.4, 0.06, 18.7},
        Reductions{"centre", paper({"controller.point='centre'"}), -40.6, 0.39, 17.8},
        Reductions{"axle_as_printed",
                   paper({"robot.link.axle_offset=-0.018", "controller.trailer=[0.079,0.043]"}),
                   23.9, 0.34, 15.2}),
    [](const auto& param) { return param.param.name; });

/// Distance of the axle of link i from a point, at the end.
double radius_of(const Done& done, int i, double x, double y) {
  const double theta = done.last("link_angle", i);
  return std::hypot(done.last("link_position", i, 0) + 0.018 * std::cos(theta) - x,
                    done.last("link_position", i, 1) + 0.018 * std::sin(theta) - y);
}

// Without a track no wheel has to slip: every axle has the radius of a trailer's.
TEST(Wheeled, NarrowWheelsRollRoundACircleAsTrailersDo) {
  const Done done =
      run_of("piko_turn", paper({"robot.link.half_track=0", "controller.reference='ramp'",
                                 "duration=40", "path.shape='circle'", "record.rate_hz=10"}));
  double R = radius_of(done, 0, 1.0, 0.75);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(radius_of(done, i, 1.0, 0.75), R, 1e-4) << i;
    R = std::sqrt(R * R - 0.079 * 0.079 + 0.043 * 0.043);
  }
  for (std::size_t frame = 0; frame < done.trajectory.frames(); ++frame) {
    if (done.trajectory.time[frame] < 5.05) continue;  // a frame tells of the 0.1 s before it
    for (int i = 0; i < 6; ++i) ASSERT_EQ(done.trajectory.at("wheel_slipping", frame, i), 0.0);
  }
}

// Both wheels of a shaft turn alike, so that on a circle all of them slip: the head is pushed out.
TEST(Wheeled, WideWheelsSlipOnACircle) {
  const Overrides circle{"controller.reference='ramp'", "duration=40", "path.shape='circle'"};
  for (const bool leader : {false, true}) {
    const Done done = run_of("piko_turn", leader ? with(circle, kLeader) : circle);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(done.last("wheel_slipping", i), 1.0);
    EXPECT_NEAR(1e3 * (radius_of(done, 0, 1.0, 0.75) - 0.75), leader ? 3.29 : 1.94, 0.1);
  }
}

// A wheel that sticks moves by what its law allows.
TEST(Wheeled, StickingWheelsStandStill) {
  for (const bool rigid : {false, true}) {
    const Done done = run_of("piko_turn", {rigid ? "solver.law='rigid'" : "solver.law='anchored'",
                                           "record.rate_hz=1000"});
    double moved = 0.0;
    int sticking = 0;
    for (std::size_t frame = 1; frame < done.trajectory.frames(); ++frame) {
      for (int i = 0; i < 6; ++i) {
        if (done.trajectory.at("wheel_slipping", frame, i) > 0.0) continue;
        for (const char* name : {"wheel_slip_left", "wheel_slip_right"}) {
          moved = std::max(moved, std::hypot(done.trajectory.at(name, frame, i, 0),
                                             done.trajectory.at(name, frame, i, 1)));
          ++sticking;
        }
      }
    }
    EXPECT_GT(sticking, 1000);
    EXPECT_LE(moved, rigid ? 4e-10 : 5e-5);
  }
}

TEST(Wheeled, BothLawsGiveTheSameFigures) {
  const Done anchored = run_of("piko_turn", {});
  const Done rigid = run_of("piko_turn", {"solver.law='rigid'"});
  for (const char* name : {"path_error", "torque_joints", "path_length"}) {
    EXPECT_NEAR(rigid.figure(name), anchored.figure(name), 5e-4 * anchored.figure(name)) << name;
  }
  EXPECT_LE(rigid.figure("residual_law_max"), 1e-9);
  EXPECT_LE(rigid.figure("residual_momentum_max"), 1e-8);
}

// Held references jump: long robots take them too.
TEST(Wheeled, LongRobotsHaveNoFailedStep) {
  for (const char* links : {"robot.links=20", "robot.links=60"}) {
    const Done done = run_of("piko_turn", {links, "path.radius=1.2", "path.straight=3",
                                           "duration=12", "record.rate_hz=10"});
    EXPECT_EQ(done.figure("failed_steps"), 0.0);
    EXPECT_LE(done.figure("residual_max"), 1e-9);
  }
}

TEST(Wheeled, OnALineBothWaysAreExactAndAnOffsetIsWorkedOff) {
  // a turn of no degrees
  const Overrides line{"path.turn_deg=0", "duration=10"};
  for (const bool leader : {false, true}) {
    const Done exact = run_of("piko_turn", leader ? with(line, kLeader) : line);
    EXPECT_LE(exact.figure("path_error"), 1e-12);
    const Done off = run_of("piko_turn", with(leader ? with(line, kLeader) : line,
                                              {"start.offset=0.5", "duration=30"}));
    EXPECT_GE(off.figure("path_error_max"), 0.5);
    EXPECT_LE(off.figure("path_error_max"), 0.55);  // the tail swings out
    EXPECT_LE(std::abs(off.last("path_error", 0)), 0.02);
  }
}

TEST(Wheeled, PdDrivesTheWheelsAndLetsThemRollWithoutAGain) {
  const Overrides set{"controller.name='pd'", "start.on_path=false", "duration=3"};
  const Done driven = run_of("piko_turn", with(set, {"controller.speed=0.3"}));
  EXPECT_NEAR(driven.last("wheel_rate", 2) * 0.065, 0.3, 1e-3);
  EXPECT_NEAR(driven.last("link_velocity", 0, 0), 0.3, 1e-3);
  const Done free =
      run_of("piko_turn", with(set, {"controller.speed=0", "controller.kw=0", "start.speed=0.4"}));
  EXPECT_NEAR(free.last("link_velocity", 0, 0), 0.4, 1e-9);
  const Done braked = run_of("piko_turn", with(set, {"controller.speed=0", "start.speed=0.4"}));
  EXPECT_NEAR(braked.last("link_velocity", 0, 0), 0.0, 1e-3);
}

// The middle of the first step is half a step on; the start itself is where the file says.
std::string all_warnings(const Done& done) {
  std::string all;
  for (const std::string& text : done.outcome.warnings) all += text + '\n';
  return all;
}

// Errors alone say nothing of a robot that stands still or drives off the wrong way.
TEST(Wheeled, ProgressAlongThePathIsToldAndMissed) {
  using testing::HasSubstr;
  using testing::Not;
  const Done good = run_of("piko_turn", {});
  EXPECT_NEAR(good.figure("path_progress"), good.figure("path_length"), 0.03);
  EXPECT_THAT(all_warnings(good), Not(HasSubstr("along the path")));
  const Done short_run = run_of("piko_turn", {"duration=0.4"});
  EXPECT_THAT(all_warnings(short_run), Not(HasSubstr("along the path"))) << "less than two links";

  const Done back = run_of("piko_turn", {"start.on_path=false", "start.heading_deg=0"});
  EXPECT_LT(back.figure("path_progress"), -2.0);
  EXPECT_THAT(all_warnings(back),
              HasSubstr("link 1 got -3.11 m along the path, 3.18 m were asked"));
  EXPECT_THAT(all_warnings(back), HasSubstr("link 1 starts facing away from the path, 180 deg"));
  for (const char* set : {"controller.period=100", "controller.kw=0", "world.friction=[0, 0]"}) {
    const Done stuck = run_of("piko_turn", {set});
    EXPECT_LT(std::abs(stuck.figure("path_progress")), 0.1) << set;
    EXPECT_THAT(all_warnings(stuck), HasSubstr("m were asked for (path_progress)")) << set;
  }
  EXPECT_THAT(all_warnings(run_of("piko_turn", {"controller.period=100"})),
              HasSubstr("controller.period = 100 s is not shorter than the 6.356 s"));
}

// Murugendran's gains at 25 ms: the loop is unstable from 1.35 m/s on.
TEST(Wheeled, AnUnstableSteeringLoopIsToldBeforeTheRun) {
  using testing::AllOf;
  using testing::HasSubstr;
  using testing::Not;
  const auto at = [&](double v) {
    return run_of("piko_turn", {"path.radius=5", "controller.speed=" + std::to_string(v)});
  };
  const Done good = at(1.3);
  EXPECT_LT(good.figure("max_torque"), 10.0);
  EXPECT_THAT(all_warnings(good), Not(HasSubstr("unstable")));
  const Done bad = at(1.4);
  EXPECT_GT(bad.figure("max_torque"), 500.0);
  EXPECT_THAT(all_warnings(bad),
              AllOf(HasSubstr("controller.period = 0.025 s is too long for 1.4 m/s"),
                    HasSubstr("take  period = "), Not(HasSubstr("it depends on solver.dt"))));
  const Done helped =
      run_of("piko_turn", {"path.radius=5", "controller.speed=1.4", "controller.period=0.016"});
  EXPECT_LT(helped.figure("max_torque"), 10.0);

  const Done ahead = run_of("piko_turn", {"robot.link.axle_offset=-0.018"});
  EXPECT_GT(ahead.figure("max_torque"), 500.0);
  EXPECT_THAT(all_warnings(ahead), AllOf(HasSubstr("grow by 1.84 from link to link"),
                                         HasSubstr("and the steering is unstable"),
                                         Not(HasSubstr("solver.dt; take a smaller"))));
  const Done reckoned =
      run_of("piko_turn", {"robot.link.axle_offset=-0.018", "controller.trailer=[0.079, 0.043]"});
  EXPECT_LT(reckoned.figure("max_torque"), 10.0);
  EXPECT_THAT(all_warnings(reckoned), Not(HasSubstr("from link to link")));
  for (const auto& [speed, warned] : {std::pair{"1.4", false}, {"1.5", true}}) {
    const Simulation train = make_simulation(
        scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/piko_train.toml",
                       {std::string("controller.speed=") + speed}));
    EXPECT_EQ(std::ranges::count(train.warnings, "controller.period", &drive::Warning::key),
              warned ? 1 : 0)
        << speed;
  }
}

TEST(Wheeled, WheelTorquesThatNoMotorHasAreToldOf) {
  const Done good = run_of("piko_turn", {"duration=1"});
  // kw (omega_ref - omega_E), implicit, on wheels that slip: omega_E = dt (tau + mu m g
  // L_w)/Theta_w
  const double kw = 0.5;
  const double slips = 0.2 * 1.2 * 9.81 * 0.065;
  const double tau = (kw * 0.5 / 0.065 + kw * 1e-3 / 2e-3 * slips) / (1.0 + kw * 1e-3 / 2e-3);
  EXPECT_NEAR(good.figure("max_wheel_torque"), tau, 0.02 * tau);
  EXPECT_EQ(good.figure("max_wheel_torque_time"), 1e-3);
  EXPECT_THAT(all_warnings(good),
              testing::HasSubstr("at t = 0.001 s, is a spike of one step (0 N m in the step "
                                 "before): it depends on solver.dt, as where wheels start"));
  EXPECT_THAT(all_warnings(run_of("piko_turn", {"duration=1", "controller.wheel_torque_limit=2"})),
              testing::Not(testing::HasSubstr("max_wheel_torque")));
  const Done bad = run_of("piko_turn", {"duration=1", "controller.speed=1000"});
  EXPECT_THAT(all_warnings(bad), testing::HasSubstr("wheel torques of up to"));
}

TEST(Wheeled, ARobotThatStartsInMotionStartsWhereItIsPut) {
  for (const char* name : {"controller.name='pd'", "controller.name='prescribed'"}) {
    const Done done = run_of("piko_turn", {name, "start.on_path=false", "start.speed=1",
                                           "controller.speed=1", "duration=0.1"});
    EXPECT_NEAR(done.trajectory.at("link_position", 0, 0, 0), 0.0, 1e-15) << name;
    EXPECT_NEAR(done.trajectory.at("link_velocity", 0, 0, 0), 1.0, 1e-12) << name;
    EXPECT_NEAR(done.last("link_position", 0, 0), 0.1, 1e-6) << name;
  }
}

TEST(Wheeled, NoiseDisturbsWhatIsMeasuredAndErrorsAreTheRobotsOwn) {
  const Done quiet = run_of("piko_turn", {});
  const Done noisy = run_of("piko_turn", {"controller.noise.position=5e-3", "seed=3"});
  EXPECT_GT(noisy.figure("path_error"), 1.02 * quiet.figure("path_error"));
  EXPECT_LT(noisy.figure("path_error_max"), 3.0 * quiet.figure("path_error_max"));
  const Done rates = run_of("piko_turn", {"controller.noise.wheel_rate_deg=30", "seed=3"});
  EXPECT_GT(rates.figure("torque_wheels"), 1.1 * quiet.figure("torque_wheels"));
  const Done leader = run_of("piko_turn", kLeader);
  const Done odometry = run_of("piko_turn", with(kLeader, {"controller.noise.odometry=0.05"}));
  EXPECT_GT(std::abs(odometry.figure("path_error") / leader.figure("path_error") - 1.0), 0.02);
}

scenario::Scenario train(const std::string& more, const std::string& job = "") {
  return scenario::parse(job + R"(
schema = 1
[robot]
model = "n_trailer"
name = "piko"
[controller]
name = "n_trailer"
)" + more);
}

// Held at delta_1 = atan(L_PJ/r), the head's axle goes round a circle of the radius r.
TEST(NTrailer, EveryModulesRadiusFollowsFromTheOneBeforeIt) {
  for (const char* r : {"0.2", "0.75"}) {
    Simulation simulation = make_simulation(train(std::string("heading.K = 0.0\n") +
                                                  "[path]\nshape = \"circle\"\nstraight = 0.0\n" +
                                                  "radius = " + r + "\n"));
    record::TrajectorySink sink;
    const std::array<FrameSink*, 1> sinks{&sink};
    Done done;
    done.outcome = run(simulation, sinks);
    ASSERT_EQ(done.outcome.status, RunStatus::completed) << done.outcome.message;
    done.trajectory = sink.trajectory();
    double R = std::stod(r);
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(radius_of(done, i, 0.0, std::stod(r)), R, 1e-9) << i;
      R = std::sqrt(R * R - 0.079 * 0.079 + 0.043 * 0.043);
    }
  }
}

TEST(NTrailer, AModuleThatWouldStandAcrossItsWayEndsTheRun) {
  Simulation simulation = make_simulation(train("[path]\nshape = \"circle\"\nradius = 0.06\n"));
  const RunOutcome outcome = run(simulation, {});
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_THAT(outcome.message, testing::HasSubstr("could not be taken"));
  EXPECT_THAT(outcome.message, testing::HasSubstr("angle of module"));
}

// Twice the step, a sixteenth of the error: the steering holds over ticks, and steps divide them.
TEST(NTrailer, StepsAreOfFourthOrder) {
  const auto end = [](const char* dt) {
    Simulation simulation = make_simulation(train(
        "period = 0.1\n[path]\nshape = \"turn\"\nradius = 0.3\nstraight = 0.98\n[solver]\ndt = " +
            std::string(dt) + "\n",
        "duration = 4.0\n"));
    EXPECT_EQ(run(simulation, {}).status, RunStatus::completed);
    Eigen::VectorXd centres(12);
    dynamic_cast<const Linked&>(*simulation.system).link_centres(centres);
    return centres;
  };
  const Eigen::VectorXd exact = end("0.00625");
  const double coarse = (end("0.05") - exact).norm();
  const double fine = (end("0.025") - exact).norm();
  EXPECT_GT(coarse, 1e-9);
  EXPECT_NEAR(coarse / fine, 16.0, 4.0);
}

}  // namespace wheeled_test
}  // namespace coluber::simulation

// Joints that follow the gait exactly, in the plane and in space, on the floor and among obstacles.

#include "coluber/control/prescribed.hpp"

#include <array>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/planar/snake.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "sample/snake.hpp"

namespace coluber::simulation {
namespace prescribed_test {

const std::string kPrescribed = "controller.name=\"prescribed\"";

scenario::Scenario load(const std::string& name, scenario::Overrides overrides) {
  return scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml",
                        overrides);
}

struct Finished {
  record::Trajectory trajectory;
  RunOutcome outcome;
  std::uint64_t hash = 0;

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
  /// Of all frames but the first, at which no step has been done.
  [[nodiscard]] double largest_error() const {
    double worst = 0.0;
    for (std::size_t frame = 1; frame < trajectory.frames(); ++frame) {
      for (int j = 0; j < 10; ++j) {
        worst = std::max(worst, std::abs(trajectory.at("joint_angle", frame, j) -
                                         trajectory.at("joint_reference", frame, j)));
      }
    }
    return worst;
  }
};

Finished run_of(const std::string& name, const scenario::Overrides& overrides) {
  Simulation simulation = make_simulation(load(name, overrides));
  record::TrajectorySink sink;
  const std::array<FrameSink*, 1> sinks{&sink};
  Finished result;
  result.outcome = run(simulation, sinks);
  EXPECT_EQ(result.outcome.status, RunStatus::completed) << result.outcome.message;
  result.trajectory = sink.trajectory();
  result.hash = simulation.system->state_hash();
  return result;
}

TEST(Prescribed, JointsAreWhereTheGaitSaysOnTheFloorAndAtObstaclesInPlaneAndSpace) {
  for (const char* name : {"aiko_floor", "aiko_course", "aiko_spatial_course"}) {
    const Finished run = run_of(name, {kPrescribed, "duration=4.0"});
    EXPECT_LE(run.largest_error(), 1e-12) << name;
    EXPECT_EQ(run.figure("failed_steps"), 0.0) << name;
    EXPECT_LE(run.figure("residual_max"), 1e-10) << name;
  }
}

// What presses a link onto a peg is the robot, whatever the link's own mass. With a compliance by
// its own mass it went 10 mm deep at 0.1 g, and through thin pegs.
TEST(Prescribed, AHeavyRobotDoesNotPressALightLinkIntoAPeg) {
  const std::string others = ",{},{}]";
  for (const auto& [model, light] :
       {std::pair<std::string, std::string>{"planar", "{}"},
        {"planar", "{mass=1e-3,inertia=1.94e-6}"},
        {"planar", "{mass=1e-4,inertia=1.94e-7}"},
        {"spatial", "{}"},
        {"spatial", "{mass=1e-3,inertia=1.94e-6,inertia_axial=1.38e-6}"},
        {"spatial", "{mass=1e-4,inertia=1.94e-7,inertia_axial=1.38e-7}"}}) {
    const Finished run = run_of(
        "aiko_pegs", {kPrescribed, "robot.model='" + model + "'", "duration=1.5", "robot.links=3",
                      "robot.link=[" + light + others, "start.link=3", "start.shape='straight'",
                      "world.obstacle=[{x=0.244,y=0.1,radius=0.02}]", "gait.amplitude_deg=60",
                      "gait.omega_deg=180", "gait.phase_deg=0"});
    EXPECT_GT(run.figure("max_penetration"), 1e-6) << model << light << ": it missed the peg";
    EXPECT_LT(run.figure("max_penetration"), 1e-4) << model << light;
  }
}

// Rates that jumped within the first step would take a torque that grows as dt shrinks, and leave
// the robot half a step behind its joints.
TEST(Prescribed, TheStartIsNoImpact) {
  for (const char* name : {"aiko_floor", "aiko_spatial_floor"}) {
    const Finished coarse = run_of(name, {kPrescribed, "duration=0.5"});
    const Finished fine = run_of(name, {kPrescribed, "duration=0.5", "solver.dt=1e-4"});
    EXPECT_NEAR(coarse.figure("max_torque"), fine.figure("max_torque"),
                0.02 * fine.figure("max_torque"))
        << name;
    const record::Trajectory& t = coarse.trajectory;
    Eigen::Vector2d momentum = Eigen::Vector2d::Zero();
    Eigen::Vector2d speed = Eigen::Vector2d::Zero();
    for (int i = 0; i < 11; ++i) {
      const Eigen::Vector2d v{t.at("link_velocity", 0, i, 0), t.at("link_velocity", 0, i, 1)};
      momentum += v;
      speed += v.cwiseAbs();
    }
    EXPECT_GT(speed.norm(), 0.1) << name << ": it moves";
    EXPECT_LE(momentum.norm(), 1e-9 * speed.norm()) << name << ": but not as a whole";
    EXPECT_GT(t.at("energy", 0), 0.0);
    // half a step down a slope is not part of the jump
    const Finished slope = run_of(name, {kPrescribed, "duration=1e-3", "world.tilt_deg=30"});
    Eigen::Vector2d mean = Eigen::Vector2d::Zero();
    for (int i = 0; i < 11; ++i) {
      mean += Eigen::Vector2d{slope.trajectory.at("link_velocity", 0, i, 0),
                              slope.trajectory.at("link_velocity", 0, i, 1)};
    }
    EXPECT_LE(mean.norm(), 1e-9) << name;
    const Finished step = run_of(name, {kPrescribed, "duration=1e-3"});
    EXPECT_LE(step.figure("displacement"), 1e-5) << name;
  }
}

// The torques are not asked for, they follow; the balance of energy is what they have to fit.
TEST(Prescribed, TorquesPayForTheMotion) {
  for (const char* name : {"aiko_floor", "aiko_spatial_course"}) {
    const Finished run = run_of(name, {kPrescribed, "duration=2.0"});
    EXPECT_LT(std::abs(run.last("work_scheme")), 1e-3 * run.last("work_servo")) << name;
  }
}

// Two free links, straight: a torque tau bends their joint by 2 tau/Theta (rad/s²).
TEST(Prescribed, TheTorqueIsTheClosedFormOfTwoFreeLinks) {
  planar::Model model = sample::aiko(2);
  model.g = 0.0;
  planar::State state = planar::make_state(model, Eigen::VectorXd::Zero(1), 0, {0.0, 0.0}, 0.0);
  planar::Data data(model);
  const planar::StepOptions options;
  JointCommand command(1);
  command.prescribed = true;
  command.phidot_d(0) = 0.3;
  ASSERT_EQ(planar::step(model, state, data, command, options).status, Status::ok);
  EXPECT_EQ(state.phidot(0), 0.3);
  EXPECT_NEAR(data.tau(0), 0.3 / options.dt * 0.5 * model.links[0].Theta, 1e-12);
}

TEST(Prescribed, EverySolverFindsTheSameTorques) {
  for (const char* name : {"aiko_floor", "aiko_spatial_floor"}) {
    const scenario::Overrides common{kPrescribed, "duration=0.2"};
    const Finished newton = run_of(name, common);
    for (const std::string solver : {"gauss_seidel", "thesis"}) {
      scenario::Overrides other = common;
      other.push_back("solver.name=\"" + solver + "\"");
      if (solver == "thesis") {
        other.push_back("solver.thesis.epsilon=1e-10");
        other.push_back("solver.thesis.max_iterations=1000000");
      }
      const Finished run = run_of(name, other);
      for (int j = 0; j < 10; ++j) {
        EXPECT_NEAR(newton.last("joint_torque", j), run.last("joint_torque", j), 1e-4)
            << name << " " << solver << " " << j;
      }
    }
  }
}

TEST(Prescribed, TheFallbackAloneSolvesItsSteps) {
  const planar::Model model = sample::aiko(6);
  planar::State state = planar::make_state(model, Eigen::VectorXd::Zero(5), 0, {0.0, 0.0}, 0.0);
  planar::State other = state;
  planar::Data data(model);
  planar::StepOptions fallback;
  fallback.newton.max_sweeps = 0;
  JointCommand command(5);
  command.prescribed = true;
  command.phidot_d << 0.3, -0.2, 0.5, 0.1, -0.4;
  ASSERT_EQ(planar::step(model, state, data, command, {}).status, Status::ok);
  const Eigen::VectorXd tau = data.tau;
  const nonsmooth::ContactStepInfo info = planar::step(model, other, data, command, fallback);
  EXPECT_EQ(info.status, Status::ok);
  EXPECT_GT(info.fallback_sweeps, 0);
  EXPECT_LE((data.tau - tau).cwiseAbs().maxCoeff(), 1e-6);
}

// A servo as stiff as one likes is at the next middle where the gait is, and no more than a
// difference quotient of second order away from its rate.
TEST(Prescribed, IsTheLimitOfTheStiffServo) {
  const auto apart = [](const std::string& dt) {
    const scenario::Overrides common{"duration=1.0", "solver.dt=" + dt, "world.friction=[0.2,0.5]"};
    scenario::Overrides exact = common;
    exact.push_back(kPrescribed);
    scenario::Overrides stiff = common;
    stiff.push_back("controller.kp=1e9");
    const Finished a = run_of("aiko_floor", exact);
    const Finished b = run_of("aiko_floor", stiff);
    return std::hypot(a.last("link_position", 5, 0) - b.last("link_position", 5, 0),
                      a.last("link_position", 5, 1) - b.last("link_position", 5, 1));
  };
  const double coarse = apart("4e-3");
  const double fine = apart("2e-3");
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, 0.6 * coarse);
}

// The figures of the servo that rang: 0.0653 m/s before.
TEST(StiffServo, IsAsFastAsTheSoftOneAtTenTimesTheStep) {
  const scenario::Overrides common{"duration=4.5", "world.friction=[0.2,0.5]"};
  const auto reached = [&](scenario::Overrides more) {
    more.insert(more.begin(), common.begin(), common.end());
    const Finished run = run_of("aiko_floor", more);
    return std::hypot(
        run.last("link_position", 5, 0) - run.trajectory.at("link_position", 0, 5, 0),
        run.last("link_position", 5, 1) - run.trajectory.at("link_position", 0, 5, 1));
  };
  const double soft = reached({});
  EXPECT_NEAR(reached({"controller.kp=1e7", "solver.dt=1e-2"}), soft, 2e-3 * soft);
  EXPECT_NEAR(reached({kPrescribed}), soft, 2e-3 * soft);
}

std::string refusal(const std::string& name, const scenario::Overrides& overrides) {
  try {
    make_simulation(load(name, overrides));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Prescribed, AnotherStartASoftStartAndGainsAreRefused) {
  EXPECT_THAT(refusal("aiko_floor", {kPrescribed, "start.shape=\"straight\""}),
              testing::HasSubstr("start.shape"));
  EXPECT_THAT(refusal("aiko_floor", {kPrescribed, "gait.soft_start=true"}),
              testing::HasSubstr("gait.soft_start"));
  EXPECT_THAT(refusal("aiko_floor", {kPrescribed, "controller.kp=5.0"}),
              testing::HasSubstr("controller.kp"));
}

TEST(Prescribed, AnAngleThatIsNoNumberIsNamedWithItsJoint) {
  const planar::Model model = [] {
    planar::Model two;
    two.links.assign(2, {.m = 1.0, .Theta = 1e-3, .L = 0.1, .L_GS = 0.03, .L_SC = 0.02});
    return two;
  }();
  planar::State state = planar::make_state(model, Eigen::VectorXd::Zero(1), 0, {0.0, 0.0}, 0.0);
  planar::Data data(model);
  JointCommand command(1);
  command.prescribed = true;
  command.phi_M(0) = std::nan("");
  const nonsmooth::ContactStepInfo info = planar::step(model, state, data, command, {});
  EXPECT_EQ(info.status, Status::non_finite);
  EXPECT_EQ(info.index, 1);
  EXPECT_EQ(state.phi(0), 0.0);
}

}  // namespace prescribed_test
}  // namespace coluber::simulation

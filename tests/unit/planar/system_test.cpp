// What a run records is what happened: every observable and every summary figure by a second route.

#include "coluber/planar/system.hpp"

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "sample/snake.hpp"
#include "support/arrows.hpp"

namespace coluber {
namespace system_test {

using record::Trajectory;

std::string source(const std::string& name) { return std::string(COLUBER_SOURCE_DIR) + "/" + name; }

/// A run recorded at every step.
struct Recorded {
  explicit Recorded(const std::string& file, scenario::Overrides overrides = {})
      : simulation((overrides.emplace_back("record.rate_hz=1000"),
                    simulation::make_simulation(scenario::load(source(file), overrides)))) {
    simulation::FrameSink* sinks[] = {&sink};
    outcome = simulation::run(simulation, sinks);
    EXPECT_EQ(outcome.status, simulation::RunStatus::completed) << outcome.message;
    for (const SummaryItem& item : outcome.summary) summary[item.name] = item.number();
  }
  [[nodiscard]] const Trajectory& t() const { return sink.trajectory(); }
  [[nodiscard]] const planar::PlanarSystem& system() const {
    return dynamic_cast<const planar::PlanarSystem&>(*simulation.system);
  }

  record::TrajectorySink sink;
  simulation::Simulation simulation;
  simulation::RunOutcome outcome;
  std::map<std::string, double> summary;
};

/// The course, tilted, so that servos, friction, contacts and gravity all do work.
const Recorded& tilted_course() {
  static const Recorded run("scenarios/aiko_course.toml",
                            {"duration=2.5", "world.tilt_deg=3", "world.tilt_direction_deg=20"});
  return run;
}

TEST(PlanarRecord, KineticEnergyIsTheSumOfTheRecordedWorks) {
  const Trajectory& t = tilted_course().t();
  double worst = 0.0;
  for (std::size_t k = 0; k < t.frames(); ++k) {
    const double works = t.at("work_servo", k) + t.at("work_friction", k) +
                         t.at("work_contact", k) + t.at("work_gravity", k) + t.at("work_scheme", k);
    worst = std::max(worst, std::abs(t.at("energy", k) - works));
  }
  EXPECT_LE(worst, 1e-12);
  // kinetic energy from the state itself
  const auto& state = tilted_course().system().state();
  double T = 0.0;
  for (int i = 0; i < 11; ++i) {
    const auto& link = tilted_course().system().model().links[0];
    T += 0.5 * link.m * state.u.segment<2>(3 * i).squaredNorm() +
         0.5 * link.Theta * std::pow(state.u(3 * i + 2), 2);
  }
  EXPECT_NEAR(t.column("energy").back(), T, 1e-14);
}

TEST(PlanarRecord, EachWorkIsItsForceTimesTheRecordedWay) {
  const Trajectory& t = tilted_course().t();
  const auto& model = tilted_course().system().model();
  double servo = 0.0;
  double positive = 0.0;
  double friction = 0.0;
  double contact = 0.0;
  double gravity = 0.0;
  for (std::size_t k = 1; k < t.frames(); ++k) {
    for (int j = 0; j < 10; ++j) {
      const double done =
          t.at("joint_torque", k, j) * (t.at("joint_angle", k, j) - t.at("joint_angle", k - 1, j));
      servo += done;
      positive += std::max(0.0, done);
    }
    EXPECT_GE(t.at("work_positive", k), t.at("work_positive", k - 1))
        << "braking takes nothing off";
    for (int i = 0; i < 11; ++i) {
      const Eigen::Vector2d way{
          t.at("link_position", k, i, 0) - t.at("link_position", k - 1, i, 0),
          t.at("link_position", k, i, 1) - t.at("link_position", k - 1, i, 1)};
      const Eigen::Vector2d ground{t.at("ground_force", k, i, 0), t.at("ground_force", k, i, 1)};
      const Eigen::Vector2d peg{t.at("contact_force", k, i, 0), t.at("contact_force", k, i, 1)};
      friction += ground.dot(way);
      contact += peg.dot(way);
      gravity += model.links[0].m * 9.81 * std::sin(3.0 * sample::kDegree) *
                 way.dot(Eigen::Vector2d{std::cos(20.0 * sample::kDegree),
                                         std::sin(20.0 * sample::kDegree)});
    }
  }
  EXPECT_NEAR(t.column("work_servo").back(), servo, 1e-9 * servo)
      << "exact: the joint moves by dt times its mean rate";
  EXPECT_NEAR(t.column("work_positive").back(), positive, 1e-9 * positive);
  EXPECT_GT(positive, 1.05 * servo) << "some joints brake";
  EXPECT_NEAR(t.column("work_friction").back(), friction, 1e-3 * std::abs(friction))
      << "ways are chords of arcs";
  EXPECT_NEAR(t.column("work_gravity").back(), gravity, 1e-3 * std::abs(gravity));
  EXPECT_LT(t.column("work_friction").back(), 0.0);
  EXPECT_LE(t.column("work_contact").back(), 1e-6)
      << "a fixed, frictionless, inelastic peg gives nothing";
  EXPECT_NE(contact, 0.0);
}

TEST(PlanarRecord, VelocitiesFitPositionsAndEnergy) {
  const Trajectory& t = tilted_course().t();
  const auto& link = tilted_course().system().model().links[0];
  double late = 0.0;
  for (std::size_t k = 1; k < t.frames(); ++k) {
    double energy = 0.0;
    for (int i = 0; i < 11; ++i) {
      const double omega = t.at("link_angular_velocity", k, i);
      energy += 0.5 * link.Theta * omega * omega;
      ASSERT_NEAR(t.at("link_angle", k, i) - t.at("link_angle", k - 1, i),
                  0.5e-3 * (t.at("link_angular_velocity", k - 1, i) + omega), 1e-13);
      for (int axis = 0; axis < 2; ++axis) {
        const double v = t.at("link_velocity", k, i, axis);
        energy += 0.5 * link.m * v * v;
        late = std::max(late, std::abs(t.at("link_position", k, i, axis) -
                                       t.at("link_position", k - 1, i, axis) -
                                       0.5e-3 * (t.at("link_velocity", k - 1, i, axis) + v)));
      }
    }
    ASSERT_NEAR(t.at("energy", k), energy, 1e-13) << "exactly: it is the velocities' own";
  }
  // turned by half a step's angle: dt²/2 times an acceleration of 10 m/s²
  EXPECT_LE(late, 5e-6);
}

TEST(PlanarRecord, MassTimesRecordedAccelerationIsTheForceOnTheRobot) {
  // over frames of 10 ms, impacts included: Newton's law for the robot as a whole, to rounding
  auto simulation = simulation::make_simulation(
      scenario::load(source("scenarios/aiko_course.toml"),
                     {"duration=2.5", "world.tilt_deg=3", "world.tilt_direction_deg=90"}));
  record::TrajectorySink sink;
  simulation::FrameSink* sinks[] = {&sink};
  ASSERT_EQ(simulation::run(simulation, sinks).status, simulation::RunStatus::completed);
  const Trajectory& t = sink.trajectory();
  const auto& model = dynamic_cast<const planar::PlanarSystem&>(*simulation.system).model();
  ASSERT_EQ(t.frames(), 251U);
  double largest = 0.0;
  for (std::size_t k = 0; k < t.frames(); ++k) {
    for (int axis = 0; axis < 2; ++axis) {
      double force = 0.0;
      double gain = 0.0;
      for (int i = 0; i < 11; ++i) {
        const double m = model.links[static_cast<std::size_t>(i)].m;
        const double a = t.at("link_acceleration", k, i, axis);
        largest = std::max(largest, std::abs(a));
        gain += m * a;
        force += t.at("ground_force", k, i, axis) + t.at("contact_force", k, i, axis);
        if (axis == 1 && k > 0) force += m * 9.81 * std::sin(3.0 * sample::kDegree);
        if (k == 0) continue;
        ASSERT_NEAR(a,
                    (t.at("link_velocity", k, i, axis) - t.at("link_velocity", k - 1, i, axis)) /
                        (t.time[k] - t.time[k - 1]),
                    1e-10);
      }
      ASSERT_NEAR(gain, force, 1e-8) << "frame " << k;
    }
  }
  EXPECT_GT(largest, 5.0) << "there were impacts";
}

TEST(PlanarRecord, ALinkThrownUphillComesBackOverTwiceTheHeightOfItsPath) {
  planar::Model model = sample::aiko(1);
  model.mu_T.setZero();
  model.tilt = 0.3;
  model.tilt_direction = 1.2;
  const double pull = 9.81 * std::sin(0.3);
  const double speed = 0.5 * 800e-3 * pull;  // back where it was after 800 steps
  const Eigen::Vector2d uphill{-std::cos(1.2), -std::sin(1.2)};
  planar::State state = planar::make_state(model, Eigen::VectorXd(0), 0, {0.2, 0.1}, 0.7);
  state.u << speed * uphill, 0.0;
  state.twist << 0.0, speed * uphill;
  state.base.head<2>() += 0.5e-3 * speed * uphill;  // of the first step's middle
  planar::PlanarSystem system(model, state, {});
  const auto figure = [&](const std::string& name) {
    for (const SummaryItem& item : system.summary()) {
      if (item.name == name) return item.number();
    }
    ADD_FAILURE() << "no figure " << name;
    return 0.0;
  };
  for (int k = 0; k < 800; ++k) ASSERT_EQ(system.step(JointCommand(0)).status, Status::ok);
  const double height = 0.5 * speed * 0.4;
  EXPECT_NEAR(figure("displacement"), 0.0, 1e-12);
  EXPECT_NEAR(figure("net_speed"), 0.0, 1e-12);
  // from the middle of a step to that of the next: it turns round between two of them
  EXPECT_NEAR(figure("path_length"), 2.0 * height, pull * 1e-6);
  EXPECT_NEAR(figure("mean_speed"), 2.0 * height / 0.8, pull * 1e-6 / 0.8);
  EXPECT_EQ(figure("heading_change"), 0.0);
  EXPECT_EQ(figure("work_positive"), 0.0);
}

TEST(PlanarRecord, OneLinkHasNoSchemeErrorWhateverActsOnIt) {
  // No joints: every step's change of kinetic energy is the work of its impulses, to rounding.
  planar::Model model = sample::aiko(1);
  model.tilt = 0.4;
  model.obstacles = {{{0.5, 0.01}, 0.05}};
  planar::State state = planar::make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.3);
  planar::StepOptions options;
  options.activation = planar::Activation::gap;
  planar::PlanarSystem system(model, state, options);
  double scheme = 0.0;
  double friction = 0.0;
  double gravity = 0.0;
  double contact = 0.0;
  for (int k = 0; k < 1500; ++k) {
    ASSERT_EQ(system.step(JointCommand(0)).status, Status::ok);
    scheme = std::max(scheme, std::abs(system.data().work.scheme));
    friction += system.data().work.friction;
    gravity += system.data().work.gravity;
    contact += system.data().work.contact;
    if (contact == 0.0) {  // before the peg: closed forms
      const double way = sample::link_positions(model, system.state(), 1e-3)(0, 0);
      const double mg = model.links[0].m * 9.81;
      ASSERT_NEAR(gravity, mg * std::sin(0.4) * way, 1e-12);
      ASSERT_NEAR(friction, -0.2 * mg * std::cos(0.4) * way, 1e-9)
          << "the anchor's first step slips a little";
    }
  }
  EXPECT_LE(scheme, 1e-15);
  EXPECT_LT(contact, -0.1) << "it was stopped by the peg";
}

TEST(PlanarRecord, ALinkDeepInAPegIsWarnedOf) {
  for (const double depth : {0.001, 0.02}) {
    planar::Model model = sample::aiko(1);
    const double radius = model.links[0].L_SC;
    model.obstacles.push_back({{0.0, radius + 0.03 - depth}, 0.03});
    planar::PlanarSystem system(
        model, planar::make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0), {});
    EXPECT_TRUE(system.warnings().empty());
    ASSERT_EQ(system.step(JointCommand(0)).status, Status::ok);
    if (depth < 0.1 * radius) {
      EXPECT_TRUE(system.warnings().empty());
    } else {
      ASSERT_EQ(system.warnings().size(), 1U);
      EXPECT_NE(system.warnings()[0].find("20 mm deep in obstacles"), std::string::npos)
          << system.warnings()[0];
    }
  }
}

TEST(PlanarRecord, NoPathIsShorterThanItsDisplacement) {
  const planar::Model model = sample::aiko(11);
  planar::StepOptions options;
  options.dt = 1e-2;
  planar::PlanarSystem system(model, sample::course_start(model), options);
  JointCommand command(10);
  command.prescribed = true;  // rates that jump at the start
  for (int k = 1; k <= 20; ++k) {
    sample::follow({}, (k - 0.5) * options.dt, command);
    command.phi_M = command.phi_d;
    sample::follow({}, k * options.dt, command);
    ASSERT_EQ(system.step(command).status, Status::ok);
    double displacement = 0.0;
    double path = -1.0;
    for (const SummaryItem& item : system.summary()) {
      if (item.name == "displacement") displacement = item.number();
      if (item.name == "path_length") path = item.number();
    }
    EXPECT_GT(displacement, 0.0);
    EXPECT_GE(path, displacement) << "step " << k;
  }
}

TEST(PlanarRecord, RatesAndTorquesFitTheAnglesAndTheReferences) {
  const Recorded& run = tilted_course();
  const Trajectory& t = run.t();
  Eigen::VectorXd phi_d(10);
  Eigen::VectorXd phidot_d(10);
  for (std::size_t k = 1; k < t.frames(); k += 7) {
    run.simulation.gait->evaluate(t.time[k], phi_d, phidot_d);
    for (int j = 0; j < 10; ++j) {
      const double rate = t.at("joint_rate", k, j);
      const double moved = t.at("joint_angle", k, j) - t.at("joint_angle", k - 1, j);
      EXPECT_NEAR(moved, 0.5e-3 * (rate + t.at("joint_rate", k - 1, j)), 1e-14);
      EXPECT_NEAR(t.at("joint_torque", k, j),
                  800.0 * (phi_d(j) - t.at("joint_angle", k, j)) + 2.0 * (phidot_d(j) - rate),
                  1e-9);
      EXPECT_NEAR(t.at("link_angle", k, j + 1) - t.at("link_angle", k, j),
                  t.at("joint_angle", k, j), 1e-13);
    }
  }
}

TEST(PlanarRecord, TheSummaryFollowsFromTheFrames) {
  const Recorded& run = tilted_course();
  const Trajectory& t = run.t();
  const std::size_t end = t.frames() - 1;
  const auto mean = [&](const char* name, std::size_t k, int axis) {
    double sum = 0.0;
    for (int i = 0; i < 11; ++i) sum += t.at(name, k, i, axis);
    return sum / 11.0;
  };
  const auto way = [&](std::size_t from, std::size_t to) {
    return std::hypot(mean("link_position", to, 0) - mean("link_position", from, 0),
                      mean("link_position", to, 1) - mean("link_position", from, 1));
  };
  const double displacement = way(0, end);
  double length = 0.0;
  for (std::size_t k = 1; k <= end; ++k) length += way(k - 1, k);
  const auto largest = [&](const char* name, int count) {
    double worst = 0.0;
    for (int i = 0; i < count; ++i) {
      for (double value : t.column(name, i)) worst = std::max(worst, std::abs(value));
    }
    return worst;
  };
  EXPECT_NEAR(run.summary.at("displacement"), displacement, 1e-14);
  EXPECT_NEAR(run.summary.at("net_speed"), displacement / 2.5, 1e-14);
  // a link's velocity is that of the step's middle, half a step late
  EXPECT_NEAR(run.summary.at("path_length"), length, 1e-3 * length);
  EXPECT_GT(length, 1.005 * displacement) << "its path is not straight";
  EXPECT_EQ(run.summary.at("mean_speed"), run.summary.at("path_length") / 2.5);
  EXPECT_NEAR(run.summary.at("heading_change"),
              mean("link_angle", end, 0) - mean("link_angle", 0, 0), 1e-13);
  EXPECT_FALSE(run.summary.contains("distance"));
  EXPECT_FALSE(run.summary.contains("energy_in"));
  EXPECT_NEAR(run.summary.at("max_torque"), largest("joint_torque", 10), 1e-14);
  double at = 0.0;
  for (int j = 0; j < 10; ++j) {
    for (std::size_t k = 0; k < t.frames(); ++k) {
      if (std::abs(t.at("joint_torque", k, j)) >= run.summary.at("max_torque")) at = t.time[k];
    }
  }
  EXPECT_NEAR(run.summary.at("max_torque_time"), at, 1e-12);
  EXPECT_EQ(run.summary.at("work_net"), t.at("work_servo", end));
  EXPECT_EQ(run.summary.at("work_positive"), t.at("work_positive", end));
  EXPECT_NEAR(run.summary.at("cost_of_transport"),
              t.at("work_positive", end) / (7.5 * 9.81 * run.summary.at("path_length")), 1e-13);
  EXPECT_NEAR(run.summary.at("max_penetration"), largest("penetration", 1), 1e-18);
  EXPECT_NEAR(run.summary.at("residual_max"), largest("residual", 1), 1e-18);
  EXPECT_GT(run.summary.at("residual_max"), 1e-13);
  EXPECT_NEAR(run.summary.at("rigid_residual_max"), largest("rigid_residual", 1), 1e-18);
  EXPECT_GT(run.summary.at("rigid_residual_max"), 1e-5);
  double sweeps = 0.0;
  for (double value : t.column("iterations")) sweeps += value;
  const auto per_step = std::ranges::find(run.outcome.step_figures, "iterations",
                                          &simulation::RunOutcome::StepMean::name);
  ASSERT_NE(per_step, run.outcome.step_figures.end());
  EXPECT_NEAR(per_step->mean, sweeps / 2500.0, 1e-12);
}

TEST(PlanarRecord, DrawnContactsCarryTheForcesOfTheStep) {
  const Recorded run("scenarios/aiko_course.toml", {"duration=0.6"});
  const auto& system = run.system();
  const std::vector<ContactSlot> slots = test::arrows_of(system, 0);
  const int each = system.arrows()[0].slots;
  int drawn = 0;
  for (int i = 0; i < 11; ++i) {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    for (int s = 0; s < each; ++s) {
      const ContactSlot& slot = slots[static_cast<std::size_t>(i * each + s)];
      if (std::isnan(slot.point.x())) continue;
      sum += slot.force.head<2>();
      ++drawn;
    }
    const Eigen::Vector2d force = system.data().obstacle_impulse.col(i) / system.dt();
    // drawn along the normal at the end of the step, which has turned by omega dt/2 since its
    // middle
    EXPECT_LE((sum - force).norm(), 0.01 * force.norm()) << "link " << i + 1;
  }
  EXPECT_GE(drawn, 1) << "choose an end at which a peg is touched";
}

TEST(PlanarRecord, ACapsuleIsDrawnAboutItsMiddleWhereverItsCentreOfGravityLies) {
  planar::Model model = sample::aiko(3);
  model.links[1].offset = 0.02;
  const planar::State state =
      planar::make_state(model, Eigen::VectorXd::Zero(2), 0, {1.0, 2.0}, 0.5);
  const planar::PlanarSystem system(model, state, {});
  std::vector<double> poses(21);
  system.poses(poses);
  const Eigen::Matrix2Xd centre = sample::link_positions(model, state, 1e-3);
  EXPECT_NEAR(poses[7] - centre(0, 1), -0.02 * std::cos(0.5), 1e-15);
  EXPECT_NEAR(poses[8] - centre(1, 1), -0.02 * std::sin(0.5), 1e-15);
  EXPECT_NEAR(poses[10], std::cos(0.25), 1e-15);
  EXPECT_NEAR(poses[13], std::sin(0.25), 1e-15);
  // equal spacing of the middles of a straight chain
  EXPECT_NEAR(std::hypot(poses[7] - poses[0], poses[8] - poses[1]), 0.122, 1e-15);
}

TEST(PlanarRecord, AMovingStartHasItsEnergyInTheFirstFrame) {
  planar::Model model = sample::aiko(1);
  planar::State state = planar::make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0);
  state.u << 0.6, 0.8, 2.0;
  const planar::PlanarSystem system(model, state, {});
  EXPECT_NEAR(system.data().kinetic_energy,
              0.5 * model.links[0].m + 0.5 * model.links[0].Theta * 4.0, 1e-15);
}

std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const char* folder : {"scenarios", "reproduce/transeth/scenarios"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source(folder))) {
      if (entry.path().extension() == ".toml")
        files.push_back(std::string(folder) + "/" + entry.path().filename().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class EveryScenario : public testing::TestWithParam<std::string> {};

TEST_P(EveryScenario, MeetsTheLawsOnEveryStep) {
  auto simulation = simulation::make_simulation(scenario::load(source(GetParam())));
  const auto outcome = simulation::run(simulation, {});
  ASSERT_EQ(outcome.status, simulation::RunStatus::completed) << outcome.message;
  for (const SummaryItem& item : outcome.summary) {
    if (item.name == "residual_max") {
      EXPECT_LE(item.number(), 1e-9);
    }
    if (item.name == "failed_steps") {
      EXPECT_EQ(item.number(), 0.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, EveryScenario, testing::ValuesIn(scenario_files()),
                         [](const auto& file) {
                           return std::filesystem::path(file.param).stem().string();
                         });

TEST(AikoSlope, HoldsFromTheFileAtEveryStepSizeStraightAndCurved) {
  for (const char* dt : {"solver.dt=2.5e-4", "solver.dt=1e-3", "solver.dt=5e-3"}) {
    for (const char* shape :
         {"start.shape=straight", "start.shape=[0,-31,-39,-20,14,38,35,7,-26,-40]"}) {
      auto simulation = simulation::make_simulation(
          scenario::load(source("scenarios/aiko_slope.toml"), {dt, shape, "record.rate_hz=20"}));
      record::TrajectorySink sink;
      simulation::FrameSink* sinks[] = {&sink};
      ASSERT_EQ(simulation::run(simulation, sinks).status, simulation::RunStatus::completed);
      const Trajectory& t = sink.trajectory();
      ASSERT_NEAR(t.time.back(), 10.0, 1e-9);
      double moved = 0.0;
      const std::size_t settled = 10;  // 0.5 s: 100 steps of the largest dt
      for (std::size_t k = settled; k < t.frames(); ++k) {
        for (int i = 0; i < 11; ++i) {
          moved = std::max(
              moved,
              std::hypot(t.at("link_position", k, i, 0) - t.at("link_position", settled, i, 0),
                         t.at("link_position", k, i, 1) - t.at("link_position", settled, i, 1)));
        }
      }
      EXPECT_LE(moved, 1e-12) << dt << " " << shape;
    }
  }
}

}  // namespace system_test
}  // namespace coluber

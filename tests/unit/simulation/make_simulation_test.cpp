#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/keys/registry.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/registry.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {
namespace make_simulation_test {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double degree = 0.017453292519943295;

constexpr const char* aiko = R"(
schema = 1
duration = 0.5
[robot]
name = "aiko"
)";
constexpr const char* undulation = R"(
[gait]
name = "lateral_undulation"
amplitude_deg = 40.0
omega_deg = 80.0
phase_deg = -50.0
)";

Simulation make(const std::string& text, const std::filesystem::path& folder = ".") {
  return make_simulation(scenario::parse(text, folder));
}

/// What was said at load.
std::vector<std::string> warnings_of(const Simulation& simulation) {
  std::vector<std::string> texts;
  for (const drive::Warning& warning : simulation.warnings) texts.push_back(warning.text);
  return texts;
}

const JointDriven& joints_of(const Simulation& simulation) {
  return dynamic_cast<const JointDriven&>(*simulation.system);
}

Eigen::VectorXd start_angles(const Simulation& simulation) {
  Eigen::VectorXd phi(joints_of(simulation).joint_count());
  Eigen::VectorXd phidot(phi);
  joints_of(simulation).joint_state(phi, phidot);
  return phi;
}

Eigen::VectorXd references(const Simulation& simulation, double t) {
  Eigen::VectorXd phi(joints_of(simulation).joint_count());
  Eigen::VectorXd rate(phi);
  simulation.gait->evaluate(t, phi, rate);
  return phi;
}

TEST(MakeSimulation, StartsInTheShapeOfTheGaitEvenWhereASoftStartHoldsTheReferences) {
  const Simulation simulation = make(std::string(aiko) + undulation + "soft_start = true\n");
  const Eigen::VectorXd phi = start_angles(simulation);
  ASSERT_EQ(phi.size(), 10);
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(phi(i), 40.0 * degree * std::sin(-50.0 * degree * i), 1e-15) << i;
  }
  EXPECT_EQ(references(simulation, 0.0)(1), 0.0) << "joint 2 is held";
}

TEST(MakeSimulation, HoldsTheStartAnglesWithoutAGait) {
  const Simulation simulation =
      make(std::string(aiko) + "links = 3\n[start]\nshape = [10.0, -20.0]\n");
  const Eigen::VectorXd expected = Eigen::Vector2d(10.0 * degree, -20.0 * degree);
  EXPECT_LE((start_angles(simulation) - expected).norm(), 1e-16);
  EXPECT_EQ(references(simulation, 123.0), start_angles(simulation));
  EXPECT_EQ(simulation.gait->max_rate(), 0.0);
  const Simulation straight = make(aiko);
  EXPECT_EQ(start_angles(straight), Eigen::VectorXd::Zero(10));
}

TEST(MakeSimulation, ReadsAJointTableBesideTheScenario) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("coluber_make_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "angles.csv") << "t,phi_1,phi_2\n0,10,20\n1,30,40\n";
  const std::string text =
      std::string(aiko) + "links = 3\n[gait]\nname = \"table\"\ntable = \"angles.csv\"\n";
  const Simulation simulation = make(text, folder);
  EXPECT_NEAR(start_angles(simulation)(1), 20.0 * degree, 1e-15);
  EXPECT_NEAR(references(simulation, 0.5)(0), 20.0 * degree, 1e-15);
  std::ofstream(folder / "angles.csv") << "t,phi_1,phi_2\n0,10,nan\n";
  EXPECT_THROW(make(text, folder), InputError);
  std::filesystem::remove_all(folder);
}

TEST(MakeSimulation, WarnsOfAJointThatASoftStartNeverReleases) {
  const Simulation simulation =
      make(std::string(aiko) + "links = 3\n" + undulation +
           "offset_deg = 60.0\nsoft_start = true\n[start]\nshape = \"straight\"\n");
  EXPECT_THAT(warnings_of(simulation), Contains(HasSubstr("joint 2 never comes within 3 degrees")));
}

TEST(MakeSimulation, WarnsOfAWaveThatTheStepsDoNotFollow) {
  const auto wave = [](const char* omega_deg, const char* more) {
    return warnings_of(make(std::string(aiko) + "[solver]\ndt = 1e-2\n" + more +
                            "[gait]\nname = \"lateral_undulation\"\nomega_deg = " + omega_deg +
                            "\n"));
  };
  EXPECT_THAT(wave("36000", ""),
              Contains("gait.omega_deg: the reference has a period of 0.01 s, 1 times solver.dt = "
                       "0.01 s: with fewer than 20 steps a period the joints do not follow this "
                       "wave but what the steps meet of it; write  dt = 0.0005  in [solver], or "
                       "take a slower gait"));
  EXPECT_THAT(wave("-1801", ""), Contains(HasSubstr("write  dt = 0.005  in")));
  EXPECT_THAT(wave("1800", ""), IsEmpty()) << "twenty steps a period";
  EXPECT_THAT(wave("36000\namplitude_deg = 0", ""), IsEmpty()) << "no wave";
}

TEST(MakeSimulation, WarnsOfTheFasterOfTwoWaves) {
  const std::string text = std::string(aiko) + "model = \"spatial\"\n[gait]\nname = ";
  const std::string fast = "vertical.omega_deg = 36000\n";
  EXPECT_THAT(warnings_of(make(text + "\"sidewinding\"\n" + fast)),
              Contains(testing::StartsWith("gait.vertical.omega_deg: the reference has a period of "
                                           "0.01 s, 10 times solver.dt = 0.001 s")));
  EXPECT_THAT(warnings_of(make(text + "\"lateral_undulation\"\n" + fast)),
              testing::Not(Contains(HasSubstr("a period of"))))
      << "the pitch joints stand still";
}

TEST(MakeSimulation, WarnsOfALawThatTheStepsDoNotFollowAndOfNoneUnderAnIntegratorThatAdapts) {
  const auto fish = [](const std::string& integrator, const std::string& law) {
    return warnings_of(
        make("duration = 0.5\n[robot]\nmodel = \"multibody\"\nname = \"fish\"\n"
             "[solver]\nintegrator = \"" +
             integrator + "\"\n[gait]\nname = \"laws\"\n[[gait.joint]]\njoint = 1\n" +
             "[[gait.joint]]\njoint = 2\nlaw = " + law + "\n"));
  };
  for (const char* law : {"\"sin\"", "\"one_minus_cos\""}) {
    const std::string fast = std::string(law) + "\namplitude = 0.1\nomega = 100.0";
    EXPECT_THAT(fish("rk4", fast), Contains(testing::StartsWith("gait.joint.2.omega: ")));
    EXPECT_THAT(fish("dopri5", fast), IsEmpty());
  }
  EXPECT_THAT(fish("rk4", "\"ramp\"\nrate = 100.0"), IsEmpty());
  EXPECT_THAT(fish("rk4", "\"ramp\"\nrate = 0.1\nomega = 100.0\namplitude = 0.1"),
              testing::ElementsAre("gait.joint.2: amplitude, omega have no effect: law = \"ramp\" "
                                   "takes offset, rate, acceleration"));
}

TEST(MakeSimulation, WarnsOfAnExplicitServoBeyondItsLimitAndOfNoOther) {
  const std::string explicit_servo =
      std::string(aiko) + undulation + "[controller]\nservo = \"explicit\"\n[solver]\n";
  EXPECT_THAT(warnings_of(make(explicit_servo + "dt = 4e-4\n")), Contains(HasSubstr("explicit")));
  EXPECT_THAT(warnings_of(make(explicit_servo + "dt = 2.5e-4\n")), IsEmpty());
}

TEST(MakeSimulation, WarnsOfMoreLinksThanRoundingAllows) {
  const auto warnings_with = [](int links) {
    return warnings_of(make(std::string(aiko) + "links = " + std::to_string(links) + "\n"));
  };
  EXPECT_THAT(warnings_with(5000), IsEmpty());
  EXPECT_THAT(warnings_with(5001), Contains(HasSubstr("robot.links = 5001")));
}

TEST(MakeSimulation, RefusesRunsThatWouldFillTheDisk) {
  const auto fault_of = [](const std::string& text) -> std::string {
    try {
      (void)make(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no fault";
  };
  const std::string robot = "[robot]\nname = \"aiko\"\n";
  // time, 11 links and 10 joints: as many numbers as a frame has
  const int numbers = frame_size(make(aiko).system->observables()) + 1;
  EXPECT_THAT(
      fault_of("duration = 1e6\n" + robot),
      HasSubstr("record.rate_hz: 1e+08 frames of " + std::to_string(numbers) + " numbers are 1"));
  EXPECT_THAT(fault_of("duration = 1e6\n" + robot),
              HasSubstr("GB, the limit is 2 GB\n  hint: for this robot and duration at most  "
                        "rate_hz = 1."));
  const double most = 2e9 / (8.0 * numbers * 1e6);  // Hz, of 2 GB in 1e6 s
  const auto at_rate = [&](double rate) {
    return fault_of("duration = 1e6\n" + robot + "[record]\nrate_hz = " + std::to_string(rate) +
                    "\n");
  };
  EXPECT_EQ(at_rate(0.99 * most), "no fault");
  EXPECT_THAT(at_rate(1.01 * most), HasSubstr("<text>:5:11: record.rate_hz"));
}

TEST(Registry, BuildsEveryWordTheScenarioAcceptsAndNoOther) {
  const auto expect_same = [](const char* key, const auto& entries) {
    std::vector<std::string> built;
    for (const keys::Choice& choice : keys::find_key(key)->choices) {
      if (choice.built) built.push_back(choice.name);
    }
    std::vector<std::string> registered;
    for (const auto& entry : entries) registered.emplace_back(entry.keys.name);
    EXPECT_THAT(registered, testing::UnorderedElementsAreArray(built)) << key;
  };
  expect_same("robot.model", models());
  expect_same("gait.name", gaits());
  expect_same("controller.name", controllers());
}

TEST(PlanarRun, SettlesNowhereButWhereItsServosHoldIt) {
  // straight, no gait, on level ground: nothing may move at all
  Simulation simulation = make(aiko);
  record::TrajectorySink sink;
  FrameSink* const sinks[] = {&sink};
  const RunOutcome outcome = run(simulation, sinks);
  EXPECT_EQ(outcome.status, RunStatus::completed);
  const auto& trajectory = sink.trajectory();
  ASSERT_EQ(trajectory.frames(), 51U);
  for (int link = 0; link < 11; ++link) {
    for (int axis = 0; axis < 2; ++axis) {
      const auto column = trajectory.column("link_position", link, axis);
      EXPECT_LE(std::abs(column.back() - column.front()), 1e-15) << link;
    }
  }
}

TEST(PlanarRun, RecordingMoreOftenDoesNotChangeTheMotion) {
  const std::string text = std::string(aiko) + undulation + "[record]\nrate_hz = ";
  Simulation seldom = make(text + "10.0\n");
  Simulation often = make(text + "1000.0\n");
  record::TrajectorySink a;
  record::TrajectorySink b;
  FrameSink* const into_a[] = {&a};
  FrameSink* const into_b[] = {&b};
  EXPECT_EQ(run(seldom, into_a).final_state, run(often, into_b).final_state);
  EXPECT_EQ(a.trajectory().at("link_position", 5, 5, 0),
            b.trajectory().at("link_position", 500, 5, 0));
  // forces over frames are exact impulses, however the frames are cut
  double coarse = 0.0;
  double fine = 0.0;
  for (std::size_t k = 1; k < a.trajectory().frames(); ++k) {
    coarse += a.trajectory().at("ground_force", k, 5, 1) * 0.1;
  }
  for (std::size_t k = 1; k < b.trajectory().frames(); ++k) {
    fine += b.trajectory().at("ground_force", k, 5, 1) * 0.001;
  }
  EXPECT_NEAR(coarse, fine, 1e-13);
}

}  // namespace make_simulation_test
}  // namespace coluber::simulation

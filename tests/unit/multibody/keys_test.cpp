// Keys of a tree, each by what it does to a body or two whose motion can be written down.

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "coluber/multibody/system.hpp"
#include "coluber/simulation/simulation.hpp"

#include "sample/trees.hpp"

namespace coluber::multibody {
namespace keys_test {

using Eigen::Vector3d;

/// A block of 2 kg; `robot` continues its table, `rest` the file.
simulation::Simulation make(const std::string& robot, const std::string& rest) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string path = testing::TempDir() + "/tree_" + test->name() + ".toml";
  std::ofstream(path) << "schema = 1\nduration = 1.0\n[robot]\nmodel = \"multibody\"\n"
                         "[[robot.body]]\nname = \"block\"\nmass = 2.0\n"
                         "inertia = [0.5, 0.5, 0.5, 0.0, 0.0, 0.0]\n"
                      << robot << rest;
  return simulation::make_simulation(scenario::load(path, {}));
}

const MultibodySystem& tree_of(const simulation::Simulation& simulation) {
  return dynamic_cast<const MultibodySystem&>(*simulation.system);
}

std::string moving(const char* twist) { return std::string("[start]\ntwist = ") + twist + "\n"; }

const char* const kTwist = "[0.5, -0.3, 0.2, 0.4, -0.6, 0.7]";
const Vector3d kV{0.5, -0.3, 0.2};
const Vector3d kOmega{0.4, -0.6, 0.7};

TEST(TreeKeys, QuadraticDragActsByComponent) {
  const auto simulation = make(
      "", "[[world.force]]\nlaw = \"quadratic\"\nc_along = 2.0\nc_across = 3.0\nc_turn = 4.0\n" +
              moving(kTwist));
  const Vector3d force{-2.0 * 0.25, 3.0 * 0.09, -3.0 * 0.04};
  const Vector3d spin{-4.0 * 0.16, 4.0 * 0.36, -4.0 * 0.49};
  const Vector6d& found = tree_of(simulation).data().etadot_o;
  EXPECT_LE((found.head<3>() - (force - kOmega.cross(kV))).norm(), 1e-14);
  EXPECT_LE((found.tail<3>() - spin).norm(), 1e-14);
}

TEST(TreeKeys, SmoothedFrictionActsAlongTheGround) {
  const auto simulation =
      make("",
           "[[world.force]]\nlaw = \"coulomb_smooth\"\nmu_along = 0.1\nmu_across = 0.5\n"
           "v_smooth = 0.2\nload = 5.0\n" +
               moving(kTwist));
  const double speed = std::sqrt(0.25 + 0.09 + 0.04);
  const Vector3d force{-5.0 * 0.1 * 0.5 / speed, 5.0 * 0.5 * 0.3 / speed, 0.0};
  const Vector6d& found = tree_of(simulation).data().etadot_o;
  EXPECT_LE((found.head<3>() - (force - kOmega.cross(kV))).norm(), 1e-14);
  EXPECT_LE(found.tail<3>().norm(), 1e-14);
}

const char* const kTwo =
    "[[robot.body]]\nname = \"tail\"\nparent = \"block\"\njoint = \"fixed\"\nmass = 1.0\n"
    "inertia = [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]\n";

TEST(TreeKeys, AForceActsOnItsLinksAlone) {
  const std::string law = "[[world.force]]\nlaw = \"viscous\"\nc_along = 3.0\n";
  const std::string start = moving("[0.5, 0.0, 0.0, 0.0, 0.0, 0.0]");
  const auto power = [&](const char* links) {
    const auto simulation = make(kTwo, law + links + start);
    return tree_of(simulation).data().power_friction;
  };
  EXPECT_NEAR(power("links = [1]\n"), -3.0 * 2.0 * 0.25, 1e-15);
  EXPECT_NEAR(power("links = [2]\n"), -3.0 * 1.0 * 0.25, 1e-15);
  EXPECT_NEAR(power(""), -3.0 * 3.0 * 0.25, 1e-15);
}

// Kirchhoff: Ṗ = P × Ω, Π̇ = Π × Ω + P × V with P = (m + m_a) V, Π = (I + I_a) Ω
TEST(TreeKeys, ABodyWithAddedMassObeysKirchhoff) {
  auto simulation =
      make("",
           "[[world.force]]\nlaw = \"added_mass\"\nadded_mass = [0.1, 1.0, 2.0, 0.3, 0.5, 0.8]\n"
           "[solver]\nintegrator = \"dopri5\"\nsmooth.rtol = 1e-12\nsmooth.atol = 1e-13\n" +
               moving(kTwist));
  const MultibodySystem& system = tree_of(simulation);
  const Vector3d m = 2.0 * Vector3d{1.1, 2.0, 3.0};
  const Vector3d I = 0.5 * Vector3d{1.3, 1.5, 1.8};
  const Vector3d P = m.cwiseProduct(kV);
  const Vector3d Pi = I.cwiseProduct(kOmega);
  const Vector6d& found = system.data().etadot_o;
  EXPECT_LE((found.head<3>() - P.cross(kOmega).cwiseQuotient(m)).norm(), 1e-14);
  EXPECT_LE((found.tail<3>() - (Pi.cross(kOmega) + P.cross(kV)).cwiseQuotient(I)).norm(), 1e-14);
  // in the world both are constant, the second about a fixed point
  for (int k = 0; k < 100; ++k) ASSERT_EQ(simulation.system->step().status, Status::ok);
  const Pose& g = system.configuration().g;
  const Vector6d& eta = system.data().eta_o;
  const Vector3d force = g.R * m.cwiseProduct(Vector3d(eta.head<3>()));
  const Vector3d moment = g.R * I.cwiseProduct(Vector3d(eta.tail<3>())) + g.p.cross(force);
  EXPECT_LE((force - P).norm(), 1e-10);
  EXPECT_LE((moment - Pi).norm(), 1e-10);
  EXPECT_GT((Vector3d(eta.head<3>()) - kV).norm(), 0.01) << "the twist changes";
}

/// Two wheels on one axle.
std::string axle(const char* left, const char* right) {
  return std::string("[[robot.wheel]]\nbody = \"block\"\nposition = [0.0, 0.2]\n") + left +
         "[[robot.wheel]]\nbody = \"block\"\nposition = [0.0, -0.2]\n" + right;
}
const char* const kCurve = "[0.5, 0.0, 0.0, 0.0, 0.0, 0.7]";

TEST(TreeKeys, WeightsShareAWheelForce) {
  const auto simulation = make(axle("weight = 3.0\n", ""), moving(kCurve));
  const double F = 2.0 * 0.5 * 0.7;  // m V Ω
  const Eigen::VectorXd& lambda = tree_of(simulation).data().lambda;
  EXPECT_NEAR(lambda(0), 0.25 * F, 1e-14);  // least 3 λ_1² + λ_2²
  EXPECT_NEAR(lambda(1), 0.75 * F, 1e-14);
}

TEST(TreeKeys, OfAPrestressWhatMovesNothingIsAdded) {
  const auto simulation = make(axle("prestress = 4.0\n", "prestress = 1.0\n"), moving(kCurve));
  const double F = 2.0 * 0.5 * 0.7;
  const Eigen::VectorXd& lambda = tree_of(simulation).data().lambda;
  EXPECT_NEAR(lambda(0), 0.5 * F + 1.5, 1e-14);
  EXPECT_NEAR(lambda(1), 0.5 * F - 1.5, 1e-14);
  EXPECT_NEAR(tree_of(simulation).data().etadot_o(1), 0.0, 1e-14);
}

TEST(TreeKeys, ACastorHoldsNothing) {
  const std::string start = moving("[0.5, 0.3, 0.0, 0.0, 0.0, 0.0]");
  auto simulation = make(axle("kind = \"castor\"\n", "kind = \"castor\"\n"), start);
  EXPECT_EQ(tree_of(simulation).classification().rank, 0);
  for (int k = 0; k < 10; ++k) ASSERT_EQ(simulation.system->step().status, Status::ok);
  const double t = simulation.system->time();
  EXPECT_NEAR(tree_of(simulation).configuration().g.p.y(), 0.3 * t, 1e-14);
  EXPECT_EQ(tree_of(simulation).data().lambda.norm(), 0.0);
  EXPECT_THROW(make(axle("", ""), start), InputError) << "wheels that hold do not allow it";
}

TEST(TreeKeys, TheRankToleranceDecidesWhetherARowCounts) {
  const std::string wheels = axle("heading_deg = 0.1\n", "");  // 0.0017 of its row is across
  const auto rank = [&](const char* tolerance) {
    const auto simulation =
        make(wheels, std::string("[solver]\nrank_tolerance = ") + tolerance + "\n");
    return tree_of(simulation).classification().rank;
  };
  EXPECT_EQ(rank("1e-9"), 2);
  EXPECT_EQ(rank("1e-2"), 1);
}

// The limit at a singular instant is the mean of both ends of the window.
TEST(TreeKeys, TheSingularWindowIsHowFarAwayItLooks) {
  const Model model(sample::wheeled_snake());
  Data data(model);
  const Configuration at = sample::at_origin(model);
  const Classification as = classify(model, sample::snake_gait, at, 20.0, {}, data);
  Vector6d found[2];
  const double windows[2] = {1e-4, 2e-2};
  for (int i = 0; i < 2; ++i) {
    EvaluateOptions options;
    options.singular_window = windows[i];
    const auto twist = [&](double t) {
      EXPECT_TRUE(evaluate(model, as, sample::snake_gait, t, at, options, data).ok()) << t;
      return Vector6d(data.eta_o);
    };
    const Vector6d before = twist(-windows[i]);
    EXPECT_FALSE(data.averaged);
    const Vector6d after = twist(windows[i]);
    found[i] = twist(0.0);
    EXPECT_TRUE(data.averaged);
    EXPECT_LE((found[i] - 0.5 * (before + after)).norm(), 1e-12);
  }
  EXPECT_GT((found[1] - found[0]).norm(), 1e-7) << "the window matters";
  EXPECT_LT((found[1] - found[0]).norm(), 1e-2);
}

TEST(TreeKeys, LawsOfTheFirstBodyMoveIt) {
  auto simulation =
      make("",
           "[start]\nposition = [1.0, 2.0]\nz = 3.0\nheading_deg = 90.0\n[gait]\nname = \"laws\"\n"
           "[[gait.base]]\naxis = \"y\"\nlaw = \"sin\"\namplitude = 0.3\nomega = 2.0\n"
           "[[gait.base]]\naxis = \"z\"\nlaw = \"ramp\"\nrate = 0.1\nacceleration = 0.4\n"
           "[[gait.base]]\naxis = \"yaw\"\nlaw = \"ramp\"\nrate = 0.5\n");
  const MultibodySystem& system = tree_of(simulation);
  for (int k = 0; k < 40; ++k) ASSERT_EQ(simulation.system->step().status, Status::ok);
  const double t = system.time();
  const Pose& g = system.configuration().g;
  const Vector3d place{1.0, 2.0 + 0.3 * std::sin(2.0 * t), 3.0 + 0.1 * t + 0.2 * t * t};
  const Vector3d v{0.0, 0.6 * std::cos(2.0 * t), 0.1 + 0.4 * t};
  const Vector3d a{0.0, -1.2 * std::sin(2.0 * t), 0.4};
  const double yaw = 0.5 * sample::pi + 0.5 * t;
  EXPECT_LE((g.p - place).norm(), 1e-13);
  EXPECT_LE((g.R.col(0) - Vector3d{std::cos(yaw), std::sin(yaw), 0.0}).norm(), 1e-13);
  EXPECT_LE((g.R * system.data().eta_o.head<3>() - v).norm(), 1e-13);
  EXPECT_NEAR(system.data().eta_o(5), 0.5, 1e-14);
  EXPECT_NEAR(system.data().energy, 0.5 * 2.0 * v.squaredNorm() + 0.5 * 0.5 * 0.25, 1e-13);
  EXPECT_NEAR(system.data().power_contact, 2.0 * v.dot(a), 1e-13) << "what it takes to move it";
}

TEST(TreeKeys, APitchPointsTheFirstBodyUpwards) {
  const auto simulation = make("", "[start]\npitch_deg = 20.0\nheading_deg = 30.0\n");
  const double p = sample::pi / 9.0;
  const double h = sample::pi / 6.0;
  const Vector3d x{std::cos(p) * std::cos(h), std::cos(p) * std::sin(h), std::sin(p)};
  EXPECT_LE((tree_of(simulation).configuration().g.R.col(0) - x).norm(), 1e-15);
}

TEST(TreeKeys, FourNumbersPlaceAJoint) {
  const auto simulation = make(
      std::string(kTwo) + "dh = { gamma_deg = 30.0, b = 0.4, alpha_deg = 90.0, d = 0.2 }\n", "");
  const Pose& g = tree_of(simulation).data().body[1].g;
  const double c = std::cos(sample::pi / 6.0);
  EXPECT_LE((g.p - Vector3d{0.2 * c, 0.1, 0.4}).norm(), 1e-15);
  EXPECT_LE((g.R.col(0) - Vector3d{c, 0.5, 0.0}).norm(), 1e-15);
  EXPECT_LE((g.R.col(1) - Vector3d::UnitZ()).norm(), 1e-15);
  EXPECT_LE((g.R.col(2) - Vector3d{0.5, -c, 0.0}).norm(), 1e-15);
}

}  // namespace keys_test
}  // namespace coluber::multibody

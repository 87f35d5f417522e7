#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/keys/registry.hpp"
#include "coluber/scenario/scenario.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::scenario {
namespace validate_test {

using sample::aiko;
using sample::fault_of;
using testing::EndsWith;
using testing::HasSubstr;

TEST(Validate, UnknownKeysAreErrorsWithAGuess) {
  EXPECT_EQ(fault_of(aiko + "[solver]\ndtt = 1e-3\n"),
            "error: s.toml:4:1: solver.dtt: unknown key\n  hint: did you mean dt?");
  EXPECT_THAT(fault_of(aiko + "[slover]\ndt = 1e-3\n"), HasSubstr("did you mean solver?"));
  EXPECT_THAT(fault_of("dt = 1e-3\n" + aiko), HasSubstr("did you mean solver.dt?"));
  EXPECT_THAT(fault_of(aiko + "[gait]\namplitude = 3\n"), HasSubstr("did you mean amplitude_deg?"));
  EXPECT_THAT(fault_of(aiko + "link = { mas = 3 }\n"), HasSubstr("did you mean mass?"));
  EXPECT_THAT(fault_of(aiko + "[[world.obstacle]]\nx=0\ny=9\nradius=1\nraduis = 3\n"),
              HasSubstr("world.obstacle.1.raduis: unknown key\n  hint: did you mean radius?"));
  EXPECT_THAT(fault_of(aiko + "[record]\nzebra = 3\n"),
              HasSubstr("[record] knows checkpoint_s, connection, csv, page, rate_hz"));
}

TEST(Validate, NothingBelowAnUnknownTableIsReported) {
  EXPECT_THAT(fault_of(aiko + "[zebra]\na = 1\nb = 2\n"), HasSubstr("3:2: zebra: unknown key"));
}

TEST(Validate, WrongTypesSayWhatWasExpectedAndFound) {
  EXPECT_EQ(fault_of(aiko + "link = { mass = \"heavy\" }\n"),
            "error: s.toml:3:17: robot.link.mass: expected a number > 0, at most 1000000, got "
            "\"heavy\"\n  hint: mass of a link, in kg, for example  mass = 0.682");
  EXPECT_THAT(fault_of(aiko + "[controller]\nkp = true\n"), HasSubstr("got true"));
  EXPECT_THAT(fault_of(aiko + "[solver]\ndt = [1]\n"), HasSubstr("got a list of 1"));
  EXPECT_THAT(fault_of(aiko + "[controller]\nkp = {}\n"), HasSubstr("got a table"));
  EXPECT_THAT(fault_of(aiko + "[controller]\nkp = 2020-01-01\n"), HasSubstr("got a date or time"));
  EXPECT_THAT(fault_of(aiko + "[record]\ncsv = 1\n"), HasSubstr("expected true or false, got 1"));
  EXPECT_THAT(fault_of("title = 3\n" + aiko),
              HasSubstr("expected one line of text in quotes, got 3"));
  EXPECT_THAT(fault_of("title = \"a\\nb\"\n" + aiko), HasSubstr("one line of text"));
  EXPECT_THAT(fault_of("solver = 3\n" + aiko),
              HasSubstr("1:10: solver: expected a table, got 3\n  hint: write  [solver]"));
  EXPECT_THAT(fault_of(aiko + "link = [1, 2]\nlinks = 2\n"),
              HasSubstr("robot.link.2: expected a table, got 2"));
  EXPECT_THAT(fault_of(aiko + "[world]\nobstacle = 3\n"),
              HasSubstr("world.obstacle: expected a list of tables, got 3"));
}

TEST(Validate, PairsHaveTwoNumbersInRange) {
  EXPECT_THAT(fault_of(aiko + "[world]\nfriction = 0.2\n"),
              HasSubstr("4:12: world.friction: expected two numbers from 0 to 1000, got 0.2"));
  EXPECT_THAT(fault_of(aiko + "[world]\nfriction = [0.2, 0.2, 0.2]\n"),
              HasSubstr("got a list of 3"));
  EXPECT_THAT(fault_of(aiko + "[world]\nfriction = [0.2, -0.2]\n"),
              HasSubstr("4:18: world.friction: expected two numbers from 0 to 1000, got -0.2 as "
                        "number 2"));
  EXPECT_EQ(fault_of(aiko + "[world]\nfriction = [0, 0.5]\n"), "no fault");
}

TEST(Validate, WordsAreChosenFromAListWithAGuess) {
  EXPECT_EQ(
      fault_of(aiko + "[solver]\nname = \"newtom\"\n"),
      "error: s.toml:4:8: solver.name: expected \"newton\", \"gauss_seidel\" or \"thesis\", got "
      "\"newtom\"\n  hint: did you mean \"newton\"?");
  EXPECT_THAT(fault_of("[robot]\nname = \"kulko\"\n"),
              testing::AllOf(HasSubstr("robot.name: expected \"aiko\", \"piko\", "),
                             HasSubstr("got \"kulko\"")));
}

struct Refused {
  const char* table;
  const char* line;
};

class NumberOutOfRange : public testing::TestWithParam<Refused> {};

TEST_P(NumberOutOfRange, IsRefusedWithPlaceAndHint) {
  const auto [table, line] = GetParam();
  const std::string fault = fault_of(aiko + "[" + table + "]\n" + line + "\n");
  EXPECT_THAT(fault, testing::StartsWith("error: s.toml:4:")) << line;
  EXPECT_THAT(fault, HasSubstr("expected")) << line;
  EXPECT_THAT(fault, HasSubstr("\n  hint: ")) << line;
}

INSTANTIATE_TEST_SUITE_P(
    Validate, NumberOutOfRange,
    testing::Values(
        Refused{"solver", "dt = 0"}, Refused{"solver", "dt = -1e-3"}, Refused{"solver", "dt = nan"},
        Refused{"solver", "dt = inf"}, Refused{"solver", "dt = 1.0"},
        Refused{"solver", "tolerance = 0"}, Refused{"solver", "thesis.epsilon = 0"},
        Refused{"solver", "thesis.max_iterations = 0"}, Refused{"solver", "thesis.r_T = -1"},
        Refused{"world", "gravity = 0"}, Refused{"world", "gravity = -9.81"},
        Refused{"world", "gravity = nan"}, Refused{"world", "tilt_deg = 91"},
        Refused{"world", "tilt_deg = -1"}, Refused{"world", "friction = [nan, 0.2]"},
        Refused{"start", "heading_deg = inf"}, Refused{"start", "position = [0, inf]"},
        Refused{"start", "link = 0"}, Refused{"gait", "amplitude_deg = 181"},
        Refused{"gait", "omega_deg = nan"}, Refused{"controller", "kp = -1"},
        Refused{"controller", "kd = nan"}, Refused{"controller", "torque_limit = 0"},
        Refused{"controller", "torque_limit = nan"}, Refused{"controller", "torque_limit = -inf"},
        Refused{"stop", "past_x = inf"}, Refused{"stop", "past_x = nan"},
        Refused{"stop", "stuck_s = 0"}, Refused{"stop", "stuck_s = -1"},
        Refused{"controller", "start_time = -1"}, Refused{"record", "rate_hz = 0"},
        Refused{"record", "rate_hz = inf"}, Refused{"record", "rate_hz = nan"},
        Refused{"robot.link", "mass = 0"}, Refused{"robot.link", "mass = nan"},
        Refused{"robot.link", "mass = inf"}, Refused{"robot.link", "inertia = -1e-3"},
        Refused{"robot.link", "length = 0"}, Refused{"robot.link", "radius = 0"},
        Refused{"robot.link", "half_core = -0.1"}));

TEST(Validate, TopLevelNumbersAreBounded) {
  for (const char* line : {"duration = 0", "duration = -1", "duration = nan", "duration = inf",
                           "duration = 1e7", "seed = -1", "seed = 1.5", "schema = 2"}) {
    EXPECT_THAT(fault_of(std::string(line) + "\n" + aiko), HasSubstr("s.toml:1:")) << line;
  }
  EXPECT_THAT(fault_of("schema = 2\n" + aiko), HasSubstr("schema: expected 1, got 2"));
}

class KeyOfAnotherModel : public testing::TestWithParam<Refused> {};

TEST_P(KeyOfAnotherModel, IsRefusedButForItsDefault) {
  const auto [table, line] = GetParam();
  const std::string fault = fault_of(aiko + "[" + table + "]\n" + line + "\n");
  EXPECT_THAT(fault, testing::StartsWith("error: s.toml:4:")) << line;
  EXPECT_THAT(fault, HasSubstr("goes with robot.model = \"spatial\"")) << line;
  EXPECT_THAT(fault, HasSubstr(", this robot is \"planar\"\n"
                               "  hint: leave it out, or write  model = \"spatial\""))
      << line;
}

INSTANTIATE_TEST_SUITE_P(
    Validate, KeyOfAnotherModel,
    testing::Values(Refused{"solver", "load_sharing = \"equal\""},
                    Refused{"solver.thesis", "r_N = 0.2"}, Refused{"solver.thesis", "r_V = 0.2"},
                    Refused{"start", "z = 0.05"}, Refused{"start", "pitch_deg = 1"},
                    Refused{"start", "roll_deg = 1"}, Refused{"world", "rolling_friction = 0.1"},
                    Refused{"robot.link", "inertia_axial = 1e-3"},
                    Refused{"robot.link", "shape = \"spheres\""},
                    Refused{"gait", "vertical = { amplitude_deg = 10 }"}));

TEST(Validate, KeysOfOneModelAreTakenByThatModelAlone) {
  const std::string spatial = aiko + "model = \"spatial\"\n";
  EXPECT_EQ(fault_of(spatial + "joint = \"yaw\"\n"), "no fault");
  EXPECT_THAT(fault_of(aiko + "joint = \"yaw\"\n"),
              HasSubstr("joint: goes with robot.model = \"spatial\", this robot is \"planar\""));
  EXPECT_THAT(fault_of(spatial + "friction_points = 2\n"),
              HasSubstr("friction_points: goes with robot.model = \"planar\""));
  EXPECT_EQ(fault_of(spatial + "[world]\nviscous_friction = [0.0, 0]\n"), "no fault")
      << "the default of a pair, as run.json has it";
  EXPECT_THAT(fault_of(spatial + "[world]\nviscous_friction = [0.0, 0.1]\n"),
              HasSubstr("viscous_friction: goes with robot.model = \"planar\""));
  // a model that is none is the only fault
  EXPECT_THAT(fault_of(aiko + "model = \"flying\"\njoint = \"yaw\"\n"),
              testing::Not(HasSubstr("goes with")));
}

TEST(Validate, FrictionPointsAndFrictionOfObstaclesAreBounded) {
  EXPECT_EQ(fault_of(aiko + "friction_points = 2\n"), "no fault");
  EXPECT_THAT(fault_of(aiko + "friction_points = 3\n"),
              HasSubstr("friction_points: expected an integer from 1 to 2, got 3"));
  const std::string peg = aiko + "[[world.obstacle]]\nx=0\ny=9\nradius=1\n";
  EXPECT_EQ(fault_of(peg + "friction = 0.3\n"), "no fault");
  EXPECT_THAT(fault_of(peg + "friction = -0.1\n"),
              HasSubstr("world.obstacle.1.friction: expected a number from 0 to 1000, got -0.1"));
}

TEST(Validate, TwoFrictionPointsMustCarryTheLink) {
  const std::string lopsided = aiko + "link = { cg_offset = 0.05 }\n";
  EXPECT_EQ(fault_of(lopsided), "no fault");
  EXPECT_THAT(
      fault_of(lopsided + "friction_points = 2\n"),
      HasSubstr("robot.friction_points: link 1 would tip over: its cg_offset of 0.05 m lies "
                "outside its two points at half_core = 0.0393 m\n  hint: "));
}

/// What a key of a contact goes with, and its name in the first one.
void add_contact(std::string& name, std::string& text) {
  const std::string list = "force_map.contact.";
  if (!name.starts_with(list)) return;
  text += "[[force_map.contact]]\nlink = 1\nside = \"right\"\n";
  name.insert(list.size(), "1.");
}

/// A key of an entry that a chain has none of; tests/cli/multibody_test.py, rod_test.py and
/// grasp_test.py have these.
bool is_of_a_tree(const std::string& name) {
  return std::ranges::any_of(
      std::vector<std::string>{"robot.body.", "robot.wheel.", "robot.loop.", "world.force.",
                               "gait.joint.", "gait.wheel.", "gait.base.", "gait.drive.",
                               "strain.turn.", "strain.wave.", "world.contact.clamp.",
                               "world.object.", "task.", "stiffness."},
      [&](const std::string& list) { return name.starts_with(list); });
}

TEST(Validate, TheDefaultOfEveryKeyIsAcceptedWhateverTheModel) {
  for (const keys::Key& key : keys::keys()) {
    const std::string value = keys::to_toml(key.default_value);
    if (value.empty()) continue;
    if (key.name.starts_with("path.piece.")) continue;  // of a shape that has no default
    if (is_of_a_tree(key.name)) continue;
    std::string name = key.name;
    std::string text = aiko;
    if (name.starts_with("world.obstacle.")) {
      text += "[[world.obstacle]]\nx=0\ny=9\nradius=1\n";
      name.insert(std::string("world.obstacle.").size(), "1.");
    }
    add_contact(name, text);
    EXPECT_EQ(fault_of(text, {name + "=" + value}), "no fault") << name;
  }
}

TEST(Validate, TheExampleOfEveryBuiltKeyIsAccepted) {
  const sample::Folder folder;
  const auto pegs = folder.write("pegs.csv", "x,y,radius\n5,5,0.1\n");
  const auto angles = folder.write("angles.csv", "t\n");  // read only by what builds the gait
  const auto points = folder.write("points.csv", "x,y\n0,0\n1,0\n");
  const auto strains = folder.write("strains.csv", "t\n");  // read only by what builds the rod
  for (const keys::Key& key : keys::keys()) {
    if (!key.built || key.name == "include" || is_of_a_tree(key.name)) continue;
    std::string name = key.name;
    // what a path follower's keys go with, too
    const bool odometry = name == "controller.noise.odometry";
    const bool grasp = !key.models.empty() && key.models.front() == "grasp";
    const bool pushes = !key.controllers.empty() && key.controllers.front() == "force_mapping";
    const bool follower =
        odometry ||
        (!grasp && !pushes && !key.controllers.empty() && !keys::goes_with(key.controllers, "pd") &&
         !keys::goes_with(key.controllers, "input_output_linearisation"));
    const bool wheels = follower || (!key.models.empty() && key.models.front() == "wheeled");
    std::string text = wheels ? "[robot]\nname = \"piko\"\nmodel = \"wheeled\"\n" : aiko;
    const bool tree = !key.models.empty() && key.models.front() == "multibody";
    const bool rod = !key.models.empty() && key.models.front() == "rod";
    if (tree) {
      text = "[robot]\nname = \"sleigh\"\n";
    } else if (rod) {
      text = "[robot]\nname = \"snake2d\"\n";
    } else if (grasp) {
      text = "[robot]\nname = \"lasso15\"\n";
    } else if (!wheels && !key.models.empty()) {
      text += "model = \"" + key.models.front() + "\"\n";
    }
    if (name.starts_with("start.link_")) text += "links = 2\n";
    // equal sharing is for a robot that cannot lift its links
    if (name == "solver.load_sharing") text += "joint = \"yaw\"\n";
    if (follower) {
      text += "[controller]\nname = \"" +
              (odometry ? "follow_the_leader" : key.controllers.front()) + "\"\n";
    }
    const bool on_path = name == "start.on_path" || name == "start.s" || name == "start.speed";
    if (follower || on_path) text += "[path]\nshape = \"turn\"\n";
    if (on_path) text += "[start]\non_path = true\n";
    if (name.starts_with("path.") && name != "path.shape") {
      const bool any = key.with.words.empty();
      const bool piece = name.starts_with("path.piece.");
      text += "[path]\nshape = \"" +
              (piece ? "pieces"
               : any ? "turn"
                     : key.with.words.front()) +
              "\"\n";
      if (piece) text += "[[path.piece]]\nlength = 1\n";
      if (piece) name.insert(std::string("path.piece.").size(), "1.");
      if (name == "path.closed") text += "points = [[0, 0], [1, 0], [1, 1]]\n";
    }
    if (pushes) text += "[controller]\nname = \"force_mapping\"\n[path]\nshape = \"turn\"\n";
    if (!follower && !rod && !grasp && !pushes) text += "[gait]\n";
    if (!key.gaits.empty()) text += "name = \"" + key.gaits.front() + "\"\n";
    if (name.starts_with("world.obstacle.")) {
      text += "[[world.obstacle]]\nx=0\ny=9\nradius=1\n";
      name.insert(std::string("world.obstacle.").size(), "1.");
    }
    add_contact(name, text);
    for (const char* word : {"angle", "rate", "angular_acceleration"}) {  // one per controlled link
      if (name == "force_map.wish." + std::string(word)) {
        text += "[force_map.wish]\nlinks = [1, 3, 4]\n";
      }
    }
    // a path given by --set is relative to the folder one is in
    const std::string value = name == "world.obstacle_table" ? '"' + pegs.string() + '"'
                              : name == "gait.table"         ? '"' + angles.string() + '"'
                              : name == "path.table"         ? '"' + points.string() + '"'
                              : name == "strain.file"        ? '"' + strains.string() + '"'
                                                             : key.example;
    EXPECT_EQ(fault_of(text, {name + "=" + value}), "no fault") << name;
  }
}

}  // namespace validate_test
}  // namespace coluber::scenario

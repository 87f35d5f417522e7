#include "scenario/resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coluber/core/hash.hpp"
#include "coluber/keys/registry.hpp"
#include "coluber/scenario/scenario.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::scenario {
namespace resolve_test {

using nlohmann::json;
using sample::aiko;

/// The dump has a value, or a null, for this key.
bool holds(const json& resolved, std::string_view name) {
  const json* node = &resolved;
  for (;;) {
    const std::size_t dot = name.find('.');
    const std::string word(name.substr(0, dot));
    if (node->is_array()) node = &node->at(0);
    if (!node->contains(word)) return false;
    node = &node->at(word);
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

TEST(Resolved, HoldsEveryKeyOfTheModelAndTheControllerAndNoOther) {
  for (const std::string model : {"planar", "spatial", "minimal"}) {
    const std::string obstacle =
        model == "minimal" ? "" : "[[world.obstacle]]\nx=0\ny=9\nradius=1\n";
    const Scenario s = parse(aiko + "[gait]\n" + obstacle, ".", {"robot.model=" + model});
    const json resolved = json::parse(s.resolved);
    for (const keys::Key& key : keys::keys()) {
      if (key.name == "include") continue;                // merged, gone
      if (key.name.starts_with("path.piece.")) continue;  // there is none
      if (key.name.starts_with("force_map.contact.")) continue;
      if (obstacle.empty() && key.name.starts_with("world.obstacle.")) continue;
      // wheels have a speed, and the planar robot's wish under one controller alone
      if (key.name == "controller.speed") {
        EXPECT_FALSE(holds(resolved, key.name)) << model;
        continue;
      }
      const bool its_own =
          keys::goes_with(key.models, model) && keys::goes_with(key.controllers, s.controller);
      EXPECT_EQ(holds(resolved, key.name), its_own) << key.name << " of " << model;
    }
  }
}

TEST(Resolved, NumbersRoundTripAndInfinityIsText) {
  const json resolved =
      json::parse(parse(aiko + "[solver]\ndt = 0.0003333333333333333\n").resolved);
  EXPECT_EQ(resolved["solver"]["dt"].get<double>(), 0.0003333333333333333);
  EXPECT_EQ(resolved["robot"]["link"]["mass"].get<double>(), 7.5 / 11.0);
  EXPECT_EQ(resolved["controller"]["torque_limit"], "inf");
}

TEST(Resolved, DoesNotDependOnHowTheValuesWereWritten) {
  const Scenario a = parse("duration = 3\n[robot]\nname = \"aiko\"\n[solver]\ndt = 1e-3\n");
  const Scenario b =
      parse("# other words\n[solver]\ndt = 0.001\n[robot]\nlinks = 11\nname = 'aiko'\n", ".",
            {"duration=3.0"});
  EXPECT_EQ(a.resolved, b.resolved);
  EXPECT_EQ(a.hash, b.hash);
}

TEST(Resolved, TheHashIsThatOfTheTextAndChangesWithAnyValue) {
  const Scenario a = parse(aiko);
  EXPECT_EQ(a.hash, Hasher().update(a.resolved).finish());
  for (const char* change : {"duration=11",
                             "seed=1",
                             "robot.links=10",
                             "robot.link.cg_offset=0.001",
                             "start.link=2",
                             "start.heading_deg=179",
                             "world.gravity=9.82",
                             "world.friction=[0.2, 0.21]",
                             "gait.offset_deg=1",
                             "gait.soft_start=true",
                             "controller.kp=801",
                             "controller.servo=explicit",
                             "controller.start_time=1",
                             "solver.name=thesis",
                             "solver.activation=gap",
                             "solver.dt=2e-3",
                             "solver.tolerance=1e-9",
                             "solver.on_failure=warn",
                             "solver.thesis.r_T=1.2",
                             "record.rate_hz=50",
                             "record.csv=true"}) {
    EXPECT_NE(parse(aiko, ".", {change}).hash, a.hash) << change;
  }
}

TEST(Resolved, ATableCountsByItsContentsNotByItsPlace) {
  const sample::Folder one;
  const sample::Folder two;
  const std::string text = aiko + "[gait]\nname = \"table\"\ntable = \"a.csv\"\n";
  (void)one.write("a.csv", "t,phi_1\n0,1\n");
  (void)two.write("a.csv", "t,phi_1\n0,1\n");
  EXPECT_EQ(parse(text, one.path()).hash, parse(text, two.path()).hash);
  (void)two.write("a.csv", "t,phi_1\n0,2\n");
  EXPECT_NE(parse(text, one.path()).hash, parse(text, two.path()).hash);
}

TEST(Resolved, ListsLinksOnlyWhereTheyDiffer) {
  EXPECT_TRUE(json::parse(parse(aiko).resolved)["robot"]["link"].is_object());
  const json two = json::parse(parse("[robot]\nname = \"aiko\"\nlinks = 2\n[[robot.link]]\nmass = "
                                     "1\n[[robot.link]]\nmass = 2\n")
                                   .resolved);
  ASSERT_TRUE(two["robot"]["link"].is_array());
  EXPECT_EQ(two["robot"]["link"][1]["mass"], 2.0);
}

}  // namespace resolve_test
}  // namespace coluber::scenario

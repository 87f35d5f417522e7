#include "keys/key_table.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coluber/keys/registry.hpp"
#include "coluber/simulation/registry.hpp"

namespace coluber::keys {
namespace key_table_test {

TEST(Keys, TheReferencePageIsWhatTheTableSays) {
  std::ifstream in(std::string(COLUBER_SOURCE_DIR) + "/docs/keys.md");
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_EQ(page, keys_markdown()) << "write it anew:  coluber list keys --markdown > docs/keys.md";
}

TEST(Keys, EveryRowIsComplete) {
  std::set<std::string> names;
  for (const Key& key : keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name << " appears twice";
    EXPECT_FALSE(key.doc.empty()) << key.name;
    EXPECT_NE(key.doc.back(), '.') << key.name;
    EXPECT_FALSE(key.example.empty()) << key.name;
    EXPECT_TRUE(!to_toml(key.default_value).empty() || !key.default_note.empty())
        << key.name << " has no default and no word about it";
    EXPECT_EQ(key.type == KeyType::choice || key.type == KeyType::word_or_numbers,
              !key.choices.empty())
        << key.name;
    EXPECT_EQ(key.name.ends_with("_deg") || key.name == "start.shape", key.unit.starts_with("deg"))
        << key.name << ": degrees only in keys that say so";
  }
}

TEST(Keys, JsonHoldsEveryRow) {
  const auto list = nlohmann::json::parse(keys_json());
  ASSERT_EQ(list.size(), keys().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].at("name"), keys()[i].name);
    EXPECT_EQ(list[i].at("unit"), keys()[i].unit);
    EXPECT_EQ(list[i].at("doc"), keys()[i].doc);
    EXPECT_TRUE(list[i].contains("default"));
    EXPECT_TRUE(list[i].at("built").is_boolean());
  }
}

TEST(Keys, AreFoundByName) {
  ASSERT_NE(find_key("solver.dt"), nullptr);
  EXPECT_EQ(find_key("solver.dt")->unit, "s");
  EXPECT_EQ(find_key("solver"), nullptr);
  EXPECT_EQ(find_key(""), nullptr);
}

TEST(Keys, OfSomeGaitsNameThem) {
  EXPECT_THAT(find_key("gait.table")->gaits, testing::ElementsAre("table"));
  EXPECT_THAT(
      find_key("gait.amplitude_deg")->gaits,
      testing::AllOf(testing::Contains("sidewinding"), testing::Not(testing::Contains("table"))));
  EXPECT_TRUE(find_key("gait.name")->gaits.empty());
  EXPECT_TRUE(find_key("solver.dt")->gaits.empty());
}

TEST(Keys, ValuesPrintAsToml) {
  EXPECT_EQ(to_toml(1.0), "1.0");
  EXPECT_EQ(to_toml(1e-10), "1e-10");
  EXPECT_EQ(to_toml(INFINITY), "inf");
  EXPECT_EQ(to_toml(std::int64_t{3}), "3");
  EXPECT_EQ(to_toml(true), "true");
  EXPECT_EQ(to_toml(std::string("a \"b\"\n")), "\"a \\\"b\\\"\\n\"");
  EXPECT_EQ(to_toml(std::vector<double>{0.2, 1.0}), "[0.2, 1.0]");
  EXPECT_EQ(to_toml(KeyValue{}), "");
}

TEST(Keys, ExpectationsReadAsWords) {
  EXPECT_EQ(expectation(*find_key("robot.link.mass")), "a number > 0, at most 1000000");
  EXPECT_EQ(expectation(*find_key("world.obstacle.friction")), "a number from 0 to 1000");
  EXPECT_EQ(expectation(*find_key("world.tilt_deg")), "a number >= 0") << "its doc: less than 90";
  EXPECT_EQ(expectation(*find_key("controller.torque_limit")), "a number > 0");
  EXPECT_EQ(expectation(*find_key("solver.law")), "\"anchored\" or \"rigid\"");
  EXPECT_EQ(expectation(*find_key("seed")), "an integer >= 0");
}

/// Words of a key that are built.
std::set<std::string> built_words(std::string_view name) {
  std::set<std::string> words;
  for (const Choice& choice : find_key(name)->choices) {
    if (choice.built) words.insert(choice.name);
  }
  return words;
}

template <typename Rows>
std::set<std::string> names_of(const Rows& rows) {
  std::set<std::string> names;
  for (const auto& row : rows) {
    if constexpr (requires { row.keys; }) {
      names.emplace(row.keys.name);
    } else {
      names.emplace(row.name);
    }
  }
  return names;
}

TEST(Keys, TheWordsThatCountAsBuiltAreThoseASimulationCanBeMadeFrom) {
  EXPECT_EQ(built_words("robot.model"), names_of(simulation::models()));
  EXPECT_EQ(built_words("gait.name"), names_of(simulation::gaits()));
  EXPECT_EQ(built_words("controller.name"), names_of(simulation::controllers()));
  EXPECT_EQ(built_words("robot.name"), names_of(registry().robots));
}

TEST(Catalogue, HoldsAiko) {
  const std::vector<CatalogueRobot>& robots = registry().robots;
  const auto aiko = std::ranges::find(robots, "aiko", &CatalogueRobot::name);
  ASSERT_NE(aiko, robots.end());
  EXPECT_THAT(aiko->toml, testing::HasSubstr("links = 11"));
  EXPECT_THAT(aiko->doc, testing::HasSubstr("11 links"));
}

}  // namespace key_table_test
}  // namespace coluber::keys

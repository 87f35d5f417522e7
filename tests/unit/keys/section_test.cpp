// Every type of row, alone: from a file's values into a struct and back.

#include "coluber/keys/section.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/control/servo.hpp"
#include "coluber/keys/check.hpp"

#include "keys/faults.hpp"
#include "scenario/document.hpp"

namespace coluber::keys {
namespace section_test {

using scenario::parse_node;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

enum class Surface : std::uint8_t { ice, sand, rock };

struct Wheel {
  double radius = 0.1;
  bool driven = false;
};

struct Axle {
  double at = 0.0;
  Surface surface = Surface::ice;
  std::vector<Wheel> wheel{};
};

struct Spring {
  double stiffness = 0.0;
};

struct Everything {
  double number = 1.5;
  std::optional<double> maybe{};
  int integer = 3;
  std::uint64_t large = 7;
  bool boolean = true;
  std::string text = "a line";
  std::string word = "slow";
  Surface surface = Surface::sand;
  std::filesystem::path path{};
  std::filesystem::path output{};
  Eigen::Vector2d pair{1.0, -2.0};
  std::vector<double> numbers{1.0, 2.0};
  std::vector<int> integers{4, 5};
  std::vector<std::string> words{"red"};
  std::vector<Surface> surfaces{Surface::rock, Surface::ice};
  std::vector<Eigen::Vector2d> pairs{{1.0, 2.0}, {3.0, 4.0}};
  control::Gains gains = 800.0;
  WordOrNumbers shape{"straight", {}};
  std::vector<Axle> axle{};
  std::vector<Wheel> spare{};
  std::optional<Spring> spring{};
  struct Inner {
    double deep = 9.0;
  } inner{};
};

const std::vector<Choice> kSurfaces{{"ice", "slippery"}, {"sand", "soft"}, {"rock", "hard"}};

Table<Wheel> wheel_table() {
  return Table<Wheel>("")
      .row({.name = "radius", .unit = "m", .doc = "of a wheel", .example = "0.1", .required = true},
           &Wheel::radius)
      .row({.name = "driven", .doc = "has a motor", .example = "true"}, &Wheel::driven);
}

Section everything() {
  return Table<Everything>("thing")
      .row({.name = "number", .min = 0, .doc = "d", .example = "1.5"}, &Everything::number)
      .row({.name = "maybe", .default_note = "none", .doc = "d", .example = "1"},
           &Everything::maybe)
      .row({.name = "integer", .doc = "d", .example = "3"}, &Everything::integer)
      .row({.name = "large", .doc = "d", .example = "7"}, &Everything::large)
      .row({.name = "boolean", .doc = "d", .example = "true"}, &Everything::boolean)
      .row({.name = "text", .doc = "d", .example = "\"x\""}, &Everything::text)
      .row({.name = "word", .choices = {{"slow", ""}, {"fast", ""}}, .doc = "d", .example = "x"},
           &Everything::word)
      .row({.name = "surface", .choices = kSurfaces, .doc = "d", .example = "x"},
           &Everything::surface)
      .row({.name = "path", .default_note = "none", .doc = "d", .example = "x"}, &Everything::path)
      .row({.name = "output", .default_note = "none", .doc = "d", .example = "x", .written = true},
           &Everything::output)
      .row({.name = "pair", .doc = "d", .example = "[1, 2]"}, &Everything::pair)
      .row({.name = "numbers", .doc = "d", .example = "[1]"}, &Everything::numbers)
      .row({.name = "integers", .doc = "d", .example = "[1]"}, &Everything::integers)
      .row({.name = "words", .doc = "d", .example = "[\"x\"]"}, &Everything::words)
      .row({.name = "surfaces", .choices = kSurfaces, .doc = "d", .example = "[\"ice\"]"},
           &Everything::surfaces)
      .row({.name = "pairs", .doc = "d", .example = "[[1, 2]]"}, &Everything::pairs)
      .row({.name = "gains", .each = "joint", .doc = "d", .example = "1"}, &Everything::gains)
      .row({.name = "shape", .choices = {{"straight", ""}}, .doc = "d", .example = "[1]"},
           &Everything::shape)
      .row({.name = "inner.deep", .doc = "d", .example = "9"},
           [](auto& options) -> auto& { return options.inner.deep; })
      .list({.name = "axle", .noun = "an axle", .example = "at = 0.1"}, &Everything::axle,
            Table<Axle>("")
                .row({.name = "at", .unit = "m", .doc = "d", .example = "0.1"}, &Axle::at)
                .row({.name = "surface", .choices = kSurfaces, .doc = "d", .example = "x"},
                     &Axle::surface)
                .list({.name = "wheel", .noun = "a wheel", .example = "radius = 0.1"}, &Axle::wheel,
                      wheel_table()))
      .list({.name = "spare", .form = Form::one_for_all, .noun = "a wheel"}, &Everything::spare,
            wheel_table())
      .list({.name = "spring", .form = Form::optional, .noun = "a spring"}, &Everything::spring,
            Table<Spring>("").row({.name = "stiffness", .doc = "d", .example = "1"},
                                  &Spring::stiffness));
}

constexpr const char* kText = R"(
[thing]
number = 2
maybe = 0.25
integer = -4
large = 9223372036854775807
boolean = false
text = "other"
word = "fast"
surface = "rock"
path = "sub/../table.csv"
output = "out.json"
pair = [0.5, 3]
numbers = [1, 2.5, inf]
integers = [9]
words = ["blue", "green"]
surfaces = ["sand"]
pairs = [[0, 1], [2, 3], [4, 5]]
gains = [1, 2, 3]
shape = [10, -20]
inner.deep = 1
[[thing.axle]]
at = 0.5
surface = "sand"
[[thing.axle.wheel]]
radius = 0.25
driven = true
[[thing.axle.wheel]]
radius = 0.5
[[thing.axle]]
at = 0.75
[thing.spare]
radius = 2
[thing.spring]
stiffness = 3
)";

/// The struct as the text and these defaults of components give it.
Everything read(const std::string& text,
                const std::map<std::string, Node, std::less<>>& defaults = {}) {
  const Section section = everything();
  const std::vector<Source> sources{{"s.toml", "/folder"}};
  Everything options;
  section.read(&options, parse_node(text, "s.toml"), {sources, defaults});
  return options;
}

void expect_as_written(const Everything& got) {
  EXPECT_EQ(got.number, 2.0) << "an integer is a number";
  EXPECT_EQ(got.maybe, 0.25);
  EXPECT_EQ(got.integer, -4);
  EXPECT_EQ(got.large, 9223372036854775807U);
  EXPECT_FALSE(got.boolean);
  EXPECT_EQ(got.text, "other");
  EXPECT_EQ(got.word, "fast");
  EXPECT_EQ(got.surface, Surface::rock);
  EXPECT_EQ(got.pair, Eigen::Vector2d(0.5, 3.0));
  EXPECT_THAT(got.numbers, ElementsAre(1.0, 2.5, std::numeric_limits<double>::infinity()));
  EXPECT_THAT(got.integers, ElementsAre(9));
  EXPECT_THAT(got.words, ElementsAre("blue", "green"));
  EXPECT_THAT(got.surfaces, ElementsAre(Surface::sand));
  EXPECT_THAT(got.pairs,
              ElementsAre(Eigen::Vector2d(0, 1), Eigen::Vector2d(2, 3), Eigen::Vector2d(4, 5)));
  EXPECT_EQ(got.gains, control::Gains(std::vector<double>{1, 2, 3}));
  EXPECT_EQ(got.shape, (WordOrNumbers{"", {10, -20}}));
  EXPECT_EQ(got.inner.deep, 1.0);
  ASSERT_THAT(got.axle, SizeIs(2));
  EXPECT_EQ(got.axle[0].at, 0.5);
  EXPECT_EQ(got.axle[0].surface, Surface::sand);
  ASSERT_THAT(got.axle[0].wheel, SizeIs(2));
  EXPECT_EQ(got.axle[0].wheel[0].radius, 0.25);
  EXPECT_TRUE(got.axle[0].wheel[0].driven);
  EXPECT_EQ(got.axle[0].wheel[1].radius, 0.5);
  EXPECT_FALSE(got.axle[0].wheel[1].driven);
  EXPECT_EQ(got.axle[1].at, 0.75);
  EXPECT_EQ(got.axle[1].surface, Surface::ice) << "its default";
  EXPECT_THAT(got.axle[1].wheel, IsEmpty());
  ASSERT_THAT(got.spare, SizeIs(1)) << "one table that stands for all";
  EXPECT_EQ(got.spare[0].radius, 2.0);
  ASSERT_TRUE(got.spring);
  EXPECT_EQ(got.spring->stiffness, 3.0);
}

TEST(Section, ReadsEveryTypeOfRow) {
  const Everything got = read(kText);
  expect_as_written(got);
  EXPECT_EQ(got.path, "/folder/table.csv") << "relative to the file that holds the key";
  EXPECT_EQ(got.output, "out.json") << "relative to where the program runs";
}

TEST(Section, WithoutAnyKeyEveryMemberIsAsTheStructHasIt) {
  const Everything got = read("# nothing\n");
  const Everything expected;
  EXPECT_EQ(got.number, expected.number);
  EXPECT_EQ(got.maybe, std::nullopt);
  EXPECT_EQ(got.word, expected.word);
  EXPECT_EQ(got.surfaces, expected.surfaces);
  EXPECT_EQ(got.shape, expected.shape);
  EXPECT_THAT(got.axle, IsEmpty());
  EXPECT_FALSE(got.spring);
  EXPECT_THAT(got.spare, SizeIs(1)) << "the table that stands for all, with its defaults";
}

TEST(Section, WhatItWritesItReadsBack) {
  const Section section = everything();
  const Everything first = read(kText);
  Node root;
  section.write(&first, root);
  const std::vector<Source> sources{{"s.toml", "/elsewhere"}};
  const std::map<std::string, Node, std::less<>> none;
  Everything second;
  section.read(&second, root, {sources, none});
  expect_as_written(second);
  EXPECT_EQ(second.path, first.path) << "an absolute path stays as it is";

  // and so do the defaults: what is not set is written as none and not read
  const Everything plain;
  Node bare;
  section.write(&plain, bare);
  EXPECT_EQ(bare.find_path("thing.maybe")->kind, Node::Kind::none);
  EXPECT_EQ(bare.find_path("thing.spring")->kind, Node::Kind::none);
  EXPECT_EQ(bare.find_path("thing.path")->kind, Node::Kind::none);
  EXPECT_EQ(bare.find_path("thing.surface")->text, "sand");
  EXPECT_EQ(bare.find_path("thing.gains")->as_double(), 800.0) << "one for all stays a number";
  EXPECT_EQ(bare.find_path("thing.shape")->text, "straight");
  EXPECT_EQ(bare.find_path("thing.inner.deep")->as_double(), 9.0);
  EXPECT_TRUE(bare.find_path("thing.axle")->is_array());
}

TEST(Section, TheTypeOfAKeyIsThatOfItsMember) {
  const Section section = everything();
  std::map<std::string, KeyType> types;
  for (const Row& row : section.rows()) types[std::string(last_word(row.key.name))] = row.key.type;
  EXPECT_EQ(types["number"], KeyType::number);
  EXPECT_EQ(types["maybe"], KeyType::number);
  EXPECT_EQ(types["integer"], KeyType::integer);
  EXPECT_EQ(types["large"], KeyType::integer);
  EXPECT_EQ(types["boolean"], KeyType::boolean);
  EXPECT_EQ(types["text"], KeyType::text);
  EXPECT_EQ(types["word"], KeyType::choice);
  EXPECT_EQ(types["surface"], KeyType::choice);
  EXPECT_EQ(types["path"], KeyType::path);
  EXPECT_EQ(types["pair"], KeyType::pair);
  EXPECT_EQ(types["numbers"], KeyType::numbers);
  EXPECT_EQ(types["integers"], KeyType::integers);
  EXPECT_EQ(types["words"], KeyType::words);
  EXPECT_EQ(types["surfaces"], KeyType::words);
  EXPECT_EQ(types["pairs"], KeyType::pairs);
  EXPECT_EQ(types["gains"], KeyType::number_or_numbers);
  EXPECT_EQ(types["shape"], KeyType::word_or_numbers);
}

TEST(Section, KeysAndListsHaveFullNamesHoweverDeepTheyAre) {
  const Section section = everything();
  EXPECT_EQ(section.rows()[0].key.name, "thing.number");
  ASSERT_THAT(section.lists(), SizeIs(3));
  const ListRow& axle = section.lists()[0];
  EXPECT_EQ(axle.name, "thing.axle");
  EXPECT_EQ(axle.item->rows()[0].key.name, "thing.axle.at");
  ASSERT_THAT(axle.item->lists(), SizeIs(1));
  EXPECT_EQ(axle.item->lists()[0].name, "thing.axle.wheel");
  EXPECT_EQ(axle.item->lists()[0].item->rows()[0].key.name, "thing.axle.wheel.radius");
  EXPECT_EQ(section.lists()[1].item->rows()[0].key.name, "thing.spare.radius");
}

TEST(Section, TheDefaultOfAKeyIsWhatTheStructHas) {
  const Section section = everything();
  const auto default_of = [&](const std::string& name) {
    for (const Row& row : section.rows()) {
      if (row.key.name == name) return default_text(row.key);
    }
    return std::string("no such key");
  };
  EXPECT_EQ(default_of("thing.number"), "1.5");
  EXPECT_EQ(default_of("thing.integer"), "3");
  EXPECT_EQ(default_of("thing.surface"), "\"sand\"");
  EXPECT_EQ(default_of("thing.pair"), "[1.0, -2.0]");
  EXPECT_EQ(default_of("thing.maybe"), "none");
  EXPECT_EQ(default_of("thing.inner.deep"), "9.0");
}

TEST(Section, AComponentsDefaultStandsWhereTheFileSaysNothing) {
  const std::map<std::string, Node, std::less<>> defaults{
      {"thing.number", make_node(5.0)},
      {"thing.word", make_node(std::string("fast"))},
      {"thing.numbers", make_node(std::vector<double>{8.0})},
      {"thing.axle.surface", make_node(std::string("rock"))},
      {"thing.axle.wheel.radius", make_node(0.75)}};
  const Everything got =
      read("[thing]\nword = \"slow\"\n[[thing.axle]]\n[[thing.axle.wheel]]\n", defaults);
  EXPECT_EQ(got.number, 5.0);
  EXPECT_EQ(got.word, "slow") << "the file goes before it";
  EXPECT_THAT(got.numbers, ElementsAre(8.0));
  ASSERT_THAT(got.axle, SizeIs(1));
  EXPECT_EQ(got.axle[0].surface, Surface::rock);
  ASSERT_THAT(got.axle[0].wheel, SizeIs(1));
  EXPECT_EQ(got.axle[0].wheel[0].radius, 0.75);
}

TEST(Section, AValueThatWasRefusedIsNotRead) {
  const Section section = everything();
  Node root = parse_node("[thing]\nnumber = \"heavy\"\ninteger = 8\n", "s.toml");
  root.fields.at("thing").fields.at("number").valid = false;
  const std::vector<Source> sources{{"s.toml", "."}};
  const std::map<std::string, Node, std::less<>> defaults{{"thing.number", make_node(5.0)}};
  Everything options;
  section.read(&options, root, {sources, defaults});
  EXPECT_EQ(options.number, 1.5);
  EXPECT_EQ(options.integer, 8);
}

TEST(Section, TwoSectionsDescribeTheEntriesOfOneListBetweenThem) {
  struct First {
    std::vector<Wheel> wheel{};
  };
  struct Second {
    std::vector<Spring> wheel{};
  };
  const Section first = Table<First>("car").list({.name = "wheel"}, &First::wheel, wheel_table());
  const Section second = Table<Second>("car").list(
      {.name = "wheel"}, &Second::wheel,
      Table<Spring>("").row({.name = "stiffness", .doc = "d", .example = "1"}, &Spring::stiffness));
  const First one{{{0.1, true}, {0.2, false}}};
  const Second two{{{7.0}, {8.0}}};
  Node root;
  first.write(&one, root);
  second.write(&two, root);
  const Node* list = root.find_path("car.wheel");
  ASSERT_THAT(list->items, SizeIs(2));
  EXPECT_EQ(list->items[1].find("radius")->as_double(), 0.2);
  EXPECT_EQ(list->items[1].find("stiffness")->as_double(), 8.0);
}

TEST(OptionSet, HoldsOneStructPerType) {
  OptionSet options;
  EXPECT_EQ(options.find<Everything>(), nullptr);
  std::any& made = options.of(everything());
  ASSERT_NE(options.find<Everything>(), nullptr);
  EXPECT_EQ(options.find<Everything>()->number, 1.5);
  options.find<Everything>()->number = 4.0;
  EXPECT_EQ(&options.of(everything()), &made) << "made once";
  EXPECT_EQ(options.find<Everything>()->number, 4.0);
  const OptionSet copy = options;
  options.find<Everything>()->number = 5.0;
  EXPECT_EQ(copy.find<Everything>()->number, 4.0);
}

/// `fits` for a value of TOML.
bool takes(const Key& key, const std::string& value) {
  return fits(*parse_node("x = " + value, "x").find("x"), key);
}

TEST(Fits, ListsHaveTheRightLengthAndEveryEntryIsInRange) {
  const Key numbers{.name = "x", .type = KeyType::numbers, .min = 0, .count = 3};
  EXPECT_TRUE(takes(numbers, "[0, 1.5, 2]"));
  EXPECT_FALSE(takes(numbers, "[0, 1.5]"));
  EXPECT_FALSE(takes(numbers, "[0, 1.5, -2]"));
  EXPECT_FALSE(takes(numbers, "[0, 1.5, nan]"));
  EXPECT_FALSE(takes(numbers, "3"));
  const Key integers{.name = "x", .type = KeyType::integers, .min = 1};
  EXPECT_TRUE(takes(integers, "[]"));
  EXPECT_TRUE(takes(integers, "[1, 2]"));
  EXPECT_FALSE(takes(integers, "[1, 2.0]"));
  EXPECT_FALSE(takes(integers, "[0]"));
  const Key words{.name = "x", .type = KeyType::words, .choices = kSurfaces};
  EXPECT_TRUE(takes(words, "[\"ice\", \"ice\"]"));
  EXPECT_FALSE(takes(words, "[\"ice\", \"snow\"]"));
  EXPECT_FALSE(takes(words, "\"ice\""));
  const Key pairs{.name = "x", .type = KeyType::pairs, .max = 10};
  EXPECT_TRUE(takes(pairs, "[[1, 2], [3, 4]]"));
  EXPECT_FALSE(takes(pairs, "[[1, 2], [3]]"));
  EXPECT_FALSE(takes(pairs, "[[1, 2], [3, 11]]"));
  EXPECT_FALSE(takes(pairs, "[1, 2]"));
  const Key gains{.name = "x", .type = KeyType::number_or_numbers, .min = 0, .each = "joint"};
  EXPECT_TRUE(takes(gains, "3"));
  EXPECT_TRUE(takes(gains, "[3, 4]"));
  EXPECT_FALSE(takes(gains, "[]"));
  EXPECT_FALSE(takes(gains, "[3, -4]"));
  const Key shape{.name = "x", .type = KeyType::word_or_numbers, .choices = {{"straight", ""}}};
  EXPECT_TRUE(takes(shape, "\"straight\""));
  EXPECT_TRUE(takes(shape, "[1, 2]"));
  EXPECT_TRUE(takes(shape, "[]"));
  EXPECT_FALSE(takes(shape, "\"bent\""));
  EXPECT_FALSE(takes(shape, "3"));
}

TEST(Fits, SaysInWordsWhatItExpects) {
  EXPECT_EQ(expectation({.type = KeyType::numbers, .min = 0, .count = 3, .each = "axis"}),
            "a list of 3 numbers >= 0, one per axis");
  EXPECT_EQ(expectation({.type = KeyType::integers}), "a list of integers");
  EXPECT_EQ(expectation({.type = KeyType::words, .choices = kSurfaces}),
            "a list of \"ice\", \"sand\" or \"rock\"");
  EXPECT_EQ(expectation({.type = KeyType::pairs, .min = 0, .max = 1}),
            "a list of pairs of numbers from 0 to 1");
}

}  // namespace section_test
}  // namespace coluber::keys

#include "coluber/core/shown.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coluber {
namespace shown_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ObservableTable, EveryRowWritesItsOwnNumbersInItsOwnPlace) {
  double speed = 3.0;
  ObservableTable table;
  table.add({"speed", "m/s", "how fast", {}}, [&](std::span<double> out) {
    ASSERT_EQ(out.size(), 1U);
    out[0] = speed;
  });
  table.add({"place", "m", "where", {2, 3}, {"x", "y", "z"}}, [](std::span<double> out) {
    ASSERT_EQ(out.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) out[i] = 10.0 + static_cast<double>(i);
  });
  table.add({"nothing", "", "of no joint", {0}},
            [](std::span<double> out) { ASSERT_TRUE(out.empty()); });
  table.add({"last", "", "behind them", {1}}, [](std::span<double> out) { out[0] = -1.0; });
  ASSERT_EQ(table.list().size(), 4U);
  EXPECT_EQ(table.list()[1].name, "place");
  EXPECT_EQ(frame_size(table.list()), 8);
  std::vector<double> frame(8);
  table.write(frame);
  EXPECT_THAT(frame, ElementsAre(3.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, -1.0));
  speed = 4.0;
  table.write(frame);
  EXPECT_EQ(frame[0], 4.0) << "as of now";
}

TEST(SummaryItem, IsANumberOrAWord) {
  EXPECT_EQ((SummaryItem{"distance", 2.5, "m"}).number(), 2.5);
  EXPECT_TRUE(std::isnan((SummaryItem{"gait", std::string("crawl")}).number()));
}

TEST(Shown, ShowsNothingUnlessToldOtherwise) {
  class Nothing final : public Shown {
  } nothing;
  EXPECT_THAT(nothing.observables(), IsEmpty());
  EXPECT_THAT(nothing.bodies(), IsEmpty());
  EXPECT_THAT(nothing.arrows(), IsEmpty());
  EXPECT_THAT(nothing.curves(), IsEmpty());
  EXPECT_THAT(nothing.summary(), IsEmpty());
  EXPECT_EQ(count_posed(nothing), 0U);
  nothing.start_frame();
  nothing.observe({});
  nothing.poses({});
}

/// A part with a letter: two observables, a body that moves, a tube that does, a body that stands,
/// and `families` families of arrows.
class Part final : public Shown {
 public:
  Part(std::string letter, double value, int families) : value_(value) {
    table_.add({letter + "_number", "", "d", {}},
               [this](std::span<double> out) { out[0] = value_; });
    table_.add({letter + "_list", "", "d", {2}},
               [this](std::span<double> out) { std::ranges::fill(out, value_ + 0.5); });
    bodies_ = {{.name = letter + "_stands", .size = {}, .colour = ""},
               {.name = letter + "_tube",
                .shape = ShapeKind::tube,
                .size = {0.1},
                .colour = "",
                .moving = true},
               {.name = letter + "_moves", .size = {}, .colour = "", .moving = true}};
    curves_ = {{letter + "_tube", 2, {{"radius", "m"}}}};
    for (int i = 0; i < families; ++i) {
      arrows_.push_back(
          {letter + std::to_string(i), "", "", "N", "contact", 1, {letter + "_moves"}});
    }
  }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  void start_frame() override { ++started; }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override {
    ASSERT_EQ(values.size(), 7U);
    std::ranges::fill(values, value_);
  }
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override {
    slots[0].force.setConstant(value_ + 0.1 * static_cast<double>(family));
  }
  [[nodiscard]] const std::vector<Curve>& curves() const override { return curves_; }
  void curve(std::size_t curve, std::span<double> values) const override {
    ASSERT_EQ(curve, 0U);
    std::ranges::fill(values, 100.0 * value_);
  }
  [[nodiscard]] std::vector<SummaryItem> summary() const override {
    return {{table_.list()[0].name, value_}};
  }

  int started = 0;

 private:
  double value_;
  ObservableTable table_;
  std::vector<Body> bodies_;
  std::vector<Curve> curves_;
  std::vector<ArrowFamily> arrows_;
};

class Together : public testing::Test {
 protected:
  Part first{"a", 1.0, 2};
  Part second{"b", 2.0, 0};
  Part third{"c", 3.0, 1};
  ShownTogether all{{&first, &second, &third}};
};

template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  return names;
}

TEST_F(Together, ObservablesComeOnePartAfterAnother) {
  EXPECT_THAT(names_of(all.observables()),
              ElementsAre("a_number", "a_list", "b_number", "b_list", "c_number", "c_list"));
  std::vector<double> frame(static_cast<std::size_t>(frame_size(all.observables())));
  all.observe(frame);
  EXPECT_THAT(frame, ElementsAre(1.0, 1.5, 1.5, 2.0, 2.5, 2.5, 3.0, 3.5, 3.5));
}

TEST_F(Together, PosesAreThoseOfTheMovingBodiesWithoutACurve) {
  EXPECT_THAT(names_of(all.bodies()),
              ElementsAre("a_stands", "a_tube", "a_moves", "b_stands", "b_tube", "b_moves",
                          "c_stands", "c_tube", "c_moves"));
  EXPECT_FALSE(is_posed(all, all.bodies()[0]));
  EXPECT_FALSE(is_posed(all, all.bodies()[1])) << "a tube has points instead";
  EXPECT_TRUE(is_posed(all, all.bodies()[2]));
  ASSERT_EQ(count_posed(all), 3U);
  std::vector<double> poses(21);
  all.poses(poses);
  EXPECT_EQ(poses[6], 1.0);
  EXPECT_EQ(poses[7], 2.0);
  EXPECT_EQ(poses[20], 3.0);
}

TEST_F(Together, ArrowsAndCurvesAreAskedOfThePartThatHasThem) {
  EXPECT_THAT(names_of(all.arrows()), ElementsAre("a0", "a1", "c0"));
  std::vector<ContactSlot> slots(1);
  all.contacts(0, slots);
  EXPECT_EQ(slots[0].force.x(), 1.0);
  all.contacts(1, slots);
  EXPECT_EQ(slots[0].force.x(), 1.1);
  all.contacts(2, slots);
  EXPECT_EQ(slots[0].force.x(), 3.0) << "the second part has none";
  ASSERT_EQ(all.curves().size(), 3U);
  std::vector<double> points(8);
  all.curve(1, points);
  EXPECT_EQ(points[7], 200.0);
  all.curve(2, points);
  EXPECT_EQ(points[0], 300.0);
}

TEST_F(Together, EveryPartStartsItsFrameAndAddsToTheSummary) {
  all.start_frame();
  all.start_frame();
  EXPECT_EQ(first.started + second.started + third.started, 6);
  EXPECT_THAT(names_of(all.summary()), ElementsAre("a_number", "b_number", "c_number"));
}

}  // namespace shown_test
}  // namespace coluber

// What a system, a controller, a reference or a study shows, as a replay holds it.

#include "record/replay_layout.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coluber/record/drawing.hpp"

#include "record/replay_check.hpp"

namespace coluber::record {
namespace replay_layout_test {

using Json = nlohmann::ordered_json;

/// A cart with a wheel and an antenna that bends, on a track.
class Cart final : public Shown {
 public:
  Cart() {
    table_.add({"joint_angle", "rad", "yaw and pitch", {2, 2}, {"yaw", "pitch"}, Plotted::angle},
               [](std::span<double> out) { std::iota(out.begin(), out.end(), 10.0); });
    table_.add({"secret", "", "in the record alone", {3}},
               [](std::span<double> out) { std::ranges::fill(out, -1.0); });
    table_.add({"torque", "N m", "of the motors", {2}, {}, Plotted::torque},
               [](std::span<double> out) { std::iota(out.begin(), out.end(), 20.0); });
    table_.add({"speed", "m/s", "how fast", {}, {}, Plotted::scalar},
               [](std::span<double> out) { out[0] = 30.0; });
  }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override {
    std::iota(values.begin(), values.end(), 100.0);
  }
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i].point.setConstant(static_cast<double>(family));
      slots[i].force.setConstant(static_cast<double>(10 * family + i));
    }
  }
  [[nodiscard]] const std::vector<Curve>& curves() const override { return curves_; }
  void curve(std::size_t /*curve*/, std::span<double> values) const override {
    std::iota(values.begin(), values.end(), 200.0);
  }

 private:
  ObservableTable table_;
  std::vector<Body> bodies_{{.name = "cart",
                             .shape = ShapeKind::box,
                             .size = {0.3, 0.2, 0.1},
                             .colour = "#336699",
                             .moving = true},
                            {.name = "antenna",
                             .shape = ShapeKind::tube,
                             .size = {0.01},
                             .colour = "#cc3311",
                             .moving = true},
                            {.name = "wheel_left",
                             .shape = ShapeKind::wheel,
                             .size = {0.05, 0.02},
                             .colour = "#222222",
                             .moving = true,
                             .parent = "cart"},
                            {.name = "track",
                             .shape = ShapeKind::tube,
                             .size = {0.005},
                             .colour = "#999999",
                             .points = {{0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}}}};
  std::vector<Curve> curves_{{"antenna", 4, {{"radius", "m"}, {"strain", ""}}}};
  std::vector<ArrowFamily> arrows_{
      {"ground", "ground forces", "#009988", "N", "ground", 2, {"wheel_left"}},
      {"wind", "wind", "#33bbee", "N", "wind", 1, {"cart", "wheel_left"}}};
};

class ReplayLayoutTest : public testing::Test {
 protected:
  ReplayLayoutTest() {
    values_.resize(static_cast<std::size_t>(frame_size(cart_.observables())));
    cart_.observe(values_);
    frame_.resize(layout_.size());
    layout_.fill(0.5, cart_, values_, frame_);
  }
  /// The field of this name.
  [[nodiscard]] Json field(const std::string& name) const {
    for (const Json& each : header_["fields"]) {
      if (each["name"] == name) return each;
    }
    ADD_FAILURE() << "no field " << name;
    return {};
  }
  /// Its floats in the frame.
  [[nodiscard]] std::vector<float> floats(const std::string& name) const {
    const Json its = field(name);
    const auto first = frame_.begin() + its["offset"].get<std::ptrdiff_t>();
    return {first, first + its["count"].get<std::ptrdiff_t>()};
  }

  Cart cart_;
  ReplayLayout layout_{cart_, "a cart", 25.0};
  Json header_ = layout_.header();
  std::vector<double> values_;
  std::vector<float> frame_;
};

TEST_F(ReplayLayoutTest, EveryFloatBelongsToOneFieldAndTheViewerFindsNoFault) {
  std::size_t next = 0;
  for (const Json& each : header_["fields"]) {
    EXPECT_EQ(each["offset"], next) << each["name"];
    next += each["count"].get<std::size_t>();
  }
  EXPECT_EQ(next, layout_.size());
  EXPECT_EQ(header_["floats_per_frame"], layout_.size());
  EXPECT_EQ(fault_of_replay(header_, layout_.size()), "");
  EXPECT_THAT(floats("time"), testing::ElementsAre(0.5F));
}

TEST_F(ReplayLayoutTest, BodiesHaveAPoseOrTheirPointsAndSayWhatTheyHangOn) {
  const Json& bodies = header_["bodies"];
  ASSERT_EQ(bodies.size(), 4U);
  EXPECT_FALSE(bodies[0].contains("parent")) << "the moving body before it";
  EXPECT_EQ(bodies[2]["shape"], "wheel");
  EXPECT_EQ(bodies[2]["parent"], "cart");
  EXPECT_EQ(bodies[3]["points"], Json::parse("[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]"));
  EXPECT_TRUE(bodies[3].contains("pose")) << "it stands";
  EXPECT_EQ(floats("cart.pose").front(), 100.0F);
  EXPECT_EQ(floats("wheel_left.pose").front(), 107.0F) << "the antenna has none in between";
}

TEST_F(ReplayLayoutTest, ACurveHasItsPointsAndTheNumbersAlongIt) {
  EXPECT_EQ(field("antenna.points")["kind"], "polyline");
  EXPECT_EQ(field("antenna.points")["body"], "antenna");
  EXPECT_EQ(floats("antenna.points").size(), 12U);
  EXPECT_EQ(floats("antenna.points").back(), 211.0F);
  EXPECT_EQ(field("antenna.radius")["kind"], "profile");
  EXPECT_EQ(field("antenna.radius")["unit"], "m");
  EXPECT_THAT(floats("antenna.radius"), testing::ElementsAre(212.0F, 213.0F, 214.0F, 215.0F));
  EXPECT_EQ(floats("antenna.strain").front(), 216.0F);
}

TEST_F(ReplayLayoutTest, EveryFamilyOfArrowsHasItsNameColourAndBodies) {
  ASSERT_EQ(header_["families"].size(), 2U);
  EXPECT_EQ(header_["families"][1]["name"], "wind");
  EXPECT_EQ(header_["families"][1]["colour"], "#33bbee");
  EXPECT_EQ(field("wheel_left.ground")["family"], "ground");
  EXPECT_EQ(field("wheel_left.ground")["kind"], "contact");
  EXPECT_THAT(floats("wheel_left.ground"),
              testing::ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(floats("cart.wind"), testing::ElementsAre(1, 1, 1, 10, 10, 10));
  EXPECT_THAT(floats("wheel_left.wind"), testing::ElementsAre(1, 1, 1, 11, 11, 11));
}

TEST_F(ReplayLayoutTest, ScalarsAreThoseThatAreOfferedInGroupsWithTheirJoint) {
  ASSERT_EQ(header_["groups"].size(), 3U) << "the secret is in the record alone";
  EXPECT_EQ(header_["groups"][0]["name"], "joint_angle");
  EXPECT_EQ(header_["groups"][0]["role"], "angle");
  EXPECT_EQ(header_["groups"][1]["role"], "torque");
  EXPECT_FALSE(header_["groups"][2].contains("role"));
  std::vector<std::string> angles;
  for (const Json& each : header_["fields"]) {
    if (each.value("group", "") != "joint_angle") continue;
    angles.push_back(each["name"]);
    const bool second = angles.size() > 2;
    EXPECT_EQ(each["index"], second ? 2 : 1);
    EXPECT_EQ(each["component"], angles.size() % 2 == 1 ? "yaw" : "pitch");
    EXPECT_EQ(floats(each["name"]).front(), 9.0F + static_cast<float>(angles.size()));
  }
  EXPECT_EQ(angles.size(), 4U);
  EXPECT_EQ(floats("speed").front(), 30.0F);
  EXPECT_FALSE(field("speed").contains("index"));
}

TEST_F(ReplayLayoutTest, IsDrawnAsItWasShown) {
  const Drawing drawing = make_drawing(header_.dump(), frame_, "replay.json");
  ASSERT_EQ(drawing.frames, 1U);
  ASSERT_EQ(drawing.bodies.size(), 4U);
  EXPECT_EQ(drawing.bodies[2].parent, "cart");
  EXPECT_EQ(drawing.pose(drawing.bodies[2], 0)[0], 107.0);
  EXPECT_EQ(drawing.points(drawing.bodies[1], 0).size(), 4U);
  EXPECT_TRUE(drawing.bodies[1].radius_field);
  ASSERT_EQ(drawing.bodies[3].points.size(), 2U);
  EXPECT_EQ(drawing.bodies[3].points[1][2], 3.0);
}

}  // namespace replay_layout_test
}  // namespace coluber::record

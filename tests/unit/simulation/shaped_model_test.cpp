// A model of the test's own that is no chain: bodies in a list with parents and tables in tables, a
// shape given at every instant, no servo, no link lengths. The loader, the run and [stop] need
// nothing of a chain.

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/core/hash.hpp"
#include "coluber/drive/placed.hpp"
#include "coluber/drive/shape.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/keys/registry.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/registry.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/world/keys.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::simulation {
namespace shaped_model_test {

using nlohmann::json;
using scenario::sample::fault_of;
using scenario::sample::faults_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

struct Frame {
  double gamma_deg = 0.0;
  double d = 0.0;
};

struct Bolt {
  double size = 0.0;
};

struct Part {
  std::string name{};
  std::string parent{};
  double mass = 1.0;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  std::array<double, 6> inertia{};
  std::optional<Frame> dh{};
  std::vector<Bolt> bolt{};
};

struct Hook {
  double size = 1.0;
  double weight = 2.0;
};

struct CraneKeys {
  std::vector<Part> part{};
  std::optional<Hook> hook{};
  std::vector<std::string> ropes{"hemp"};
  keys::WordOrNumbers twist{"still", {}};
  std::optional<Eigen::Vector3d> tip{};
  double limit = 10.0;  ///< m
};

keys::Table<Part> part_rows() {
  return keys::Table<Part>("")
      .row({.name = "name", .doc = "its own", .example = "\"arm\"", .required = true}, &Part::name)
      .row({.name = "parent", .doc = "what carries it", .example = "\"foot\""}, &Part::parent)
      .row({.name = "mass", .unit = "kg", .min = 0, .doc = "of a part", .example = "1.0"},
           &Part::mass)
      .row({.name = "position", .unit = "m", .doc = "in its parent", .example = "[0, 0, 1]"},
           &Part::position)
      .row({.name = "inertia", .doc = "xx yy zz xy xz yz", .example = "[1, 1, 1, 0, 0, 0]"},
           &Part::inertia)
      .list({.name = "dh",
             .form = keys::Form::optional,
             .noun = "a frame",
             .example = "gamma_deg = 90, d = 0.1"},
            &Part::dh,
            keys::Table<Frame>("")
                .row({.name = "gamma_deg", .unit = "deg", .doc = "about z", .example = "90"},
                     &Frame::gamma_deg)
                .row({.name = "d",
                      .unit = "m",
                      .min = 0,
                      .doc = "along x",
                      .example = "0.1",
                      .required = true},
                     &Frame::d))
      .list({.name = "bolt", .noun = "a bolt", .example = "size = 8"}, &Part::bolt,
            keys::Table<Bolt>("").row(
                {.name = "size", .min = 0, .doc = "of a bolt", .example = "8", .required = true},
                &Bolt::size));
}

const keys::Section& crane_keys() {
  static const keys::Section section =
      keys::Table<CraneKeys>("robot")
          .list({.name = "part", .noun = "a part", .example = "name = \"arm\""}, &CraneKeys::part,
                part_rows())
          .list({.name = "hook",
                 .form = keys::Form::optional,
                 .noun = "a hook",
                 .example = "size = 1, in m"},
                &CraneKeys::hook,
                keys::Table<Hook>("")
                    .row({.name = "size", .doc = "of it", .example = "1", .required = true},
                         &Hook::size)
                    .row({.name = "weight", .doc = "of it", .example = "1"}, &Hook::weight))
          .row({.name = "ropes", .doc = "what of", .example = "[\"wire\"]"}, &CraneKeys::ropes)
          .row({.name = "twist",
                .count = 6,
                .choices = {{"still", "none"}},
                .doc = "at the start",
                .example = "[0, 0, 0, 0, 0, 0]"},
               &CraneKeys::twist)
          .row({.name = "tip", .default_note = "none", .doc = "of it", .example = "[0, 0, 1]"},
               &CraneKeys::tip)
          .row({.name = "limit", .unit = "m", .doc = "as far as it gets", .example = "1"},
               &CraneKeys::limit);
  return section;
}

struct SwingKeys {
  double swing = 0.5;
};

const keys::Section& swing_keys() {
  static const keys::Section section = keys::Table<SwingKeys>("gait").row(
      {.name = "swing", .unit = "rad", .doc = "how far", .example = "0.5"}, &SwingKeys::swing);
  return section;
}

/// r_j = swing t², so that its second derivative is known.
class Swing final : public gait::Gait {
 public:
  explicit Swing(double swing) : swing_(swing) {}
  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> r,
                Eigen::Ref<Eigen::VectorXd> rdot) const override {
    r.setConstant(swing_ * t * t);
    rdot.setConstant(2.0 * swing_ * t);
  }
  void evaluate_acceleration(double /*t*/, Eigen::Ref<Eigen::VectorXd> rddot) const override {
    rddot.setConstant(2.0 * swing_);
  }
  [[nodiscard]] double max_rate() const override { return 1.0; }

 private:
  double swing_;
};

/// Moves along x as its first coordinate says; a step beyond its limit cannot be taken.
class Crane final : public System, public Placed {
 public:
  Crane(const CraneKeys& keys, double gravity, double dt, std::shared_ptr<const Shape> shape)
      : limit_(keys.limit), gravity_(gravity), dt_(dt), shape_(std::move(shape)) {
    const int n = static_cast<int>(keys.part.size());
    const int joints = shape_ != nullptr ? shape_->size() : 0;
    r_.setZero(joints);
    rdot_.setZero(joints);
    rddot_.setZero(joints);
    table_.add({"link_position", "m", "origins", {n, 3}, {"x", "y", "z"}},
               [this](std::span<double> out) {
                 for (std::size_t i = 0; i < out.size(); ++i) out[i] = i % 3 == 0 ? x_ : 0.0;
               });
    table_.add({"joint_acceleration", "rad/s²", "of the shape", {joints}},
               [this](std::span<double> out) {
                 for (std::size_t i = 0; i < out.size(); ++i) {
                   out[i] = rddot_(static_cast<Eigen::Index>(i));
                 }
               });
  }
  [[nodiscard]] double dt() const override { return dt_; }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }
  StepInfo step() override {
    if (shape_ != nullptr) {
      shape_->evaluate(static_cast<double>(k_ + 1) * dt_, r_, rdot_, rddot_);
    }
    const double x = r_.size() > 0 ? r_(0) : 0.0;
    figure_[0] = limit_ - x;
    StepInfo info;
    info.figures = figure_;
    if (x > limit_) {
      info.status = Status::not_taken;
      info.quantity = "reach of part";
      info.index = 2;
      return info;
    }
    x_ = x;
    ++k_;
    return info;
  }
  [[nodiscard]] const std::vector<StepFigure>& figures() const override {
    static const std::vector<StepFigure> figures{{.name = "room",
                                                  .unit = "m",
                                                  .largest_as = "",
                                                  .sum_as = "",
                                                  .positive_as = "",
                                                  .in_message = "room left {:.4g} m"}};
    return figures;
  }
  [[nodiscard]] std::string advice(const StepInfo& /*info*/) const override {
    return "; along (1, 0, 0): raise robot.limit";
  }
  [[nodiscard]] Eigen::Vector3d place() const override { return {x_, 0.0, 1.0}; }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  [[nodiscard]] std::vector<SummaryItem> summary() const override {
    return {{"case", std::string("fully_constrained")}, {"gravity", gravity_, "m/s²"}};
  }
  [[nodiscard]] std::uint64_t state_hash() const override {
    return Hasher().update(k_).update(x_).finish();
  }

 private:
  double limit_, gravity_, dt_;
  std::shared_ptr<const Shape> shape_;
  Eigen::VectorXd r_, rdot_, rddot_;
  std::array<double, 1> figure_{};
  double x_ = 0.0;
  std::int64_t k_ = 0;
  ObservableTable table_;
};

class ShapedModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool done = [] {
      keys::ModelKeys crane{{.name = "crane",
                             .doc = "a crane",
                             .sections = {&crane_keys(), &world::gravity_keys()},
                             .defaults = {{"solver.dt", 0.01}}},
                            true,
                            false};
      crane.joint_angles = [](const keys::OptionSet& options) -> std::optional<int> {
        return static_cast<int>(options.find<CraneKeys>()->part.size());
      };
      crane.gaits = {"swing", "table"};
      add_model({crane, [](const drive::Build& build) {
                   return std::make_unique<Crane>(build.get<CraneKeys>(),
                                                  build.get<world::GravityKeys>().gravity,
                                                  build.get<drive::Stepping>().dt,
                                                  build.gait_shape ? build.gait_shape() : nullptr);
                 }});
      add_gait(
          {{.name = "swing", .doc = "t squared", .sections = {&swing_keys()}, .models = {"crane"}},
           [](const drive::Build& build, int, bool) {
             return std::make_unique<Swing>(build.get<SwingKeys>().swing);
           }});
      add_robot({.name = "harbour",
                 .doc = "a crane of two parts",
                 .toml = "[robot]\nropes = [\"wire\"]\nhook = { size = 3.0, weight = 5.0 }\n"
                         "[[robot.part]]\nname = \"foot\"\nmass = 9.0\n"
                         "[[robot.part]]\nname = \"arm\"\nparent = \"foot\"\nmass = 4.0\n"
                         "position = [0.0, 0.0, 2.0]\ndh = { gamma_deg = 90.0, d = 0.5 }\n",
                 .models = {"crane"}});
      return true;
    }();
    ASSERT_TRUE(done);
  }
};

const std::string kHarbour = "duration = 1\n[robot]\nname = \"harbour\"\n";
const std::string kCrane = "duration = 1\n[robot]\nmodel = \"crane\"\n";

TEST_F(ShapedModel, ARobotOfOneModelSetsIt) {
  EXPECT_EQ(scenario::parse(kHarbour).model, "crane");
  EXPECT_EQ(scenario::parse("duration = 1\n", ".", {"robot.name=harbour"}).model, "crane");
  EXPECT_EQ(scenario::parse(kHarbour + "model = \"crane\"\n").model, "crane");
  EXPECT_THAT(fault_of(kHarbour + "model = \"planar\"\n"),
              HasSubstr("robot.name: \"harbour\" goes with robot.model = \"crane\", this model is "
                        "\"planar\""));
  EXPECT_EQ(scenario::parse(scenario::sample::aiko).model, "planar") << "aiko has several";
  const json resolved = json::parse(scenario::parse(kHarbour).resolved);
  EXPECT_EQ(resolved["robot"]["model"], "crane");
}

TEST_F(ShapedModel, AListOfTheCatalogueIsReplacedAsAWholeOrChangedByNumber) {
  const auto plain = scenario::parse(kHarbour).get<CraneKeys>();
  ASSERT_THAT(plain.part, SizeIs(2));
  EXPECT_EQ(plain.part[1].position, Eigen::Vector3d(0, 0, 2));
  ASSERT_TRUE(plain.part[1].dh);
  EXPECT_EQ(plain.part[1].dh->d, 0.5);

  const auto own = scenario::parse(kHarbour + "[[robot.part]]\nname = \"mast\"\n").get<CraneKeys>();
  ASSERT_THAT(own.part, SizeIs(1));
  EXPECT_EQ(own.part[0].mass, 1.0) << "nothing of the catalogue's parts";

  const auto set = scenario::parse(kHarbour, ".",
                                   {"robot.part.2.mass=7", "robot.part.2.dh.d=0.25",
                                    "robot.part.1.inertia=[1, 2, 3, 0, 0, 0]"})
                       .get<CraneKeys>();
  ASSERT_THAT(set.part, SizeIs(2));
  EXPECT_EQ(set.part[0].mass, 9.0);
  EXPECT_EQ(set.part[1].mass, 7.0);
  EXPECT_EQ(set.part[1].parent, "foot");
  EXPECT_EQ(set.part[1].dh->d, 0.25);
  EXPECT_EQ(set.part[1].dh->gamma_deg, 90.0);
  EXPECT_THAT(set.part[0].inertia, ElementsAre(1, 2, 3, 0, 0, 0));
  EXPECT_EQ(scenario::parse("duration = 1\n", ".", {"robot.part.2.mass=7", "robot.name=harbour"})
                .get<CraneKeys>()
                .part.at(1)
                .mass,
            7.0)
      << "whichever comes first";
  EXPECT_THAT(fault_of(kHarbour, {"robot.part.3.mass=7"}),
              HasSubstr("robot.part is a list of 2, it has no entry \"3\""));
  EXPECT_THAT(fault_of(kHarbour, {"robot.part.2.mass=-7"}),
              HasSubstr("--set robot.part.2.mass=-7: robot.part.2.mass: expected a number >= 0"));
}

TEST_F(ShapedModel, ATableOfTheCatalogueThatMayBeAbsentIsThereAndMergedWith) {
  const auto plain = scenario::parse(kHarbour).get<CraneKeys>();
  ASSERT_TRUE(plain.hook);
  EXPECT_EQ(plain.hook->size, 3.0);
  const auto heavier = scenario::parse(kHarbour + "hook = { weight = 8.0 }\n").get<CraneKeys>();
  EXPECT_EQ(heavier.hook->weight, 8.0);
  EXPECT_EQ(heavier.hook->size, 3.0) << "the catalogue's";
  EXPECT_THAT(fault_of(kCrane + "hook = { weight = 8.0 }\n"),
              HasSubstr("robot.hook: missing: size"));
  EXPECT_FALSE(scenario::parse(kCrane).get<CraneKeys>().hook);
}

TEST_F(ShapedModel, TablesAndListsInEntriesHaveTheirKeysAndPlaces) {
  const std::string part = kCrane + "[[robot.part]]\nname = \"a\"\n[[robot.part]]\nname = \"b\"\n";
  const auto good =
      scenario::parse(part + "dh = { d = 1 }\n[[robot.part.bolt]]\nsize = 8\n").get<CraneKeys>();
  EXPECT_EQ(good.part.at(1).dh->d, 1.0);
  ASSERT_THAT(good.part.at(1).bolt, SizeIs(1));
  EXPECT_EQ(good.part.at(1).bolt[0].size, 8.0);
  EXPECT_THAT(fault_of(part + "dh = { d = -1 }\n"),
              HasSubstr("s.toml:8:12: robot.part.2.dh.d: expected a number >= 0, got -1"));
  EXPECT_THAT(fault_of(part + "dh = { gamma = 1, d = 1 }\n"),
              HasSubstr("s.toml:8:8: robot.part.2.dh.gamma: unknown key\n"
                        "  hint: did you mean gamma_deg?"));
  EXPECT_THAT(fault_of(part + "dh = { gamma_deg = 1 }\n"),
              HasSubstr("s.toml:8:6: robot.part.2.dh: missing: d"));
  EXPECT_THAT(fault_of(part + "dh = 3\n"), HasSubstr("robot.part.2.dh: expected a table, got 3"));
  EXPECT_THAT(fault_of(part + "[[robot.part.bolt]]\nsize = 1\n[[robot.part.bolt]]\nsize = -1\n"),
              HasSubstr("s.toml:11:8: robot.part.2.bolt.2.size: expected a number >= 0"));
  EXPECT_THAT(fault_of(part + "[[robot.part.bolt]]\n"),
              HasSubstr("s.toml:8:1: robot.part.2.bolt.1: missing: size"));
  EXPECT_THAT(faults_of(part + "dh = { d = -1 }\nmass = -2\n"), SizeIs(2));
  ASSERT_NE(keys::find_key("robot.part.dh.gamma_deg"), nullptr);
  EXPECT_THAT(keys::keys_markdown(),
              AllOf(HasSubstr("`robot.part.dh.d`"), HasSubstr("`[[robot.part.bolt]]`"),
                    HasSubstr("`[robot.part.dh]` may be absent")));
}

TEST_F(ShapedModel, ListsOfAFixedNumberOfNumbersCount) {
  const std::string part = kCrane + "tip = [1, 2, 3]\n[[robot.part]]\nname = \"a\"\n";
  EXPECT_EQ(scenario::parse(part).get<CraneKeys>().tip, Eigen::Vector3d(1, 2, 3));
  EXPECT_THAT(fault_of(part + "position = [1, 2]\n"),
              HasSubstr("robot.part.1.position: expected a list of 3 numbers, got a list of 2"));
  EXPECT_THAT(fault_of(part + "inertia = [1, 2, 3]\n"),
              HasSubstr("robot.part.1.inertia: expected a list of 6 numbers, got a list of 3"));
  EXPECT_THAT(fault_of(part + "position = [1, 2, \"up\"]\n"),
              HasSubstr("s.toml:7:19: robot.part.1.position: expected a list of 3 numbers, got "
                        "\"up\" as number 3"));
  EXPECT_THAT(fault_of(kCrane + "tip = [1, 2]\n"), HasSubstr("expected a list of 3 numbers"));
  EXPECT_THAT(
      fault_of(kCrane + "twist = [1, 2]\n"),
      HasSubstr("robot.twist: expected \"still\", or a list of 6 numbers, got a list of 2"));
  const auto twisted = scenario::parse(kCrane + "twist = [1, 2, 3, 4, 5, 6]\n").get<CraneKeys>();
  EXPECT_THAT(twisted.twist.numbers, ElementsAre(1, 2, 3, 4, 5, 6));
  const json resolved = json::parse(scenario::parse(part).resolved);
  EXPECT_EQ(resolved["robot"]["part"][0]["inertia"], json::parse("[0.0,0.0,0.0,0.0,0.0,0.0]"));
  EXPECT_TRUE(resolved["robot"]["part"][0]["dh"].is_null());
}

TEST_F(ShapedModel, KeysOfOtherModelsAreRefusedAndTheirDefaultsLetThrough) {
  EXPECT_THAT(fault_of(kCrane + "links = 3\n"),
              HasSubstr("robot.links: goes with robot.model = \"planar\""));
  EXPECT_THAT(fault_of(kCrane + "[world]\nfriction = [0.5, 0.5]\n"),
              HasSubstr("world.friction: goes with robot.model"));
  EXPECT_EQ(fault_of(kCrane + "[world]\nfriction = [0.2, 0.2]\n"), "no fault");
  EXPECT_EQ(fault_of(scenario::sample::aiko + "ropes = [\"hemp\"]\n"), "no fault")
      << "a list of words has a default too";
  EXPECT_THAT(fault_of(scenario::sample::aiko + "ropes = [\"wire\"]\n"),
              HasSubstr("robot.ropes: goes with robot.model = \"crane\""));
  EXPECT_THAT(fault_of(scenario::sample::aiko + "[[robot.part]]\nname = \"a\"\n"),
              HasSubstr("robot.part.1.name: goes with robot.model = \"crane\""));
}

TEST_F(ShapedModel, GravityMayBeZeroWhereNothingLiesOnAGround) {
  EXPECT_EQ(scenario::parse(kCrane).get<world::GravityKeys>().gravity, 0.0);
  EXPECT_EQ(scenario::parse(kCrane + "[world]\ngravity = 0\n").get<world::GravityKeys>().gravity,
            0.0);
  EXPECT_THAT(fault_of(scenario::sample::aiko + "[world]\ngravity = 0\n"),
              HasSubstr("s.toml:4:11: world.gravity: expected a number > 0, at most 1000, got 0"));
  EXPECT_THAT(keys::default_text(*keys::find_key("world.gravity")),
              "9.81; 0 for multibody, 0 for rod, 0 for crane");
}

TEST_F(ShapedModel, TakesItsOwnGaitsAndNoController) {
  const scenario::Scenario s = scenario::parse(kHarbour + "[gait]\nswing = 0.2\n");
  EXPECT_EQ(s.gait, "swing") << "the first of those it takes";
  EXPECT_EQ(s.controller, "");
  EXPECT_FALSE(json::parse(s.resolved)["gait"].contains("amplitude_deg"));
  EXPECT_THAT(fault_of(kHarbour + "[gait]\nname = \"sidewinding\"\n"),
              HasSubstr("gait.name: \"sidewinding\" goes with robot.model = \"planar\" or "));
  EXPECT_THAT(fault_of(kHarbour + "[gait]\nname = \"sidewinding\"\n"),
              HasSubstr("hint: this model takes  name = \"table\" or \"swing\""));
  EXPECT_THAT(fault_of(scenario::sample::aiko + "[gait]\nname = \"swing\"\n"),
              HasSubstr("gait.name: \"swing\" goes with robot.model = \"crane\", this robot is "
                        "\"planar\""));
  EXPECT_THAT(fault_of(kHarbour + "[gait]\namplitude_deg = 3\n"),
              HasSubstr("gait.amplitude_deg: goes with robot.model = \"planar\""));
  EXPECT_THAT(fault_of(kHarbour + "[controller]\nkp = 3\n"),
              HasSubstr("controller.kp: goes with robot.model"));
  EXPECT_THAT(keys::find_key("gait.swing")->models, ElementsAre("crane"));
}

TEST_F(ShapedModel, StepsAloneWithItsShapeGivenAtEveryInstant) {
  Simulation simulation = make_simulation(scenario::parse(kHarbour + "[gait]\nswing = 0.2\n"));
  EXPECT_EQ(simulation.controller, nullptr);
  record::TrajectorySink memory;
  FrameSink* const sinks[] = {&memory};
  const RunOutcome outcome = run(simulation, sinks);
  EXPECT_EQ(outcome.status, RunStatus::completed) << outcome.message;
  const record::Trajectory& t = memory.trajectory();
  EXPECT_NEAR(t.at("link_position", 100, 1, 0), 0.2, 1e-12);
  EXPECT_NEAR(t.at("joint_acceleration", 100, 1), 0.4, 1e-12);
  EXPECT_EQ(std::get<std::string>(outcome.summary.front().value), "fully_constrained");
}

TEST_F(ShapedModel, AStepThatCannotBeTakenSaysTimeQuantityIndexSizeAndWhatTheModelAdds) {
  Simulation simulation =
      make_simulation(scenario::parse(kHarbour + "limit = 0.05\n[gait]\nswing = 0.2\n"));
  const RunOutcome outcome = run(simulation, {});
  EXPECT_EQ(outcome.status, RunStatus::failed);
  // 0.2 · 0.51² is the first beyond 0.05
  EXPECT_EQ(outcome.message,
            "the step to t = 0.51 s could not be taken: room left -0.00202 m (reach of part 2); "
            "along (1, 0, 0): raise robot.limit");
  EXPECT_EQ(simulation.system->step_count(), 50) << "the state before the step is kept";
}

TEST_F(ShapedModel, StopsPastXByItsPlaceAndRefusesToBeStuck) {
  const std::string moving = kHarbour + "[gait]\nswing = 0.2\n[stop]\n";
  Simulation simulation = make_simulation(scenario::parse(moving + "past_x = 0.1\n"));
  const RunOutcome outcome = run(simulation, {});
  EXPECT_EQ(outcome.status, RunStatus::completed);
  EXPECT_EQ(outcome.stopped_by, "stop.past_x");
  EXPECT_EQ(simulation.system->step_count(), 71);  // 0.2 t² > 0.1: t > 0.7071 s
  try {
    (void)make_simulation(
        scenario::parse(moving + "past_x = 0.1\nstuck_s = 0.5\n", ".", {}, "s.toml"));
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.faults().size(), 1U);
    EXPECT_EQ(error.faults()[0].key, "stop.stuck_s");
    EXPECT_EQ(error.faults()[0].where.line, 8);
    EXPECT_EQ(error.faults()[0].message,
              "the model \"crane\" has no links with a length to compare their motion with");
  }
}

}  // namespace shaped_model_test
}  // namespace coluber::simulation

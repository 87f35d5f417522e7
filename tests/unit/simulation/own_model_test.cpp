// A model, a gait-less robot with keys of every kind, and a controller of the test's own: one
// registration each, and the loader, its messages and the run know them.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/core/hash.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/keys/registry.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/registry.hpp"
#include "coluber/simulation/simulation.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::simulation {
namespace own_model_test {

using nlohmann::json;
using scenario::sample::fault_of;
using scenario::sample::faults_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

enum class Drive : std::uint8_t { wheels, sail };

struct Wheel {
  double radius = 0.1;
  std::string tyre = "rubber";
  double studs = 0.0;  ///< with tyre = "spikes"
};

struct Brake {
  double force = 0.0;
};

struct CartKeys {
  double speed = 1.0;
  int seats = 1;
  Drive drive = Drive::wheels;
  std::vector<int> gears{1};
  std::vector<std::string> colours{"red"};
  std::vector<Eigen::Vector2d> stops{};
  keys::WordOrNumbers route{"straight", {}};
  std::vector<Wheel> wheel{};
  std::optional<Brake> brake{};
};

void check_cart(CartKeys& cart, keys::Check& check) {
  if (!cart.wheel.empty() && cart.drive == Drive::sail) {
    check.fault("cart.drive", "a sail needs no wheels", "leave them out");
  }
}

const keys::Section& cart_keys() {
  static const keys::Section section =
      keys::Table<CartKeys>("cart")
          .row({.name = "speed", .unit = "m/s", .min = 0, .doc = "how fast", .example = "1.0"},
               &CartKeys::speed)
          .row({.name = "seats", .min = 1, .max = 4, .doc = "how many", .example = "2"},
               &CartKeys::seats)
          .row({.name = "drive",
                .choices = {{"wheels", "rolls"}, {"sail", "in the wind", true, "wind"}},
                .doc = "what moves it",
                .example = "\"sail\""},
               &CartKeys::drive)
          .row({.name = "gears", .min = 1, .doc = "teeth", .example = "[3, 4]"}, &CartKeys::gears)
          .row({.name = "colours",
                .default_note = "[\"red\"]",
                .choices = {{"red", ""}, {"blue", ""}},
                .doc = "of its sides",
                .example = "[\"blue\"]"},
               &CartKeys::colours)
          .row({.name = "stops", .unit = "m", .doc = "where it stops", .example = "[[1, 2]]"},
               &CartKeys::stops)
          .row({.name = "route",
                .choices = {{"straight", ""}},
                .doc = "its way",
                .example = "[1, 2]"},
               &CartKeys::route)
          .list({.name = "wheel", .noun = "a wheel", .example = "radius = 0.1, in m"},
                &CartKeys::wheel,
                keys::Table<Wheel>("")
                    .row({.name = "radius",
                          .unit = "m",
                          .min = 0,
                          .above_min = true,
                          .doc = "of a wheel",
                          .example = "0.1",
                          .required = true},
                         &Wheel::radius)
                    .row({.name = "tyre",
                          .choices = {{"rubber", ""}, {"spikes", ""}},
                          .doc = "what is around it",
                          .example = "\"spikes\""},
                         &Wheel::tyre)
                    .row({.name = "studs",
                          .doc = "on it",
                          .example = "12",
                          .with = {"tyre", {"spikes"}}},
                         &Wheel::studs))
          .list({.name = "brake",
                 .form = keys::Form::optional,
                 .noun = "a brake",
                 .example = "force = 3, in N"},
                &CartKeys::brake,
                keys::Table<Brake>("").row({.name = "force",
                                            .unit = "N",
                                            .doc = "of the brake",
                                            .example = "3",
                                            .required = true},
                                           &Brake::force))
          .check(check_cart);
  return section;
}

/// What drives a cart, its own capability.
class Throttled {
 public:
  virtual ~Throttled() = default;
  virtual void set_speed(double speed) = 0;
};

/// Rolls along x at its speed; offers no joints.
class Cart final : public System, public Throttled {
 public:
  Cart(const CartKeys& keys, double dt) : speed_(keys.speed), dt_(dt) {
    table_.add({"place", "m", "along x", {}, {}, Plotted::scalar},
               [this](std::span<double> out) { out[0] = x_; });
  }
  void set_speed(double speed) override { speed_ = speed; }
  [[nodiscard]] double dt() const override { return dt_; }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }
  StepInfo step() override {
    x_ += dt_ * speed_;
    ++k_;
    return {};
  }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  [[nodiscard]] std::uint64_t state_hash() const override {
    return Hasher().update(k_).update(x_).finish();
  }

 private:
  double speed_, dt_;
  double x_ = 0.0;
  std::int64_t k_ = 0;
  ObservableTable table_;
};

/// A controller that needs what no model has.
class Demanding final : public control::Controller {
 public:
  std::string connect(System& /*system*/, std::vector<drive::Warning>& warnings) override {
    warnings.push_back({"controller.name", "it will want a propeller"});
    return "needs a propeller";
  }
  void update(const control::ControlInput& /*input*/, JointCommand& /*command*/) override {}
};

/// Drives a cart by what that offers, not by joints; shows what it does.
class Throttle final : public control::Controller {
 public:
  Throttle() {
    table_.add({"throttle", "m/s", "speed asked for", {}, {}, Plotted::scalar},
               [this](std::span<double> out) { out[0] = speed_; });
    bodies_.push_back(
        {.name = "post", .shape = ShapeKind::circle, .size = {0.1}, .colour = "#000000"});
  }
  std::string connect(System& system, std::vector<drive::Warning>& /*warnings*/) override {
    cart_ = dynamic_cast<Throttled*>(&system);
    return cart_ != nullptr ? "" : "needs a throttle";
  }
  void update(const control::ControlInput& input, JointCommand& /*command*/) override {
    speed_ = input.t;
    cart_->set_speed(speed_);
  }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  [[nodiscard]] std::vector<SummaryItem> summary() const override {
    return {{"mood", std::string("steady")}};
  }

 private:
  Throttled* cart_ = nullptr;
  double speed_ = 0.0;
  ObservableTable table_;
  std::vector<Body> bodies_;
};

class OwnModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool done = [] {
      add_model({{{.name = "cart",
                   .doc = "a cart",
                   .sections = {&cart_keys()},
                   .defaults = {{"solver.dt", 0.01}, {"record.rate_hz", 10.0}},
                   .formerly = "trolley"},
                  false,
                  false},
                 [](const drive::Build& build) {
                   return std::make_unique<Cart>(build.get<CartKeys>(),
                                                 build.get<drive::Stepping>().dt);
                 }});
      add_controller({{.name = "demanding", .doc = "asks in vain"},
                      [](const drive::Build&) { return std::make_unique<Demanding>(); }});
      add_model({{{.name = "steered_cart",
                   .doc = "a cart that a controller of its own drives",
                   .sections = {&cart_keys()},
                   .defaults = {{"controller.name", std::string("throttle")}}},
                  false},
                 [](const drive::Build& build) {
                   return std::make_unique<Cart>(build.get<CartKeys>(),
                                                 build.get<drive::Stepping>().dt);
                 }});
      add_controller({{.name = "throttle", .doc = "opens with time"},
                      [](const drive::Build&) { return std::make_unique<Throttle>(); }});
      add_robot({.name = "racer",
                 .doc = "a fast cart",
                 .toml = "[cart]\nspeed = 9.0\ngears = [7, 8]\n[[cart.wheel]]\nradius = 0.5\n",
                 .models = {"cart"}});
      return true;
    }();
    ASSERT_TRUE(done);
  }
};

const std::string kCart = "duration = 1\n[robot]\nmodel = \"cart\"\n[cart]\n";

TEST_F(OwnModel, LoadsWithItsKeysAndNeedsNoOthers) {
  const scenario::Scenario s =
      scenario::parse(kCart +
                          "speed = 2\nseats = 3\ndrive = \"wheels\"\ngears = [4, 5]\ncolours = "
                          "[\"blue\", \"red\"]\n"
                          "stops = [[1, 2], [3, 4]]\nroute = [10, 20, 30]\nbrake = { force = 4 }\n"
                          "[[cart.wheel]]\nradius = 0.2\n[[cart.wheel]]\nradius = 0.3\ntyre = "
                          "\"spikes\"\nstuds = 12\n",
                      ".", {"cart.wheel.2.radius=0.4", "cart.seats=4"});
  EXPECT_EQ(s.model, "cart");
  EXPECT_EQ(s.gait, "");
  EXPECT_EQ(s.controller, "") << "it takes none";
  const auto& cart = s.get<CartKeys>();
  EXPECT_EQ(cart.speed, 2.0);
  EXPECT_EQ(cart.seats, 4);
  EXPECT_THAT(cart.gears, ElementsAre(4, 5));
  EXPECT_THAT(cart.colours, ElementsAre("blue", "red"));
  EXPECT_EQ(cart.stops.at(1), Eigen::Vector2d(3, 4));
  EXPECT_THAT(cart.route.numbers, ElementsAre(10, 20, 30));
  ASSERT_THAT(cart.wheel, SizeIs(2));
  EXPECT_EQ(cart.wheel[1].radius, 0.4);
  EXPECT_EQ(cart.wheel[1].studs, 12.0);
  ASSERT_TRUE(cart.brake);
  EXPECT_EQ(cart.brake->force, 4.0);
}

TEST_F(OwnModel, TheDumpHoldsItsKeysAndReadsBackAsTheSameScenario) {
  const std::string text =
      kCart + "speed = 2\ncolours = [\"blue\"]\nroute = [1, 2]\n[[cart.wheel]]\nradius = 0.2\n";
  const scenario::Scenario first = scenario::parse(text);
  const json resolved = json::parse(first.resolved);
  EXPECT_EQ(resolved["robot"]["model"], "cart");
  EXPECT_EQ(resolved["cart"]["speed"], 2.0);
  EXPECT_EQ(resolved["cart"]["wheel"][0]["tyre"], "rubber");
  EXPECT_EQ(resolved["cart"]["colours"], json::parse("[\"blue\"]"));
  EXPECT_TRUE(resolved["cart"]["brake"].is_null());
  EXPECT_FALSE(resolved.contains("world")) << "keys of other models are none of its own";
  EXPECT_FALSE(resolved.contains("controller"));
  // every value of the dump, given by hand
  std::vector<std::string> set;
  for (const auto& [word, value] : resolved["cart"].items()) {
    if (word == "wheel" || value.is_null()) continue;
    set.push_back("cart." + word + "=" + value.dump());
  }
  const scenario::Scenario second =
      scenario::parse(kCart + "[[cart.wheel]]\nradius = 0.2\n", ".", set);
  EXPECT_EQ(second.resolved, first.resolved);
  EXPECT_EQ(second.hash, first.hash);
}

TEST_F(OwnModel, ItsDefaultsAndThoseOfItsCatalogueRobotStandWhereTheFileSaysNothing) {
  const scenario::Scenario plain = scenario::parse(kCart);
  EXPECT_EQ(plain.get<drive::Stepping>().dt, 0.01);
  EXPECT_EQ(plain.record.rate_hz, 10.0);
  EXPECT_EQ(plain.get<CartKeys>().speed, 1.0);
  const scenario::Scenario racer = scenario::parse(
      "duration = 1\n[robot]\nmodel = \"cart\"\nname = \"racer\"\n[cart]\nseats = 2\n");
  EXPECT_EQ(racer.get<CartKeys>().speed, 9.0);
  EXPECT_EQ(racer.get<CartKeys>().seats, 2);
  EXPECT_THAT(racer.get<CartKeys>().gears, ElementsAre(7, 8));
  ASSERT_THAT(racer.get<CartKeys>().wheel, SizeIs(1));
  EXPECT_EQ(racer.get<CartKeys>().wheel[0].radius, 0.5);
}

TEST_F(OwnModel, FaultsOfItsKeysHaveTheirPlacesAndHints) {
  EXPECT_THAT(fault_of(kCart + "sped = 3\n"),
              HasSubstr("s.toml:5:1: cart.sped: unknown key\n  hint: did you mean speed?"));
  EXPECT_THAT(fault_of(kCart + "speed = -3\n"),
              HasSubstr("s.toml:5:9: cart.speed: expected a number >= 0, got -3\n"
                        "  hint: how fast, in m/s, for example  speed = 1.0"));
  EXPECT_THAT(fault_of(kCart + "seats = 5\n"), HasSubstr("an integer from 1 to 4, got 5"));
  EXPECT_THAT(fault_of(kCart + "drive = \"sial\"\n"), HasSubstr("did you mean \"sail\"?"));
  EXPECT_THAT(fault_of(kCart + "drive = \"wind\"\n"), HasSubstr("it is called \"sail\" now"));
  EXPECT_THAT(fault_of(kCart + "gears = [1, 2.5]\n"), HasSubstr("cart.gears: expected a list of"));
  EXPECT_THAT(fault_of(kCart + "colours = [\"green\"]\n"), HasSubstr("\"red\" or \"blue\""));
  EXPECT_THAT(fault_of(kCart + "stops = [[1, 2], [3]]\n"),
              HasSubstr("expected two numbers, got a list of 1 as pair 2"));
  EXPECT_THAT(fault_of(kCart + "route = \"bent\"\n"),
              HasSubstr("cart.route: expected \"straight\", or a list of numbers"));
  EXPECT_THAT(fault_of(kCart + "[[cart.wheel]]\nradius = 1\n[[cart.wheel]]\ntyre = \"rubber\"\n"),
              HasSubstr("s.toml:7:1: cart.wheel.2: missing: radius\n"
                        "  hint: a wheel is  radius = 0.1, in m"));
  EXPECT_THAT(fault_of(kCart + "wheel = 3\n"), HasSubstr("expected a list of tables, got 3"));
  EXPECT_THAT(fault_of(kCart + "brake = 3\n"), HasSubstr("cart.brake: expected a table, got 3"));
  EXPECT_THAT(fault_of(kCart + "[cart.brake]\n"), HasSubstr("cart.brake: missing: force"));
  EXPECT_THAT(fault_of(kCart + "[[cart.wheel]]\nradius = 1\nstuds = 3\n"),
              HasSubstr("s.toml:7:9: cart.wheel.1.studs: goes with tyre = \"spikes\", here it is "
                        "\"rubber\""));
  EXPECT_EQ(fault_of(kCart + "[[cart.wheel]]\nradius = 1\nstuds = 0\n"), "no fault")
      << "its default";
  EXPECT_THAT(fault_of(kCart + "drive = \"sail\"\n[[cart.wheel]]\nradius = 1\n"),
              HasSubstr("s.toml:5:9: cart.drive: a sail needs no wheels"));
  EXPECT_THAT(faults_of(kCart + "speed = -1\nseats = 9\n"), SizeIs(2)) << "all at once";
}

TEST_F(OwnModel, KeysGoWithTheModelsThatHaveThem) {
  EXPECT_THAT(
      fault_of(scenario::sample::aiko + "[cart]\nspeed = 3\n"),
      HasSubstr("cart.speed: goes with robot.model = \"cart\" or \"steered_cart\", this robot is "
                "\"planar\""));
  EXPECT_EQ(fault_of(scenario::sample::aiko + "[cart]\nspeed = 1\n"), "no fault") << "its default";
  EXPECT_THAT(fault_of(kCart + "[world]\ntilt_deg = 3\n"),
              HasSubstr("world.tilt_deg: goes with robot.model = \"planar\" or \"spatial\" or "
                        "\"minimal\" or \"wheeled\", this robot is \"cart\""));
  EXPECT_THAT(fault_of("[robot]\nmodel = \"trolley\"\n"), HasSubstr("it is called \"cart\" now"));
}

TEST_F(OwnModel, AppearsInTheTableOfKeys) {
  const keys::Key* radius = keys::find_key("cart.wheel.radius");
  ASSERT_NE(radius, nullptr);
  EXPECT_THAT(radius->models, ElementsAre("cart", "steered_cart"));
  ASSERT_NE(keys::find_list("cart.wheel"), nullptr);
  EXPECT_EQ(keys::find_list("cart.wheel")->form, keys::Form::list);
  EXPECT_THAT(keys::keys_markdown(), HasSubstr("`cart.wheel.radius`"));
  EXPECT_THAT(keys::keys_json(), HasSubstr("\"cart.brake.force\""));
  EXPECT_THAT(keys::default_text(*keys::find_key("solver.dt")), HasSubstr("0.01 for cart"));
}

TEST_F(OwnModel, RunsByItselfAndShowsOnlyWhatItHas) {
  Simulation simulation = make_simulation(scenario::parse(kCart + "speed = 3\n"));
  EXPECT_EQ(simulation.gait, nullptr);
  EXPECT_EQ(simulation.controller, nullptr);
  record::TrajectorySink sink;
  FrameSink* const sinks[] = {&sink};
  const RunOutcome outcome = run(simulation, sinks);
  EXPECT_EQ(outcome.status, RunStatus::completed) << outcome.message;
  ASSERT_EQ(sink.trajectory().frames(), 11U);
  EXPECT_NEAR(sink.trajectory().at("place", 10), 3.0, 1e-12);
  for (const SummaryItem& item : outcome.summary) {
    EXPECT_THAT(item.name, testing::Not(HasSubstr("residual"))) << "it has no solver";
    EXPECT_THAT(item.name, testing::Not(HasSubstr("penetration")));
  }
  EXPECT_TRUE(outcome.step_figures.empty());
}

TEST_F(OwnModel, AControllerThatAsksInVainIsRefusedWithTheReason) {
  const scenario::Scenario s = scenario::parse(
      scenario::sample::aiko + "[controller]\nname = \"demanding\"\n", ".", {}, "s.toml");
  try {
    (void)make_simulation(s);
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.faults().size(), 1U);
    EXPECT_EQ(error.faults()[0].key, "controller.name");
    EXPECT_EQ(error.faults()[0].where.line, 4);
    EXPECT_EQ(error.faults()[0].message,
              "\"demanding\" needs a propeller; the model \"planar\" does not offer that");
  }
}

TEST_F(OwnModel, MayBeDrivenByAControllerThatAsksForMoreThanJoints) {
  const std::string text = "duration = 1\n[robot]\nmodel = \"steered_cart\"\n[solver]\ndt = 0.01\n";
  const scenario::Scenario s = scenario::parse(text);
  EXPECT_EQ(s.controller, "throttle") << "the model's default";
  Simulation simulation = make_simulation(s);
  EXPECT_EQ(simulation.gait, nullptr);
  record::TrajectorySink memory;
  FrameSink* const sinks[] = {&memory};
  const RunOutcome outcome = run(simulation, sinks);
  EXPECT_EQ(outcome.status, RunStatus::completed);
  // sum of k dt · dt over 100 steps
  EXPECT_NEAR(memory.trajectory().at("place", 100, 0), 0.01 * 0.01 * 4950, 1e-12);
  EXPECT_NEAR(memory.trajectory().at("throttle", 100, 0), 0.99, 1e-12);
  EXPECT_EQ(std::get<std::string>(outcome.summary.front().value), "steady");
  EXPECT_EQ(simulation.shown().bodies().back().name, "post");
  EXPECT_THAT(fault_of("[robot]\nname = \"aiko\"\n[controller]\nname = \"throttle\"\n"),
              "no fault");
  EXPECT_THROW((void)make_simulation(scenario::parse(
                   "[robot]\nname = \"aiko\"\n[controller]\nname = \"throttle\"\n")),
               InputError)
      << "the snake has no throttle";
  EXPECT_THAT(fault_of(text + "[gait]\nname = \"sidewinding\"\n"),
              HasSubstr("gait.name: goes with robot.model"));
}

TEST_F(OwnModel, AListThatWasRefusedIsNotChecked) {
  const std::string sail = kCart + "drive = \"sail\"\n";
  EXPECT_THAT(fault_of(sail + "[[cart.wheel]]\nradius = 1\n"), HasSubstr("a sail needs no wheels"));
  EXPECT_THAT(faults_of(sail + "wheel = [1, 2]\n"),
              ElementsAre(HasSubstr("cart.wheel.1: expected a table, got 1"),
                          HasSubstr("cart.wheel.2: expected a table, got 2")));
  EXPECT_THAT(fault_of(sail + "[[cart.wheel]]\nradius = \"big\"\n"),
              HasSubstr("cart.wheel.1.radius: expected a number"));
}

TEST_F(OwnModel, ARobotOfTheCatalogueGoesWithItsModels) {
  EXPECT_THAT(fault_of("[robot]\nmodel = \"planar\"\nname = \"racer\"\n"),
              HasSubstr("robot.name: \"racer\" goes with robot.model = \"cart\", this model is "
                        "\"planar\""));
}

TEST_F(OwnModel, ANameIsTakenOnce) {
  EXPECT_THROW(add_robot({.name = "racer"}), Error);
  EXPECT_THROW(add_controller({{.name = "pd"}, nullptr}), Error);
}

}  // namespace own_model_test
}  // namespace coluber::simulation

// A model of one's own with the whole command line: a wheel that rolls upright without slipping.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <coluber/cli/cli.hpp>
#include <coluber/core/state_hash.hpp>
#include <coluber/drive/stepping.hpp>
#include <coluber/simulation/registry.hpp>

namespace {

using namespace coluber;

struct Turn {
  double from = 0.0, to = 0.0;  // s
  double rate_deg = 0.0;
};

struct Unicycle {
  double radius = 0.2;  // m
  double speed = 0.5;   // m/s
  std::vector<Turn> turn{};
};

// Each key once: name, unit, range, doc, example and where its value goes.
const keys::Section& unicycle_keys() {
  static const keys::Section section =
      keys::Table<Unicycle>("robot")
          .row({.name = "wheel_radius",
                .unit = "m",
                .min = 0,
                .above_min = true,
                .doc = "radius of the wheel",
                .example = "0.2"},
               &Unicycle::radius)
          .row({.name = "speed",
                .unit = "m/s",
                .doc = "speed of the wheel's centre",
                .example = "0.5"},
               &Unicycle::speed)
          .list({.name = "turn",
                 .noun = "a turn",
                 .example = "from = 1.0, to = 4.0, rate_deg = 60.0"},
                &Unicycle::turn,
                keys::Table<Turn>("")
                    .row({.name = "from",
                          .unit = "s",
                          .doc = "when the turn begins",
                          .example = "1.0",
                          .required = true},
                         &Turn::from)
                    .row({.name = "to",
                          .unit = "s",
                          .doc = "when it ends",
                          .example = "4.0",
                          .required = true},
                         &Turn::to)
                    .row({.name = "rate_deg",
                          .unit = "deg/s",
                          .doc = "rate of turning, to the left",
                          .example = "60.0",
                          .required = true},
                         &Turn::rate_deg))
          .check([](Unicycle& robot, keys::Check& check) {
            for (std::size_t i = 0; i < robot.turn.size(); ++i) {
              if (robot.turn[i].to > robot.turn[i].from) continue;
              check.fault("robot.turn." + std::to_string(i + 1), "a turn ends before it begins",
                          "give `to` a later time than `from`");
            }
          });
  return section;
}

class UnicycleSystem final : public System {
 public:
  UnicycleSystem(Unicycle robot, double dt) : robot_(std::move(robot)), dt_(dt) {
    table_.add({"position", "m", "of the wheel's centre", {2}, {"x", "y"}, Plotted::scalar},
               [this](std::span<double> out) { out[0] = x_, out[1] = y_; });
    table_.add({"heading", "rad", "direction of travel", {}, {}, Plotted::scalar},
               [this](std::span<double> out) { out[0] = theta_; });
    bodies_ = {{.name = "ground", .shape = ShapeKind::plane, .size = {}, .colour = "#e8e8e8"},
               {.name = "wheel_1",
                .shape = ShapeKind::wheel,
                .size = {robot_.radius, 0.03},
                .colour = "#d55e00",
                .moving = true}};
  }

  [[nodiscard]] double dt() const override { return dt_; }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }

  StepInfo step() override {
    const double t = (static_cast<double>(k_) + 0.5) * dt_;
    double rate = 0.0;  // rad/s
    for (const Turn& turn : robot_.turn) {
      if (turn.from <= t && t < turn.to) rate += turn.rate_deg * 0.017453292519943295;
    }
    const double middle = theta_ + 0.5 * rate * dt_;
    x_ += robot_.speed * dt_ * std::cos(middle);
    y_ += robot_.speed * dt_ * std::sin(middle);
    theta_ += rate * dt_;
    ++k_;
    return {};
  }

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override {  // x y z, then a quaternion: yaw, then roll
    const Eigen::Quaterniond q =
        Eigen::AngleAxisd(theta_, Eigen::Vector3d::UnitZ()) *
        Eigen::AngleAxisd(robot_.speed * time() / robot_.radius, Eigen::Vector3d::UnitY());
    const double pose[] = {x_, y_, robot_.radius, q.w(), q.x(), q.y(), q.z()};
    std::ranges::copy(pose, values.begin());
  }
  [[nodiscard]] std::vector<SummaryItem> summary() const override {
    return {{"displacement", std::hypot(x_, y_), "m"},
            {"path_length", std::abs(robot_.speed) * time(), "m"},
            {"heading_change", theta_, "rad"}};
  }

  // One exchange of the state gives checkpoint and hash.
  bool save_state(ByteWriter& bytes) const override { return exchange(bytes, *this), true; }
  void restore_state(ByteReader& bytes) override { exchange(bytes, *this); }
  [[nodiscard]] std::uint64_t state_hash() const override {
    StateHasher hash(StateHasher::Sizes::counted);
    exchange(hash, *this);
    return hash.finish();
  }

 private:
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes(self.k_, self.x_, self.y_, self.theta_);
  }

  Unicycle robot_;
  double dt_;
  std::int64_t k_ = 0;
  double x_ = 0.0, y_ = 0.0, theta_ = 0.0;
  ObservableTable table_;
  std::vector<Body> bodies_;
};

}  // namespace

int main(int argc, char** argv) {
  simulation::add_model(
      {{{.name = "unicycle", .doc = "a wheel that rolls upright", .sections = {&unicycle_keys()}},
        false,
        false},  // it takes no gait and no controller
       [](const drive::Build& build) -> std::unique_ptr<System> {
         return std::make_unique<UnicycleSystem>(build.get<Unicycle>(),
                                                 build.get<drive::Stepping>().dt);
       }});
  return cli::main(argc, argv);
}

// A gait of your own: lateral undulation whose amplitude grows from head to tail, as in eels.
//   own_gait [SCENARIO]      default: Aiko on the open floor
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include "coluber/core/version.hpp"
#include "coluber/simulation/simulation.hpp"

constexpr double deg = std::numbers::pi / 180.0;

/// phi_i = r(t) A (1 + growth (2 s_i - 1)) sin(omega t + (i - 1) beta), s_i from 0 (head) to 1
/// (tail); r(t) fades in over the first second, so that a straight robot may start with it.
class GrowingWave : public coluber::gait::Gait {
 public:
  explicit GrowingWave(double growth) : growth_(growth) {}

  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    const double x = std::clamp(t, 0.0, 1.0);
    const double r = x * x * (3.0 - 2.0 * x), rdot = 6.0 * x * (1.0 - x);
    for (int i = 0; i < phi_d.size(); ++i) {
      const double s = i / static_cast<double>(phi_d.size() - 1);
      const double a = amplitude * (1.0 + growth_ * (2.0 * s - 1.0)), angle = omega * t + i * beta;
      phi_d(i) = r * a * std::sin(angle);
      phidot_d(i) = rdot * a * std::sin(angle) + r * a * omega * std::cos(angle);
    }
  }

  [[nodiscard]] double max_rate() const override {
    return amplitude * (1.0 + std::abs(growth_)) * (omega + 1.5);
  }

 private:
  static constexpr double amplitude = 40 * deg, omega = 80 * deg, beta = -50 * deg;
  double growth_;
};

int main(int argc, char** argv) try {
  const std::filesystem::path file =
      argc > 1 ? argv[1] : coluber::data_folder() / "scenarios/aiko_floor.toml";
  const auto scenario = coluber::scenario::load(
      file, {"duration=10.0", "world.friction=[0.2, 0.5]", "start.shape=\"straight\""});
  std::printf("growth   net_speed_cm_s  max_torque_N_m\n");
  for (const double growth : {-0.5, 0.0, 0.25, 0.5}) {
    auto simulation = coluber::simulation::make_simulation(scenario);
    simulation.gait = std::make_unique<GrowingWave>(growth);
    const auto outcome = coluber::simulation::run(simulation, {});
    if (outcome.status != coluber::simulation::RunStatus::completed) {
      std::fprintf(stderr, "error: %s\n", outcome.message.c_str());
      return 1;
    }
    const auto value = [&](const char* name) {
      const auto item = std::ranges::find(outcome.summary, name, &coluber::SummaryItem::name);
      return item == outcome.summary.end() ? std::nan("") : item->number();
    };
    std::printf("%6.2f  %15.2f  %14.2f\n", growth, 100.0 * value("net_speed"), value("max_torque"));
  }
  return 0;
} catch (const coluber::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}

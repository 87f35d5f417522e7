// A controller of your own: weak servos that learn the gait. A gait repeats itself, so the torque
// that was missing at this point of the period is added the next time round (repetitive control).
//   own_controller [SCENARIO]      default: Aiko on the open floor
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "coluber/core/version.hpp"
#include "coluber/simulation/simulation.hpp"

/// tau = k_P e + k_D edot (in the step) + learned(phase), learned += gain e once a period.
class LearningServo : public coluber::control::Controller {
 public:
  LearningServo(double gain, double period, double dt, int joints)
      : gain_(gain),
        learned_(Eigen::MatrixXd::Zero(joints, std::lround(period / dt))),
        k_P_(Eigen::VectorXd::Constant(joints, 20.0)),  // N m/rad; Aiko's own servos have 800
        k_D_(Eigen::VectorXd::Constant(joints, 2.0)) {}

  void update(const coluber::control::ControlInput& in, coluber::JointCommand& command) override {
    const Eigen::Index phase = steps_ % learned_.cols();
    if (phase == 0) squares_.push_back(0.0);
    squares_.back() += (in.phi_d_A - in.phi).squaredNorm();

    command.tau = learned_.col(phase);
    command.k_P = k_P_;
    command.phi_d = in.phi_d_E;
    command.k_D = k_D_;
    command.phidot_d = in.phidot_d_E;

    learned_.col(phase) += gain_ * (in.phi_d_A - in.phi);
    ++steps_;
  }

  /// Root mean square error over all joints, one value per period (degrees).
  [[nodiscard]] double error_deg(std::size_t period) const {
    const double mean = squares_.at(period) / static_cast<double>(learned_.size());
    return std::sqrt(mean) * 180.0 / std::numbers::pi;
  }

 private:
  double gain_;              // N m/rad per period
  Eigen::MatrixXd learned_;  // N m, joint × step of the period
  Eigen::VectorXd k_P_, k_D_;
  std::vector<double> squares_;
  Eigen::Index steps_ = 0;
};

int main(int argc, char** argv) try {
  constexpr int periods = 6;
  constexpr double period = 360.0 / 80.0;  // s, gait.omega_deg = 80
  const std::filesystem::path file =
      argc > 1 ? argv[1] : coluber::data_folder() / "scenarios/aiko_floor.toml";
  const auto scenario = coluber::scenario::load(
      file, {"duration=" + std::to_string(periods * period), "gait.omega_deg=80.0"});
  std::printf("period  error_pd_deg  error_learning_deg\n");
  std::vector<std::vector<double>> errors;
  for (const double gain : {0.0, 15.0}) {
    auto simulation = coluber::simulation::make_simulation(scenario);
    const auto& joints = dynamic_cast<const coluber::JointDriven&>(*simulation.system);
    auto servo = std::make_unique<LearningServo>(gain, period, simulation.system->dt(),
                                                 joints.joint_count());
    const LearningServo& learner = *servo;
    simulation.controller = std::move(servo);
    const auto outcome = coluber::simulation::run(simulation, {});
    if (outcome.status != coluber::simulation::RunStatus::completed) {
      std::fprintf(stderr, "error: %s\n", outcome.message.c_str());
      return 1;
    }
    auto& column = errors.emplace_back();
    for (std::size_t k = 0; k < periods; ++k) column.push_back(learner.error_deg(k));
  }
  for (std::size_t k = 0; k < periods; ++k) {
    std::printf("%6zu  %12.3f  %18.3f\n", k + 1, errors[0][k], errors[1][k]);
  }
  return 0;
} catch (const coluber::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}

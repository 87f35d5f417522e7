// What whole runs keep: momentum and energy of a free tree, the momentum equation of the
// snakeboard.

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "coluber/math/ode.hpp"
#include "coluber/multibody/system.hpp"

#include "sample/trees.hpp"

namespace coluber::multibody {
namespace conservation_test {

using Eigen::Vector3d;
using Eigen::VectorXd;

/// Tight tolerances, nothing drawn.
SystemOptions fine(const Model& model, double duration) {
  SystemOptions options;
  options.duration = duration;
  options.solver.integrator = Integrator::dopri5;
  options.solver.rtol = 1e-12;
  options.solver.atol = 1e-13;
  options.drawn.resize(model.bodies.size());
  return options;
}

/// The number that an observable without shape has now.
double value_of(const MultibodySystem& system, const std::string& name) {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t found = 0;
  for (const Observable& each : system.observables()) {
    std::size_t count = 1;
    for (int length : each.shape) count *= static_cast<std::size_t>(length);
    if (each.name == name) found = offset;
    offset += count;
    size = offset;
  }
  std::vector<double> frame(size);
  system.observe(frame);
  return frame[found];
}

/// Of all bodies together, in world axes about the world's origin.
Vector6d momentum_of(const MultibodySystem& system, const Model& model) {
  std::vector<Vector6d> p;
  for (const Data::Body& body : system.data().body) p.push_back(body.momentum);
  for (int j = model.size() - 1; j >= 1; --j) {
    const auto at = static_cast<std::size_t>(j);
    p[static_cast<std::size_t>(model.body(j).parent)] +=
        math::to_parent(system.data().body[at].g, p[at]);
  }
  return math::to_parent(system.configuration().g, p[0]);
}

TEST(FreeFlight, KeepsMomentumAndTheEnergyThatItsMotorsGive) {
  std::mt19937_64 random(6);
  for (int bodies : {5, 12, 25}) {
    const Model model(sample::random_tree(random, bodies));
    const VectorXd a = sample::random_vector(random, model.coordinates, 0.5);
    const VectorXd w = sample::random_vector(random, model.coordinates, 3.0);
    const Program program = [&](double t, Input& input) {
      const Eigen::ArrayXd phase = w.array() * t;
      input.r = (a.array() * phase.sin()).matrix();
      input.rdot = (a.array() * w.array() * phase.cos()).matrix();
      input.rddot = -(w.array().square() * input.r.array()).matrix();
    };
    Start start;
    start.at = sample::at_origin(model);
    start.at.eta = sample::random_vector(random, 6, 1.0);
    MultibodySystem system(model, program, start, fine(model, 3.0));
    ASSERT_TRUE(system.start_outcome().ok());
    const Vector6d p = momentum_of(system, model);
    const double energy = system.data().energy;
    double lost = 0.0;
    double most = energy;
    for (int k = 0; k < 300; ++k) {
      ASSERT_EQ(system.step().status, Status::ok);
      lost = std::max(lost, (momentum_of(system, model) - p).norm());
      most = std::max(most, system.data().energy);
    }
    EXPECT_LE(lost, 1e-9 * p.norm()) << bodies << " bodies";
    EXPECT_LE(std::abs(system.data().energy - energy - value_of(system, "work_servo")), 1e-9 * most)
        << bodies << " bodies";
    EXPECT_GT(std::abs(value_of(system, "work_servo")), 1e-3) << "its motors work";
  }
}

// ṗ = 2 I_r cos²φ φ̇ ψ̇ - tan φ φ̇ p, p = 4 m l² cos²φ ξ + I_r sin 2φ ψ̇: the geometric model that Ali
// compares with at the end of 4.2.2
class MomentumEquation final : public math::Ode {
 public:
  explicit MomentumEquation(Program program, const Model& model)
      : program_(std::move(program)), input_(model) {}
  bool compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                    Eigen::Ref<VectorXd> ydot) override {
    program_(t, input_);
    const double phi = input_.r(2);
    ydot(0) = 2.0 * kI_r * std::pow(std::cos(phi), 2) * input_.rdot(2) * input_.rdot(0) -
              std::tan(phi) * input_.rdot(2) * y(0);
    return true;
  }
  double xi(double t, double p) {
    program_(t, input_);
    const double c = std::cos(input_.r(2));
    return (p - kI_r * std::sin(2.0 * input_.r(2)) * input_.rdot(0)) /
           (4.0 * 4.0 * kL * kL * c * c);
  }
  double phi(double t) {
    program_(t, input_);
    return input_.r(2);
  }
  static constexpr double kI_r = 0.072, kL = 0.2;

 private:
  Program program_;
  Input input_;
};

TEST(Snakeboard, KeepsItsMomentumEquationForThreeCycles) {
  const Model model(sample::snakeboard());
  struct Gait {
    double psi, w_psi, phi, w_phi;
  };
  for (const Gait& gait :
       {Gait{0.7, 1.0, 0.3, 1.0}, Gait{0.7, 2.0, 0.7, 1.0}, Gait{0.7, 3.0, 0.7, 2.0}}) {
    const Program program = sample::snakeboard_gait(gait.psi, gait.w_psi, gait.phi, gait.w_phi);
    Start start;
    start.at = sample::at_origin(model);
    MultibodySystem system(model, program, start, fine(model, 6.0 * sample::pi));
    ASSERT_TRUE(system.start_outcome().ok());
    MomentumEquation equation(program, model);
    math::Dopri5 integrator(1, {.rtol = 1e-13, .atol = 1e-15});
    VectorXd p = VectorXd::Zero(1);
    double off = 0.0;
    double fastest = 0.0;
    while (system.time() < 6.0 * sample::pi) {
      const double before = system.time();
      ASSERT_EQ(system.step().status, Status::ok);
      const double t = system.time();
      ASSERT_EQ(integrator.advance(equation, before, t, p), math::Advance::ok);
      const double xi = equation.xi(t, p(0));
      const double phi = equation.phi(t);
      const Vector6d& eta = system.data().eta_o;
      off = std::max({off, std::abs(eta(0) + 0.4 * std::pow(std::cos(phi), 2) * xi),
                      std::abs(eta(5) - std::sin(2.0 * phi) * xi)});
      fastest = std::max(fastest, std::abs(eta(0)));
    }
    EXPECT_LE(off, 1e-10) << gait.w_psi << ", " << gait.w_phi;
    EXPECT_GT(fastest, 0.01);
  }
}

}  // namespace conservation_test
}  // namespace coluber::multibody

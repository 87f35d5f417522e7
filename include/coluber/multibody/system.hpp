#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/account.hpp"
#include "coluber/core/system.hpp"
#include "coluber/core/torque_peak.hpp"
#include "coluber/drive/adaptive.hpp"
#include "coluber/drive/placed.hpp"
#include "coluber/math/ode.hpp"
#include "coluber/multibody/evaluate.hpp"
#include "coluber/multibody/keys.hpp"

namespace coluber::multibody {

/// What a system needs beside its model and what drives it.
struct SystemOptions {
  double dt = 1e-2;        ///< s
  double duration = 10.0;  ///< s; the cases are told apart at instants within it
  SolverKeys solver{};
  std::vector<coluber::Body> drawn{};  ///< one per body, about its centre of mass
  /// First instant after t (s) where rates of the program jump; none: they never do.
  std::function<double(double t)> next_break{};
};

/// Where a system starts.
struct Start {
  Configuration at{};
  bool without_momentum = false;  ///< the twist is found
  double rest = 1e-9;             ///< the given twist may break the wheels by so much (m/s)
};

/// A tree that is driven by its shape.  Ali 3.8.2
class COLUBER_EXPORT MultibodySystem final : public System, public Placed, public Adaptive {
 public:
  /// Throws Error where the wheels do not determine followers, or a loop cannot be closed.
  MultibodySystem(Model model, Program program, const Start& start, SystemOptions options);
  ~MultibodySystem() override;

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] bool adapts() const override {
    return options_.solver.integrator != Integrator::rk4;
  }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }
  StepInfo step() override;
  [[nodiscard]] const std::vector<StepFigure>& figures() const override { return figures_; }
  [[nodiscard]] std::string advice(const StepInfo& info) const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;
  [[nodiscard]] Eigen::Vector3d place() const override { return at_.g.p; }

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override { observables_.write(frame); }
  [[nodiscard]] const std::vector<coluber::Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override;
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

  /// What is known at the present instant.
  [[nodiscard]] const Data& data() const { return data_; }
  /// Where it is.
  [[nodiscard]] const Configuration& configuration() const { return at_; }
  /// Which case of Table 3.1 it is.
  [[nodiscard]] const Classification& classification() const { return as_; }
  /// Why it could not start; ok if it could.
  [[nodiscard]] const Outcome& start_outcome() const { return outcome_; }

 private:
  class Equations;
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self);
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);
  /// Evaluates an instant (s) and where all bodies are then.
  Outcome look(double t);
  StepInfo refuse(const Outcome& outcome);
  /// What the search for singular instants knows of the start or the end of a step.
  struct Edge {
    double singular_value = 0.0;
    double turning = 0.0;  // no wheel turns faster against link 1 (rad/s)
  };
  [[nodiscard]] Edge edge() const;
  /// Singular instants from t_A to t_E, in which no rate jumps; a real one is the outcome.
  Outcome look_for_singular_instants(const Edge& begin, double t_A, double t_E);
  /// From t_A to t_E, works into `work`, past the breaks of the shape in between.
  Outcome advance(double t_A, double t_E, chain::StepWork& work);
  /// The same where no rate jumps.
  Outcome advance_piece(double t_A, double t_E, chain::StepWork& work);
  /// Twist and works where the rates of the shape jump: at `break_`, with time t in the run.
  Outcome pass_break(double t, chain::StepWork& work);
  /// The breaks that are behind time t.
  void find_break(double t);
  [[nodiscard]] double next_break(double t) const {
    return options_.next_break ? options_.next_break(t) : std::numeric_limits<double>::infinity();
  }
  /// Where the smallest singular value is least (s).
  double least_singular_instant(double a, double b);
  void add_rows();
  void add_bodies();

  Model model_;
  /// Times that the program is asked for: between the break passed last and the next one.
  struct Piece {
    double first = -std::numeric_limits<double>::infinity();
    double last = std::numeric_limits<double>::infinity();
  };
  Piece piece_;
  double break_ = std::numeric_limits<double>::infinity();  // the next one (s)
  Program program_;
  SystemOptions options_;
  EvaluateOptions evaluate_;
  Classification as_;
  Data data_;
  std::int64_t k_ = 0;
  Configuration at_;
  Eigen::VectorXd theta_;  // of the wheels (rad)
  Configuration before_;   // a step that may have to be taken back
  Eigen::VectorXd theta_before_;
  Rows3 rows_A_, rows_E_;  // of the wheels, at the start and the end of a step
  chain::StepWork work_;
  double energy_start_ = 0.0;
  TorquePeak peak_;
  chain::Travel travel_;
  Eigen::VectorXd angle_;  // of each body's x, from above, turns counted (rad)
  std::int64_t singular_instants_ = 0;
  double largest_slip_ = 0.0;
  int slipping_ = 0;         // 1-based wheel
  std::vector<Pose> world_;  // of every body
  std::unique_ptr<Equations> equations_;
  struct Jump;
  std::unique_ptr<Jump> jump_;  // scratch; none where there is no break
  Outcome outcome_;
  double figure_ = 0.0;
  std::vector<StepFigure> figures_;
  ObservableTable observables_;
  std::vector<coluber::Body> bodies_;
  std::vector<ArrowFamily> arrows_;
};

}  // namespace coluber::multibody

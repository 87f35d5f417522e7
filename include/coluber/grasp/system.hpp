#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/account.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/placed.hpp"
#include "coluber/grasp/control.hpp"
#include "coluber/grasp/keys.hpp"
#include "coluber/grasp/plan.hpp"
#include "coluber/grasp/stiffness.hpp"
#include "coluber/math/ode.hpp"
#include "coluber/world/capsules.hpp"

namespace coluber::grasp {

/// What a system needs beside its model and where it starts.
struct SystemOptions {
  double dt = 1e-2;        ///< s
  double duration = 10.0;  ///< s
  Integrator integrator = Integrator::rk4;
  ControllerKeys controller{};
  std::vector<TaskKeys> tasks{};
  std::optional<Object> object{};
  Place place{};  ///< of the object at the start
  std::optional<StiffnessKeys> stiffness{};
};

/// Why a run cannot go on.
enum class Fault : std::uint8_t {
  none,
  not_finite,
  input,      ///< a joint would turn faster than input_limit
  contact,    ///< a contact has left its place
  joint,      ///< a lasso has bent a joint past 85 degrees
  collision,  ///< the robot touches itself
  apart,      ///< a link that should touch the object does not
  overlap,    ///< a link is inside the object
  inside,     ///< the joint that a lasso would close is inside the object's circle
  beyond,     ///< the tangent from that joint is longer than the link
  stalled,    ///< an adaptive gain has come to nothing
  loose,      ///< a drag without a contact
};

/// A chain on wheels that wraps an object with its front and carries it.  Atakan 2005
///
/// All is kinematic: joint rates are the input, the contacts carry the object.
class COLUBER_EXPORT GraspSystem final : public System, public Placed {
 public:
  /// At its start; start_fault() says whether it could.
  GraspSystem(const Model& model, const Configuration& start, SystemOptions options);
  ~GraspSystem() override;

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] std::int64_t step_count() const override { return state_.k; }
  StepInfo step() override;
  [[nodiscard]] const std::vector<StepFigure>& figures() const override { return figures_; }
  [[nodiscard]] std::string advice(const StepInfo& info) const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;
  [[nodiscard]] Eigen::Vector3d place() const override { return state_.q.P0; }

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override { observables_.write(frame); }
  [[nodiscard]] const std::vector<coluber::Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

  /// Why it could not start, or why the last step was not taken.
  [[nodiscard]] Fault fault() const { return fault_; }
  /// What the fault is about: link or joint, counted from 1, and a figure of it.
  [[nodiscard]] int fault_index() const { return fault_index_; }
  /// The figure.
  [[nodiscard]] double fault_figure() const { return fault_figure_; }
  /// In words.
  [[nodiscard]] std::string fault_words() const;
  /// Where it is.
  [[nodiscard]] const Configuration& configuration() const { return state_.q; }
  /// Its links.
  [[nodiscard]] const Chain& chain() const { return chain_; }
  /// The rows of the present task.
  [[nodiscard]] const Rows& rows() const { return rows_; }
  /// What the control law found.
  [[nodiscard]] const Control& control() const { return control_; }
  /// Links laid on the object so far.
  [[nodiscard]] std::span<const Contact> laid() const { return state_.contacts; }
  /// Of the object.
  [[nodiscard]] const Place& object_place() const { return state_.object; }
  /// How far each link is from where it touched (m); NaN before it did.
  [[nodiscard]] const Eigen::VectorXd& drift() const { return state_.drift; }
  /// Axis to axis less rho, of every link (m).
  [[nodiscard]] const Eigen::VectorXd& clearance() const { return clearance_; }
  /// Of the robot to itself (m).
  [[nodiscard]] const world::SelfDistance& self_distance() const { return self_; }
  /// The feedback gain now (1/s).
  [[nodiscard]] double gain() const { return state_.gain; }
  /// Stiffness of the grasp, if it is computed and there are contacts.
  [[nodiscard]] bool compute_stiffness(Matrix6d& kappa) const;

 private:
  class Equations;
  // What a step changes: copied before one that may have to be taken back.
  struct State {
    State(const Model& model, const Configuration& start);
    std::int64_t k = 0;
    Configuration q;
    std::int64_t phase = 0;
    Wish wish;
    std::vector<Contact> contacts;
    Place object{};
    Eigen::VectorXd drift;
    double gain = 0.0;
    Scaled D_first{}, D_before{}, D_last{};  // for the gain
    int D_count = 0;
    chain::Travel travel;
    double largest_input = 0.0, largest_slip = 0.0, largest_drift = 0.0;
    double least_self = std::numeric_limits<double>::infinity();
  };
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self);
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);

  [[nodiscard]] const Phase& phase() const {
    return phases_[static_cast<std::size_t>(state_.phase)];
  }
  [[nodiscard]] const TaskKeys& task() const {
    return options_.tasks[static_cast<std::size_t>(phase().task)];
  }
  /// Chain, rows, wish and inputs at time t for `q`; the gain stands.
  bool evaluate(double t, const Configuration& q);
  /// The same at the present state; `advance`: the gain follows, sums are kept.
  Fault look(double t, bool advance);
  void update_gain();
  void update_distances();
  void update_drift();
  /// Finds what must not be at the end of a step.
  Fault judge();
  [[nodiscard]] bool has_stalled() const;
  /// The wish of the phase that begins.
  Fault begin_phase(double t);
  Fault begin_lasso_phase();
  void begin_pose();
  Fault begin_carry();
  void begin_approach();
  /// The link that a lasso has laid becomes a contact.
  Fault end_phase();
  Fault add_contact(int link);
  void hold_newest(int most);
  void hold_spread();
  /// The joint that a lasso closes moves more easily than others.
  void set_mobility();
  Fault advance(double t, double t_end);
  Fault advance_all(double t_A, double t_E);
  Fault fail(Fault fault, int index, double figure);
  StepInfo refuse(Fault fault);
  [[nodiscard]] int singular_joint() const;
  [[nodiscard]] const Contact* find_contact(int link) const;
  [[nodiscard]] const char* status_word() const;
  void add_rows();
  void add_bodies();

  Model model_;
  SystemOptions options_;
  std::vector<Phase> phases_;
  State state_, before_;
  Chain chain_;
  Rows rows_;
  Control control_;
  Eigen::VectorXd w_d_, wdot_d_, v_, y_, ydot_;
  Eigen::VectorXd clearance_;
  std::vector<world::Capsule> capsules_;
  world::SelfDistance self_{};
  math::Rk4 rk4_;
  std::unique_ptr<Equations> equations_;
  Fault fault_ = Fault::none;
  int fault_index_ = 0, fault_other_ = 0;
  double fault_figure_ = 0.0;
  double figure_ = 0.0;
  std::vector<StepFigure> figures_;
  ObservableTable observables_;
  std::vector<coluber::Body> bodies_;
  std::vector<Eigen::Vector3d> sides_;  // of a prism: half a side, a place and a direction
};

}  // namespace coluber::grasp

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/account.hpp"
#include "coluber/core/system.hpp"
#include "coluber/core/torque_peak.hpp"
#include "coluber/drive/placed.hpp"
#include "coluber/rod/contact.hpp"
#include "coluber/rod/keys.hpp"

namespace coluber::rod {

/// What a system needs beside its model, its shape and its contacts.
struct SystemOptions {
  double dt = 1e-2;  ///< s
  SolverKeys solver{};
  bool unilateral = false;  ///< count contacts that would have to pull
  double torque_limit = std::numeric_limits<double>::infinity();  ///< N m
};

/// Where a rod starts.
struct Start {
  Pose g{};                         ///< of the head
  Vector6d eta = Vector6d::Zero();  ///< its twist; read where forces move the rod
  bool without_momentum = false;    ///< the twist is found
};

/// A rod that is driven by its strains.  Ali, chapters 5, 6
class COLUBER_EXPORT RodSystem final : public System, public Placed {
 public:
  /// At its start; start_fault() says whether it could.
  RodSystem(Model model, std::unique_ptr<StrainLaw> strain, ContactModel contact,
            const Start& start, const SystemOptions& options);
  ~RodSystem() override;

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }
  StepInfo step() override;
  [[nodiscard]] const std::vector<StepFigure>& figures() const override { return figures_; }
  [[nodiscard]] std::string advice(const StepInfo& info) const override;
  [[nodiscard]] Eigen::Vector3d place() const override { return g_.p; }

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override;
  [[nodiscard]] const std::vector<coluber::Body>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Curve>& curves() const override { return curves_; }
  void curve(std::size_t curve, std::span<double> values) const override;
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

  /// What is known at the present instant.
  [[nodiscard]] const Data& data() const { return data_; }
  /// Of the contacts.
  [[nodiscard]] const ContactData& contact_data() const { return contacts_; }
  /// Why it could not start.
  [[nodiscard]] Fault start_fault() const { return fault_; }

 private:
  class Equations;
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self);
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);
  [[nodiscard]] bool kinematic() const { return contact_.kind != ContactKind::none; }
  /// Between two breaks of the shape: the instants at which it may be asked.
  struct Piece {
    double first = -std::numeric_limits<double>::infinity();
    double last = std::numeric_limits<double>::infinity();
  };
  /// Time t on this side of the breaks.
  [[nodiscard]] double within(double t) const { return std::clamp(t, piece_.first, piece_.last); }
  /// The breaks that are behind time t.
  void find_break(double t);
  /// The next break is at t, the present instant: the rates jump. Works into `work`.
  Fault pass_break(double t, chain::StepWork& work);
  /// Everything at the present pose and time t.
  Fault look(double t);
  /// The powers of the instant looked at.
  [[nodiscard]] chain::StepWork powers() const;
  /// A section is held, by what does not move.
  [[nodiscard]] bool is_held_still() const;
  /// From t to t_end without a switch in between.
  Fault advance(double t, double t_end);
  /// The section that is held from t on stays where it is.
  Fault take_hold(double t);
  /// From t to t_end without a break or a switch in between, contacts determine the motion; works
  /// into `work`. By the powers of the steps before, or by a look at the middle.
  Fault advance_known(double t, double t_end, chain::StepWork& work);
  Fault advance_looked(double t, double t_end, chain::StepWork& work);
  /// From time t_A to t_E without a break in between; works into `work`.
  Fault advance_piece(double t_A, double t_E, chain::StepWork& work);
  /// The same past breaks.
  Fault advance_all(double t_A, double t_E, chain::StepWork& work);
  void count();
  StepInfo refuse(Fault fault);
  void add_rows();
  void add_bodies();

  Model model_;
  std::unique_ptr<StrainLaw> strain_;
  ContactModel contact_;
  SystemOptions options_;
  Data data_;
  mutable ContactData contacts_;  // compatibility is found when it is recorded
  std::int64_t k_ = 0;
  Pose g_{};                         // of the head
  Vector6d eta_ = Vector6d::Zero();  // of the head, where forces move the rod
  double S_ = 0.0;                   // along the path, where the law does not say it (m)
  Pose g_c_{};                       // of the section held
  int clamp_ = 0;                    // which
  /// Powers at the starts of the last steps, the newest first; all since a switch or a break.
  struct Past {
    std::array<Eigen::Vector4d, 3> powers{Eigen::Vector4d::Zero(), Eigen::Vector4d::Zero(),
                                          Eigen::Vector4d::Zero()};
    std::uint64_t size = 0;
    void add(const Eigen::Vector4d& power) {
      powers[2] = powers[1];
      powers[1] = powers[0];
      powers[0] = power;
      size = std::min<std::uint64_t>(size + 1, powers.size());
    }
  };
  Past past_;
  Piece piece_;
  double break_ = std::numeric_limits<double>::infinity();  // the next (s)
  std::vector<Vector6d> twist_before_;                      // of each contact's section, at a break
  chain::StepWork work_;
  double energy_start_ = 0.0;
  double heading_ = 0.0;  // of t_X, from above, turns counted (rad)
  TorquePeak peak_;
  chain::Travel travel_;
  Eigen::Vector3d stride_from_ = Eigen::Vector3d::Zero();
  double stride_ = 0.0;
  double condition_max_ = 1.0;
  int rank_min_ = 6;
  std::int64_t pulls_ = 0, overloads_ = 0;
  Eigen::VectorXd side_;    // of each contact: the side it pushes to, 0 before it does
  Eigen::VectorXd last_X_;  // of each contact
  std::unique_ptr<Equations> equations_;
  Fault fault_ = Fault::none;
  double figure_ = 0.0;
  std::vector<StepFigure> figures_;
  std::vector<double> abscissa_;
  mutable std::vector<Strains> strain_now_;  // of the sections, when they are recorded
  ObservableTable observables_;
  std::vector<coluber::Body> bodies_;
  std::vector<Curve> curves_;
  std::vector<ArrowFamily> arrows_;
  std::vector<int> drawn_;  // sections
};

}  // namespace coluber::rod

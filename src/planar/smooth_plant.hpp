#pragma once

#include <limits>

#include <Eigen/Core>

#include "coluber/chain/step_work.hpp"
#include "coluber/drive/feedback.hpp"
#include "coluber/planar/minimal.hpp"
#include "coluber/planar/smooth_system.hpp"

#include "math/cvode_integrator.hpp"

namespace coluber::planar {

/// What a step adds up along its way.
struct SmoothPath {
  explicit SmoothPath(Eigen::Index n) : ground(Eigen::Matrix2Xd::Zero(2, n)) {}
  void clear() {
    ground.setZero();
    work = {};
    steps = 0;
    max_torque = 0.0;
  }
  Eigen::Matrix2Xd ground;  // N s on each link
  chain::StepWork work;
  int steps = 0;            // of the integrator
  double max_torque = 0.0;  // N m
};

/// The equations of motion under a feedback, and their integrator.  Transeth (6.14)
class SmoothSystem::Plant final : public math::Ode {
 public:
  Plant(const Model& model, const SmoothOptions& options);

  bool compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                    Eigen::Ref<VectorXd> ydot) override;
  bool compute_jacobian(double t, const Eigen::Ref<const VectorXd>& y,
                        const Eigen::Ref<const VectorXd>& ydot, Eigen::Ref<MatrixXd> J) override;

  /// Starts afresh from `y` at `t`.
  void restart(Feedback& feedback, double t, const Eigen::Ref<const VectorXd>& y);
  /// From where the last call ended to `t_E`; `y` is the state there. What is added up goes to
  /// path(), if `add`.
  StepInfo run(Feedback& feedback, double t_E, bool add, VectorXd& y);
  /// Torques and kinetic energy at (t, y).
  double observe(Feedback& feedback, double t, const Eigen::Ref<const VectorXd>& y,
                 Eigen::Ref<VectorXd> tau);
  double kinetic_energy(const Eigen::Ref<const VectorXd>& y);

  [[nodiscard]] const SmoothPath& path() const { return path_; }
  [[nodiscard]] const math::CvodeIntegrator& integrator() const { return integrator_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  void update_motion(const Eigen::Ref<const VectorXd>& y);
  void update_torque(double t, const Eigen::Ref<const VectorXd>& y);
  [[nodiscard]] double largest_torque() const {
    return tau_.size() > 0 ? tau_.cwiseAbs().maxCoeff() : 0.0;
  }
  /// Work and impulses from `from` to `to`, along the last internal step.
  void add_up(double from, double to);
  void note_fault(const Eigen::Ref<const VectorXd>& ydot);

  struct Fault {
    const char* quantity = "";
    int index = 0;
  };

  const Model& model_;
  const SmoothOptions& options_;
  RobotData data_;
  SmoothPath path_;
  Eigen::Index size_;  // of q
  VectorXd y_, rate_, tau_;
  BaseState base_;
  Feedback* feedback_ = nullptr;
  double break_ = kNever;      // no internal step goes beyond it
  double left_ = kNever;       // last instant asked for before it
  double done_ = 0.0;          // so far the path is added up
  double first_torque_ = 0.0;  // the largest where the integrator last started (N m)
  Fault fault_;
  math::CvodeIntegrator integrator_;
};

}  // namespace coluber::planar

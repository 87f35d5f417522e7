#include "coluber/planar/smooth_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/assert.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/hash.hpp"
#include "coluber/math/sincos.hpp"

#include "cvode_integrator.hpp"
#include "observed.hpp"
#include "robot_kinematics.hpp"

namespace coluber::planar {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint32_t version = 1;
constexpr std::int64_t most_iterations = std::int64_t{1} << 62U;  // leaves room to add

// Gauss's two points on [0, 1], weights 1/2: exact up to degree three
constexpr std::array<double, 2> kGaussPoint{0.21132486540518713, 0.78867513459481287};

void require_valid(const SmoothOptions& options) {
  const auto demand = [](bool good, const char* what, double value) {
    if (!good) throw Error(fmt::format("smooth robot model: {} is {}", what, value));
  };
  const auto positive = [](double value) { return std::isfinite(value) && value > 0.0; };
  demand(positive(options.dt), "dt", options.dt);
  demand(positive(options.friction.eps_C), "the width of the friction law", options.friction.eps_C);
  demand(positive(options.rtol), "rtol", options.rtol);
  demand(positive(options.atol), "atol", options.atol);
  demand(positive(options.restart), "the time between restarts", options.restart);
  demand(options.max_steps > 0, "max_steps", options.max_steps);
}

/// Torques of a command whose references stand still.
class Commanded final : public Feedback {
 public:
  explicit Commanded(const JointCommand& command) : command_(command) {}
  void compute_torque(double /*t*/, const Eigen::Ref<const VectorXd>& phi,
                      const Eigen::Ref<const VectorXd>& phidot, const BaseState& /*base*/,
                      Eigen::Ref<VectorXd> tau) override {
    for (Eigen::Index j = 0; j < tau.size(); ++j) tau(j) = command_.torque(j, phi(j), phidot(j));
  }
  [[nodiscard]] double next_break(double /*t*/) const override { return kNever; }

 private:
  const JointCommand& command_;
};

/// What a step adds up along its way.
struct Path {
  explicit Path(Eigen::Index n) : ground(Eigen::Matrix2Xd::Zero(2, n)) {}
  void clear() {
    ground.setZero();
    work = {};
    steps = 0;
    max_torque = 0.0;
  }
  Eigen::Matrix2Xd ground;  // N s on each link
  StepWork work;
  int steps = 0;            // of the integrator
  double max_torque = 0.0;  // N m
};

const char* name_of(Advance failure) {
  switch (failure) {
    case Advance::error_test:
      return "CVODE: the error stays above the tolerance at the smallest step";
    case Advance::newton:
      return "CVODE: Newton's iteration does not converge at the smallest step";
    default:
      return "CVODE gave up";
  }
}

}  // namespace

/// The equations of motion under a feedback, and their integrator.  Transeth (6.14)
class SmoothSystem::Plant final : public Ode {
 public:
  Plant(const Model& model, const SmoothOptions& options)
      : model_(model),
        options_(options),
        data_(model),
        path_(model.n()),
        size_(model.n() + 2),
        y_(2 * size_),
        rate_(2 * size_),
        tau_(model.n() - 1),
        integrator_(*this, 2 * size_, options.rtol, options.atol) {}

  bool compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                    Eigen::Ref<VectorXd> ydot) override {
    // At a break the torques are those after it; what leads up to it has those before.
    update_torque(std::min(t, left_), y);
    smooth_dynamics(model_, options_.friction, y.head(size_), y.tail(size_), tau_, data_,
                    ydot.tail(size_));
    ydot.head(size_) = y.tail(size_);
    if (ydot.allFinite()) return true;
    note_fault(ydot);
    return false;
  }

  // Forward differences, the rates of q known. Differs from CVODE's own, whose increments go down
  // with the entry itself: a joint held at zero then has a column of rounding errors, and Newton's
  // iteration fails. An increment of 1e-9 is far below the width of any sensible friction law.
  bool compute_jacobian(double t, const Eigen::Ref<const VectorXd>& y,
                        const Eigen::Ref<const VectorXd>& ydot, Eigen::Ref<MatrixXd> J) override {
    constexpr double root_epsilon = 1.4901161193847656e-8;
    y_ = y;
    bool good = true;
    for (Eigen::Index j = 0; j < 2 * size_; ++j) {
      const double before = y_(j);
      y_(j) += root_epsilon * std::max(std::abs(before), 0.1);
      good = compute_rate(t, y_, rate_) && good;
      J.col(j).head(size_).setZero();
      J.col(j).tail(size_) = (rate_.tail(size_) - ydot.tail(size_)) / (y_(j) - before);
      y_(j) = before;
    }
    J.topRightCorner(size_, size_).setIdentity();
    return good;
  }

  /// Starts afresh from `y` at `t`.
  void restart(Feedback& feedback, double t, const Eigen::Ref<const VectorXd>& y) {
    break_ = feedback.next_break(t);
    // CVODE cannot step to a break that is as good as here
    while (break_ - t <= 1e-12 * std::max(1.0, std::abs(t))) {
      t = break_;
      break_ = feedback.next_break(t);
    }
    left_ = break_ - 1e-13 * std::max(1.0, std::abs(break_));  // rounding may blur the instant
    if (break_ == kNever) left_ = kNever;
    integrator_.restart(t, y);
    done_ = t;
    feedback_ = &feedback;
    update_torque(t, y);  // they may have jumped, and be largest just here
    first_torque_ = largest_torque();
  }

  /// From where the last call ended to `t_E`; `y` is the state there. What is added up goes to
  /// path(), if `add`.
  StepInfo run(Feedback& feedback, double t_E, bool add, VectorXd& y) {
    feedback_ = &feedback;
    path_.clear();
    path_.max_torque = std::exchange(first_torque_, 0.0);
    fault_ = {};
    StepInfo info;
    while (true) {
      const double to = std::min(integrator_.t(), t_E);
      if (to > done_) {
        if (add) add_up(done_, to);
        done_ = to;
      }
      if (done_ >= t_E) break;
      if (integrator_.t() >= break_) {
        integrator_.interpolate(integrator_.t(), y_);
        restart(feedback, integrator_.t(), y_);
        path_.max_torque = std::max(path_.max_torque, std::exchange(first_torque_, 0.0));
        continue;
      }
      const Advance advance = integrator_.advance(break_);
      info.iterations = ++path_.steps;
      const bool too_many = advance == Advance::ok && path_.steps > options_.max_steps;
      if (advance == Advance::non_finite || (too_many && fault_.index > 0)) {
        info.status = Status::non_finite;
        info.quantity = fault_.quantity;
        info.index = fault_.index;
        return info;
      }
      if (advance != Advance::ok || too_many) {
        info.status = Status::not_converged;
        info.quantity = too_many ? "CVODE: too many steps" : name_of(advance);
        return info;
      }
    }
    integrator_.interpolate(t_E, y);
    return info;
  }

  /// Torques and kinetic energy at (t, y).
  double observe(Feedback& feedback, double t, const Eigen::Ref<const VectorXd>& y,
                 Eigen::Ref<VectorXd> tau) {
    feedback_ = &feedback;
    update_torque(t, y);
    tau = tau_;
    return kinetic_energy(y);
  }

  double kinetic_energy(const Eigen::Ref<const VectorXd>& y) {
    update_motion(y);
    double energy = 0.0;
    for (Eigen::Index i = 0; i < data_.m.size(); ++i) {
      const double turn = data_.b(i) * data_.omega(i);
      const double v_x = data_.w_x(i) - turn * data_.sin(i);
      const double v_y = data_.w_y(i) + turn * data_.cos(i);
      energy += 0.5 * (data_.m(i) * (v_x * v_x + v_y * v_y) +
                       data_.Theta(i) * data_.omega(i) * data_.omega(i));
    }
    return energy;
  }

  [[nodiscard]] const Path& path() const { return path_; }
  [[nodiscard]] const CvodeIntegrator& integrator() const { return integrator_; }

 private:
  void update_motion(const Eigen::Ref<const VectorXd>& y) {
    const auto q = y.head(size_);
    const auto qdot = y.tail(size_);
    update_positions(q(2), q.tail(size_ - 3), data_);
    update_velocities(root_of(q, qdot), qdot.tail(size_ - 3), data_);
  }

  void update_torque(double t, const Eigen::Ref<const VectorXd>& y) {
    base_.r = y.head<2>();
    base_.theta = y(2);
    base_.v = y.segment<2>(size_);
    base_.thetadot = y(size_ + 2);
    feedback_->compute_torque(t, y.segment(3, size_ - 3), y.tail(size_ - 3), base_, tau_);
  }

  [[nodiscard]] double largest_torque() const {
    return tau_.size() > 0 ? tau_.cwiseAbs().maxCoeff() : 0.0;
  }

  /// Work and impulses from `from` to `to`, along the last internal step.
  void add_up(double from, double to) {
    const double length = to - from;
    const double weight = 0.5 * length;
    for (const double point : kGaussPoint) {
      const double t = from + point * length;
      integrator_.interpolate(t, y_);
      update_torque(t, y_);
      path_.max_torque = std::max(path_.max_torque, largest_torque());
      update_motion(y_);
      update_friction(options_.friction, data_);
      path_.ground.row(0) += weight * data_.F_x.transpose();
      path_.ground.row(1) += weight * data_.F_y.transpose();
      path_.work.friction += weight * data_.friction_power;
      path_.work.servo += weight * tau_.dot(y_.tail(size_ - 3));
      double momentum = 0.0;  // along the slope, times its pull
      for (Eigen::Index i = 0; i < data_.m.size(); ++i) {
        const double turn = data_.b(i) * data_.omega(i);
        momentum += data_.m(i) * (data_.pull.x() * (data_.w_x(i) - turn * data_.sin(i)) +
                                  data_.pull.y() * (data_.w_y(i) + turn * data_.cos(i)));
      }
      path_.work.gravity += weight * momentum;
    }
  }

  void note_fault(const Eigen::Ref<const VectorXd>& ydot) {
    for (Eigen::Index j = 0; j < tau_.size(); ++j) {
      if (!std::isfinite(tau_(j))) {
        fault_ = {"torque of joint", static_cast<int>(j) + 1};
        return;
      }
    }
    for (Eigen::Index i = 0; i < size_; ++i) {
      if (!std::isfinite(ydot(i)) || !std::isfinite(ydot(size_ + i))) {
        fault_ = {"velocity of link", static_cast<int>(std::max<Eigen::Index>(i - 1, 1))};
        return;
      }
    }
  }

  struct Fault {
    const char* quantity = "";
    int index = 0;
  };

  const Model& model_;
  const SmoothOptions& options_;
  RobotData data_;
  Path path_;
  Eigen::Index size_;  // of q
  VectorXd y_, rate_, tau_;
  BaseState base_;
  Feedback* feedback_ = nullptr;
  double break_ = kNever;      // no internal step goes beyond it
  double left_ = kNever;       // last instant asked for before it
  double done_ = 0.0;          // so far the path is added up
  double first_torque_ = 0.0;  // the largest where the integrator last started (N m)
  Fault fault_;
  CvodeIntegrator integrator_;
};

SmoothSystem::SmoothSystem(Model model, const State& start, const SmoothOptions& options)
    : model_((planar::require_valid(model), std::move(model))),
      options_((require_valid(options), options)),
      restart_steps_(
          std::max<std::int64_t>(1, std::llround(std::min(options.restart / options.dt, 1e9)))),
      observables_(make_observables(model_.n())),
      bodies_(make_bodies(model_)),
      y_(VectorXd::Zero(2 * (model_.n() + 2))),
      tau_(VectorXd::Zero(model_.n() - 1)),
      ground_sum_(Eigen::Matrix2Xd::Zero(2, model_.n())),
      obstacle_sum_(Eigen::Matrix2Xd::Zero(2, model_.n())) {
  if (!model_.obstacles.empty()) throw Error("the smooth robot model has no obstacles");
  const int n = model_.n();
  if (start.phi.size() != n - 1) {
    throw Error(fmt::format("the start has {} joint angles, the model needs {} ({} links)",
                            start.phi.size(), n - 1, n));
  }
  plant_ = std::make_unique<Plant>(model_, options_);

  pose_.resize(n);
  compute_pose_at_time(model_, start, 0.0, pose_);  // at rest or not: q(0) is the start's
  const Link& link = model_.links.front();
  const double behind = 0.5 * link.L + link.offset;
  const Vector2d axis{pose_.cos(0), pose_.sin(0)};
  auto q = y_.head(n + 2);
  auto qdot = y_.tail(n + 2);
  q.head<2>() = pose_.origin + pose_.r.col(0) - behind * axis;
  q(2) = pose_.theta(0);
  q.tail(n - 1) = start.phi;
  qdot(2) = start.u(2);
  qdot.head<2>() = start.u.head<2>() - behind * start.u(2) * Vector2d{-axis.y(), axis.x()};
  qdot.tail(n - 1) = start.phidot;
  anchor_y_ = y_E_ = y_;
  phi_d_ = start.phi;
  kinetic_energy_ = plant_->kinetic_energy(y_);
  update_pose();
  start_ << pose_.origin, pose_.theta(model_.base());
}

SmoothSystem::~SmoothSystem() = default;

bool SmoothSystem::is_built() { return CvodeIntegrator::is_built(); }

SmoothSystem::Statistics SmoothSystem::statistics() const {
  const CvodeIntegrator& integrator = plant_->integrator();
  return {integrator.steps(), integrator.evaluations(), integrator.restarts()};
}

void SmoothSystem::update_pose() const {
  const auto n = model_.n();
  const auto b = model_.base();
  double theta = y_(2);
  Vector2d at = y_.head<2>();
  for (int i = 0; i <= b; ++i) {
    const Link& link = model_.links[static_cast<std::size_t>(i)];
    if (i > 0) theta += y_(i + 2);
    double sin = 0.0;
    double cos = 1.0;
    math::sincos(theta, sin, cos);
    at += (i < b ? link.L : 0.5 * link.L + link.offset) * Vector2d{cos, sin};
  }
  compute_pose(model_, {at.x(), at.y(), theta}, y_.segment(3, n - 1), pose_);
}

void SmoothSystem::joint_state(Eigen::Ref<VectorXd> phi, Eigen::Ref<VectorXd> phidot) const {
  phi = y_.segment(3, model_.n() - 1);
  phidot = y_.tail(model_.n() - 1);
}

bool SmoothSystem::base_state(BaseState& base) const {
  const auto size = model_.n() + 2;
  base.r = y_.head<2>();
  base.theta = y_(2);
  base.v = y_.segment<2>(size);
  base.thetadot = y_(size + 2);
  return true;
}

StepInfo SmoothSystem::step(const JointCommand& command) {
  COLUBER_ASSERT(command.tau.size() == joint_count(), command.tau.size(), joint_count());
  Commanded feedback(command);
  const StepInfo info = advance(feedback, command.phi_d, true);
  running_ = false;  // the next command asks for something else
  return info;
}

StepInfo SmoothSystem::step_under(Feedback& feedback, const Eigen::Ref<const VectorXd>& phi_d) {
  return advance(feedback, phi_d, false);
}

StepInfo SmoothSystem::advance(Feedback& feedback, const Eigen::Ref<const VectorXd>& phi_d,
                               bool afresh) {
  const double t_A = time();
  const double t_E = static_cast<double>(k_ + 1) * options_.dt;
  bool fresh = afresh || !running_ || k_ % restart_steps_ == 0;
  running_ = false;  // until the step has come out
  StepInfo info;
  if (replay_ && !fresh) {
    // step by step, as it went the first time: it must come out again
    plant_->restart(feedback, static_cast<double>(anchor_k_) * options_.dt, anchor_y_);
    for (std::int64_t k = anchor_k_; k < k_; ++k) {
      info = plant_->run(feedback, static_cast<double>(k + 1) * options_.dt, false, y_E_);
      if (info.status != Status::ok) return info;
    }
  }
  replay_ = false;
  // 1. the integrator runs on, or starts here
  // 2. if it gives up in the course of a run, it may manage from a fresh start
  for (bool again = !fresh;; again = false) {
    if (fresh) {
      plant_->restart(feedback, t_A, y_);
      anchor_k_ = k_;
      anchor_y_ = y_;
    }
    info = plant_->run(feedback, t_E, true, y_E_);
    if (info.status == Status::ok || !again) break;
    fresh = true;
  }
  if (info.status != Status::ok) return info;
  running_ = true;

  y_ = y_E_;
  ++k_;
  phi_d_ = phi_d;
  const double energy = plant_->observe(feedback, t_E, y_, tau_);
  const Path& path = plant_->path();
  ground_sum_ += path.ground;
  work_.servo += path.work.servo;
  work_.friction += path.work.friction;
  work_.gravity += path.work.gravity;
  work_.scheme +=
      energy - kinetic_energy_ - (path.work.servo + path.work.friction + path.work.gravity);
  kinetic_energy_ = energy;
  frame_iterations_ += path.steps;
  torque_peak_.update(path.max_torque, t_E);
  torque_peak_.update(tau_, t_E);
  return info;
}

void SmoothSystem::start_frame() {
  ground_sum_.setZero();
  frame_start_ = k_;
  frame_iterations_ = 0;
}

void SmoothSystem::observe(std::span<double> frame) const {
  update_pose();
  const auto steps = static_cast<double>(k_ - frame_start_);
  const int joints = joint_count();
  write_frame({.pose = pose_,
               .phi = y_.segment(3, joints),
               .phidot = y_.tail(joints),
               .tau = tau_,
               .phi_d = phi_d_,
               .obstacle_sum = obstacle_sum_,
               .ground_sum = ground_sum_,
               .per_second = steps > 0.0 ? 1.0 / (steps * options_.dt) : 0.0,
               .energy = kinetic_energy_,
               .work = work_,
               .iterations = steps > 0.0 ? static_cast<double>(frame_iterations_) / steps : 0.0},
              frame);
}

void SmoothSystem::poses(std::span<double> values) const {
  update_pose();
  write_poses(model_, pose_, values);
}

std::vector<SummaryItem> SmoothSystem::summary() const {
  update_pose();
  return make_summary(model_, pose_, start_, time(), work_, torque_peak_, 0.0);
}

std::uint64_t SmoothSystem::state_hash() const {
  Hasher hash;
  hash.update(k_);
  hash.update(std::span<const double>(y_.data(), static_cast<std::size_t>(y_.size())));
  return hash.finish();
}

template <typename Bytes, typename Self>
void SmoothSystem::exchange_state(Bytes& bytes, Self& self) {
  bytes(self.k_, self.y_, self.anchor_k_, self.anchor_y_, self.running_);
}

template <typename Bytes, typename Self>
void SmoothSystem::exchange_sums(Bytes& bytes, Self& self) {
  auto& [servo, friction, contact, gravity, scheme] = self.work_;
  bytes(self.tau_, self.phi_d_, self.kinetic_energy_);  // observed until the next step
  bytes(self.ground_sum_, self.frame_start_, self.frame_iterations_);
  bytes(servo, friction, contact, gravity, scheme);
  TorquePeak::exchange(bytes, self.torque_peak_);
  bytes(self.start_);
}

bool SmoothSystem::save_state(ByteWriter& bytes) const {
  bytes.section("smooth", version);
  exchange_state(bytes, *this);
  exchange_sums(bytes, *this);
  return true;
}

void SmoothSystem::restore_state(ByteReader& bytes) {
  bytes.section("smooth", version);
  ByteWriter before;
  exchange_state(before, *this);
  exchange_sums(before, *this);
  try {
    exchange_state(bytes, *this);
    if (k_ < 0 || anchor_k_ < 0 || anchor_k_ > k_ ||
        (running_ && k_ - anchor_k_ > restart_steps_)) {
      bytes.refuse("an impossible number of steps");
    }
    if (!y_.allFinite() || !anchor_y_.allFinite()) bytes.refuse("the state is not finite");
    exchange_sums(bytes, *this);
    if (frame_start_ < 0 || frame_start_ > k_) bytes.refuse("a frame before the first step");
    if (frame_iterations_ < 0 || frame_iterations_ > most_iterations) {
      bytes.refuse("an impossible number of iterations");
    }
  } catch (const Error&) {
    ByteReader back(before.bytes(), "");
    exchange_state(back, *this);
    exchange_sums(back, *this);
    throw;
  }
  replay_ = running_;
}

}  // namespace coluber::planar

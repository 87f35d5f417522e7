#include "smooth_plant.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "robot_kinematics.hpp"

namespace coluber::planar {

namespace {

using math::Advance;

// Gauss's two points on [0, 1], weights 1/2: exact up to degree three
constexpr std::array<double, 2> kGaussPoint{0.21132486540518713, 0.78867513459481287};

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

SmoothSystem::Plant::Plant(const Model& model, const SmoothOptions& options)
    : model_(model),
      options_(options),
      data_(model),
      path_(model.n()),
      size_(model.n() + 2),
      y_(2 * size_),
      rate_(2 * size_),
      tau_(model.n() - 1),
      integrator_(*this, 2 * size_, options.rtol, options.atol, math::Structure::second_order) {}

bool SmoothSystem::Plant::compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                                       Eigen::Ref<VectorXd> ydot) {
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
bool SmoothSystem::Plant::compute_jacobian(double t, const Eigen::Ref<const VectorXd>& y,
                                           const Eigen::Ref<const VectorXd>& ydot,
                                           Eigen::Ref<MatrixXd> J) {
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

void SmoothSystem::Plant::restart(Feedback& feedback, double t,
                                  const Eigen::Ref<const VectorXd>& y) {
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

StepInfo SmoothSystem::Plant::run(Feedback& feedback, double t_E, bool add, VectorXd& y) {
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
    ++path_.steps;
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

double SmoothSystem::Plant::observe(Feedback& feedback, double t,
                                    const Eigen::Ref<const VectorXd>& y, Eigen::Ref<VectorXd> tau) {
  feedback_ = &feedback;
  update_torque(t, y);
  tau = tau_;
  return kinetic_energy(y);
}

double SmoothSystem::Plant::kinetic_energy(const Eigen::Ref<const VectorXd>& y) {
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

void SmoothSystem::Plant::update_motion(const Eigen::Ref<const VectorXd>& y) {
  const auto q = y.head(size_);
  const auto qdot = y.tail(size_);
  update_positions(q(2), q.tail(size_ - 3), data_);
  update_velocities(root_of(q, qdot), qdot.tail(size_ - 3), data_);
}

void SmoothSystem::Plant::update_torque(double t, const Eigen::Ref<const VectorXd>& y) {
  base_.r = y.head<2>();
  base_.theta = y(2);
  base_.v = y.segment<2>(size_);
  base_.thetadot = y(size_ + 2);
  feedback_->compute_torque(t, y.segment(3, size_ - 3), y.tail(size_ - 3), base_, tau_);
}

void SmoothSystem::Plant::add_up(double from, double to) {
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
    path_.work.positive += weight * tau_.cwiseProduct(y_.tail(size_ - 3)).cwiseMax(0.0).sum();
    double momentum = 0.0;  // along the slope, times its pull
    for (Eigen::Index i = 0; i < data_.m.size(); ++i) {
      const double turn = data_.b(i) * data_.omega(i);
      momentum += data_.m(i) * (data_.pull.x() * (data_.w_x(i) - turn * data_.sin(i)) +
                                data_.pull.y() * (data_.w_y(i) + turn * data_.cos(i)));
    }
    path_.work.gravity += weight * momentum;
  }
}

void SmoothSystem::Plant::note_fault(const Eigen::Ref<const VectorXd>& ydot) {
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

}  // namespace coluber::planar

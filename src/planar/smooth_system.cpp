#include "coluber/planar/smooth_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/assert.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/state_hash.hpp"
#include "coluber/math/sincos.hpp"

#include "chain/rows.hpp"
#include "observed.hpp"
#include "robot_kinematics.hpp"
#include "smooth_plant.hpp"

namespace coluber::planar {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint32_t smooth_version = 6;

void require_valid(const SmoothOptions& options) {
  const auto demand = [](bool good, const char* what, double value) {
    if (!good) throw Error(fmt::format("smooth minimal model: {} is {}", what, value));
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

}  // namespace

SmoothSystem::SmoothSystem(Model model, const State& start, const SmoothOptions& options)
    : model_((planar::require_valid(model), std::move(model))),
      options_((require_valid(options), options)),
      restart_steps_(
          std::max<std::int64_t>(1, std::llround(std::min(options.restart / options.dt, 1e9)))),
      bodies_(make_bodies(model_)),
      y_(VectorXd::Zero(2 * (model_.n() + 2))),
      command_(model_.n() - 1),
      tau_(VectorXd::Zero(model_.n() - 1)),
      ground_sum_(Eigen::Matrix2Xd::Zero(2, model_.n())) {
  velocity_ = Eigen::Matrix3Xd::Zero(3, model_.n());
  if (!model_.obstacles.empty()) throw Error("the smooth minimal model has no obstacles");
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
  anchor_y_ = anchor_y_before_ = y_E_ = y_;
  account_.phi_d = start.phi;
  kinetic_energy_ = plant_->kinetic_energy(y_);
  update_pose();
  update_link_velocities();
  account_.frame_velocity = velocity_.topRows<2>();
  account_.travel.begin(mean_of_links(pose_), pose_.theta.mean());
  add_rows();
}

void SmoothSystem::add_rows() {
  const int n = model_.n();
  add_link_rows(observables_, pose_, n);
  const auto per_second = [this] { return account_.per_second(k_, options_.dt); };
  chain::add_velocity_rows(
      observables_, n, {"x", "y"}, [this] { return velocity_.topRows<2>(); },
      [this] { return velocity_.row(2); }, account_, per_second);
  add_joint_rows(
      observables_,
      {.phi = chain::write_vector([this] { return y_.segment(3, joint_count()); }),
       .phidot = chain::write_vector([this] { return y_.tail(joint_count()); }),
       .tau = chain::write_vector([this]() -> const VectorXd& { return tau_; }),
       .phi_d = chain::write_vector([this]() -> const VectorXd& { return account_.phi_d; })},
      n, "motor torque at the end of the last step, positive drives the angle up");
  observables_.add({"ground_force",
                    "N",
                    "ground friction impulse on each link since the last frame over its time",
                    {n, 2},
                    {"x", "y"}},
                   chain::write_forces(ground_sum_, per_second));
  chain::add_energy_row(observables_, [this] { return kinetic_energy_; });
  const chain::StepWork& work = account_.work;
  chain::add_motor_rows(observables_, work);
  chain::add_work_row(observables_, "work_friction", "work of ground friction since the start",
                      work.friction);
  chain::add_work_row(observables_, "work_gravity",
                      "work of gravity along the slope since the start", work.gravity);
  chain::add_work_row(observables_, "work_scheme", "what the integrator left over since the start",
                      work.scheme);
  observables_.add({"iterations", "", "integrator's steps per step, mean since the last frame", {}},
                   chain::write_number([this] { return account_.mean_iterations(k_); }));
}

const std::vector<StepFigure>& SmoothSystem::figures() const {
  static const std::vector<StepFigure> list{
      {.name = "iterations", .in_message = "the integrator gave up after {:.0f} steps"}};
  return list;
}

std::string SmoothSystem::advice(const StepInfo& /*info*/) const {
  return "; a wider world.friction_smoothing, smaller gains or other tolerances in "
         "[solver.smooth] may help";
}

SmoothSystem::~SmoothSystem() = default;

bool SmoothSystem::is_built() { return math::CvodeIntegrator::is_built(); }

SmoothSystem::Statistics SmoothSystem::statistics() const {
  const math::CvodeIntegrator& integrator = plant_->integrator();
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

// From the first link's rear end over the joints; `pose_` is that of time().
void SmoothSystem::update_link_velocities() const {
  const auto size = model_.n() + 2;
  double omega = y_(size + 2);
  Vector2d end = y_.segment<2>(size);
  for (int i = 0; i < model_.n(); ++i) {
    const Link& link = model_.links[static_cast<std::size_t>(i)];
    if (i > 0) omega += y_(size + i + 2);
    const Vector2d normal{-pose_.sin(i), pose_.cos(i)};
    velocity_.col(i) << end + omega * (0.5 * link.L + link.offset) * normal, omega;
    end += omega * link.L * normal;
  }
}

void SmoothSystem::joint_state(Eigen::Ref<VectorXd> phi, Eigen::Ref<VectorXd> phidot) const {
  phi = y_.segment(3, model_.n() - 1);
  phidot = y_.tail(model_.n() - 1);
}

void SmoothSystem::base_state(BaseState& base) const {
  const auto size = model_.n() + 2;
  base.r = y_.head<2>();
  base.theta = y_(2);
  base.v = y_.segment<2>(size);
  base.thetadot = y_(size + 2);
}

double SmoothSystem::link_length(int link) const {
  return model_.links[static_cast<std::size_t>(link)].L;
}

double SmoothSystem::link_mass(int link) const {
  return model_.links[static_cast<std::size_t>(link)].m;
}

void SmoothSystem::link_centres(Eigen::Ref<VectorXd> centres) const {
  update_pose();
  write_centres(pose_, centres);
}

StepInfo SmoothSystem::step(const JointCommand& command) {
  COLUBER_ASSERT(command.tau.size() == joint_count(), command.tau.size(), joint_count());
  command_ = command;
  Commanded feedback(command_);
  const StepInfo info = advance(feedback, command_.phi_d, true);
  running_ = false;  // the next command asks for something else
  return info;
}

// A feedback may throw. The integrator has then left its course: where the next step is to continue
// it, it goes over the steps since the anchor again.
StepInfo SmoothSystem::step_under(Feedback& feedback, const Eigen::Ref<const VectorXd>& phi_d) {
  const bool running = running_;
  const std::int64_t anchor_k = anchor_k_;
  anchor_y_before_ = anchor_y_;
  try {
    return advance(feedback, phi_d, false);
  } catch (...) {
    running_ = replay_ = running;
    anchor_k_ = anchor_k;
    anchor_y_.swap(anchor_y_before_);
    throw;
  }
}

void SmoothSystem::start_afresh() { running_ = replay_ = false; }

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
      if (info.status != Status::ok) return tell(info);
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
  if (info.status != Status::ok) return tell(info);
  const double energy = plant_->observe(feedback, t_E, y_E_, tau_);
  running_ = true;

  y_ = y_E_;
  ++k_;
  account_.phi_d = phi_d;
  const SmoothPath& path = plant_->path();
  ground_sum_ += path.ground;
  chain::StepWork work = path.work;
  work.scheme = energy - kinetic_energy_ - (work.servo + work.friction + work.gravity);
  account_.work += work;
  kinetic_energy_ = energy;
  account_.iterations += path.steps;
  account_.torque.update(path.max_torque, t_E);
  account_.torque.update(tau_, t_E);
  update_pose();
  update_link_velocities();
  account_.travel.add(mean_of_links(pose_));
  return tell(info);
}

StepInfo SmoothSystem::tell(StepInfo info) {
  integrator_steps_ = plant_->path().steps;
  info.figures = {&integrator_steps_, 1};
  return info;
}

void SmoothSystem::start_frame() {
  ground_sum_.setZero();
  account_.frame_start = k_;
  account_.iterations = 0;
  update_pose();
  update_link_velocities();
  account_.frame_velocity = velocity_.topRows<2>();
}

void SmoothSystem::observe(std::span<double> frame) const {
  update_pose();
  update_link_velocities();
  observables_.write(frame);
}

void SmoothSystem::poses(std::span<double> values) const {
  update_pose();
  write_poses(model_, pose_, values);
}

std::vector<SummaryItem> SmoothSystem::summary() const {
  update_pose();
  return chain::make_summary(mean_of_links(pose_), pose_.theta.mean(), time(), weight_of(model_),
                             account_);
}

template <typename Bytes, typename Self>
void SmoothSystem::exchange_state(Bytes& bytes, Self& self) {
  bytes(self.k_, self.y_, self.anchor_k_, self.anchor_y_, self.running_);
}

template <typename Bytes, typename Self>
void SmoothSystem::exchange_sums(Bytes& bytes, Self& self) {
  bytes(self.tau_, self.kinetic_energy_);  // observed until the next step
  chain::RunAccount::exchange(bytes, self.account_);
  bytes(self.ground_sum_);
}

std::uint64_t SmoothSystem::state_hash() const {
  StateHasher hash(StateHasher::Sizes::left_out);
  exchange_state(hash, *this);
  return hash.finish();
}

bool SmoothSystem::save_state(ByteWriter& bytes) const {
  bytes.section("smooth", smooth_version);
  exchange_state(bytes, *this);
  exchange_sums(bytes, *this);
  return true;
}

void SmoothSystem::restore_state(ByteReader& bytes) {
  bytes.section("smooth", smooth_version);
  restore_or_keep(
      bytes,
      [this](auto& to) {
        exchange_state(to, *this);
        exchange_sums(to, *this);
      },
      [&] {
        if (k_ < 0 || anchor_k_ < 0 || anchor_k_ > k_ ||
            (running_ && k_ - anchor_k_ > restart_steps_)) {
          bytes.refuse("an impossible number of steps");
        }
        if (!y_.allFinite() || !anchor_y_.allFinite()) bytes.refuse("the state is not finite");
        account_.require_fit(bytes, k_);
      });
  replay_ = running_;
}

}  // namespace coluber::planar

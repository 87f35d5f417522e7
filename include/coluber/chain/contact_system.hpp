#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/account.hpp"
#include "coluber/chain/step_options.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/nonsmooth/hardest_problem.hpp"

namespace coluber::chain {

/// A chain with contacts behind the common interface, in the plane or in space: keeps what a
/// recorder asks for between frames. `Parts` names the types of its model (`Model`, `State`,
/// `StepOptions`, `Data`, `Pose`) and the sizes of a twist and of a place (`twist`, `axes`), gives
/// the links' velocities, a column each (`velocities(state)`), where they were on average
/// (`mean_place(data)`), the number of driven shafts (`shafts(state)`), a model's step (`step`),
/// where it went (`take_motion(from, to)`), and where it was before (`put_back(state, dt)`).
template <typename Parts>
class ContactSystem : public System, public JointDriven, public Linked {
 public:
  using Model = typename Parts::Model;              ///< robot and world
  using State = typename Parts::State;              ///< all that is needed to continue
  using StepOptions = typename Parts::StepOptions;  ///< how it steps
  using Data = typename Parts::Data;                ///< scratch and results of a step

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] std::int64_t step_count() const override { return state_.k; }
  StepInfo step() override { return step(idle_); }
  StepInfo step(const JointCommand& command) override;
  [[nodiscard]] const std::vector<StepFigure>& figures() const override { return account_.figures; }
  void expect_frame() override { options_.audit = true; }
  void set_profile(Profile* profile) override { data_.profile = profile; }

  [[nodiscard]] bool can_prescribe() const override { return true; }
  void start_moving(const Eigen::VectorXd& phidot) override;
  void expect_spikes(const std::string& cause) override { spike_cause_ = cause; }
  [[nodiscard]] int joint_count() const override { return static_cast<int>(state_.phi.size()); }
  void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                   Eigen::Ref<Eigen::VectorXd> phidot) const override {
    phi = state_.phi - 0.5 * options_.dt * state_.phidot;
    phidot = state_.phidot;
  }
  [[nodiscard]] int link_count() const override { return model_.n(); }
  [[nodiscard]] double link_length(int link) const override {
    return model_.links[static_cast<std::size_t>(link)].L;
  }
  [[nodiscard]] double link_mass(int link) const override {
    return model_.links[static_cast<std::size_t>(link)].m;
  }

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override {
    update_pose();
    observables_.write(frame);
  }
  void start_frame() override {
    account_.start_frame(state_.k);
    account_.run.frame_velocity = Parts::velocities(state_);
  }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  [[nodiscard]] std::vector<std::string> warnings() const override;
  [[nodiscard]] std::string advice(const StepInfo& info) const override;
  std::string dump_hardest_problem(const std::filesystem::path& file) const override {
    return hardest_.dump(file);
  }

  /// Robot and world.
  [[nodiscard]] const Model& model() const { return model_; }
  /// Where the robot is, to continue from.
  [[nodiscard]] const State& state() const { return state_; }
  /// How it steps.
  [[nodiscard]] const StepOptions& options() const { return options_; }
  /// Results of the last step.
  [[nodiscard]] const Data& data() const { return data_; }
  /// How the last step came out.
  [[nodiscard]] const nonsmooth::ContactStepInfo& last_step() const { return last_; }

 protected:
  /// Of a model that is physical. `keep_hardest`: for `dump_hardest_problem`; the same steps, which
  /// take longer.
  ContactSystem(Model model, State state, const StepOptions& options, bool keep_hardest)
      : model_(std::move(model)),
        state_(std::move(state)),
        options_(options),
        data_(model_),
        idle_(static_cast<int>(state_.phi.size()), Parts::shafts(state_)),
        hardest_(keep_hardest),
        account_(model_.n(), state_.phi, options.law == nonsmooth::Law::rigid) {
    account_.run.frame_velocity = Parts::velocities(state_);
  }

  /// One step of the model.
  virtual nonsmooth::ContactStepInfo take_step(const JointCommand& command) = 0;
  /// Fills `data_.problem` for the step that starts now.
  virtual void fill_problem_of(const JointCommand& command) = 0;
  /// A step was taken: sums up what the model has beside the account. Returns the deepest overlap
  /// of the step (m).
  virtual double note_step() = 0;
  /// Deepest overlap of links with what they touch, since the start.
  [[nodiscard]] virtual Depths deepest_overlap() const = 0;
  /// Whose way is reported: where it was in the middle of the last step, over the ground (m).
  [[nodiscard]] virtual Eigen::Vector2d travelled() const { return Parts::mean_place(data_); }
  /// `pose_` as of time().
  virtual void update_pose() const = 0;

  /// What is summed up beside the state, to or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange_account(Bytes& bytes, Self& self) {
    bytes(self.data_.tau, self.data_.kinetic_energy);  // observed until the next step
    bytes(self.passed_.steps, self.passed_.t, self.passed_.link, self.passed_.obstacle);
    bytes(self.starts_at_rest_);
    ContactAccount<Parts::axes>::exchange(bytes, self.account_);
  }

  /// Links that went through an obstacle: the first, and in how many steps.
  struct Passed {
    std::int64_t steps = 0;
    double t = 0.0;  // s
    int link = 0;
    int obstacle = 0;
  };

  Model model_;
  State state_;
  StepOptions options_;
  Data data_;
  JointCommand idle_;  // asks for nothing
  nonsmooth::ContactStepInfo last_;
  Passed passed_;
  bool starts_at_rest_ = false;                                    // start_moving() found no motion
  bool prescribed_ = false;                                        // joints of the last step were
  double torque_limit_ = std::numeric_limits<double>::infinity();  // of the last step, the least
  double shaft_limit_ = std::numeric_limits<double>::infinity();   // the same of the shafts
  std::string spike_cause_;            // of torques of single steps, if known
  Gains gains_;                        // of the last step, if it did not converge
  State before_;                       // a step that may have to be taken back
  mutable typename Parts::Pose pose_;  // at time(), for observers
  ObservableTable observables_;
  std::vector<Body> bodies_;
  std::vector<ArrowFamily> arrows_;
  nonsmooth::HardestProblem<Parts::twist> hardest_;
  ContactAccount<Parts::axes> account_;
};

template <typename Parts>
std::vector<std::string> ContactSystem<Parts>::warnings() const {
  // a link that went through one was deep in it
  if (passed_.steps > 0) {
    return warn_of_passing(passed_.steps, passed_.t, passed_.link, passed_.obstacle, prescribed_);
  }
  double thinnest = std::numeric_limits<double>::infinity();
  for (const auto& link : model_.links) thinnest = std::min(thinnest, link.L_SC);
  std::vector<std::string> texts = warn_of_overlap(deepest_overlap(), thinnest, prescribed_,
                                                   options_.solver == nonsmooth::Solver::thesis);
  if (spike_cause_.empty()) {  // else dt is not to blame
    for (std::string& text : warn_of_scheme(account_.run.work)) texts.push_back(std::move(text));
  }
  for (std::string& text :
       warn_of_spike(account_.run.torque, angles_per_joint(), torque_limit_, spike_cause_)) {
    texts.push_back(std::move(text));
  }
  if (starts_at_rest_) {
    texts.emplace_back(
        "no motion of the whole robot fits the joints' rates at the start: it starts at rest, and "
        "the first step has a jump to pay for");
  }
  return texts;
}

template <typename Parts>
std::string ContactSystem<Parts>::advice(const StepInfo& info) const {
  if (info.status != Status::not_converged) return "";
  double mu = model_.mu_T.maxCoeff();
  for (const auto& obstacle : model_.obstacles) mu = std::max(mu, obstacle.mu);
  return advise(last_, mu, gains_, options_.dt, data_.weight_scale * data_.problem.length_scale);
}

// One step of the jump, from the start to the middle of the first step: friction and slope have no
// time to do anything, contacts push.
template <typename Parts>
void ContactSystem<Parts>::start_moving(const Eigen::VectorXd& phidot) {
  if (state_.k > 0 || !state_.phidot.isZero(0.0)) return;
  Model frictionless = model_;
  frictionless.tilt = 0.0;
  frictionless.mu_T *= 0.0;
  frictionless.mu_V *= 0.0;
  if constexpr (requires { frictionless.c_R; }) frictionless.c_R = 0.0;
  for (auto& obstacle : frictionless.obstacles) obstacle.mu = 0.0;
  Data data(frictionless);
  StepOptions jump = options_;
  jump.dt = 0.5 * options_.dt;
  JointCommand command(joint_count(), shaft_count());
  command.prescribed = true;
  command.phi_M = command.phi_d = state_.phi;
  command.phidot_d = phidot;
  State moved = state_;
  Parts::put_back(moved, jump.dt);  // q_M of a robot that moves is half a step on
  starts_at_rest_ = Parts::step(frictionless, moved, data, command, jump).status != Status::ok;
  if (starts_at_rest_) return;
  Parts::take_motion(moved, state_);
  state_.phidot = phidot;
  state_.phi += 0.5 * options_.dt * phidot;
  data_.kinetic_energy = data.kinetic_energy;
  account_.run.frame_velocity = Parts::velocities(state_);
}

template <typename Parts>
StepInfo ContactSystem<Parts>::step(const JointCommand& command) {
  // Joints that are put in place, and answers that are audited: other steps are refused before
  // they change anything.
  const bool may_go_back = options_.refuse && (options_.audit || command.prescribed);
  if (may_go_back) before_ = state_;
  if (hardest_.wanted()) {
    fill_problem_of(command);
    hardest_.look_at(data_.problem, data_.previous, data_.solution,
                     static_cast<double>(state_.k + 1) * options_.dt);
  }
  prescribed_ = command.prescribed;
  if (command.tau_max.size() > 0) torque_limit_ = command.tau_max.minCoeff();
  if (command.shafts.tau_max.size() > 0) shaft_limit_ = command.shafts.tau_max.minCoeff();
  last_ = take_step(command);
  options_.audit = false;  // until the next frame is expected
  if (hardest_.wanted()) hardest_.judge(last_);
  if (last_.status != Status::ok && joint_count() > 0) {
    gains_ = {command.k_P.maxCoeff(), command.k_D.maxCoeff(),
              command.phidot_d.cwiseAbs().maxCoeff()};
  }
  if (last_.status == Status::non_finite) {
    return account_.tell(last_, std::numeric_limits<double>::quiet_NaN());
  }
  if (is_refused(options_, last_)) {
    if (may_go_back) state_ = before_;
    return account_.refuse(last_, account_.audit_of(data_));
  }
  if (last_.passed_link > 0 && passed_.steps++ == 0) {
    passed_.t = time();
    passed_.link = last_.passed_link;
    passed_.obstacle = last_.passed_obstacle;
  }
  const double deepest = note_step();
  account_.run.travel.add(travelled());
  return account_.add(last_, data_, command.phi_d, deepest, time());
}

}  // namespace coluber::chain

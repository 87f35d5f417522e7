// The smooth robot model as a System: closed forms, laws, a second integrator, the run's contract.

#include "coluber/planar/smooth_system.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/planar/system.hpp"

#include "sample/robot_states.hpp"
#include "sample/smooth.hpp"

namespace coluber::planar {
namespace smooth_system_test {

constexpr double kNever = std::numeric_limits<double>::infinity();

#define NEEDS_CVODE() \
  if (!SmoothSystem::is_built()) GTEST_SKIP() << "built without CVODE"

using sample::ConstantTorque;
using sample::Follower;

/// A robot of n links that moves as one: O_2 of link 1 at v, turning at omega.
State moving(const Model& model, const Vector2d& v_G, double omega) {
  State state = sample::straight(model);
  state.u.head<3>() << v_G, omega;
  return state;
}

ConstantTorque no_torque(int joints) { return ConstantTorque(VectorXd::Zero(joints)); }

double observed(const SmoothSystem& system, const std::string& name, int index = 0) {
  std::vector<double> frame(static_cast<std::size_t>(frame_size(system.observables())));
  system.observe(frame);
  std::size_t at = 0;
  for (const Observable& each : system.observables()) {
    if (each.name == name) return frame[at + static_cast<std::size_t>(index)];
    at += static_cast<std::size_t>(each.size());
  }
  ADD_FAILURE() << "no observable " << name;
  return 0.0;
}

double figure(const SmoothSystem& system, const std::string& name) {
  for (const SummaryItem& item : system.summary()) {
    if (item.name == name) return item.number();
  }
  ADD_FAILURE() << "no figure " << name;
  return 0.0;
}

/// Steps to time `t`; counts the steps that failed.
int run_to(SmoothSystem& system, Feedback& feedback, double t) {
  int failed = 0;
  const VectorXd phi_d = VectorXd::Zero(system.joint_count());
  while (system.time() < t - 0.5 * system.dt() && failed == 0) {
    failed += system.step_under(feedback, phi_d).status == Status::ok ? 0 : 1;
  }
  return failed;
}

TEST(SmoothSystem, ALinkInViscousFrictionSlowsDownExponentially) {
  NEEDS_CVODE();
  Model model = sample::aiko(1);
  model.friction_points = 2;
  model.mu_T.setZero();
  model.mu_V << 0.1, 0.2;
  const double arm = model.links[0].L_GS;
  SmoothSystem system(model, moving(model, {0.5, 0.0}, 0.0), {});
  ConstantTorque none = no_torque(0);
  ASSERT_EQ(run_to(system, none, 1.0), 0);
  // m vdot = -m g mu_V v
  const double rate = model.g * 0.1;
  EXPECT_NEAR(system.qdot()(0), 0.5 * std::exp(-rate), 1e-5);  // rtol times a few steps
  EXPECT_NEAR(observed(system, "link_position"), 0.5 / rate * (1.0 - std::exp(-rate)), 1e-5);
  const double lost = 0.25 * 0.5 * model.links[0].m * (1.0 - std::exp(-2.0 * rate));
  EXPECT_NEAR(observed(system, "work_friction"), -lost, 1e-5 * lost);

  // and turning about its centre of gravity: Theta omegadot = -m g mu_V arm² omega
  SmoothSystem turning(model, moving(model, {0.0, 0.0}, 2.0), {});
  ASSERT_EQ(run_to(turning, none, 1.0), 0);
  const double slowing = model.links[0].m * model.g * 0.2 * arm * arm / model.links[0].Theta;
  EXPECT_NEAR(turning.qdot()(2), 2.0 * std::exp(-slowing), 2e-5);
  EXPECT_NEAR(observed(turning, "link_angle"), 2.0 / slowing * (1.0 - std::exp(-slowing)), 2e-5);
  EXPECT_NEAR(observed(turning, "link_position", 1), 0.0, 1e-5);
}

TEST(SmoothSystem, ARobotOnAnIcySlopeFallsAsAWhole) {
  NEEDS_CVODE();
  Model model = sample::aiko(4);
  model.mu_T.setZero();
  model.tilt = 0.3;
  model.tilt_direction = 0.5;
  SmoothSystem system(model, sample::straight(model), {});
  ConstantTorque none = no_torque(3);
  ASSERT_EQ(run_to(system, none, 0.5), 0);
  const double fallen = 0.5 * model.g * std::sin(0.3) * 0.25;
  const double start = model.links[0].L * 3.0;
  EXPECT_NEAR(observed(system, "link_position", 6), start + fallen * std::cos(0.5), 1e-6);
  EXPECT_NEAR(observed(system, "link_position", 7), fallen * std::sin(0.5), 1e-6);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(observed(system, "joint_angle", j), 0.0, 1e-8);
  const double weight = 4.0 * model.links[0].m * model.g * std::sin(0.3);
  EXPECT_NEAR(observed(system, "work_gravity"), weight * fallen, 1e-5 * weight * fallen);
  EXPECT_NEAR(observed(system, "energy"), weight * fallen, 1e-5 * weight * fallen);
  // no frame was started: the velocity of the whole fall over its time
  const double speed = model.g * std::sin(0.3) * 0.5;
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(observed(system, "link_velocity", 2 * i), speed * std::cos(0.5), 1e-6);
    EXPECT_NEAR(observed(system, "link_velocity", 2 * i + 1), speed * std::sin(0.5), 1e-6);
    EXPECT_NEAR(observed(system, "link_acceleration", 2 * i + 1), 2.0 * speed * std::sin(0.5),
                1e-6);
    EXPECT_NEAR(observed(system, "link_angular_velocity", i), 0.0, 1e-7);
  }
  EXPECT_NEAR(figure(system, "displacement"), fallen, 1e-6);
  EXPECT_NEAR(figure(system, "path_length"), fallen, 1e-6);
  EXPECT_NEAR(figure(system, "net_speed"), fallen / 0.5, 1e-6);
  EXPECT_NEAR(figure(system, "mean_speed"), fallen / 0.5, 1e-6);
}

TEST(SmoothSystem, RecordedVelocitiesHaveItsEnergyAndItsPositions) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(5);
  SmoothSystem system(model, sample::straight(model), {});
  Follower follower(model, Follower::Law::pd);
  const VectorXd phi_d = VectorXd::Zero(4);
  const auto positions = [&] {
    Eigen::Matrix2Xd r(2, 5);
    for (int i = 0; i < 10; ++i) r(i % 2, i / 2) = observed(system, "link_position", i);
    return r;
  };
  const auto velocities = [&] {
    Eigen::Matrix2Xd v(2, 5);
    for (int i = 0; i < 10; ++i) v(i % 2, i / 2) = observed(system, "link_velocity", i);
    return v;
  };
  Eigen::Matrix2Xd r_A = positions();
  Eigen::Matrix2Xd v_A = velocities();
  Eigen::Matrix2Xd v_frame = v_A;
  Vector2d moved = Vector2d::Zero();
  double length = 0.0;
  double worst = 0.0;
  for (int k = 1; k <= 1500; ++k) {
    ASSERT_EQ(system.step_under(follower, phi_d).status, Status::ok);
    const Eigen::Matrix2Xd r_E = positions();
    const Eigen::Matrix2Xd v_E = velocities();
    const Vector2d step = (r_E - r_A).rowwise().mean();
    moved += step;
    length += step.norm();
    worst = std::max(worst, (r_E - r_A - 0.5e-3 * (v_A + v_E)).cwiseAbs().maxCoeff());
    r_A = r_E;
    v_A = v_E;
    if (k % 30 != 0) continue;
    double energy = 0.0;
    for (int i = 0; i < 5; ++i) {
      const double omega = observed(system, "link_angular_velocity", i);
      energy += 0.5 * (model.links[0].m * v_E.col(i).squaredNorm() +
                       model.links[0].Theta * omega * omega);
      EXPECT_NEAR(observed(system, "link_acceleration", 2 * i), (v_E(0, i) - v_frame(0, i)) / 0.03,
                  1e-12);
    }
    EXPECT_NEAR(observed(system, "energy"), energy, 1e-12);
    system.start_frame();
    v_frame = v_E;
  }
  // an acceleration that jumps by 40 m/s² in mid-step, as a joint sets out, leaves dt²/8 of it
  EXPECT_LE(worst, 5e-6);
  EXPECT_NEAR(figure(system, "displacement"), moved.norm(), 1e-12);
  EXPECT_NEAR(figure(system, "path_length"), length, 1e-3 * length);
  EXPECT_GE(figure(system, "work_positive"), figure(system, "work_net"));
  EXPECT_EQ(figure(system, "work_net"), observed(system, "work_servo"));
  EXPECT_EQ(figure(system, "work_positive"), observed(system, "work_positive"));
}

TEST(SmoothSystem, WithoutFrictionMotorsMoveNoCentreOfGravity) {
  NEEDS_CVODE();
  Model model = sample::aiko(5);
  model.mu_T.setZero();
  SmoothSystem system(model, sample::straight(model), {.rtol = 1e-10, .atol = 1e-12});
  Follower servo(model, Follower::Law::pd, sample::undulation(false));
  const auto centre = [&](int axis) {
    double sum = 0.0;
    for (int i = 0; i < 5; ++i) sum += observed(system, "link_position", 2 * i + axis);
    return sum / 5.0;
  };
  const double x = centre(0);
  ASSERT_EQ(run_to(system, servo, 1.0), 0);
  EXPECT_GT(std::abs(observed(system, "joint_angle", 2)), 0.1) << "it was meant to move";
  // goes down with rtol: 3e-5 at 1e-6, 1e-6 at 1e-8
  EXPECT_NEAR(centre(0), x, 1e-7);
  EXPECT_NEAR(centre(1), 0.0, 1e-7);
}

/// Classical Runge-Kutta of the same equations, steps far below every time constant.
VectorXd runge_kutta(const Model& model, const SmoothFriction& friction, Feedback& feedback,
                     VectorXd y, double t, double t_E, int steps) {
  const Eigen::Index size = model.n() + 2;
  RobotData data(model);
  VectorXd tau(model.n() - 1);
  const auto rate = [&](double at, const VectorXd& of) {
    BaseState base{of.head<2>(), of(2), of.segment<2>(size), of(size + 2)};
    feedback.compute_torque(at, of.segment(3, size - 3), of.tail(size - 3), base, tau);
    VectorXd out(2 * size);
    smooth_dynamics(model, friction, of.head(size), of.tail(size), tau, data, out.tail(size));
    out.head(size) = of.tail(size);
    return out;
  };
  const double h = (t_E - t) / steps;
  for (int k = 0; k < steps; ++k, t += h) {
    const VectorXd k_1 = rate(t, y);
    const VectorXd k_2 = rate(t + 0.5 * h, y + 0.5 * h * k_1);
    const VectorXd k_3 = rate(t + 0.5 * h, y + 0.5 * h * k_2);
    const VectorXd k_4 = rate(t + h, y + h * k_3);
    y += h / 6.0 * (k_1 + 2.0 * k_2 + 2.0 * k_3 + k_4);
  }
  return y;
}

VectorXd state_of(const SmoothSystem& system) {
  VectorXd y(2 * system.q().size());
  y << system.q(), system.qdot();
  return y;
}

TEST(SmoothSystem, GoesToWhatRungeKuttaGivesAsTheToleranceIsTightened) {
  NEEDS_CVODE();
  std::mt19937_64 random(1);
  Model model = sample::odd_links(4, random);
  model.friction_points = 2;
  model.mu_T << 0.2, 0.5;
  model.mu_V << 0.1, 0.2;
  const SmoothFriction soft{0.05};  // rates of 60 1/s
  Follower servo(model, Follower::Law::pd, sample::undulation(false));
  std::vector<double> errors;
  VectorXd exact;
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    SmoothSystem system(model, sample::straight(model),
                        {.friction = soft, .rtol = rtol, .atol = 1e-2 * rtol});
    if (exact.size() == 0) {
      exact = runge_kutta(model, soft, servo, state_of(system), 0.0, 0.5, 20000);
    }
    ASSERT_EQ(run_to(system, servo, 0.5), 0);
    errors.push_back((state_of(system) - exact).cwiseAbs().maxCoeff());
  }
  EXPECT_LE(errors[0], 1e-2);  // of rates about 1 rad/s, and tolerances a step
  EXPECT_LE(errors[1], 1e-4);
  EXPECT_LE(errors[2], 1e-6);
  EXPECT_LT(errors[1], errors[0]);
  EXPECT_LT(errors[2], errors[1]);
}

/// A torque that jumps at an instant off the grid, and what was asked of it.
class Jump final : public Feedback {
 public:
  Jump(double at, bool says_so) : at_(at), said_(says_so ? at : kNever) {}
  /// Announces it at another instant than its own.
  Jump(double at, double said) : at_(at), said_(said) {}
  void compute_torque(double t, const Eigen::Ref<const VectorXd>& /*phi*/,
                      const Eigen::Ref<const VectorXd>& phidot, const BaseState& /*base*/,
                      Eigen::Ref<VectorXd> tau) override {
    tau = -0.02 * phidot;
    if (t >= at_) tau(0) += 0.5;
    passed = passed || t >= at_;
    back = back || (passed && t < at_);
  }
  [[nodiscard]] double next_break(double t) const override { return t < said_ ? said_ : kNever; }
  bool passed = false;
  bool back = false;  // asked for an instant before the break after one behind it

 private:
  double at_;
  double said_;
};

TEST(SmoothSystem, StopsAtABreakAndStartsAfreshBehindIt) {
  NEEDS_CVODE();
  Model model = sample::rough_aiko(3);
  const SmoothFriction soft{0.05};
  const double at = 0.1034567;
  const VectorXd start = (VectorXd(10) << 0, 0, 0, 0.4, -0.3, 0, 0, 0, 0, 0).finished();
  State state = make_state(model, start.segment(3, 2), 0, {0.061, 0.0}, 0.0);
  SmoothOptions options{.friction = soft, .rtol = 1e-8, .atol = 1e-10};
  SmoothSystem system(model, state, options);
  Jump jump(at, true);
  ASSERT_EQ(run_to(system, jump, 0.2), 0);
  EXPECT_FALSE(jump.back) << "no step may reach over a break";
  EXPECT_TRUE(jump.passed);
  EXPECT_EQ(system.statistics().restarts, 2);  // at the start and at the break

  Jump again(at, true);
  VectorXd y = runge_kutta(model, soft, again, start, 0.0, at - 1e-12, 10000);
  y = runge_kutta(model, soft, again, y, at + 1e-13, 0.2, 10000);
  EXPECT_LE((state_of(system) - y).cwiseAbs().maxCoeff(), 1e-6);

  // one that keeps its break to itself costs more steps
  SmoothSystem blind(model, state, options);
  Jump silent(at, false);
  ASSERT_EQ(run_to(blind, silent, 0.2), 0);
  EXPECT_GT(blind.statistics().evaluations, system.statistics().evaluations);
  EXPECT_LE((state_of(blind) - y).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SmoothSystem, ABreakAnnouncedARoundingLateCostsNothing) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(3);
  const double at = 0.1034567;
  std::vector<double> evaluations;
  for (const double said : {at, at + 1e-14}) {
    SmoothSystem system(model, sample::straight(model), {});
    Jump jump(at, said);
    ASSERT_EQ(run_to(system, jump, 0.2), 0);
    evaluations.push_back(static_cast<double>(system.statistics().evaluations));
  }
  EXPECT_LE(evaluations[1], 1.05 * evaluations[0]);
}

TEST(SmoothSystem, TakesABreakAtTheEndOfAStepAsAnyOther) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(3);
  SmoothSystem system(model, sample::straight(model), {.dt = 0.0625});  // exact in binary
  Jump jump(0.125, true);
  ASSERT_EQ(run_to(system, jump, 0.125), 0);
  EXPECT_EQ(observed(system, "joint_torque"), 0.5) << "at its end the torque is the new one";
  ASSERT_EQ(run_to(system, jump, 0.1875), 0);
  EXPECT_GT(observed(system, "joint_rate"), 1e-3);
}

TEST(SmoothSystem, SeesTheLargestTorqueRightBehindABreak) {
  NEEDS_CVODE();
  /// 1 N m at each break, gone after a microsecond.
  class Pulse final : public Feedback {
   public:
    explicit Pulse(double at) : at_(at) {}
    void compute_torque(double t, const Eigen::Ref<const VectorXd>& /*phi*/,
                        const Eigen::Ref<const VectorXd>& /*phidot*/, const BaseState& /*base*/,
                        Eigen::Ref<VectorXd> tau) override {
      tau.setConstant(t < at_ ? 0.0 : std::exp((at_ - t) / 1e-6));
    }
    [[nodiscard]] double next_break(double t) const override { return t < at_ ? at_ : kNever; }

   private:
    double at_;
  };
  const Model model = sample::rough_aiko(3);
  for (const double at : {0.0, 0.0123}) {  // at the start, and within a step
    SmoothSystem system(model, sample::straight(model), {});
    Pulse pulse(at);
    ASSERT_EQ(run_to(system, pulse, 0.02), 0);
    EXPECT_EQ(figure(system, "max_torque"), 1.0);
  }
}

TEST(SmoothSystem, TracksAsTheThesisSays) {
  NEEDS_CVODE();
  // Transeth 7.3.5, figure 7.10: joint 5, the last period of 9 s; values of an independent BDF at
  // rtol 1e-5
  const Model model = sample::rough_aiko();
  for (const auto law : {Follower::Law::pd, Follower::Law::io}) {
    SmoothSystem system(model, sample::straight(model), {});
    Follower follower(model, law);
    double worst = 0.0;
    while (system.step_count() < 9000) {
      const double t_E = static_cast<double>(system.step_count() + 1) * system.dt();
      ASSERT_EQ(system.step_under(follower, follower.phi_d(t_E)).status, Status::ok);
      if (t_E < 4.5) continue;
      const double error = std::abs(system.q()(7) - follower.phi_d(system.time())(4));
      worst = std::max(worst, error / sample::kDegree);
    }
    // friction never adds energy, the motors bring it in
    EXPECT_LT(observed(system, "work_friction"), -20.0);
    const double scheme = observed(system, "work_scheme");
    const double in = observed(system, "work_servo");
    if (law == Follower::Law::pd) {
      EXPECT_NEAR(worst, 0.518, 0.01);
      EXPECT_NEAR(figure(system, "max_torque"), 10.3, 0.1) << "largest torque, at a release";
      EXPECT_LE(std::abs(scheme), 1e-6 * in);
    } else {
      EXPECT_LE(worst, 5e-5);
      EXPECT_NEAR(figure(system, "max_torque"), 1325.0, 15.0);
      EXPECT_LE(std::abs(scheme), 1e-5 * in);
    }
    EXPECT_LT(system.q()(0), -0.3) << "it moves towards its first link";
    // 2600 (PD) and 1360 (IO) a second: a Newton matrix that is off takes many more
    EXPECT_LE(system.statistics().evaluations, 9 * 4000);
  }
}

TEST(SmoothSystem, MovesAlikeAtEveryHeading) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(5);
  std::vector<VectorXd> ends;
  for (const double heading : {0.0, 0.8, 2.5}) {
    SmoothSystem system(model, make_state(model, VectorXd::Zero(4), 0, {0.0, 0.0}, heading), {});
    Follower follower(model, Follower::Law::io);
    ASSERT_EQ(run_to(system, follower, 1.0), 0);
    VectorXd end = system.q();
    end(2) -= heading;
    end.head<2>() = Eigen::Rotation2Dd(-heading) * Vector2d{end.head<2>()};
    ends.push_back(end);
  }
  EXPECT_LE((ends[1] - ends[0]).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LE((ends[2] - ends[0]).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SmoothSystem, GroundForceSumsUpToTheMomentum) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(5);
  SmoothSystem system(model, sample::straight(model), {});
  Follower follower(model, Follower::Law::pd);
  Vector2d impulse = Vector2d::Zero();
  const VectorXd phi_d = VectorXd::Zero(4);
  for (int k = 0; k < 1500; ++k) {
    ASSERT_EQ(system.step_under(follower, phi_d).status, Status::ok);
    if (k % 30 != 29) continue;
    for (int i = 0; i < 5; ++i) {
      impulse += 0.03 * Vector2d{observed(system, "ground_force", 2 * i),
                                 observed(system, "ground_force", 2 * i + 1)};
    }
    system.start_frame();
    EXPECT_EQ(observed(system, "ground_force"), 0.0);
  }
  RobotData data(model);
  Eigen::MatrixXd M(7, 7);
  compute_mass_matrix(model, system.q(), data, M);
  const Vector2d momentum = (M * system.qdot()).head<2>();
  // against the largest single impulse of a frame, mu m g 5 0.03 s = 0.5 N s
  EXPECT_LE((impulse - momentum).norm(), 1e-5);
}

TEST(SmoothSystem, GoesOnFromACheckpointToTheSameBits) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(6);
  const auto steps = [&](SmoothSystem& system, Feedback& feedback, int until) {
    std::vector<double> frame(static_cast<std::size_t>(frame_size(system.observables())));
    const VectorXd phi_d = VectorXd::Zero(5);
    while (system.step_count() < until) {
      EXPECT_EQ(system.step_under(feedback, phi_d).status, Status::ok);
      if (system.step_count() % 40 == 0) system.start_frame();
    }
    system.observe(frame);
    return frame;
  };
  for (const auto law : {Follower::Law::pd, Follower::Law::io}) {
    Follower follower(model, law);
    SmoothSystem whole(model, sample::straight(model), {.restart = 0.2});
    std::vector<std::string> saved;
    // in the first stretch, on a fresh start, in mid-stretch behind a release
    for (const int at : {1, 77, 200, 333, 601}) {
      static_cast<void>(steps(whole, follower, at));
      ByteWriter bytes;
      ASSERT_TRUE(whole.save_state(bytes));
      saved.push_back(bytes.bytes());
    }
    const std::vector<double> end = steps(whole, follower, 700);
    for (const std::string& each : saved) {
      SmoothSystem resumed(model, sample::straight(model), {.restart = 0.2});
      ByteReader bytes(each, "checkpoint");
      resumed.restore_state(bytes);
      bytes.finish();
      Follower another(model, law);
      EXPECT_EQ(steps(resumed, another, 700), end);
      EXPECT_EQ(resumed.state_hash(), whole.state_hash());
    }
  }
}

TEST(SmoothSystem, ASteepStretchBeforeACheckpointIsGoneOverAgain) {
  NEEDS_CVODE();
  // max_steps is for one step of dt, also where many are gone over again
  const Model model = sample::rough_aiko(6);
  const SmoothOptions options{.restart = 0.3, .max_steps = 200};
  SmoothSystem whole(model, sample::straight(model), options);
  Follower follower(model, Follower::Law::pd);
  const VectorXd phi_d = VectorXd::Zero(5);
  std::string saved;
  while (whole.step_count() < 300) {
    ASSERT_EQ(whole.step_under(follower, phi_d).status, Status::ok) << whole.step_count();
    if (whole.step_count() != 290) continue;
    ByteWriter bytes;
    ASSERT_TRUE(whole.save_state(bytes));
    saved = bytes.bytes();
    EXPECT_GT(whole.statistics().steps, options.max_steps);
  }
  SmoothSystem resumed(model, sample::straight(model), options);
  ByteReader bytes(saved, "checkpoint");
  resumed.restore_state(bytes);
  Follower another(model, Follower::Law::pd);
  while (resumed.step_count() < 300) {
    ASSERT_EQ(resumed.step_under(another, phi_d).status, Status::ok);
  }
  EXPECT_EQ(resumed.state_hash(), whole.state_hash());
}

TEST(SmoothSystem, RefusesACheckpointThatCannotBeItsOwn) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(3);
  SmoothSystem system(model, sample::straight(model), {});
  ConstantTorque none = no_torque(2);
  ASSERT_EQ(run_to(system, none, 0.01), 0);
  ByteWriter bytes;
  ASSERT_TRUE(system.save_state(bytes));
  const std::uint64_t before = system.state_hash();
  SmoothSystem other(sample::rough_aiko(4), sample::straight(sample::rough_aiko(4)), {});
  ByteReader wrong(bytes.bytes(), "wrong");
  EXPECT_THROW(other.restore_state(wrong), Error);
  for (const std::size_t cut : {std::size_t{3}, bytes.bytes().size() - 8}) {
    ByteReader cut_short(std::string_view(bytes.bytes()).substr(0, cut), "short");
    EXPECT_THROW(system.restore_state(cut_short), Error);
  }
  EXPECT_EQ(system.state_hash(), before);
  EXPECT_EQ(system.step_count(), 10);
  PlanarSystem planar(model, sample::straight(model), {});
  ByteWriter foreign;
  ASSERT_TRUE(planar.save_state(foreign));
  ByteReader reader(foreign.bytes(), "foreign");
  EXPECT_THROW(system.restore_state(reader), Error);
}

TEST(SmoothSystem, ACommandWithoutGainsIsAConstantTorque) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(4);
  SmoothOptions options{.rtol = 1e-8, .atol = 1e-10};
  SmoothSystem commanded(model, sample::straight(model), options);
  SmoothSystem fed(model, sample::straight(model), options);
  JointCommand command(3);
  command.tau << 0.3, -0.2, 0.1;
  command.phi_d << 0.1, 0.2, 0.3;
  ConstantTorque torque(command.tau);
  for (int k = 0; k < 200; ++k) {
    ASSERT_EQ(commanded.step(command).status, Status::ok);
    ASSERT_EQ(fed.step_under(torque, command.phi_d).status, Status::ok);
  }
  // tolerances of 1e-8 a step, each of a thousand
  EXPECT_LE((commanded.q() - fed.q()).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LE((commanded.qdot() - fed.qdot()).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_EQ(observed(commanded, "joint_torque", 1), -0.2);
  EXPECT_EQ(observed(commanded, "joint_reference", 2), 0.3);
}

TEST(SmoothSystem, ACommandsServosStayWithinTheirLimit) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(4);
  SmoothSystem system(model, sample::straight(model), {});
  JointCommand command = sample::hold(VectorXd::Constant(3, 0.4), 200.0, 1.2);
  command.tau_max.setConstant(0.5);
  bool limited = false;
  for (int k = 0; k < 1500; ++k) {
    ASSERT_EQ(system.step(command).status, Status::ok);
    for (int j = 0; j < 3; ++j) {
      const double tau = std::abs(observed(system, "joint_torque", j));
      ASSERT_LE(tau, 0.5);
      limited = limited || tau == 0.5;
    }
  }
  EXPECT_TRUE(limited);
  EXPECT_EQ(figure(system, "max_torque"), 0.5);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(observed(system, "joint_angle", j), 0.4, 0.01);
}

/// Turns one torque into a NaN from an instant on.
class Breaks final : public Feedback {
 public:
  explicit Breaks(double at) : at_(at) {}
  void compute_torque(double t, const Eigen::Ref<const VectorXd>& /*phi*/,
                      const Eigen::Ref<const VectorXd>& /*phidot*/, const BaseState& /*base*/,
                      Eigen::Ref<VectorXd> tau) override {
    tau.setConstant(0.1);
    if (t > at_) tau(2) = std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] double next_break(double /*t*/) const override { return kNever; }

 private:
  double at_;
};

TEST(SmoothSystem, ANonFiniteTorqueIsReportedAndLeavesTheState) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(5);
  SmoothSystem system(model, sample::straight(model), {});
  Breaks breaks(0.0505);
  const VectorXd phi_d = VectorXd::Zero(4);
  StepInfo info;
  VectorXd q;
  VectorXd qdot;
  std::uint64_t before = 0;
  double energy = 0.0;
  for (int k = 0; k < 60 && info.status == Status::ok; ++k) {
    before = system.state_hash();
    q = system.q();
    qdot = system.qdot();
    energy = observed(system, "energy");
    info = system.step_under(breaks, phi_d);
  }
  EXPECT_EQ(info.status, Status::non_finite);
  EXPECT_EQ(std::string(info.quantity), "torque of joint");
  EXPECT_EQ(info.index, 3);
  EXPECT_EQ(system.step_count(), 50);
  EXPECT_EQ(system.q(), q);
  EXPECT_EQ(system.qdot(), qdot);
  EXPECT_NE(system.state_hash(), before) << "the integrator will start afresh here";
  EXPECT_EQ(observed(system, "energy"), energy);
  // a sound feedback takes it on from there
  ConstantTorque torque(VectorXd::Constant(4, 0.1));
  EXPECT_EQ(system.step_under(torque, phi_d).status, Status::ok);
  EXPECT_EQ(system.step_count(), 51);
}

TEST(SmoothSystem, AnIntegratorThatTakesTooManyStepsIsReported) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(5);
  SmoothSystem system(model, sample::straight(model), {.dt = 0.01, .max_steps = 5});
  Follower follower(model, Follower::Law::pd);
  const StepInfo info = system.step_under(follower, VectorXd::Zero(4));
  EXPECT_EQ(info.status, Status::not_converged);
  EXPECT_EQ(std::string(info.quantity), "CVODE: too many steps");
  EXPECT_EQ(system.step_count(), 0);
  EXPECT_EQ(system.qdot().norm(), 0.0);
}

TEST(SmoothSystem, PassesOnWhatTheFeedbackThrows) {
  NEEDS_CVODE();
  class Throws final : public Feedback {
   public:
    void compute_torque(double t, const Eigen::Ref<const VectorXd>& /*phi*/,
                        const Eigen::Ref<const VectorXd>& /*phidot*/, const BaseState& /*base*/,
                        Eigen::Ref<VectorXd> tau) override {
      if (t > 0.0105) throw Error("out of order");
      tau.setConstant(0.1);
    }
    [[nodiscard]] double next_break(double /*t*/) const override { return kNever; }
  };
  const Model model = sample::rough_aiko(3);
  SmoothSystem system(model, sample::straight(model), {});
  Throws throws;
  EXPECT_THROW(run_to(system, throws, 0.02), Error);
  EXPECT_LE(system.time(), 0.0105);
  const double energy = observed(system, "energy");
  EXPECT_GT(energy, 0.0);
  // and goes on from where it was
  ConstantTorque torque(VectorXd::Constant(2, 0.1));
  EXPECT_EQ(run_to(system, torque, 0.02), 0);
  SmoothSystem undisturbed(model, sample::straight(model), {});
  EXPECT_EQ(run_to(undisturbed, torque, 0.02), 0);
  EXPECT_LE((system.q() - undisturbed.q()).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SmoothSystem, RefusesWhatIsNotPhysical) {
  NEEDS_CVODE();
  const Model model = sample::rough_aiko(3);
  const State start = sample::straight(model);
  EXPECT_THROW(SmoothSystem(model, start, {.dt = 0.0}), Error);
  EXPECT_THROW(SmoothSystem(model, start, {.friction = {0.0}}), Error);
  EXPECT_THROW(SmoothSystem(model, start, {.rtol = std::nan("")}), Error);
  EXPECT_THROW(SmoothSystem(model, start, {.atol = -1e-9}), Error);
  EXPECT_THROW(SmoothSystem(model, start, {.restart = kNever}), Error);
  EXPECT_THROW(SmoothSystem(sample::rough_aiko(4), start, {}), Error);
  Model pegs = model;
  pegs.obstacles = sample::course();
  EXPECT_THROW(SmoothSystem(pegs, start, {}), Error);
}

TEST(SmoothSystem, ShowsItselfAsThePlanarSystemDoes) {
  NEEDS_CVODE();
  std::mt19937_64 random(2);
  Model model = sample::odd_links(7, random);
  model.friction_points = 2;
  State start = make_state(model, sample::uniform(6, 0.8, random), 2, {0.3, -0.4}, 1.1);
  // a motion of all joints
  start.phidot = sample::uniform(6, 1.0, random);
  const SmoothSystem smooth(model, start, {.dt = 1e-12});
  StepOptions options;
  options.dt = 1e-12;  // positions of its steps' middles are those at time 0
  const PlanarSystem planar(model, start, options);
  // the same, in the same order, but for what only set-valued laws and obstacles have
  const std::set<std::string> contacts{"contact_force", "work_contact", "residual",
                                       "rigid_residual", "penetration"};
  std::size_t i = 0;
  for (const Observable& its : planar.observables()) {
    if (contacts.contains(its.name)) continue;
    ASSERT_LT(i, smooth.observables().size()) << its.name;
    const Observable& mine = smooth.observables()[i++];
    EXPECT_EQ(mine.name, its.name);
    EXPECT_EQ(mine.unit, its.unit);
    EXPECT_EQ(mine.shape, its.shape);
    EXPECT_EQ(mine.plotted, its.plotted);
  }
  EXPECT_EQ(i, smooth.observables().size());
  EXPECT_EQ(smooth.bodies().size(), planar.bodies().size());
  std::vector<double> mine(49);
  std::vector<double> its(49);
  smooth.poses(mine);
  planar.poses(its);
  for (std::size_t j = 0; j < 49; ++j) EXPECT_NEAR(mine[j], its[j], 1e-12);
  BaseState base;
  BaseState other;
  smooth.base_state(base);
  planar.base_state(other);
  EXPECT_LE((base.r - other.r).norm(), 1e-12);
  EXPECT_NEAR(base.theta, other.theta, 1e-12);
  VectorXd phi(6);
  VectorXd phidot(6);
  smooth.joint_state(phi, phidot);
  EXPECT_EQ(phi, start.phi);
  EXPECT_EQ(phidot, start.phidot);
  EXPECT_EQ(smooth.summary().size() + 1, planar.summary().size()) << "no max_penetration";
  EXPECT_TRUE(smooth.arrows().empty()) << "no obstacles, no forces of theirs";
}

}  // namespace smooth_system_test
}  // namespace coluber::planar

// Whole runs of rods: works, breaks of the shape, switches, peaks.

#include "coluber/rod/system.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace coluber::rod {
namespace system_test {

using Eigen::Vector3d;

constexpr double pi = std::numbers::pi;

/// The number that an observable without shape has now.
double value_of(const RodSystem& system, const std::string& name) {
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

double summary_of(const RodSystem& system, const std::string& name) {
  for (const SummaryItem& each : system.summary()) {
    if (each.name == name) return each.number();
  }
  ADD_FAILURE() << name;
  return 0.0;
}

void run(RodSystem& system, double t_end) {
  ASSERT_EQ(system.start_fault(), Fault::none);
  while (static_cast<double>(system.step_count()) * system.dt() < t_end - 1e-9) {
    ASSERT_EQ(system.step().status, Status::ok);
  }
}

/// Momentum in the world's frame, about its origin.
Vector6d momentum_of(const RodSystem& system) {
  return math::to_parent(system.data().g_o, system.data().momentum);
}

SystemOptions steps_of(double dt) {
  SystemOptions options;
  options.dt = dt;
  return options;
}

Model planar(int elements = 80) {
  Model model;
  model.group = Group::SE2;
  model.space = Space::collocation6;
  model.elements = elements;
  return model;
}

std::unique_ptr<StrainLaw> bending() {
  return make_strain(std::vector<Wave>{{5, 3.0, 1.0, 4.0, 0.5}, {5, 1.0, INFINITY, 2.0, 0.3}});
}

// ---- works

// What carries the rod does work on it: by its force on its speed, by its moment on its turning.
TEST(TurningSupport, DoesTheWorkThatTheBalanceAsksFor) {
  ContactModel clamped;
  clamped.kind = ContactKind::clamped;
  ContactModel tail;
  tail.kind = ContactKind::locked;
  tail.clamps = {{0.0, 1.0}};
  ContactModel middle = tail;
  middle.clamps = {{0.0, 0.37}};
  ContactModel switched = tail;
  switched.clamps = {{0.0, 0.0}, {0.7, 0.37}, {1.3, 1.0}};
  ContactModel annular;
  annular.kind = ContactKind::annular;
  annular.abscissae = {0.1, 0.3, 0.5, 0.7, 0.9};
  ContactModel sweeping;
  sweeping.kind = ContactKind::sweeping;
  ContactModel no_slip;
  no_slip.kind = ContactKind::no_slip;
  for (ContactModel contact : {clamped, tail, middle, switched, annular, sweeping, no_slip}) {
    SCOPED_TRACE(
        fmt::format("{}, {} clamps", static_cast<int>(contact.kind), contact.clamps.size()));
    contact.support_velocity << 0.3, -0.2, 0.0, 0.0, 0.0, 0.7;
    contact.support_rate << 0.1, 0.2, 0.0, 0.0, 0.0, -0.5;
    Model model = planar(100);
    model.gravity = {0.0, -9.81, 0.0};
    const bool slides = contact.kind == ContactKind::annular;
    if (contact.kind == ContactKind::sweeping || contact.kind == ContactKind::no_slip) {
      RodSystem system(model, make_strain(Contraction{.advance = {0.2, 0.1}}), contact, {},
                       steps_of(2.5e-3));
      run(system, 1.5);
      EXPECT_LE(std::abs(value_of(system, "work_scheme")), 1e-8);
      EXPECT_LE(std::abs(value_of(system, "power_balance")), 1e-8);
      continue;
    }
    // where a clamp takes over, the shape stands still
    auto strain = slides                      ? make_strain(Undulation{})
                  : contact.clamps.size() > 1 ? make_strain(std::vector<Wave>{})
                                              : bending();
    RodSystem system(model, std::move(strain), contact, {}, steps_of(2.5e-3));
    run(system, 1.5);
    EXPECT_GE(std::abs(value_of(system, "work_contact")), 0.01);
    EXPECT_LE(std::abs(value_of(system, "work_scheme")), 1e-8);
    EXPECT_LE(std::abs(value_of(system, "power_balance")), 1e-8);
  }
}

// ---- breaks

/// K_Z = 4 cos(2πX + 1) (1 + r(t)): r runs evenly, and stops at t = 0.5 s, within `ramp` (0: at
/// once).
class Stopping final : public StrainLaw {
 public:
  explicit Stopping(double ramp) : ramp_(ramp) {}
  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    double r = 2.0 * t;
    double rdot = 2.0;
    double rddot = 0.0;
    const double u = t - kStop;
    if (u > ramp_ || (ramp_ == 0.0 && u > 0.0)) {
      r = 2.0 * kStop + ramp_;
      rdot = 0.0;
    } else if (u > 0.0) {  // twice differentiable: a step of the integrator may cross it
      const double v = u / ramp_;
      r = 2.0 * (t - ramp_ * v * v * v * v * (v * v - 3.0 * v + 2.5));
      rdot = 2.0 * (1.0 - v * v * v * (6.0 * v * v - 15.0 * v + 10.0));
      rddot = -60.0 / ramp_ * v * v * (1.0 - v) * (1.0 - v);
    }
    for (std::size_t i = 0; i < X.size(); ++i) {
      const double f = 4.0 * std::cos(2.0 * pi * X[i] + 1.0);
      out[i] = {};
      out[i].xi(5) = f * (1.0 + r);
      out[i].xidot(5) = f * rdot;
      out[i].xiddot(5) = f * rddot;
    }
  }
  [[nodiscard]] StrainMask actuated() const override {
    return {false, false, false, false, false, true};
  }
  [[nodiscard]] double next_break(double t) const override {
    if (ramp_ == 0.0 && t < kStop) return kStop;
    return std::numeric_limits<double>::infinity();
  }
  static constexpr double kStop = 0.503;  // within a step

 private:
  double ramp_;
};

struct Outcome {
  Vector6d p;
  Eigen::Vector4d works;  // of actuators and contacts; energy, scheme
};

Outcome stop(double ramp, const ContactModel& contact, const Start& start, double dt) {
  Model model = planar(24);
  if (contact.kind == ContactKind::none) model.forces.push_back({.c_along = 0.1, .c_across = 0.5});
  RodSystem system(model, std::make_unique<Stopping>(ramp), contact, start, steps_of(dt));
  run(system, 0.6);
  return {momentum_of(system),
          {value_of(system, "work_servo"), value_of(system, "work_contact"),
           value_of(system, "energy"), value_of(system, "work_scheme")}};
}

TEST(Break, OfTheRatesIsTheLimitOfAShortRamp) {
  ContactModel free;
  Start thrown;
  thrown.eta << 0.2, -0.1, 0.0, 0.0, 0.0, 0.6;
  ContactModel clamped;
  clamped.kind = ContactKind::clamped;
  ContactModel carried;
  carried.kind = ContactKind::locked;
  carried.clamps = {{0.0, 0.4}};
  carried.support_velocity << 0.3, -0.2, 0.0, 0.0, 0.0, 0.7;
  ContactModel annular;  // held by least squares: its contacts do work
  annular.kind = ContactKind::annular;
  annular.abscissae = {0.15, 0.32, 0.5, 0.74, 0.9};
  annular.support_velocity << 0.3, -0.2, 0.0, 0.0, 0.0, 0.7;
  for (const auto& [contact, start] :
       {std::pair{free, thrown}, {clamped, {}}, {carried, {}}, {annular, {}}}) {
    SCOPED_TRACE(static_cast<int>(contact.kind));
    const Outcome sudden = stop(0.0, contact, start, 2e-3);
    double last = 0.0;
    for (double ramp : {0.032, 0.016, 0.008}) {
      const Outcome gentle = stop(ramp, contact, start, 5e-4);
      const double apart =
          std::max((sudden.p - gentle.p).norm(), (sudden.works - gentle.works).norm());
      if (apart > 1e-5 && last > 0.0) {  // one that rests on a still support reaches it at once
        EXPECT_NEAR(last / apart, 2.0, 0.2) << ramp << ": " << last << " " << apart;
      }
      last = apart;
    }
    EXPECT_LE(last, 1e-2);
    EXPECT_LE(std::abs(sudden.works(3)), 1e-7) << "the balance of the work";
  }
}

/// A table of the free rod's wave that ends, and may begin, in motion.
std::unique_ptr<StrainLaw> table_between(double from, double to) {
  std::vector<std::array<double, 8>> rows;
  for (int i = 0; i <= 30; ++i) {
    for (int j = 0; j <= 40; ++j) {
      const double t = from + (to - from) * i / 30.0;
      const double X = j / 40.0;
      rows.push_back({t, X, 1.0, 0.0, 0.0, 0.0, 0.0, 3.0 * std::cos(2.0 * pi * X - 4.0 * t)});
    }
  }
  return make_strain_table(rows);
}

TEST(Break, LeavesAFreeRodItsMomentum) {
  for (double dt : {0.01, 0.007}) {  // at the end of a step and within one
    RodSystem system(planar(), table_between(0.2, 0.7), {}, {}, steps_of(dt));
    run(system, 0.45);
    EXPECT_GE(system.data().energy, 1e-3) << "it moves";
    EXPECT_LE(momentum_of(system).norm(), 1e-6);
    EXPECT_NEAR(value_of(system, "work_servo"), system.data().energy, 1e-6);
    run(system, 1.0);
    // From rest, without momentum, and stiff now: it rests.
    EXPECT_LE(momentum_of(system).norm(), 1e-6);
    EXPECT_LE(system.data().energy, 1e-12);
    EXPECT_LE(std::abs(value_of(system, "work_servo")), 1e-6) << "braking took what driving gave";
    EXPECT_GE(summary_of(system, "work_positive"), 1e-3);
  }
}

TEST(Break, IsPassedTheSameByAResumedRun) {
  const auto make = [] {
    Start start;
    start.eta << 0.2, -0.1, 0.0, 0.0, 0.0, 0.6;
    return std::make_unique<RodSystem>(planar(20), table_between(0.2, 0.7), ContactModel{}, start,
                                       steps_of(0.01));
  };
  for (double cut : {0.1, 0.2, 0.45, 0.7, 0.8}) {
    const auto whole = make();
    const auto first = make();
    const auto second = make();
    run(*whole, 1.0);
    run(*first, cut);
    ByteWriter bytes;
    ASSERT_TRUE(first->save_state(bytes));
    ByteReader reader(bytes.bytes(), "");
    second->restore_state(reader);
    run(*second, 1.0);
    EXPECT_EQ(whole->state_hash(), second->state_hash()) << cut;
    EXPECT_EQ(value_of(*whole, "work_servo"), value_of(*second, "work_servo")) << cut;
  }
}

// ---- switches

// Whatever the step, a section is let go and the next one held at kT/2, where the shape stands
// still: the stride is that of the closed form.
TEST(Inchworm, SwitchesAtHalfPeriodsWhateverTheStep) {
  const double stride = 1.0 - std::cyl_bessel_j(0.0, 2.0);
  for (double dt : {0.01, 0.3, 0.17}) {
    ContactModel locked;
    locked.kind = ContactKind::locked;
    locked.clamps = {{0.0, 0.0}, {1.0, 1.0}};
    Start start;
    start.g.R = math::exp(Vector3d{0.0, 0.0, -0.5 * pi});
    RodSystem system(planar(160), make_strain(OmegaBend{}), locked, start, steps_of(dt));
    run(system, 6.0);
    const double t = static_cast<double>(system.step_count()) * dt;
    ASSERT_LT(t, 6.99);  // held by its head again
    EXPECT_NEAR(system.place().y(), 3.0 * stride, 1e-9) << dt;
    EXPECT_NEAR(system.place().x(), 0.0, 1e-9) << dt;
  }
}

// ---- peaks

TEST(Peak, CountsTheStartInstant) {
  ContactModel clamped;
  clamped.kind = ContactKind::clamped;
  Model model = planar(160);
  model.gravity = {0.0, -9.81, 0.0};
  // It curls up, so slowly that only its weight counts: less and less lever.
  const auto slow = [] {
    return make_strain(std::vector<Wave>{{5, 4.0, INFINITY, 0.0, 0.5 * pi, 0.0, 100.0}});
  };
  RodSystem system(model, slow(), clamped, {}, steps_of(0.5));
  const double first = summary_of(system, "max_torque");
  EXPECT_NEAR(first, 0.5 * 9.81, 1e-3);
  run(system, 40.0);
  EXPECT_EQ(summary_of(system, "max_torque"), first);
  EXPECT_EQ(summary_of(system, "max_torque_time"), 0.0);
  double now = 0.0;
  for (const Point& point : system.data().points) {
    now = std::max(now, std::abs(point.Lambda(5)));
  }
  EXPECT_LE(now, 4.8);
}

// A bar under gravity that is held at 0.4 l: m g (0.6 l)²/2 behind the clamp, less before it.
TEST(Peak, CountsBothSidesOfAJump) {
  ContactModel held;
  held.kind = ContactKind::locked;
  held.clamps = {{0.0, 0.4}};
  Model model = planar(160);
  model.gravity = {0.0, -9.81, 0.0};
  RodSystem system(model, make_strain(std::vector<Wave>{}), held, {}, steps_of(0.5));
  EXPECT_NEAR(summary_of(system, "max_torque"), 9.81 * 0.36 / 2.0, 1e-9);
}

}  // namespace system_test
}  // namespace coluber::rod

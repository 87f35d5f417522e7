// Rods whose contacts determine how they move: earthworm, inchworm, snakes.  Ali, chapter 6

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "coluber/rod/contact.hpp"

#include "sample/rods.hpp"

namespace coluber::rod {
namespace kinematic_test {

using Eigen::Vector3d;

constexpr double pi = std::numbers::pi;

/// A rod on contacts at one instant.
struct Rod {
  Model model{};
  ContactModel contact{};
  std::unique_ptr<StrainLaw> strain{};

  struct Instant {
    Data data;
    ContactData contacts;
    Instant(const Rod& rod)
        : data(rod.model, count_contacts(rod.model, rod.contact, *rod.strain)),
          contacts(rod.model, rod.contact, *rod.strain) {}
    /// Λ of section i of n, X = i l/n.
    [[nodiscard]] const Vector6d& Lambda(int i) const { return data.section(i).Lambda; }
  };
  [[nodiscard]] std::unique_ptr<Instant> at(double t, const Pose& g = {}) const {
    auto out = std::make_unique<Instant>(*this);
    EXPECT_EQ(evaluate_kinematic(model, contact, *strain, t, g, 0.0, out->contacts, out->data),
              Fault::none);
    return out;
  }
};

Rod earthworm(Contraction law, int elements = 160) {
  Rod out;
  out.model.group = Group::R;
  out.model.elements = elements;
  out.contact.kind = ContactKind::sweeping;
  out.strain = make_strain(law);
  return out;
}

// ẋ = −c Γ, ẍ = −ċ Γ + c² Γ', for any c(t)
TEST(Earthworm, MovesAsItsClosedFormSays) {
  const double a = 0.02;
  const double c_0 = 0.05;
  const Rod worm = earthworm({.advance = {c_0, a}});
  for (double t : {0.0, 0.5, 3.7, 11.0}) {
    const auto now = worm.at(t);
    const double c = c_0 + a * t;
    const double s = c_0 * t + 0.5 * a * t * t;
    for (const Point& point : now->data.points) {
      const double angle = 2.0 * pi * (s - point.X);
      const double Gamma = 1.0 + 0.5 * std::sin(angle);
      EXPECT_NEAR(now->data.twist(point)(0), -c * Gamma, 1e-8);
      EXPECT_NEAR(now->data.acceleration(point)(0), -a * Gamma - c * c * pi * std::cos(angle),
                  1e-7);
    }
    EXPECT_NEAR(now->data.F_c(0), -a * 1.0, 1e-8) << "N_c = -cdot m_o";
    EXPECT_LE(now->data.end_residual, 1e-12);
    const double balance =
        now->data.power_energy - now->data.actuator_power - now->data.power_contact;
    EXPECT_LE(std::abs(balance), 1e-8) << "closes only with the work of the sliding contact";
  }
}

TEST(Earthworm, HasNoReactionAtConstantSpeedAndTheInternalForceOfW6) {
  const auto now = earthworm({}, 1000).at(0.5);
  EXPECT_NEAR(now->contacts.reactions[0].X, 0.275, 1e-15);
  EXPECT_LE(std::abs(now->data.F_c(0)), 1e-12);
  const double unit = 0.05 * 0.05;
  EXPECT_NEAR(now->Lambda(275)(0) / unit, -0.57822, 1e-5);
  EXPECT_NEAR(now->Lambda(775)(0) / unit, 0.42178, 1e-5);
}

TEST(Earthworm, MovesTheSameFromWhicheverAnchorage) {
  Rod worm = earthworm({.wavelength = 0.5});
  const auto now = worm.at(3.3);
  ASSERT_EQ(now->contacts.reactions.size(), 2u);
  EXPECT_LE(now->contacts.compatibility, 1e-12);
  worm = earthworm({.wavelength = 0.5, .advance = {0.05, 0.01}});
  worm.contact.distribution = Distribution::equal;
  const auto equal = worm.at(3.3);
  EXPECT_NEAR(equal->contacts.reactions[0].wrench(0), -0.005, 1e-9);
  EXPECT_NEAR(equal->contacts.reactions[1].wrench(0), -0.005, 1e-9);
  EXPECT_LE(equal->data.end_residual, 1e-14);
}

TEST(Earthworm, ThatDoesNotSlipAdvancesByItsStretchAlone) {
  Rod worm = earthworm({}, 640);
  worm.contact.kind = ContactKind::no_slip;
  for (double t : {0.0, 2.0, 13.0}) {
    const double Gamma = 1.0 + 0.5 * std::sin(2.0 * pi * 0.05 * t);
    EXPECT_NEAR(worm.at(t)->data.eta_o(0), -0.05 * (Gamma - 0.5), 1e-9);
  }
}

Rod inchworm(int elements) {
  Rod out;
  out.model.group = Group::SE2;
  out.model.elements = elements;
  out.model.gravity = {0.0, -9.81, 0.0};
  out.contact.kind = ContactKind::locked;
  out.contact.clamps = {{0.0, 0.0}, {1.0, 1.0}};
  out.strain = make_strain(OmegaBend{});
  return out;
}

const Pose head_up{math::exp(Vector3d{0.0, 0.0, -pi / 2}), Vector3d::Zero()};

// Table of I5 and I6
TEST(Inchworm, PushesAtItsHeadAsTheCheckedValuesSay) {
  const Rod worm = inchworm(400);
  const double printed[4][3] = {{0.0, 9.8100, 0.78540},
                                {0.25, 11.5098, 0.98531},
                                {0.5, 11.4145, 1.27326},
                                {0.75, 7.9286, 1.37336}};
  for (const auto& [t, force, torque] : printed) {
    const auto now = worm.at(t, head_up);
    const Vector6d& F = now->contacts.reactions[0].wrench;
    EXPECT_NEAR((head_up.R * F.head<3>()).y(), force, 1e-4 * 11.5098)
        << t;  // as precisely as they were checked
    EXPECT_NEAR(F(5), torque, 1e-4 * 1.3797) << t;
  }
  const auto last = worm.at(1.0 - 1e-8, head_up);
  EXPECT_NEAR((head_up.R * last->contacts.reactions[0].wrench.head<3>()).y(), 6.96398, 1e-5);
  EXPECT_NEAR(last->contacts.reactions[0].wrench(5), 1.37968, 1e-5);
  const auto half = worm.at(0.5, head_up);
  EXPECT_NEAR(half->Lambda(0)(5), -1.27326, 6e-6);
  EXPECT_NEAR(half->Lambda(200)(5), 0.95015, 6e-6);
  EXPECT_NEAR(half->Lambda(400)(5), 0.0, 1e-9);
  const auto later = worm.at(1.5, head_up);
  EXPECT_NEAR(later->Lambda(0)(5), 0.0, 1e-12);
  EXPECT_NEAR(later->Lambda(200)(5), -0.44448, 6e-6);
  EXPECT_NEAR(later->Lambda(400)(5), 1.51600, 6e-6);
  const Vector6d& tail = later->contacts.reactions[0].wrench;
  const Pose g = later->data.pose(later->data.section(400));
  EXPECT_NEAR((g.R * tail.head<3>()).y(), 8.20546, 1e-5);
  for (const auto* each : {half.get(), later.get()}) {
    const double balance =
        each->data.power_energy - each->data.actuator_power - each->data.power_gravity;
    EXPECT_LE(std::abs(balance), 1e-7);
    EXPECT_LE(std::abs(each->data.power_ends), 1e-12) << "what is held does no work";
  }
}

/// The bend seen from the tail: Y = l − X and frames turned by half a turn about Z.
class Relabelled final : public StrainLaw {
 public:
  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    for (std::size_t i = 0; i < X.size(); ++i) {
      const double other = 1.0 - X[i];
      bend_->evaluate(t, {&other, 1}, {&out[i], 1});
      for (Vector6d* each : {&out[i].xi, &out[i].xidot, &out[i].xiddot}) (*each)(5) *= -1.0;
    }
  }
  [[nodiscard]] StrainMask actuated() const override { return bend_->actuated(); }

 private:
  std::unique_ptr<StrainLaw> bend_ = make_strain(OmegaBend{});
};

TEST(Inchworm, HeldAtItsTailIsTheOneHeldAtItsHeadSeenFromTheOtherEnd) {
  const double t = 1.37;
  Rod worm = inchworm(160);
  const auto kept = worm.at(t, head_up);
  const Pose tail = kept->data.pose(kept->data.section(160));
  Rod other = inchworm(160);
  other.strain = std::make_unique<Relabelled>();
  other.contact.kind = ContactKind::clamped;
  const Pose start{tail.R * math::exp(Vector3d{0.0, 0.0, pi}), tail.p};
  const auto seen = other.at(t, start);
  for (int i = 0; i <= 160; ++i) {
    const Vector6d& a = kept->Lambda(i);
    const Vector6d& b = seen->Lambda(160 - i);
    EXPECT_NEAR(a(0), b(0), 1e-7);
    EXPECT_NEAR(a(1), b(1), 1e-7);
    EXPECT_NEAR(a(5), -b(5), 1e-7);
  }
}

Rod snake2d(double l, int elements, std::vector<double> abscissae, double load_time) {
  Rod out;
  out.model.group = Group::SE2;
  out.model.l = l;
  out.model.elements = elements;
  out.contact.kind = ContactKind::annular;
  out.contact.abscissae = std::move(abscissae);
  out.contact.load_time = load_time;
  out.strain = make_strain(Undulation{});
  return out;
}

std::vector<double> spread(int p, double l) {
  std::vector<double> out;
  for (int i = 0; i < p; ++i) out.push_back((i + 0.5) * l / p);
  return out;
}

void expect_across(const Rod::Instant& now, const std::vector<double>& lambda, double tolerance) {
  ASSERT_EQ(now.contacts.reactions.size(), lambda.size());
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    EXPECT_NEAR(now.contacts.reactions[i].wrench(1), lambda[i], tolerance) << i;
  }
}

// Table of S8: reactions vanish, the torque does not
TEST(Snake2d, OfAWholeWaveNeedsNoReactionAtTwoSeconds) {
  const auto now = snake2d(1.0, 160, spread(5, 1.0), 2.0).at(2.0);
  EXPECT_LE(now->data.F_c.norm(), 1e-6);
  const double C[] = {-0.011506, -0.035801, -0.061760, -0.086055, -0.097561};
  for (int i = 1; i <= 5; ++i) EXPECT_NEAR(now->Lambda(16 * i)(5), C[i - 1], 1e-6);
}

// Table of S9: `rodcase1`
TEST(Snake2d, CarriesTheCheckedReactionsOfTheFirstCase) {
  const auto now = snake2d(1.0, 200, spread(5, 1.0), 2.3).at(2.3);
  EXPECT_NEAR(now->data.F_c(0), 0.0, 1e-7);
  EXPECT_NEAR(now->data.F_c(5), -0.11047042, 1e-7);
  expect_across(*now, {0.251090, 0.415848, -0.403257, -0.254756, 0.013823}, 2e-6);
  EXPECT_NEAR(now->Lambda(100)(5), 0.015376, 1e-6);
  EXPECT_NEAR(now->Lambda(60)(5), -0.026230, 1e-6);
  EXPECT_LE(now->data.end_residual, 1e-12);
}

// Table of S10: `rodcase2`
TEST(Snake2d, CarriesTheCheckedReactionsOfTheSecondCase) {
  const auto now = snake2d(1.25, 400, {0.125, 0.375, 0.625, 0.875, 1.125}, 2.0).at(2.0);
  EXPECT_NEAR(now->data.F_c(0), -0.25518790, 1e-7);
  EXPECT_NEAR(now->data.F_c(1), 0.24994618, 1e-7);
  EXPECT_NEAR(now->data.F_c(5), 0.14320343, 1e-7);
  expect_across(*now, {0.047374, 0.204595, -0.004263, 0.152957, 0.179501}, 2e-6);
  EXPECT_NEAR(now->Lambda(120)(5), -0.069361, 1e-6);
}

// The table of the checked values has three digits; these are by the balance of momentum along the
// path, tests/cli/rod_test.py.
TEST(Snake2d, NeedsTorquesThatDependOnTheRuleOfSharing) {
  const double printed[2][2][4] = {
      {{0.0975614, 0.0975614, 0.0975614, 0.0975614}, {0.0279518, 0.0031134, 0.0026516, 0.0030086}},
      {{0.0262300, 0.0266410, 0.0250860, 0.0254660}, {0.0201089, 0.0057544, 0.0032629, 0.0026733}}};
  const int counts[] = {5, 10, 20, 40};
  for (int when = 0; when < 2; ++when) {
    for (int rule = 0; rule < 2; ++rule) {
      for (int i = 0; i < 4; ++i) {
        const double t = when == 0 ? 2.0 : 2.3;
        Rod snake = snake2d(1.0, 400, spread(counts[i], 1.0), t);
        snake.contact.distribution =
            rule == 0 ? Distribution::min_norm : Distribution::inertia_local;
        const auto now = snake.at(t);
        double largest = 0.0;
        for (const Point& point : now->data.points) {
          largest = std::max(largest, std::abs(point.Lambda(5)));
        }
        EXPECT_NEAR(largest, printed[when][rule][i], 2e-4 * printed[when][rule][i])
            << counts[i] << " contacts at " << t;
      }
    }
  }
}

TEST(Snake2d, WithContactsOfDependentLinesMakesNoReactionUp) {
  const auto now = snake2d(1.0, 160, spread(3, 1.0), 2.0).at(2.0);
  EXPECT_EQ(now->contacts.rank, 2);
  EXPECT_GE(now->contacts.condition, 1e8);
  for (const auto& each : now->contacts.reactions) EXPECT_LE(each.wrench.norm(), 1e-6);
}

TEST(Snake2d, TakesAPrestressIntoItsTorquesOnly) {
  Rod snake = snake2d(1.0, 320, spread(5, 1.0), 2.3);
  snake.model.space = Space::collocation6;
  const auto plain = snake.at(2.3);
  snake.contact.prestress = {1.0, -2.0, 0.5, 3.0, -1.0};
  const auto stressed = snake.at(2.3);
  EXPECT_LE((plain->data.eta_o - stressed->data.eta_o).norm(), 0.0);
  EXPECT_LE((plain->data.etadot_o - stressed->data.etadot_o).norm(), 0.0);
  EXPECT_NEAR(plain->data.actuator_power, stressed->data.actuator_power, 1e-12);
  EXPECT_LE(stressed->data.end_residual, 1e-12);
  EXPECT_GE((plain->Lambda(160) - stressed->Lambda(160)).norm(), 1e-2);
}

TEST(Snake2d, FindsItsSpeedFromItsShape) {
  Rod snake = snake2d(1.0, 160, spread(5, 1.0), 0.0);
  snake.strain = make_strain(Swim{.amplitude = 10.0 / (2.0 * pi), .omega = pi});
  for (double t : {0.0, 0.37, 2.3}) {  // at t = 0 the source's quotient is 0/0
    const auto now = snake.at(t);
    EXPECT_NEAR(now->contacts.travel.V, -0.5, 1e-12);
    EXPECT_NEAR(now->contacts.travel.Vdot, 0.0, 1e-10);
    EXPECT_LE(now->contacts.compatibility, 1e-11);
  }
  // A wave that grows cannot be met.
  snake.strain = make_strain(std::vector<Wave>{{5, 6.0, 1.0, 4.0, 0.5 * pi, 0.0, 1.0}});
  EXPECT_GE(snake.at(0.5)->contacts.compatibility, 1.0);
}

Rod spiral(int elements) {
  Rod out;
  out.model.elements = elements;
  out.contact.kind = ContactKind::annular;
  out.contact.abscissae = spread(5, 1.0);
  out.contact.load_time = 2.0;
  out.strain = make_strain(Spiral{});
  return out;
}

// Z2: curvature A, torsion 2π/λ
TEST(Spiral, IsAHelixThatScrewsItselfAlong) {
  const auto now = spiral(160).at(2.0);
  const double tau = 2.0 * pi;
  const double r = 10.0 / (100.0 + tau * tau);
  EXPECT_NEAR(r, 0.071696, 1e-6);
  // The Darboux vector is the helix's axis: constant in space; the centre lies r along the normal.
  const Data& data = now->data;
  const auto axis = [&](int i) {
    const Point& point = data.section(i);
    Strains at;
    const double X = point.X;
    make_strain(Spiral{})->evaluate(2.0, {&X, 1}, {&at, 1});
    const Vector3d K = at.xi.tail<3>();
    const Vector3d normal = K.cross(Vector3d::UnitX()) / 10.0;
    const Vector3d darboux = K + tau * Vector3d::UnitX();
    return std::pair<Vector3d, Vector3d>(point.h.R * darboux.normalized(),
                                         point.h.p + r * (point.h.R * normal));
  };
  const auto [direction, centre] = axis(0);
  for (int i : {17, 80, 160}) {
    const auto [other, place] = axis(i);
    EXPECT_LE((other - direction).norm(), 1e-6);
    EXPECT_LE(direction.cross(Vector3d(place - centre)).norm(), 1e-6);
    const Point& point = data.section(i);
    const Vector3d V = point.h.R * data.twist(point).head<3>();
    EXPECT_NEAR(std::abs(V.dot(direction)), 0.266009, 1e-6);
  }
}

// Z3
TEST(Spiral, CarriesTheCheckedReactions) {
  const auto now = spiral(200).at(2.0);
  const Vector6d F_c{{-0.048861, -0.145260, 0.030700, 0.070031, 0.089033, -0.039115}};
  EXPECT_LE((now->data.F_c - F_c).cwiseAbs().maxCoeff(), 1e-6);
  expect_across(*now, {-0.007428, 0.009024, 0.058055, 0.009024, -0.007428}, 1e-6);
  const double N_Z[] = {0.028782, 0.042065, 0.0, -0.042065, -0.028782};
  const double C_X[] = {0.046094, -0.032405, 0.0, 0.032405, -0.046094};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(now->contacts.reactions[i].wrench(2), N_Z[i], 1e-6);
    EXPECT_NEAR(now->contacts.reactions[i].wrench(3), C_X[i], 1e-6);
  }
  EXPECT_NEAR(now->data.actuator_power, 0.0, 1e-7);
  EXPECT_LE(now->data.end_residual, 1e-12);
}

// The field of the 3D turn: η = V_o ξ, hence V_Y = V_Z = Ω_X = 0 everywhere.
TEST(Snake3d, SlidesAlongItselfOnly) {
  Rod snake = spiral(160);
  snake.strain = make_strain(Undulation{.turn = Turn{3.0, 4.0, 2.0, 0.5}});
  for (double t : {2.0, 5.0, 8.3}) {
    const auto now = snake.at(t);
    for (const Point& point : now->data.points) {
      const Vector6d eta = now->data.twist(point);
      EXPECT_LE(std::abs(eta(1)), 2e-7);
      EXPECT_LE(std::abs(eta(2)), 2e-7);
      EXPECT_LE(std::abs(eta(3)), 2e-7);
      EXPECT_NEAR(eta(0), -0.5, 2e-7);
    }
  }
}

// A support that moves as one carries the rod with it: the same reactions in its frame.
TEST(Support, ThatMovesSteadilyCarriesTheRodAlong) {
  Rod snake = snake2d(1.25, 80, spread(5, 1.25), 2.0);
  const auto still = snake.at(2.0);
  snake.contact.support_velocity << 0.3, -0.2, 0.0, 0.0, 0.0, 0.0;
  const auto carried = snake.at(2.0);
  EXPECT_LE((carried->data.F_c - still->data.F_c).norm(), 1e-9);
  EXPECT_NEAR(carried->data.eta_o(0), still->data.eta_o(0) + 0.3, 1e-15);
  snake.contact.support_rate << 0.1, 0.4, 0.0, 0.0, 0.0, 0.0;
  const auto pushed = snake.at(2.0);
  const Vector3d more = pushed->data.F_c.head<3>() - still->data.F_c.head<3>();
  EXPECT_NEAR(more.x(), 1.25 * 0.1, 1e-9) << "mass times acceleration";
  EXPECT_NEAR(more.y(), 1.25 * 0.4, 1e-9);
}

// Complete relations of beam B6
TEST(Reissner, SlidesNowhereAcrossWithTheCompleteRelations) {
  const auto shape = [](double X) {
    const double k = 2.0 * pi;
    return ReissnerShape{4.0 * std::cos(k * X), -4.0 * k * std::sin(k * X),
                         0.2 * std::sin(k * X + 0.4), 0.3 * std::cos(k * X + 0.7),
                         -0.3 * k * std::sin(k * X + 0.7)};
  };
  const auto largest_V_Y = [&](bool complete) {
    // η' = −ad_ξ η + ξ̇ with the curvature's rate that the relations ask for
    const int n = 2000;
    const double h = 1.0 / n;
    const auto printed = [&](double X) {
      ReissnerShape at = shape(X);
      at.Gammadot_Y = at.Gammadot_Y_slope = 0.0;
      return at;
    };
    const auto motion = complete ? compute_reissner(shape, 1.0, 2 * n, -0.5)
                                 : compute_reissner(printed, 1.0, 2 * n, -0.5);
    Vector3d eta(-0.5, 0.0, motion[0].Omega);
    const auto slope = [&](std::size_t i, const Vector3d& at) {
      const ReissnerShape s = shape(motion[i].X);
      return Vector3d(s.K * at.y() - s.Gamma_Y * at.z(), -s.K * at.x() + at.z() + s.Gammadot_Y,
                      motion[i].Kdot);
    };
    double largest = 0.0;
    for (std::size_t i = 0; i < 2 * n; i += 2) {
      const Vector3d k1 = slope(i, eta);
      const Vector3d k2 = slope(i + 1, eta + 0.5 * h * k1);
      const Vector3d k3 = slope(i + 1, eta + 0.5 * h * k2);
      const Vector3d k4 = slope(i + 2, eta + h * k3);
      eta += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      largest = std::max(largest, std::abs(eta.y()));
    }
    return largest;
  };
  EXPECT_LE(largest_V_Y(true), 1e-9);
  EXPECT_NEAR(largest_V_Y(false), 5.6e-2, 5e-4) << "(6.43) without the shear's rate";
}

}  // namespace kinematic_test
}  // namespace coluber::rod

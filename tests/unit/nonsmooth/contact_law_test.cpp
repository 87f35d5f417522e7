#include "nonsmooth/contact_law.hpp"

#include <random>

#include <gtest/gtest.h>

#include "coluber/nonsmooth/prox.hpp"

namespace coluber::nonsmooth {
namespace contact_law_test {

using Eigen::Vector2d;

TEST(Prox, IsIdempotentAndNonExpansive) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-2.0, 2.0);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector2d x{unit(random), unit(random)};
    const Vector2d y{unit(random), unit(random)};
    const Vector2d p = prox_disc(x, 0.8);
    EXPECT_LE((prox_disc(p, 0.8) - p).norm(), 1e-15);
    EXPECT_LE((p - prox_disc(y, 0.8)).norm(), (x - y).norm() + 1e-15);
    EXPECT_LE(p.norm(), 0.8 + 1e-15);
    EXPECT_EQ(prox_unilateral(prox_unilateral(x.x())), prox_unilateral(x.x()));
  }
  EXPECT_EQ(prox_disc(Vector2d{0.1, 0.2}, 0.8), Vector2d(0.1, 0.2));
  EXPECT_EQ(prox_disc(Vector2d::Zero(), 0.0), Vector2d::Zero());
}

Contact<3> friction(double mu_x, double mu_y, bool unilateral) {
  Contact<3> contact;
  contact.mu = {mu_x, mu_y};
  contact.mu_max = std::max(mu_x, mu_y);
  contact.c = 0.03;
  contact.c_t = 0.03 * contact.mu_max * contact.mu_max;
  contact.load = 7e-3;
  contact.unilateral = unilateral;
  contact.A = {1e-3, -2e-3};
  return contact;
}

TEST(ContactLaw, OnTheConeASlipAsSlowAsYouLikeTurnsByItsOwnSpeed) {
  // T slips against gamma; a sweep that turned it by `turn` has left it outside the disc by R
  // turn²/2. At the solution k = R/|gamma|.
  const Contact<3> contact = friction(0.3, 0.3, false);
  const double r_T = scaled_r(contact, kProxR);
  const double R = contact.load;
  const Proximal term{1e-12, Vector2d::Zero()};
  for (const double speed : {1e-2, 1e-5, 1e-8}) {
    for (const double turn : {0.0, 1e-3, 3e-2}) {
      SCOPED_TRACE(testing::Message() << speed << " m/s, turned by " << turn);
      const Vector2d gamma{speed, 0.0};
      const Impulse P{R, {-R, R * turn}};
      LinearLaw plain;
      LinearLaw cone;
      linearise(contact, term, P, 0.0, gamma.x(), gamma.y(), kProxR, r_T, plain);
      linearise<true>(contact, term, P, 0.0, gamma.x(), gamma.y(), kProxR, r_T, cone);
      EXPECT_NEAR(cone.k_11 + cone.k_22, R / speed, 2e-3 * R / speed);
      EXPECT_NEAR(cone.residual, plain.residual, 1e-16) << "that of the impulse as it is";
      if (turn == 0.0) {
        EXPECT_EQ(cone.k_22, plain.k_22) << "on the disc the two are one";
        EXPECT_EQ(cone.q_1, plain.q_1);
      } else if (speed < 1e-7 && turn > 1e-2) {
        EXPECT_LE(plain.k_11 + plain.k_22, 0.2 * R / speed) << "why it is needed";
      }
    }
  }
}

TEST(ContactLaw, ItsLinearisationIsTheDerivativeOfTheExplicitLaw) {
  // With r = 1/c and r_T = 1/c_t the impulses are explicit functions of the velocities, and K is
  // minus their Jacobian wherever they have one.
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int slips = 0;
  int sticks = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Contact<3> contact = friction(0.3, trial % 2 == 0 ? 0.3 : 0.7, trial % 3 == 0);
    contact.b = 0.01 * unit(random);
    const double scale = trial % 5 == 0 ? 1e-6 : 1e-3;
    const double gamma_N = -1e-3 * (1.0 + unit(random)) - contact.b;
    const Vector2d gamma{scale * unit(random), scale * unit(random)};
    const auto law = [&](double N, double x, double y) {
      LinearLaw result;
      linearise(contact, {contact.c_t, contact.A}, Impulse{}, N, x, y, 1.0 / contact.c,
                1.0 / contact.c_t, result);
      return result;
    };
    const LinearLaw at = law(gamma_N, gamma.x(), gamma.y());
    (at.n_1 != 0.0 || at.n_2 != 0.0 ? slips : sticks) += 1;
    const double h = 1e-9;
    const std::array<Eigen::Vector3d, 3> steps{Eigen::Vector3d{h, 0, 0}, {0, h, 0}, {0, 0, h}};
    for (const auto& d : steps) {
      const LinearLaw plus = law(gamma_N + d(0), gamma.x() + d(1), gamma.y() + d(2));
      const LinearLaw minus = law(gamma_N - d(0), gamma.x() - d(1), gamma.y() - d(2));
      if ((plus.n_1 == 0.0) != (minus.n_1 == 0.0) || (plus.k_N == 0.0) != (minus.k_N == 0.0))
        continue;  // a kink
      Impulse linear;
      apply(at, d(0), d(1), d(2), linear);
      EXPECT_NEAR((plus.q_N - minus.q_N) / 2.0, linear.N - at.q_N, 1e-12);
      EXPECT_NEAR((plus.q_1 - minus.q_1) / 2.0, linear.T.x() - at.q_1, 1e-11);
      EXPECT_NEAR((plus.q_2 - minus.q_2) / 2.0, linear.T.y() - at.q_2, 1e-11);
    }
  }
  EXPECT_GT(slips, 200);
  EXPECT_GT(sticks, 200);
}

TEST(ContactLaw, TheResidualVanishesExactlyOnTheLaw) {
  Contact<3> contact = friction(0.2, 0.5, false);
  contact.A.setZero();
  LinearLaw law;
  // slip: T = -load gamma/|gamma| with A = T solves the law for any speed
  const Vector2d gamma{0.03, -0.01};
  Impulse P{contact.load, -contact.load * gamma.normalized()};
  contact.A = P.T;
  linearise(contact, {contact.c_t, contact.A}, P, 0.0, gamma.x(), gamma.y(), kProxR,
            scaled_r(contact, kProxR), law);
  EXPECT_LE(law.residual, 1e-17);
  // stick: any T inside with zero velocity
  P.T = {1e-3, 2e-3};
  contact.A = P.T;
  linearise(contact, {contact.c_t, contact.A}, P, 0.0, 0.0, 0.0, kProxR, scaled_r(contact, kProxR),
            law);
  EXPECT_LE(law.residual, 1e-18);
  // moving without being at the edge is not allowed
  linearise(contact, {contact.c_t, contact.A}, P, 0.0, 1e-3, 0.0, kProxR, scaled_r(contact, kProxR),
            law);
  EXPECT_GT(law.residual, 1e-4);
  // an open contact carries no impulse
  Contact<3> peg;
  peg.unilateral = true;
  peg.c = 0.03;
  peg.b = 1.0;
  linearise(peg, {}, Impulse{}, 0.0, 0.0, 0.0, kProxR, 0.0, law);
  EXPECT_EQ(law.residual, 0.0);
  linearise(peg, {}, Impulse{1e-3, Vector2d::Zero()}, 0.0, 0.0, 0.0, kProxR, 0.0, law);
  EXPECT_NEAR(law.residual, 1e-3, 1e-18);
}

}  // namespace contact_law_test
}  // namespace coluber::nonsmooth

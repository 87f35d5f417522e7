// The friction model that Atakan takes from Saito, Fukaya and Iwasaki, (2.24)-(2.33), is the
// minimal model without Coulomb friction: a homogeneous link that rubs along its whole length with
// -c v dm has the force of two points with half its load each, sqrt(J/m) from its middle, and the
// viscous coefficient c/g. Here its matrices are written out as the source prints them.

#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "coluber/core/random.hpp"
#include "coluber/planar/minimal.hpp"

namespace coluber::planar {
namespace viscous_snake_test {

using Eigen::MatrixXd;

struct Scene {
  Model model;
  VectorXd q, qdot;  // as the minimal model has them
  VectorXd tau;      // joint torques, positive drives phi up
  double c_t = 0.0, c_n = 0.0;
};

Scene random_scene(Random& random) {
  const int n = 2 + static_cast<int>(random.uniform(0.0, 11.0));
  Scene scene;
  scene.c_t = random.uniform(0.0, 2.0);
  scene.c_n = random.uniform(0.0, 10.0);
  for (int i = 0; i < n; ++i) {
    Link link;
    link.m = random.uniform(0.2, 2.0);
    link.L = random.uniform(0.2, 1.5);
    link.Theta = link.m * link.L * link.L / 12.0;
    link.L_GS = std::sqrt(link.Theta / link.m);
    link.L_SC = 0.01;
    scene.model.links.push_back(link);
  }
  scene.model.friction_points = 2;
  scene.model.mu_T.setZero();
  scene.model.mu_V << scene.c_t / scene.model.g, scene.c_n / scene.model.g;
  const auto fill = [&](int size, double reach) {
    VectorXd v(size);
    for (double& entry : v) entry = random.uniform(-reach, reach);
    return v;
  };
  scene.q = fill(n + 2, 2.0);
  scene.qdot = fill(n + 2, 3.0);
  scene.tau = fill(n - 1, 5.0);
  return scene;
}

// Sums from the first entry on: absolute angles of the links from the first's and the joints'.
VectorXd sums(const VectorXd& parts) {
  VectorXd all = parts;
  for (Eigen::Index i = 1; i < all.size(); ++i) all(i) += all(i - 1);
  return all;
}

// Centres of gravity in x and y of a quantity that the joints pass on: `start` at O_2, and from
// there by half a link each way, `along` per link and metre.
VectorXd at_centres(double start, const VectorXd& lengths, const VectorXd& along) {
  VectorXd centres(lengths.size());
  for (Eigen::Index i = 0; i < lengths.size(); ++i) {
    centres(i) = start + 0.5 * lengths(i) * along(i);
    start += lengths(i) * along(i);
  }
  return centres;
}

// The source's matrices, as printed.  Atakan 2.4.1
struct Printed {
  MatrixXd A, D, E, S, C, J, M, L, H, N, Gamma, Lambda, eta;
  MatrixXd D_f, D_tau, Omega;  // (2.26)
  double m = 0.0;

  Printed(const Scene& scene, const VectorXd& phi) {
    const Eigen::Index n = phi.size();
    A.setZero(n - 1, n);
    D.setZero(n - 1, n);
    for (Eigen::Index i = 0; i + 1 < n; ++i) {
      A(i, i) = A(i, i + 1) = 1.0;
      D(i, i) = 1.0;
      D(i, i + 1) = -1.0;
    }
    E.setZero(2 * n, 2);
    E.col(0).head(n).setOnes();
    E.col(1).tail(n).setOnes();
    J.setZero(n, n);
    M = L = J;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Link& link = scene.model.links[static_cast<std::size_t>(i)];
      J(i, i) = link.Theta;
      M(i, i) = link.m;
      L(i, i) = 0.5 * link.L;
    }
    m = M.trace();
    S = phi.array().sin().matrix().asDiagonal();
    C = phi.array().cos().matrix().asDiagonal();
    const MatrixXd inverse = (D * M.inverse() * D.transpose()).inverse();
    H = L * A.transpose() * inverse * A * L;
    N = M.inverse() * D.transpose() * inverse * A * L;
    Gamma = J + S * H * S + C * H * C;
    Lambda = S * H * C - C * H * S;
    eta.resize(2 * n, n);
    eta << N * S, -N * C;
    D_f.setZero(2 * n, 2 * n);
    D_f.topLeftCorner(n, n) = scene.c_t * M;
    D_f.bottomRightCorner(n, n) = scene.c_n * M;
    D_tau = scene.c_n * J;
    Omega.resize(2 * n, 2 * n);
    Omega << C, -S, S, C;
  }
};

// What both sides say of one state.
struct Compared {
  VectorXd phiddot, phiddot_printed;  // of the links
  Vector2d wddot, wddot_printed;      // of the centre of mass
  VectorXd phiddot_sign;              // with the sign that (2.31) prints
  double torques_apart = 0.0;         // (2.33) against (2.32), relative
};

Compared compare(const Scene& scene) {
  const Eigen::Index n = scene.model.n();
  RobotData data(scene.model);
  VectorXd qddot(n + 2);
  smooth_dynamics(scene.model, {}, scene.q, scene.qdot, scene.tau, data, qddot);

  const VectorXd phi = sums(scene.q.tail(n));
  const VectorXd phidot = sums(scene.qdot.tail(n));
  const Printed p(scene, phi);
  const VectorXd lengths = 2.0 * p.L.diagonal();
  const VectorXd masses = p.M.diagonal() / p.m;
  const VectorXd c = phi.array().cos();
  const VectorXd s = phi.array().sin();
  const Vector2d wdot(masses.dot(at_centres(scene.qdot(0), lengths, -s.cwiseProduct(phidot))),
                      masses.dot(at_centres(scene.qdot(1), lengths, c.cwiseProduct(phidot))));

  const VectorXd zdot = p.eta * phidot + p.E * wdot;
  const VectorXd f = -p.Omega * p.D_f * p.Omega.transpose() * zdot;  // (2.26)
  const VectorXd tau = -p.D_tau * phidot;
  const VectorXd squares = phidot.cwiseAbs2();
  // u_i turns link i and, with the other sign, link i+1: our joint torques, reversed
  const VectorXd right = -p.D.transpose() * scene.tau + tau + p.eta.transpose() * f;

  Compared out;
  out.phiddot_printed = p.Gamma.partialPivLu().solve(right - p.Lambda * squares);  // (2.32)
  out.wddot_printed = p.E.transpose() * f / p.m;
  const MatrixXd sign = p.J + p.S * p.H * p.S - p.C * p.H * p.C;
  out.phiddot_sign = sign.partialPivLu().solve(right - p.Lambda * squares);

  MatrixXd both(2 * n, n + 2);
  both << p.eta, p.E;
  MatrixXd drag = both.transpose() * p.Omega * p.D_f * p.Omega.transpose() * both;  // (2.33)
  drag.topLeftCorner(n, n) += p.D_tau;
  VectorXd rates(n + 2);
  rates << phidot, wdot;
  VectorXd wanted(n + 2);
  wanted << tau + p.eta.transpose() * f, p.E.transpose() * f;
  out.torques_apart =
      (drag * rates + wanted).lpNorm<Eigen::Infinity>() / wanted.lpNorm<Eigen::Infinity>();

  out.phiddot = sums(qddot.tail(n));
  out.wddot << masses.dot(
      at_centres(qddot(0), lengths, -s.cwiseProduct(out.phiddot) - c.cwiseProduct(squares))),
      masses.dot(
          at_centres(qddot(1), lengths, c.cwiseProduct(out.phiddot) - s.cwiseProduct(squares)));
  return out;
}

double apart(const VectorXd& a, const VectorXd& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / a.lpNorm<Eigen::Infinity>();
}

TEST(ViscousSnake, OfThePrintedMatricesIsTheMinimalModelWithoutCoulombFriction) {
  Random random(24);
  double worst = 0.0;
  double worst_form = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const Compared state = compare(random_scene(random));
    worst = std::max(worst, apart(state.phiddot, state.phiddot_printed));
    worst_form = std::max(worst_form, state.torques_apart);
  }
  EXPECT_LT(worst, 1e-10);
  EXPECT_LT(worst_form, 1e-12) << "(2.33) is (2.32) with the friction in it";
}

TEST(ViscousSnake, MovesItsCentreOfMassByTheFrictionOnAllLinks) {
  Random random(25);
  for (int k = 0; k < 1000; ++k) {
    const Compared state = compare(random_scene(random));
    // m wddot is what is left of link accelerations up to a few hundred m/s²
    const double scale = 1.0 + state.phiddot.lpNorm<Eigen::Infinity>();
    EXPECT_LT((state.wddot - state.wddot_printed).norm(), 1e-13 * scale) << k;
  }
}

// (2.31) prints +C phiddot where D y = -A L sin(phi) gives Dyddot = A L (S phidot² - C phiddot).
TEST(ViscousSnake, ContradictsTheSignPrintedInItsConstraintForces) {
  Random random(26);
  int wrong = 0;
  for (int k = 0; k < 1000; ++k) {
    const Compared state = compare(random_scene(random));
    if (apart(state.phiddot, state.phiddot_sign) > 1e-2) ++wrong;
  }
  EXPECT_GT(wrong, 990);
}

}  // namespace viscous_snake_test
}  // namespace coluber::planar

// Random steps of planar robots whose links differ in mass by up to a hundred. Their loads are
// given, so each is a strictly convex minimisation and has to be solved.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/nonsmooth/residual.hpp"
#include "coluber/nonsmooth/solver.hpp"

namespace coluber::nonsmooth {
namespace mass_ratio_test {

constexpr double kDt = 2.5e-4;  // s
constexpr double kGravity = 9.81;

struct Step {
  ContactProblem<3> problem;
  Solution<3> previous;
};

/// A chain of 2 to 6 links at random angles with two friction points a link, explicit torques, and
/// now and then frictionless obstacles. Speeds from a micrometre a second, where points stick, to
/// centimetres a second; anchors as the last step of a point that slipped leaves them, or inside
/// the disc.
Step random_step(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto between = [&](double low, double high) {
    return low + (high - low) * 0.5 * (unit(random) + 1.0);
  };
  const auto power = [&](double low, double high) { return std::pow(10.0, between(low, high)); };
  const auto n = static_cast<std::size_t>(between(2.0, 7.0));
  const Eigen::Vector2d mu{power(-2.0, 0.0), power(-2.0, 0.0)};
  Step step;
  auto& [problem, previous] = step;
  problem.nodes.resize(n);
  previous.resize(n, 0);
  double least = 1e30;
  double angle = 0.0;
  Eigen::Vector2d joint = Eigen::Vector2d::Zero();
  std::vector<double> mass(n);
  std::vector<Eigen::Vector2d> centre(n), along(n);
  for (std::size_t i = n; i-- > 0;) {  // from the root; twists are taken at the first joint
    Node<3>& node = problem.nodes[i];
    mass[i] = 0.05 * power(0.0, 2.0);
    least = std::min(least, mass[i]);
    const double length = between(0.05, 0.2);
    angle += unit(random);
    along[i] = {std::cos(angle), std::sin(angle)};
    centre[i] = joint + 0.5 * length * along[i];
    const double x = centre[i].x();
    const double y = centre[i].y();
    const double inertia = mass[i] * length * length * between(0.05, 0.2);
    // clang-format off
    node.M << inertia + mass[i] * centre[i].squaredNorm(), -mass[i] * y, mass[i] * x,
              -mass[i] * y,                                mass[i],      0.0,
              mass[i] * x,                                 0.0,          mass[i];
    // clang-format on
    const double speed = power(-6.0, -1.0);
    if (i + 1 == n) {
      node.parent = -1;
      previous.root = speed * Twist<3>{10.0 * unit(random), unit(random), unit(random)};
    } else {
      node.parent = static_cast<int>(i) + 1;
      node.s = {1.0, joint.y(), -joint.x()};
      node.sr = mass[i] * kGravity * kDt * length * unit(random) * mu.maxCoeff();
      if (unit(random) > 0.5) {
        node.sd = inertia * power(-2.0, 2.0);
        node.limit = std::abs(node.sr) * power(-1.0, 1.0);
      }
      previous.rate[i] = 10.0 * speed * unit(random);
    }
    problem.length_scale = i + 1 == n ? length : problem.length_scale + length;
    joint += length * along[i];
  }
  problem.impulse_scale = least * kGravity * kDt;
  update_twists(problem, previous);
  for (std::size_t i = 0; i < n; ++i) {
    Node<3>& node = problem.nodes[i];
    node.p = node.M * previous.twist[i];
    node.first_contact = static_cast<int>(problem.contacts.size());
    const double share = between(0.1, 0.9);
    for (const double side : {-1.0, 1.0}) {
      Contact<3> contact;
      const Eigen::Vector2d a = centre[i] + side * between(0.005, 0.02) * along[i];
      const Eigen::Vector2d across{-along[i].y(), along[i].x()};
      const auto column = [&](const Eigen::Vector2d& d) {
        return Twist<3>{a.x() * d.y() - a.y() * d.x(), d.x(), d.y()};
      };
      contact.mu = mu;
      contact.mu_max = mu.maxCoeff();
      contact.w_1 = mu.x() * column(along[i]);
      contact.w_2 = mu.y() * column(across);
      contact.c_t = 0.02 / mass[i] * contact.mu_max * contact.mu_max;
      contact.load = (side < 0.0 ? share : 1.0 - share) * mass[i] * kGravity * kDt;
      const Eigen::Vector2d gamma{contact.w_1.dot(previous.twist[i]),
                                  contact.w_2.dot(previous.twist[i])};
      const double turn = std::numbers::pi * unit(random);
      contact.A = unit(random) > 0.0
                      ? Eigen::Vector2d{-contact.load * gamma.normalized()}
                      : Eigen::Vector2d{contact.load * between(0.0, 1.0) *
                                        Eigen::Vector2d{std::cos(turn), std::sin(turn)}};
      problem.contacts.push_back(contact);
      previous.impulse.push_back({contact.load, contact.A});
    }
    if (unit(random) > 0.7) {
      Contact<3> obstacle;
      const Eigen::Vector2d across{-along[i].y(), along[i].x()};
      obstacle.w_N = {centre[i].x() * across.y() - centre[i].y() * across.x(), across.x(),
                      across.y()};
      obstacle.unilateral = true;
      obstacle.c = 0.02 / mass[i];
      obstacle.b = unit(random) * power(-6.0, -2.0);
      problem.contacts.push_back(obstacle);
      previous.impulse.emplace_back();
    }
    node.contact_count = static_cast<int>(problem.contacts.size()) - node.first_contact;
  }
  return step;
}

TEST(MassRatio, UpToAHundredEveryRandomStepOfThePlaneIsSolved) {
  std::mt19937_64 random(11);
  SolverData<3> data;
  ResidualData<3> scratch;
  int fallbacks = 0;
  int most = 0;
  for (int draw = 0; draw < 15000; ++draw) {
    SCOPED_TRACE(draw);
    const Step step = random_step(random);
    std::array<Solution<3>, 2> answers{step.previous, step.previous};
    for (const int max_sweeps : {12, 0}) {  // as it is used, and the fallback alone
      Solution<3>& solution = answers[max_sweeps == 0 ? 1 : 0];
      const SolveInfo info =
          solve_newton(step.problem, step.previous, solution, data, {.max_sweeps = max_sweeps});
      ASSERT_EQ(info.status, Status::ok) << info.iterations << " sweeps";
      const Residual residual = compute_residual(step.problem, solution, scratch, Law::anchored);
      ASSERT_LE(residual.law, 1e-9);
      ASSERT_LE(residual.momentum, 1e-9);
      if (max_sweeps > 0 && info.fallback) ++fallbacks;
      most = std::max(most, info.fallback_sweeps);
    }
    // one answer, wherever it was begun
    for (std::size_t i = 0; i < step.problem.nodes.size(); ++i) {
      ASSERT_LE((answers[0].twist[i] - answers[1].twist[i]).norm(), 1e-7);
    }
  }
  EXPECT_GE(fallbacks, 100) << "the draws are meant to be hard for Newton alone";
  EXPECT_LE(most, 100);
  RecordProperty("fallbacks", fallbacks);
  RecordProperty("most_sweeps", most);
}

}  // namespace mass_ratio_test
}  // namespace coluber::nonsmooth

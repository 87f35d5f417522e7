// Every solver over saved steps of spatial runs: rolling friction that shares a normal impulse,
// joints of two axes, an impact, cylinders that rub, loads that are given.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/nonsmooth/problem_file.hpp"
#include "coluber/nonsmooth/residual.hpp"
#include "coluber/nonsmooth/solver.hpp"

namespace coluber::nonsmooth {
namespace spatial_problems_test {

using Eigen::Index;
using Eigen::MatrixXd;

const std::filesystem::path kFolder =
    std::filesystem::path(COLUBER_SOURCE_DIR) / "tests/data/problems_spatial";

std::vector<std::string> saved_problems() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

SavedProblem<6> load(const std::string& name) {
  return load_problem<6>(kFolder / (name + ".json"));
}

/// Largest eigenvalue of W^T H^-1 W with unit friction coefficients, H the joint-space inertia:
/// what r must stay below 2 over. Rolling is scaled by mu_max, as the laws' residuals are.
double largest_eigenvalue(const ContactProblem<6>& problem) {
  const auto n = static_cast<Index>(problem.nodes.size());
  MatrixXd H = MatrixXd::Zero(6 + n - 1, 6 + n - 1);
  MatrixXd W = MatrixXd::Zero(6 + n - 1, 3 * static_cast<Index>(problem.contacts.size()));
  for (Index i = 0; i < n; ++i) {
    const Node<6>& node = problem.nodes[static_cast<std::size_t>(i)];
    MatrixXd J = MatrixXd::Zero(6, 6 + n - 1);
    J.leftCols<6>().setIdentity();
    for (Index k = i; k + 1 < n; k = problem.nodes[static_cast<std::size_t>(k)].parent) {
      J.col(6 + k) = problem.nodes[static_cast<std::size_t>(k)].s;
    }
    H += J.transpose() * node.M * J;
    if (i + 1 < n) H(6 + i, 6 + i) += node.sd;
    for (int k = node.first_contact; k < node.first_contact + node.contact_count; ++k) {
      const Contact<6>& contact = problem.contacts[static_cast<std::size_t>(k)];
      if (contact.unilateral && !contact.shares_normal) {
        W.col(3 * k) = J.transpose() * contact.w_N;
      }
      if (contact.mu_max > 0.0) {
        W.col(3 * k + 1) = J.transpose() * contact.w_1 / contact.mu_max;
        W.col(3 * k + 2) = J.transpose() * contact.w_2 / contact.mu_max;
      }
    }
  }
  const MatrixXd G = W.transpose() * H.ldlt().solve(W);
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(G).eigenvalues().maxCoeff();
}

/// r of the thesis' iteration, one over that eigenvalue. Rolling takes it in units of its mu.
ThesisOptions choose_thesis(const ContactProblem<6>& problem, Law law) {
  const double r = 1.0 / largest_eigenvalue(problem);
  double r_V = r;
  for (const Contact<6>& contact : problem.contacts) {
    if (contact.kind != ContactKind::rolling) continue;
    const double ratio = contact.mu.maxCoeff() / contact.mu_max;
    r_V = std::min(r_V, r * ratio * ratio);
  }
  return {.law = law,
          .r_N = r,
          .r_T = r,
          .r_V = r_V,
          .r_H = r,
          .epsilon = 1e-15,
          .max_iterations = 3000000};
}

double distance(const Solution<6>& a, const Solution<6>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.twist.size(); ++i) {
    worst = std::max(worst, (a.twist[i] - b.twist[i]).cwiseAbs().maxCoeff());
  }
  return worst;
}

/// The problem with servos limited to 0.6 of the largest impulse that one of them gives.
ContactProblem<6> with_weak_servos(const SavedProblem<6>& saved) {
  ContactProblem<6> problem = saved.problem;
  Solution<6> solution = saved.previous;
  SolverData<6> data;
  EXPECT_EQ(solve_newton(problem, saved.previous, solution, data).status, Status::ok);
  double largest = 0.0;
  for (std::size_t i = 0; i + 1 < problem.nodes.size(); ++i) {
    largest = std::max(largest, std::abs(joint_impulse(problem.nodes[i], solution.rate[i])));
  }
  for (Node<6>& node : problem.nodes) node.limit = 0.6 * largest;
  return problem;
}

constexpr std::array kLaws{Law::anchored, Law::rigid};

const char* name_of(Law law) { return law == Law::rigid ? "rigid" : "anchored"; }

class SpatialProblems : public testing::TestWithParam<std::string> {
 protected:
  SavedProblem<6> saved = load(GetParam());
  SolverData<6> data;
  ResidualData<6> scratch;

  void expect_laws_met(const Solution<6>& solution, Law law, const char* solver,
                       double tolerance = 1e-10) {
    SCOPED_TRACE(solver);
    const Residual residual = compute_residual(saved.problem, solution, scratch, law);
    EXPECT_LE(residual.law, tolerance);
    EXPECT_LE(residual.momentum, 1e-10);
    EXPECT_LE(residual.gap, 1e-8);
    for (std::size_t k = 0; k < saved.problem.contacts.size(); ++k) {
      if (!saved.problem.contacts[k].shares_normal) continue;
      EXPECT_NEAR(solution.impulse[k].N, solution.impulse[k - 1].N,
                  1e-10 * saved.problem.impulse_scale)
          << "contact " << k << " shares its normal impulse with the one before it";
    }
  }
};

TEST_P(SpatialProblems, NewtonItsFallbackGaussSeidelAndTheThesisIterationGiveTheSameVelocities) {
  for (const Law law : kLaws) {
    SCOPED_TRACE(name_of(law));
    // Loads are given and nothing but stick is left to find, set-valued: impulses are redundant,
    // and the two plain iterations creep (1.3e-8 after 100000, 7e-9 after 3000000). Newton does
    // not.
    const bool creeps = law == Law::rigid && GetParam() == "yaw_equal_loads";
    const double plain = creeps ? 1e-7 : 1e-10;
    Solution<6> newton = saved.previous;
    const NewtonOptions tight{.law = law, .tolerance = 1e-12, .gap = 1e-8};
    ASSERT_EQ(solve_newton(saved.problem, saved.previous, newton, data, tight).status, Status::ok);
    expect_laws_met(newton, law, "Newton");

    Solution<6> fallback = saved.previous;
    NewtonOptions fallback_alone = tight;
    fallback_alone.max_sweeps = 0;
    const SolveInfo info =
        solve_newton(saved.problem, saved.previous, fallback, data, fallback_alone);
    EXPECT_EQ(info.status, Status::ok);
    EXPECT_TRUE(info.fallback);
    EXPECT_EQ(info.iterations, info.fallback_sweeps) << "no sweep of Newton alone";
    expect_laws_met(fallback, law, "fallback");
    EXPECT_LE(distance(newton, fallback), 1e-7);

    Solution<6> seidel = saved.previous;
    const SolveInfo second =
        solve_gauss_seidel(saved.problem, seidel, data, {.law = law, .tolerance = 1e-12});
    EXPECT_EQ(second.status, creeps ? Status::not_converged : Status::ok)
        << second.iterations << " iterations, residual " << second.residual;
    expect_laws_met(seidel, law, "Gauss-Seidel", plain);
    EXPECT_LE(distance(newton, seidel), 1e-7) << second.iterations << " iterations";

    Solution<6> thesis = saved.previous;
    const ThesisOptions slow = choose_thesis(saved.problem, law);
    const SolveInfo third = solve_thesis(saved.problem, thesis, data, slow);
    EXPECT_EQ(third.status, creeps ? Status::not_converged : Status::ok)
        << third.iterations << " iterations, residual " << third.residual;
    expect_laws_met(thesis, law, "thesis", plain);
    EXPECT_LE(distance(newton, thesis), 1e-7)
        << "r = " << slow.r_N << ", " << third.iterations << " iterations";
  }
}

TEST_P(SpatialProblems, NewtonMeetsTheLawsOfServosAtTheirLimit) {
  saved.problem = with_weak_servos(saved);
  for (const Law law : kLaws) {
    SCOPED_TRACE(name_of(law));
    Solution<6> solution = saved.previous;
    EXPECT_EQ(solve_newton(saved.problem, saved.previous, solution, data, {.law = law}).status,
              Status::ok);
    expect_laws_met(solution, law, "Newton");
  }
}

// Twists add up what every sweep changes, and with it the roundings of sweeps that went astray.
TEST_P(SpatialProblems, AGuessAtAHundredKilometresASecondCostsNoDigitsOfMomentum) {
  for (const Law law : kLaws) {
    SCOPED_TRACE(name_of(law));
    Solution<6> solution = saved.previous;
    solution.root.array() += 1e5;
    for (double& rate : solution.rate) rate -= 3e4;
    EXPECT_EQ(solve_newton(saved.problem, saved.previous, solution, data, {.law = law}).status,
              Status::ok);
    expect_laws_met(solution, law, "Newton");
  }
}

INSTANTIATE_TEST_SUITE_P(Folder, SpatialProblems, testing::ValuesIn(saved_problems()),
                         [](const auto& problem) { return problem.param; });

// Tightened until nothing but rounding is left. By luck one problem's residual may be next to zero:
// the bounds are held against the largest of the folder.
TEST(SpatialProblemFolder, RoundingBoundsEveryResidualAndIsNoBlankCheque) {
  SolverData<6> data;
  ResidualData<6> scratch;
  Residual largest;
  Rounding bound;
  for (const std::string& name : saved_problems()) {
    SCOPED_TRACE(name);
    const SavedProblem<6> saved = load(name);
    Solution<6> solution = saved.previous;
    ASSERT_EQ(
        solve_newton(saved.problem, saved.previous, solution, data, {.tolerance = 1e-17}).status,
        Status::ok);
    const Residual residual = compute_residual(saved.problem, solution, scratch);
    const Rounding rounding = compute_rounding(saved.problem, solution, scratch);
    EXPECT_LE(residual.law, rounding.law);
    EXPECT_LE(residual.momentum, rounding.momentum);
    largest.law = std::max(largest.law, residual.law);
    largest.momentum = std::max(largest.momentum, residual.momentum);
    bound.law = std::max(bound.law, rounding.law);
    bound.momentum = std::max(bound.momentum, rounding.momentum);
  }
  EXPECT_LE(bound.law, 1e3 * largest.law);
  EXPECT_LE(bound.momentum, 1e3 * largest.momentum);
}

TEST(SpatialProblemFolder, HasRollingImpactsCylindersAndGivenLoads) {
  int sharing = 0;
  int cylinders = 0;
  int given = 0;
  for (const std::string& name : saved_problems()) {
    for (const Contact<6>& contact : load(name).problem.contacts) {
      if (contact.shares_normal) ++sharing;
      if (contact.kind == ContactKind::obstacle && contact.mu_max > 0.0) ++cylinders;
      if (!contact.unilateral) ++given;
    }
  }
  EXPECT_EQ(saved_problems().size(), 6U);
  EXPECT_GE(sharing, 20);
  EXPECT_GE(cylinders, 1);
  EXPECT_GE(given, 10);
}

/// Equal to the bit, field by field. The structured bindings name every field: a new one does not
/// compile until it is compared here.
void expect_same(const Node<6>& a, const Node<6>& b) {
  const auto& [M, p, s, J, p_J, sd, sr, limit, held, parent, first_contact, contact_count] = a;
  EXPECT_EQ(M, b.M);
  EXPECT_EQ(p, b.p);
  EXPECT_EQ(s, b.s);
  EXPECT_EQ(J, b.J);
  EXPECT_EQ(p_J, b.p_J);
  EXPECT_EQ(sd, b.sd);
  EXPECT_EQ(sr, b.sr);
  EXPECT_EQ(limit, b.limit);
  EXPECT_EQ(held, b.held);
  EXPECT_EQ(parent, b.parent);
  EXPECT_EQ(first_contact, b.first_contact);
  EXPECT_EQ(contact_count, b.contact_count);
}

void expect_same(const Contact<6>& one, const Contact<6>& two) {
  const auto& [w_N, w_1, w_2, A, mu, b, c, c_t, mu_max, load, unilateral, shares_normal, kind] =
      one;
  EXPECT_EQ(w_N, two.w_N);
  EXPECT_EQ(w_1, two.w_1);
  EXPECT_EQ(w_2, two.w_2);
  EXPECT_EQ(A, two.A);
  EXPECT_EQ(mu, two.mu);
  EXPECT_EQ(b, two.b);
  EXPECT_EQ(c, two.c);
  EXPECT_EQ(c_t, two.c_t);
  EXPECT_EQ(mu_max, two.mu_max);
  EXPECT_EQ(load, two.load);
  EXPECT_EQ(unilateral, two.unilateral);
  EXPECT_EQ(shares_normal, two.shares_normal);
  EXPECT_EQ(kind, two.kind);
}

void expect_same(const SavedProblem<6>& one, const SavedProblem<6>& two) {
  EXPECT_EQ(one.problem.impulse_scale, two.problem.impulse_scale);
  EXPECT_EQ(one.problem.length_scale, two.problem.length_scale);
  ASSERT_EQ(one.problem.nodes.size(), two.problem.nodes.size());
  for (std::size_t i = 0; i < one.problem.nodes.size(); ++i) {
    SCOPED_TRACE("node " + std::to_string(i));
    expect_same(one.problem.nodes[i], two.problem.nodes[i]);
  }
  ASSERT_EQ(one.problem.contacts.size(), two.problem.contacts.size());
  for (std::size_t k = 0; k < one.problem.contacts.size(); ++k) {
    SCOPED_TRACE("contact " + std::to_string(k));
    expect_same(one.problem.contacts[k], two.problem.contacts[k]);
  }
  EXPECT_EQ(one.previous.root, two.previous.root);
  EXPECT_EQ(one.previous.rate, two.previous.rate);
  EXPECT_EQ(one.previous.impulse, two.previous.impulse);
}

SavedProblem<6> write_and_read(const SavedProblem<6>& saved) {
  // named for the test: others may run beside it
  const char* test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto copy = std::filesystem::path(testing::TempDir()) /
                    (std::string(test) + "_6_" + std::to_string(::getpid()) + ".json");
  save_problem(copy, saved);
  auto again = load_problem<6>(copy);
  std::filesystem::remove(copy);
  return again;
}

TEST(SpatialProblemFile, GivesBackEveryBit) {
  // No two numbers alike but those of a shared normal impulse, limits finite and not, contacts of
  // every kind, mu_max another number than mu.
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto fill = [&](auto& matrix) {
    for (auto& value : matrix.reshaped())
      value = unit(random) * std::pow(10.0, 12.0 * unit(random));
  };
  const auto positive = [&] { return std::pow(10.0, 5.0 * unit(random)); };
  SavedProblem<6> saved;
  saved.problem.impulse_scale = positive();
  saved.problem.length_scale = positive();
  for (int i = 0; i < 5; ++i) {
    Node<6> node;
    fill(node.M);
    fill(node.p);
    fill(node.s);
    node.J = positive();
    node.p_J = unit(random);
    node.sd = positive();
    node.sr = unit(random);
    if (i != 2) node.limit = positive();
    node.parent = i == 4 ? -1 : i == 0 ? 3 : i + 1;
    node.first_contact = static_cast<int>(saved.problem.contacts.size());
    node.contact_count = i == 1 ? 0 : 3;
    for (int k = 0; k < node.contact_count; ++k) {
      Contact<6> contact;
      for (auto* w : {&contact.w_N, &contact.w_1, &contact.w_2}) fill(*w);
      fill(contact.A);
      contact.mu = {positive(), positive()};
      contact.mu_max = positive();
      contact.b = unit(random);
      contact.c = positive();
      contact.c_t = positive();
      contact.load = positive();
      contact.unilateral = i != 3 || k != 2;
      contact.shares_normal = k == 1;
      contact.kind = static_cast<ContactKind>(k);
      if (contact.shares_normal) {  // as it must be
        const Contact<6>& before = saved.problem.contacts.back();
        contact.w_N = before.w_N;
        contact.b = before.b;
        contact.c = before.c;
      }
      saved.problem.contacts.push_back(contact);
    }
    saved.problem.nodes.push_back(node);
  }
  saved.previous.resize(5, saved.problem.contacts.size());
  fill(saved.previous.root);
  for (double& rate : saved.previous.rate) rate = unit(random);
  for (Impulse& P : saved.previous.impulse) {
    P.N = unit(random);
    fill(P.T);
  }
  expect_same(saved, write_and_read(saved));
}

TEST(SpatialProblemFile, LeadsASolverToTheSameBits) {
  for (const std::string& name : saved_problems()) {
    SCOPED_TRACE(name);
    SavedProblem<6> limited = load(name);
    limited.problem = with_weak_servos(limited);
    const auto again = write_and_read(limited);
    expect_same(limited, again);
    for (const Law law : kLaws) {
      Solution<6> one = limited.previous;
      Solution<6> two = again.previous;
      SolverData<6> data;
      EXPECT_EQ(solve_newton(limited.problem, limited.previous, one, data, {.law = law}).iterations,
                solve_newton(again.problem, again.previous, two, data, {.law = law}).iterations);
      EXPECT_EQ(one.root, two.root);
      EXPECT_EQ(one.rate, two.rate);
      EXPECT_EQ(one.impulse, two.impulse);
      EXPECT_EQ(one.proximal, two.proximal);
    }
  }
}

TEST(SpatialProblemFile, OfAnotherTwistSizeIsRefused) {
  EXPECT_THROW(load_problem<3>(kFolder / "sidewinding.json"), FileError);
}

}  // namespace spatial_problems_test
}  // namespace coluber::nonsmooth

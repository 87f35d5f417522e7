// Every solver over a folder of saved problems, and against a dense second route.

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
namespace solvers_test {

std::vector<std::string> saved_problems() {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::string(COLUBER_SOURCE_DIR) + "/tests/data/problems";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path path_of(const std::string& name) {
  return std::string(COLUBER_SOURCE_DIR) + "/tests/data/problems/" + name + ".json";
}

/// J of u = J nu, nu = (root twist, rates of the nodes before the root).
Eigen::MatrixXd jacobian(const ContactProblem<3>& problem) {
  const auto n = static_cast<Eigen::Index>(problem.nodes.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3 * n, 3 + n - 1);
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    const Node<3>& node = problem.nodes[static_cast<std::size_t>(i)];
    if (i == n - 1) {
      J.block<3, 3>(3 * i, 0).setIdentity();
    } else {
      J.middleRows<3>(3 * i) = J.middleRows<3>(3 * node.parent);
      J.block<3, 1>(3 * i, 3 + i) += node.s;
    }
  }
  return J;
}

Eigen::MatrixXd reduced_mass(const ContactProblem<3>& problem, const Eigen::MatrixXd& J) {
  const auto n = static_cast<Eigen::Index>(problem.nodes.size());
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (Eigen::Index i = 0; i < n; ++i)
    M.block<3, 3>(3 * i, 3 * i) = problem.nodes[static_cast<std::size_t>(i)].M;
  Eigen::MatrixXd reduced = J.transpose() * M * J;
  for (Eigen::Index i = 0; i + 1 < n; ++i)
    reduced(3 + i, 3 + i) += problem.nodes[static_cast<std::size_t>(i)].sd;
  return reduced;
}

/// Largest eigenvalue of W^T J M_r^-1 J^T W with unit friction coefficients: what r must stay below
/// 2 over.
double largest_eigenvalue(const ContactProblem<3>& problem) {
  const Eigen::MatrixXd J = jacobian(problem);
  std::vector<Eigen::VectorXd> columns;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const Node<3>& node = problem.nodes[i];
    const auto add = [&](const Twist<3>& w) {
      columns.emplace_back(J.middleRows<3>(3 * static_cast<Eigen::Index>(i)).transpose() * w);
    };
    for (int k = node.first_contact; k < node.first_contact + node.contact_count; ++k) {
      const Contact<3>& contact = problem.contacts[static_cast<std::size_t>(k)];
      if (contact.unilateral) add(contact.w_N);
      if (contact.mu_max > 0.0) {
        add(contact.w_1 / contact.mu_max);
        add(contact.w_2 / contact.mu_max);
      }
    }
  }
  Eigen::MatrixXd W(J.cols(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) W.col(static_cast<Eigen::Index>(k)) = columns[k];
  const Eigen::MatrixXd G = W.transpose() * reduced_mass(problem, J).ldlt().solve(W);
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(G).eigenvalues().maxCoeff();
}

double distance(const Solution<3>& a, const Solution<3>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.twist.size(); ++i) {
    worst = std::max(worst, (a.twist[i] - b.twist[i]).cwiseAbs().maxCoeff());
  }
  return worst;
}

/// The problem with servos limited to 0.6 of the largest impulse that one of them gives: some are
/// saturated.
ContactProblem<3> with_weak_servos(const SavedProblem<3>& saved) {
  ContactProblem<3> problem = saved.problem;
  Solution<3> solution = saved.previous;
  SolverData<3> data;
  EXPECT_EQ(solve_newton(problem, saved.previous, solution, data).status, Status::ok);
  double largest = 0.0;
  for (std::size_t i = 0; i + 1 < problem.nodes.size(); ++i) {
    largest = std::max(largest, std::abs(joint_impulse(problem.nodes[i], solution.rate[i])));
  }
  for (Node<3>& node : problem.nodes) node.limit = 0.6 * largest;
  return problem;
}

bool has_obstacle_friction(const ContactProblem<3>& problem) {
  return std::any_of(
      problem.contacts.begin(), problem.contacts.end(),
      [](const Contact<3>& contact) { return contact.unilateral && contact.mu_max > 0.0; });
}

constexpr std::array kLaws{Law::anchored, Law::rigid};

class SavedProblems : public testing::TestWithParam<std::string> {
 protected:
  SavedProblem<3> saved = load_problem<3>(path_of(GetParam()));
  SolverData<3> data;
  ResidualData<3> scratch;

  void expect_laws_met(const ContactProblem<3>& problem, const Solution<3>& solution, Law law) {
    const Residual residual = compute_residual(problem, solution, scratch, law);
    EXPECT_LE(residual.law, 1e-10);
    EXPECT_LE(residual.momentum, 1e-10);
    EXPECT_LE(residual.gap, 1e-8);
    if (law == Law::rigid) {
      EXPECT_LE(residual.rigid_law, residual.law + residual.gap + 1e-14);
    }
  }
};

TEST_P(SavedProblems, NewtonMeetsTheLawsJudgedFromOutside) {
  for (const Law law : kLaws) {
    SCOPED_TRACE(law == Law::rigid ? "rigid" : "anchored");
    Solution<3> solution = saved.previous;
    EXPECT_EQ(solve_newton(saved.problem, saved.previous, solution, data, {.law = law}).status,
              Status::ok);
    expect_laws_met(saved.problem, solution, law);
  }
}

TEST_P(SavedProblems, NewtonMeetsTheLawsOfServosAtTheirLimit) {
  if (saved.problem.nodes.size() < 2) return;
  const ContactProblem<3> problem = with_weak_servos(saved);
  for (const Law law : kLaws) {
    SCOPED_TRACE(law == Law::rigid ? "rigid" : "anchored");
    Solution<3> solution = saved.previous;
    EXPECT_EQ(solve_newton(problem, saved.previous, solution, data, {.law = law}).status,
              Status::ok);
    expect_laws_met(problem, solution, law);
    if (problem.nodes.front().limit < 1e-9) continue;  // the servos of this one are idle
    int saturated = 0;
    for (std::size_t i = 0; i + 1 < problem.nodes.size(); ++i) {
      const Node<3>& node = problem.nodes[i];
      if (std::abs(node.sr - node.sd * solution.rate[i]) > node.limit) ++saturated;
    }
    EXPECT_GE(saturated, 1);
  }
}

TEST_P(SavedProblems, NewtonItsFallbackGaussSeidelAndTheThesisIterationGiveTheSameVelocities) {
  std::vector<ContactProblem<3>> problems{saved.problem};
  if (saved.problem.nodes.size() > 1) problems.push_back(with_weak_servos(saved));
  for (const ContactProblem<3>& problem : problems) {
    const double r = 1.0 / largest_eigenvalue(problem);
    const bool unique = !has_obstacle_friction(problem);
    for (const Law law : kLaws) {
      SCOPED_TRACE(std::string(law == Law::rigid ? "rigid" : "anchored") +
                   (&problem == &problems.front() ? "" : ", servos limited"));
      Solution<3> newton = saved.previous;
      const NewtonOptions tight{.law = law, .tolerance = 1e-12, .gap = 1e-8};
      ASSERT_EQ(solve_newton(problem, saved.previous, newton, data, tight).status, Status::ok);

      Solution<3> fallback = saved.previous;
      NewtonOptions fallback_alone = tight;
      fallback_alone.max_sweeps = 0;
      const SolveInfo info = solve_newton(problem, saved.previous, fallback, data, fallback_alone);
      EXPECT_EQ(info.status, Status::ok);
      EXPECT_TRUE(info.fallback);
      EXPECT_EQ(info.iterations, info.fallback_sweeps) << "no sweep of Newton alone";
      {
        SCOPED_TRACE("fallback");
        expect_laws_met(problem, fallback, law);
      }
      if (unique) {
        EXPECT_LE(distance(newton, fallback), 1e-9);
      }

      Solution<3> seidel = saved.previous;
      const SolveInfo second =
          solve_gauss_seidel(problem, seidel, data, {.law = law, .tolerance = 1e-12});
      EXPECT_EQ(second.status, Status::ok)
          << second.iterations << " iterations, residual " << second.residual;
      {
        SCOPED_TRACE("Gauss-Seidel");
        expect_laws_met(problem, seidel, law);
      }
      if (unique) {
        EXPECT_LE(distance(newton, seidel), 1e-7) << second.iterations << " iterations";
      }

      Solution<3> thesis = saved.previous;
      // an absolute change (N s), which a light link has to be judged by as well
      const double epsilon = std::min(1e-15, 1e-12 * problem.impulse_scale);
      const SolveInfo slow = solve_thesis(
          problem, thesis, data,
          {.law = law, .r_T = r, .r_H = r, .epsilon = epsilon, .max_iterations = 3000000});
      EXPECT_EQ(slow.status, Status::ok) << slow.iterations << " iterations";
      {
        SCOPED_TRACE("thesis");
        expect_laws_met(problem, thesis, law);
      }
      if (unique) {
        EXPECT_LE(distance(newton, thesis), 1e-7)
            << "r = " << r << ", " << slow.iterations << " iterations";
      }
    }
  }
}

TEST_P(SavedProblems, TheFallbackStartsFromTheLastStepWhateverTheGuess) {
  for (const Law law : kLaws) {
    SCOPED_TRACE(law == Law::rigid ? "rigid" : "anchored");
    const NewtonOptions fallback_alone{.law = law, .max_sweeps = 0};
    Solution<3> one = saved.previous;
    EXPECT_EQ(solve_newton(saved.problem, saved.previous, one, data, fallback_alone).status,
              Status::ok);
    Solution<3> two = saved.previous;
    two.root += Twist<3>{0.3, -0.2, 0.1};
    for (double& rate : two.rate) rate -= 0.7;
    for (Impulse& P : two.impulse) P = {2.0 * P.N, P.T + Eigen::Vector2d{1e-3, 2e-3}};
    EXPECT_EQ(solve_newton(saved.problem, saved.previous, two, data, fallback_alone).status,
              Status::ok);
    EXPECT_EQ(one.root, two.root);
    EXPECT_EQ(one.rate, two.rate);
    EXPECT_EQ(one.impulse, two.impulse);
  }
}

TEST_P(SavedProblems, TheFallbackNeverLeavesAWorseAnswerThanNewtonAlone) {
  // asked for more than double precision has, of the law or of the gap, both fall short
  for (NewtonOptions options :
       {NewtonOptions{.tolerance = 1e-19}, NewtonOptions{.law = Law::rigid, .tolerance = 1e-19},
        NewtonOptions{.law = Law::rigid, .gap = 1e-22}}) {
    SCOPED_TRACE(options.law == Law::anchored ? "anchored" : options.gap < 1e-8 ? "gap" : "rigid");
    const auto judged = [&](bool fallback) {
      options.fallback = fallback;
      Solution<3> solution = saved.previous;
      const SolveInfo info = solve_newton(saved.problem, saved.previous, solution, data, options);
      const Residual residual = compute_residual(saved.problem, solution, scratch, options.law);
      EXPECT_LE(residual.law, info.residual + 1e-12);
      return std::max(residual.law, residual.gap);
    };
    EXPECT_LE(judged(true), judged(false) + 1e-13);
  }
}

TEST_P(SavedProblems, TheAnswerBalancesMomentumInTheAssembledEquations) {
  // J^T (M J nu - p - W P) + sd rate - sr = 0 with dense matrices: a second route to the sweeps.
  Solution<3> solution = saved.previous;
  ASSERT_EQ(solve_newton(saved.problem, saved.previous, solution, data).status, Status::ok);
  const Eigen::MatrixXd J = jacobian(saved.problem);
  const auto n = static_cast<Eigen::Index>(saved.problem.nodes.size());
  Eigen::VectorXd nu(3 + n - 1);
  nu.head<3>() = solution.root;
  Eigen::VectorXd force = Eigen::VectorXd::Zero(3 * n);
  Eigen::VectorXd servo = Eigen::VectorXd::Zero(3 + n - 1);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Node<3>& node = saved.problem.nodes[static_cast<std::size_t>(i)];
    if (i + 1 < n) {
      nu(3 + i) = solution.rate[static_cast<std::size_t>(i)];
      servo(3 + i) = node.sr;
    }
    force.segment<3>(3 * i) = node.p;
    for (int k = node.first_contact; k < node.first_contact + node.contact_count; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const Contact<3>& contact = saved.problem.contacts[index];
      const Impulse& P = solution.impulse[index];
      force.segment<3>(3 * i) += P.N * contact.w_N + P.T.x() * contact.w_1 + P.T.y() * contact.w_2;
    }
  }
  const Eigen::VectorXd defect =
      reduced_mass(saved.problem, J) * nu - J.transpose() * force - servo;
  EXPECT_LE(defect.cwiseAbs().maxCoeff(), 1e-11 * std::max(1.0, force.cwiseAbs().maxCoeff()));
}

INSTANTIATE_TEST_SUITE_P(Folder, SavedProblems, testing::ValuesIn(saved_problems()),
                         [](const auto& problem) { return problem.param; });

/// Equal to the bit, field by field. The structured bindings name every field: a new one does not
/// compile until it is compared here.
void expect_same(const Node<3>& a, const Node<3>& b) {
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

void expect_same(const Contact<3>& one, const Contact<3>& two) {
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

void expect_same(const SavedProblem<3>& one, const SavedProblem<3>& two) {
  const auto& [problem, previous] = one;
  const auto& [nodes, contacts, impulse_scale, length_scale] = problem;
  EXPECT_EQ(impulse_scale, two.problem.impulse_scale);
  EXPECT_EQ(length_scale, two.problem.length_scale);
  ASSERT_EQ(nodes.size(), two.problem.nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    SCOPED_TRACE("node " + std::to_string(i));
    expect_same(nodes[i], two.problem.nodes[i]);
  }
  ASSERT_EQ(contacts.size(), two.problem.contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    SCOPED_TRACE("contact " + std::to_string(k));
    expect_same(contacts[k], two.problem.contacts[k]);
  }
  // twist follows from root and rate, proximal is what a solver leaves: neither is given to one
  const auto& [root, rate, impulse, twist, proximal] = previous;
  EXPECT_EQ(root, two.previous.root);
  EXPECT_EQ(rate, two.previous.rate);
  EXPECT_EQ(impulse, two.previous.impulse);
}

SavedProblem<3> write_and_read(const SavedProblem<3>& saved) {
  // named for the test: others may run beside it
  const char* test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto copy = std::filesystem::path(testing::TempDir()) /
                    (std::string(test) + "_" + std::to_string(::getpid()) + ".json");
  save_problem(copy, saved);
  auto again = load_problem<3>(copy);
  std::filesystem::remove(copy);
  return again;
}

TEST(ProblemFile, GivesBackEveryBit) {
  // No two numbers alike, digits to the last, limits finite and not; nothing of a saved problem is
  // left as its default.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto fill = [&](auto& matrix) {
    for (auto& value : matrix.reshaped())
      value = unit(random) * std::pow(10.0, 12.0 * unit(random));
  };
  const auto positive = [&] { return std::pow(10.0, 5.0 * unit(random)); };
  SavedProblem<3> saved;
  saved.problem.impulse_scale = positive();
  saved.problem.length_scale = positive();
  for (int i = 0; i < 5; ++i) {
    Node<3> node;
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
    node.contact_count = i % 3;
    for (int k = 0; k < node.contact_count; ++k) {
      Contact<3> contact;
      for (auto* w : {&contact.w_N, &contact.w_1, &contact.w_2}) fill(*w);
      fill(contact.A);
      contact.mu = {positive(), positive()};
      contact.mu_max = contact.mu.maxCoeff();
      contact.b = unit(random);
      contact.c = positive();
      contact.c_t = positive();
      contact.load = positive();
      contact.unilateral = k == 1;
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

TEST(ProblemFile, GivesBackEverySavedProblem) {
  for (const std::string& name : saved_problems()) {
    SCOPED_TRACE(name);
    const auto saved = load_problem<3>(path_of(name));
    expect_same(saved, write_and_read(saved));
  }
}

TEST(ProblemFile, LeadsASolverToTheSameBits) {
  const auto saved = load_problem<3>(path_of("rough_two_points_400"));
  auto limited = saved;
  limited.problem = with_weak_servos(saved);
  const auto again = write_and_read(limited);
  for (const Law law : kLaws) {
    Solution<3> one = limited.previous;
    Solution<3> two = again.previous;
    SolverData<3> data;
    EXPECT_EQ(solve_newton(limited.problem, limited.previous, one, data, {.law = law}).iterations,
              solve_newton(again.problem, again.previous, two, data, {.law = law}).iterations);
    EXPECT_EQ(one.root, two.root);
    EXPECT_EQ(one.rate, two.rate);
    EXPECT_EQ(one.impulse, two.impulse);
    EXPECT_EQ(one.proximal, two.proximal);
  }
}

TEST(ProblemFile, RefusesAMissingOrDamagedFile) {
  EXPECT_THROW(load_problem<3>("no such file.json"), FileError);
  EXPECT_THROW(load_problem<3>(std::string(COLUBER_SOURCE_DIR) + "/CMakeLists.txt"), FileError);
}

TEST(JointMobility, IsTheLargestEigenvalueOfTheInverseJointSpaceInertia) {
  auto saved = load_problem<3>(path_of("course_350"));
  SolverData<3> data;
  const double with_servos = joint_mobility(saved.problem, data);
  for (Node<3>& node : saved.problem.nodes) node.sd = 0.0;
  const Eigen::MatrixXd inverse = reduced_mass(saved.problem, jacobian(saved.problem)).inverse();
  const auto joints = static_cast<Eigen::Index>(saved.problem.nodes.size()) - 1;
  const double exact =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(inverse.bottomRightCorner(joints, joints))
          .eigenvalues()
          .maxCoeff();
  EXPECT_NEAR(joint_mobility(saved.problem, data) / exact, 1.0, 1e-4);
  EXPECT_NEAR(with_servos / exact, 1.0, 1e-4) << "of the free tree, whatever its servos do";
}

}  // namespace solvers_test
}  // namespace coluber::nonsmooth

// Least-norm problems with slack: scaled, equalities eliminated by a rank-revealing QR, DAQP in
// the null space.
//
// Scaled unknowns v = x √W/σ have the Hessian I, rows have unit norm. Rows with slack bring an
// unknown of their own: a v + c w = b, c = 1/(√Q |row|), also with Hessian I, so that no large
// weight is ever seen. ξ = [v; w]. From Eᵀ P = Q R, E the rows [a, c]/√(1 + c²): the shortest
// solution ξ0 = Q1 R⁻ᵀ Pᵀ b, and ξ = ξ0 + Q2 y for any y. |ξ|² = |ξ0|² + |y|², so that DAQP is left
// with min |y|² under limits and inequalities: no equalities, no Hessian, no linear term.
//
// Attempts:  1. rows of large weight as equalities; z = −λ/(2 Q) afterwards, and again with b − z
//               while that matters, so that the answer is that of the weight Q;
//            2. every row with slack, weights reduced to what doubles can hold;
//            3. the same with more slack;
//            4. limits and inequalities alone: is there any x?

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <span>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/qp/qp.hpp"

#include "check.hpp"
#include "daqp_bridge.h"
#include "pivoted_qr.hpp"

namespace coluber::qp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

#ifdef COLUBER_HAS_DAQP

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double accepted = 1e-9;      // KKT residual of an answer
constexpr double inconsistent = 1e-7;  // equalities without a solution miss by more
constexpr double no_bound = 1e30;      // DAQP's infinity
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// An inequality that no x within the limits meets.
bool box_excludes(const Problem& problem) {
  for (Index j = 0; j < problem.h.size(); ++j) {
    double lowest = 0.0;
    for (Index i = 0; i < problem.limit.size(); ++i) {
      if (problem.G(j, i) != 0.0) lowest -= std::abs(problem.G(j, i)) * problem.limit(i);
    }
    if (lowest > problem.h(j) + accepted * std::abs(problem.h(j))) return true;
  }
  return false;
}

}  // namespace

struct Solver::Storage {
  /// Outcome of one attempt.
  enum class Attempt : std::uint8_t { solved, infeasible, none };
  struct FreeDaqp {
    void operator()(coluber_daqp* solver) const { coluber_daqp_free(solver); }
  };

  Index n = -1;  // unknowns, rows of A, rows of G the storage is for
  Index m = -1;
  Index p = -1;

  // scaled problem
  double sigma = 1.0;
  RowMajor A, G;            // unit rows; a row of zeros stays one
  VectorXd norm_A, norm_G;  // of the rows, in √W x
  VectorXd b, h, limit;
  VectorXd root;  // √W

  // one attempt
  VectorXd weight;          // slack weights used; infinite: no slack
  VectorXd c;               // from w to y; 0: an equality
  std::vector<Index> rows;  // of A that are not zero
  PivotedQr qr;             // of these, with their slack
  MatrixXd basis;           // Q2
  MatrixXd share, gram;     // of dependent rows
  VectorXd rhs, xi_0, xi;
  VectorXd lambda;           // of rows of A
  VectorXd y;                // slack of the rows tried as equalities
  VectorXd multiplier;       // of limits, then of inequalities
  std::vector<Index> kept;   // constraints DAQP sees: unknown i, or n + row of G
  std::vector<Index> fixed;  // constraints that the equalities determine
  VectorXd longer;           // by which a row DAQP sees is longer than ours
  std::vector<double> seen;  // rows DAQP sees
  VectorXd upper, lower, daqp_y, daqp_lambda, scratch;
  std::vector<int> active;
  std::vector<int> hard_set, slack_set;  // active sets of the last answers: −1, 0, 1
  std::unique_ptr<coluber_daqp, FreeDaqp> daqp;

  void reserve(Index unknowns, Index rows_A, Index rows_G);
  void renumber(std::span<const int> was);
  bool scale(const Problem& problem);
  void choose_slack(const Problem& problem, const Options& options, double delta);
  void factor_rows(const Options& options);
  void find_shortest();
  [[nodiscard]] bool consistent() const;
  void project_constraints(const std::vector<int>& set);
  Attempt solve_least(const Options& options, bool again, int& iterations);
  void find_multipliers();
  void share_multipliers(const Problem& problem);
  double move_equalities(const Problem& problem);
  void write(const Problem& problem, Solution& solution) const;
  void remember(std::vector<int>& set) const;
  Attempt attempt(const Problem& problem, const Options& options, double delta, bool warm,
                  Solution& solution);
  bool feasible(const Options& options, Solution& solution);
  Status solve(const Problem& problem, const Options& options, bool warm, Solution& solution);
};

void Solver::Storage::reserve(Index unknowns, Index rows_A, Index rows_G) {
  if (n == unknowns && m == rows_A && p == rows_G) return;
  n = -1;  // should an allocation fail
  m = rows_A;
  p = rows_G;
  const Index most = unknowns + m;
  const Index constraints = unknowns + p;
  const auto count = static_cast<std::size_t>(constraints);
  A.resize(m, unknowns);
  G.resize(p, unknowns);
  for (VectorXd* one : {&norm_A, &b, &weight, &c, &rhs, &y, &lambda}) one->resize(m);
  for (VectorXd* one : {&norm_G, &h}) one->resize(p);
  for (VectorXd* one : {&root, &limit}) one->resize(unknowns);
  for (VectorXd* one : {&xi_0, &xi, &scratch, &daqp_y}) one->resize(most);
  for (VectorXd* one : {&upper, &lower, &daqp_lambda, &multiplier, &longer}) {
    one->resize(constraints);
  }
  qr.reserve(most, m);
  basis.resize(most, most);
  share.resize(m, m);
  gram.resize(m, m);
  rows.reserve(static_cast<std::size_t>(m));
  kept.reserve(count);
  fixed.reserve(count);
  seen.resize(count * static_cast<std::size_t>(most));
  active.resize(count);
  hard_set.assign(count, 0);
  slack_set.assign(count, 0);
  daqp.reset(coluber_daqp_make(static_cast<int>(most), static_cast<int>(constraints)));
  if (!daqp) throw std::bad_alloc();
  n = unknowns;
}

void Solver::Storage::renumber(std::span<const int> was) {
  if (n < 0) return;
  const Index unknowns = n;
  const Index before = p;
  const std::vector<int> hard = hard_set;
  const std::vector<int> slack = slack_set;
  reserve(unknowns, m, static_cast<Index>(was.size()));
  const auto carry = [&](const std::vector<int>& from, std::vector<int>& to) {
    const auto count = static_cast<std::size_t>(unknowns);
    std::copy_n(from.begin(), count, to.begin());
    for (std::size_t j = 0; j < was.size(); ++j) {
      const bool known = was[j] >= 0 && was[j] < before;
      to[count + j] = known ? from[count + static_cast<std::size_t>(was[j])] : 0;
    }
  };
  carry(hard, hard_set);
  carry(slack, slack_set);
}

/// False where the numbers leave the range of doubles.
bool Solver::Storage::scale(const Problem& problem) {
  root = problem.weight.cwiseSqrt();
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) {
    limit(i) = root(i) * problem.limit(i);
    if (!(limit(i) > 0.0)) return false;
    if (std::isfinite(limit(i))) largest = std::max(largest, limit(i));
  }
  const auto copy_rows = [&](const MatrixXd& from, RowMajor& to, VectorXd& norms) {
    for (Index j = 0; j < from.rows(); ++j) {
      double sum = 0.0;
      for (Index i = 0; i < n; ++i) {
        to(j, i) = from(j, i) / root(i);
        sum += to(j, i) * to(j, i);
      }
      norms(j) = std::sqrt(sum);
      if (n == 0 || from.row(j).isZero(0.0)) continue;
      if (!(norms(j) > 1e-140 && norms(j) < 1e140)) return false;  // its square is off
      to.row(j) /= norms(j);
    }
    return true;
  };
  if (!copy_rows(problem.A, A, norm_A) || !copy_rows(problem.G, G, norm_G)) return false;
  double farthest = 0.0;
  for (Index j = 0; j < m; ++j) {
    farthest = std::max(farthest, reach(problem.b(j), norm_A(j), problem.slack_weight(j)));
  }
  for (Index j = 0; j < p; ++j) {
    if (norm_G(j) > 0.0) farthest = std::max(farthest, -problem.h(j) / norm_G(j));
  }
  sigma = scale_of(largest, farthest);
  if (!(sigma > 1e-140 && sigma < 1e140)) return false;
  limit /= sigma;
  for (Index j = 0; j < m; ++j) {
    b(j) = norm_A(j) > 0.0 ? problem.b(j) / norm_A(j) / sigma : 0.0;
    if (!(std::abs(b(j)) < 1e15)) return false;
  }
  for (Index j = 0; j < p; ++j) {
    h(j) = norm_G(j) > 0.0 ? problem.h(j) / norm_G(j) / sigma : problem.h(j);
  }
  return true;
}

/// Which rows have slack, and how much. delta = 0: weights as given, large ones are equalities.
/// Else no equalities; the mean of Q |row|² over those rows is reduced to 1/delta, and Q |row|² of
/// every other row. Q_eff of a uniform weight is min(Q, 1/(delta mean |row|²)).
void Solver::Storage::choose_slack(const Problem& problem, const Options& options, double delta) {
  rows.clear();
  double mean = 0.0;
  Index hard = 0;
  for (Index j = 0; j < m; ++j) {
    weight(j) = problem.slack_weight(j);
    if (norm_A(j) == 0.0) continue;
    rows.push_back(j);
    if (weight(j) < options.hard_from) continue;
    mean += weight(j) * norm_A(j) * norm_A(j);
    ++hard;
  }
  mean /= static_cast<double>(std::max<Index>(hard, 1));
  for (const Index j : rows) {
    const bool tried = weight(j) >= options.hard_from;
    if (delta > 0.0) {
      const double reduced = tried ? weight(j) / (delta * mean)  //
                                   : 1.0 / (delta * norm_A(j) * norm_A(j));
      weight(j) = std::min(weight(j), reduced);
    }
    const bool equality = tried && delta == 0.0;
    if (equality && !options.slack) weight(j) = unlimited;
    c(j) = equality ? 0.0 : 1.0 / (std::sqrt(weight(j)) * norm_A(j));
  }
  y.setZero();
}

void Solver::Storage::factor_rows(const Options& options) {
  Index slack = 0;
  for (const Index j : rows) slack += c(j) > 0.0 ? 1 : 0;
  auto E = qr.start(n + slack, static_cast<Index>(rows.size()));
  Index next = n;
  for (Index k = 0; k < E.cols(); ++k) {
    const Index j = rows[static_cast<std::size_t>(k)];
    const double length = std::hypot(1.0, c(j));
    E.col(k).head(n) = A.row(j).transpose() / length;
    if (c(j) > 0.0) E(next++, k) = c(j) / length;
  }
  qr.factor(options.rank_threshold);
  qr.null_space(basis.topLeftCorner(qr.rows(), qr.rows() - qr.rank()));
}

/// ξ0
void Solver::Storage::find_shortest() {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index j = rows[k];
    rhs(static_cast<Index>(k)) = (b(j) - y(j)) / std::hypot(1.0, c(j));
  }
  auto first = xi_0.head(qr.rows());
  first.setZero();
  for (Index k = 0; k < qr.rank(); ++k) first(k) = rhs(qr.column(k));
  qr.solve_transpose(first.head(qr.rank()));
  qr.apply(first);
}

/// Whether ξ0 meets the rows that are equalities, also those left out as dependent.
bool Solver::Storage::consistent() const {
  double size = 1.0;
  double miss = 0.0;
  for (const Index j : rows) {
    if (c(j) > 0.0) continue;
    size = std::max(size, std::abs(b(j)));
    miss = std::max(miss, std::abs(A.row(j).dot(xi_0.head(n)) - b(j)));
  }
  return miss <= inconsistent * size;
}

/// Rows of limits and inequalities in the null space. DAQP leaves out rows shorter than 3e-6: such
/// rows are made longer.
void Solver::Storage::project_constraints(const std::vector<int>& set) {
  const Index free = qr.rows() - qr.rank();
  const auto Z = basis.topLeftCorner(n, free);
  kept.clear();
  fixed.clear();
  for (Index k = 0; k < n + p; ++k) {
    const bool bounded = k < n ? limit(k) < no_bound : norm_G(k - n) > 0.0 && h(k - n) < no_bound;
    if (!bounded) continue;
    Eigen::Map<Eigen::RowVectorXd> row(seen.data() + static_cast<Index>(kept.size()) * free, free);
    if (k < n) {
      row = Z.row(k);
    } else {
      row.noalias() = G.row(k - n) * Z;
    }
    const double norm = row.norm();
    if (norm < 1e-10) {
      fixed.push_back(k);
      continue;
    }
    longer(k) = norm < 1e-5 ? 1.0 / norm : 1.0;
    if (norm < 1e-5) row /= norm;
    active[kept.size()] = set[static_cast<std::size_t>(k)];
    kept.push_back(k);
  }
}

/// ξ and the multipliers of limits and inequalities. `again`: only ξ0 differs from the last call.
auto Solver::Storage::solve_least(const Options& options, bool again, int& iterations) -> Attempt {
  const Index size = qr.rows();
  const Index free = size - qr.rank();
  const auto room_above = [&](Index k) {
    return k < n ? limit(k) - xi_0(k) : h(k - n) - G.row(k - n).dot(xi_0.head(n));
  };
  const auto room_below = [&](Index k) { return k < n ? limit(k) + xi_0(k) : no_bound; };
  for (const Index k : fixed) {
    if (std::min(room_above(k), room_below(k)) < -options.tolerance) return Attempt::infeasible;
  }
  xi.head(size) = xi_0.head(size);
  multiplier.setZero();
  if (kept.empty()) return Attempt::solved;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const Index k = kept[at];
    upper(static_cast<Index>(at)) = room_above(k) * longer(k);
    lower(static_cast<Index>(at)) = k < n ? -room_below(k) * longer(k) : -no_bound;
  }
  coluber_daqp_problem least{.n = static_cast<int>(free),
                             .m = static_cast<int>(kept.size()),
                             .rows = seen.data(),
                             .upper = upper.data(),
                             .lower = lower.data(),
                             .active = active.data(),
                             .again = again ? 1 : 0,
                             .tolerance = options.tolerance,
                             .max_iterations = options.max_iterations,
                             .y = daqp_y.data(),
                             .lambda = daqp_lambda.data(),
                             .iterations = 0};
  const int outcome = coluber_daqp_solve(daqp.get(), &least);
  iterations += least.iterations;
  if (outcome == coluber_daqp_infeasible) return Attempt::infeasible;
  if (outcome != coluber_daqp_solved) return Attempt::none;
  xi.head(size).noalias() += basis.topLeftCorner(size, free) * daqp_y.head(free);
  for (std::size_t at = 0; at < kept.size(); ++at) {
    multiplier(kept[at]) = daqp_lambda(static_cast<Index>(at)) * longer(kept[at]);
  }
  return Attempt::solved;
}

/// Of the rows of A: R λ = −Q1ᵀ (ξ + the forces of limits and inequalities); 0 if left out.
void Solver::Storage::find_multipliers() {
  auto force = scratch.head(qr.rows());
  force = -xi.head(qr.rows());
  force.head(n) -= multiplier.head(n);
  for (Index j = 0; j < p; ++j) {
    if (multiplier(n + j) != 0.0) force.head(n) -= multiplier(n + j) * G.row(j).transpose();
  }
  qr.apply_transpose(force);
  qr.solve(force.head(qr.rank()));
  lambda.setZero();
  for (Index k = 0; k < qr.rank(); ++k) {
    const Index j = rows[static_cast<std::size_t>(qr.column(k))];
    lambda(j) = force(k) / std::hypot(1.0, c(j));
  }
}

/// Rows left out as dependent, a_D = Sᵀ a_K with S = R11⁻¹ R12, have λ_D = 0 so far. Any μ in
/// λ_D = μ, λ_K − S μ gives the same forces. The weights choose the one of least Σ λ²/(Q |row|²):
/// then b − y is met by all rows if b is.
void Solver::Storage::share_multipliers(const Problem& problem) {
  const Index rank = qr.rank();
  const Index left_out = static_cast<Index>(rows.size()) - rank;
  if (left_out == 0) return;
  const auto row_of = [&](Index k) { return rows[static_cast<std::size_t>(qr.column(k))]; };
  const auto softness = [&](Index j) {
    return 1.0 / (problem.slack_weight(j) * norm_A(j) * norm_A(j));
  };
  for (Index k = 0; k < rank; ++k) rhs(k) = c(row_of(k)) > 0.0 ? 0.0 : softness(row_of(k));
  auto S = share.topLeftCorner(rank, left_out);
  for (Index d = 0; d < left_out; ++d) {
    for (Index k = 0; k < rank; ++k) S(k, d) = qr.R(k, rank + d);
    qr.solve(S.col(d));
  }
  // (C_D + Sᵀ C_K S) μ = Sᵀ C_K λ_K by Cholesky, in place
  auto H = gram.topLeftCorner(left_out, left_out);
  auto mu = scratch.head(left_out);
  for (Index d = 0; d < left_out; ++d) {
    mu(d) = 0.0;
    for (Index k = 0; k < rank; ++k) mu(d) += S(k, d) * rhs(k) * lambda(row_of(k));
    for (Index e = 0; e <= d; ++e) {
      double sum = d == e ? softness(row_of(rank + d)) : 0.0;
      for (Index k = 0; k < rank; ++k) sum += S(k, d) * rhs(k) * S(k, e);
      for (Index f = 0; f < e; ++f) sum -= H(d, f) * H(e, f);
      H(d, e) = d == e ? std::sqrt(sum) : sum / H(e, e);
    }
    for (Index e = 0; e < d; ++e) mu(d) -= H(d, e) * mu(e);
    mu(d) /= H(d, d);
  }
  for (Index d = left_out - 1; d >= 0; --d) {
    for (Index e = d + 1; e < left_out; ++e) mu(d) -= H(e, d) * mu(e);
    mu(d) /= H(d, d);
  }
  if (!mu.allFinite()) return;
  for (Index d = 0; d < left_out; ++d) {
    lambda(row_of(rank + d)) = mu(d);
    for (Index k = 0; k < rank; ++k) lambda(row_of(k)) -= S(k, d) * mu(d);
  }
}

/// y = −λ/(Q |row|²) of the rows that are equalities, which so become b − y; how far they move.
double Solver::Storage::move_equalities(const Problem& problem) {
  double moved = 0.0;
  for (const Index j : rows) {
    if (c(j) > 0.0 || weight(j) == unlimited) continue;
    const double now = -lambda(j) / (problem.slack_weight(j) * norm_A(j) * norm_A(j));
    moved = std::max(moved, std::abs(now - y(j)));
    y(j) = now;
  }
  return moved;
}

void Solver::Storage::write(const Problem& problem, Solution& solution) const {
  for (Index i = 0; i < n; ++i) {
    const double most = problem.limit(i);
    solution.x(i) = std::clamp(xi(i) / root(i) * sigma, -most, most);
    solution.lambda_limit(i) = multiplier(i) * 2.0 * sigma * root(i);
  }
  for (Index j = 0; j < p; ++j) {
    solution.lambda_G(j) =
        norm_G(j) > 0.0 ? std::max(multiplier(n + j), 0.0) * 2.0 * sigma / norm_G(j) : 0.0;
  }
  // z from λ is off by ε c² times the largest multiplier, λ from z by ε/c²
  double largest = 1.0;
  for (const Index j : rows) largest = std::max(largest, std::abs(lambda(j)));
  for (Index k = 0; k < n + p; ++k) largest = std::max(largest, std::abs(multiplier(k)));
  for (Index j = 0; j < m; ++j) {
    const double Q = weight(j);
    solution.slack_weight(j) = Q;
    if (norm_A(j) == 0.0 || c(j) * c(j) * largest > 1.0) {
      double miss = problem.b(j);
      for (Index i = 0; i < n; ++i) miss -= problem.A(j, i) * solution.x(i);
      solution.z(j) = miss;
      solution.lambda_A(j) = -2.0 * Q * miss;
    } else {
      solution.lambda_A(j) = lambda(j) * 2.0 * sigma / norm_A(j);
      solution.z(j) = Q == unlimited ? 0.0 : -solution.lambda_A(j) / (2.0 * Q);
    }
  }
}

void Solver::Storage::remember(std::vector<int>& set) const {
  std::fill(set.begin(), set.end(), 0);
  for (std::size_t at = 0; at < kept.size(); ++at) {
    set[static_cast<std::size_t>(kept[at])] = active[at];
  }
}

auto Solver::Storage::attempt(const Problem& problem, const Options& options, double delta,
                              bool warm, Solution& solution) -> Attempt {
  std::vector<int>& set = delta > 0.0 ? slack_set : hard_set;
  if (!warm) std::fill(set.begin(), set.end(), 0);
  choose_slack(problem, options, delta);
  factor_rows(options);
  find_shortest();
  if (delta == 0.0) {
    const auto soft = std::count_if(rows.begin(), rows.end(), [&](Index j) { return c(j) > 0.0; });
    solution.rank = static_cast<int>(std::max<Index>(0, qr.rank() - soft));
    const bool solvable = consistent();
    solution.solvable = solution.solvable && solvable;
    if (!solvable) return Attempt::infeasible;
  }
  project_constraints(set);
  Attempt outcome = solve_least(options, false, solution.iterations);
  if (outcome != Attempt::solved) return outcome;
  find_multipliers();
  if (delta == 0.0) share_multipliers(problem);
  double moved = delta == 0.0 ? move_equalities(problem) : 0.0;
  if (moved < accepted / 2.0) moved = 0.0;
  for (int k = 0; k < 8 && moved > accepted / 100.0; ++k) {
    find_shortest();
    outcome = solve_least(options, true, solution.iterations);
    if (outcome != Attempt::solved) return outcome;
    find_multipliers();
    share_multipliers(problem);
    moved = move_equalities(problem);
  }
  write(problem, solution);
  solution.kkt = kkt_residual(problem, solution);
  if (!(solution.kkt <= accepted)) return Attempt::none;
  remember(set);
  return Attempt::solved;
}

/// Whether limits and inequalities leave any x.
bool Solver::Storage::feasible(const Options& options, Solution& solution) {
  rows.clear();
  factor_rows(options);
  find_shortest();
  std::fill(slack_set.begin(), slack_set.end(), 0);
  project_constraints(slack_set);
  return solve_least(options, false, solution.iterations) != Attempt::infeasible;
}

Status Solver::Storage::solve(const Problem& problem, const Options& options, bool warm,
                              Solution& solution) {
  if (!scale(problem)) return box_excludes(problem) ? Status::infeasible : Status::failed;
  bool lost = false;  // a row of zeros that is to give b
  for (Index j = 0; j < m; ++j) {
    const bool tried = problem.slack_weight(j) >= options.hard_from;
    lost = lost || (tried && norm_A(j) == 0.0 && problem.b(j) != 0.0);
  }
  solution.solvable = !lost;
  const auto try_it = [&](double delta) {
    Attempt outcome = attempt(problem, options, delta, warm, solution);
    if (warm && outcome == Attempt::none)
      outcome = attempt(problem, options, delta, false, solution);
    return outcome;
  };
  Attempt outcome = try_it(0.0);
  for (Index j = 0; j < p; ++j) {
    if (norm_G(j) == 0.0 && h(j) < 0.0) return Status::infeasible;
  }
  if (outcome != Attempt::solved && box_excludes(problem)) return Status::infeasible;
  if (!options.slack && lost) return Status::infeasible;
  if (outcome == Attempt::solved) return lost ? Status::slack : Status::optimal;
  if (!options.slack) {
    if (outcome == Attempt::infeasible) return Status::infeasible;
    // DAQP gave up, which it does on some infeasible problems: they need slack
    Options softer = options;
    softer.slack = true;
    outcome = attempt(problem, softer, 1e-8, false, solution);
    if (outcome == Attempt::infeasible) return Status::infeasible;
    if (outcome == Attempt::none) return Status::failed;
    for (const Index j : rows) {
      if (problem.slack_weight(j) < options.hard_from) continue;
      if (std::abs(lambda(j)) * c(j) * c(j) > 1e-6) return Status::infeasible;
    }
    return Status::failed;
  }
  for (const double delta : {1e-8, 1e-6}) {
    outcome = try_it(delta);
    if (outcome == Attempt::solved) return Status::slack;
    if (outcome == Attempt::infeasible && !feasible(options, solution)) return Status::infeasible;
  }
  return feasible(options, solution) ? Status::failed : Status::infeasible;
}

bool available() { return true; }

#else

struct Solver::Storage {};

bool available() { return false; }

#endif

Solver::Solver() : storage_(std::make_unique<Storage>()) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

#ifdef COLUBER_HAS_DAQP

void Solver::renumber(std::span<const int> was) {
  if (storage_) storage_->renumber(was);
}

void Solver::save_state(ByteWriter& bytes) const {
  bytes.section("qp", 1);
  const bool used = storage_ && storage_->n >= 0;
  bytes(used);
  if (!used) return;
  bytes(storage_->n, storage_->m, storage_->p);
  for (const std::vector<int>* set : {&storage_->hard_set, &storage_->slack_set}) {
    bytes.list(*set, [&](int side) { bytes(side); });
  }
}

void Solver::restore_state(ByteReader& bytes) {
  bytes.section("qp", 1);
  bool used = false;
  bytes(used);
  auto storage = std::make_unique<Storage>();
  if (used) {
    constexpr Index most = 1'000'000;
    Index n = 0;
    Index m = 0;
    Index p = 0;
    bytes(n, m, p);
    std::vector<int> hard;
    std::vector<int> slack;
    for (std::vector<int>* set : {&hard, &slack}) {
      bytes.list(*set, [&](int& side) { bytes(side); });
    }
    const bool fits = n >= 0 && m >= 0 && p >= 0 && std::max({n, m, p}) <= most &&
                      std::ssize(hard) == n + p && std::ssize(slack) == n + p;
    if (!fits) bytes.refuse("an active set of another size");
    storage->reserve(n, m, p);
    storage->hard_set = std::move(hard);
    storage->slack_set = std::move(slack);
  }
  storage_ = std::move(storage);
}

#else

void Solver::renumber(std::span<const int> /*was*/) {}
void Solver::save_state(ByteWriter& /*bytes*/) const {}
void Solver::restore_state(ByteReader& /*bytes*/) {}

#endif

void Solver::solve(const Problem& problem, const Options& options, Solution& solution, bool warm) {
  check(problem, options);
#ifdef COLUBER_HAS_DAQP
  if (!storage_) storage_ = std::make_unique<Storage>();  // moved from
  const Index n = problem.limit.size();
  const Index m = problem.b.size();
  const Index p = problem.h.size();
  for (VectorXd* one : {&solution.x, &solution.lambda_limit}) one->setZero(n);
  for (VectorXd* one : {&solution.z, &solution.lambda_A}) one->setZero(m);
  solution.lambda_G.setZero(p);
  solution.slack_weight = problem.slack_weight;
  solution.rank = 0;
  solution.solvable = false;
  solution.iterations = 0;
  solution.kkt = 0.0;
  storage_->reserve(n, m, p);
  solution.status = storage_->solve(problem, options, warm, solution);
  if (solution.status == Status::optimal || solution.status == Status::slack) return;
  for (VectorXd* one :
       {&solution.x, &solution.lambda_limit, &solution.z, &solution.lambda_A, &solution.lambda_G}) {
    one->setZero();
  }
  solution.slack_weight = problem.slack_weight;
  solution.kkt = 0.0;
#else
  static_cast<void>(solution);
  static_cast<void>(warm);
  throw Error(
      "this build has no QP solver: script/bootstrap gets DAQP 0.10.3; then configure and build "
      "again (or -DCOLUBER_DAQP_DIR=FOLDER)");
#endif
}

}  // namespace coluber::qp

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <Eigen/Core>

#include "coluber/core/bytes.hpp"
#include "coluber/core/export.hpp"

/// Small dense quadratic programs with slack, limits and inequalities; see docs/qp.md.
///
/// | letter | code name      | meaning                                         | size           |
/// |--------|----------------|-------------------------------------------------|----------------|
/// | x      | `x`            | unknowns                                        | n              |
/// | z      | `z`            | slack of the equalities                         | m              |
/// | A, b   | `A`, `b`       | equalities A x + z = b                          | m × n, m       |
/// | G, h   | `G`, `h`       | inequalities G x <= h                           | p × n, p       |
/// | l      | `limit`        | absolute limits of x, may be infinite           | n              |
/// | W, Q   | `weight`, `slack_weight` | diagonal weights of x and of z        | n, m           |
/// | λ      | `lambda_A` …   | multipliers, signs: see below                   | m, p, n        |
/// | v      | –              | x √W/σ, the scaled unknowns                     | n              |
///
/// Stationarity: 2 W x + Aᵀ λ_A + Gᵀ λ_G + λ_limit = 0, 2 Q z + λ_A = 0; λ_G >= 0, λ_limit is
/// positive at +limit and negative at −limit.
///
/// Scale σ: the largest finite √W limit, so that |v| <= 1 where weights and limits are equal, but
/// no more than 1000 d. Here d is the farthest that any row alone moves √W x from 0: |b|/(1 + c²)
/// for a row of A, −h for an inequality that x = 0 violates; both divided by the norm of the row
/// (in √W x), c = 1/(√Q norm). Without a finite limit σ = d; if d = 0 too, σ = 1.
namespace coluber::qp {

/// min xᵀ diag(weight) x + zᵀ diag(slack_weight) z  subject to  A x + z = b, G x <= h, |x| <=
/// limit. Every size may be zero; A and G have as many columns as there are unknowns.
struct Problem {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::MatrixXd G;
  Eigen::VectorXd h;
  Eigen::VectorXd limit;         ///< > 0; infinity: none. Its length is the number of unknowns
  Eigen::VectorXd weight;        ///< > 0
  Eigen::VectorXd slack_weight;  ///< > 0, one per row of A
};

/// Of Solver::solve().
struct Options {
  double hard_from = 1e9;  ///< rows with at least this slack weight are first tried as equalities
  bool slack = true;       ///< false: such rows never get slack, `infeasible` means: not without
  double rank_threshold = 1e-9;  ///< pivots below this share of the largest are dependent rows
  double tolerance = 1e-10;      ///< DAQP's, on the constraints, scaled
  int max_iterations = 10000;    ///< of each attempt
};

/// What a Solution is.
enum class Status : std::uint8_t {
  optimal,     ///< solved with the slack weights as given
  slack,       ///< rows tried as equalities need slack; their weights may have been reduced
  infeasible,  ///< no x meets inequalities and limits (without Options::slack: and equalities)
  failed,      ///< no answer that meets its own KKT test
};

/// Outcome. After `infeasible` and `failed` the vectors have their sizes and hold zeros.
struct Solution {
  Status status = Status::failed;
  Eigen::VectorXd x;
  Eigen::VectorXd z;  ///< −λ_A/(2 slack_weight)
  Eigen::VectorXd lambda_A;
  Eigen::VectorXd lambda_G;
  Eigen::VectorXd lambda_limit;  ///< positive at +limit, negative at −limit
  Eigen::VectorXd slack_weight;  ///< used, per row; infinite (z = 0) for a row without slack
  int rank = 0;                  ///< of the rows of A that were first tried as equalities
  bool solvable = false;         ///< these rows alone have a solution, whatever the limits
  int iterations = 0;            ///< of DAQP, all attempts
  double kkt = 0.0;              ///< kkt_residual(); 0 where there is no answer
};

/// Solves QPs, one after the other. Owns its workspace; nothing is allocated while sizes stay the
/// same. One object per thread.
class COLUBER_EXPORT Solver {
 public:
  Solver();
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  /// Writes the answer into `solution`. With `warm` the search starts from the active set of the
  /// last call, if the sizes are the same; the answer is the same. Throws Error for wrong sizes,
  /// numbers that are not finite (limits and h may be +infinity), weights or limits that are not
  /// positive, and where available() is false.
  void solve(const Problem& problem, const Options& options, Solution& solution, bool warm = false);

  /// Before a warm solve() with other inequalities than the last had: row j of G is what row
  /// `was[j]` was, or new (-1). The active set then survives the change, as long as the unknowns
  /// and the equalities are as many as before.
  void renumber(std::span<const int> was);

  /// The active set from which a warm solve() starts.
  void save_state(ByteWriter& bytes) const;
  /// Takes back what `save_state` wrote. May throw FileError.
  void restore_state(ByteReader& bytes);

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

/// How far `solution` is from satisfying the conditions of optimality of `problem`, with the
/// weights solution.slack_weight. It is the largest of these residuals, in scaled coordinates (v =
/// x √W/σ, rows divided by their norms, y = z/(norm σ), multipliers λ norm/(2 σ²)):
///
/// - |A v + y − b| of a row;
/// - |w + c λ| of a row, where y = c w and c = 1/(√slack_weight norm); |y| if there is no slack;
/// - |v + Aᵀ λ_A + Gᵀ λ_G + λ_limit| of an unknown;
/// - |min(λ_G, h − G v)| of an inequality, |min(±λ_limit, limit ∓ v)| of a limit.
///
/// Where slack is in use (|y| > 1e-9 in a row) the residuals are relative: lengths are divided by
/// the largest |b|, multipliers by the largest multiplier, if those are above 1. A row of zeros has
/// the residual |z − b|/|b|. What is not finite gives infinity, never NaN. Allocates nothing.
COLUBER_EXPORT double kkt_residual(const Problem& problem, const Solution& solution);

/// Whether this build has a QP solver (DAQP).
COLUBER_EXPORT bool available();

}  // namespace coluber::qp

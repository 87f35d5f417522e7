#pragma once

#include <cstdint>
#include <memory>

#include "coluber/core/export.hpp"
#include "coluber/core/status.hpp"
#include "coluber/nonsmooth/contact_problem.hpp"

namespace coluber::nonsmooth {

/// Which solver a step calls.
enum class Solver : std::uint8_t { newton, gauss_seidel, thesis };
/// Which contacts enter a step.
enum class Activation : std::uint8_t {
  landing,  ///< every point closer than 2 cm is in the problem and lands on the surface
  gap,      ///< closed points only, as in the thesis
};

/// Of solve_newton().
struct NewtonOptions {
  Law law = Law::anchored;
  double tolerance = 1e-10;  ///< on the law's residual, scaled; what rounding leaves is accepted
  double gap = 1e-8;         ///< law `rigid`: on what the proximal terms leave over, scaled
  int max_sweeps = 12;       ///< before the fallback (law `rigid`: a third more)
  bool fallback = true;      ///< line search or pseudo-transient continuation if Newton fails
};

/// Of solve_gauss_seidel().
struct GaussSeidelOptions {
  Law law = Law::anchored;
  double tolerance = 1e-10;  ///< on the law's residual, scaled
  int max_iterations = 100000;
};

/// Of solve_thesis(); the defaults are those of Transeth table 7.2 for the plane. In space the
/// table has r_N = 0.1, r_T = 0.01, r_V = 0.05, r_H = 0.01.
struct ThesisOptions {
  Law law = Law::anchored;
  double r_N = 0.1;       ///< kg, normal impulses of the ground
  double r_T = 1.3;       ///< kg, friction
  double r_V = 0.05;      ///< kg, rolling friction
  double r_H = 0.01;      ///< kg, normal impulses of obstacles
  double epsilon = 2e-5;  ///< N s, on |dP_N| + |dP_T| + |dP_V| + |dP_H|
  int max_iterations = 10000;
};

/// How a solver fared.
struct [[nodiscard]] SolveInfo {
  Status status = Status::ok;
  int iterations = 0;       ///< linear sweeps
  double residual = 0.0;    ///< the solver's own, scaled
  double gap = 0.0;         ///< law `rigid`: what the proximal terms leave over, scaled
  bool fallback = false;    ///< Newton alone did not settle
  int fallback_sweeps = 0;  ///< of the iterations, those after that
  int passes = 0;           ///< law `rigid`: how often the proximal terms were moved
  int fallback_passes = 0;  ///< of the passes, those of the fallback
};

/// Scratch of one thread; grows with the first problems, then never allocates.
template <int T>
class COLUBER_EXPORT SolverData {
 public:
  SolverData();
  ~SolverData();
  SolverData(SolverData&&) noexcept;
  SolverData& operator=(SolverData&&) noexcept;
  /// Room for this many nodes and contacts, so that no later step allocates.
  void reserve(std::size_t nodes, std::size_t contacts);

  /// What the solvers keep; private to them.
  struct Storage;
  /// For the solvers.
  Storage& storage() { return *storage_; }

 private:
  std::unique_ptr<Storage> storage_;
};

/// Semi-smooth Newton; each iteration is one articulated sweep, linear in the number of nodes.
/// `solution` holds the guess (a predictor's) on entry. `previous` holds the velocities at the
/// start of the step, where the fallback begins. Law `rigid`: a proximal term, small and moved with
/// the answer until it no longer matters (docs/numerics.md).
template <int T>
COLUBER_EXPORT SolveInfo solve_newton(const ContactProblem<T>& problem, const Solution<T>& previous,
                                      Solution<T>& solution, SolverData<T>& data,
                                      const NewtonOptions& options = {});

/// Block Gauss-Seidel on the impulses: each contact in turn takes the impulse that meets its law
/// while the others stand still. A plain second route to the same answer, at quadratic cost.
template <int T>
COLUBER_EXPORT SolveInfo solve_gauss_seidel(const ContactProblem<T>& problem, Solution<T>& solution,
                                            SolverData<T>& data,
                                            const GaussSeidelOptions& options = {});

/// Modified Newton iteration of the thesis: P <- prox(P - r xi), Transeth algorithm 3.1,
/// (3.75)-(3.81). `solution.impulse` holds the impulses to start from.
template <int T>
COLUBER_EXPORT SolveInfo solve_thesis(const ContactProblem<T>& problem, Solution<T>& solution,
                                      SolverData<T>& data, const ThesisOptions& options = {});

/// Largest eigenvalue (1/(kg m²)) of the inverse joint-space inertia of the free tree: the fastest
/// way its joints answer a torque. Explicit servos are stable for dt < 2/(k_D lambda) and dt < 2
/// k_D/k_P.
template <int T>
COLUBER_EXPORT double joint_mobility(const ContactProblem<T>& problem, SolverData<T>& data);

extern template class SolverData<3>;
extern template SolveInfo solve_newton<3>(const ContactProblem<3>&, const Solution<3>&,
                                          Solution<3>&, SolverData<3>&, const NewtonOptions&);
extern template SolveInfo solve_gauss_seidel<3>(const ContactProblem<3>&, Solution<3>&,
                                                SolverData<3>&, const GaussSeidelOptions&);
extern template SolveInfo solve_thesis<3>(const ContactProblem<3>&, Solution<3>&, SolverData<3>&,
                                          const ThesisOptions&);
extern template double joint_mobility<3>(const ContactProblem<3>&, SolverData<3>&);
extern template class SolverData<6>;
extern template SolveInfo solve_newton<6>(const ContactProblem<6>&, const Solution<6>&,
                                          Solution<6>&, SolverData<6>&, const NewtonOptions&);
extern template SolveInfo solve_gauss_seidel<6>(const ContactProblem<6>&, Solution<6>&,
                                                SolverData<6>&, const GaussSeidelOptions&);
extern template SolveInfo solve_thesis<6>(const ContactProblem<6>&, Solution<6>&, SolverData<6>&,
                                          const ThesisOptions&);
extern template double joint_mobility<6>(const ContactProblem<6>&, SolverData<6>&);

}  // namespace coluber::nonsmooth

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sweep.hpp"

namespace coluber::nonsmooth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <int T>
using Storage = typename SolverData<T>::Storage;

/// Laws of the contacts of node i at the solution's velocities and impulses; the worst residual
/// comes back.
template <bool kOnCone, int T>
inline double linearise_node(const ContactProblem<T>& problem, const Proximal* proximal,
                             const Solution<T>& solution, std::size_t i, LinearLaw* laws,
                             double worst) {
  const Node<T>& node = problem.nodes[i];
  const Twist<T>& u = solution.twist[i];
  const int end = node.first_contact + node.contact_count;
  for (int k = node.first_contact; k < end; ++k) {
    const auto index = static_cast<std::size_t>(k);
    const Contact<T>& contact = problem.contacts[index];
    linearise<kOnCone>(contact, proximal[index], solution.impulse[index], contact.w_N.dot(u),
                       contact.w_1.dot(u), contact.w_2.dot(u), kProxR, scaled_r(contact, kProxR),
                       laws[index]);
    if (!(laws[index].residual <= worst)) worst = laws[index].residual;
  }
  return worst;
}

/// Where an iteration came to.
struct Reached {
  double residual = kInfinity;  // N s
  bool settled = false;         // within the tolerance, or at the rounding of the laws
};

/// What rounding alone can leave of the residual (N s): the largest over contacts and servos.
template <int T>
double rounding_floor(const ContactProblem<T>& problem, const Proximal* proximal,
                      const Solution<T>& solution) {
  double worst = 0.0;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const Node<T>& node = problem.nodes[i];
    const int end = node.first_contact + node.contact_count;
    for (int k = node.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      if (!(solution.impulse[index].N > 0.0)) continue;  // open: its residual is exactly zero
      worst = std::max(worst, law_rounding(problem.contacts[index], proximal[index],
                                           solution.impulse[index], solution.twist[i]));
    }
    if (node.limit < kInfinity && i + 1 < problem.nodes.size()) {
      const double servo = std::abs(node.sr) + 2.0 * std::abs(node.sd * solution.rate[i]);
      worst = std::max(worst, 2.0 * kRoundoff * servo / problem.length_scale);
    }
  }
  return worst;
}

/// Of the ten times the tolerance that a step's momentum may be off (solve_step.hpp), the part that
/// roundings of earlier sweeps may use up.
constexpr double kMayLose = 5.0;

/// What the twists, increments added up sweep by sweep, have lost of the momentum that root and
/// joint rates stand for (N s). Sweeps that went astray by kilometres a second leave that much.
template <int T>
double momentum_lost(const ContactProblem<T>& problem, const Solution<T>& solution,
                     Storage<T>& storage) {
  constexpr int kAngular = T == 3 ? 1 : 3;
  const std::size_t n = problem.nodes.size();
  Twist<T> sum = Twist<T>::Zero();
  storage.nodes[n - 1].dtwist = solution.root;
  for (std::size_t i = n; i-- > 0;) {
    const Node<T>& node = problem.nodes[i];
    Twist<T>& twist = storage.nodes[i].dtwist;
    if (i + 1 < n) {
      twist =
          storage.nodes[static_cast<std::size_t>(node.parent)].dtwist + node.s * solution.rate[i];
    }
    sum += (node.M * (twist - solution.twist[i])).cwiseAbs();
  }
  return std::max(sum.template head<kAngular>().maxCoeff() / problem.length_scale,
                  sum.template tail<T - kAngular>().maxCoeff());
}

/// Full Newton steps from `solution`, at most `max_sweeps`, until the laws hold to `tolerance` (N
/// s), or to rounding and a sweep no longer halves what is left. Each sweep makes the momentum
/// balance exact, but for servos that reached or left their limit; so the laws of contacts and
/// servos decide.
template <bool kOnCone, int T>
Reached newton_sweeps(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage,
                      double tolerance, int max_sweeps, int& sweeps) {
  constexpr int kMayHaveStrayed = 3;  // sweeps
  LinearLaw* laws = storage.laws.data();
  const Proximal* proximal = storage.proximal.data();
  const std::size_t n = problem.nodes.size();
  for (std::size_t i = 0; i < n; ++i) {
    linearise_node<kOnCone>(problem, proximal, solution, i, laws, 0.0);
  }
  Reached reached;
  bool polished = false;
  bool gathered = false;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    eliminate(problem, solution, laws, 1.0, storage);
    double residual = 0.0;
    double largest = 0.0;  // of the terms that impulses are differences of (N s)
    substitute<T>(problem, solution, storage, [&](std::size_t i, const Twist<T>& du) {
      const Node<T>& node = problem.nodes[i];
      const int end = node.first_contact + node.contact_count;
      for (int k = node.first_contact; k < end; ++k) {
        const auto index = static_cast<std::size_t>(k);
        const Contact<T>& contact = problem.contacts[index];
        const LinearLaw& law = laws[index];
        largest = std::max({largest, std::abs(law.q_N), contact.mu_max * std::abs(law.q_1),
                            contact.mu_max * std::abs(law.q_2)});
        apply(law, contact.w_N.dot(du), contact.w_1.dot(du), contact.w_2.dot(du),
              solution.impulse[index]);
      }
      residual = linearise_node<kOnCone>(problem, proximal, solution, i, laws, residual);
      if (node.limit < kInfinity && i + 1 < n) {
        const SweepNode<T>& used = storage.nodes[i];
        const double rate = solution.rate[i];
        const double missed = joint_impulse(node, rate) - (used.sr - used.sd * rate);
        residual = std::max(residual, std::abs(missed) / problem.length_scale);
      }
    });
    ++sweeps;
    const double before = reached.residual;
    reached.residual = residual;
    // An impact can be solved in one sweep, but P = q - K dgamma then is a small difference of
    // large terms, and their roundings spoil the balance of momentum. From the answer they are
    // small.
    const bool spoilt = 4.0 * kRoundoff * largest > tolerance;
    const bool last = sweep + 1 == max_sweeps;
    if (residual <= tolerance && (!spoilt || polished || last)) {
      if (sweeps < kMayHaveStrayed || gathered || last ||
          momentum_lost(problem, solution, storage) <= kMayLose * tolerance) {
        reached.settled = true;
        return reached;
      }
      gathered = true;
      update_twists(problem, solution);
      for (std::size_t i = 0; i < n; ++i) {
        linearise_node<kOnCone>(problem, proximal, solution, i, laws, 0.0);
      }
      continue;
    }
    if (residual <= tolerance) {
      polished = true;
      continue;
    }
    if (!std::isfinite(residual)) return reached;
    if (residual > 0.5 * before && residual <= kLostDigits * problem.impulse_scale &&
        residual <= rounding_floor(problem, proximal, solution)) {
      reached.settled = true;
      return reached;
    }
  }
  return reached;
}

/// With the law that is being solved. In the plane laws are taken as they are, as the fast layout
/// takes them (planar/chain_kernel.inl): the two make the same sweeps, and nothing there is forced
/// to slip as slowly as the rolling friction of a robot that lies flat.
template <int T>
Reached newton_sweeps(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage,
                      const NewtonOptions& options, int max_sweeps, int& sweeps) {
  const double tolerance = options.tolerance * problem.impulse_scale;
  return T == 6 && options.law == Law::rigid
             ? newton_sweeps<true>(problem, solution, storage, tolerance, max_sweeps, sweeps)
             : newton_sweeps<false>(problem, solution, storage, tolerance, max_sweeps, sweeps);
}

/// The impulse of a contact as an explicit function of its link's twist, P(u), and its derivative:
/// the same laws with r = 1/c and r_T = 1/c_t, where P drops out of s.
template <int T>
Impulse explicit_law(const Contact<T>& contact, const Proximal& term, const Twist<T>& u,
                     LinearLaw& law) {
  linearise(contact, term, Impulse{}, contact.w_N.dot(u), contact.w_1.dot(u), contact.w_2.dot(u),
            contact.unilateral ? 1.0 / contact.c : 0.0, contact.mu_max > 0.0 ? 1.0 / term.c_t : 0.0,
            law);
  return {law.q_N, {law.q_1, law.q_2}};
}

/// P <- P(u) at every contact.
template <int T>
void explicit_laws(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage) {
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const Node<T>& node = problem.nodes[i];
    const int end = node.first_contact + node.contact_count;
    for (int k = node.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      solution.impulse[index] = explicit_law(problem.contacts[index], storage.proximal[index],
                                             solution.twist[i], storage.laws[index]);
    }
  }
}

/// max |G(u)|, G = J^T [M u - p - sum W P] - P_J, torques over the length scale (N s).
template <int T>
double momentum_defect(const ContactProblem<T>& problem, const Solution<T>& solution,
                       Storage<T>& storage) {
  const std::size_t n = problem.nodes.size();
  double worst = 0.0;
  for (auto& node : storage.nodes) node.p.setZero();
  for (std::size_t i = 0; i < n; ++i) {
    const Node<T>& link = problem.nodes[i];
    Twist<T>& p = storage.nodes[i].p;
    p += link.M.lazyProduct(solution.twist[i]) - link.p;
    const int end = link.first_contact + link.contact_count;
    for (int k = link.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const Impulse& P = solution.impulse[index];
      const Contact<T>& contact = problem.contacts[index];
      p -= compute_wrench(contact, P);
    }
    if (i + 1 == n) break;
    const double joint = std::abs(link.s.dot(p) - joint_impulse(link, solution.rate[i]));
    worst = std::max(worst, joint / problem.length_scale);
    storage.nodes[static_cast<std::size_t>(link.parent)].p += p;
  }
  const Twist<T>& root = storage.nodes[n - 1].p;
  constexpr int kAngular = T == 3 ? 1 : 3;
  for (int row = 0; row < T; ++row) {
    worst = std::max(worst, std::abs(root(row)) / (row < kAngular ? problem.length_scale : 1.0));
  }
  return std::isfinite(root.sum()) ? worst : kInfinity;
}

/// What a fallback has found so far: `storage.best`, and its residual (N s).
struct Best {
  double residual = kInfinity;
  double defect = kInfinity;  // max |G| at `storage.trial`, where it has come to
};

/// `storage.trial` <- the last step's velocities and the impulses P(u) there.
template <int T>
void start_from(const ContactProblem<T>& problem, const Solution<T>& previous, Storage<T>& storage,
                Best& best) {
  Solution<T>& u = storage.trial;
  u.root = previous.root;
  u.rate = previous.rate;
  u.twist.resize(problem.nodes.size());
  u.impulse.resize(problem.contacts.size());
  update_twists(problem, u);
  explicit_laws(problem, u, storage);
  best.defect = momentum_defect(problem, u, storage);
}

/// Newton from `storage.trial`, whose impulses are P(u). Its laws are those of u again afterwards.
template <int T>
Reached try_newton(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage,
                   const NewtonOptions& options, int& sweeps, Best& best) {
  constexpr int kNewtonTry = 8;
  solution = storage.trial;
  const Reached reached = newton_sweeps(problem, solution, storage, options, kNewtonTry, sweeps);
  if (reached.settled) return reached;
  if (reached.residual < best.residual) {
    best.residual = reached.residual;
    storage.best = solution;
  }
  explicit_laws(problem, storage.trial, storage);
  return reached;
}

/// Where to try Newton: max |G| over the impulse scale, and steps from one try to the next.
constexpr double kNearEnough = 1e-3;
constexpr int kBetweenTries = 4;

/// Whether G is the gradient of a strictly convex function: no friction on a normal impulse that
/// is itself unknown, and no servo that drives.
template <int T>
bool is_convex(const ContactProblem<T>& problem) {
  return std::none_of(problem.contacts.begin(), problem.contacts.end(),
                      [](const Contact<T>& contact) {
                        return contact.unilateral && contact.mu_max > 0.0;
                      }) &&
         std::all_of(problem.nodes.begin(), problem.nodes.end(),
                     [](const Node<T>& node) { return node.sd >= 0.0; });
}

/// phi'(a) = G(u + a du) . du, with the increments of the last sweep (`dtwist`, `drate`).
template <int T>
double slope_along(const ContactProblem<T>& problem, const Solution<T>& u,
                   const Storage<T>& storage, double a) {
  const std::size_t n = problem.nodes.size();
  double slope = 0.0;
  LinearLaw unused;
  for (std::size_t i = 0; i < n; ++i) {
    const Node<T>& node = problem.nodes[i];
    const Twist<T>& du = storage.nodes[i].dtwist;
    const Twist<T> twist = u.twist[i] + a * du;
    Twist<T> p = node.M * twist - node.p;
    const int end = node.first_contact + node.contact_count;
    for (int k = node.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const Contact<T>& contact = problem.contacts[index];
      p -= compute_wrench(contact, explicit_law(contact, storage.proximal[index], twist, unused));
    }
    slope += du.dot(p);
    if (i + 1 == n) break;
    const double drate = storage.drate[i];
    slope -= drate * joint_impulse(node, u.rate[i] + a * drate);
  }
  return slope;
}

/// A step length that makes phi fall by a share of |a du|²_M, found by bisection. phi'' is at least
/// m = |du|²_M. With phi'(a) <= a m/4 the minimum a* along the line lies beyond 3 a/4: phi falls by
/// 9/32 a² m or more up to there and rises by a² m/16 or less from there to a. With phi'(a) >=
/// phi'(0)/2, or a = 1, the step is not needlessly short.
template <int T>
double step_length(const ContactProblem<T>& problem, const Solution<T>& u,
                   const Storage<T>& storage) {
  constexpr int kMaxHalvings = 60;
  double m = 0.0;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const Twist<T>& du = storage.nodes[i].dtwist;
    m += du.dot(problem.nodes[i].M * du);
  }
  if (slope_along(problem, u, storage, 1.0) <= 0.25 * m) return 1.0;
  const double start = slope_along(problem, u, storage, 0.0);
  double low = 0.0;
  double high = 1.0;
  for (int halving = 0; halving < kMaxHalvings; ++halving) {
    const double a = 0.5 * (low + high);
    const double slope = slope_along(problem, u, storage, a);
    if (slope > 0.25 * a * m) {
      high = a;
    } else if (slope < 0.5 * start) {
      low = a;
    } else {
      return a;
    }
  }
  return low;
}

/// Root to tips: the increments of a sweep, without adding them to anything.
template <int T>
void increments(const ContactProblem<T>& problem, Storage<T>& storage) {
  const std::size_t n = problem.nodes.size();
  SweepNode<T>& root = storage.nodes[n - 1];
  root.dtwist = -storage.root.solve(root.p);
  for (std::size_t i = n - 1; i-- > 0;) {
    SweepNode<T>& node = storage.nodes[i];
    const Twist<T>& carried =
        storage.nodes[static_cast<std::size_t>(problem.nodes[i].parent)].dtwist;
    storage.drate[i] = -(node.e + node.V.dot(carried));
    node.dtwist = carried + storage.drate[i] * problem.nodes[i].s;
  }
}

/// Newton's method on the convex function phi whose gradient is G, with a line search: from
/// anywhere it comes to the one answer, whatever the masses (a semismooth gradient with K >= 0; Qi
/// and Sun 1993). Newton without it, and pseudo-time steps too, can go back and forth for ever
/// between two directions of slip of a light link that comes to rest, past the narrow band of
/// speeds |gamma_T| < c_t R where it sticks.
template <int T>
Reached descend(const ContactProblem<T>& problem, const Solution<T>& previous,
                Solution<T>& solution, Storage<T>& storage, const NewtonOptions& options,
                int& sweeps, Best& best) {
  constexpr int kMaxSteps = 200;
  constexpr int kMaxTries = 8;
  const std::size_t n = problem.nodes.size();
  Solution<T>& u = storage.trial;
  start_from(problem, previous, storage, best);
  if (!std::isfinite(best.defect)) return {};
  int since_try = kBetweenTries;
  int tries = 0;
  for (int step = 0; step < kMaxSteps && tries < kMaxTries; ++step) {
    eliminate(problem, u, storage.laws.data(), 1.0, storage);
    increments(problem, storage);
    ++sweeps;
    const double a = step_length(problem, u, storage);
    u.root += a * storage.nodes[n - 1].dtwist;
    for (std::size_t i = 0; i + 1 < n; ++i) u.rate[i] += a * storage.drate[i];
    update_twists(problem, u);
    explicit_laws(problem, u, storage);
    best.defect = momentum_defect(problem, u, storage);
    if (!std::isfinite(best.defect)) return {};
    ++since_try;
    if (best.defect < kNearEnough * problem.impulse_scale && since_try >= kBetweenTries) {
      since_try = 0;
      ++tries;
      const Reached reached = try_newton(problem, solution, storage, options, sweeps, best);
      if (reached.settled) return reached;
    }
  }
  return {};
}

struct Attempt {
  double tau;
  int steps;
  bool determinant_only;  // judge the sign of the whole determinant instead of every pivot
};
constexpr std::array<Attempt, 4> kAttempts{
    {{0.1, 200, false}, {10.0, 200, true}, {0.01, 1500, false}, {0.1, 200, true}}};

/// Pseudo-transient continuation: implicit Euler of M du/ds = -G(u) from the last step's
/// velocities, with pseudo-time step tau. Unlike Newton it leaves unstable branches, where Newton
/// cycles between two active sets across a fold. Every few steps, P <- P(u) and Newton is tried.
template <int T>
Reached continue_in_pseudo_time(const ContactProblem<T>& problem, const Solution<T>& previous,
                                Solution<T>& solution, Storage<T>& storage,
                                const NewtonOptions& options, int& sweeps, Best& best) {
  Solution<T>& u = storage.trial;
  storage.last_increment.resize(problem.nodes.size());
  for (const Attempt& attempt : kAttempts) {
    start_from(problem, previous, storage, best);
    if (!std::isfinite(best.defect)) return {};
    double tau = attempt.tau;
    bool have_last = false;
    int since_try = 0;
    for (int step = 0; step < attempt.steps && tau > 1e-12; ++step) {
      const PivotSigns signs = eliminate(problem, u, storage.laws.data(), 1.0 + 1.0 / tau, storage);
      ++sweeps;
      const bool good =
          signs.determinant_positive && (attempt.determinant_only || signs.joints_positive);
      if (!good) {
        tau /= 4.0;
        continue;
      }
      double turn = 0.0;  // <du, du_last>_M
      substitute<T>(problem, u, storage, [&](std::size_t i, const Twist<T>& du) {
        if (have_last) turn += du.dot(problem.nodes[i].M * storage.last_increment[i]);
        storage.last_increment[i] = du;
      });
      explicit_laws(problem, u, storage);
      const double new_defect = momentum_defect(problem, u, storage);
      if (!std::isfinite(new_defect)) break;
      tau *= (have_last && turn < 0.0) ? 0.4 : (new_defect < best.defect ? 2.0 : 1.3);
      best.defect = new_defect;
      have_last = true;

      ++since_try;
      const bool near = best.defect < kNearEnough * problem.impulse_scale;
      if ((near && since_try >= kBetweenTries) || since_try >= 20) {
        since_try = 0;
        const Reached reached = try_newton(problem, solution, storage, options, sweeps, best);
        if (reached.settled) return reached;
      }
    }
  }
  return {};
}

/// Where Newton does not settle: a descent if the problem is convex, else, or if rounding is in its
/// way, pseudo-transient continuation. If neither settles, the best answer found is kept.
template <int T>
Reached fall_back(const ContactProblem<T>& problem, const Solution<T>& previous,
                  Solution<T>& solution, double newton_residual, Storage<T>& storage,
                  const NewtonOptions& options, int& sweeps) {
  Best best;
  if (std::isfinite(newton_residual)) best.residual = newton_residual;
  storage.best = solution;
  storage.drate.resize(
      problem.nodes.size());  // even if this problem is not convex: a later one may be
  Reached reached;
  if (is_convex(problem)) {
    reached = descend(problem, previous, solution, storage, options, sweeps, best);
    if (reached.settled) return reached;
  }
  reached = continue_in_pseudo_time(problem, previous, solution, storage, options, sweeps, best);
  if (reached.settled || !std::isfinite(best.defect)) return reached;
  const bool found = std::isfinite(best.residual);
  solution = found ? storage.best : storage.trial;  // finite, if far from an answer
  return {found ? best.residual : best.defect, false};
}

/// Law `rigid`: what the proximal terms keep the answer from the set-valued law, r c_T |P_T - A|
/// over the closed points (N s).
template <int T>
double proximal_gap(const ContactProblem<T>& problem, const Solution<T>& solution,
                    const Storage<T>& storage) {
  double gap = 0.0;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const Contact<T>& contact = problem.contacts[k];
    const Impulse& P = solution.impulse[k];
    if (!(contact.mu_max > 0.0) || !(P.N > 0.0)) continue;
    const Proximal& term = storage.proximal[k];
    gap = std::max(gap, kProxR / contact.mu_max * term.c_t * (P.T - term.A).norm());
  }
  return gap;
}

/// A <- P_T, c_t <- share times the contact's: the terms act on what the next pass changes only.
template <int T>
void move_proximal(const ContactProblem<T>& problem, const Solution<T>& solution, double share,
                   Storage<T>& storage) {
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    storage.proximal[k] = {share * problem.contacts[k].c_t, solution.impulse[k].T};
  }
}

constexpr double kLargeShare = 0.5;    // from this compliance on the continuation is of use
constexpr double kLeastShare = 5e-10;  // below kRigidShare momentum suffers
constexpr double kStalled = 0.5;       // of the gap of the pass before
constexpr int kMaxPasses = 100;

/// Proximal passes: the terms shrink while Newton is at ease, grow where it fails, and move with
/// the answer until they no longer matter. They start as they stand, with `share`. `gap` (N s) is
/// that of the pass kept, the one with the smallest.
///
/// Points that cannot all stick (two of a link that pitches) have a speed v = c_t (P_T - A) forced
/// upon them. As long as none slips, the gap stays and a pass pushes the impulses that they share
/// on by v/c_t, until some are at the edge of their cones; in a jam that is thousands of passes
/// away. So where the gap stays, c_t goes down as far as it takes. Such an answer has lost digits
/// of its momentum, as much as 1/c_t is large: it is where the last pass begins, with the usual
/// c_t, which gives them back.
template <int T>
Reached proximal_passes(const ContactProblem<T>& problem, const Solution<T>& previous,
                        Solution<T>& solution, double share, Storage<T>& storage,
                        const NewtonOptions& options, SolveInfo& info, double& gap) {
  constexpr int kMaxSweeps = 12;
  constexpr int kAtEase = 6;  // sweeps
  constexpr double kBoldest = 0.1;
  const double tolerance = options.tolerance * problem.impulse_scale;
  const double gap_tolerance = options.gap * problem.impulse_scale;
  double factor = kBoldest;
  int at_ease = 0;  // passes in a row
  double last_gap = kInfinity;
  Reached best;
  gap = kInfinity;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    ++info.passes;
    ++info.fallback_passes;
    if (momentum_lost(problem, solution, storage) > kMayLose * tolerance)
      update_twists(problem, solution);
    storage.before_pass = solution;
    int sweeps = 0;
    Reached reached = newton_sweeps(problem, solution, storage, options, kMaxSweeps, sweeps);
    if (!reached.settled && share >= kLargeShare) {
      reached = fall_back(problem, previous, solution, reached.residual, storage, options, sweeps);
      if (!reached.settled) {
        info.iterations += sweeps;
        if (gap == kInfinity) return reached;  // not even the anchored law
        break;
      }
    }
    info.iterations += sweeps;
    if (!reached.settled) {
      solution = storage.before_pass;
      share = std::min(1.0, 10.0 * share);
      factor = std::sqrt(factor);
      at_ease = 0;
      move_proximal(problem, solution, share, storage);
      continue;
    }
    const double pass_gap = proximal_gap(problem, solution, storage);
    const bool exact = share >= kRigidShare;  // in its momentum
    if (exact && pass_gap < gap) {
      gap = pass_gap;
      best = reached;
      solution.proximal = storage.proximal;
      if (gap <= gap_tolerance) return best;
      storage.best_pass = solution;
    }
    at_ease = sweeps <= kAtEase ? at_ease + 1 : 0;
    if (at_ease % 3 == 2) factor = std::max(kBoldest, factor * factor);
    if (!exact && (pass_gap <= gap_tolerance || share <= kLeastShare)) {
      share = kRigidShare;
    } else if (sweeps <= kAtEase) {
      const bool stalled = share <= kRigidShare && pass_gap > kStalled * last_gap;
      share = stalled ? std::max(factor * share, kLeastShare)
                      : std::max(factor * share, std::min(share, kRigidShare));
    }
    last_gap = pass_gap;
    move_proximal(problem, solution, share, storage);
  }
  if (gap < kInfinity) solution = storage.best_pass;
  return best;
}

/// Newton with a proximal term so small that it hardly matters, moved until it does not. Where it
/// settles and the term goes on to matter, passes go on from there; where it does not settle, they
/// start from the last step's values with terms as large as those of the anchored law.
template <int T>
Reached solve_rigid(const ContactProblem<T>& problem, const Solution<T>& previous,
                    Solution<T>& solution, Storage<T>& storage, const NewtonOptions& options,
                    SolveInfo& info) {
  const double gap_tolerance = options.gap * problem.impulse_scale;
  const int max_sweeps = options.max_sweeps + options.max_sweeps / 3;
  storage.set_proximal(problem, kRigidShare);
  Reached reached;
  double gap = kInfinity;
  while (info.iterations < max_sweeps) {
    reached = newton_sweeps(problem, solution, storage, options, max_sweeps - info.iterations,
                            info.iterations);
    if (!reached.settled) break;
    const double last_gap = gap;
    gap = proximal_gap(problem, solution, storage);
    if (gap <= gap_tolerance || gap > kStalled * last_gap || info.iterations >= max_sweeps) break;
    ++info.passes;
    move_proximal(problem, solution, kRigidShare, storage);
  }
  solution.proximal = storage.proximal;
  const auto solved = [&] { return reached.settled && gap <= gap_tolerance; };
  if (solved() || !options.fallback) {
    info.gap = gap / problem.impulse_scale;
    return reached;
  }

  info.fallback = true;
  const int before = info.iterations;
  // The best of what is tried is kept.
  Reached kept = reached;
  double kept_gap = proximal_gap(problem, solution, storage);
  storage.newton = solution;
  const auto keep_the_better = [&] {
    if (solved() || std::max(reached.residual, gap) <= std::max(kept.residual, kept_gap)) {
      kept = reached;
      kept_gap = gap;
      storage.newton = solution;
    }
  };
  if (reached.settled) {
    const double share = 0.1 * kRigidShare;
    move_proximal(problem, solution, share, storage);
    reached = proximal_passes(problem, previous, solution, share, storage, options, info, gap);
    keep_the_better();
  }
  if (!solved()) {
    solution.root = previous.root;
    std::copy(previous.rate.begin(), previous.rate.end(), solution.rate.begin());
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
      solution.impulse[k] = {problem.contacts[k].load, problem.contacts[k].A};
    }
    update_twists(problem, solution);
    storage.set_proximal(problem, 1.0);
    reached = proximal_passes(problem, previous, solution, 1.0, storage, options, info, gap);
    keep_the_better();
  }
  if (!solved()) solution = storage.newton;
  info.fallback_sweeps = info.iterations - before;
  info.gap = kept_gap / problem.impulse_scale;
  return kept;
}

}  // namespace

template <int T>
SolveInfo solve_newton(const ContactProblem<T>& problem, const Solution<T>& previous,
                       Solution<T>& solution, SolverData<T>& data, const NewtonOptions& options) {
  auto& storage = data.storage();
  storage.fit(problem);
  solution.resize(problem.nodes.size(), problem.contacts.size());
  update_twists(problem, solution);

  SolveInfo info;
  Reached reached;
  if (options.law == Law::rigid) {
    reached = solve_rigid(problem, previous, solution, storage, options, info);
  } else {
    storage.set_proximal(problem, 1.0);
    reached =
        newton_sweeps(problem, solution, storage, options, options.max_sweeps, info.iterations);
    if (!reached.settled && options.fallback) {
      info.fallback = true;
      reached = fall_back(problem, previous, solution, reached.residual, storage, options,
                          info.fallback_sweeps);
      info.iterations += info.fallback_sweeps;
    }
  }
  info.residual = reached.residual / problem.impulse_scale;
  if (!std::isfinite(reached.residual)) {
    info.status = Status::non_finite;
  } else if (!reached.settled || info.gap > options.gap) {
    info.status = Status::not_converged;
  }
  return info;
}

template SolveInfo solve_newton<3>(const ContactProblem<3>&, const Solution<3>&, Solution<3>&,
                                   SolverData<3>&, const NewtonOptions&);
template SolveInfo solve_newton<6>(const ContactProblem<6>&, const Solution<6>&, Solution<6>&,
                                   SolverData<6>&, const NewtonOptions&);

}  // namespace coluber::nonsmooth

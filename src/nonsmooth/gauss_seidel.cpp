#include <cmath>

#include <Eigen/Core>

#include "sweep.hpp"

// Unknowns are the impulses: three a contact (w_N, w_1, w_2) and one a servo with a limit, by how
// much that falls short of what it would give without. Velocities follow as v = v_0 + D P with the
// Delassus matrix D = W^T M^-1 W, M with the servos. In turn every contact takes the normal impulse
// that meets its law while all others stand still, then the tangential one.

namespace coluber::nonsmooth {
namespace {

/// Twist increments of all nodes, in `dtwist`, after the impulse `w` on node `i` and the torque
/// impulse `x` in its joint.
template <int T>
void respond(const ContactProblem<T>& problem, std::size_t i, const Twist<T>& w, double x,
             typename SolverData<T>::Storage& storage) {
  const std::size_t n = problem.nodes.size();
  for (auto& node : storage.nodes) {
    node.p.setZero();
    node.e = 0.0;
  }
  storage.nodes[i].p = -w;
  for (std::size_t k = i; k + 1 < n; k = static_cast<std::size_t>(problem.nodes[k].parent)) {
    SweepNode<T>& node = storage.nodes[k];
    node.e = (problem.nodes[k].s.dot(node.p) - (k == i ? x : 0.0)) / node.D;
    storage.nodes[static_cast<std::size_t>(problem.nodes[k].parent)].p = node.p - node.e * node.U;
  }
  storage.nodes[n - 1].dtwist = -storage.root.solve(storage.nodes[n - 1].p);
  for (std::size_t k = n - 1; k-- > 0;) {
    const Node<T>& link = problem.nodes[k];
    SweepNode<T>& node = storage.nodes[k];
    const Twist<T>& carried = storage.nodes[static_cast<std::size_t>(link.parent)].dtwist;
    node.dtwist = carried - (node.e + node.V.dot(carried)) * link.s;
  }
}

/// The point of the disc |t| <= radius where -(K t + h) lies in its normal cone; K symmetric and
/// positive: t = -K^-1 h, or on the rim -(K + y I)^-1 h with y > 0.
Eigen::Vector2d minimise_on_disc(const Eigen::Matrix2d& K, const Eigen::Vector2d& h,
                                 double radius) {
  if (!(radius > 0.0)) return Eigen::Vector2d::Zero();
  const auto at = [&](double y) -> Eigen::Vector2d {
    const double a = K(0, 0) + y;
    const double d = K(1, 1) + y;
    const double b = K(0, 1);
    const double det = a * d - b * b;
    return {(b * h.y() - d * h.x()) / det, (b * h.x() - a * h.y()) / det};
  };
  Eigen::Vector2d t = at(0.0);
  if (t.norm() <= radius) return t;
  // 1/|t(y)| is concave and nearly straight: Newton on 1/|t| = 1/radius from y = 0 rises to the
  // root.
  double y = 0.0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double norm = t.norm();
    const double a = K(0, 0) + y;
    const double d = K(1, 1) + y;
    const double b = K(0, 1);
    const double curvature =
        (d * t.x() * t.x() - 2.0 * b * t.x() * t.y() + a * t.y() * t.y()) / (a * d - b * b);
    const double step = norm * norm / curvature * (norm - radius) / radius;
    y += step;
    t = at(y);
    if (std::abs(step) <= 1e-15 * y) break;
  }
  return t * (radius / t.norm());
}

}  // namespace

template <int T>
SolveInfo solve_gauss_seidel(const ContactProblem<T>& problem, Solution<T>& solution,
                             SolverData<T>& data, const GaussSeidelOptions& options) {
  auto& storage = data.storage();
  storage.fit(problem);
  const std::size_t n = problem.nodes.size();
  const std::size_t contacts = problem.contacts.size();
  solution.resize(n, contacts);
  update_twists(problem, solution);
  storage.set_proximal(problem, options.law == Law::rigid ? 0.0 : 1.0);
  solution.proximal = storage.proximal;
  const double tolerance = options.tolerance * problem.impulse_scale;

  // Factors without contacts and limits, and the velocities with the impulses given.
  for (auto& law : storage.laws) law = LinearLaw{};
  eliminate(problem, solution, storage.laws.data(), 1.0, storage, false);
  eliminate_right_side<T>(problem, solution, storage);
  substitute<T>(problem, solution, storage, [](std::size_t, const Twist<T>&) {});

  // Rows: 3k … 3k + 2 for contact k, then the joints with a limit.
  std::vector<std::size_t>& limited = storage.limited;
  limited.clear();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (std::isfinite(problem.nodes[i].limit)) limited.push_back(i);
  }
  const std::size_t rows = 3 * contacts + limited.size();
  // Room for four contacts a link more than now, so that later steps do not allocate; all that
  // might ever come near would be too much for a matrix.
  if (storage.delassus.capacity() < rows * rows) {
    const std::size_t room = rows + 12 * n;
    storage.delassus.reserve(room * room);
    storage.velocity.reserve(room);
    storage.limited.reserve(n);
    storage.excess.reserve(n);
  }
  storage.delassus.resize(rows * rows);
  storage.velocity.resize(rows);
  storage.excess.assign(limited.size(), 0.0);
  const auto read = [&](auto&& twist_of, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
      const Node<T>& node = problem.nodes[i];
      for (int k = node.first_contact; k < node.first_contact + node.contact_count; ++k) {
        const auto index = static_cast<std::size_t>(k);
        const Contact<T>& contact = problem.contacts[index];
        const Twist<T>& u = twist_of(i);
        out[3 * index] = contact.w_N.dot(u);
        out[3 * index + 1] = contact.w_1.dot(u);
        out[3 * index + 2] = contact.w_2.dot(u);
      }
    }
    for (std::size_t j = 0; j < limited.size(); ++j) {
      const Node<T>& node = problem.nodes[limited[j]];
      const Twist<T> turn = twist_of(limited[j]) - twist_of(static_cast<std::size_t>(node.parent));
      out[3 * contacts + j] = node.s.dot(turn) / node.s.squaredNorm();
    }
  };
  const auto increment = [&](std::size_t i) -> const Twist<T>& { return storage.nodes[i].dtwist; };
  double* column = storage.delassus.data();
  for (std::size_t i = 0; i < n; ++i) {
    const Node<T>& node = problem.nodes[i];
    for (int k = node.first_contact; k < node.first_contact + node.contact_count; ++k) {
      const Contact<T>& contact = problem.contacts[static_cast<std::size_t>(k)];
      for (const Twist<T>* w : {&contact.w_N, &contact.w_1, &contact.w_2}) {
        respond(problem, i, *w, 0.0, storage);
        read(increment, column);
        column += rows;
      }
    }
  }
  for (const std::size_t i : limited) {
    respond<T>(problem, i, Twist<T>::Zero(), 1.0, storage);
    read(increment, column);
    column += rows;
  }
  read([&](std::size_t i) -> const Twist<T>& { return solution.twist[i]; },
       storage.velocity.data());

  const auto size = static_cast<Eigen::Index>(rows);
  const Eigen::Map<const Eigen::MatrixXd> D(storage.delassus.data(), size, size);
  Eigen::Map<Eigen::VectorXd> v(storage.velocity.data(), size);
  SolveInfo info;
  info.status = Status::not_converged;
  while (info.iterations < options.max_iterations) {
    ++info.iterations;
    for (std::size_t k = 0; k < contacts; ++k) {
      const Contact<T>& contact = problem.contacts[k];
      Impulse& P = solution.impulse[k];
      const auto row = static_cast<Eigen::Index>(3 * k);
      double N = contact.load;
      if (contact.shares_normal) {
        P.N = N = solution.impulse[k - 1].N;
      } else if (contact.unilateral) {
        const double alone = v(row) - D(row, row) * P.N;
        N = std::max(0.0, -(alone + contact.b) / (D(row, row) + contact.c));
      }
      if (N != P.N) v += (N - P.N) * D.col(row);
      P.N = N;
      if (!(contact.mu_max > 0.0)) continue;
      const Proximal& term = storage.proximal[k];
      Eigen::Matrix2d K = D.template block<2, 2>(row + 1, row + 1);
      const Eigen::Vector2d alone = v.template segment<2>(row + 1) - K * P.T;
      K.diagonal().array() += term.c_t;
      for (int axis = 0; axis < 2; ++axis) {
        if (K(axis, axis) == 0.0) K(axis, axis) = 1.0;  // no friction along it: its impulse is zero
      }
      const Eigen::Vector2d t = minimise_on_disc(K, alone - term.c_t * term.A, N);
      const Eigen::Vector2d change = t - P.T;
      v += change.x() * D.col(row + 1) + change.y() * D.col(row + 2);
      P.T = t;
    }
    for (std::size_t j = 0; j < limited.size(); ++j) {
      const Node<T>& node = problem.nodes[limited[j]];
      const auto row = static_cast<Eigen::Index>(3 * contacts + j);
      const double rate = v(row) - D(row, row) * storage.excess[j];
      const double missing = joint_impulse(node, rate) - (node.sr - node.sd * rate);
      const double x = missing / (1.0 - node.sd * D(row, row));
      v += (x - storage.excess[j]) * D.col(row);
      storage.excess[j] = x;
    }

    double worst = 0.0;
    for (std::size_t k = 0; k < contacts; ++k) {
      const auto row = static_cast<Eigen::Index>(3 * k);
      const Contact<T>& contact = problem.contacts[k];
      LinearLaw& law = storage.laws[k];
      linearise(contact, storage.proximal[k], solution.impulse[k], v(row), v(row + 1), v(row + 2),
                kProxR, scaled_r(contact, kProxR), law);
      if (!(law.residual <= worst)) worst = law.residual;
    }
    for (std::size_t j = 0; j < limited.size(); ++j) {
      const Node<T>& node = problem.nodes[limited[j]];
      const double rate = v(static_cast<Eigen::Index>(3 * contacts + j));
      const double given = node.sr - node.sd * rate + storage.excess[j];
      worst =
          std::max(worst, std::abs(joint_impulse(node, rate) - given) / joint_scale(problem, node));
    }
    info.residual = worst / problem.impulse_scale;
    if (!std::isfinite(worst)) {
      info.status = Status::non_finite;
      return info;
    }
    if (worst <= tolerance) {
      info.status = Status::ok;
      break;
    }
  }
  for (std::size_t j = 0; j < limited.size(); ++j) {
    storage.nodes[limited[j]].sr = problem.nodes[limited[j]].sr + storage.excess[j];
  }
  eliminate_right_side<T>(problem, solution, storage);
  substitute<T>(problem, solution, storage, [](std::size_t, const Twist<T>&) {});
  return info;
}

template SolveInfo solve_gauss_seidel<3>(const ContactProblem<3>&, Solution<3>&, SolverData<3>&,
                                         const GaussSeidelOptions&);
template SolveInfo solve_gauss_seidel<6>(const ContactProblem<6>&, Solution<6>&, SolverData<6>&,
                                         const GaussSeidelOptions&);

}  // namespace coluber::nonsmooth

#include "coluber/planar/force_map.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "coluber/core/assert.hpp"
#include "coluber/math/sincos.hpp"

#include "chain/links.hpp"
#include "problem.hpp"

// Everything is linear in the torques: the contact forces by (34), then the accelerations by
// (13)-(15). M_theta^-1 is never formed: the rows that are asked for, of the contacts and of the
// controlled links, are solved for, and multiplied from the left.
//
// Differs: the paper takes p for the centre of mass, where its K makes it the mean of the links'
// centres of gravity; for links of unequal mass (11) then contradicts (1).
// `Kinematics::centre_of_mass` has K_w = K_l (I - M E/m_T) in place of K_l.
// Differs: (31) leaves out what the link's rotation adds to the velocity of a contact away from its
// centre of gravity, and (33) that the contact slides along the link: l_i' = -v_t.
// `ContactAcceleration::point` has both: -s x' + c y' + l_i theta' = 0, and twice theta' v_t in its
// derivative.

namespace coluber::planar {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kAtRest = 1e-10;    // m/s: slower is no sliding
constexpr double kSingular = 1e-12;  // least over largest pivot
constexpr double kRounding = 1e-12;  // of a sum, relative to what was added up

void update_directions(const VectorXd& theta, VectorXd& s, VectorXd& c) {
  const auto n = static_cast<std::size_t>(theta.size());
  s.resize(theta.size());
  c.resize(theta.size());
  math::sincos(std::span(theta.data(), n), std::span(s.data(), n), std::span(c.data(), n));
}

void update_velocities(const ForceMapModel& model, const Instant& instant, const VectorXd& s,
                       const VectorXd& c, VectorXd& work, Columns& v) {
  v.resize(2, model.n());
  work = s.cwiseProduct(instant.theta_dot);
  v.row(0).transpose().noalias() = model.K.transpose() * work;
  work = -c.cwiseProduct(instant.theta_dot);
  v.row(1).transpose().noalias() = model.K.transpose() * work;
  v.colwise() += instant.p_dot;
}

/// M_theta of (13), lower half.
void update_inertia(const ForceMapModel& model, const VectorXd& s, const VectorXd& c, MatrixXd& M) {
  const Index n = model.n();
  M.resize(n, n);
  for (Index j = 0; j < n; ++j) {
    const Index k = n - j;
    M.col(j).tail(k) = model.V.col(j).tail(k).cwiseProduct(s(j) * s.tail(k) + c(j) * c.tail(k));
    M(j, j) += model.J(j);
  }
}

/// Row of M~ = S K^T S + C K^T C at a contact: -M~ theta' is the rotation's part of the velocity
/// across its link there.
void contact_row(const ForceMapModel& model, const VectorXd& s, const VectorXd& c,
                 const LinkContact& contact, ContactAcceleration form, Eigen::Ref<VectorXd> row) {
  const int i = contact.link;
  row = model.K.col(i).cwiseProduct(s(i) * s + c(i) * c);
  if (form == ContactAcceleration::point) row(i) -= contact.at;
}

/// M^-1 X, column by column: with all at once Eigen cuts the sums, and takes memory, as the caches
/// of the processor ask for.
void solve_columns(const Eigen::LLT<MatrixXd>& M, MatrixXd& X) {
  for (Index j = 0; j < X.cols(); ++j) {
    auto x = X.col(j);
    M.solveInPlace(x);
  }
}

void update_contacts(std::span<const LinkContact> contacts, const ForceMapModel& model,
                     double blend, ForceMapInfo& info, ForceMap& map) {
  const auto n_C = static_cast<Index>(contacts.size());
  map.v_t.resize(n_C);
  map.mu_tilde.resize(n_C);
  map.g.resize(2, n_C);
  map.normal.resize(2, n_C);
  info.at_rest = 0;
  for (Index k = 0; k < n_C; ++k) {
    const LinkContact& contact = contacts[static_cast<std::size_t>(k)];
    const int i = contact.link;
    COLUBER_ASSERT(i >= 0 && i < model.n() && std::abs(contact.gamma) == 1, i, contact.gamma);
    const Vector2d t{map.c(i), map.s(i)};
    map.normal.col(k) << -t.y(), t.x();
    map.v_t(k) = t.dot(map.v.col(i));  // (20)
    const bool slides = std::abs(map.v_t(k)) > kAtRest;
    if (!slides && contact.mu > 0.0) ++info.at_rest;
    const double sign = std::abs(map.v_t(k)) < blend ? map.v_t(k) / blend  //
                                                     : std::copysign(1.0, map.v_t(k));
    map.mu_tilde(k) = slides ? -contact.mu * contact.gamma * sign : 0.0;  // (21)
    map.g.col(k) = map.mu_tilde(k) * t + map.normal.col(k);               // (22)
  }
}

/// Contacts whose rows of A_f depend on each other, by the factorisation's last pivots: the last of
/// them where none is below the threshold.
std::vector<int> find_dependent(const Eigen::ColPivHouseholderQR<MatrixXd>& factor,
                                std::span<const LinkContact> contacts) {
  const Index n_C = factor.cols();
  const auto& R = factor.matrixR();
  const double largest = std::abs(R(0, 0));
  Index rank = 0;
  while (rank < n_C - 1 && std::abs(R(rank, rank)) > kSingular * largest) ++rank;
  VectorXd null = R.col(rank).head(rank);  // what the first rank columns add up to it
  if (rank > 0) {
    R.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(null);
  }
  std::vector<int> links;
  const auto& order = factor.colsPermutation().indices();
  for (Index k = 0; k <= rank; ++k) {
    if (k < rank && std::abs(null(k)) < 1e-6) continue;
    links.push_back(contacts[static_cast<std::size_t>(order(k))].link);
  }
  std::ranges::sort(links);
  return links;
}

/// F_u and f_0 from (34). False: A_f is singular.
bool solve_contacts(std::span<const LinkContact> contacts, ForceMapInfo& info, ForceMap& map) {
  const Index n_C = map.A_f.rows();
  const Index joints = map.A_u.cols();
  map.F_u.resize(n_C, joints);
  map.f_0.resize(n_C);
  info.regular = true;
  info.rcond = 1.0;
  info.dependent.clear();
  if (n_C == 0) return true;
  map.A_f_factor.compute(map.A_f);
  const auto pivots = map.A_f_factor.matrixR().diagonal().cwiseAbs();
  info.rcond = pivots(0) > 0.0 ? pivots.minCoeff() / pivots(0) : 0.0;
  info.regular = info.rcond > kSingular;
  if (!info.regular) {
    info.dependent = find_dependent(map.A_f_factor, contacts);
    return false;
  }
  map.F.resize(n_C, joints + 1);
  map.F.leftCols(joints) = map.A_u;
  map.F.rightCols<1>() = map.b_f;
  map.A_f_factor.householderQ().adjoint().applyThisOnTheLeft(map.F, map.work);
  for (Index j = 0; j < map.F.cols(); ++j) {
    map.A_f_factor.matrixR().triangularView<Eigen::Upper>().solveInPlace(map.F.col(j));
  }
  const auto& order = map.A_f_factor.colsPermutation().indices();
  for (Index k = 0; k < n_C; ++k) {
    map.F_u.row(order(k)) = map.F.row(k).head(joints);
    map.f_0(order(k)) = map.F(k, joints);
  }
  return true;
}

/// X^T D^T, D as in Holden II-D: what unit torques at the joints do.
void multiply_joints(const MatrixXd& X, Eigen::Ref<MatrixXd> out) {
  const Index joints = X.rows() - 1;
  for (Index j = 0; j < joints; ++j) out.col(j) = (X.row(j) - X.row(j + 1)).transpose();
}

}  // namespace

ForceMapModel make_force_map_model(const std::vector<Link>& links, Kinematics kinematics) {
  const auto n = static_cast<Index>(links.size());
  ForceMapModel model;
  model.kinematics = kinematics;
  model.m.resize(n);
  model.J.resize(n);
  model.l_h.resize(n);
  model.l_t.resize(n);
  for (Index i = 0; i < n; ++i) {
    const Link& link = links[static_cast<std::size_t>(i)];
    model.m(i) = link.m;
    model.J(i) = link.Theta;
    model.l_h(i) = chain::ahead(link);
    model.l_t(i) = chain::behind(link);
  }
  model.m_T = model.m.sum();

  // x_i - x_1 = sum over j of B_ij cos(theta_j); less its mean it is x_i - p = -(K^T cos(theta))_i.
  // The same as Holden's A_l^T (D D^T)^-1 D, or K_w, without an inverse.
  MatrixXd B = MatrixXd::Zero(n, n);
  for (Index i = 1; i < n; ++i) {
    B.row(i) = B.row(i - 1);
    B(i, i - 1) += model.l_h(i - 1);
    B(i, i) += model.l_t(i);
  }
  const VectorXd weights = kinematics == Kinematics::mean
                               ? VectorXd::Constant(n, 1.0 / static_cast<double>(n))
                               : VectorXd(model.m / model.m_T);
  model.K = ((weights.transpose() * B).replicate(n, 1) - B).transpose();
  model.H = model.K;  // K (I - M E/m_T)
  model.H.colwise() -= (model.K * model.m / model.m_T).eval();
  model.V = model.K * model.m.asDiagonal() * model.K.transpose();
  return model;
}

void compute_link_centres(const ForceMapModel& model, const Instant& instant, Columns& r) {
  VectorXd s;
  VectorXd c;
  update_directions(instant.theta, s, c);
  r.resize(2, model.n());
  r.row(0) = -c.transpose() * model.K;
  r.row(1) = -s.transpose() * model.K;
  r.colwise() += instant.p;
}

void compute_link_velocities(const ForceMapModel& model, const Instant& instant, Columns& v) {
  VectorXd s;
  VectorXd c;
  VectorXd work;
  update_directions(instant.theta, s, c);
  update_velocities(model, instant, s, c, work, v);
}

void place_instant(const ForceMapModel& model, const Columns& r, const Columns& v,
                   Instant& instant) {
  if (model.kinematics == Kinematics::mean) {
    instant.p = r.rowwise().mean();
    instant.p_dot = v.rowwise().mean();
  } else {
    instant.p = r * model.m / model.m_T;
    instant.p_dot = v * model.m / model.m_T;
  }
}

VectorXd compute_contact_rates(const ForceMapModel& model, const Instant& instant,
                               std::span<const LinkContact> contacts, ContactAcceleration form) {
  VectorXd s;
  VectorXd c;
  update_directions(instant.theta, s, c);
  VectorXd row(model.n());
  VectorXd rate(static_cast<Index>(contacts.size()));
  for (Index k = 0; k < rate.size(); ++k) {
    const LinkContact& contact = contacts[static_cast<std::size_t>(k)];
    contact_row(model, s, c, contact, form, row);
    rate(k) = -row.dot(instant.theta_dot) - s(contact.link) * instant.p_dot.x() +
              c(contact.link) * instant.p_dot.y();
  }
  return rate;
}

// About the centre of mass the kinetic energy has no mixed terms: (theta' M_theta theta' + m_T
// p'²)/2. Where p is the mean, velocities go there and back.
void project_velocities(const ForceMapModel& model, std::span<const LinkContact> contacts,
                        ContactAcceleration form, Instant& instant) {
  if (contacts.empty()) return;
  if (model.kinematics == Kinematics::mean) {
    std::vector<Link> links;
    for (Index i = 0; i < model.n(); ++i) {
      const double L = model.l_h(i) + model.l_t(i);
      links.push_back({.m = model.m(i),
                       .Theta = model.J(i),
                       .L = L,
                       .offset = 0.5 * (model.l_t(i) - model.l_h(i))});
    }
    const ForceMapModel weighted = make_force_map_model(links, Kinematics::centre_of_mass);
    Columns r;
    Columns v;
    compute_link_centres(model, instant, r);
    compute_link_velocities(model, instant, v);
    place_instant(weighted, r, v, instant);
    project_velocities(weighted, contacts, form, instant);
    compute_link_velocities(weighted, instant, v);
    place_instant(model, r, v, instant);
    return;
  }
  VectorXd s;
  VectorXd c;
  update_directions(instant.theta, s, c);
  const Index n = model.n();
  const auto n_C = static_cast<Index>(contacts.size());
  MatrixXd N(n + 2, n_C);  // velocity across the link at each contact = N^T (theta', p')
  for (Index k = 0; k < n_C; ++k) {
    const LinkContact& contact = contacts[static_cast<std::size_t>(k)];
    contact_row(model, s, c, contact, form, N.col(k).head(n));
    N.col(k).head(n) *= -1.0;
    N(n, k) = -s(contact.link);
    N(n + 1, k) = c(contact.link);
  }
  MatrixXd M;
  update_inertia(model, s, c, M);
  const Eigen::LLT<MatrixXd> factor(M);
  MatrixXd X = N;  // mass matrix^-1 N
  X.topRows(n) = factor.solve(N.topRows(n));
  X.bottomRows<2>() /= model.m_T;
  VectorXd q(n + 2);
  q << instant.theta_dot, instant.p_dot;
  const VectorXd impulse =
      (N.transpose() * X).completeOrthogonalDecomposition().solve(N.transpose() * q);
  q -= X * impulse;
  instant.theta_dot = q.head(n);
  instant.p_dot = q.tail<2>();
}

int compute_ground_load(const Model& model, const Instant& instant, const Columns& v,
                        GroundLoad& load, double blend) {
  const int n = model.n();
  load.set_zero(n);
  int at_rest = 0;
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const Vector2d share = load_share_of(model, link);
    Vector2d t;
    math::sincos(instant.theta(i), t.y(), t.x());
    const Vector2d across{-t.y(), t.x()};
    const double omega = instant.theta_dot(i);
    load.tau_r(i) = -model.c_R * link.m * model.g * omega;
    for (int p = 0; p < model.friction_points; ++p) {
      const double N = share(p) * link.m * model.g;
      const double a = friction_arm(model, i, p);
      const Vector2d gamma{t.dot(v.col(i)), across.dot(v.col(i)) + a * omega};
      const Vector2d scaled = model.mu_T.cwiseProduct(gamma);
      Vector2d force = -N * model.mu_V.cwiseProduct(gamma);  // Transeth (6.26)
      if (gamma.norm() > kAtRest) {
        const double norm = scaled.norm();  // Transeth (3.60): the point of the ellipse against it
        const double whole = gamma.norm() < blend ? gamma.norm() / blend : 1.0;
        if (norm > 0.0) force -= whole * N * model.mu_T.cwiseProduct(scaled) / norm;
      } else if (model.mu_T.maxCoeff() > 0.0) {
        ++at_rest;
      }
      load.f_r.col(i) += force.x() * t + force.y() * across;
      load.tau_r(i) += a * force.y();
    }
  }
  return at_rest;
}

ForceMapInfo update_force_map(const ForceMapModel& model, const Instant& instant,
                              std::span<const LinkContact> contacts,
                              std::span<const int> controlled, const GroundLoad& ground,
                              ContactAcceleration form, ForceMap& map, double blend) {
  const Index n = model.n();
  const auto n_C = static_cast<Index>(contacts.size());
  const auto n_d = static_cast<Index>(controlled.size());
  COLUBER_ASSERT(instant.theta.size() == n && instant.theta_dot.size() == n, instant.theta.size(),
                 instant.theta_dot.size(), n);
  ForceMapInfo info;
  const VectorXd& theta_dot = instant.theta_dot;
  update_directions(instant.theta, map.s, map.c);
  const VectorXd& s = map.s;
  const VectorXd& c = map.c;
  update_velocities(model, instant, s, c, map.t_1, map.v);
  update_contacts(contacts, model, blend, info, map);
  update_inertia(model, s, c, map.M_theta);
  map.M_theta_factor.compute(map.M_theta);

  // (13) without torques and contacts: tau_r + S H f_rx - C H f_ry - W theta'²
  map.f_ground = ground.f_r.rowwise().sum();
  map.load.resize(n);
  map.t_1.noalias() = model.H * ground.f_r.row(0).transpose();
  map.load = ground.tau_r + s.cwiseProduct(map.t_1);
  map.t_1.noalias() = model.H * ground.f_r.row(1).transpose();
  map.load -= c.cwiseProduct(map.t_1);
  map.t_1 = c.cwiseProduct(theta_dot.cwiseAbs2());
  map.t_2.noalias() = model.V * map.t_1;
  map.load -= s.cwiseProduct(map.t_2);
  map.t_1 = s.cwiseProduct(theta_dot.cwiseAbs2());
  map.t_2.noalias() = model.V * map.t_1;
  map.load += c.cwiseProduct(map.t_2);

  map.G.resize(n, n_C);
  map.R.resize(n, n_C);
  for (Index k = 0; k < n_C; ++k) {
    const LinkContact& contact = contacts[static_cast<std::size_t>(k)];
    const int i = contact.link;
    contact_row(model, s, c, contact, form, map.R.col(k));
    map.t_1 = model.H.col(i);
    map.t_1(i) -= contact.at;
    map.G.col(k) = map.t_1.cwiseProduct(map.g(0, k) * s - map.g(1, k) * c);
  }
  map.X_C = map.R;
  map.A_f.resize(n_C, n_C);
  map.A_u.resize(n_C, n - 1);
  map.b_f.resize(n_C);
  if (n_C > 0) {  // Eigen's products and solvers look at the first entry, also of nothing
    solve_columns(map.M_theta_factor, map.X_C);

    // (34)
    map.A_f.noalias() = map.X_C.transpose() * map.G;
    for (Index k = 0; k < n_C; ++k) {
      const Vector2d push = map.g.col(k) / model.m_T;
      map.A_f.col(k) -= map.normal.transpose().lazyProduct(push);
    }
    multiply_joints(map.X_C, map.A_u);
    // what torques cannot move is exactly zero, not rounding that a QP would take for a direction
    for (Index k = 0; k < n_C; ++k) {
      if (map.A_u.row(k).norm() <= kRounding * map.X_C.col(k).norm()) map.A_u.row(k).setZero();
    }
    map.b_f.noalias() = -map.X_C.transpose() * map.load;
    const Vector2d ground_push = map.f_ground / model.m_T;
    map.b_f += map.normal.transpose().lazyProduct(ground_push);
    // C K~ S - S K~ C + p'_x C + p'_y S, times theta': theta' v_t less what is centripetal
    map.t_1 = s.cwiseProduct(theta_dot.cwiseAbs2());
    map.t_2 = c.cwiseProduct(theta_dot.cwiseAbs2());
    const double sliding = form == ContactAcceleration::point ? 2.0 : 1.0;
    for (Index k = 0; k < n_C; ++k) {
      const int i = contacts[static_cast<std::size_t>(k)].link;
      map.b_f(k) += -sliding * theta_dot(i) * map.v_t(k) + c(i) * model.K.col(i).dot(map.t_1) -
                    s(i) * model.K.col(i).dot(map.t_2);
    }
  }
  if (!solve_contacts(contacts, info, map)) return info;

  // (46): rows of M_theta^-1 B = M_theta^-1 (D^T - G~ P^T A_f^-1 A_u) for the controlled links
  map.X_d.setZero(n, n_d);
  for (Index k = 0; k < n_d; ++k) map.X_d(controlled[static_cast<std::size_t>(k)], k) = 1.0;
  map.A_e.setZero(n_d + 2, n - 1);
  map.b_0.setZero(n_d + 2);
  map.T.resize(n_d, n_C);
  map.b_0.head<2>() = map.f_ground;
  if (n_C > 0) {
    map.A_e.topRows<2>().noalias() = map.g * map.F_u;
    map.b_0.head<2>().noalias() += map.g * map.f_0;
  }
  if (n_d > 0) {
    solve_columns(map.M_theta_factor, map.X_d);
    multiply_joints(map.X_d, map.A_e.bottomRows(n_d));
    map.b_0.tail(n_d).noalias() = -map.X_d.transpose() * map.load;
  }
  if (n_C > 0 && n_d > 0) {
    map.T.noalias() = map.X_d.transpose() * map.G;
    map.A_e.bottomRows(n_d).noalias() -= map.T * map.F_u;
    map.b_0.tail(n_d).noalias() -= map.T * map.f_0;
  }

  const double through_contacts = map.F_u.norm();
  for (Index j = 0; j < n_d + 2; ++j) {
    double added = through_contacts;
    if (j >= 2) added = map.X_d.col(j - 2).norm();
    if (j >= 2 && n_C > 0) added += map.T.row(j - 2).norm() * through_contacts;
    if (map.A_e.row(j).norm() <= kRounding * added) map.A_e.row(j).setZero();
  }
  return info;
}

void compute_contact_forces(const ForceMap& map, const VectorXd& u, VectorXd& f_C) {
  f_C = map.f_0;
  if (f_C.size() > 0) f_C.noalias() -= map.F_u * u;
}

void compute_accelerations(const ForceMapModel& model, const ForceMap& map, const VectorXd& u,
                           const VectorXd& f_C, VectorXd& theta_ddot, Vector2d& p_ddot) {
  const Index joints = model.n() - 1;
  theta_ddot = map.load;
  Vector2d push = map.f_ground;
  if (f_C.size() > 0) {
    theta_ddot.noalias() += map.G * f_C;
    push.noalias() += map.g * f_C;
  }
  theta_ddot.head(joints) += u;
  theta_ddot.tail(joints) -= u;
  map.M_theta_factor.solveInPlace(theta_ddot);
  p_ddot = push / model.m_T;
}

}  // namespace coluber::planar

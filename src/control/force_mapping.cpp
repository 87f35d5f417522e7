#include "coluber/control/force_mapping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "math/condition.hpp"

namespace coluber::control {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kMarginWidth = 1e-3;  // N
constexpr double kPulls = 1e-7;        // of a contact's force: one that pulls by less is rounded
constexpr double kMet = 1e-9;          // of the accelerations: a wish that misses by less is met

void require_size(const char* what, Index has, Index needs) {
  if (has == needs) return;
  throw Error(fmt::format("{} has {} entries, the force map needs {}", what, has, needs));
}

void require_positive(const char* what, const VectorXd& values) {
  for (const double value : values) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      throw Error(fmt::format("{}: expected a finite number > 0, got {}", what, value));
    }
  }
}

/// Of rows scaled to unit length.
int rank_of(const MatrixXd& rows) {
  MatrixXd scaled = rows.transpose();
  for (Index j = 0; j < scaled.cols(); ++j) scaled.col(j).normalize();
  Eigen::ColPivHouseholderQR<MatrixXd> qr(scaled);
  qr.setThreshold(qp::Options{}.rank_threshold);
  return static_cast<int>(qr.rank());
}

}  // namespace

Wish compute_wish(const WishLaw& law, const planar::Instant& instant) {
  Wish wish;
  wish.links = law.links;
  const Vector2d error = law.position ? Vector2d(instant.p - *law.position) : Vector2d::Zero();
  wish.centre = law.acceleration - law.kp * error - law.kd * (instant.p_dot - law.velocity);
  const auto n_d = static_cast<Index>(law.links.size());
  const auto of = [](const VectorXd& list, Index k, double otherwise) {
    return list.size() == 0 ? otherwise : list(k);
  };
  wish.angular.resize(n_d);
  for (Index k = 0; k < n_d; ++k) {
    const int i = law.links[static_cast<std::size_t>(k)];
    const double theta = instant.theta(i);
    wish.angular(k) = of(law.angular_acceleration, k, 0.0) -
                      law.kp_angle * (theta - of(law.angle, k, theta)) -
                      law.kd_angle * (instant.theta_dot(i) - of(law.rate, k, 0.0));
  }
  return wish;
}

std::vector<int> links_at_contacts(std::span<const planar::LinkContact> contacts, int n,
                                   bool last_leads) {
  std::vector<int> links{last_leads ? 0 : n - 1};
  const int ahead = last_leads ? 1 : -1;
  for (const planar::LinkContact& contact : contacts) {
    links.push_back(contact.link);
    const int next = contact.link + ahead;
    if (next >= 0 && next < n) links.push_back(next);
  }
  std::ranges::sort(links);
  const auto repeated = std::ranges::unique(links);
  links.erase(repeated.begin(), repeated.end());
  return links;
}

std::string_view to_string(MapStatus status) {
  switch (status) {
    case MapStatus::optimal:
      return "optimal";
    case MapStatus::slack:
      return "slack";
    case MapStatus::infeasible:
      return "infeasible";
    case MapStatus::failed:
      return "failed";
    case MapStatus::singular:
      break;
  }
  return "singular";
}

int status_number(MapStatus status) {
  switch (status) {
    case MapStatus::optimal:
      return 0;
    case MapStatus::slack:
      return 1;
    case MapStatus::infeasible:
      return 2;
    case MapStatus::failed:
      return 4;
    case MapStatus::singular:
      break;
  }
  return 5;
}

ForceMapping::ForceMapping(const std::vector<planar::Link>& links, ForceMappingOptions options)
    : model_(planar::make_force_map_model(links, options.kinematics)),
      options_(std::move(options)) {
  const Index joints = model_.n() - 1;
  if (joints < 1) throw Error("a force map needs at least two links");
  if (!(options_.u_max > 0.0)) {
    throw Error(fmt::format("u_max: expected a number > 0, got {}", options_.u_max));
  }
  require_positive("weight_torque", options_.weight_torque);
  require_positive("weight_slack", options_.weight_slack);
  if (options_.weight_torque.size() != 1) {
    require_size("weight_torque", options_.weight_torque.size(), joints);
  }
  result_.active.reserve(static_cast<std::size_t>(joints));
  touched_.reserve(static_cast<std::size_t>(joints) + 1);
  was_.reserve(static_cast<std::size_t>(joints) + 1);
  problem_.limit.setConstant(joints, options_.u_max);
  problem_.weight = options_.weight_torque.size() == 1
                        ? VectorXd::Constant(joints, options_.weight_torque(0))
                        : options_.weight_torque;
}

void ForceMapping::require_valid(const planar::Instant& instant,
                                 std::span<const planar::LinkContact> contacts, const Wish& wish,
                                 const planar::GroundLoad& ground) const {
  const Index n = model_.n();
  require_size("theta", instant.theta.size(), n);
  require_size("theta_dot", instant.theta_dot.size(), n);
  require_size("the ground's force", ground.f_r.cols(), n);
  require_size("the ground's torque", ground.tau_r.size(), n);
  require_size("the angular wish", wish.angular.size(), static_cast<Index>(wish.links.size()));
  const bool finite = instant.theta.allFinite() && instant.theta_dot.allFinite() &&
                      instant.p_dot.allFinite() && ground.f_r.allFinite() &&
                      ground.tau_r.allFinite() && wish.centre.allFinite() &&
                      wish.angular.allFinite();
  if (!finite) throw Error("the force map was given a number that is not finite");
  const auto require_link = [&](const char* what, int link, std::size_t times) {
    if (link < 0 || link >= n) {
      throw Error(fmt::format("{} {}: the robot has links 1 to {}", what, link + 1, n));
    }
    if (times > 1) throw Error(fmt::format("{} {} is named twice", what, link + 1));
  };
  for (const planar::LinkContact& contact : contacts) {
    const auto same = std::ranges::count(contacts, contact.link, &planar::LinkContact::link);
    require_link("contact link", contact.link, static_cast<std::size_t>(same));
    const Index i = contact.link;
    const double slack = 1e-9 * (model_.l_h(i) + model_.l_t(i));
    if (!(contact.at >= -model_.l_t(i) - slack && contact.at <= model_.l_h(i) + slack)) {
      throw Error(fmt::format("a contact {} m from the centre of gravity of link {} is not on it",
                              contact.at, i + 1));
    }
    if (std::abs(contact.gamma) != 1 || !(contact.mu >= 0.0) || !std::isfinite(contact.mu)) {
      throw Error(fmt::format("contact on link {}: expected gamma 1 or -1 and mu >= 0, got {}, {}",
                              i + 1, contact.gamma, contact.mu));
    }
  }
  for (const int link : wish.links) {
    require_link("controlled link", link,
                 static_cast<std::size_t>(std::ranges::count(wish.links, link)));
  }
}

void ForceMapping::clear_result() {
  const Index joints = model_.n() - 1;
  const Index n_C = map_.v_t.size();
  result_.u.setConstant(joints, kNone);
  result_.f_C.setConstant(n_C, kNone);
  result_.z.setConstant(problem_.b.size(), kNone);
  result_.active.clear();
  result_.force.setConstant(2, n_C, kNone);
  result_.constraint.setConstant(2, n_C, kNone);
  result_.power.setConstant(n_C, kNone);
  result_.theta_ddot.setConstant(model_.n(), kNone);
  result_.p_ddot.setConstant(kNone);
  result_.slack_weight = problem_.slack_weight;
  result_.effort = kNone;
  result_.kkt = kNone;
  result_.solvable = false;
}

/// Contacts that stay keep their place in the active set where others come and go.
void ForceMapping::carry_over(std::span<const planar::LinkContact> contacts) {
  if (std::ranges::equal(touched_, contacts, {}, {}, &planar::LinkContact::link)) return;
  was_.clear();
  for (const planar::LinkContact& contact : contacts) {
    const auto found = std::ranges::find(touched_, contact.link);
    was_.push_back(found == touched_.end() ? -1 : static_cast<int>(found - touched_.begin()));
  }
  solver_.renumber(was_);
}

void ForceMapping::save_state(ByteWriter& bytes) const {
  bytes.section("force map", 1);
  bytes.list(touched_, [&](int link) { bytes(link); });
  solver_.save_state(bytes);
}

void ForceMapping::restore_state(ByteReader& bytes) {
  bytes.section("force map", 1);
  std::vector<int> touched;
  bytes.list(touched, [&](int& link) { bytes(link); });
  solver_.restore_state(bytes);
  touched_ = std::move(touched);
}

const MapResult& ForceMapping::solve(const planar::Instant& instant,
                                     std::span<const planar::LinkContact> contacts,
                                     const Wish& wish, const planar::GroundLoad& ground,
                                     bool warm) {
  require_valid(instant, contacts, wish, ground);
  planar::ForceMapInfo info = planar::update_force_map(model_, instant, contacts, wish.links,
                                                       ground, options_.form, map_, options_.blend);
  const auto n_C = static_cast<Index>(contacts.size());
  const auto n_d = static_cast<Index>(wish.links.size());
  problem_.b.setZero(n_d + 2);
  problem_.slack_weight.resize(n_d + 2);
  problem_.slack_weight.head<2>().setConstant(options_.weight_slack(0));
  problem_.slack_weight.tail(n_d).setConstant(options_.weight_slack(1));
  clear_result();
  result_.at_rest = info.at_rest;
  std::swap(result_.dependent, info.dependent);
  if (!info.regular) {
    result_.status = MapStatus::singular;
    return result_;
  }

  // (53)-(56): A_e u + z = b_e, Gamma_C (f_0 - F_u u) >= 0, |u| <= u_max
  problem_.A = map_.A_e;
  problem_.b = map_.b_0;
  problem_.b.head<2>() -= model_.m_T * wish.centre;
  problem_.b.tail(n_d) += wish.angular;
  problem_.G.resize(n_C, model_.n() - 1);
  problem_.h.resize(n_C);
  for (Index k = 0; k < n_C; ++k) {
    const double gamma = contacts[static_cast<std::size_t>(k)].gamma;
    problem_.G.row(k) = gamma * map_.F_u.row(k);
    problem_.h(k) = gamma * map_.f_0(k);
  }
  if (warm) carry_over(contacts);
  touched_.clear();
  for (const planar::LinkContact& contact : contacts) touched_.push_back(contact.link);
  solver_.solve(problem_, options_.qp, solution_, warm);
  result_.solvable = solution_.solvable;
  result_.slack_weight = solution_.slack_weight;
  switch (solution_.status) {
    case qp::Status::optimal:
      result_.status = MapStatus::optimal;
      break;
    case qp::Status::slack:
      result_.status = MapStatus::slack;
      break;
    case qp::Status::infeasible:
      result_.status = MapStatus::infeasible;
      return result_;
    case qp::Status::failed:
      result_.status = MapStatus::failed;
      return result_;
  }
  result_.u = solution_.x.array() + 0.0;  // no -0
  result_.z = solution_.z;
  result_.kkt = solution_.kkt;
  result_.effort = result_.u.squaredNorm();
  const double at_limit = options_.u_max * (1.0 - 1e-9);
  for (Index j = 0; j < result_.u.size(); ++j) {
    if (std::abs(result_.u(j)) >= at_limit) result_.active.push_back(static_cast<int>(j));
  }
  planar::compute_contact_forces(map_, result_.u, result_.f_C);
  result_.f_C.array() += 0.0;  // no -0
  for (Index k = 0; k < n_C; ++k) {
    const double pressed = problem_.h(k) - problem_.G.row(k).dot(result_.u);
    const double scale =
        1.0 + std::abs(problem_.h(k)) + problem_.G.row(k).cwiseAbs().dot(result_.u.cwiseAbs());
    if (pressed >= -kPulls * scale) continue;
    clear_result();
    result_.status = MapStatus::failed;
    return result_;
  }
  planar::compute_accelerations(model_, map_, result_.u, result_.f_C, result_.theta_ddot,
                                result_.p_ddot);
  // a soft wish may be missed by what the QP calls optimal
  const double scale = 1.0 + result_.theta_ddot.cwiseAbs().maxCoeff();
  const double centre = result_.z.head<2>().cwiseAbs().maxCoeff() / model_.m_T;
  const double angles = n_d > 0 ? result_.z.tail(n_d).cwiseAbs().maxCoeff() : 0.0;
  if (std::max(centre, angles) > kMet * scale) result_.status = MapStatus::slack;
  for (Index k = 0; k < n_C; ++k) {
    result_.force.col(k) = result_.f_C(k) * map_.g.col(k) + Vector2d::Zero();  // no -0
    result_.constraint.col(k) = result_.f_C(k) * map_.normal.col(k) + Vector2d::Zero();
    result_.power(k) = result_.f_C(k) * map_.mu_tilde(k) * map_.v_t(k) + 0.0;  // no -0
  }
  return result_;
}

std::optional<double> ForceMapping::margin() {
  if (result_.status == MapStatus::singular || problem_.h.size() == 0 ||
      !std::isfinite(options_.u_max)) {
    return std::nullopt;
  }
  qp::Options hard = options_.qp;
  hard.slack = false;
  qp::Problem shifted = problem_;
  shifted.slack_weight.setConstant(hard.hard_from);
  qp::Solution answer;
  qp::Solver solver;
  const auto holds = [&](double t) {
    shifted.h = problem_.h.array() - t;
    solver.solve(shifted, hard, answer);
    return answer.status == qp::Status::optimal;
  };
  // no torque within the limits gets beyond these
  const VectorXd swing = options_.u_max * problem_.G.cwiseAbs().rowwise().sum();
  double low = (problem_.h - swing).minCoeff() - kMarginWidth;
  double high = (problem_.h + swing).minCoeff();
  if (holds(0.0)) {
    low = 0.0;
  } else if (!holds(low)) {
    return std::nullopt;
  } else {
    high = std::min(high, 0.0);
  }
  while (high - low > kMarginWidth) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;  // limits beyond what doubles tell apart
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

MapCondition ForceMapping::condition() const {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> inertia(map_.M_theta, Eigen::EigenvaluesOnly);
  const VectorXd& values = inertia.eigenvalues();  // ascending, of the lower half
  MapCondition condition{
      values(values.size() - 1) / values(0), math::compute_condition(map_.A_f), kNone, {}};
  if (result_.status == MapStatus::singular) return condition;
  condition.rank = rank_of(map_.A_e);
  // the least singular value of dependent rows is rounding
  if (*condition.rank == map_.A_e.rows()) condition.A_e = math::compute_condition(map_.A_e);
  return condition;
}

}  // namespace coluber::control

#include <algorithm>
#include <cmath>

#include "multibody/parts.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Vector3d;

/// A body as seen from the reference body: pose there, and motion against it in its own components.
struct Seen {
  Pose g{};
  Vector6d eta = Vector6d::Zero(), etadot = Vector6d::Zero();
};

/// Body j, found by its path from the root. Loops are few and small.
Seen look_at(const Model& model, const Data& data, int j) {
  if (j == 0) return {};
  const Seen parent = look_at(model, data, model.body(j).parent);
  const Pose& g = data.body[static_cast<std::size_t>(j)].g;
  const JointRate rate = joint_rate(model, j, data.rdot);
  Seen seen;
  seen.g = parent.g * g;
  seen.eta = math::to_child(g, parent.eta);
  add_joint(rate, seen.eta);
  seen.etadot = math::to_child(g, parent.etadot) + joint_bias(seen.eta, rate);
  add_joint(joint_rate(model, j, data.rddot), seen.etadot);
  return seen;
}

/// Position of a point of a body, and its velocity and acceleration, in the reference body's axes.
Vector3d place_of(const Seen& seen, const Vector3d& point) { return seen.g.p + seen.g.R * point; }
Vector3d acceleration_of(const Seen& seen, const Vector3d& point) {
  const Vector3d V = seen.eta.head<3>();
  const Vector3d Omega = seen.eta.tail<3>();
  const Vector3d v = V + Omega.cross(point);
  return seen.g.R * (seen.etadot.head<3>() + seen.etadot.tail<3>().cross(point) + Omega.cross(v));
}

/// Columns of W: velocity of a point with unit rate of each coordinate on its path.
void add_columns(const Model& model, const Data& data, int j, const Vector3d& point, double sign,
                 Eigen::Index row, Eigen::MatrixXd& W) {
  const Vector3d at = place_of(look_at(model, data, j), point);
  for (int body = j; body > 0; body = model.body(body).parent) {
    const Pose g = look_at(model, data, body).g;
    for (int k = model.first_of(body);
         k < model.first_of(body) + coordinates_of(model.body(body).joint); ++k) {
      const Vector6d A = screw(model, k);
      const Vector3d axis = g.R.col(2);
      const Vector3d velocity = A(2) > 0.0 ? axis : Vector3d{axis.cross(at - g.p)};
      W.block<3, 1>(row, k) += sign * velocity;
    }
  }
}

/// W of all coordinates, a triple of rows per loop, and the gaps.
void update_closure(const Model& model, Data& data) {
  data.W_a.setZero();
  for (std::size_t i = 0; i < model.loops.size(); ++i) {
    const Loop& loop = model.loops[i];
    const auto row = static_cast<Eigen::Index>(3 * i);
    add_columns(model, data, loop.a, loop.point_a, 1.0, row, data.W_a);
    add_columns(model, data, loop.b, loop.point_b, -1.0, row, data.W_a);
    data.closure.segment<3>(row) = place_of(look_at(model, data, loop.a), loop.point_a) -
                                   place_of(look_at(model, data, loop.b), loop.point_b);
  }
  for (std::size_t i = 0; i < model.passive.size(); ++i) {
    data.W_p.col(static_cast<Eigen::Index>(i)) = data.W_a.col(model.passive[i]);
  }
}

/// W_p = Q R by Gram and Schmidt, twice, longest columns first; nothing is allocated. The pivot
/// where the columns are dependent, else -1.
double factor_closure(Data& data) {
  data.W_q = data.W_p;
  data.W_r.setZero();
  const Eigen::Index count = data.W_q.cols();
  for (Eigen::Index k = 0; k < count; ++k) {
    data.W_order[static_cast<std::size_t>(k)] = static_cast<int>(k);
  }
  double largest = 0.0;
  for (Eigen::Index k = 0; k < count; ++k) {
    Eigen::Index best = k;
    for (Eigen::Index i = k + 1; i < count; ++i) {
      if (data.W_q.col(i).squaredNorm() > data.W_q.col(best).squaredNorm()) best = i;
    }
    if (best != k) {
      data.W_q.col(k).swap(data.W_q.col(best));
      data.W_r.col(k).head(k).swap(data.W_r.col(best).head(k));
      std::swap(data.W_order[static_cast<std::size_t>(k)],
                data.W_order[static_cast<std::size_t>(best)]);
    }
    const double size = data.W_q.col(k).norm();
    largest = std::max(largest, size);
    if (!(size > 1e-9 * largest)) return size;
    data.W_r(k, k) = size;
    data.W_q.col(k) /= size;
    for (Eigen::Index i = k + 1; i < count; ++i) {
      for (int twice = 0; twice < 2; ++twice) {
        const double part = data.W_q.col(k).dot(data.W_q.col(i));
        data.W_r(k, i) += part;
        data.W_q.col(i) -= part * data.W_q.col(k);
      }
    }
  }
  return -1.0;
}

/// `data.passive` with W_p passive = -closure, by least squares.
void solve_closure(Data& data) {
  const Eigen::Index count = data.W_q.cols();
  for (Eigen::Index k = count - 1; k >= 0; --k) {
    double value = -data.W_q.col(k).dot(data.closure);
    for (Eigen::Index i = k + 1; i < count; ++i) {
      value -= data.W_r(k, i) * data.passive(data.W_order[static_cast<std::size_t>(i)]);
    }
    data.passive(data.W_order[static_cast<std::size_t>(k)]) = value / data.W_r(k, k);
  }
}

}  // namespace

// W_a ṙ_a + W_p ṙ_p = 0  Ali (A.1), and its derivative.
Outcome update_loops(const Model& model, Data& data) {
  for (int k : model.passive) data.rdot(k) = data.rddot(k) = 0.0;
  update_closure(model, data);
  if (const double pivot = factor_closure(data); pivot >= 0.0) {
    return {Outcome::Kind::loop, model.passive.back() + 1, pivot, Vector3d::Zero()};
  }
  data.closure.noalias() = data.W_a * data.rdot;
  solve_closure(data);
  for (std::size_t i = 0; i < model.passive.size(); ++i) {
    data.rdot(model.passive[i]) = data.passive(static_cast<Eigen::Index>(i));
  }
  for (std::size_t i = 0; i < model.loops.size(); ++i) {
    const Loop& loop = model.loops[i];
    data.closure.segment<3>(static_cast<Eigen::Index>(3 * i)) =
        acceleration_of(look_at(model, data, loop.a), loop.point_a) -
        acceleration_of(look_at(model, data, loop.b), loop.point_b);
  }
  solve_closure(data);
  for (std::size_t i = 0; i < model.passive.size(); ++i) {
    data.rddot(model.passive[i]) = data.passive(static_cast<Eigen::Index>(i));
  }
  return {};
}

// τ_a = τ_a,tree - W_a^T W_p^{-T} τ_p,tree; passive joints give none.  Ali (A.3), (A.4)
// With W_p = Q R the forces of least norm are Q R^{-T} τ_p.
void reduce_loop_torques(const Model& model, Data& data) {
  data.lambda_loop.setZero();
  for (Eigen::Index k = 0; k < data.W_r.cols(); ++k) {
    const auto column = static_cast<std::size_t>(data.W_order[static_cast<std::size_t>(k)]);
    double value = data.tau(model.passive[column]);
    for (Eigen::Index i = 0; i < k; ++i) value -= data.W_r(i, k) * data.passive(i);
    data.passive(k) = value / data.W_r(k, k);
    data.lambda_loop += data.passive(k) * data.W_q.col(k);
  }
  for (int k = 0; k < model.coordinates; ++k) {
    data.tau(k) -= data.W_a.col(k).dot(data.lambda_loop);
  }
  for (int k : model.passive) data.tau(k) = 0.0;
}

Outcome close_loops(const Model& model, const Program& program, double t, Configuration& at,
                    Data& data) {
  if (model.passive.empty()) return {};
  program(t, data.input);
  data.r = data.input.r;
  data.rdot = data.input.rdot;
  for (std::size_t i = 0; i < model.followers.size(); ++i) {
    data.r(model.followers[i].coordinate) = at.follower(static_cast<Eigen::Index>(i));
  }
  double gap = 0.0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    for (std::size_t i = 0; i < model.passive.size(); ++i) {
      data.r(model.passive[i]) = at.passive(static_cast<Eigen::Index>(i));
    }
    update_poses(model, data);
    update_closure(model, data);
    gap = data.closure.cwiseAbs().maxCoeff();
    if (gap < 1e-14) return {};
    if (factor_closure(data) >= 0.0) break;
    solve_closure(data);
    if (!data.passive.allFinite()) break;
    at.passive += data.passive;
    if (data.passive.cwiseAbs().maxCoeff() < 1e-15) break;
  }
  if (gap < 1e-12) return {};
  return {Outcome::Kind::loop, model.passive.front() + 1, gap, Vector3d::Zero()};
}

}  // namespace coluber::multibody

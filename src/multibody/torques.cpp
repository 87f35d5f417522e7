#include <algorithm>
#include <cmath>

#include "multibody/parts.hpp"
#include "multibody/spatial.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Torques and forces out of the bodies' wrenches.  Ali (3.12)
void read_torques(const Model& model, Vector6d Data::Body::* wrench, Data& data) {
  for (std::size_t k = 0; k < model.body_of.size(); ++k) {
    const Data::Body& body = data.body[static_cast<std::size_t>(model.body_of[k])];
    data.tau(static_cast<Eigen::Index>(k)) = (body.*wrench)(model.axis_of[k]);
  }
}

/// What the wheels of each body forbid it.
void update_forbidden(const Model& model, Data& data) {
  for (const Wheel& wheel : model.wheels) {
    data.forbidden[static_cast<std::size_t>(wheel.body)].rank = 0;
  }
  for (std::size_t w = 0; w < model.wheels.size(); ++w) {
    if (!model.wheels[w].holds()) continue;
    Data::Forbidden& forbidden = data.forbidden[static_cast<std::size_t>(model.wheels[w].body)];
    const Vector3d& row = data.wheel[w].across;
    Vector3d rest = row;
    for (int i = 0; i < forbidden.rank; ++i) {
      rest -= forbidden.q.row(i).dot(rest) * forbidden.q.row(i).transpose();
    }
    if (forbidden.rank == 3 || !(rest.norm() > 1e-9 * row.norm())) continue;
    forbidden.q.row(forbidden.rank++) = rest.normalized().transpose();
  }
}

/// The part of a wrench on a wheeled body that lies in the twists its wheels allow.
void project(const Data::Forbidden& forbidden, Vector6d& F) {
  if (forbidden.rank == 0) return;
  Vector3d f = in_plane(F);
  for (int i = 0; i < forbidden.rank; ++i) {
    f -= forbidden.q.row(i).dot(f) * forbidden.q.row(i).transpose();
  }
  F = from_plane(f);
}

// Reduced recursions (3.83), (3.85), written with full wrenches: F_j = P_j (M_j η̇_j - F_in + Σ Ad^T
// F), P_j = H_j H_j^T. As H^T M (H η̇_r + Ḣ η_r) is H^T M η̇, no derivative of H is left.
//
// Differs: (3.81) takes the wrench across V_j for zero, which does not follow from the mechanics:
// the power of these torques is off wherever a joint carries ground forces of bodies behind it.
void update_projective(const Model& model, Data& data) {
  if (model.planar) update_forbidden(model, data);
  for (int j = 0; j < model.size(); ++j) {
    Data::Body& body = data.body[static_cast<std::size_t>(j)];
    put(inertia_times(model, j, body.etadot) - six(body.F_in), body.F_plus);
  }
  for (int j = model.size() - 1; j >= 1; --j) {
    const auto at = static_cast<std::size_t>(j);
    Data::Body& body = data.body[at];
    if (model.planar) project(data.forbidden[at], body.F_plus);
    add(carry_in(body.g, six(body.F_plus)),
        data.body[static_cast<std::size_t>(model.node(j).parent)].F_plus);
  }
  read_torques(model, &Data::Body::F_plus, data);
  // What is left at the root, in the twists that its wheels allow, beside the motors' forces.
  if (model.planar) {
    for (int w : model.driven) {
      const Vector3d& along = data.wheel[static_cast<std::size_t>(w)].along;
      data.body[0].F_plus -= from_plane(data.Gamma(w) / model.wheel(w).radius * along);
    }
    project(data.forbidden[0], data.body[0].F_plus);
    data.root_residual = in_plane(data.body[0].F_plus).cwiseAbs().maxCoeff();
  }
}

/// Rows of all forces that wheels can supply, over the roots of their weights.
int update_force_rows(const Model& model, bool prestressed, Data& data) {
  data.to_root[0] = Pose{};
  for (int j : model.wheel_bodies) {
    const auto at = static_cast<std::size_t>(j);
    data.to_root[at] =
        data.to_root[static_cast<std::size_t>(model.node(j).parent)] * data.body[at].g;
  }
  int row = 0;
  const auto add_row = [&](const Vector3d& a, double weight, double prestress) {
    const double root = std::sqrt(weight);
    const double inverse = 1.0 / root;
    data.weight(row) = root;
    for (int i = 0; i < 3; ++i) data.A_all(row, i) = inverse * a(i);
    data.force(row) = prestress * root;
    ++row;
  };
  for (std::size_t w = 0; w < model.wheels.size(); ++w) {
    const Wheel& wheel = model.wheels[w];
    if (!wheel.holds()) continue;
    Data::WheelCovectors& each = data.wheel[w];
    const Six at_root =
        carry_in(data.to_root[static_cast<std::size_t>(wheel.body)],
                 Six{{each.across.x(), each.across.y(), 0.0}, {0.0, 0.0, each.across.z()}});
    each.across_at_root = {at_root.linear.x, at_root.linear.y, at_root.angular.z};
    add_row(each.across_at_root, wheel.weight, prestressed ? wheel.prestress : 0.0);
  }
  if (model.drive) {  // one torque for all driven wheels
    Vector3d shared = Vector3d::Zero();
    for (int w : model.driven) {
      shared += data.wheel[static_cast<std::size_t>(w)].along / model.wheel(w).radius;
    }
    add_row(shared, 1.0, 0.0);
  } else {
    for (int w : model.driven) {
      add_row(data.wheel[static_cast<std::size_t>(w)].along, model.wheel(w).weight, 0.0);
    }
  }
  return row;
}

/// Forces of least weighted norm with A^T λ = F, and what of the prestress does not change F.
/// `data.A_all` is replaced by an orthonormal basis of its columns.
void solve_forces(int rows, const Vector3d& F, Data& data) {
  auto Q = data.A_all.topRows(rows);
  Matrix3d R = Matrix3d::Zero();  // A = Q R, columns in the order of `column`
  int column[3] = {0, 1, 2};
  int rank = 0;
  double largest = 0.0;
  for (; rank < 3; ++rank) {
    int best = rank;
    for (int k = rank + 1; k < 3; ++k) {
      if (Q.col(column[k]).norm() > Q.col(column[best]).norm()) best = k;
    }
    std::swap(column[rank], column[best]);
    R.col(rank).head(rank).swap(R.col(best).head(rank));
    const double size = Q.col(column[rank]).norm();
    largest = std::max(largest, size);
    if (!(size > 1e-10 * largest)) break;
    R(rank, rank) = size;
    Q.col(column[rank]) /= size;
    for (int k = rank + 1; k < 3; ++k) {
      for (int twice = 0; twice < 2; ++twice) {
        const double part = Q.col(column[rank]).dot(Q.col(column[k]));
        R(rank, k) += part;
        Q.col(column[k]) -= part * Q.col(column[rank]);
      }
    }
  }
  // R^T y = F, in the order of the columns; μ = Q y
  Vector3d y = Vector3d::Zero();
  for (int k = 0; k < rank; ++k) {
    double value = F(column[k]);
    for (int i = 0; i < k; ++i) value -= R(i, k) * y(i);
    y(k) = value / R(k, k);
  }
  for (int k = 0; k < rank; ++k) {
    const double held = Q.col(column[k]).dot(data.force.head(rows));
    data.force.head(rows) -= held * Q.col(column[k]);
  }
  for (int k = 0; k < rank; ++k) data.force.head(rows) += y(k) * Q.col(column[k]);
  data.force.head(rows).array() /= data.weight.head(rows).array();
}

/// λ and Γ out of the solved forces, and the torques less B^T λ. Wheels are on level ground and
/// what carries them turns about upright axes or slides along level ones: all of it is in the
/// plane. `data.ground[0]` is A^T λ.
void spread_forces(const Model& model, Data& data) {
  data.ground[0].setZero();
  for (int j : model.wheel_bodies) data.ground[static_cast<std::size_t>(j)].setZero();
  int row = 0;
  for (std::size_t w = 0; w < model.wheels.size(); ++w) {
    const Wheel& wheel = model.wheels[w];
    if (!wheel.holds()) continue;
    const double lambda = data.force(row++);
    data.lambda(static_cast<Eigen::Index>(w)) = lambda;
    data.ground[static_cast<std::size_t>(wheel.body)] += lambda * data.wheel[w].across_at_root;
  }
  for (int w : model.driven) {
    const Wheel& wheel = model.wheel(w);
    data.Gamma(w) = model.drive ? data.force(row) : wheel.radius * data.force(row++);
    data.ground[0] += data.Gamma(w) / wheel.radius * data.wheel[static_cast<std::size_t>(w)].along;
  }
  for (auto j = model.wheel_bodies.rbegin(); j != model.wheel_bodies.rend(); ++j) {
    const auto at = static_cast<std::size_t>(*j);
    const Node& node = model.nodes[at];
    const Vector3d& F = data.ground[at];
    const Pose& g = data.to_root[at];
    if (node.joint == Joint::revolute) {
      data.tau(node.first) -= g.R(2, 2) * (g.p.y() * F.x() - g.p.x() * F.y() + F.z());
    } else if (node.joint == Joint::prismatic) {
      data.tau(node.first) -= g.R(0, 2) * F.x() + g.R(1, 2) * F.y();
    }
    data.ground[static_cast<std::size_t>(node.parent)] += F;
  }
}

/// Powers of motors and contacts, and the largest term of the balance.
void update_powers(const Model& model, Data& data) {
  data.power_servo = 0.0;
  data.power_contact = model.base_imposed ? data.F_c.dot(data.eta_o) : 0.0;
  data.power_scale = std::max({std::abs(data.power_energy), std::abs(data.power_friction),
                               std::abs(data.power_gravity), std::abs(data.power_contact)});
  const auto add = [&](double power, double& sum) {
    sum += power;
    data.power_scale = std::max(data.power_scale, std::abs(power));
  };
  for (int k = 0; k < model.coordinates; ++k) add(data.tau(k) * data.rdot(k), data.power_servo);
  for (int w = 0; w < static_cast<int>(model.wheels.size()); ++w) {
    if (model.wheel(w).driven) add(data.Gamma(w) * data.thetadot(w), data.power_servo);
    if (model.wheel(w).holds()) add(data.lambda(w) * data.slip(w), data.power_contact);
  }
}

}  // namespace

// Inverse dynamics (3.11) without wheel forces leaves the wrench F_c that the ground has to supply;
// the wheels' forces are the solution of least norm of A^T λ = F_c, and τ = τ_free - B^T λ.
// Ali (7.1)-(7.3)
//
// Differs: Γ is the motor's torque on the wheel, so that Γ θ̇ is what it delivers; (3.86) prints the
// sign of the reaction on the body. (3.72) drops the bias accelerations, which F_c has.
void update_torques(const Model& model, const EvaluateOptions& options, Data& data) {
  data.power_energy = 0.0;
  Three force{0.0, 0.0, 0.0};  // largest, by component
  Three moment = force;
  const auto widen = [](Three& largest, const Three& a, const Three& b) {
    largest.x = std::max({largest.x, std::abs(a.x), std::abs(b.x)});
    largest.y = std::max({largest.y, std::abs(a.y), std::abs(b.y)});
    largest.z = std::max({largest.z, std::abs(a.z), std::abs(b.z)});
  };
  for (int j = 0; j < model.size(); ++j) {
    Data::Body& body = data.body[static_cast<std::size_t>(j)];
    const Six inertial = inertia_times(model, j, body.etadot);
    const Six F_in = six(body.F_in);
    data.power_energy += dot(six(body.eta), inertial);
    put(inertial - F_in, body.F);
    widen(force, inertial.linear, F_in.linear);
    widen(moment, inertial.angular, F_in.angular);
  }
  data.wrench_scale = std::max({force.x, force.y, force.z, moment.x, moment.y, moment.z});
  for (int j = model.size() - 1; j >= 1; --j) {
    const Data::Body& body = data.body[static_cast<std::size_t>(j)];
    add(carry_in(body.g, six(body.F)), data.body[static_cast<std::size_t>(model.node(j).parent)].F);
  }
  data.F_c = data.body[0].F;
  read_torques(model, &Data::Body::F, data);
  data.root_residual = 0.0;
  if (model.planar) {
    const int rows = update_force_rows(model, options.loads, data);
    solve_forces(rows, in_plane(data.F_c), data);
    spread_forces(model, data);
    data.root_residual = (in_plane(data.F_c) - data.ground[0]).cwiseAbs().maxCoeff();
  } else if (!model.base_imposed) {
    data.root_residual = data.F_c.cwiseAbs().maxCoeff();
  }
  if (options.projective) update_projective(model, data);
  if (!model.passive.empty()) reduce_loop_torques(model, data);
  update_powers(model, data);
}

}  // namespace coluber::multibody

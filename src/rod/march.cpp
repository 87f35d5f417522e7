#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "coluber/rod/data.hpp"

#include "rod/adaptive.hpp"
#include "rod/gauss.hpp"
#include "rod/parts.hpp"

namespace coluber::rod {

namespace {

using Eigen::Vector3d;

template <std::size_t S>
using StagePoses = std::array<Pose, S + 1>;  // at the Gauss points, then at the element's end

/// Poses within an element of length h, from its start.  Ali (5.11)
///
/// Magnus' series of the strain that is linear between the Gauss points: over [0, c h] it gives
/// exp(∫ξ + √3 h² c³/12 [ξ_1, ξ_2]), which at c = 1 is of order 4. The errors of the inner poses
/// are of order 3 and cancel in the Gauss sums.
void place_stages(const std::array<const Vector6d*, 2>& xi, double h, StagePoses<2>& g) {
  constexpr auto& rule = gauss<2>;
  const Vector6d twist = (gauss_roots::r3 / 12.0 * h * h) * bracket(*xi[0], *xi[1]);
  for (std::size_t i = 0; i < 2; ++i) {
    const double c = rule.c[i];
    g[i] = math::exp(
        Vector6d(h * rule.a[i][0] * *xi[0] + h * rule.a[i][1] * *xi[1] + (c * c * c) * twist));
  }
  g[2] = math::exp(Vector6d(0.5 * h * (*xi[0] + *xi[1]) + twist));
}

/// The same with three points: collocation of σ' = dexp⁻¹_σ ξ, g = exp(σ). Each round gains an
/// order of h over the start's third.
void place_stages(const std::array<const Vector6d*, 3>& xi, double h, StagePoses<3>& g) {
  constexpr auto& rule = gauss<3>;
  std::array<Vector6d, 3> sigma;
  std::array<Vector6d, 3> slope{*xi[0], *xi[1], *xi[2]};
  const auto sum = [&](const std::array<double, 3>& weights) {
    return Vector6d(h * (weights[0] * slope[0] + weights[1] * slope[1] + weights[2] * slope[2]));
  };
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < 3; ++i) sigma[i] = sum(rule.a[i]);
    for (std::size_t i = 0; i < 3; ++i) slope[i] = math::dexp_inverse(sigma[i], *xi[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) g[i] = math::exp(sum(rule.a[i]));
  g[3] = math::exp(sum(rule.b));
}

/// Finite, and no section has turned inside out.
bool is_sound(const Strains& at) {
  // One sum: a NaN or an infinity stays in it.
  const double sum = at.xi.sum() + at.xidot.sum() + at.xiddot.sum();
  return std::isfinite(sum) && at.xi(0) > 0.0;
}

template <std::size_t S>
Fault march_shape(Data& data) {
  constexpr const Gauss<S>& rule = gauss<S>;
  Point* a = data.points.data();
  a->h = Pose{};
  a->y.setZero();
  StagePoses<S> stage;
  const std::size_t elements = data.points.size() - 1;
  for (std::size_t e = 0; e < elements; ++e, ++a) {
    const double h = a[1].X - a->X;
    Node* node = &data.nodes[S * e];
    const Strains* strain = &data.strains[S * e];
    std::array<const Vector6d*, S> xi;
    for (std::size_t i = 0; i < S; ++i) {
      if (!is_sound(strain[i])) {
        data.bad_X = data.node_X[S * e + i];
        return Fault::strain;
      }
      xi[i] = &strain[i].xi;
    }
    place_stages(xi, h, stage);
    for (std::size_t i = 0; i < S; ++i) {
      node[i].h = a->h * stage[i];
      node[i].ydot = twist_to_head(node[i].h, strain[i].xidot);
      node[i].yddot = twist_to_head(node[i].h, strain[i].xiddot);
    }
    a[1].h = a->h * stage[S];
    Vector6d whole = a->y;
    for (std::size_t i = 0; i < S; ++i) {
      node[i].y = a->y;
      for (std::size_t j = 0; j < S; ++j) node[i].y += (h * rule.a[i][j]) * node[j].ydot;
      whole += (h * rule.b[i]) * node[i].ydot;
    }
    a[1].y = whole;
  }
  return Fault::none;
}

template <std::size_t S>
void march_motion(const Model& model, Data& data) {
  constexpr const Gauss<S>& rule = gauss<S>;
  const SectionInertia inertia(model);
  const Vector3d gravity = data.g_o.R.transpose() * model.gravity;
  const bool forces = !model.forces.empty() || !gravity.isZero(0.0);
  Composite M_o;
  Vector6d F_o = data.loads.F_minus;
  Vector6d momentum = Vector6d::Zero();
  Point* a = data.points.data();
  a->z.setZero();
  const std::size_t elements = data.points.size() - 1;
  for (std::size_t e = 0; e < elements; ++e, ++a) {
    const double h = a[1].X - a->X;
    Node* node = &data.nodes[S * e];
    std::array<Vector6d, S> eta;
    std::array<Vector6d, S> slope;
    for (std::size_t i = 0; i < S; ++i) {
      eta[i] = data.eta_o + node[i].y;
      slope[i] = node[i].yddot - bracket(node[i].ydot, eta[i]);
    }
    Vector6d whole = a->z;
    for (std::size_t i = 0; i < S; ++i) {
      Vector6d z = a->z;
      for (std::size_t j = 0; j < S; ++j) z += (h * rule.a[i][j]) * slope[j];
      whole += (h * rule.b[i]) * slope[i];
      const double weight = h * rule.b[i];
      const Vector6d pi = inertia(node[i].h, eta[i]);
      Vector6d F = dual_bracket(eta[i], pi) - inertia(node[i].h, z);
      if (forces) {
        const SectionForce force = compute_section_force(model, node[i].h, eta[i], gravity);
        F += force.wrench;
        data.power_friction += weight * force.friction;
        data.power_gravity += weight * force.gravity;
      }
      node[i].F = F;
      F_o += weight * F;
      momentum += weight * pi;
      data.energy += 0.5 * weight * pi.dot(eta[i]);
      data.power_energy += weight * pi.dot(z);
      M_o.add(weight, model.M, node[i].h);
    }
    a[1].z = whole;
  }
  M_o.write(data.M_o);
  data.momentum = momentum;
  data.F_o = F_o;
}

template <std::size_t S>
void march_internal(const Model& model, Data& data) {
  constexpr const Gauss<S>& rule = gauss<S>;
  const SectionInertia inertia(model);
  Vector6d Lambda = -data.loads.F_minus;  // in the head's axes
  double power = 0.0;
  auto next = data.contacts.begin();
  const std::size_t elements = data.points.size() - 1;
  for (std::size_t e = 0; e <= elements; ++e) {
    Point& a = data.points[e];
    a.Lambda = wrench_to_section(a.h, Lambda);
    while (next != data.contacts.end() && static_cast<std::size_t>(next->point) == e) {
      Lambda -= math::to_parent(a.h, next->wrench);
      ++next;
    }
    if (e == elements) break;
    const double h = data.points[e + 1].X - a.X;
    const Node* node = &data.nodes[S * e];
    std::array<Vector6d, S> slope;
    for (std::size_t i = 0; i < S; ++i) {
      slope[i] = inertia(node[i].h, data.etadot_o) - node[i].F;
    }
    Vector6d whole = Lambda;
    for (std::size_t i = 0; i < S; ++i) {
      Vector6d at = Lambda;
      for (std::size_t j = 0; j < S; ++j) at += (h * rule.a[i][j]) * slope[j];
      power -= h * rule.b[i] * at.dot(node[i].ydot);
      whole += (h * rule.b[i]) * slope[i];
    }
    Lambda = whole;
  }
  data.actuator_power = power;
  data.end_residual = (wrench_to_section(data.points.back().h, Lambda) - data.loads.F_plus).norm();
}

}  // namespace

SectionForce compute_section_force(const Model& model, const Pose& h, const Vector6d& eta,
                                   const Vector3d& gravity) {
  SectionForce out;
  const Vector3d N = model.m * gravity;
  out.wrench << N, h.p.cross(N);
  out.gravity = out.wrench.dot(eta);
  if (model.forces.empty()) return out;
  const Vector6d own = math::to_child(h, eta);
  Vector6d sum = Vector6d::Zero();
  for (const Force& force : model.forces) {
    Vector6d c;
    c << force.c_along, force.c_across, force.c_across, Vector3d::Constant(force.c_turn);
    switch (force.law) {
      case ForceLaw::viscous:
        sum -= c.cwiseProduct(own);
        break;
      case ForceLaw::quadratic:
        sum -= c.cwiseProduct(own.cwiseAbs()).cwiseProduct(own);
        break;
      case ForceLaw::coulomb_smooth: {
        const double v =
            std::sqrt(own(0) * own(0) + own(1) * own(1) + force.v_smooth * force.v_smooth);
        sum(0) -= force.load * force.mu_along * own(0) / v;
        sum(1) -= force.load * force.mu_across * own(1) / v;
        break;
      }
    }
  }
  out.friction = sum.dot(own);
  out.wrench += math::to_parent(h, sum);
  return out;
}

Data::Data(const Model& model, int contact_count) {
  const auto n = static_cast<std::size_t>(model.elements);
  const auto p = static_cast<std::size_t>(contact_count);
  const std::size_t stages = model.space == Space::magnus4        ? 2
                             : model.space == Space::collocation6 ? 3
                                                                  : 0;
  points.resize(n + 1 + p);
  nodes.resize(stages * (n + p));
  node_X.resize(stages * (n + p));
  strains.resize(stages * (n + p));
  section_point.resize(n + 1);
  contacts.resize(p);
  for (std::size_t i = 0; i < p; ++i) {
    contacts[i].id = static_cast<int>(i);
    contacts[i].X = (static_cast<double>(i) + 0.5) * model.l / contact_count;
  }
  if (model.space == Space::adaptive) marching = std::make_unique<Marching>(model);
  place_contacts(model, *this);
}

Data::~Data() = default;

std::size_t Data::bytes() const {
  return points.size() * sizeof(Point) + nodes.size() * (sizeof(Node) + sizeof(Strains)) +
         node_X.size() * sizeof(double) + section_point.size() * sizeof(int) +
         contacts.size() * sizeof(Contact) + sizeof(Data);
}

void place_contacts(const Model& model, Data& data) {
  data.shape_of = nullptr;
  // Few, and nearly in order: insertion is enough.
  std::vector<Contact>& contacts = data.contacts;
  for (std::size_t i = 1; i < contacts.size(); ++i) {
    for (std::size_t j = i; j > 0 && contacts[j].X < contacts[j - 1].X; --j) {
      std::swap(contacts[j], contacts[j - 1]);
    }
  }
  std::size_t next = 0;
  std::size_t at = 0;
  for (int i = 0; i <= model.elements; ++i) {
    const double X = i == model.elements ? model.l : model.l * i / model.elements;
    for (; next < contacts.size() && contacts[next].X < X; ++next, ++at) {
      contacts[next].point = static_cast<int>(at);
      data.points[at].X = contacts[next].X;
    }
    data.section_point[static_cast<std::size_t>(i)] = static_cast<int>(at);
    data.points[at++].X = X;
  }
  for (; next < contacts.size(); ++next, ++at) {  // at the very end
    contacts[next].point = static_cast<int>(at);
    data.points[at].X = model.l;
  }
  const auto fill = [&](const auto& rule) {
    std::size_t out = 0;
    for (std::size_t e = 0; e + 1 < data.points.size(); ++e) {
      const double X = data.points[e].X;
      for (double c : rule.c) data.node_X[out++] = X + c * (data.points[e + 1].X - X);
    }
  };
  if (model.space == Space::magnus4) fill(gauss<2>);
  if (model.space == Space::collocation6) fill(gauss<3>);
}

Fault update_shape(const Model& model, const StrainLaw& strain, double t, Data& data) {
  if (data.shape_of == &strain && data.shape_t == t) return Fault::none;
  data.shape_of = nullptr;
  Fault fault = Fault::none;
  if (model.space == Space::adaptive) {
    fault = update_shape_adaptive(model, strain, t, data);
  } else {
    strain.evaluate(t, data.node_X, data.strains);
    fault = model.space == Space::magnus4 ? march_shape<2>(data) : march_shape<3>(data);
  }
  if (fault != Fault::none) return fault;
  data.shape_of = &strain;
  data.shape_t = t;
  return Fault::none;
}

Fault update_motion(const Model& model, const StrainLaw& strain, double t, const Pose& g_o,
                    const Vector6d& eta_o, Data& data) {
  data.g_o = g_o;
  data.eta_o = eta_o;
  data.energy = data.power_energy = data.power_friction = data.power_gravity = 0.0;
  if (model.space == Space::adaptive) {
    if (const Fault fault = update_motion_adaptive(model, strain, t, data); fault != Fault::none) {
      return fault;
    }
  } else if (model.space == Space::magnus4) {
    march_motion<2>(model, data);
  } else {
    march_motion<3>(model, data);
  }
  const Point& tail = data.points.back();
  data.F_o += math::to_parent(tail.h, data.loads.F_plus);
  data.energy_slope = data.power_energy;
  return std::isfinite(data.F_o.sum() + data.M_o.sum()) ? Fault::none : Fault::not_finite;
}

Fault update_internal(const Model& model, const StrainLaw& strain, double t, Data& data) {
  if (model.space == Space::adaptive) {
    const Fault fault = update_internal_adaptive(model, strain, t, data);
    if (fault != Fault::none) return fault;
  } else if (model.space == Space::magnus4) {
    march_internal<2>(model, data);
  } else {
    march_internal<3>(model, data);
  }
  const Point& tail = data.points.back();
  data.power_energy = data.energy_slope + data.momentum.dot(data.etadot_o);
  data.power_ends = data.loads.F_minus.dot(data.eta_o) + data.loads.F_plus.dot(data.twist(tail));
  data.power_contact = 0.0;
  for (const Contact& contact : data.contacts) {
    data.power_contact +=
        contact.wrench.dot(data.twist(data.points[static_cast<std::size_t>(contact.point)]));
  }
  return std::isfinite(data.end_residual + data.actuator_power) ? Fault::none : Fault::not_finite;
}

}  // namespace coluber::rod

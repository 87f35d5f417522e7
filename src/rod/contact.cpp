#include "coluber/rod/contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rod/gauss.hpp"
#include "rod/parts.hpp"

namespace coluber::rod {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kCurvatureY = 4, kCurvatureZ = 5;

bool is_anchorage(ContactKind kind) {
  return kind == ContactKind::sweeping || kind == ContactKind::no_slip;
}

double wrapped(double X, double l) {
  const double in = X - l * std::floor(X / l);
  return in < l ? in : 0.0;
}

/// Directions in which a contact pushes.
int unknowns_of(const Model& model, ContactKind kind) {
  if (kind == ContactKind::annular) return model.group == Group::SE3 ? 3 : 1;
  return static_cast<int>(components_of(model.group).size());
}

/// Direction i, in section axes.
int direction_of(const Model& model, ContactKind kind, int i) {
  if (kind == ContactKind::annular) return 1 + i;  // N_Y, N_Z, C_X
  return components_of(model.group)[static_cast<std::size_t>(i)];
}

Strains strains_at(const StrainLaw& strain, double t, double X) {
  Strains at;
  strain.evaluate(t, {&X, 1}, {&at, 1});
  return at;
}

/// The clamp that holds: by time, unless it is said.
const Clamp& clamp_of(const ContactModel& contact, const ContactData& contacts, double t) {
  return contacts.clamp < 0 ? contact.clamp_at(t)
                            : contact.clamps[static_cast<std::size_t>(contacts.clamp)];
}

const Point& clamped_point(const Model& model, const Clamp& clamp, const Data& data) {
  if (clamp.at <= 0.0) return data.points.front();
  if (clamp.at >= 1.0) return data.section(model.elements);
  return data.points[static_cast<std::size_t>(data.contacts.front().point)];
}

const Point& point_of(const Data& data, const Contact& contact) {
  return data.points[static_cast<std::size_t>(contact.point)];
}

/// Twist of the support at time t, seen from the head.
Vector6d support_twist(const ContactModel& contact, double t, const Pose& g_o) {
  return math::to_child(g_o, Vector6d(contact.support_velocity + t * contact.support_rate));
}

/// Where the contacts are at time t.
void place(const Model& model, const ContactModel& contact, const StrainLaw& strain, double t,
           double S, ContactData& contacts, Data& data) {
  if (data.contacts.empty()) return;
  bool moved = false;
  const auto put = [&](Contact& each, double X) {
    moved = moved || each.X != X;
    each.X = X;
  };
  if (contact.kind == ContactKind::annular) {
    const double back = contact.in_space ? S - contacts.S_load : 0.0;
    for (Contact& each : data.contacts) {
      const double C = contact.abscissae[static_cast<std::size_t>(each.id)];
      put(each, back == 0.0 ? C : wrapped(C - back, model.l));
    }
  } else if (is_anchorage(contact.kind)) {
    const Peristalsis wave = *strain.peristalsis(t);
    for (Contact& each : data.contacts) {
      put(each, wrapped(wave.s + (0.25 + each.id) * wave.wavelength, model.l));
    }
  } else if (contact.kind == ContactKind::locked) {
    const Clamp& clamp = clamp_of(contact, contacts, t);
    if (clamp.at > 0.0 && clamp.at < 1.0) put(data.contacts.front(), clamp.at * model.l);
  }
  if (moved) place_contacts(model, data);
}

Fault update_travel(const Model& model, const StrainLaw& strain, double t, double S,
                    ContactData& contacts) {
  if (const auto given = strain.travel(t)) {
    contacts.travel = *given;
    return Fault::none;
  }
  contacts.travel.S = S;
  return compute_travel(model, strain, t, contacts);
}

}  // namespace

const Clamp& ContactModel::clamp_at(double t) const {
  // An instant that should be a switch may be a rounding before it.
  const double in = t - period * std::floor(t / period + 1e-9);
  std::size_t i = clamps.size() - 1;
  while (i > 0 && clamps[i].from > in + 1e-9 * period) --i;
  return clamps[i];
}

double ContactModel::next_switch(double t) const {
  if (kind != ContactKind::locked || clamps.size() < 2) return kInfinite;
  const double cycle = std::floor(t / period + 1e-9);
  const double in = t - period * cycle;
  for (const Clamp& clamp : clamps) {
    if (clamp.from > in + 1e-9 * period) return period * cycle + clamp.from;
  }
  return period * (cycle + 1.0);
}

int count_contacts(const Model& model, const ContactModel& contact, const StrainLaw& strain) {
  switch (contact.kind) {
    case ContactKind::annular:
      return static_cast<int>(contact.abscissae.size());
    case ContactKind::sweeping:
    case ContactKind::no_slip:
      return static_cast<int>(std::lround(model.l / strain.peristalsis(0.0)->wavelength));
    case ContactKind::locked:
      return std::ranges::any_of(contact.clamps,
                                 [](const Clamp& each) { return each.at > 0.0 && each.at < 1.0; })
                 ? 1
                 : 0;
    default:
      return 0;
  }
}

ContactData::ContactData(const Model& model, const ContactModel& contact, const StrainLaw& strain)
    : map(contact.kind == ContactKind::none || contact.kind == ContactKind::clamped ||
                  contact.kind == ContactKind::locked
              ? 0
              : unknowns_of(model, contact.kind) * count_contacts(model, contact, strain)) {
  const int count = count_contacts(model, contact, strain);
  const bool held = contact.kind == ContactKind::locked || contact.kind == ContactKind::clamped;
  reactions.resize(held ? 1 : static_cast<std::size_t>(count));
  const Eigen::Index unknowns = map.map().cols();
  unknown = prestress = Eigen::VectorXd::Zero(unknowns);
  image = Eigen::VectorXd::Zero(6);
  if (const auto travel_then = strain.travel(contact.load_time)) S_load = travel_then->S;
  for (std::size_t i = 0; i < contact.prestress.size() && unknowns > 0; ++i) {
    const int each = unknowns_of(model, contact.kind);
    prestress(static_cast<Eigen::Index>(i) * each) = contact.prestress[i];
  }
  if (contact.kind != ContactKind::annular) return;
  for (int e = 0; e < model.elements; ++e) {
    for (double c : gauss<2>.c) sample_X.push_back(model.l * (e + c) / model.elements);
  }
  samples.resize(sample_X.size());
  slopes.resize(sample_X.size());
}

Fault compute_travel(const Model& model, const StrainLaw& strain, double t, ContactData& contacts) {
  strain.evaluate(t, contacts.sample_X, contacts.samples);
  strain.evaluate_slopes(t, contacts.sample_X, contacts.slopes);
  double above = 0.0;
  double above_rate = 0.0;
  double below = 0.0;
  double below_rate = 0.0;
  for (std::size_t i = 0; i < contacts.samples.size(); ++i) {
    for (int k : {kCurvatureY, kCurvatureZ}) {
      const Strains& at = contacts.samples[i];
      const Slopes& slope = contacts.slopes[i];
      above += at.xidot(k) * slope.xi(k);
      above_rate += at.xiddot(k) * slope.xi(k) + at.xidot(k) * slope.xidot(k);
      below += slope.xi(k) * slope.xi(k);
      below_rate += 2.0 * slope.xi(k) * slope.xidot(k);
    }
  }
  const auto count = static_cast<double>(contacts.samples.size());
  // A body of constant curvature can slide along itself at any speed.
  if (!(below * model.l * model.l * model.l * model.l > 1e-20 * count)) return Fault::still;
  contacts.travel.V = above / below;
  contacts.travel.Vdot = (above_rate - contacts.travel.V * below_rate) / below;
  contacts.compatibility = 0.0;
  for (std::size_t i = 0; i < contacts.samples.size(); ++i) {
    const Vector6d rest = contacts.samples[i].xidot - contacts.travel.V * contacts.slopes[i].xi;
    contacts.compatibility = std::max(contacts.compatibility, rest.cwiseAbs().maxCoeff());
  }
  return Fault::none;
}

double compute_compatibility(const StrainLaw& strain, double t, double V, ContactData& contacts) {
  strain.evaluate(t, contacts.sample_X, contacts.samples);
  strain.evaluate_slopes(t, contacts.sample_X, contacts.slopes);
  double largest = 0.0;
  for (std::size_t i = 0; i < contacts.samples.size(); ++i) {
    const Vector6d rest = contacts.samples[i].xidot - V * contacts.slopes[i].xi;
    largest = std::max(largest, rest.cwiseAbs().maxCoeff());
  }
  return largest;
}

Fault update_kinematic_twist(const Model& model, const ContactModel& contact,
                             const StrainLaw& strain, double t, const Pose& g_o, double S,
                             ContactData& contacts, Data& data) {
  data.g_o = g_o;
  data.eta_o.setZero();
  if (contact.kind == ContactKind::annular) {
    const Fault fault = update_travel(model, strain, t, S, contacts);
    if (fault != Fault::none) return fault;
    data.eta_o = contacts.travel.V * strains_at(strain, t, 0.0).xi;
  } else if (contact.kind != ContactKind::clamped) {
    place(model, contact, strain, t, S, contacts, data);
    const Fault fault = update_shape(model, strain, t, data);
    if (fault != Fault::none) return fault;
    if (contact.kind == ContactKind::locked) {
      data.eta_o = -clamped_point(model, clamp_of(contact, contacts, t), data).y;
    } else {
      // η(C) = −ξ(C) Ċ (5.38), or 0
      contacts.compatibility = 0.0;
      const double c = strain.peristalsis(t)->c;
      for (const Contact& each : data.contacts) {
        const Point& at = point_of(data, each);
        Vector6d eta_o = -at.y;
        if (contact.kind == ContactKind::sweeping) {
          eta_o -= c * twist_to_head(at.h, strains_at(strain, t, at.X).xi);
        }
        if (&each == &data.contacts.front()) data.eta_o = eta_o;
        contacts.compatibility =
            std::max(contacts.compatibility, (eta_o - data.eta_o).cwiseAbs().maxCoeff());
      }
    }
  }
  data.eta_o += support_twist(contact, t, g_o);
  return data.eta_o.allFinite() ? Fault::none : Fault::not_finite;
}

namespace {

/// η̇_o. The support's twist s, seen from a frame that moves with η, has the rate
/// Ad_g⁻¹ ṡ − ad_η Ad_g⁻¹ s. Of an anchorage that is its section's frame, whose field z has that
/// motion already.
void update_acceleration(const Model& model, const ContactModel& contact, const StrainLaw& strain,
                         double t, const ContactData& contacts, Data& data) {
  const Vector6d s = support_twist(contact, t, data.g_o);
  switch (contact.kind) {
    case ContactKind::annular: {
      const Strains head = strains_at(strain, t, 0.0);
      data.etadot_o = contacts.travel.Vdot * head.xi + contacts.travel.V * head.xidot -
                      bracket(Vector6d(data.eta_o - s), s);
      break;
    }
    case ContactKind::locked:
      data.etadot_o = -clamped_point(model, clamp_of(contact, contacts, t), data).z;
      break;
    case ContactKind::sweeping:
    case ContactKind::no_slip: {
      // The rate of η(C(t)) = s − ξ Ċ along C: η̇(C) = −2 ξ̇ Ċ − ξ' Ċ² − ξ C̈ + ad_ξ s Ċ; of
      // η(C(t)) = s: −ξ̇ Ċ.
      const Peristalsis wave = *strain.peristalsis(t);
      const Point& at = point_of(data, data.contacts.front());
      const Strains here = strains_at(strain, t, at.X);
      Slopes slope;
      const double X = at.X;
      strain.evaluate_slopes(t, {&X, 1}, {&slope, 1});
      const Vector6d rate = contact.kind == ContactKind::sweeping
                                ? Vector6d(-2.0 * wave.c * here.xidot - wave.c * wave.c * slope.xi -
                                           wave.cdot * here.xi)
                                : Vector6d(-wave.c * here.xidot);
      data.etadot_o = twist_to_head(at.h, rate) - at.z;
      if (contact.kind == ContactKind::sweeping) {
        data.etadot_o += wave.c * bracket(twist_to_head(at.h, here.xi), s);
      }
      break;
    }
    default:
      data.etadot_o.setZero();
  }
  data.etadot_o += math::to_child(data.g_o, contact.support_rate);
}

/// Splits F_c over the contacts: least norm, after what each takes by itself. Of an impulse,
/// nothing that is finite: neither inertia at the present speed nor the prestress.
void distribute(const Model& model, const ContactModel& contact, const StrainLaw& strain, double t,
                bool impulse, ContactData& contacts, Data& data) {
  const std::vector<int>& rows = components_of(model.group);
  const int size = static_cast<int>(rows.size());
  const int each_has = unknowns_of(model, contact.kind);
  const auto p = static_cast<double>(data.contacts.size());
  Vector6d rest = data.F_c;
  auto& A = contacts.map.map();
  for (Contact& each : data.contacts) {
    each.wrench.setZero();
    const Pose& h = point_of(data, each).h;
    if (contact.distribution == Distribution::equal) {
      each.wrench = wrench_to_section(h, Vector6d(data.F_c / p));
    } else if (contact.distribution == Distribution::inertia_local && !impulse) {
      const Vector6d xi = strains_at(strain, t, each.X).xi;
      const double push = model.m * contacts.travel.V * contacts.travel.V * model.l / p;
      each.wrench(1) = push * xi(kCurvatureZ);
      each.wrench(2) = -push * xi(kCurvatureY);
    }
    rest -= math::to_parent(h, each.wrench);
    for (int i = 0; i < each_has; ++i) {
      const int direction = direction_of(model, contact.kind, i);
      Vector6d unit = Vector6d::Zero();
      unit(direction) = direction < 3 ? 1.0 : contact.length_scale;
      const Vector6d column = math::to_parent(h, unit);
      for (int k = 0; k < size; ++k) {
        A(k, each.id * each_has + i) = column(rows[static_cast<std::size_t>(k)]);
      }
    }
  }
  contacts.map.factor(size, contact.cutoff);
  contacts.rank = contacts.map.rank();
  contacts.condition = contacts.map.condition();
  if (contact.distribution == Distribution::equal) return;
  for (int k = 0; k < size; ++k) contacts.image(k) = rest(rows[static_cast<std::size_t>(k)]);
  const bool stressed = !contact.prestress.empty() && !impulse;
  if (stressed) {
    // Of the prestress only what lies in the null space remains: the rest is made up for.
    for (int k = 0; k < size; ++k) contacts.image(k) -= A.row(k).dot(contacts.prestress);
  }
  contacts.map.solve(contacts.image, contacts.unknown);
  if (stressed) contacts.unknown += contacts.prestress;
  for (Contact& each : data.contacts) {
    for (int i = 0; i < each_has; ++i) {
      const int direction = direction_of(model, contact.kind, i);
      each.wrench(direction) +=
          contacts.unknown(each.id * each_has + i) * (direction < 3 ? 1.0 : contact.length_scale);
    }
  }
}

}  // namespace

Fault evaluate_kinematic(const Model& model, const ContactModel& contact, const StrainLaw& strain,
                         double t, const Pose& g_o, double S, ContactData& contacts, Data& data) {
  Fault fault = update_kinematic_twist(model, contact, strain, t, g_o, S, contacts, data);
  if (fault != Fault::none) return fault;
  place(model, contact, strain, t, contacts.travel.S, contacts, data);
  // What the ends carry as reactions is not a load yet.
  const bool held = contact.kind == ContactKind::locked || contact.kind == ContactKind::clamped;
  const double at = contact.kind == ContactKind::locked ? clamp_of(contact, contacts, t).at : 0.0;
  if (held) data.loads = {};
  for (Contact& each : data.contacts) each.wrench.setZero();
  fault = update_shape(model, strain, t, data);
  if (fault == Fault::none) fault = update_motion(model, strain, t, g_o, data.eta_o, data);
  if (fault != Fault::none) return fault;
  update_acceleration(model, contact, strain, t, contacts, data);
  data.F_c = data.M_o * data.etadot_o - data.F_o;  // (5.42)
  if (held) {
    contacts.rank = static_cast<int>(components_of(model.group).size());
    contacts.condition = 1.0;
    ContactData::Reaction& reaction = contacts.reactions.front();
    reaction.X = at * model.l;
    if (at <= 0.0) {
      reaction.wrench = data.loads.F_minus = data.F_c;
    } else if (at >= 1.0) {
      reaction.wrench = data.loads.F_plus =
          wrench_to_section(data.section(model.elements).h, data.F_c);
    } else {
      reaction.wrench = data.contacts.front().wrench =
          wrench_to_section(point_of(data, data.contacts.front()).h, data.F_c);
    }
  } else if (!data.contacts.empty()) {
    distribute(model, contact, strain, t, false, contacts, data);
    for (const Contact& each : data.contacts) {
      contacts.reactions[static_cast<std::size_t>(each.id)] = {each.X, each.wrench};
    }
  }
  return update_internal(model, strain, t, data);
}

double impulse_work(const Model& model, const ContactModel& contact, const StrainLaw& strain,
                    double t, const Vector6d& momentum, const std::vector<Vector6d>& before,
                    ContactData& contacts, Data& data) {
  const Vector6d impulse = data.momentum - momentum;  // the head stays where it is
  if (contact.kind == ContactKind::locked || contact.kind == ContactKind::clamped) {
    return impulse.dot(support_twist(contact, t, data.g_o));
  }
  const Vector6d F_c = data.F_c;
  data.F_c = impulse;
  distribute(model, contact, strain, t, true, contacts, data);
  data.F_c = F_c;
  double work = 0.0;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    Contact& each = data.contacts[i];
    work += each.wrench.dot(0.5 * (before[i] + data.twist(point_of(data, each))));
    each.wrench = contacts.reactions[static_cast<std::size_t>(each.id)].wrench;
  }
  return work;
}

Pose clamp_pose(const Model& model, const Clamp& clamp, const Data& data) {
  return data.g_o * clamped_point(model, clamp, data).h;
}

Pose head_of_clamp(const Model& model, const Clamp& clamp, const Pose& g_c, const Data& data) {
  return g_c * math::inverse(clamped_point(model, clamp, data).h);
}

std::vector<ReissnerMotion> compute_reissner(const std::function<ReissnerShape(double X)>& shape,
                                             double l, int elements, double V_o) {
  const auto slope = [](const ReissnerShape& at, double V) {
    return -at.K * at.Gamma_Y * V + at.Gamma_Y * at.Gammadot_Y;
  };
  std::vector<ReissnerMotion> motion;
  double V = V_o;
  const double h = l / elements;
  for (int i = 0; i <= elements; ++i) {
    const ReissnerShape at = shape(i * h);
    motion.push_back({i * h, V, at.K * V - at.Gammadot_Y,
                      (at.K_slope - at.K * at.K * at.Gamma_Y) * V +
                          at.K * at.Gamma_Y * at.Gammadot_Y - at.Gammadot_Y_slope});
    if (i == elements) break;
    const ReissnerShape middle = shape((i + 0.5) * h);
    const ReissnerShape end = shape((i + 1) * h);
    const double k1 = slope(at, V);
    const double k2 = slope(middle, V + 0.5 * h * k1);
    const double k3 = slope(middle, V + 0.5 * h * k2);
    const double k4 = slope(end, V + h * k3);
    V += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return motion;
}

}  // namespace coluber::rod

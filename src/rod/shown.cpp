#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "coluber/rod/system.hpp"

#include "chain/rows.hpp"

namespace coluber::rod {

namespace {

using Eigen::Vector3d;

/// A tube is drawn with at most so many pieces.
constexpr int kPieces = 160;

template <typename Values>
void put_values(std::span<double> out, std::size_t row, const Values& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    out[row * static_cast<std::size_t>(values.size()) + static_cast<std::size_t>(i)] = values(i);
  }
}

}  // namespace

void RodSystem::add_bodies() {
  const int stride = (model_.elements + kPieces - 1) / kPieces;
  for (int i = 0; i < model_.elements; i += stride) drawn_.push_back(i);
  drawn_.push_back(model_.elements);
  coluber::Body tube;
  tube.name = "rod";
  tube.shape = ShapeKind::tube;
  tube.size = {model_.radius};
  tube.colour = "#0072b2";
  tube.moving = true;
  bodies_.push_back(std::move(tube));
  curves_.push_back({"rod", static_cast<int>(drawn_.size()), {{"radius", "m"}, {"torque", "N m"}}});
  if (!contacts_.reactions.empty()) {
    arrows_.push_back({"contact",
                       "contact forces",
                       "#009e73",
                       "N",
                       "contact",
                       static_cast<int>(contacts_.reactions.size()),
                       {"rod"}});
  }
  if (model_.group != Group::SE3 && model_.gravity.isZero(0.0)) {
    coluber::Body ground = chain::make_ground();
    ground.position.z() = g_.p.z() - model_.radius;
    bodies_.push_back(std::move(ground));
  }
}

void RodSystem::curve(std::size_t /*curve*/, std::span<double> values) const {
  double* out = values.data();
  for (int i : drawn_) {
    const Vector3d p = data_.pose(data_.section(i)).p;
    for (double each : p) *out++ = each;
  }
  // A section that is stretched is thinner: its volume stays.  Ali (6.3)
  strain_->evaluate(time(), abscissa_, strain_now_);
  for (int i : drawn_) {
    *out++ = model_.radius / std::sqrt(strain_now_[static_cast<std::size_t>(i)].xi(0));
  }
  for (int i : drawn_) *out++ = data_.section(i).Lambda.tail<3>().norm();
}

void RodSystem::contacts(std::size_t /*family*/, std::span<ContactSlot> slots) const {
  chain::open_slots(slots);
  const auto put = [&](std::size_t i, const Point& point, const Vector6d& wrench) {
    const Pose g = data_.pose(point);
    slots[i] = {g.p, g.R * wrench.head<3>()};
  };
  if (data_.contacts.empty()) {  // an end is held
    const ContactData::Reaction& held = contacts_.reactions.front();
    put(0, held.X > 0.0 ? data_.points.back() : data_.points.front(), held.wrench);
    return;
  }
  for (const Contact& each : data_.contacts) {
    const auto i = static_cast<std::size_t>(each.id);
    put(i, data_.points[static_cast<std::size_t>(each.point)], contacts_.reactions[i].wrench);
  }
}

void RodSystem::observe(std::span<double> frame) const {
  strain_->evaluate(time(), abscissa_, strain_now_);
  observables_.write(frame);
}

void RodSystem::add_rows() {
  using chain::write_number;
  using chain::write_vector;
  const int n = model_.elements + 1;
  const int p = static_cast<int>(contacts_.reactions.size());
  const std::vector<std::string> xyz{"x", "y", "z"};
  const std::vector<std::string> twist{"V_X", "V_Y", "V_Z", "Omega_X", "Omega_Y", "Omega_Z"};
  const std::vector<std::string> wrench{"N_X", "N_Y", "N_Z", "C_X", "C_Y", "C_Z"};
  const std::vector<std::string> strain{"Gamma_X", "Gamma_Y", "Gamma_Z", "K_X", "K_Y", "K_Z"};
  auto& table = observables_;
  const auto by_section = [n](auto get) {
    return [n, get](std::span<double> out) {
      for (int i = 0; i < n; ++i) put_values(out, static_cast<std::size_t>(i), get(i));
    };
  };
  table.add({"abscissa", "m", "X of each section", {n}}, [this](std::span<double> out) {
    std::copy(abscissa_.begin(), abscissa_.end(), out.begin());
  });
  table.add({"section_position", "m", "of each section", {n, 3}, xyz},
            by_section([this](int i) { return data_.pose(data_.section(i)).p; }));
  table.add({"section_quaternion", "", "of each section's axes", {n, 4}, {"w", "x", "y", "z"}},
            by_section([this](int i) {
              const Eigen::Quaterniond q = math::to_quaternion(data_.pose(data_.section(i)).R);
              return Eigen::Vector4d(q.w(), q.x(), q.y(), q.z());
            }));
  table.add({"section_twist", "m/s, rad/s", "of each section, in its axes", {n, 6}, twist},
            by_section([this](int i) { return data_.twist(data_.section(i)); }));
  table.add({"strain", "-, 1/m", "of each section", {n, 6}, strain},
            by_section([this](int i) { return strain_now_[static_cast<std::size_t>(i)].xi; }));
  table.add({"internal_wrench",
             "N, N m",
             "by the part behind each section on the part before it, section axes; at a contact "
             "before its jump",
             {n, 6},
             wrench},
            by_section([this](int i) { return data_.section(i).Lambda; }));
  table.add({"head_twist", "m/s, rad/s", "of the head, in its axes", {6}, twist, Plotted::scalar},
            write_vector([this]() -> const Vector6d& { return data_.eta_o; }));
  if (p > 0) {
    table.add({"contact_abscissa", "m", "X of each contact", {p}}, [this](std::span<double> out) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = contacts_.reactions[i].X;
    });
    table.add({"contact_wrench", "N, N m", "of each contact, section axes", {p, 6}, wrench},
              [this](std::span<double> out) {
                for (std::size_t i = 0; i < contacts_.reactions.size(); ++i) {
                  put_values(out, i, contacts_.reactions[i].wrench);
                }
              });
    table.add({"resultant_wrench",
               "N, N m",
               "of all contacts, in the head's axes",
               {6},
               wrench,
               Plotted::scalar},
              write_vector([this]() -> const Vector6d& { return data_.F_c; }));
    table.add({"compatibility",
               "1/(m s) or m/s",
               "what of the contacts' constraints the shape cannot meet",
               {}},
              write_number([this] {
                if (contact_.kind == ContactKind::annular && strain_->travel(time())) {
                  return compute_compatibility(*strain_, within(time()), contacts_.travel.V,
                                               contacts_);
                }
                return contacts_.compatibility;
              }));
  }
  table.add({"actuator_power", "W", "delivered by the actuators", {}, {}, Plotted::scalar},
            write_number([this] { return data_.actuator_power; }));
  table.add({"end_residual", "N", "of the internal wrench at the tail; N m too", {}},
            write_number([this] { return data_.end_residual; }));
  table.add({"power_balance", "W", "rate of the energy less all powers", {}}, write_number([this] {
              const chain::StepWork power = powers();
              return data_.power_energy - power.servo - power.friction - power.contact -
                     power.gravity;
            }));
  chain::add_energy_row(table, [this] { return data_.energy; });
  chain::add_work_row(table, "work_servo",
                      "work of the actuators since the start, braking counted back", work_.servo);
  chain::add_work_row(table, "work_positive",
                      "work of the actuators since the start, steps in which they drove",
                      work_.positive);
  chain::add_work_row(table, "work_friction", "work of the force laws", work_.friction);
  chain::add_work_row(table, "work_contact", "work of the contacts", work_.contact);
  chain::add_work_row(table, "work_gravity", "work of gravity", work_.gravity);
  chain::add_work_row(table, "work_scheme", "what the balance leaves", work_.scheme);
}

}  // namespace coluber::rod

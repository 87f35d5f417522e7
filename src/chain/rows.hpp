#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/account.hpp"
#include "coluber/core/shown.hpp"

// Observables and summary figures that all chains have.

namespace coluber::chain {

/// Writes what `get()` gives: an Eigen vector or a block of one.
template <typename Get>
ObservableTable::Writer write_vector(const Get& get) {
  return [get](std::span<double> out) {
    const auto& values = get();
    for (Eigen::Index i = 0; i < values.size(); ++i) out[static_cast<std::size_t>(i)] = values(i);
  };
}

/// Writes the number that `get()` gives.
template <typename Get>
ObservableTable::Writer write_number(const Get& get) {
  return [get](std::span<double> out) { out[0] = get(); };
}

/// Writes the impulses since the last frame (a column per link) over the time since it.
template <typename Impulses, typename PerSecond>
ObservableTable::Writer write_forces(const Impulses& sum, const PerSecond& per_second) {
  return [&sum, per_second](std::span<double> out) {
    const double factor = per_second();
    for (Eigen::Index i = 0; i < sum.size(); ++i) {
      out[static_cast<std::size_t>(i)] = sum.data()[i] * factor;
    }
  };
}

/// Kinetic energy.
template <typename Energy>
void add_energy_row(ObservableTable& table, const Energy& energy) {
  table.add({"energy", "J", "kinetic energy", {}, {}, Plotted::scalar}, write_number(energy));
}

/// One row per work that the model has.
inline void add_work_row(ObservableTable& table, const char* name, const char* doc,
                         const double& value) {
  table.add({name, "J", doc, {}}, write_number([&value] { return value; }));
}

/// What the motors did.
inline void add_motor_rows(ObservableTable& table, const StepWork& work) {
  add_work_row(table, "work_servo", "work of the motors since the start, braking counted back",
               work.servo);
  add_work_row(table, "work_positive",
               "work of the motors since the start, of every joint where it drove", work.positive);
}

/// Velocities of the links and their mean accelerations since the last frame. `linear()` and
/// `angular()` give a column per link, the second a row of numbers in the plane.
template <typename Linear, typename Angular, typename PerSecond>
void add_velocity_rows(ObservableTable& table, int n, const std::vector<std::string>& axes,
                       const Linear& linear, const Angular& angular, const RunAccount& run,
                       const PerSecond& per_second) {
  const auto write = [](const auto& values, std::span<double> out) {
    Eigen::Map<Eigen::MatrixXd>(out.data(), values.rows(), values.cols()) = values;
  };
  const int size = static_cast<int>(axes.size());
  const bool plane = size == 2;
  table.add({"link_velocity", "m/s", "of the centre of gravity of each link", {n, size}, axes},
            [=](std::span<double> out) { write(linear(), out); });
  table.add({"link_angular_velocity", "rad/s",
             plane ? "rate of each link's angle" : "of each link, in world axes",
             plane ? std::vector{n} : std::vector{n, 3}, plane ? std::vector<std::string>{} : axes},
            [=](std::span<double> out) { write(angular(), out); });
  table.add({"link_acceleration",
             "m/s^2",
             "change of link_velocity since the last frame over its time",
             {n, size},
             axes},
            [=, &run](std::span<double> out) {
              write(per_second() * (linear() - run.frame_velocity), out);
            });
}

/// Residuals and iterations of a chain with contacts.
template <typename Account, typename Steps>
void add_solver_rows(ObservableTable& table, const Account& account, const Steps& steps) {
  table.add({"residual",
             "",
             "largest scaled residual since the last frame: of every step's own test, and of the "
             "frame's step by the plain problem; 1 is the lightest link's weight over one step",
             {},
             {},
             Plotted::scalar},
            write_number([&account] { return account.residual; }));
  table.add({"rigid_residual",
             "",
             "the same judged by the set-valued law as it stands, in the same scale",
             {}},
            write_number([&account] { return account.rigid_residual; }));
  table.add({"iterations", "", "solver sweeps per step, mean since the last frame", {}},
            write_number([&account, steps] { return account.run.mean_iterations(steps()); }));
}

/// How deep it was in what it touches.
template <typename Account>
void add_penetration_row(ObservableTable& table, const Account& account, const char* overlap) {
  table.add({"penetration", "m", overlap, {}},
            write_number([&account] { return account.deepest; }));
}

/// Travel, speeds, heading, torque, works and cost of transport. What travels is at `centre`
/// (m) now and heads for `angle` (rad).
inline std::vector<SummaryItem> make_summary(const Eigen::Vector2d& centre, double angle, double t,
                                             double weight, const RunAccount& run) {
  const double displacement = (centre - run.travel.start).norm();
  const double length = run.travel.length + (centre - run.travel.place).norm();
  std::vector<SummaryItem> items{
      {"displacement", displacement, "m"},
      {"path_length", length, "m"},
      {"net_speed", t > 0.0 ? displacement / t : 0.0, "m/s"},
      {"mean_speed", t > 0.0 ? length / t : 0.0, "m/s"},
      {"heading_change", angle - run.travel.start_angle, "rad"},
      {"max_torque", run.torque.torque, "N m"},
      {"max_torque_time", run.torque.time, "s"},
      {"work_positive", run.work.positive, "J"},
      {"work_net", run.work.servo, "J"},
  };
  if (weight * length > 0.0) {
    items.push_back({"cost_of_transport", run.work.positive / (weight * length)});
  }
  return items;
}

/// Bodies that stand still.
inline Body make_ground() {
  Body ground;
  ground.name = "ground";
  ground.shape = ShapeKind::plane;
  ground.colour = "#e8e8e8";
  return ground;
}

/// Link i, counted from 0; link 1 leads.
inline Body make_link(int i, double radius, double half_core) {
  Body body;
  body.name = "link_" + std::to_string(i + 1);
  body.shape = ShapeKind::capsule;
  body.size = {radius, half_core};
  body.colour = i == 0 ? "#d55e00" : "#0072b2";
  body.moving = true;
  return body;
}

/// Obstacle j, counted from 0: a circle, or a cylinder where it has a height (m).
inline Body make_obstacle(std::size_t j, const Eigen::Vector2d& centre, double radius,
                          double height) {
  Body body;
  body.name = "obstacle_" + std::to_string(j + 1);
  body.shape = height > 0.0 ? ShapeKind::cylinder : ShapeKind::circle;
  body.size = height > 0.0 ? std::vector{radius, height} : std::vector{radius};
  body.colour = "#7f7f7f";
  body.position << centre, 0.5 * height;
  return body;
}

/// Arrows at every link.
inline ArrowFamily make_arrows(int links, int slots, const char* name, const char* label,
                               const char* colour, const char* field) {
  ArrowFamily family{name, label, colour, "N", field, slots, {}};
  for (int i = 0; i < links; ++i) family.bodies.push_back("link_" + std::to_string(i + 1));
  return family;
}

/// Puts an arrow into the first open slot of link i; one that finds none is not drawn.
inline void put_arrow(std::span<ContactSlot> slots, int slots_per_link, int i,
                      const Eigen::Vector3d& point, const Eigen::Vector3d& force) {
  const auto count = static_cast<std::size_t>(slots_per_link);
  const auto own = slots.subspan(static_cast<std::size_t>(i) * count, count);
  const auto open =
      std::ranges::find_if(own, [](const ContactSlot& slot) { return slot.point.hasNaN(); });
  if (open != own.end()) *open = {point, force};
}

/// All slots open.
inline void open_slots(std::span<ContactSlot> slots) {
  const Eigen::Vector3d open = Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  std::ranges::fill(slots, ContactSlot{open, open});
}

}  // namespace coluber::chain

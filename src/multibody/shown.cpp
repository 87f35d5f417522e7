#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "coluber/multibody/system.hpp"

#include "chain/rows.hpp"
#include "multibody/parts.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Vector3d;

}  // namespace

void MultibodySystem::add_bodies() {
  for (int j = 0; j < model_.size(); ++j) {
    coluber::Body body = options_.drawn[static_cast<std::size_t>(j)];
    body.name = fmt::format("link_{}", j + 1);
    body.colour = j == 0 ? "#d55e00" : "#0072b2";
    body.moving = true;
    if (j > 0) {
      body.parent = fmt::format("link_{}", model_.body(j).parent + 1);
      body.joint = Vector3d(-model_.body(j).c);
      for (int k = 0; k < coordinates_of(model_.body(j).joint); ++k) {
        body.coordinates.push_back(model_.first_of(j) + k + 1);
      }
    }
    bodies_.push_back(std::move(body));
  }
  double deepest = 0.0;
  ArrowFamily forces{"wheel", "wheel forces", "#009e73", "N", "contact", 1, {}};
  for (std::size_t w = 0; w < model_.wheels.size(); ++w) {
    coluber::Body body;
    body.name = fmt::format("wheel_{}", w + 1);
    body.shape = ShapeKind::wheel;
    const double radius = model_.wheels[w].radius;
    body.size = {radius, 0.4 * radius};
    body.colour = "#333333";
    body.moving = true;
    body.parent = fmt::format("link_{}", model_.wheels[w].body + 1);
    forces.bodies.push_back(body.name);
    bodies_.push_back(std::move(body));
    deepest = std::max(deepest, radius);
  }
  if (model_.wheels.empty()) return;
  arrows_.push_back(std::move(forces));
  coluber::Body ground = chain::make_ground();
  ground.position.z() = at_.g.p.z() - deepest;
  bodies_.push_back(std::move(ground));
}

void MultibodySystem::poses(std::span<double> values) const {
  double* out = values.data();
  const auto put = [&](const Vector3d& p, const Eigen::Matrix3d& R) {
    const Eigen::Quaterniond q = math::to_quaternion(R);
    for (double each : {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()}) *out++ = each;
  };
  for (int j = 0; j < model_.size(); ++j) {
    const Pose& g = world_[static_cast<std::size_t>(j)];
    put(g.p + g.R * model_.body(j).c, g.R);
  }
  for (std::size_t w = 0; w < model_.wheels.size(); ++w) {
    const Wheel& wheel = model_.wheels[w];
    const Pose& g = world_[static_cast<std::size_t>(wheel.body)];
    const double beta = data_.input.beta(static_cast<Eigen::Index>(w));
    const double theta = theta_(static_cast<Eigen::Index>(w));
    put(g.p + g.R * Vector3d(wheel.place.x(), wheel.place.y(), 0.0),
        g.R * math::exp(Vector3d{0.0, 0.0, beta}) * math::exp(Vector3d{0.0, theta, 0.0}));
  }
}

void MultibodySystem::contacts(std::size_t /*family*/, std::span<ContactSlot> slots) const {
  for (std::size_t w = 0; w < slots.size(); ++w) {
    const Wheel& wheel = model_.wheels[w];
    const Pose& g = world_[static_cast<std::size_t>(wheel.body)];
    const Vector6d across = wheel_row(wheel, data_.input.beta(static_cast<Eigen::Index>(w))).across;
    slots[w] = {g.p + g.R * Vector3d(wheel.place.x(), wheel.place.y(), -wheel.radius),
                data_.lambda(static_cast<Eigen::Index>(w)) * (g.R * across.head<3>())};
  }
}

void MultibodySystem::add_rows() {
  using chain::write_number;
  using chain::write_vector;
  const int n = model_.size();
  const int r = model_.coordinates;
  const int wheels = static_cast<int>(model_.wheels.size());
  const std::vector<std::string> xyz{"x", "y", "z"};
  const std::vector<std::string> twist{"V_x", "V_y", "V_z", "Omega_x", "Omega_y", "Omega_z"};
  auto& table = observables_;
  table.add({"link_position", "m", "origin of each body's frame", {n, 3}, xyz},
            [this](std::span<double> out) {
              for (std::size_t j = 0; j < world_.size(); ++j) {
                for (std::size_t i = 0; i < 3; ++i) {
                  out[3 * j + i] = world_[j].p(static_cast<Eigen::Index>(i));
                }
              }
            });
  table.add({"link_quaternion", "", "of each body's frame", {n, 4}, {"w", "x", "y", "z"}},
            [this](std::span<double> out) {
              for (std::size_t j = 0; j < world_.size(); ++j) {
                const Eigen::Quaterniond q = math::to_quaternion(world_[j].R);
                const std::array<double, 4> each{q.w(), q.x(), q.y(), q.z()};
                std::copy(each.begin(), each.end(), out.begin() + static_cast<long>(4 * j));
              }
            });
  table.add({"link_angle", "rad", "of each body's x, seen from above, turns counted", {n}},
            write_vector([this]() -> const Eigen::VectorXd& { return angle_; }));
  if (r > 0) {
    table.add({"joint_angle", "rad or m", "joint coordinates", {r}, {}, Plotted::angle},
              write_vector([this]() -> const Eigen::VectorXd& { return data_.r; }));
    table.add({"joint_rate", "rad/s or m/s", "their rates", {r}},
              write_vector([this]() -> const Eigen::VectorXd& { return data_.rdot; }));
    table.add({"joint_acceleration", "rad/s^2 or m/s^2", "their accelerations", {r}},
              write_vector([this]() -> const Eigen::VectorXd& { return data_.rddot; }));
    table.add(
        {"joint_torque", "N m or N", "positive drives the coordinate up", {r}, {}, Plotted::torque},
        write_vector([this]() -> const Eigen::VectorXd& { return data_.tau; }));
  }
  table.add({"base_twist", "m/s, rad/s", "of link 1, in its axes", {6}, twist, Plotted::scalar},
            write_vector([this]() -> const Vector6d& { return data_.eta_o; }));
  table.add({"base_acceleration", "m/s^2, rad/s^2", "rate of base_twist", {6}, twist},
            write_vector([this]() -> const Vector6d& { return data_.etadot_o; }));
  if (wheels > 0) {
    table.add({"wheel_angle", "rad", "rolling angle, positive forward", {wheels}},
              write_vector([this]() -> const Eigen::VectorXd& { return theta_; }));
    table.add({"wheel_torque", "N m", "of driven wheels, positive drives forward", {wheels}},
              write_vector([this]() -> const Eigen::VectorXd& { return data_.Gamma; }));
    table.add({"wheel_force",
               "N",
               "across each wheel, positive to its left",
               {wheels},
               {},
               Plotted::scalar},
              write_vector([this]() -> const Eigen::VectorXd& { return data_.lambda; }));
    table.add({"wheel_slip", "m/s", "sideways velocity of each wheel", {wheels}},
              write_vector([this]() -> const Eigen::VectorXd& { return data_.slip; }));
  }
  table.add({"singular_value", "", "smallest of the system solved", {}},
            write_number([this] { return data_.singular_value; }));
  if (as_.kinematic && as_.which != Case::imposed) {
    table.add({"row_determinant", "", "size of the determinant of the wheels' rows", {}},
              write_number([this] {
                const RowBasis& basis = data_.base.basis;
                return basis.rank < 3 ? 0.0 : std::abs(basis.L.diagonal().prod());
              }));
  }
  table.add({"constraint_residual", "m/s", "largest slip of a wheel that holds", {}},
            write_number([this] { return data_.constraint_residual; }));
  table.add({"root_residual", "N", "of the wrench on link 1 that nothing supplies; N m too", {}},
            write_number([this] { return data_.root_residual; }));
  table.add({"power_balance", "W", "rate of the energy less all powers", {}}, write_number([this] {
              return data_.power_energy - data_.power_servo - data_.power_friction -
                     data_.power_contact - data_.power_gravity;
            }));
  chain::add_energy_row(table, [this] { return data_.energy; });
  chain::add_motor_rows(table, work_);
  chain::add_work_row(table, "work_friction", "work of the force laws and of wheels that slide",
                      work_.friction);
  chain::add_work_row(table, "work_contact",
                      "work of wheel forces on wheels that should hold, or of the support",
                      work_.contact);
  chain::add_work_row(table, "work_gravity", "work of gravity", work_.gravity);
  chain::add_work_row(table, "work_scheme", "what the balance leaves", work_.scheme);
  if (options_.solver.connection && r > 0) {
    table.add({"connection",
               "",
               "A of eta_o = -A rdot, by coordinate; nan at a singular instant",
               {6, r}},
              [this, r](std::span<double> out) {
                Data data(model_);
                const Eigen::MatrixXd A = compute_connection(model_, as_, program_, time(), at_,
                                                             data, evaluate_.rank_tolerance);
                for (Eigen::Index i = 0; i < 6; ++i) {
                  for (Eigen::Index k = 0; k < r; ++k) {
                    out[static_cast<std::size_t>(i * r + k)] = A(i, k);
                  }
                }
              });
  }
}

}  // namespace coluber::multibody

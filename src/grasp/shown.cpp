#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "coluber/grasp/system.hpp"
#include "coluber/math/atan2.hpp"
#include "coluber/math/group.hpp"
#include "coluber/math/sincos.hpp"

#include "chain/rows.hpp"

namespace coluber::grasp {

namespace {

using Eigen::Vector3d;

/// A wheel's radius and width, of the link's radius.
constexpr double kWheelRadius = 1.6;
constexpr double kWheelWidth = 0.6;
/// Thickness of a prism's sides as drawn (m).
constexpr double kSide = 0.02;

/// Angle of each link seen from above, turns counted: nearest to that of the link before and the
/// yaw between them.
double angle_of(const Chain& chain, int i, double near) {
  constexpr double turn = 6.283185307179586;
  const double angle = math::atan2(chain.along(1, i), chain.along(0, i));
  return angle + turn * std::round((near - angle) / turn);
}

}  // namespace

void GraspSystem::add_bodies() {
  const double core = std::max(0.0, 0.5 * model_.length - model_.radius);
  for (int i = 0; i < model_.links; ++i) {
    coluber::Body body = chain::make_link(i, model_.radius, core);
    if (i > 0) body.joint = Vector3d(-0.5 * model_.length, 0.0, 0.0);
    if (i > 0) body.coordinates = {2 * i - 1, 2 * i};
    bodies_.push_back(std::move(body));
  }
  const double wheel = kWheelRadius * model_.radius;
  for (int i : model_.wheeled) {
    coluber::Body body;
    body.name = fmt::format("wheel_{}", i + 1);
    body.shape = ShapeKind::wheel;
    body.size = {wheel, kWheelWidth * model_.radius};
    body.colour = "#333333";
    body.moving = true;
    body.parent = fmt::format("link_{}", i + 1);
    bodies_.push_back(std::move(body));
  }
  if (options_.object) {
    const Object& object = *options_.object;
    coluber::Body body;
    body.name = "object";
    body.colour = "#e69f00";
    body.moving = true;
    body.parent = "ground";
    if (!object.is_prism()) {
      body.shape = ShapeKind::cylinder;
      body.size = {object.radius, object.height + wheel};
      bodies_.push_back(body);
    }
    // a prism: a box per side
    const Eigen::Index n = object.corners.cols();
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Vector2d a = object.corners.col(i);
      const Eigen::Vector2d along = object.corners.col((i + 1) % n) - a;
      const Eigen::Vector2d in = Eigen::Vector2d(-along.y(), along.x()).normalized();
      const Eigen::Vector2d middle = a + 0.5 * along + 0.5 * kSide * in;
      body.name = i == 0 ? "object" : fmt::format("object_side_{}", i + 1);
      body.shape = ShapeKind::box;
      body.size = {along.norm(), kSide, object.height + wheel};
      sides_.emplace_back(middle.x(), middle.y(), math::atan2(along.y(), along.x()));
      bodies_.push_back(body);
    }
  }
  coluber::Body ground = chain::make_ground();
  ground.position.z() = -wheel;
  bodies_.push_back(std::move(ground));
}

void GraspSystem::poses(std::span<double> values) const {
  double* out = values.data();
  const auto put = [&](const Vector3d& p, const Eigen::Quaterniond& q) {
    for (double each : {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()}) *out++ = each;
  };
  const auto link = [&](int i) {
    put(chain_.mid.col(i), math::to_quaternion(chain_.R[static_cast<std::size_t>(i)]));
  };
  for (int i = 0; i < model_.links; ++i) link(i);
  for (int i : model_.wheeled) link(i);
  if (!options_.object) return;
  const double z = 0.5 * (options_.object->height - kWheelRadius * model_.radius);
  const auto stand = [&](const Eigen::Vector2d& local, double yaw) {
    const Eigen::Vector2d p = state_.object.at(local);
    put({p.x(), p.y(), z},
        math::to_quaternion(math::exp(Vector3d(0.0, 0.0, state_.object.yaw + yaw))));
  };
  if (sides_.empty()) stand(Eigen::Vector2d::Zero(), 0.0);
  for (const Vector3d& side : sides_) stand(side.head<2>(), side.z());
}

void GraspSystem::add_rows() {
  using chain::write_number;
  using chain::write_vector;
  const int n = model_.links;
  const std::vector<std::string> xyz{"x", "y", "z"};
  auto& table = observables_;
  table.add(
      {"link_position", "m", "middle of each link", {n, 3}, xyz},
      [this](std::span<double> out) { std::copy_n(chain_.mid.data(), out.size(), out.begin()); });
  table.add(
      {"link_quaternion", "", "of each link, x from head to tail", {n, 4}, {"w", "x", "y", "z"}},
      [this](std::span<double> out) {
        auto at = out.begin();
        for (const Eigen::Matrix3d& R : chain_.R) {
          const Eigen::Quaterniond q = math::to_quaternion(R);
          for (double each : {q.w(), q.x(), q.y(), q.z()}) *at++ = each;
        }
      });
  table.add({"link_angle", "rad", "of each link, seen from above, turns counted", {n}},
            [this](std::span<double> out) {
              double near = 0.0;
              for (int i = 0; i < model_.links; ++i) {
                near = angle_of(chain_, i, near + state_.q.yaw(i));
                out[static_cast<std::size_t>(i)] = near;
              }
            });
  table.add({"joint_angle", "rad", "of each joint", {n - 1, 2}, {"yaw", "pitch"}, Plotted::angle},
            [this](std::span<double> out) {
              for (int j = 1; j < model_.links; ++j) {
                const auto at = 2 * (static_cast<std::size_t>(j) - 1);
                out[at] = state_.q.yaw(j);
                out[at + 1] = state_.q.pitch(j);
              }
            });
  table.add({"joint_rate", "rad/s", "of each joint: the input u", {n - 1, 2}, {"yaw", "pitch"}},
            [this](std::span<double> out) {
              const Eigen::Index joints = model_.joints();
              for (Eigen::Index j = 0; j < joints; ++j) {
                const auto at = static_cast<std::size_t>(2 * j);
                out[at] = control_.u(joints + j);
                out[at + 1] = control_.u(j);
              }
            });
  table.add({"head_state",
             "m, rad",
             "tip of the head, its pitch and yaw",
             {4},
             {"x", "y", "pitch", "yaw"},
             Plotted::scalar},
            [this](std::span<double> out) {
              const Configuration& q = state_.q;
              const std::array<double, 4> each{q.P0.x(), q.P0.y(), q.pitch(0), q.yaw(0)};
              std::copy(each.begin(), each.end(), out.begin());
            });
  table.add({"head_error",
             "m, rad",
             "of the head: where it is wished less where it is",
             {4},
             {"x", "y", "pitch", "yaw"}},
            [this](std::span<double> out) {
              for (Eigen::Index i = 0; i < 4; ++i) {
                out[static_cast<std::size_t>(i)] = w_d_(i) - rows_.w(i);
              }
            });
  table.add({"rise", "m", "of the middles of links 2 … n over the head", {n - 1}},
            [this](std::span<double> out) {
              for (int i = 1; i < model_.links; ++i) {
                out[static_cast<std::size_t>(i - 1)] = chain_.mid(2, i) - state_.q.P0.z();
              }
            });
  table.add({"contact_drift",
             "m",
             "over ground, of each link from where it touched the object, or from where it is to "
             "be held; nan before",
             {n}},
            write_vector([this]() -> const Eigen::VectorXd& { return state_.drift; }));
  table.add({"gain", "1/s", "of the feedback", {}, {}, Plotted::scalar},
            write_number([this] { return state_.gain; }));
  table.add({"posture",
             "m^2",
             "det XᵀX of the wheels' rows; 0 where they do not hold the head",
             {},
             {},
             Plotted::scalar},
            write_number([this] { return compute_posture(rows_); }));
  table.add({"manipulability", "", "smallest singular value of B that counts", {}},
            write_number([this] {
              const double least = options_.controller.law.cutoff * control_.B.largest();
              double found = std::numeric_limits<double>::infinity();
              for (double each : control_.B.values()) {
                if (std::abs(each) > least) found = std::min(found, std::abs(each));
              }
              return found;
            }));
  table.add({"wheel_slip", "m/s", "largest sideways velocity of a wheel", {}},
            write_number([this] { return control_.slip; }));
  table.add({"self_clearance", "m", "between links that are no neighbours", {}},
            write_number([this] { return self_.distance; }));
  if (!options_.object) return;
  table.add({"object_pose", "m, rad", "of the object, seen from above", {3}, {"x", "y", "yaw"}},
            [this](std::span<double> out) {
              const std::array<double, 3> each{state_.object.p.x(), state_.object.p.y(),
                                               state_.object.yaw};
              std::copy(each.begin(), each.end(), out.begin());
            });
  table.add({"clearance", "m", "of each link's axis, less where it would touch the object", {n}},
            write_vector([this]() -> const Eigen::VectorXd& { return clearance_; }));
  if (!options_.stiffness) return;
  table.add({"stiffness_min",
             "N/m",
             "least eigenvalue, of the symmetric part or of the matrix as it is; nan without "
             "contacts, or where eigenvalues are not real",
             {},
             {},
             Plotted::scalar},
            write_number([this] {
              Matrix6d kappa;
              if (!compute_stiffness(kappa)) return std::numeric_limits<double>::quiet_NaN();
              if (options_.stiffness->criterion == Criterion::definite) {
                return compute_least_definite(kappa);
              }
              const LeastEigenvalue least = compute_least_eigenvalue(kappa);
              return least.real ? least.value : std::numeric_limits<double>::quiet_NaN();
            }));
}

}  // namespace coluber::grasp

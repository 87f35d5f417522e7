#include "observed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "coluber/math/sincos.hpp"

#include "chain/rows.hpp"

namespace coluber::planar {

void add_link_rows(ObservableTable& table, const Pose& pose, int n) {
  table.add({"link_position", "m", "centre of gravity of each link", {n, 2}, {"x", "y"}},
            [&pose](std::span<double> out) {
              for (Eigen::Index i = 0; i < pose.theta.size(); ++i) {
                const auto at = static_cast<std::size_t>(2 * i);
                out[at] = pose.origin.x() + pose.r(0, i);
                out[at + 1] = pose.origin.y() + pose.r(1, i);
              }
            });
  table.add({"link_angle",
             "rad",
             "angle from e_x to the link's axis, which points to the next link",
             {n}},
            chain::write_vector([&pose]() -> const VectorXd& { return pose.theta; }));
}

void add_joint_rows(ObservableTable& table, const JointColumns& joints, int n,
                    const char* torque_doc) {
  table.add(
      {"joint_angle", "rad", "link_angle i+1 minus link_angle i", {n - 1}, {}, Plotted::angle},
      joints.phi);
  table.add({"joint_rate", "rad/s", "rate of the joint angle", {n - 1}}, joints.phidot);
  table.add({"joint_torque", "N m", torque_doc, {n - 1}, {}, Plotted::torque}, joints.tau);
  table.add({"joint_reference",
             "rad",
             "angle the controller was to reach at the end of the last step",
             {n - 1}},
            joints.phi_d);
}

std::vector<Body> make_bodies(const Model& model) {
  std::vector<Body> bodies;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    bodies.push_back(chain::make_link(i, link.L_SC, link.L_GS));
  }
  for (std::size_t j = 0; j < model.obstacles.size(); ++j) {
    bodies.push_back(chain::make_obstacle(j, model.obstacles[j].H, model.obstacles[j].L_H, 0.0));
  }
  bodies.push_back(chain::make_ground());
  return bodies;
}

void write_poses(const Model& model, const Pose& pose, std::span<double> values) {
  double* out = values.data();
  for (int i = 0; i < model.n(); ++i) {
    const double offset = model.links[static_cast<std::size_t>(i)].offset;
    double sin_half = 0.0;
    double cos_half = 1.0;
    math::sincos(0.5 * pose.theta(i), sin_half, cos_half);
    const std::array<double, 7> each{pose.origin.x() + pose.r(0, i) - offset * pose.cos(i),
                                     pose.origin.y() + pose.r(1, i) - offset * pose.sin(i),
                                     0.0,
                                     cos_half,
                                     0.0,
                                     0.0,
                                     sin_half};
    out = std::copy(each.begin(), each.end(), out);
  }
}

void write_centres(const Pose& pose, Eigen::Ref<VectorXd> centres) {
  for (Eigen::Index i = 0; i < pose.theta.size(); ++i) {
    centres.segment<2>(2 * i) = pose.origin + pose.r.col(i);
  }
}

Vector2d mean_of_links(const Pose& pose) { return pose.origin + chain::mean_over_ground(pose.r); }

double weight_of(const Model& model) {
  double weight = 0.0;
  for (const Link& link : model.links) weight += link.m * model.g;
  return weight;
}

}  // namespace coluber::planar

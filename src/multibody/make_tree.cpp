#include <algorithm>

#include "math/degree.hpp"
#include "multibody/key_checks.hpp"

namespace coluber::multibody {

Eigen::Matrix3d inertia_matrix(const std::array<double, 6>& I) {
  Eigen::Matrix3d matrix;
  matrix << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  return matrix;
}

int index_of(const RobotKeys& robot, const std::string& name) {
  const auto found = std::ranges::find(robot.body, name, &BodyKeys::name);
  return found == robot.body.end() ? -1 : static_cast<int>(found - robot.body.begin());
}

std::optional<int> count_coordinates(const RobotKeys& robot) {
  if (!robot.known) return std::nullopt;
  int count = 0;
  for (std::size_t i = 1; i < robot.body.size(); ++i) count += coordinates_of(robot.body[i].joint);
  return count;
}

Tree make_tree(const RobotKeys& robot, const WorldKeys& world, double gravity,
               const drive::Laws* laws) {
  using math::degree;
  Tree tree;
  tree.gravity = gravity;
  for (const BodyKeys& keys : robot.body) {
    Body body;
    body.name = keys.name;
    body.parent = keys.parent.empty() ? -1 : index_of(robot, keys.parent);
    body.joint = keys.joint;
    using Eigen::Vector3d;
    const auto turn = [](double angle_deg, int axis) {
      return math::exp(Vector3d(angle_deg * degree * Vector3d::Unit(axis)));
    };
    if (keys.dh) {
      const Pose first{turn(keys.dh->gamma_deg, 2), {0.0, 0.0, keys.dh->b}};
      const Eigen::Matrix3d tilt = turn(keys.dh->alpha_deg, 0);
      body.joint_frame = first * Pose{tilt, tilt * Vector3d(keys.dh->d, 0.0, 0.0)};
    } else {
      body.joint_frame = {turn(keys.rotation_deg.z(), 2) * turn(keys.rotation_deg.y(), 1) *
                              turn(keys.rotation_deg.x(), 0),
                          keys.position};
    }
    body.m = keys.mass;
    body.c = keys.centre;
    body.I_c = inertia_matrix(keys.inertia);
    tree.bodies.push_back(std::move(body));
  }
  for (const WheelKeys& keys : robot.wheel) {
    tree.wheels.push_back({index_of(robot, keys.body), keys.position, keys.heading_deg * degree,
                           keys.kind, keys.driven, keys.radius, keys.side_friction, keys.weight,
                           keys.prestress});
  }
  for (const LoopKeys& keys : robot.loop) {
    tree.loops.push_back({index_of(robot, keys.bodies.at(0)), index_of(robot, keys.bodies.at(1)),
                          keys.point_a, keys.point_b});
  }
  for (const ForceKeys& keys : world.force) {
    std::vector<int> bodies;
    for (int link : keys.links) bodies.push_back(link - 1);
    if (keys.law == ForceKind::added_mass) {
      for (std::size_t j = 0; j < tree.bodies.size(); ++j) {
        if (!bodies.empty() && std::ranges::find(bodies, static_cast<int>(j)) == bodies.end()) {
          continue;
        }
        Body& body = tree.bodies[j];
        for (int i = 0; i < 3; ++i) {
          const auto at = static_cast<std::size_t>(i);
          body.added(i) += body.m * keys.added_mass[at];
          body.added(i + 3) += body.I_c(i, i) * keys.added_mass[at + 3];
        }
      }
      continue;
    }
    tree.forces.push_back({static_cast<ForceLaw>(keys.law), keys.c_along, keys.c_across,
                           keys.c_turn, keys.mu_along, keys.mu_across, keys.v_smooth, keys.load,
                           std::move(bodies)});
  }
  if (laws != nullptr) {
    int coordinates = 0;
    for (std::size_t i = 1; i < tree.bodies.size(); ++i) {
      coordinates += coordinates_of(tree.bodies[i].joint);
    }
    tree.roles.assign(static_cast<std::size_t>(coordinates), Role::imposed);
    for (const drive::JointLaw& law : laws->joint) {
      Role& role = tree.roles.at(static_cast<std::size_t>(law.joint - 1));
      if (law.law == drive::LawKind::follower) role = Role::follower;
      if (law.law == drive::LawKind::loop) role = Role::loop;
    }
    tree.base_imposed = !laws->base.empty();
    tree.drive = laws->drive.has_value();
  }
  return tree;
}

}  // namespace coluber::multibody

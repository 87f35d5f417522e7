#include "grasp/make.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/grasp/keys.hpp"
#include "coluber/grasp/system.hpp"

#include "grasp/key_checks.hpp"
#include "math/degree.hpp"

namespace coluber::grasp {

namespace {

using Eigen::Vector2d;
using Eigen::VectorXd;

/// Heights of the front ends of all links, and of the end of the last (m).
VectorXd heights_of(const StartKeys& start, const Model& model) {
  VectorXd z = VectorXd::Zero(model.links + 1);
  if (start.rises.word == "flat") return z;
  const int foot = model.wheeled.front();
  const int level = start.rises.word == "level" ? start.level_to - 1 : std::min(1, foot);
  for (int i = 0; i < foot; ++i) {
    z(i) =
        i <= level ? start.height : start.height * static_cast<double>(foot - i) / (foot - level);
  }
  return z;
}

Configuration place_robot(const drive::Build& build, const Model& model) {
  const auto& start = build.get<StartKeys>();
  Configuration q(model.links);
  q.P0 << start.position, 0.0;
  q.yaw(0) = start.heading_deg * math::degree;
  const auto take = [&](const std::vector<double>& degrees, VectorXd& angles) {
    for (std::size_t i = 0; i < degrees.size() && i + 1 < static_cast<std::size_t>(model.links);
         ++i) {
      angles(static_cast<Eigen::Index>(i) + 1) = degrees[i] * math::degree;
    }
  };
  take(start.yaws_deg, q.yaw);
  take(start.pitches_deg, q.pitch);
  if (!start.pitches_deg.empty()) return q;
  int bad = -1;
  if (start.rises.word.empty()) {
    VectorXd rises(model.joints());
    for (int i = 0; i < model.joints(); ++i) {
      rises(i) = start.rises.numbers[static_cast<std::size_t>(i)];
    }
    bad = pitch_to_rises(model, rises, q);
  } else {
    bad = pitch_to_heights(model, heights_of(start, model), q);
  }
  if (bad >= 0) {
    throw InputError(
        build.fault(start.rises.word.empty() ? "start.rises" : "start.height",
                    fmt::format("link {} would have to be steeper than it can be", bad + 1),
                    "take smaller heights, or smaller yaws"));
  }
  return q;
}

/// The object of the scenario, and where it stands.
Object make_object(const ObjectKeys& keys, const Model& model, const Configuration& q,
                   Place& place) {
  Object object;
  object.height = keys.height;
  object.weight = keys.weight;
  object.rho = wrapping_radius(keys, model.radius);
  object.radius = keys.radius;
  if (keys.shape == ObjectShape::prism) {
    object.corners.resize(2, static_cast<Eigen::Index>(keys.vertices.size()));
    for (std::size_t i = 0; i < keys.vertices.size(); ++i) {
      object.corners.col(static_cast<Eigen::Index>(i)) = keys.vertices[i];
    }
  }
  if (!keys.tangent_to) {
    place.p = {keys.x.value_or(0.0), keys.y.value_or(0.0)};
    return object;
  }
  Chain chain(model.links);
  update_chain(model, q, chain);
  const int link = *keys.tangent_to - 1;
  const Vector2d along = chain.along.col(link).head<2>().normalized();
  const Vector2d left(-along.y(), along.x());
  place.p = chain.mid.col(link).head<2>() + object.rho * left;
  if (object.is_prism()) {
    const Vector2d corner = object.corners.col(0);
    const double own = std::atan2(corner.y(), corner.x());
    place.yaw = std::atan2(-left.y(), -left.x()) - own;
  }
  return object;
}

/// The key that a fault at the start belongs to.
const char* key_of(Fault fault) {
  switch (fault) {
    case Fault::overlap:
      return "world.object";
    case Fault::apart:
      return "task.1.first_link";
    case Fault::inside:
    case Fault::beyond:
      return "world.object";
    default:
      return "task";
  }
}

const char* hint_of(Fault fault) {
  switch (fault) {
    case Fault::overlap:
      return "move it, or write  tangent_to = 8";
    case Fault::apart:
      return "write  tangent_to = 8  in [world.object], or an approach before the lasso";
    case Fault::inside:
    case Fault::beyond:
      return "place the object beside the middle of the first link:  tangent_to = 8";
    default:
      return "take another start or other tasks";
  }
}

}  // namespace

std::unique_ptr<System> make_grasp(const drive::Build& build) {
  const auto& robot = build.get<RobotKeys>();
  Model model;
  model.links = robot.links;
  model.length = robot.link.front().length;
  model.radius = robot.link.front().radius;
  for (int link : robot.wheeled_links) model.wheeled.push_back(link - 1);

  SystemOptions options;
  options.dt = build.get<drive::Stepping>().dt;
  options.duration = build.duration;
  options.integrator = build.get<SolverKeys>().integrator;
  options.controller = build.get<ControllerKeys>();
  options.tasks = build.get<TaskList>().task;
  options.stiffness = build.get<StiffnessTable>().stiffness;
  const Configuration q = place_robot(build, model);
  if (const auto& object = build.get<WorldKeys>().object) {
    options.object = make_object(*object, model, q, options.place);
  }
  double end = 0.0;
  for (const TaskKeys& task : options.tasks) end += task.duration.value_or(0.0);
  if (build.duration < end * (1.0 - 1e-12)) {
    build.warnings.push_back(
        {"duration", fmt::format("duration = {} s: the tasks take {} s", build.duration, end)});
  }
  auto system = std::make_unique<GraspSystem>(model, q, std::move(options));
  if (system->fault() != Fault::none) {
    throw InputError(
        build.fault(key_of(system->fault()), system->fault_words(), hint_of(system->fault())));
  }
  return system;
}

std::vector<keys::CatalogueRobot> catalogue() {
  // The thesis prints no size; its contact data give links of 1 m. The radius is ours.
  return {{.name = "lasso15",
           .doc = "15 links of 1 m with pitch and yaw joints, links 10 to 15 on wheels (Atakan "
                  "2005; the radius is ours)",
           .toml = "[robot]\n"
                   "links = 15\n"
                   "wheeled_links = [10, 11, 12, 13, 14, 15]\n"
                   "[robot.link]\n"
                   "length = 1.0\n"
                   "radius = 0.05\n",
           .models = {"grasp"}}};
}

}  // namespace coluber::grasp

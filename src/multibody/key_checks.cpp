#include "multibody/key_checks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "coluber/core/error.hpp"

namespace coluber::multibody {

namespace {

using keys::Check;

std::string names_of(const RobotKeys& robot) {
  std::string names;
  for (const BodyKeys& body : robot.body) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", body.name);
  }
  return "bodies: " + names;
}

/// Every fault of the list; true if there was one.
bool refuse_bodies(const RobotKeys& robot, Check& check) {
  bool refused = false;
  const auto fault = [&](std::size_t i, const char* key, std::string message, std::string hint) {
    check.fault(fmt::format("robot.body.{}.{}", i + 1, key), std::move(message), std::move(hint));
    refused = true;
  };
  for (std::size_t i = 0; i < robot.body.size(); ++i) {
    const BodyKeys& body = robot.body[i];
    const int named = index_of(robot, body.name);
    if (body.name.empty()) fault(i, "name", "is empty", "give the body a name");
    if (named >= 0 && static_cast<std::size_t>(named) < i) {
      fault(i, "name", fmt::format("there is a \"{}\" already, body {}", body.name, named + 1),
            "names are unique");
    }
    if (i == 0 && !body.parent.empty()) {
      fault(i, "parent", "the first body has no parent", "leave it out");
    } else if (i > 0 && body.parent.empty()) {
      fault(i, "parent", "there is one body without a parent, the first",
            "name the body that carries this one");
    } else if (i > 0) {
      const int parent = index_of(robot, body.parent);
      if (parent < 0) {
        fault(i, "parent", fmt::format("there is no body \"{}\"", body.parent), names_of(robot));
      } else if (static_cast<std::size_t>(parent) >= i) {
        fault(i, "parent", fmt::format("\"{}\" comes behind this body", body.parent),
              "parents come before their children");
      }
    }
    if (body.dh && (!body.position.isZero(0.0) || !body.rotation_deg.isZero(0.0))) {
      fault(i, "dh", "the joint frame is given by position and rotation_deg", "leave one out");
    }
    if (!is_physical(inertia_matrix(body.inertia))) {
      fault(i, "inertia", "no body has this inertia",
            "no principal moment is negative or more than the sum of the other two");
    }
    const std::size_t wanted = body.shape == BodyShape::box      ? 3
                               : body.shape == BodyShape::sphere ? 1
                                                                 : 2;
    if (!body.size.empty() && body.size.size() != wanted) {
      fault(i, "size", fmt::format("has {} numbers, the shape needs {}", body.size.size(), wanted),
            "a box has x, y, z; a cylinder radius, height; a sphere its radius");
    }
  }
  return refused;
}

bool refuse_wheels(const RobotKeys& robot, Check& check) {
  bool refused = false;
  for (std::size_t i = 0; i < robot.wheel.size(); ++i) {
    const WheelKeys& wheel = robot.wheel[i];
    const int body = index_of(robot, wheel.body);
    const auto fault = [&](const char* key, std::string message, std::string hint) {
      check.fault(fmt::format("robot.wheel.{}.{}", i + 1, key), std::move(message),
                  std::move(hint));
      refused = true;
    };
    if (body < 0) {
      fault("body", fmt::format("there is no body \"{}\"", wheel.body), names_of(robot));
    } else if (wheel.driven && body > 0) {
      fault("driven", fmt::format("\"{}\" is not the first body", wheel.body),
            "put the body with the driven wheels first");
    }
    if (wheel.driven && wheel.kind == WheelKind::castor) {
      fault("driven", "a castor follows by itself", "take another kind");
    }
  }
  for (std::size_t i = 0; i < robot.loop.size(); ++i) {
    for (const std::string& name : robot.loop[i].bodies) {
      if (index_of(robot, name) >= 0) continue;
      check.fault(fmt::format("robot.loop.{}.bodies", i + 1),
                  fmt::format("there is no body \"{}\"", name), names_of(robot));
      refused = true;
    }
  }
  return refused;
}

/// Numbers that belong to other force laws.
void warn_of_idle(const ForceKeys& force, const std::string& path, keys::Check& check) {
  static constexpr const char* words[] = {"viscous", "quadratic", "coulomb_smooth", "added_mass"};
  const bool drag = force.law == ForceKind::viscous || force.law == ForceKind::quadratic;
  const bool friction = force.law == ForceKind::coulomb_smooth;
  const ForceKeys usual;
  std::vector<std::string> idle;
  const auto look = [&](const char* name, double ForceKeys::* number, bool takes) {
    if (!takes && force.*number != usual.*number) idle.emplace_back(name);
  };
  look("c_along", &ForceKeys::c_along, drag);
  look("c_across", &ForceKeys::c_across, drag);
  look("c_turn", &ForceKeys::c_turn, drag);
  look("mu_along", &ForceKeys::mu_along, friction);
  look("mu_across", &ForceKeys::mu_across, friction);
  look("v_smooth", &ForceKeys::v_smooth, friction);
  look("load", &ForceKeys::load, friction);
  if (force.law != ForceKind::added_mass && force.added_mass != usual.added_mass) {
    idle.emplace_back("added_mass");
  }
  if (idle.empty() || !check.is_sound(path)) return;
  check.warn(path, fmt::format("{}: {} {} no effect with law = \"{}\"", path, fmt::join(idle, ", "),
                               idle.size() > 1 ? "have" : "has",
                               words[static_cast<std::size_t>(force.law)]));
}

}  // namespace

void check_robot(RobotKeys& robot, keys::Check& check) {
  if (!check.is_sound("robot.body") || !check.is_sound("robot.wheel") ||
      !check.is_sound("robot.loop")) {
    return;
  }
  if (robot.body.empty()) {
    const std::string name = check.catalogue_robot();
    check.fault("robot.body", "a multibody system needs at least one body",
                fmt::format("write [[robot.body]], or take  name = \"{}\"", name));
    return;
  }
  const bool bodies = refuse_bodies(robot, check);
  const bool wheels = refuse_wheels(robot, check);
  robot.known = !bodies && !wheels;
  if (!robot.known) return;
  try {
    static_cast<void>(Model(make_tree(robot, {}, 0.0, nullptr)));
  } catch (const Error& error) {
    check.fault("robot.wheel", error.what(), "wheels stand on level ground");
    robot.known = false;
    return;
  }
  // Laws of what the robot does not have.
  const auto* laws = check.find_options<drive::Laws>();
  if (laws == nullptr) return;
  const int coordinates = *count_coordinates(robot);
  for (std::size_t i = 0; i < laws->joint.size(); ++i) {
    if (laws->joint[i].joint <= coordinates) continue;
    check.fault(fmt::format("gait.joint.{}.joint", i + 1),
                fmt::format("the robot has {} joint coordinates", coordinates),
                "they are counted in the order of the bodies");
  }
  for (std::size_t i = 0; i < laws->wheel.size(); ++i) {
    const auto w = static_cast<std::size_t>(laws->wheel[i].wheel);
    if (w > robot.wheel.size()) {
      check.fault(fmt::format("gait.wheel.{}.wheel", i + 1),
                  fmt::format("the robot has {} wheels", robot.wheel.size()),
                  "they are counted in the order of [[robot.wheel]]");
      continue;
    }
    const WheelKeys& wheel = robot.wheel[w - 1];
    const bool steer = laws->wheel[i].motion == drive::WheelMotion::steer;
    if (steer && wheel.kind == WheelKind::steered && wheel.heading_deg != 0.0) {
      check.warn("robot.wheel",
                 fmt::format("robot.wheel.{}.heading_deg has no effect: gait.wheel.{} gives the "
                             "heading; the law's offset is added to it",
                             w, i + 1));
    }
    if (steer ? wheel.kind == WheelKind::steered : wheel.driven) continue;
    check.fault(fmt::format("gait.wheel.{}.motion", i + 1),
                fmt::format("wheel {} is not {}", w, steer ? "steered" : "driven"),
                steer ? "write  kind = \"steered\"  in [[robot.wheel]]"
                      : "write  driven = true  in [[robot.wheel]]");
  }
  const bool drives = std::ranges::any_of(robot.wheel, &WheelKeys::driven);
  if (laws->drive && !drives) {
    check.fault("gait.drive", "no wheel of the robot is driven",
                "write  driven = true  in [[robot.wheel]]");
  }
}

void check_world(WorldKeys& world, keys::Check& check) {
  const auto* robot = check.find_options<RobotKeys>();
  if (check.given("path.shape") != nullptr) {
    check.fault("path", "the model \"multibody\" follows no path",
                "leave it out, or take a model of a chain in [robot]");
  }
  for (std::size_t i = 0; i < world.force.size(); ++i) {
    warn_of_idle(world.force[i], fmt::format("world.force.{}", i + 1), check);
    const std::vector<int>& links = world.force[i].links;
    for (std::size_t k = 1; k < links.size(); ++k) {
      if (std::find(links.begin(), links.begin() + static_cast<long>(k), links[k]) ==
          links.begin() + static_cast<long>(k)) {
        continue;
      }
      check.fault(fmt::format("world.force.{}.links", i + 1),
                  fmt::format("link {} is there twice", links[k]), "name each link once");
      break;
    }
    for (int link : links) {
      if (robot == nullptr || !robot->known ||
          (link >= 1 && static_cast<std::size_t>(link) <= robot->body.size())) {
        continue;
      }
      check.fault(fmt::format("world.force.{}.links", i + 1),
                  fmt::format("there is no link {}, the robot has {}", link, robot->body.size()),
                  "links are counted from 1, in the order of the bodies");
    }
    if (world.force[i].law == ForceKind::coulomb_smooth) {
      check.warn("world.force",
                 fmt::format("world.force.{}: smoothed friction creeps, it holds nothing in place",
                             i + 1));
    }
  }
}

void check_solver(SolverKeys& solver, keys::Check& check) {
  if (solver.integrator != Integrator::rk4) return;
  for (const char* key : {"solver.smooth.rtol", "solver.smooth.atol"}) {
    if (!check.is_changed(key)) continue;
    check.warn(key, fmt::format("{} has no effect: integrator = \"rk4\" takes steps of solver.dt, "
                                "whatever their error; \"dopri5\" and \"cvode\" adapt",
                                key));
  }
}

void check_start(StartKeys& start, keys::Check& check) {
  if (start.twist.word.empty() && start.twist.numbers.size() != 6 &&
      check.is_sound("start.twist")) {
    check.fault("start.twist", fmt::format("has {} numbers", start.twist.numbers.size()),
                "six: V_x, V_y, V_z, Omega_x, Omega_y, Omega_z of link 1 in its axes");
  }
}

}  // namespace coluber::multibody

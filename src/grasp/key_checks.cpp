#include "grasp/key_checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace coluber::grasp {

namespace {

using keys::Check;

/// ρ under this many link lengths asks for joints beyond 80 degrees.
constexpr double kLeastRadius = 0.6;

/// A list that must have one entry per joint, or none.
void check_count(std::size_t found, int joints, const char* key, const char* what, Check& check) {
  if (found == 0 || found == static_cast<std::size_t>(joints) || !check.is_sound(key)) return;
  check.fault(key, fmt::format("has {} {}, the robot has {} joints", found, what, joints),
              "write one per joint, from the head");
}

bool is_wheeled(const RobotKeys& robot, int link) {
  return std::ranges::find(robot.wheeled_links, link) != robot.wheeled_links.end();
}

}  // namespace

double wrapping_radius(const ObjectKeys& object, double link_radius) {
  if (object.shape == ObjectShape::cylinder) return object.radius + link_radius;
  double farthest = 0.0;
  for (const Eigen::Vector2d& vertex : object.vertices) {
    farthest = std::max(farthest, vertex.norm());
  }
  return farthest + link_radius;
}

void check_robot(RobotKeys& robot, Check& check) {
  if (robot.link.empty()) robot.link.resize(1);
  const keys::Node* link = check.find("robot.link");
  if (link != nullptr && link->is_array()) {
    for (const LinkKeys& each : robot.link) {
      if (each.length == robot.link[0].length && each.radius == robot.link[0].radius) continue;
      check.fault("robot.link", "the links of this model are all alike",
                  "write  link = { length = 1.0, radius = 0.05 }");
      break;
    }
    if (link->valid && robot.link.size() != static_cast<std::size_t>(robot.links)) {
      check.fault("robot.link",
                  fmt::format("{} entries, the robot has {} links", robot.link.size(), robot.links),
                  "write  link = { … }  for all links");
    }
  }
  robot.link.resize(1);
  auto& wheels = robot.wheeled_links;
  if (!check.is_sound("robot.wheeled_links")) return;
  std::ranges::sort(wheels);
  if (std::ranges::adjacent_find(wheels) != wheels.end()) {
    check.fault("robot.wheeled_links", "names a link twice", "name every link once");
  } else if (!wheels.empty() && wheels.back() > robot.links) {
    check.fault("robot.wheeled_links",
                fmt::format("there is no link {}, the robot has {}", wheels.back(), robot.links),
                "take links of the robot");
  } else if (wheels.size() < 4) {
    check.fault("robot.wheeled_links",
                fmt::format("{} links on wheels do not determine the head's motion", wheels.size()),
                "take at least 4 (Atakan 2.5)");
  } else if (static_cast<int>(wheels.size()) > robot.links - 1) {
    check.fault("robot.wheeled_links",
                fmt::format("{} links on wheels, at most {} leave the task solvable", wheels.size(),
                            robot.links - 1),
                "take fewer");
  }
}

void check_start(StartKeys& start, Check& check) {
  const auto* robot = check.find_options<RobotKeys>();
  if (robot == nullptr) return;
  const int joints = robot->links - 1;
  check_count(start.yaws_deg.size(), joints, "start.yaws_deg", "angles", check);
  check_count(start.pitches_deg.size(), joints, "start.pitches_deg", "angles", check);
  if (start.rises.word.empty()) {
    check_count(start.rises.numbers.size(), joints, "start.rises", "heights", check);
  }
  if (!start.pitches_deg.empty() && check.given("start.rises") != nullptr) {
    check.fault("start.rises", "pitches are given too", "leave one of them out");
  }
  if (start.rises.word == "level" && check.is_sound("start.level_to") &&
      !robot->wheeled_links.empty() && start.level_to >= robot->wheeled_links.front()) {
    check.fault("start.level_to",
                fmt::format("link {} is not ahead of the first link on wheels, {}", start.level_to,
                            robot->wheeled_links.front()),
                "take a link ahead of it");
  }
  if (start.rises.word == "flat") {
    for (const char* key : {"start.height", "start.level_to"}) {
      if (!check.is_changed(key) || !start.pitches_deg.empty()) continue;
      check.warn(key, fmt::format("{} has no effect: rises = \"flat\"", key));
    }
  }
}

void check_world(WorldKeys& world, Check& check) {
  const auto* robot = check.find_options<RobotKeys>();
  if (robot == nullptr || !world.object || robot->link.empty()) return;
  const ObjectKeys& object = *world.object;
  const bool placed = object.x.has_value() || object.y.has_value();
  if (object.tangent_to && placed) {
    check.fault("world.object.tangent_to", "x and y place the object too",
                "give either tangent_to, or x and y");
  } else if (!object.tangent_to && !(object.x && object.y) && check.is_sound("world.object.x") &&
             check.is_sound("world.object.y") && check.is_sound("world.object.tangent_to")) {
    check.fault("world.object", "nothing says where the object is",
                "write  tangent_to = 8, or  x = 4.0  and  y = 2.0");
  }
  if (object.tangent_to && *object.tangent_to > robot->links) {
    check.fault(
        "world.object.tangent_to",
        fmt::format("there is no link {}, the robot has {}", *object.tangent_to, robot->links),
        "take a link of the robot");
  }
  if (object.shape == ObjectShape::prism) {
    const std::size_t n = object.vertices.size();
    if (!check.is_sound("world.object.vertices")) return;
    if (n < 3) {
      check.fault("world.object.vertices", fmt::format("{} corners make no prism", n),
                  "give at least three");
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Eigen::Vector2d a = object.vertices[(i + 1) % n] - object.vertices[i];
      const Eigen::Vector2d b = object.vertices[(i + 2) % n] - object.vertices[(i + 1) % n];
      if (a.x() * b.y() - a.y() * b.x() > 0.0) continue;
      check.fault("world.object.vertices",
                  fmt::format("the polygon is not convex and counter-clockwise at corner {}",
                              (i + 1) % n + 1),
                  "order the corners counter-clockwise");
      return;
    }
  }
  const double rho = wrapping_radius(object, robot->link[0].radius);
  const double least = kLeastRadius * robot->link[0].length;
  const char* key =
      object.shape == ObjectShape::prism ? "world.object.vertices" : "world.object.radius";
  if (rho < least * (1.0 - 1e-12) && check.is_sound(key) && check.is_sound("robot.link")) {
    check.fault(key,
                fmt::format("links would wrap at rho = {:.4g} m; below {:.4g} m (0.6 link lengths) "
                            "joints pass 80 degrees, where pitches lose their effect",
                            rho, least),
                "take a larger object, or shorter links");
  }
}

void check_controller(ControllerKeys& controller, Check& check) {
  const ControlOptions& law = controller.law;
  if (law.gain_policy == GainPolicy::clamped && law.gain_min > law.gain_max) {
    check.fault("controller.gain_min", fmt::format("is above gain_max, {}", law.gain_max),
                "take a smaller one");
  }
  if (law.null_space.alpha > 0.0 && law.null_space.a == 0.0 && law.null_space.b == 0.0) {
    check.warn("controller.null_space.alpha",
               "controller.null_space.alpha has no effect: a and b are 0");
  }
  const auto without = [&](const char* key, bool used, const char* with) {
    if (used || !check.is_changed(key)) return;
    check.warn(key, fmt::format("{} has no effect: it goes with  {}", key, with));
  };
  without("controller.damping", law.inverse == Inverse::damped, "inverse = \"damped\"");
  without("controller.gain_min", law.gain_policy == GainPolicy::clamped,
          "gain_policy = \"clamped\"");
  without("controller.gain_max", law.gain_policy == GainPolicy::clamped,
          "gain_policy = \"clamped\"");
}

namespace {

/// Keys of a task that belong to other kinds.
void check_strange_keys(const TaskKeys& task, const std::string& path, Check& check) {
  const auto refuse = [&](const char* word, const char* kinds) {
    const std::string key = path + '.' + word;
    if (check.given(key) == nullptr) return;
    check.fault(key, fmt::format("goes with  kind = {}", kinds), "leave it out");
  };
  const TaskKind kind = task.kind;
  if (kind != TaskKind::pose) {
    for (const char* word : {"x", "y", "yaw_deg", "rises", "oscillating_joint", "oscillation_deg",
                             "oscillation_omega"}) {
      refuse(word, "\"pose\"");
    }
  }
  if (kind != TaskKind::lasso) {
    for (const char* word : {"first_link", "link_time", "route"}) refuse(word, "\"lasso\"");
  }
  if (kind != TaskKind::lasso && kind != TaskKind::pose)
    refuse("contacts", "\"pose\" or \"lasso\"");
  if (kind != TaskKind::drag && kind != TaskKind::approach) {
    for (const char* word : {"goal", "turn_deg"}) refuse(word, "\"drag\" or \"approach\"");
  }
  if (kind != TaskKind::regrasp) refuse("push", "\"regrasp\"");
}

void check_pose(const TaskKeys& task, const RobotKeys& robot, const std::string& path,
                Check& check) {
  const int joints = robot.links - 1;
  const auto m = static_cast<int>(robot.wheeled_links.size());
  check_count(task.rises.size(), joints, (path + ".rises").c_str(), "heights", check);
  const std::string key = path + ".contacts";
  if (task.contacts.count > 0) {
    check.fault(key, "a pose names the links", "write  contacts = [6, 7, 8]");
  }
  const auto& links = task.contacts.links;
  if (links.size() > static_cast<std::size_t>(kHeld)) {
    check.fault(key, fmt::format("{} links, at most {} can be held at once", links.size(), kHeld),
                "name fewer");
  } else if (m + 2 * static_cast<int>(links.size()) > joints) {
    check.fault(key,
                fmt::format("{} contacts and {} wheels ask for more than {} joints can do",
                            links.size(), m, joints),
                "m + 2 r is at most n - 1 (Atakan 3.15)");
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i] > robot.links || links[i] < 2) {
      check.fault(key,
                  fmt::format("link {} cannot be held: it is link 1, or there is none", links[i]),
                  fmt::format("take links from 2 to {}", robot.links));
    } else if (std::ranges::count(links, links[i]) > 1) {
      check.fault(key, fmt::format("names link {} twice", links[i]), "name every link once");
      break;
    }
  }
  if (task.oscillating_joint > joints) {
    check.fault(
        path + ".oscillating_joint",
        fmt::format("there is no joint {}, the robot has {}", task.oscillating_joint, joints),
        "joints count from 1, behind link 1");
  }
}

void check_lasso(TaskKeys& task, const RobotKeys& robot, const std::string& path, Check& check) {
  const auto* world = check.find_options<WorldKeys>();
  if (world == nullptr || !world->object) {
    check.fault(path + ".kind", "there is no object to wrap",
                "write [world.object], for example  tangent_to = 8");
  }
  if (!task.first_link) {
    check.fault(path + ".first_link", "of a lasso it must be given",
                "the link that touches the object, for example 8");
  }
  const int first = task.first_link.value_or(1);
  if (task.first_link && first > robot.links) {
    check.fault(path + ".first_link",
                fmt::format("there is no link {}, the robot has {}", first, robot.links),
                "take a link ahead of the wheels");
  } else if (task.first_link && is_wheeled(robot, first)) {
    check.fault(path + ".first_link",
                fmt::format("link {} is on wheels, which cannot roll round an object", first),
                "take a link ahead of the wheels");
  } else if (task.first_link &&
             std::ranges::any_of(robot.wheeled_links, [&](int each) { return each < first; })) {
    check.fault(path + ".first_link", fmt::format("link {} has wheels ahead of it", first),
                "take a link ahead of all wheels");
  }
  const std::string key = path + ".contacts";
  if (!task.contacts.links.empty()) {
    check.fault(key, "a lasso counts its contacts", "write  contacts = 3");
  } else if (task.contacts.count == 0 && check.find(key) == nullptr) {
    check.fault(key, "of a lasso it must be given", "write  contacts = 3");
  } else if (task.first_link && task.contacts.count > first) {
    check.fault(key,
                fmt::format("{} contacts, from link {} on there are {} links ahead and itself",
                            task.contacts.count, first, first - 1),
                fmt::format("take at most {}", first));
  }
  if (task.duration) {
    check.fault(path + ".duration", "a lasso takes link_time per link", "leave it out");
  } else {
    task.duration = std::max(1, task.contacts.count - 1) * task.link_time;
  }
  const auto* controller = check.find_options<ControllerKeys>();
  if (controller != nullptr && controller->law.inverse != Inverse::weighted) {
    check.warn("controller.inverse",
               "controller.inverse: a lasso closes one joint after another only with \"weighted\"; "
               "others spread each bend over all joints");
  }
}

/// Contacts without a stiffness would be left out of the grasp's.
void check_contacts_stiffness(const TaskKeys& task, const std::string& path, Check& check) {
  const auto* table = check.find_options<StiffnessTable>();
  if (table == nullptr || !table->stiffness || table->stiffness->k_t.empty()) return;
  const std::size_t given = table->stiffness->k_t.size();
  const auto made = static_cast<std::size_t>(std::max(task.contacts.count, 0));
  if (made > given && table->stiffness->k_n.size() == given && check.is_sound("stiffness.k_t")) {
    check.fault("stiffness.k_t",
                fmt::format("has {} numbers, {} makes {} contacts", given, path, made),
                "one per contact, in the order they are made");
  }
}

}  // namespace

void check_tasks(TaskList& tasks, Check& check) {
  const auto* robot = check.find_options<RobotKeys>();
  if (robot == nullptr || !check.is_sound("task")) return;
  bool wrapped = false;
  for (std::size_t i = 0; i < tasks.task.size(); ++i) {
    TaskKeys& task = tasks.task[i];
    const std::string path = fmt::format("task.{}", i + 1);
    if (!check.is_sound(path + ".kind")) continue;
    check_strange_keys(task, path, check);
    if (!task.contacts.whole) {
      check.fault(path + ".contacts", "links are counted in whole numbers", "write  [6, 7, 8]");
      task.contacts = {};
    }
    if (task.kind == TaskKind::pose) check_pose(task, *robot, path, check);
    if (task.kind == TaskKind::lasso) {
      check_lasso(task, *robot, path, check);
      check_contacts_stiffness(task, path, check);
      wrapped = true;
    }
    if (!task.duration) {
      if (check.is_sound(path + ".duration")) {
        check.fault(path + ".duration", "must be given", "in s, for example  duration = 8.0");
      }
      task.duration = 2.0;
    }
    const bool rests = task.kind == TaskKind::drag || task.kind == TaskKind::approach ||
                       task.kind == TaskKind::regrasp;
    if (rests && *task.duration <= 1.0) {
      check.fault(
          path + ".duration",
          fmt::format("{} s leave no time to move: the last second is a rest", *task.duration),
          "take more than 1 s");
    }
    const bool carries = task.kind == TaskKind::drag || task.kind == TaskKind::regrasp;
    if (carries && !wrapped) {
      check.fault(path + ".kind", "nothing has been grasped before", "write a lasso before it");
    }
    if (task.kind == TaskKind::regrasp) {
      const auto* table = check.find_options<StiffnessTable>();
      if (!task.push) {
        check.fault(path + ".push", "of a regrasp it must be given",
                    "write  push = [1.5, 2.0, 0.0]");
      }
      if (table == nullptr || !table->stiffness) {
        check.fault(path + ".kind", "a regrasp needs the grasp's stiffness", "write [stiffness]");
      }
    }
  }
}

void check_stiffness(StiffnessTable& table, Check& check) {
  if (!table.stiffness) return;
  StiffnessKeys& keys = *table.stiffness;
  const auto* world = check.find_options<WorldKeys>();
  if (world == nullptr || !world->object) {
    check.fault("stiffness", "there is no object", "write [world.object]");
  }
  if (keys.k_t.empty() && check.find("stiffness.k_t") == nullptr) {
    check.fault("stiffness.k_t", "must be given", "write  k_t = [50, 50, 50]");
  }
  if (keys.k_n.size() != keys.k_t.size() && check.is_sound("stiffness.k_n")) {
    check.fault("stiffness.k_n",
                fmt::format("has {} numbers, k_t has {}", keys.k_n.size(), keys.k_t.size()),
                "one per contact");
    keys.k_n = keys.k_t;
  }
  if (keys.contact == ContactKind::rolling && world != nullptr && world->object &&
      world->object->shape == ObjectShape::prism) {
    check.fault("stiffness.contact",
                "\"rolling\" divides by the curvatures of link and object along the link, and the "
                "faces of a prism are as flat there as the link",
                "take \"point\"");
  }
  if (!keys.F_n.empty() && keys.contact == ContactKind::point) {
    check.warn("stiffness.F_n", "stiffness.F_n has no effect: it goes with  contact = \"rolling\"");
  }
  if (!keys.F_n.empty() && keys.F_n.size() != keys.k_t.size() && check.is_sound("stiffness.F_n")) {
    check.fault("stiffness.F_n",
                fmt::format("has {} numbers, k_t has {}", keys.F_n.size(), keys.k_t.size()),
                "one per contact");
  }
  keys.F_n.resize(keys.k_t.size(), 0.0);
  if (keys.F_t.empty()) keys.F_t.resize(keys.k_t.size(), Eigen::Vector2d::Zero());
  if (keys.F_t.size() != keys.k_t.size() && check.is_sound("stiffness.F_t")) {
    check.fault("stiffness.F_t",
                fmt::format("has {} pairs, k_t has {} numbers", keys.F_t.size(), keys.k_t.size()),
                "one per contact");
    keys.F_t.resize(keys.k_t.size(), Eigen::Vector2d::Zero());
  }
}

}  // namespace coluber::grasp

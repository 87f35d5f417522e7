#include "coluber/grasp/keys.hpp"

#include "grasp/key_checks.hpp"

namespace coluber::grasp {

namespace {

using keys::Key;

Key amount(const char* name, const char* unit, double min, double max, const char* doc,
           const char* example) {
  return {.name = name, .unit = unit, .min = min, .max = max, .doc = doc, .example = example};
}

Key above_zero(const char* name, const char* unit, double max, const char* doc,
               const char* example) {
  Key key = amount(name, unit, 0.0, max, doc, example);
  key.above_min = true;
  return key;
}

Key place(const char* name, const char* example) {
  Key key = amount(name, "m", -1e6, 1e6, "of its centre", example);
  key.default_note = "none: beside tangent_to";
  return key;
}

keys::Table<ObjectKeys> object_rows() {
  return keys::Table<ObjectKeys>("")
      .row({.name = "shape",
            .choices = {{"cylinder", "upright, of radius"},
                        {"prism", "upright, over vertices; it is wrapped as the circle round it"}},
            .doc = "what is grasped",
            .example = "\"cylinder\""},
           &ObjectKeys::shape)
      .row({.name = "tangent_to",
            .default_note = "none: x and y are given",
            .min = 1,
            .doc = "placed beside the middle of this link, to its left, seen from head to tail; of "
                   "a prism the first vertex is there",
            .example = "8"},
           &ObjectKeys::tangent_to)
      .row(place("x", "4.0"), &ObjectKeys::x)
      .row(place("y", "2.0"), &ObjectKeys::y)
      .row(above_zero("radius", "m", 1e4,
                      "of a cylinder's surface; link axes wrap at rho = radius + link.radius",
                      "0.75"),
           &ObjectKeys::radius)
      .row({.name = "vertices",
            .unit = "m",
            .default_note = "none",
            .min = -1e4,
            .max = 1e4,
            .doc = "of a prism: corners of a convex polygon about its centre, counter-clockwise",
            .example = "[[1.15, 0.0], [0.0, 1.15], [-1.15, 0.0], [0.0, -1.15]]"},
           &ObjectKeys::vertices)
      .row(above_zero("height", "m", 1e4, "from the plane of the wheels' middles upwards", "1.0"),
           &ObjectKeys::height)
      .row(amount("weight", "N", 0, 1e9, "acts at half its height; read by [stiffness]", "4.0"),
           &ObjectKeys::weight);
}

keys::Table<TaskKeys> task_rows() {
  return keys::Table<TaskKeys>("")
      .row(
          {.name = "kind",
           .choices = {{"pose", "head, rises and offsets of links to given values; the wish jumps"},
                       {"lasso", "links are laid round the object, one after another"},
                       {"drag", "the object is carried to a goal, with head and contacts"},
                       {"approach", "the head goes to a goal, the front keeps its shape"},
                       {"regrasp", "the grasp gives way to a push as its stiffness says"},
                       {"hold", "everything stays"}},
           .doc = "what is to be done",
           .example = "\"lasso\"",
           .required = true},
          &TaskKeys::kind)
      .row({.name = "duration",
            .unit = "s",
            .default_note = "link_time per link of a lasso; of the others it must be given",
            .min = 0,
            .max = 1e6,
            .above_min = true,
            .doc = "how long it takes; drag, approach and regrasp rest for its last second",
            .example = "8.0"},
           &TaskKeys::duration)
      .row({.name = "x",
            .unit = "m",
            .default_note = "as at the task's start",
            .min = -1e6,
            .max = 1e6,
            .doc = "of the head's tip, of a pose",
            .example = "0.5"},
           &TaskKeys::x)
      .row({.name = "y",
            .unit = "m",
            .default_note = "as at the task's start",
            .min = -1e6,
            .max = 1e6,
            .doc = "of the head's tip, of a pose",
            .example = "0.5"},
           &TaskKeys::y)
      .row({.name = "yaw_deg",
            .unit = "deg",
            .default_note = "as at the task's start",
            .min = -36000,
            .max = 36000,
            .doc = "direction of link 1, head to tail, of a pose; many turns allowed",
            .example = "60.0"},
           &TaskKeys::yaw_deg)
      .row({.name = "rises",
            .unit = "m",
            .default_note = "as at the task's start",
            .min = -1e4,
            .max = 1e4,
            .doc = "of the middles of links 2 … n over the head, of a pose",
            .example = "[-0.1, -0.15]"},
           &TaskKeys::rises)
      .row({.name = "contacts",
            .default_note = "none",
            .min = 1,
            .doc = "of a pose: links whose offsets from the head are kept, at most three; of a "
                   "lasso: how many links touch in the end",
            .example = "[6, 7, 8]"},
           &TaskKeys::contacts)
      .row({.name = "oscillating_joint",
            .default_note = "none",
            .min = 0,
            .doc = "of a pose: the angle from above between the links of this joint oscillates",
            .example = "13"},
           &TaskKeys::oscillating_joint)
      .row(amount("oscillation_deg", "deg", 0, 85, "how far", "20.0"), &TaskKeys::oscillation_deg)
      .row(amount("oscillation_omega", "rad/s", 0, 1e3, "how fast", "3.0"),
           &TaskKeys::oscillation_omega)
      .row({.name = "first_link",
            .default_note = "of a lasso it must be given",
            .min = 1,
            .doc = "of a lasso: the link that touches already",
            .example = "8"},
           &TaskKeys::first_link)
      .row({.name = "link_time",
            .unit = "s",
            .min = 1,
            .max = 1e4,
            .above_min = true,
            .doc = "of a lasso: for each link, its last second at rest",
            .example = "6.0"},
           &TaskKeys::link_time)
      .row({.name = "route",
            .choices = {{"direct", "each link turns straight to the object"},
                        {"swing", "it first turns 20 degrees the other way"}},
            .doc = "of a lasso",
            .example = "\"swing\""},
           &TaskKeys::route)
      .row({.name = "goal",
            .unit = "m",
            .default_note = "where it is",
            .min = -1e6,
            .max = 1e6,
            .doc = "of the object's centre (drag), of the head's tip (approach)",
            .example = "[5.1, 3.5]"},
           &TaskKeys::goal)
      .row(amount("turn_deg", "deg", -360, 360, "of drag and approach: about the goal", "20.0"),
           &TaskKeys::turn_deg)
      .row({.name = "push",
            .unit = "N",
            .default_note = "of a regrasp it must be given",
            .min = -1e9,
            .max = 1e9,
            .doc = "of a regrasp: force on the object, world axes",
            .example = "[1.5, 2.0, 0.0]"},
           &TaskKeys::push);
}

}  // namespace

const keys::Section& robot_keys() {
  static const keys::Section section =
      keys::Table<RobotKeys>("robot")
          .row({.name = "links", .min = 4, .max = 200, .doc = "number of links", .example = "15"},
               &RobotKeys::links)
          .list({.name = "link",
                 .form = keys::Form::one_for_all,
                 .noun = "a link",
                 .hint = "write  link = { length = 1.0, radius = 0.05 }"},
                &RobotKeys::link,
                keys::Table<LinkKeys>("")
                    .row(above_zero("length", "m", 1e4, "length of a link from joint to joint",
                                    "1.0"),
                         &LinkKeys::length)
                    .row(above_zero("radius", "m", 1e4, "radius of the link's capsule", "0.05"),
                         &LinkKeys::radius))
          .row({.name = "wheeled_links",
                .min = 1,
                .doc = "links on wheels, which do not slip sideways",
                .example = "[10, 11, 12, 13, 14, 15]"},
               &RobotKeys::wheeled_links)
          .check(check_robot);
  return section;
}

const keys::Section& start_keys() {
  static const keys::Section section =
      keys::Table<StartKeys>("start")
          .row(amount("position", "m", -1e6, 1e6, "of the head's tip, the front end of link 1",
                      "[0.0, 0.0]"),
               &StartKeys::position)
          .row(amount("heading_deg", "deg", -36000, 36000, "direction of link 1, head to tail",
                      "20.0"),
               &StartKeys::heading_deg)
          .row({.name = "yaws_deg",
                .unit = "deg",
                .default_note = "0",
                .min = -180,
                .max = 180,
                .doc = "of all joints, from the head",
                .example = "[2, 2, 2, 2, 2, 2, 8, -10, -20, -25, 25, 30, -20, -25]"},
               &StartKeys::yaws_deg)
          .row({.name = "pitches_deg",
                .unit = "deg",
                .default_note = "from rises",
                .min = -180,
                .max = 180,
                .doc = "of all joints, from the head; instead of rises",
                .example = "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"},
               &StartKeys::pitches_deg)
          .row({.name = "rises",
                .unit = "m",
                .min = -1e4,
                .max = 1e4,
                .choices = {{"flat", "all joints at one height"},
                            {"level",
                             "at height as far as the front joint of link level_to, then in "
                             "equal falls to 0 at the first wheeled link"},
                            {"descending",
                             "link 1 at height, then in equal falls to 0 at the first "
                             "wheeled link"}},
                .doc = "heights; a list has the middles of links 2 … n over the head. Pitches "
                       "follow, link 1 is level",
                .example = "\"level\""},
               &StartKeys::rises)
          .row(amount("height", "m", 0, 1e4, "of the raised part", "0.3"), &StartKeys::height)
          .row({.name = "level_to",
                .min = 1,
                .doc = "of rises = \"level\": this link's front joint is the last at height",
                .example = "8"},
               &StartKeys::level_to)
          .check(check_start);
  return section;
}

const keys::Section& world_keys() {
  static const keys::Section section =
      keys::Table<WorldKeys>("world")
          .list({.name = "object",
                 .form = keys::Form::optional,
                 .noun = "an object",
                 .example = "shape = \"cylinder\", tangent_to = 8, radius = 0.75"},
                &WorldKeys::object, object_rows())
          .check(check_world);
  return section;
}

const keys::Section& controller_keys() {
  static const keys::Section section =
      keys::Table<ControllerKeys>("controller")
          .row(above_zero("gain", "1/s", 1e6, "errors decay with it", "2.0"),
               [](auto& keys) -> auto& { return keys.law.gain; })
          .row({.name = "gain_policy",
                .choices = {{"constant", "as it is"},
                            {"adaptive_a", "times D_0/D: small near singular shapes"},
                            {"adaptive_b", "times D two steps before over D, as printed"},
                            {"clamped", "adaptive_a, within gain_min and gain_max"}},
                .doc = "how the gain follows D, the product of the squared singular values of B⁺A",
                .example = "\"adaptive_b\""},
               [](auto& keys) -> auto& { return keys.law.gain_policy; })
          .row(above_zero("gain_min", "1/s", 1e6, "of \"clamped\"", "0.02"),
               [](auto& keys) -> auto& { return keys.law.gain_min; })
          .row(above_zero("gain_max", "1/s", 1e6, "of \"clamped\"", "10.0"),
               [](auto& keys) -> auto& { return keys.law.gain_max; })
          .row({.name = "inverse",
                .choices = {{"truncated", "singular values below cutoff are left out"},
                            {"weighted",
                             "the same; while a lasso closes a joint, that joint's yaw "
                             "moves more easily than the others"},
                            {"damped", "with damping"}},
                .doc = "pseudo-inverse of B",
                .example = "\"weighted\""},
               [](auto& keys) -> auto& { return keys.law.inverse; })
          .row(above_zero("cutoff", "", 0.1, "of singular values, relative to the largest", "1e-8"),
               [](auto& keys) -> auto& { return keys.law.cutoff; })
          .row(above_zero("damping", "m", 1e3, "of \"damped\"", "0.01"),
               [](auto& keys) -> auto& { return keys.law.damping; })
          .row(amount("null_space.alpha", "", 0, 1e9, "how fast V is climbed beside the task",
                      "1.0"),
               [](auto& keys) -> auto& { return keys.law.null_space.alpha; })
          .row(amount("null_space.a", "", 0, 1e9, "of det XᵀX in V", "0.15"),
               [](auto& keys) -> auto& { return keys.law.null_space.a; })
          .row(amount("null_space.b", "", 0, 1e9, "of det BBᵀ in V", "0.0"),
               [](auto& keys) -> auto& { return keys.law.null_space.b; })
          .row({.name = "null_space.columns",
                .min = 3,
                .max = 4,
                .doc = "of A_0 in X; with 4, as printed, det XᵀX is 0 on flat ground",
                .example = "3"},
               [](auto& keys) -> auto& { return keys.law.null_space.columns; })
          .row({.name = "head_solve",
                .choices = {{"plain", "A_0⁺ B_0 u, cut off at 1e-9"},
                            {"ground", "no slip, and wheels that stay on the ground"},
                            {"wished", "the rate asked for, for which the tail has been solved"}},
                .doc = "what determines the head's motion",
                .example = "\"wished\""},
               [](auto& keys) -> auto& { return keys.law.head_solve; })
          .row({.name = "input_limit",
                .unit = "rad/s",
                .min = 0,
                .above_min = true,
                .infinity_allowed = true,
                .doc = "a run ends when a joint turns faster",
                .example = "10.0"},
               &ControllerKeys::input_limit)
          .row({.name = "contact_limit",
                .unit = "m",
                .min = 0,
                .above_min = true,
                .infinity_allowed = true,
                .doc = "a run ends when a contact is farther than this from where it should be",
                .example = "0.01"},
               &ControllerKeys::contact_limit)
          .check(check_controller);
  return section;
}

const keys::Section& task_keys() {
  static const keys::Section section =
      keys::Table<TaskList>("")
          .list({.name = "task",
                 .noun = "a task",
                 .example = "kind = \"pose\", x = 0.5, duration = 3.0"},
                &TaskList::task, task_rows())
          .check(check_tasks);
  return section;
}

const keys::Section& stiffness_keys() {
  static const keys::Section section =
      keys::Table<StiffnessTable>("")
          .list({.name = "stiffness",
                 .form = keys::Form::optional,
                 .noun = "a stiffness",
                 .example = "k_t = [50, 50, 50], k_n = [50, 50, 50]"},
                &StiffnessTable::stiffness,
                keys::Table<StiffnessKeys>("")
                    .row({.name = "k_t",
                          .unit = "N/m",
                          .default_note = "must be given",
                          .min = 0,
                          .max = 1e12,
                          .doc = "along the surface, of every contact in the order they are made",
                          .example = "[50, 50, 50]"},
                         &StiffnessKeys::k_t)
                    .row({.name = "k_n",
                          .unit = "N/m",
                          .default_note = "must be given",
                          .min = 0,
                          .max = 1e12,
                          .doc = "into the surface",
                          .example = "[50, 50, 50]"},
                         &StiffnessKeys::k_n)
                    .row({.name = "F_t",
                          .unit = "N",
                          .default_note = "0",
                          .min = -1e9,
                          .max = 1e9,
                          .doc = "load of every contact: along the link, and across it upwards",
                          .example = "[[2, -1], [2, -1], [2, -1]]"},
                         &StiffnessKeys::F_t)
                    .row({.name = "contact",
                          .choices = {{"point", "its place is fixed, Atakan (3.26)"},
                                      {"rolling",
                                       "link and object roll on each other as their "
                                       "curvatures say, Atakan (2.20)"}},
                          .doc = "how a link touches",
                          .example = "\"point\""},
                         &StiffnessKeys::contact)
                    .row({.name = "F_n",
                          .unit = "N",
                          .default_note = "0",
                          .min = 0,
                          .max = 1e9,
                          .doc = "normal load of every rolling contact",
                          .example = "[10, 10, 10]"},
                         &StiffnessKeys::F_n)
                    .row({.name = "criterion",
                          .choices = {{"definite", "the symmetric part is positive definite"},
                                      {"eigenvalues", "all eigenvalues are real and positive"}},
                          .doc = "what stiffness_min is the least of",
                          .example = "\"definite\""},
                         &StiffnessKeys::criterion)
                    .row({.name = "origin",
                          .choices = {{"object", "its centre of mass"}, {"world", "the origin"}},
                          .doc = "what displacements are taken about",
                          .example = "\"object\""},
                         &StiffnessKeys::origin))
          .check(check_stiffness);
  return section;
}

const keys::Section& solver_keys() {
  static const keys::Section section = keys::Table<SolverKeys>("solver").row(
      {.name = "integrator",
       .choices = {{"rk4", "classical Runge-Kutta"}, {"euler", "explicit, as in the thesis"}},
       .doc = "how the motion is integrated",
       .example = "\"euler\""},
      &SolverKeys::integrator);
  return section;
}

}  // namespace coluber::grasp

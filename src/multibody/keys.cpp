#include "coluber/multibody/keys.hpp"

#include "multibody/key_checks.hpp"

namespace coluber::multibody {

namespace {

using keys::Key;

Key number(const char* name, const char* unit, double min, double max, const char* doc,
           const char* example) {
  return {.name = name, .unit = unit, .min = min, .max = max, .doc = doc, .example = example};
}

keys::Table<BodyKeys> body_rows() {
  return keys::Table<BodyKeys>("")
      .row({.name = "name",
            .doc = "unique; the first body is link 1, the reference body",
            .example = "\"rotor\"",
            .required = true},
           &BodyKeys::name)
      .row({.name = "parent",
            .default_note = "none: the first body has none",
            .doc = "name of the body that carries it, which comes before it",
            .example = "\"board\""},
           &BodyKeys::parent)
      .row({.name = "joint",
            .choices = {{"revolute", "turns about z of its frame"},
                        {"prismatic", "slides along z"},
                        {"cylindrical", "both: along, then about"},
                        {"fixed", "does not move"}},
            .doc = "how it moves against its parent",
            .example = "\"revolute\""},
           &BodyKeys::joint)
      .row(number("position", "m", -1e6, 1e6, "joint frame in the parent's frame",
                  "[0.2, 0.0, 0.0]"),
           &BodyKeys::position)
      .row(number("rotation_deg", "deg", -360, 360,
                  "of the joint frame about the parent's x, then y, then z (fixed axes)",
                  "[90, 0, 0]"),
           &BodyKeys::rotation_deg)
      .list(
          {.name = "dh",
           .form = keys::Form::optional,
           .noun = "a frame",
           .example = "gamma_deg = 0, b = 0, alpha_deg = 90, d = 0.1"},
          &BodyKeys::dh,
          keys::Table<DhKeys>("")
              .row(number("gamma_deg", "deg", -360, 360, "about z of the parent", "0"),
                   &DhKeys::gamma_deg)
              .row(number("b", "m", -1e6, 1e6, "along z of the parent", "0"), &DhKeys::b)
              .row(number("alpha_deg", "deg", -360, 360, "then about x", "90"), &DhKeys::alpha_deg)
              .row(number("d", "m", -1e6, 1e6, "then along x", "0.1"), &DhKeys::d))
      .row(number("mass", "kg", 0, 1e9, "of the body", "1.0"), &BodyKeys::mass)
      .row(number("centre", "m", -1e6, 1e6, "centre of mass in the body's frame",
                  "[0.05, 0.0, 0.0]"),
           &BodyKeys::centre)
      .row(number("inertia", "kg m²", -1e12, 1e12,
                  "xx, yy, zz, xy, xz, yz: entries of the matrix about the centre of mass",
                  "[0.03, 0.03, 0.05, 0.0, 0.0, 0.0]"),
           &BodyKeys::inertia)
      .row({.name = "shape",
            .choices = {{"box", "size: x, y, z"},
                        {"cylinder", "size: radius, height along z"},
                        {"capsule", "size: radius, half length of its core along x"},
                        {"sphere", "size: radius"}},
            .doc = "how it is drawn, about its centre of mass",
            .example = "\"box\""},
           &BodyKeys::shape)
      .row({.name = "size",
            .unit = "m",
            .default_note = "of the box with this mass and inertia",
            .min = 0,
            .max = 1e6,
            .doc = "of its shape",
            .example = "[0.4, 0.1, 0.02]"},
           &BodyKeys::size);
}

keys::Table<WheelKeys> wheel_rows() {
  return keys::Table<WheelKeys>("")
      .row({.name = "body",
            .doc = "name of the body that carries it",
            .example = "\"front\"",
            .required = true},
           &WheelKeys::body)
      .row(number("position", "m", -1e6, 1e6, "in the body's x y plane", "[0.0, 0.0]"),
           &WheelKeys::position)
      .row(number("heading_deg", "deg", -360, 360, "rolling direction from the body's x", "0.0"),
           &WheelKeys::heading_deg)
      .row({.name = "kind",
            .choices = {{"fixed", "does not slide sideways"},
                        {"steered", "the same, its heading is given by a law"},
                        {"castor", "follows by itself: no constraint"},
                        {"omni", "slides sideways freely"}},
            .doc = "what the wheel forbids",
            .example = "\"fixed\""},
           &WheelKeys::kind)
      .row({.name = "driven",
            .doc = "its rolling is given; on the first body only",
            .example = "true"},
           &WheelKeys::driven)
      .row({.name = "radius",
            .unit = "m",
            .min = 0,
            .max = 1e3,
            .above_min = true,
            .doc = "of the wheel",
            .example = "0.05"},
           &WheelKeys::radius)
      .row({.name = "side_friction",
            .unit = "N s/m",
            .min = 0,
            .max = 1e12,
            .infinity_allowed = true,
            .doc = "force across the wheel per sideways speed; inf: it does not slide",
            .example = "100.0"},
           &WheelKeys::side_friction)
      .row({.name = "weight",
            .min = 0,
            .max = 1e9,
            .above_min = true,
            .doc = "in the norm of the wheel forces",
            .example = "1.0"},
           &WheelKeys::weight)
      .row(
          number("prestress", "N", -1e9, 1e9,
                 "what of all of them does not move the robot is added to the wheel forces", "0.0"),
          &WheelKeys::prestress);
}

keys::Table<LoopKeys> loop_rows() {
  return keys::Table<LoopKeys>("")
      .row({.name = "bodies",
            .count = 2,
            .doc = "names of the two bodies that it joins",
            .example = "[\"rod_2\", \"rod_3\"]",
            .required = true},
           &LoopKeys::bodies)
      .row(number("point_a", "m", -1e6, 1e6, "of the first body, in its frame", "[0.7, 0.0, 0.0]"),
           &LoopKeys::point_a)
      .row(number("point_b", "m", -1e6, 1e6, "of the second body, in its frame", "[0.6, 0.0, 0.0]"),
           &LoopKeys::point_b);
}

}  // namespace

const keys::Section& robot_keys() {
  static const keys::Section section =
      keys::Table<RobotKeys>("robot")
          .list({.name = "body", .noun = "a body", .example = "name = \"board\", mass = 1.0"},
                &RobotKeys::body, body_rows())
          .list({.name = "wheel", .noun = "a wheel", .example = "body = \"front\""},
                &RobotKeys::wheel, wheel_rows())
          .list({.name = "loop",
                 .noun = "a loop",
                 .example = "bodies = [\"rod_2\", \"rod_3\"], point_a = [0.7, 0, 0]"},
                &RobotKeys::loop, loop_rows())
          .check(check_robot);
  return section;
}

const keys::Section& world_keys() {
  static const keys::Section section =
      keys::Table<WorldKeys>("world")
          .list(
              {.name = "force", .noun = "a force law", .example = "law = \"viscous\", c_along = 2"},
              &WorldKeys::force,
              keys::Table<ForceKeys>("")
                  .row({.name = "law",
                        .choices =
                            {{"viscous", "-c v in the body's axes, moment -c_turn times the rate"},
                             {"quadratic", "-c |v| v by component"},
                             {"coulomb_smooth",
                              "-load (mu_along v_x, mu_across v_y) over the smoothed speed"},
                             {"added_mass", "the diagonal added_mass is added to the inertia"}},
                        .doc = "what acts at each centre of mass, per kg; moments per kg m²",
                        .example = "\"viscous\"",
                        .required = true},
                       &ForceKeys::law)
                  .row(number("c_along", "1/s or 1/m", 0, 1e9, "along the body's x", "2.0"),
                       &ForceKeys::c_along)
                  .row(number("c_across", "1/s or 1/m", 0, 1e9, "across it", "20.0"),
                       &ForceKeys::c_across)
                  .row(number("c_turn", "1/s or 1/rad", 0, 1e9, "against turning", "20.0"),
                       &ForceKeys::c_turn)
                  .row(number("mu_along", "", 0, 1e3, "friction along the body's x", "0.1"),
                       &ForceKeys::mu_along)
                  .row(number("mu_across", "", 0, 1e3, "friction across it", "0.5"),
                       &ForceKeys::mu_across)
                  .row({.name = "v_smooth",
                        .unit = "m/s",
                        .min = 0,
                        .max = 1e3,
                        .above_min = true,
                        .doc = "speed below which friction is smoothed",
                        .example = "1e-3"},
                       &ForceKeys::v_smooth)
                  .row(number("load", "N/kg", 0, 1e6, "weight per mass that presses", "9.81"),
                       &ForceKeys::load)
                  .row(number("added_mass", "", 0, 1e9,
                              "shares of mass (x, y, z) and inertia (x, y, z) that a fluid adds",
                              "[0.1, 1.0, 1.0, 0.0, 0.5, 0.5]"),
                       &ForceKeys::added_mass)
                  .row({.name = "links",
                        .default_note = "all",
                        .min = 1,
                        .doc = "bodies it acts on, counted from 1",
                        .example = "[1, 2]"},
                       &ForceKeys::links))
          .check(check_world);
  return section;
}

const keys::Section& start_keys() {
  static const keys::Section section =
      keys::Table<StartKeys>("start")
          .row(number("position", "m", -1e6, 1e6, "of link 1", "[0.0, 0.0]"), &StartKeys::position)
          .row(number("z", "m", -1e6, 1e6, "height of link 1", "0.0"), &StartKeys::z)
          .row(number("heading_deg", "deg", -36000, 36000, "of link 1's x", "0.0"),
               &StartKeys::heading_deg)
          .row(number("pitch_deg", "deg", -90, 90, "of link 1's x, positive upwards", "0.0"),
               &StartKeys::pitch_deg)
          .row(number("roll_deg", "deg", -360, 360, "of link 1 about its x", "0.0"),
               &StartKeys::roll_deg)
          .row({.name = "twist",
                .min = -1e6,
                .max = 1e6,
                .choices = {{"zero_momentum", "none in the directions that wheels leave free"}},
                .doc = "V and Omega of link 1 in its axes, which must fit the wheels",
                .example = "[0.5, 0.0, 0.0, 0.0, 0.0, 0.1]"},
               &StartKeys::twist)
          .check(check_start);
  return section;
}

const keys::Section& solver_keys() {
  static const keys::Section section =
      keys::Table<SolverKeys>("")
          .row({.name = "solver.integrator",
                .choices = {{"rk4", "classical Runge-Kutta on the group, a step of dt"},
                            {"dopri5", "Dormand-Prince, adapts inside a step of dt"},
                            {"cvode", "CVODE, adapts inside a step of dt"}},
                .doc = "how the motion is integrated",
                .example = "\"rk4\""},
               &SolverKeys::integrator)
          .row({.name = "solver.smooth.rtol",
                .min = 1e-14,
                .max = 1e-2,
                .doc = "relative tolerance of \"dopri5\" and \"cvode\"",
                .example = "1e-8"},
               &SolverKeys::rtol)
          .row({.name = "solver.smooth.atol",
                .min = 1e-16,
                .max = 1e-2,
                .doc = "absolute tolerance of \"dopri5\" and \"cvode\"",
                .example = "1e-10"},
               &SolverKeys::atol)
          .row({.name = "solver.torques",
                .choices = {{"consistent", "they carry the wheels' forces of least norm"},
                            {"projective", "reduced recursions, Ali 3.7.2"}},
                .doc = "which joint torques",
                .example = "\"consistent\""},
               &SolverKeys::torques)
          .row(number("solver.rank_tolerance", "", 1e-14, 1e-2,
                      "a wheel's row counts if so much of it is across the others", "1e-9"),
               &SolverKeys::rank_tolerance)
          .row(number("solver.singular_window", "s", 1e-8, 1e-1,
                      "both sides of a singular instant are looked at so far from it", "1e-4"),
               &SolverKeys::singular_window)
          .row({.name = "record.connection",
                .doc = "record the connection, 6 × coordinates",
                .example = "true"},
               &SolverKeys::connection)
          .check(check_solver);
  return section;
}

}  // namespace coluber::multibody

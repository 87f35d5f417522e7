#include "coluber/scenario/keys.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/scenario/catalogue.hpp"

#include "scenario/limits.hpp"

namespace coluber::scenario {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<Choice> robot_choices() {
  std::vector<Choice> choices;
  for (const CatalogueRobot& robot : robots()) choices.push_back({robot.name, robot.doc});
  return choices;
}

std::vector<Key> make_keys() {
  using enum KeyType;
  const std::int64_t one = 1;
  std::vector<Key> table{
      {.name = "schema",
       .type = integer,
       .default_value = one,
       .min = 1,
       .max = 1,
       .doc = "version of these keys",
       .example = "1"},
      {.name = "title",
       .type = text,
       .default_value = std::string{},
       .default_note = "the file's name",
       .doc = "one line about the run, printed on plots and reports",
       .example = "\"Aiko on the floor\""},
      {.name = "duration",
       .unit = "s",
       .default_value = 10.0,
       .min = 0,
       .max = limits::duration,
       .above_min = true,
       .doc = "simulated time",
       .example = "15.0"},
      {.name = "seed",
       .type = integer,
       .default_value = std::int64_t{0},
       .min = 0,
       .max = inf,
       .doc = "seed of every random number of the run",
       .example = "0"},
      {.name = "include",
       .type = path_list,
       .default_note = "none",
       .doc = "files to start from, relative to this one; this file wins, lists such as "
              "[[world.obstacle]] are replaced as a whole",
       .example = "[\"aiko.toml\"]"},

      {.name = "robot.model",
       .type = choice,
       .default_value = std::string{"planar"},
       .choices = {{"planar",
                    "snake in the plane with set-valued contact and friction, "
                    "Transeth chapter 3"},
                   {"spatial",
                    "snake in space with ground, cylinders and rolling, Transeth chapter 4"},
                   {"minimal",
                    "planar snake in minimal coordinates, the plant of model-based control: two "
                    "friction points a link, no obstacles, Transeth chapter 6"}},
       .doc = "mechanical model",
       .example = "\"planar\""},
      {.name = "robot.name",
       .type = choice,
       .default_note = "none: the robot is spelled out",
       .choices = robot_choices(),
       .doc = "a robot of the catalogue; every other robot key overrides it",
       .example = "\"aiko\""},
      {.name = "robot.links",
       .type = integer,
       .default_note = "the catalogue robot's, or the number of [[robot.link]]",
       .min = 1,
       .max = limits::links,
       .doc = "number of links",
       .example = "11"},
      {.name = "robot.link.mass",
       .unit = "kg",
       .default_note = "the catalogue robot's",
       .min = 0,
       .max = 1e6,
       .above_min = true,
       .doc = "mass of a link",
       .example = "0.682"},
      {.name = "robot.link.inertia",
       .unit = "kg m²",
       .default_note = "the catalogue robot's",
       .min = 0,
       .max = 1e9,
       .above_min = true,
       .doc = "moment of inertia of a link about the vertical axis through its centre of gravity",
       .example = "1.32e-3"},
      {.name = "robot.link.length",
       .unit = "m",
       .default_note = "the catalogue robot's",
       .min = 0,
       .max = 1e4,
       .above_min = true,
       .doc = "length of a link from joint to joint",
       .example = "0.122"},
      {.name = "robot.link.half_core",
       .unit = "m",
       .default_note = "the catalogue robot's",
       .min = 0,
       .max = 1e4,
       .doc = "half the length of the straight core of the link's capsule",
       .example = "0.0393"},
      {.name = "robot.link.radius",
       .unit = "m",
       .default_note = "the catalogue robot's",
       .min = 0,
       .max = 1e4,
       .above_min = true,
       .doc = "radius of the link's capsule",
       .example = "0.0525"},
      {.name = "robot.link.cg_offset",
       .unit = "m",
       .default_value = 0.0,
       .min = -1e4,
       .max = 1e4,
       .doc =
           "centre of gravity ahead of the link's middle, towards the next link; within half the "
           "length",
       .example = "0.0"},
      {.name = "robot.link.inertia_axial",
       .unit = "kg m²",
       .default_note = "the catalogue robot's",
       .min = 0,
       .max = 1e9,
       .above_min = true,
       .doc = "moment of inertia of a link about its own axis, at most twice the other",
       .example = "9.4e-4",
       .models = {"spatial"}},
      {.name = "robot.link.shape",
       .type = choice,
       .default_value = std::string{"capsule"},
       .choices = {{"capsule", "cylinder with round ends"},
                   {"spheres", "its two end spheres alone"}},
       .doc = "what of a link meets obstacles; the floor meets the end spheres either way",
       .example = "\"capsule\"",
       .models = {"spatial"}},
      {.name = "robot.friction_points",
       .type = integer,
       .default_value = one,
       .default_note = "1; 2 for minimal, which has no other",
       .min = 1,
       .max = 2,
       .doc =
           "points of ground friction on a link: 1 at its centre of gravity, or 2 at the ends of "
           "its core, which also resist turning and share its weight",
       .example = "2",
       .models = {"planar", "minimal"}},
      {.name = "robot.joint",
       .type = choice,
       .default_value = std::string{"cardan"},
       .choices = {{"cardan", "two axes, yaw and pitch"}, {"yaw", "one vertical axis"}},
       .doc = "kind of joint",
       .example = "\"cardan\"",
       .models = {"spatial"}},

      {.name = "start.shape",
       .type = start_shape,
       .unit = "deg",
       .default_note = "\"gait\" with a [gait], else \"straight\"",
       .min = -180,
       .max = 180,
       .choices = {{"straight", "all joint angles zero"},
                   {"gait", "the gait's joint angles at t = 0"}},
       .doc = "joint angles at the start; a list has one angle a joint, two (yaw, pitch) a cardan "
              "joint",
       .example = "\"gait\""},
      {.name = "start.link",
       .type = integer,
       .default_value = one,
       .min = 1,
       .max = limits::links,
       .doc = "number of the link whose centre is placed at start.position",
       .example = "11"},
      {.name = "start.position",
       .type = pair,
       .unit = "m",
       .default_value = std::vector<double>{0.0, 0.0},
       .min = -1e6,
       .max = 1e6,
       .doc = "where that link's centre is",
       .example = "[0.0, 0.0]"},
      {.name = "start.heading_deg",
       .unit = "deg",
       .default_value = 180.0,
       .min = -3600,
       .max = 3600,
       .doc = "direction from link 1 to the last link: of the wave's mean line for a harmonic "
              "gait, else the mean of the link angles; 180 puts link 1, which leads, at the +x end",
       .example = "180.0"},
      {.name = "start.z",
       .unit = "m",
       .default_note = "the lowest point of the robot on the ground",
       .min = -1e6,
       .max = 1e6,
       .doc = "height of that link's centre",
       .example = "0.0525",
       .models = {"spatial"}},
      {.name = "start.pitch_deg",
       .unit = "deg",
       .default_value = 0.0,
       .min = -3600,
       .max = 3600,
       .doc = "pitch of the whole robot: positive lifts the last link above link 1",
       .example = "0.0",
       .models = {"spatial"}},
      {.name = "start.roll_deg",
       .unit = "deg",
       .default_value = 0.0,
       .min = -3600,
       .max = 3600,
       .doc = "roll of the whole robot about the direction from link 1 to the last link",
       .example = "0.0",
       .models = {"spatial"}},

      {.name = "world.gravity",
       .unit = "m/s²",
       .default_value = 9.81,
       .min = 0,
       .max = 1000,
       .above_min = true,
       .doc = "gravity",
       .example = "9.81"},
      {.name = "world.tilt_deg",
       .unit = "deg",
       .default_value = 0.0,
       .min = 0,
       .max = 90,
       .doc = "slope of the ground",
       .example = "10.0"},
      {.name = "world.tilt_direction_deg",
       .unit = "deg",
       .default_value = 0.0,
       .min = -3600,
       .max = 3600,
       .doc = "direction that is downhill, from +x",
       .example = "0.0"},
      {.name = "world.friction",
       .type = pair,
       .default_value = std::vector<double>{0.2, 0.2},
       .min = 0,
       .max = 1000,
       .doc = "friction coefficients of the ground, along and across the link",
       .example = "[0.2, 0.2]"},
      {.name = "world.viscous_friction",
       .type = pair,
       .unit = "s/m",
       .default_value = std::vector<double>{0.0, 0.0},
       .min = 0,
       .max = 1e6,
       .doc = "viscous friction beside the other, along and across the link: a point with load N "
              "feels -N times this times its velocity, Transeth (6.26)",
       .example = "[0.1, 0.2]",
       .models = {"planar", "minimal"}},
      {.name = "world.friction_law",
       .type = choice,
       .default_value = std::string{"set_valued"},
       .choices = {{"set_valued", "Coulomb's law as it stands, in steps of solver.dt"},
                   {"smooth",
                    "arctan(v/friction_smoothing) along and across the link, Transeth (6.21), "
                    "integrated with steps that [solver.smooth] rules"}},
       .doc = "law of the ground's Coulomb friction",
       .example = "\"smooth\"",
       .models = {"minimal"}},
      {.name = "world.friction_smoothing",
       .unit = "m/s",
       .default_value = 1e-3,
       .min = 1e-9,
       .max = 1e3,
       .doc = "eps_C of the smooth law, Transeth (6.21): of the plant with friction_law = "
              "\"smooth\", and always of the controller \"input_output_linearisation\"",
       .example = "1e-3",
       .models = {"planar", "minimal"}},
      {.name = "world.rolling_friction",
       .default_value = 0.0,
       .min = 0,
       .max = 1000,
       .doc = "rolling friction coefficient mu_V: a point resists rolling by up to mu_V times the "
              "radius times its load, Transeth Table 7.2",
       .example = "0.02",
       .models = {"spatial"}},
      {.name = "world.obstacle.x",
       .unit = "m",
       .default_note = "must be given",
       .min = -1e6,
       .max = 1e6,
       .doc = "centre of a round obstacle",
       .example = "0.5"},
      {.name = "world.obstacle.y",
       .unit = "m",
       .default_note = "must be given",
       .min = -1e6,
       .max = 1e6,
       .doc = "centre of a round obstacle",
       .example = "0.1"},
      {.name = "world.obstacle.radius",
       .unit = "m",
       .default_note = "must be given",
       .min = 0,
       .max = 1e4,
       .above_min = true,
       .doc = "radius of a round obstacle",
       .example = "0.02"},
      {.name = "world.obstacle.friction",
       .default_value = 0.0,
       .min = 0,
       .max = 1000,
       .doc = "friction coefficient between obstacle and link",
       .example = "0.3"},

      {.name = "world.obstacle_table",
       .type = path,
       .default_note = "none",
       .doc =
           "CSV of more obstacles, for thousands of them: x,y,radius or x,y,radius,friction; they "
           "follow the [[world.obstacle]]",
       .example = "\"pegs.csv\""},

      {.name = "gait.name",
       .type = choice,
       .default_value = std::string{"lateral_undulation"},
       .choices = {{"lateral_undulation",
                    "amplitude · sin(omega t + (i - 1) phase) + offset, Transeth (7.1); with "
                    "gait.vertical also at the pitch joints"},
                   {"sidewinding", "yaw and pitch waves a quarter turn apart, Transeth (7.5)"},
                   {"lateral_rolling", "a U that rolls sideways, Transeth (7.4)"},
                   {"sinus_lifting",
                    "lateral undulation that lifts its crests: a pitch wave of twice the "
                    "frequency and phase"},
                   {"table", "joint angles over time from a CSV file"}},
       .doc = "joint references; without a [gait] the start angles are held",
       .example = "\"lateral_undulation\""},
      {.name = "gait.table",
       .type = path,
       .default_note = "none",
       .doc = "CSV of name = \"table\": t,phi_1,…; s and deg; cubic in t, ends held; cardan joints "
              "have two columns each, yaw and pitch",
       .example = "\"angles.csv\""},
      {.name = "gait.amplitude_deg",
       .unit = "deg",
       .default_value = 40.0,
       .default_note = "40; 30 for sidewinding, 10 for lateral_rolling",
       .min = -180,
       .max = 180,
       .doc = "amplitude of every joint; of the yaw joints",
       .example = "40.0"},
      {.name = "gait.omega_deg",
       .unit = "deg/s",
       .default_value = 80.0,
       .min = -36000,
       .max = 36000,
       .doc = "angular frequency",
       .example = "80.0"},
      {.name = "gait.phase_deg",
       .unit = "deg",
       .default_value = -50.0,
       .default_note = "-50; 0 for lateral_rolling",
       .min = -3600,
       .max = 3600,
       .doc = "phase from joint to joint; negative: the wave runs from link 1 to the last",
       .example = "-50.0"},
      {.name = "gait.offset_deg",
       .unit = "deg",
       .default_value = 0.0,
       .min = -180,
       .max = 180,
       .doc = "added to every joint: steering",
       .example = "0.0"},
      {.name = "gait.soft_start",
       .type = boolean,
       .default_value = false,
       .doc = "hold each joint at zero until its reference first comes within 3 deg of it",
       .example = "false"},
  };
  const std::vector<Key> vertical{
      {.name = "gait.vertical.amplitude_deg",
       .unit = "deg",
       .default_note = "0; 10 for sidewinding and lateral_rolling, 5 for sinus_lifting",
       .doc = "amplitude of the pitch joints"},
      {.name = "gait.vertical.omega_deg",
       .unit = "deg/s",
       .default_note = "gait.omega_deg; twice that for sinus_lifting",
       .doc = "angular frequency of the pitch joints"},
      {.name = "gait.vertical.phase_deg",
       .unit = "deg",
       .default_note = "gait.phase_deg; twice that for sinus_lifting",
       .doc = "phase from pitch joint to pitch joint"},
      {.name = "gait.vertical.offset_phase_deg",
       .unit = "deg",
       .default_note = "90; -90 for sinus_lifting",
       .doc = "phase of the pitch joints against the yaw joints"},
  };
  for (Key key : vertical) {
    key.min = key.name.ends_with("amplitude_deg") ? -180 : -36000;
    key.max = -key.min;
    key.example = "10.0";
    key.models = {"spatial"};
    table.push_back(std::move(key));
  }
  const std::vector<Key> controller{
      {.name = "controller.name",
       .type = choice,
       .default_value = std::string{"pd"},
       .choices = {{"pd",
                    "kp (phi_d - phi) + kd (phidot_d - phidot) at every joint, "
                    "Transeth (3.51)"},
                   {"input_output_linearisation",
                    "torques that cancel the robot's own dynamics and leave kp, kd to rule the "
                    "error, Transeth (6.58), (6.60); for planar models with two friction points, "
                    "viscous friction and no obstacles"}},
       .doc = "joint controller",
       .example = "\"pd\""},
      {.name = "controller.kp",
       .type = gains,
       .unit = "N m/rad",
       .default_value = 800.0,
       .default_note = "800; 4e5 for input_output_linearisation",
       .min = 0,
       .max = 1e9,
       .doc = "proportional gain; in 1/s² for input_output_linearisation (K_P, Transeth Table 7.2)",
       .example = "800.0"},
      {.name = "controller.kd",
       .type = gains,
       .unit = "N m s/rad",
       .default_value = 2.0,
       .default_note = "2; 2400 for input_output_linearisation",
       .min = 0,
       .max = 1e9,
       .doc = "derivative gain; in 1/s for input_output_linearisation (K_D, Transeth Table 7.2)",
       .example = "2.0"},
      {.name = "controller.servo",
       .type = choice,
       .default_value = std::string{"implicit"},
       .choices = {{"implicit", "part of the step, stable at any dt"},
                   {"explicit", "torque from the start of the step, as in the thesis; limits dt"}},
       .doc =
           "when within a step the servo looks at the joint; smooth friction makes no difference "
           "of it: there the controller is at work all the time",
       .example = "\"implicit\""},
      {.name = "controller.torque_limit",
       .unit = "N m",
       .default_value = inf,
       .min = 0,
       .max = inf,
       .above_min = true,
       .infinity_allowed = true,
       .doc = "largest torque of a joint motor, either way; inf: no limit",
       .example = "10.0"},
      {.name = "controller.start_time",
       .unit = "s",
       .default_value = 0.0,
       .min = 0,
       .max = limits::duration,
       .doc = "motors are off before",
       .example = "0.0"},
  };
  table.insert(table.end(), controller.begin(), controller.end());
  const std::vector<Key> noise{
      {.name = "controller.noise.position",
       .unit = "m",
       .doc = "measurement noise of where link 1 is: uniform within plus and minus this, anew in "
              "every step, from seed; Transeth (7.9)",
       .models = {"planar", "minimal"}},
      {.name = "controller.noise.heading_deg",
       .unit = "deg",
       .doc = "of the angle of link 1, Transeth (7.10)",
       .models = {"planar", "minimal"}},
      {.name = "controller.noise.joint_deg",
       .unit = "deg",
       .doc = "of every joint angle, Transeth (7.11)"},
      {.name = "controller.noise.velocity",
       .unit = "m/s",
       .doc = "of the velocity of link 1, Transeth (7.12)",
       .models = {"planar", "minimal"}},
      {.name = "controller.noise.heading_rate_deg",
       .unit = "deg/s",
       .doc = "of the rate of link 1's angle, Transeth (7.13)",
       .models = {"planar", "minimal"}},
      {.name = "controller.noise.joint_rate_deg",
       .unit = "deg/s",
       .doc = "of every joint rate, Transeth (7.14)"},
  };
  for (Key key : noise) {
    key.default_value = 0.0;
    key.min = 0;
    key.max = 1e6;
    key.example = "0.1";
    table.push_back(std::move(key));
  }
  const std::vector<Key> rest{
      {.name = "solver.name",
       .type = choice,
       .default_value = std::string{"newton"},
       .choices = {{"newton", "semi-smooth Newton, one sweep over the chain an iteration"},
                   {"gauss_seidel", "block Gauss-Seidel: a second route, slow"},
                   {"thesis", "modified Newton iteration of Transeth, Algorithm 3.1"}},
       .doc = "how the contact problem of a step is solved",
       .example = "\"newton\""},
      {.name = "solver.law",
       .type = choice,
       .default_value = std::string{"anchored"},
       .choices = {{"anchored", "set-valued law with anchors, unique forces"},
                   {"rigid", "set-valued law as it stands"}},
       .doc = "contact law",
       .example = "\"anchored\""},
      {.name = "solver.activation",
       .type = choice,
       .default_value = std::string{"landing"},
       .choices = {{"landing", "contacts that would close within the step count"},
                   {"gap", "closed contacts only, as in the thesis"}},
       .doc = "which contacts enter a step",
       .example = "\"landing\""},
      {.name = "solver.dt",
       .unit = "s",
       .default_value = 1e-3,
       .default_note = "1e-3; 2.5e-4 for input_output_linearisation",
       .min = 0,
       .max = limits::dt,
       .above_min = true,
       .doc = "time step",
       .example = "1e-3"},
      {.name = "solver.tolerance",
       .default_value = 1e-10,
       .min = 1e-15,
       .max = 1e-2,
       .doc = "largest scaled residual of a solved step",
       .example = "1e-10"},
      {.name = "solver.on_failure",
       .type = choice,
       .default_value = std::string{"stop"},
       .choices = {{"stop", "end the run with exit code 1"}, {"warn", "go on and count the step"}},
       .doc = "what to do about a step that was not solved to the tolerance",
       .example = "\"stop\""},
      {.name = "solver.dump",
       .type = path,
       .default_note = "none",
       .doc = "file for the contact problem of the hardest step: one that was not solved, else the "
              "one with most sweeps; relative to where the program runs, in a folder that exists; "
              "written by rename when the run ends, and kept over --resume",
       .example = "\"problem.json\""},
      {.name = "solver.load_sharing",
       .type = choice,
       .default_value = std::string{"least_squares"},
       .choices = {{"least_squares",
                    "the load each point carries; where that is not unique, the "
                    "most even sharing"},
                   {"equal",
                    "half its link's weight at each point, whatever it carries; for yaw "
                    "joints"}},
       .doc = "what limits the friction of a point of the floor",
       .example = "\"least_squares\"",
       .models = {"spatial"}},
      {.name = "solver.thesis.r_T",
       .unit = "kg",
       .default_value = 1.3,
       .default_note = "1.3; 0.01 for spatial, 0.2 for minimal",
       .min = 0,
       .max = 1e9,
       .above_min = true,
       .doc = "prox factor of ground friction, Transeth Table 7.2; for name = \"thesis\" only",
       .example = "1.3"},
      {.name = "solver.thesis.r_H",
       .unit = "kg",
       .default_value = 0.01,
       .min = 0,
       .max = 1e9,
       .above_min = true,
       .doc = "prox factor of obstacle contact, Transeth Table 7.2; for name = \"thesis\" only",
       .example = "0.01"},
      {.name = "solver.thesis.r_N",
       .unit = "kg",
       .default_value = 0.1,
       .min = 0,
       .max = 1e9,
       .above_min = true,
       .doc = "prox factor of the floor's normal contact, Transeth Table 7.2; for name = "
              "\"thesis\" only",
       .example = "0.1",
       .models = {"spatial"}},
      {.name = "solver.thesis.r_V",
       .unit = "kg",
       .default_value = 0.05,
       .min = 0,
       .max = 1e9,
       .above_min = true,
       .doc = "prox factor of rolling friction, Transeth Table 7.2; for name = \"thesis\" only",
       .example = "0.05",
       .models = {"spatial"}},
      {.name = "solver.thesis.epsilon",
       .unit = "N s",
       .default_value = 2e-5,
       .default_note = "2e-5; 1e-5 for minimal",
       .min = 0,
       .max = 1,
       .above_min = true,
       .doc = "change of the impulses at which the iteration ends, Transeth Table 7.2; for name = "
              "\"thesis\" only",
       .example = "2e-5"},
      {.name = "solver.thesis.max_iterations",
       .type = integer,
       .default_value = std::int64_t{10000},
       .min = 1,
       .max = 1e9,
       .doc = "most iterations in a step; for name = \"thesis\" only",
       .example = "10000"},

      {.name = "solver.smooth.rtol",
       .default_value = 1e-6,
       .min = 1e-12,
       .max = 1e-2,
       .doc = "relative tolerance of the integrator; for world.friction_law = \"smooth\" only",
       .example = "1e-6",
       .models = {"minimal"}},
      {.name = "solver.smooth.atol",
       .default_value = 1e-8,
       .min = 1e-14,
       .max = 1e-2,
       .doc = "absolute tolerance of the integrator, in m, rad, m/s and rad/s; for "
              "world.friction_law = \"smooth\" only",
       .example = "1e-8",
       .models = {"minimal"}},

      {.name = "stop.past_x",
       .unit = "m",
       .default_note = "none",
       .min = -1e6,
       .max = 1e6,
       .doc =
           "end the run, completed, when the centre of link 1 is beyond this x: on the other side "
           "of it than at the start",
       .example = "3.2"},
      {.name = "stop.stuck_s",
       .unit = "s",
       .default_note = "none",
       .min = 0,
       .max = limits::duration,
       .above_min = true,
       .doc = "end the run, completed, when no link moved a link length within this time",
       .example = "5.0"},

      {.name = "record.rate_hz",
       .unit = "Hz",
       .default_value = 100.0,
       .default_note = "100, or 1/dt if that is less",
       .min = 0,
       .max = inf,
       .above_min = true,
       .doc = "frames a second, at most one a step",
       .example = "100.0"},
      {.name = "record.csv",
       .type = boolean,
       .default_value = false,
       .doc = "write trajectory.csv beside trajectory.h5",
       .example = "false"},
      {.name = "record.checkpoint_s",
       .unit = "s",
       .default_value = 1.0,
       .min = 0,
       .max = limits::duration,
       .above_min = true,
       .doc = "least simulated time between checkpoints, from which --resume goes on",
       .example = "1.0"},
  };
  table.insert(table.end(), rest.begin(), rest.end());
  return table;
}

nlohmann::json to_json(const KeyValue& value) {
  struct Visitor {
    nlohmann::json operator()(std::monostate) const { return nullptr; }
    nlohmann::json operator()(bool x) const { return x; }
    nlohmann::json operator()(std::int64_t x) const { return x; }
    nlohmann::json operator()(double x) const {
      if (std::isinf(x)) return x > 0 ? "inf" : "-inf";  // JSON has no infinity
      return x;
    }
    nlohmann::json operator()(const std::string& x) const { return x; }
    nlohmann::json operator()(const std::vector<double>& x) const { return x; }
  };
  return std::visit(Visitor{}, value);
}

std::string default_text(const Key& key) {
  return key.default_note.empty() ? to_toml(key.default_value) : key.default_note;
}

std::string bound(double x) { return fmt::format("{}", x); }

}  // namespace

std::string_view to_string(KeyType type) {
  switch (type) {
    case KeyType::number:
      return "number";
    case KeyType::integer:
      return "integer";
    case KeyType::boolean:
      return "boolean";
    case KeyType::text:
      return "text";
    case KeyType::choice:
      return "word";
    case KeyType::path:
      return "path";
    case KeyType::pair:
      return "two numbers";
    case KeyType::gains:
      return "number or list of numbers";
    case KeyType::start_shape:
      return "word or list of numbers";
    case KeyType::path_list:
      return "path or list of paths";
  }
  return "unknown";
}

const std::vector<Key>& keys() {
  static const std::vector<Key> table = make_keys();
  return table;
}

bool goes_with(const Key& key, std::string_view model) {
  return key.models.empty() || std::ranges::find(key.models, model) != key.models.end();
}

const Key* find_key(std::string_view name) {
  static const auto index = [] {
    std::map<std::string_view, const Key*> map;
    for (const Key& key : keys()) map.emplace(key.name, &key);
    return map;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

std::string to_toml(const KeyValue& value) {
  struct Visitor {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(std::int64_t x) const { return std::to_string(x); }
    std::string operator()(double x) const {
      std::string text = fmt::format("{}", x);
      // a whole number stays a float in TOML
      if (std::isfinite(x) && text.find_first_of(".e") == std::string::npos) text += ".0";
      return text;
    }
    std::string operator()(const std::string& x) const {
      return nlohmann::json(x).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    std::string operator()(const std::vector<double>& x) const {
      std::string text = "[";
      for (std::size_t i = 0; i < x.size(); ++i) text += (i > 0 ? ", " : "") + (*this)(x[i]);
      return text + "]";
    }
  };
  return std::visit(Visitor{}, value);
}

std::string expectation(const Key& key) {
  const auto range = [&key] {
    std::string text;
    if (std::isfinite(key.min) && !key.above_min && std::isfinite(key.max)) {
      return fmt::format(" from {} to {}", bound(key.min), bound(key.max));
    }
    if (std::isfinite(key.min)) {
      text += fmt::format(" {} {}", key.above_min ? ">" : ">=", bound(key.min));
    }
    if (std::isfinite(key.max)) {
      text += fmt::format("{} at most {}", text.empty() ? "" : ",", bound(key.max));
    }
    return text;
  };
  const auto words = [&key] {
    std::string text;
    for (std::size_t i = 0; i < key.choices.size(); ++i) {
      if (i > 0) text += i + 1 == key.choices.size() ? " or " : ", ";
      text += '"' + key.choices[i].name + '"';
    }
    return text;
  };
  switch (key.type) {
    case KeyType::number:
      return "a number" + range();
    case KeyType::integer:
      if (key.min == key.max) return bound(key.min);
      return "an integer" + range();
    case KeyType::boolean:
      return "true or false";
    case KeyType::text:
      return "one line of text in quotes";
    case KeyType::choice:
      return words();
    case KeyType::path:
      return "a path in quotes";
    case KeyType::pair:
      return "two numbers" + range();
    case KeyType::gains:
      return "a number" + range() + ", or a list of such, one a joint";
    case KeyType::start_shape:
      return words() + ", or a list of numbers" + range();
    case KeyType::path_list:
      return "a path in quotes, or a list of them";
  }
  return "";
}

std::string keys_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Key& key : keys()) {
    nlohmann::ordered_json entry{
        {"name", key.name},
        {"type", std::string(to_string(key.type))},
        {"unit", key.unit},
        {"default", to_json(key.default_value)},
        {"default_note", key.default_note},
        {"expects", expectation(key)},
        {"doc", key.doc},
        {"example", key.example},
        {"built", key.built},
    };
    if (!key.models.empty()) entry["model"] = fmt::format("{}", fmt::join(key.models, ", "));
    if (std::isfinite(key.min)) entry["min"] = key.min;
    if (std::isfinite(key.max)) entry["max"] = key.max;
    if (!key.choices.empty()) {
      entry["choices"] = nlohmann::ordered_json::array();
      for (const Choice& choice : key.choices) {
        entry["choices"].push_back(
            {{"name", choice.name}, {"doc", choice.doc}, {"built", key.built && choice.built}});
      }
    }
    list.push_back(std::move(entry));
  }
  return list.dump(2);
}

std::string keys_markdown() {
  std::string page =
      "# Scenario keys\n"
      "\n"
      "Every key of a scenario file (schema 1). This page is what `coluber list keys --markdown` "
      "prints; the\n"
      "same table checks the files. SI units; angles are in degrees only in keys that end in "
      "`_deg` and in\n"
      "`start.shape`. Unknown keys are errors. A key marked *not built yet* takes its default "
      "only.\n"
      "\n"
      "`robot.link` is one table for all links, `link = { mass = 0.682, … }`, or `[[robot.link]]` "
      "once a\n"
      "link. `[[world.obstacle]]` is written once an obstacle. Any key can be set from the command "
      "line,\n"
      "`--set solver.dt=5e-4`; entries of lists are numbered from 1, `--set "
      "world.obstacle.3.y=0.2`.\n";
  std::string section = "-";
  for (const Key& key : keys()) {
    const std::size_t dot = key.name.find('.');
    const std::string table = dot == std::string::npos ? "" : key.name.substr(0, dot);
    if (table != section) {
      section = table;
      page += fmt::format("\n## {}\n\n", table.empty() ? "Top of the file" : '[' + table + ']');
      page += "| key | expects | unit | default | meaning |\n|---|---|---|---|---|\n";
    }
    std::string meaning = key.doc;
    if (!key.models.empty()) {
      meaning += fmt::format(" (model{} {} only)", key.models.size() > 1 ? "s" : "",
                             fmt::join(key.models, ", "));
    }
    if (!key.built) meaning += " (*not built yet*)";
    for (const Choice& choice : key.choices) {
      meaning += fmt::format("<br>`\"{}\"`: {}{}", choice.name, choice.doc,
                             choice.built ? "" : " (*not built yet*)");
    }
    std::string fallback = default_text(key);
    if (key.default_note.empty()) fallback = fmt::format("`{}`", fallback);
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, expectation(key), key.unit,
                        fallback, meaning);
  }
  return page;
}

}  // namespace coluber::scenario

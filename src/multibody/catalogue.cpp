#include "multibody/catalogue.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace coluber::multibody {

namespace {

keys::CatalogueRobot tree(std::string name, std::string doc, std::string toml) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .toml = std::move(toml),
          .models = {"multibody"}};
}

/// A slender rod along x of its frame, which is at its front. It has some inertia about its axis: a
/// straight chain of rods without any could not be turned about that axis.
std::string rod(const std::string& name, const std::string& parent, double x, double mass,
                double length) {
  const double I = mass * length * length / 12.0;
  std::string text = fmt::format("[[robot.body]]\nname = \"{}\"\n", name);
  if (!parent.empty()) {
    text += fmt::format("parent = \"{}\"\nposition = [{}, 0.0, 0.0]\n", parent, x);
  }
  return text + fmt::format(
                    "mass = {}\ncentre = [{}, 0.0, 0.0]\n"
                    "inertia = [{}, {}, {}, 0.0, 0.0, 0.0]\n"
                    "size = [{}, {}, {}]\n",
                    mass, 0.5 * length, 0.05 * I, I, I, length, 0.2 * length, 0.2 * length);
}

// Ali 4.1; he gives no numbers.
const char* const satellite = R"(
[[robot.body]]
name = "satellite"
mass = 20.0
inertia = [2.0, 3.0, 4.0, 0.0, 0.0, 0.0]
[[robot.body]]
name = "rotor_x"
parent = "satellite"
rotation_deg = [0.0, 90.0, 0.0]
mass = 1.0
inertia = [0.03, 0.03, 0.05, 0.0, 0.0, 0.0]
shape = "cylinder"
size = [0.3, 0.05]
[[robot.body]]
name = "rotor_y"
parent = "satellite"
rotation_deg = [-90.0, 0.0, 0.0]
mass = 1.0
inertia = [0.03, 0.03, 0.05, 0.0, 0.0, 0.0]
shape = "cylinder"
size = [0.3, 0.05]
[[robot.body]]
name = "rotor_z"
parent = "satellite"
mass = 1.0
inertia = [0.03, 0.03, 0.05, 0.0, 0.0, 0.0]
shape = "cylinder"
size = [0.3, 0.05]
)";

// Ali 4.2; numbers such that the inertia about the centre is m l².
const char* const snakeboard = R"(
[[robot.body]]
name = "board"
mass = 2.0
inertia = [0.01, 0.04, 0.0454, 0.0, 0.0, 0.0]
size = [0.4, 0.1, 0.02]
[[robot.body]]
name = "rotor"
parent = "board"
mass = 1.0
inertia = [0.036, 0.036, 0.072, 0.0, 0.0, 0.0]
size = [0.08, 0.3, 0.03]
[[robot.body]]
name = "front"
parent = "board"
position = [0.2, 0.0, 0.0]
mass = 0.5
inertia = [0.0012, 0.0002, 0.0013, 0.0, 0.0, 0.0]
size = [0.03, 0.16, 0.02]
[[robot.body]]
name = "rear"
parent = "board"
position = [-0.2, 0.0, 0.0]
mass = 0.5
inertia = [0.0012, 0.0002, 0.0013, 0.0, 0.0, 0.0]
size = [0.03, 0.16, 0.02]
[[robot.wheel]]
body = "front"
radius = 0.03
[[robot.wheel]]
body = "rear"
radius = 0.03
)";

// Ali 4.3, half length l = 0.1 m, all mass in the modules; an axle hinged at the middle of each.
std::string acm20() {
  constexpr double l = 0.1;
  std::string text =
      "[[robot.body]]\nname = \"module_1\"\nmass = 0.3\n"
      "inertia = [0.0, 0.001, 0.001, 0.0, 0.0, 0.0]\nsize = [0.2, 0.05, 0.04]\n";
  std::string wheels;
  for (int k = 1; k <= 10; ++k) {
    text += fmt::format(
        "[[robot.body]]\nname = \"axle_{0}\"\nparent = \"module_{0}\"\n"
        "position = [{1}, 0.0, 0.0]\nsize = [0.02, 0.1, 0.02]\n",
        k, k == 1 ? 0.0 : l);
    wheels += fmt::format("[[robot.wheel]]\nbody = \"axle_{}\"\nradius = 0.03\n", k);
    if (k == 10) break;
    text += fmt::format(
        "[[robot.body]]\nname = \"module_{}\"\nparent = \"module_{}\"\n"
        "position = [{}, 0.0, 0.0]\nmass = 0.3\ncentre = [0.1, 0.0, 0.0]\n"
        "inertia = [0.0, 0.001, 0.001, 0.0, 0.0, 0.0]\n"
        "size = [0.2, 0.05, 0.04]\n",
        k + 1, k, k == 1 ? l : 2.0 * l);
  }
  return text + wheels;
}

// Ali 4.4; masses and radii are not in the source.
const char* const mobile_manipulator = R"(
[[robot.body]]
name = "platform"
mass = 60.0
inertia = [5.0, 6.0, 10.0, 0.0, 0.0, 0.0]
size = [1.2, 0.5, 0.2]
[[robot.body]]
name = "shoulder"
parent = "platform"
position = [0.0, 0.0, 0.3]
mass = 8.0
centre = [0.0, 0.0, 0.21]
inertia = [0.1304, 0.1304, 0.0256, 0.0, 0.0, 0.0]
shape = "cylinder"
size = [0.08, 0.42]
[[robot.body]]
name = "upper_arm"
parent = "shoulder"
position = [0.0, 0.0, 0.42]
rotation_deg = [90.0, 0.0, 0.0]
mass = 6.0
centre = [0.225, 0.0, 0.0]
inertia = [0.0108, 0.10665, 0.10665, 0.0, 0.0, 0.0]
size = [0.45, 0.12, 0.12]
[[robot.body]]
name = "forearm"
parent = "upper_arm"
position = [0.45, 0.0, 0.0]
mass = 4.0
centre = [0.0, 0.225, 0.0]
inertia = [0.07, 0.005, 0.07, 0.0, 0.0, 0.0]
size = [0.1, 0.45, 0.1]
[[robot.wheel]]
body = "platform"
position = [0.5, -0.25]
kind = "steered"
driven = true
radius = 0.15
[[robot.wheel]]
body = "platform"
position = [0.5, 0.25]
kind = "steered"
driven = true
radius = 0.15
[[robot.wheel]]
body = "platform"
position = [-0.5, -0.25]
radius = 0.15
[[robot.wheel]]
body = "platform"
position = [-0.5, 0.25]
radius = 0.15
)";

const char* const car_trailers = R"(
[[robot.body]]
name = "car"
mass = 20.0
centre = [0.4, 0.0, 0.0]
inertia = [0.5, 1.5, 1.7, 0.0, 0.0, 0.0]
size = [1.1, 0.5, 0.3]
[[robot.body]]
name = "trailer_1"
parent = "car"
position = [-0.2, 0.0, 0.0]
mass = 8.0
centre = [-0.5, 0.0, 0.0]
inertia = [0.2, 0.3, 0.4, 0.0, 0.0, 0.0]
size = [0.6, 0.4, 0.3]
[[robot.body]]
name = "trailer_2"
parent = "trailer_1"
position = [-0.8, 0.0, 0.0]
mass = 8.0
centre = [-0.5, 0.0, 0.0]
inertia = [0.2, 0.3, 0.4, 0.0, 0.0, 0.0]
size = [0.6, 0.4, 0.3]
[[robot.body]]
name = "trailer_3"
parent = "trailer_2"
position = [-0.8, 0.0, 0.0]
mass = 8.0
centre = [-0.5, 0.0, 0.0]
inertia = [0.2, 0.3, 0.4, 0.0, 0.0, 0.0]
size = [0.6, 0.4, 0.3]
[[robot.wheel]]
body = "car"
position = [0.0, -0.25]
driven = true
radius = 0.1
[[robot.wheel]]
body = "car"
position = [0.0, 0.25]
driven = true
radius = 0.1
[[robot.wheel]]
body = "car"
position = [0.8, -0.25]
kind = "steered"
radius = 0.1
[[robot.wheel]]
body = "car"
position = [0.8, 0.25]
kind = "steered"
radius = 0.1
[[robot.wheel]]
body = "trailer_1"
position = [-0.6, -0.2]
radius = 0.1
[[robot.wheel]]
body = "trailer_1"
position = [-0.6, 0.2]
radius = 0.1
[[robot.wheel]]
body = "trailer_2"
position = [-0.6, -0.2]
radius = 0.1
[[robot.wheel]]
body = "trailer_2"
position = [-0.6, 0.2]
radius = 0.1
[[robot.wheel]]
body = "trailer_3"
position = [-0.6, -0.2]
radius = 0.1
[[robot.wheel]]
body = "trailer_3"
position = [-0.6, 0.2]
radius = 0.1
)";

const char* const unicycle = R"(
[[robot.body]]
name = "body"
mass = 3.0
inertia = [0.15, 0.15, 0.2, 0.0, 0.0, 0.0]
size = [0.3, 0.25, 0.06]
[[robot.wheel]]
body = "body"
position = [0.0, 0.15]
driven = true
radius = 0.05
[[robot.wheel]]
body = "body"
position = [0.0, -0.15]
radius = 0.05
)";

const char* const sleigh = R"(
[[robot.body]]
name = "sleigh"
mass = 2.0
centre = [0.3, 0.0, 0.0]
inertia = [0.06, 0.08, 0.1, 0.0, 0.0, 0.0]
size = [0.7, 0.3, 0.04]
[[robot.wheel]]
body = "sleigh"
radius = 0.03
)";

/// A platform with axles on arms that turn.
std::string axles(int count) {
  static constexpr double place[3][2] = {{0.3, 0.0}, {-0.3, 0.15}, {-0.3, -0.15}};
  std::string text =
      "[[robot.body]]\nname = \"platform\"\nmass = 4.0\n"
      "inertia = [0.04, 0.16, 0.2, 0.0, 0.0, 0.0]\nsize = [0.6, 0.3, 0.05]\n";
  std::string wheels;
  for (int k = 0; k < count; ++k) {
    text += fmt::format(
        "[[robot.body]]\nname = \"arm_{}\"\nparent = \"platform\"\n"
        "position = [{}, {}, 0.0]\nmass = 0.5\ncentre = [0.05, 0.0, 0.0]\n"
        "inertia = [0.0002, 0.0005, 0.0006, 0.0, 0.0, 0.0]\n"
        "size = [0.12, 0.04, 0.03]\n",
        k + 1, place[k][0], place[k][1]);
    wheels += fmt::format(
        "[[robot.wheel]]\nbody = \"arm_{}\"\nposition = [0.1, 0.0]\n"
        "radius = 0.03\n",
        k + 1);
  }
  return text + wheels;
}

std::string fish() {
  std::string text = rod("head", "", 0.0, 0.2, 0.1);
  std::string parent = "head";
  for (int k = 2; k <= 6; ++k) {
    const std::string name = fmt::format("segment_{}", k);
    text += rod(name, parent, 0.1, 0.2, 0.1);
    parent = name;
  }
  return text;
}

std::string four_bar() {
  return "[[robot.body]]\nname = \"frame\"\nmass = 1.0\ncentre = [0.4, 0.0, 0.0]\n"
         "inertia = [0.01, 0.05, 0.05, 0.0, 0.0, 0.0]\nsize = [0.8, 0.05, 0.05]\n" +
         rod("rod_1", "frame", 0.0, 1.3, 0.3) + rod("rod_2", "rod_1", 0.3, 1.7, 0.7) +
         rod("rod_3", "frame", 0.8, 1.6, 0.6) +
         "[[robot.loop]]\nbodies = [\"rod_2\", \"rod_3\"]\npoint_a = [0.7, 0.0, 0.0]\n"
         "point_b = [0.6, 0.0, 0.0]\n";
}

}  // namespace

std::vector<keys::CatalogueRobot> catalogue() {
  return {
      tree("satellite", "satellite with three rotors (Ali 2011, 4.1; numbers are ours)", satellite),
      tree("snakeboard", "board, rotor and two axles (Ali 2011, 4.2; numbers are ours)",
           snakeboard),
      tree("acm20", "wheeled snake of ten modules, 20 bodies (Ali 2011, 4.3)", acm20()),
      tree("mobile_manipulator", "arm on a car (Ali 2011, 4.4; masses are ours)",
           mobile_manipulator),
      tree("car_trailers", "car with three trailers, which follow", car_trailers),
      tree("unicycle", "one driven and one free wheel on an axle (Ali 2011, Table 3.1)", unicycle),
      tree("sleigh", "Chaplygin's sleigh: a blade behind the centre of mass", sleigh),
      tree("fish", "chain of six slender bodies, free (Ali 2011, Table 3.1; numbers are ours)",
           fish()),
      tree("two_axles", "platform with two axles on arms: under-constrained", axles(2)),
      tree("three_axles", "platform with three axles on arms: fully constrained", axles(3)),
      tree("four_bar", "four-bar linkage on a frame", four_bar()),
  };
}

}  // namespace coluber::multibody

#include "coluber/simulation/registry.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/chain/plane_start.hpp"
#include "coluber/chain/robot.hpp"
#include "coluber/chain/wheel_keys.hpp"
#include "coluber/control/force_loop_keys.hpp"
#include "coluber/control/force_map_keys.hpp"
#include "coluber/control/path_keys.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/drive/laws.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/gait/keys.hpp"
#include "coluber/grasp/keys.hpp"
#include "coluber/multibody/keys.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/path/keys.hpp"
#include "coluber/planar/keys.hpp"
#include "coluber/rod/keys.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/spatial/keys.hpp"
#include "coluber/trailer/keys.hpp"
#include "coluber/world/keys.hpp"

#include "control/make.hpp"
#include "gait/make.hpp"
#include "grasp/make.hpp"
#include "keys/key_table.hpp"
#include "multibody/catalogue.hpp"
#include "multibody/make.hpp"
#include "planar/make.hpp"
#include "rod/make.hpp"
#include "simulation/map_study.hpp"
#include "spatial/make.hpp"
#include "trailer/make.hpp"

// Every component of the library, one entry each. Nothing else names a model.

namespace coluber::simulation {

namespace {

/// Joint angles of a chain with one axis per joint.
std::optional<int> one_per_joint(const keys::OptionSet& options) {
  const auto* robot = options.find<chain::Robot>();
  if (robot == nullptr || !robot->known) return std::nullopt;
  return static_cast<int>(robot->link.size()) - 1;
}

std::optional<int> tree_coordinates(const keys::OptionSet& options) {
  const auto* robot = options.find<multibody::RobotKeys>();
  return robot == nullptr ? std::nullopt : multibody::count_coordinates(*robot);
}

std::optional<int> spatial_angles(const keys::OptionSet& options) {
  std::optional<int> angles = one_per_joint(options);
  if (angles) *angles *= options.find<spatial::Keys>()->joint == spatial::Joint::cardan ? 2 : 1;
  return angles;
}

std::vector<ModelEntry> library_models() {
  return {
      {{{.name = "planar",
         .doc = "snake in the plane with set-valued contact and friction, Transeth chapter 3",
         .sections = {&chain::robot_keys(), &planar::planar_keys(), &planar::rotation_keys(),
                      &world::ground_keys(), &world::obstacle_keys(), &chain::start_keys(),
                      &chain::path_start_keys(), &chain::train_start_keys(),
                      &chain::plane_start_keys(), &nonsmooth::solver_keys(),
                      &control::base_noise_keys()}},
        true,
        true,
        one_per_joint},
       planar::make_planar},
      {{{.name = "spatial",
         .doc = "snake in space with ground, cylinders and rolling, Transeth chapter 4",
         .sections = {&chain::robot_keys(), &spatial::spatial_keys(), &world::ground_keys(),
                      &world::obstacle_keys(), &chain::start_keys(), &nonsmooth::solver_keys(),
                      &gait::vertical_keys()},
         .defaults = {{"solver.thesis.r_T", 0.01}}},  // Transeth table 7.2
        true,
        true,
        spatial_angles},
       spatial::make_spatial},
      {{{.name = "minimal",
         .doc = "planar snake in minimal coordinates, the plant of model-based control: two "
                "friction points per link, no obstacles, Transeth chapter 6",
         .sections = {&chain::robot_keys(), &planar::planar_keys(), &planar::minimal_keys(),
                      &world::ground_keys(), &world::obstacle_keys(), &chain::start_keys(),
                      &chain::plane_start_keys(), &nonsmooth::solver_keys(),
                      &control::base_noise_keys()},
         .defaults = {{"robot.friction_points", std::int64_t{2}},
                      {"solver.thesis.r_T", 0.2},
                      {"solver.thesis.epsilon", 1e-5}},
         .formerly = "robot_model"},
        true,
        true,
        one_per_joint},
       planar::make_minimal},
      {{{.name = "wheeled",
         .doc = "planar snake with two wheels on a driven shaft under every link, link 1 ahead, "
                "Murugendran II",
         .sections = {&chain::robot_keys(), &chain::wheel_keys(), &world::ground_keys(),
                      &world::obstacle_keys(), &chain::start_keys(), &chain::path_start_keys(),
                      &chain::wheel_start_keys(), &chain::plane_start_keys(),
                      &nonsmooth::solver_keys(), &control::speed_keys(),
                      &control::wheel_servo_keys(), &control::base_noise_keys(),
                      &control::wheel_noise_keys()}},
        true,
        true,
        one_per_joint},
       planar::make_wheeled},
      {{{.name = "n_trailer",
         .doc = "train of modules that roll without slip, steered at its head: kinematics alone, "
                "Murugendran (18)-(27)",
         .sections = {&chain::robot_keys(), &chain::wheel_keys(), &chain::path_start_keys(),
                      &chain::wheel_start_keys(), &control::speed_keys(),
                      &control::base_noise_keys(), &trailer::n_trailer_keys()}},
        true,
        true,
        one_per_joint},
       trailer::make_n_trailer},
      {{{.name = "multibody",
         .doc = "tree of rigid bodies, free or on wheels, driven by its shape: Ali chapters 3, 4",
         .sections = {&multibody::robot_keys(), &world::gravity_keys(), &multibody::world_keys(),
                      &multibody::start_keys(), &multibody::solver_keys()},
         .defaults = {{"solver.dt", 1e-2}}},
        true,
        false,
        tree_coordinates,
        {"laws", "table"}},
       multibody::make_multibody},
      {{{.name = "rod",
         .doc = "rod of rigid sections, driven by its strains: Ali chapters 5, 6",
         .sections = {&rod::robot_keys(), &rod::strain_keys(), &world::gravity_keys(),
                      &multibody::world_keys(), &rod::contact_keys(), &multibody::start_keys(),
                      &rod::solver_keys()},
         .defaults = {{"solver.dt", 1e-2}}},
        false,
        false},
       rod::make_rod},
      {{{.name = "grasp",
         .doc = "chain with pitch and yaw joints that crawls on its wheeled tail, wraps an object "
                "with its front and carries it: kinematics alone, Atakan",
         .sections = {&grasp::robot_keys(), &grasp::start_keys(), &grasp::world_keys(),
                      &grasp::solver_keys(), &grasp::task_keys(), &grasp::stiffness_keys()},
         .defaults = {{"solver.dt", 1e-2}}},
        false,
        true,
        {},
        {},
        {"redundancy"}},
       grasp::make_grasp},
  };
}

std::vector<GaitEntry> library_gaits() {
  const std::vector<const keys::Section*> harmonic{&gait::harmonic_keys()};
  return {
      {{.name = "lateral_undulation",
        .doc = "amplitude · sin(omega t + (i - 1) phase) + offset, Transeth (7.1); with "
               "gait.vertical also at the pitch joints",
        .sections = harmonic},
       gait::make_harmonic},
      {{.name = "sidewinding",
        .doc = "yaw and pitch waves a quarter turn apart, Transeth (7.5)",
        .sections = harmonic,
        .defaults = {{"gait.amplitude_deg", 30.0}, {"gait.vertical.amplitude_deg", 10.0}}},
       gait::make_harmonic},
      {{.name = "lateral_rolling",
        .doc = "a U that rolls sideways, Transeth (7.4)",
        .sections = harmonic,
        .defaults = {{"gait.amplitude_deg", 10.0},
                     {"gait.phase_deg", 0.0},
                     {"gait.vertical.amplitude_deg", 10.0}}},
       gait::make_harmonic},
      // The pitch angle is largest, an arch, where the yaw angle is largest either way.
      {{.name = "sinus_lifting",
        .doc = "lateral undulation that lifts its crests: a pitch wave of twice the frequency and "
               "phase, Transeth 2.4.2",
        .sections = harmonic,
        .defaults = {{"gait.vertical.amplitude_deg", 5.0},
                     {"gait.vertical.offset_phase_deg", -90.0}}},
       gait::make_harmonic},
      {{.name = "laws",
        .doc = "a law per joint coordinate, wheel, or axis of the first body",
        .sections = {&drive::law_keys()},
        .models = {"multibody"}},
       gait::make_laws},
      {{.name = "table",
        .doc = "joint angles over time from a CSV file, cubic in between",
        .sections = {&gait::table_keys()}},
       gait::make_table},
  };
}

std::vector<ControllerEntry> library_controllers() {
  const std::vector<const keys::Section*> servo{&control::servo_keys(), &control::noise_keys()};
  std::vector<const keys::Section*> linearisation = servo;
  linearisation.push_back(&control::linearisation_keys());
  std::vector<const keys::Section*> path_following = servo;
  std::vector<const keys::Section*> force_loop = servo;
  for (const keys::Section* section :
       {&control::speed_keys(), &control::period_keys(), &control::force_loop_keys()}) {
    force_loop.push_back(section);
  }
  path_following.push_back(&control::period_keys());
  path_following.push_back(&control::path_following_keys());
  std::vector<const keys::Section*> leader = path_following;
  leader.push_back(&control::leader_keys());
  return {
      {{.name = "pd",
        .doc = "kp (phi_d - phi) + kd (phidot_d - phidot) at every joint, Transeth (3.51)",
        .sections = servo},
       control::make_pd},
      {{.name = "prescribed",
        .doc = "joints follow the gait exactly, whatever torques that takes; for models of rigid "
               "links in contact",
        .sections = {&control::prescribed_keys()}},
       control::make_prescribed},
      {{.name = "input_output_linearisation",
        .doc = "torques that cancel the robot's own dynamics and leave kp, kd to rule the error, "
               "Transeth (6.58), (6.60); for planar models with two friction points, viscous "
               "friction and no obstacles",
        .sections = linearisation,
        .defaults = {{"solver.dt", 2.5e-4},  // Transeth table 7.2; its gains allow 8.3e-4
                     {"controller.kp", 4e5},
                     {"controller.kd", 2.4e3}}},
       control::make_linearisation},
      {{.name = "n_trailer",
        .doc = "follows [path] on wheels: the head is steered to it, the links behind are led as "
               "trailers that do not slip, Murugendran (13)-(27)",
        .sections = path_following,
        .defaults = {{"controller.speed", 0.5}}},
       control::make_n_trailer},
      {{.name = "follow_the_leader",
        .doc = "follows [path] on wheels: the head is steered to it, each joint does what the one "
               "before did a link's length earlier, Murugendran (13)-(17), (28)",
        .sections = leader,
        .defaults = {{"controller.speed", 0.5}}},
       control::make_follow_the_leader},
      // The model carries it out: its tasks are rows of joint rates.
      {{.name = "redundancy",
        .doc = "joint rates that do the tasks by the pseudo-inverse of their rows, and climb an "
               "objective with what that leaves free, Atakan (2.51), (3.8), (3.17)",
        .sections = {&grasp::controller_keys()},
        .models = {"grasp"}},
       nullptr},
      {{.name = "force_mapping",
        .doc = "follows [path] by pushing off obstacles: torques of least effort that accelerate "
               "the robot as wished through the obstacles it touches, every period, Holden",
        .sections = force_loop,
        .defaults = {{"controller.speed", 0.1},
                     {"controller.period", 5e-3},
                     {"controller.kp", 300.0},
                     {"controller.kd", 6.0}},
        .models = {"planar"}},
       control::make_force_loop},
  };
}

std::vector<StudyEntry> library_studies() {
  return {
      {{.name = "force-map",
        .doc = "torques and obstacle forces of the start instant, Holden",
        .sections = {&control::force_map_keys()}},
       make_force_map},
      {{.name = "quality",
        .doc = "can the robot pass along [path]? Holden VI-A",
        .sections = {&control::force_map_keys(), &control::quality_keys()}},
       make_quality},
  };
}

std::vector<keys::CatalogueRobot> library_robots() {
  std::vector<keys::CatalogueRobot> robots{
      // Transeth, Table 7.1. Its 0.682 kg is the print of 7.5 kg over 11 links.
      {.name = "aiko",
       .doc = "Aiko, 11 links, 7.5 kg, 1.34 m (Transeth 2007, Table 7.1)",
       .toml = "[robot]\n"
               "links = 11\n"
               "[robot.link]\n"
               "mass = 0.6818181818181818\n"
               "inertia = 1.32e-3\n"
               "length = 0.122\n"
               "half_core = 0.0393\n"
               "radius = 0.0525\n"
               "inertia_axial = 9.40e-4\n",
       .models = {"planar", "spatial", "minimal"}},
      // Murugendran, Table II. Not in the source: half_core and radius. The print has the axle
      // ahead of the middle, which contradicts its L_PJ and L_JP.
      {.name = "piko",
       .doc = "PIKo, 6 links with driven wheels, 7.2 kg, 0.73 m (Murugendran et al. 2009)",
       .toml = "[robot]\n"
               "links = 6\n"
               "[robot.link]\n"
               "mass = 1.2\n"
               "inertia = 0.002\n"
               "length = 0.122\n"
               "half_core = 0.04\n"
               "radius = 0.03\n"
               "wheel_radius = 0.065\n"
               "wheel_inertia = 0.002\n"
               "axle_offset = 0.018\n"
               "half_track = 0.041\n",
       .models = {"wheeled", "n_trailer"}},
  };
  for (keys::CatalogueRobot& tree : multibody::catalogue()) robots.push_back(std::move(tree));
  for (keys::CatalogueRobot& each : rod::catalogue()) robots.push_back(std::move(each));
  for (keys::CatalogueRobot& each : grasp::catalogue()) robots.push_back(std::move(each));
  return robots;
}

/// The library's components and those that a program has added.
struct All {
  std::vector<ModelEntry> models = library_models();
  std::vector<GaitEntry> gaits = library_gaits();
  std::vector<ControllerEntry> controllers = library_controllers();
  std::vector<StudyEntry> studies = library_studies();
  std::vector<keys::CatalogueRobot> robots = library_robots();
  keys::Registry registry;
  std::optional<keys::KeyTable> table;

  All() { update(); }
  void update() {
    registry = {};
    registry.common = {&scenario::job_keys(), &drive::stepping_keys(), &drive::stop_keys(),
                       &path::path_keys(), &scenario::record_keys()};
    for (const ModelEntry& entry : models) registry.models.push_back(entry.keys);
    for (const GaitEntry& entry : gaits) registry.gaits.push_back(entry.keys);
    for (const ControllerEntry& entry : controllers) registry.controllers.push_back(entry.keys);
    for (const StudyEntry& entry : studies) registry.studies.push_back(entry.keys);
    registry.robots = robots;
    table.emplace(registry);
  }
};

All& all() {
  static All everything;
  return everything;
}

const std::string& name_of(const keys::CatalogueRobot& robot) { return robot.name; }
template <typename Entry>
const std::string& name_of(const Entry& entry) {
  return entry.keys.name;
}

template <typename Entry>
void add(std::vector<Entry>& entries, Entry entry) {
  for (const Entry& known : entries) {
    if (name_of(known) == name_of(entry)) {
      throw Error(fmt::format("there is a \"{}\" already", name_of(entry)));
    }
  }
  entries.push_back(std::move(entry));
  all().update();
}

}  // namespace

const std::vector<ModelEntry>& models() { return all().models; }
const std::vector<GaitEntry>& gaits() { return all().gaits; }
const std::vector<ControllerEntry>& controllers() { return all().controllers; }
const std::vector<StudyEntry>& studies() { return all().studies; }

void add_model(ModelEntry entry) { add(all().models, std::move(entry)); }
void add_gait(GaitEntry entry) { add(all().gaits, std::move(entry)); }
void add_controller(ControllerEntry entry) { add(all().controllers, std::move(entry)); }
void add_study(StudyEntry entry) { add(all().studies, std::move(entry)); }
void add_robot(keys::CatalogueRobot robot) { add(all().robots, std::move(robot)); }

}  // namespace coluber::simulation

namespace coluber::keys {

const Registry& registry() { return simulation::all().registry; }
const KeyTable& key_table() { return *simulation::all().table; }

}  // namespace coluber::keys

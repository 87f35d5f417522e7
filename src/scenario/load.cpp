#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "coluber/gait/table.hpp"
#include "coluber/scenario/catalogue.hpp"
#include "coluber/scenario/keys.hpp"
#include "coluber/scenario/scenario.hpp"

#include "scenario/document.hpp"
#include "scenario/limits.hpp"
#include "scenario/obstacle_table.hpp"
#include "scenario/resolve.hpp"
#include "scenario/validate.hpp"

namespace coluber::scenario {

namespace fs = std::filesystem;

namespace {

/// One double of a link and the key that sets it.
struct LinkField {
  const char* word;
  double Link::* member;
  bool required;  ///< of a robot that is not in the catalogue
};

constexpr std::array link_fields{
    LinkField{"mass", &Link::mass, true},     LinkField{"inertia", &Link::inertia, true},
    LinkField{"length", &Link::length, true}, LinkField{"half_core", &Link::half_core, true},
    LinkField{"radius", &Link::radius, true}, LinkField{"cg_offset", &Link::cg_offset, false},
};
constexpr LinkField axial_field{"inertia_axial", &Link::inertia_axial, true};

/// What a harmonic gait is where the file does not say, in degrees.
struct GaitDefaults {
  const char* name;
  double amplitude, phase;
  double vertical_amplitude, vertical_factor, offset_phase;  // factor: of omega and phase
};

constexpr std::array gait_defaults{
    GaitDefaults{"lateral_undulation", 40.0, -50.0, 0.0, 1.0, 90.0},  // Transeth (7.3)
    GaitDefaults{"lateral_rolling", 10.0, 0.0, 10.0, 1.0, 90.0},      // Transeth (7.4)
    GaitDefaults{"sidewinding", 30.0, -50.0, 10.0, 1.0, 90.0},        // Transeth (7.5)
    // The pitch angle is largest, an arch, where the yaw angle is largest either way.
    GaitDefaults{"sinus_lifting", 40.0, -50.0, 5.0, 2.0, -90.0},
};

double as_double(const Node& node) {
  return node.kind == Node::Kind::integer ? static_cast<double>(node.integer) : node.number;
}

/// Reads the validated tree into a Scenario and checks what takes more than one key.
class Binder {
 public:
  Binder(const Document& document, Faults& faults) : document_(document), faults_(faults) {}

  Scenario bind() {
    Scenario s;
    s.title = text("title");
    s.duration = number("duration");
    s.seed = static_cast<std::uint64_t>(integer("seed"));

    s.robot.model = text("robot.model");
    s.robot.name = text("robot.name");
    s.robot.friction_points = static_cast<int>(integer("robot.friction_points"));
    if (s.robot.model == "minimal") bind_minimal(s.robot);
    s.robot.cardan = text("robot.joint") == "cardan";
    bind_links(s.robot);
    check_friction_points(s.robot);

    s.world.gravity = number("world.gravity");
    s.world.tilt_deg = number("world.tilt_deg");
    if (s.world.tilt_deg >= 90.0) {
      fault("world.tilt_deg", fmt::format("expected less than 90, got {}", s.world.tilt_deg),
            "a wall carries no robot");
    }
    s.world.tilt_direction_deg = number("world.tilt_direction_deg");
    s.world.friction = pair("world.friction");
    s.world.viscous_friction = pair("world.viscous_friction");
    s.world.smooth_friction = text("world.friction_law") == "smooth";
    s.world.friction_smoothing = number("world.friction_smoothing");
    s.world.rolling_friction = number("world.rolling_friction");
    bind_obstacles(s.world);
    bind_obstacle_table(s);
    if (s.robot.model == "minimal" && !s.world.obstacles.empty()) {
      fault(find("world.obstacle") != nullptr ? "world.obstacle" : "world.obstacle_table",
            "the minimal model has no obstacles",
            "leave them out, or write  model = \"planar\"  in [robot]");
    }

    bind_gait(s.gait, s.robot);
    bind_start(s);

    bind_controller(s);

    s.solver.name = text("solver.name");
    s.solver.law = text("solver.law");
    s.solver.landing = text("solver.activation") == "landing";
    s.solver.dt = number("solver.dt");
    if (s.controller.name == "input_output_linearisation" && given("solver.dt") == nullptr) {
      s.solver.dt = 2.5e-4;  // Transeth table 7.2; its default gains allow 8.3e-4
    }
    s.solver.tolerance = number("solver.tolerance");
    s.solver.stop_on_failure = text("solver.on_failure") == "stop";
    if (const Node* dump = given("solver.dump")) s.solver.dump = dump->text;
    s.solver.equal_load_sharing = text("solver.load_sharing") == "equal";
    if (s.solver.equal_load_sharing && s.robot.model == "spatial" && s.robot.cardan) {
      fault("solver.load_sharing",
            "\"equal\" holds for a robot that lies flat; with cardan joints it can lift its links",
            "write  joint = \"yaw\"  in [robot], or  load_sharing = \"least_squares\"");
    }
    s.solver.thesis.r_N = number("solver.thesis.r_N");
    s.solver.thesis.r_V = number("solver.thesis.r_V");
    s.solver.thesis.r_T = number("solver.thesis.r_T");
    if (s.robot.model == "spatial" && given("solver.thesis.r_T") == nullptr) {
      s.solver.thesis.r_T = 0.01;  // Transeth table 7.2
    }
    if (s.robot.model == "minimal" && given("solver.thesis.r_T") == nullptr) {
      s.solver.thesis.r_T = 0.2;
    }
    s.solver.thesis.r_H = number("solver.thesis.r_H");
    s.solver.thesis.epsilon = number("solver.thesis.epsilon");
    if (s.robot.model == "minimal" && given("solver.thesis.epsilon") == nullptr) {
      s.solver.thesis.epsilon = 1e-5;
    }
    s.solver.thesis.max_iterations = static_cast<int>(integer("solver.thesis.max_iterations"));

    s.solver.smooth.rtol = number("solver.smooth.rtol");
    s.solver.smooth.atol = number("solver.smooth.atol");
    check_friction_law(s);

    s.stop.past_x = optional_number("stop.past_x");
    s.stop.stuck_s = optional_number("stop.stuck_s");

    s.record.rate_hz = number("record.rate_hz");
    s.record.csv = boolean("record.csv");
    s.record.checkpoint_s = number("record.checkpoint_s");
    check_sizes(s);

    s.text = document_.text;
    collect_locations(document_.root, "", s);
    return s;
  }

  /// What is wrong inside the obstacle table.
  [[nodiscard]] const std::vector<Diagnostic>& obstacle_faults() const { return obstacle_faults_; }

  /// What is wrong inside the gait's table, if it is there and the number of joints is known.
  [[nodiscard]] std::vector<Diagnostic> find_table_faults(const Scenario& s) const {
    if (!table_is_there_ || !links_are_known_) return {};
    try {
      (void)gait::load_table(s.gait.table, s.robot.angles());
    } catch (const InputError& error) {
      return error.faults();
    }
    return {};
  }

 private:
  // ---- values of the tree, or the table's defaults ----

  [[nodiscard]] const Node* find(std::string_view name) const {
    const Node* node = &document_.root;
    for (;;) {
      const std::size_t dot = name.find('.');
      node = node->is_table() ? node->find(name.substr(0, dot)) : nullptr;
      if (node == nullptr || dot == std::string_view::npos) return node;
      name.remove_prefix(dot + 1);
    }
  }

  /// The node if it was given and is valid.
  [[nodiscard]] const Node* given(std::string_view name) const {
    const Node* node = find(name);
    return node != nullptr && node->valid ? node : nullptr;
  }

  template <typename T>
  static T fallback(std::string_view name) {
    const auto* value = std::get_if<T>(&find_key(name)->default_value);
    return value != nullptr ? *value : T{};
  }

  [[nodiscard]] double number(std::string_view name) const {
    const Node* node = given(name);
    return node != nullptr ? as_double(*node) : fallback<double>(name);
  }
  [[nodiscard]] std::optional<double> optional_number(std::string_view name) const {
    const Node* node = given(name);
    return node != nullptr ? std::optional(as_double(*node)) : std::nullopt;
  }
  [[nodiscard]] std::int64_t integer(std::string_view name) const {
    const Node* node = given(name);
    return node != nullptr ? node->integer : fallback<std::int64_t>(name);
  }
  [[nodiscard]] bool boolean(std::string_view name) const {
    const Node* node = given(name);
    return node != nullptr ? node->boolean : fallback<bool>(name);
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    const Node* node = given(name);
    return node != nullptr ? node->text : fallback<std::string>(name);
  }
  [[nodiscard]] Eigen::Vector2d pair(std::string_view name) const {
    if (const Node* node = given(name)) {
      return {as_double(node->items[0]), as_double(node->items[1])};
    }
    const auto values = fallback<std::vector<double>>(name);
    return {values[0], values[1]};
  }

  [[nodiscard]] control::Gains gains(std::string_view name, double otherwise) const {
    const Node* node = given(name);
    if (node == nullptr) return otherwise;
    if (!node->is_array()) return as_double(*node);
    std::vector<double> each;
    for (const Node& item : node->items) each.push_back(as_double(item));
    return control::Gains(std::move(each));
  }

  /// Where to report something about `name`: its value, else the table around it, else the file.
  [[nodiscard]] Place place(std::string_view name) const {
    while (!name.empty()) {
      if (const Node* node = find(name)) return node->where;
      const std::size_t dot = name.rfind('.');
      name = dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
    }
    return {};
  }

  void fault(std::string_view name, std::string message, std::string hint) {
    faults_.add(place(name), std::string(name), std::move(message), std::move(hint));
  }

  // ---- robot ----

  void bind_links(Robot& robot) {
    const CatalogueRobot* known = find_robot(robot.name);
    const Node* links = find("robot.links");
    const Node* link = find("robot.link");
    const bool name_is_wrong = find("robot.name") != nullptr && !find("robot.name")->valid;
    const bool robot_is_wrong = find("robot") != nullptr && !find("robot")->is_table();
    const bool spelled_out = known == nullptr && !name_is_wrong && !robot_is_wrong;

    // how many
    const bool listed = link != nullptr && link->is_array();
    std::size_t count = known != nullptr ? static_cast<std::size_t>(known->links) : 1;
    if (links != nullptr && links->valid) {
      count = static_cast<std::size_t>(links->integer);
    } else if (listed && spelled_out && links == nullptr) {
      count = link->items.size();
      if (count == 0) {
        fault("robot.link", "a list of 0, a robot has at least one link",
              "write  [[robot.link]]  once a link");
      } else if (count > static_cast<std::size_t>(limits::links)) {
        fault("robot.link", fmt::format("a list of {}, at most {} links", count, limits::links),
              "use fewer links");
        count = 1;
      }
    }
    const bool count_is_known =
        (links != nullptr && links->valid) || (links == nullptr && known != nullptr);
    if (listed && count_is_known && link->items.size() != count) {
      fault("robot.link",
            fmt::format(
                "{} entries, the robot has {} links{}", link->items.size(), count,
                links == nullptr ? fmt::format(" (\"{}\" of the catalogue)", known->name) : ""),
            link->items.empty()
                ? "write  [[robot.link]]  once a link"
                : fmt::format("write  [[robot.link]]  once a link, or set  robot.links = {}",
                              link->items.size()));
    }

    links_are_known_ = count_is_known || (listed && spelled_out && links == nullptr && count > 0);
    if (listed && link->items.size() != count) links_are_known_ = false;

    // what a robot outside the catalogue leaves open
    if (spelled_out) {
      std::string missing;
      const auto miss = [&missing](const std::string& key) {
        missing += (missing.empty() ? "" : ", ") + key;
      };
      if (links == nullptr && !listed) miss("robot.links");
      const auto look_for = [&](const LinkField& field) {
        if (!listed &&
            (link == nullptr || (link->is_table() && link->find(field.word) == nullptr))) {
          miss(fmt::format("robot.link.{}", field.word));
        }
      };
      for (const LinkField& field : link_fields) {
        if (field.required) look_for(field);
      }
      if (robot.model == "spatial") look_for(axial_field);
      if (!missing.empty()) {
        fault("robot", "the robot is not fully described, missing: " + missing,
              "give them, or start from a catalogue robot:  name = \"aiko\"");
      }
    }

    // each link: catalogue, then the table for all or its own
    const Link base = known != nullptr ? known->link : Link{};
    if (listed) {
      for (std::size_t i = 0; i < link->items.size() && i < count; ++i) {
        robot.link.push_back(bind_link(link->items[i], base, fmt::format("robot.link.{}", i + 1),
                                       spelled_out, robot.model == "spatial"));
      }
    } else {
      robot.link.assign(count,
                        link != nullptr && link->is_table()
                            ? bind_link(*link, base, "robot.link", false, robot.model == "spatial")
                            : base);
    }
  }

  Link bind_link(const Node& node, Link link, const std::string& path, bool complete,
                 bool in_space) {
    if (!node.is_table()) return link;  // reported
    std::string missing;
    bool valid = true;
    const auto take = [&](const LinkField& field) {
      const Node* value = node.find(field.word);
      if (value == nullptr) {
        if (complete && field.required)
          missing += (missing.empty() ? "" : ", ") + std::string(field.word);
      } else if (value->valid) {
        link.*field.member = as_double(*value);
      } else {
        valid = false;
      }
    };
    for (const LinkField& field : link_fields) take(field);
    if (in_space) take(axial_field);
    if (const Node* shape = node.find("shape"); shape != nullptr && shape->valid) {
      link.spheres = shape->text == "spheres";
    }
    if (in_space && valid && link.inertia_axial > 2.0 * link.inertia) {
      const Node* axial = node.find("inertia_axial");
      faults_.add(axial != nullptr ? axial->where : node.where, path + ".inertia_axial",
                  fmt::format("expected at most twice the inertia, {}, got {}", 2.0 * link.inertia,
                              link.inertia_axial),
                  "no body has more: a flat disc has twice the inertia about its axis");
    }
    if (!missing.empty()) {
      faults_.add(node.where, path, "the link is not fully described, missing: " + missing,
                  "give them, or start from a catalogue robot:  name = \"aiko\"");
    } else if (valid && std::abs(link.cg_offset) > 0.5 * link.length) {
      const Node* offset = node.find("cg_offset");
      faults_.add(offset != nullptr ? offset->where : node.where, path + ".cg_offset",
                  fmt::format("expected a number from {} to {} (half the link's length), got {}",
                              -0.5 * link.length, 0.5 * link.length, link.cg_offset),
                  "the centre of gravity lies between the link's joints");
    }
    return link;
  }

  /// Two points carry a link only if its centre of gravity lies between them.
  void check_friction_points(const Robot& robot) {
    if (robot.friction_points != 2) return;
    for (std::size_t i = 0; i < robot.link.size(); ++i) {
      const Link& link = robot.link[i];
      if (std::abs(link.cg_offset) <= link.half_core) continue;
      fault("robot.friction_points",
            fmt::format("link {} would tip over: its cg_offset of {} m lies outside its two points "
                        "at half_core = {} m",
                        i + 1, link.cg_offset, link.half_core),
            robot.model == "minimal"
                ? "bring cg_offset within half_core, or take  model = \"planar\""
                : "write  friction_points = 1, or bring cg_offset within half_core");
      return;
    }
  }

  void bind_minimal(Robot& robot) {
    if (given("robot.friction_points") != nullptr && robot.friction_points != 2) {
      fault("robot.friction_points", "the minimal model has two friction points a link, not one",
            "leave it out, or write  model = \"planar\"  in [robot]");
    }
    robot.friction_points = 2;
  }

  // ---- world ----

  /// Keys of one friction law's solver say nothing to the other's.
  void check_friction_law(const Scenario& s) {
    const auto refuse = [&](const char* key, bool differs) {
      if (!differs || given(key) == nullptr) return;
      fault(key,
            s.world.smooth_friction
                ? "goes with friction_law = \"set_valued\": smooth friction needs no such solver"
                : "goes with friction_law = \"smooth\"",
            "leave it out, or change world.friction_law");
    };
    if (s.world.smooth_friction) {
      refuse("solver.name", s.solver.name != "newton");
      refuse("solver.law", s.solver.law != "anchored");
      refuse("solver.tolerance", s.solver.tolerance != fallback<double>("solver.tolerance"));
      refuse("solver.dump", true);
    } else {
      refuse("solver.smooth.rtol", s.solver.smooth.rtol != fallback<double>("solver.smooth.rtol"));
      refuse("solver.smooth.atol", s.solver.smooth.atol != fallback<double>("solver.smooth.atol"));
    }
  }

  void bind_obstacles(World& world) {
    const Node* list = given("world.obstacle");
    if (list == nullptr) return;
    if (list->items.size() > limits::obstacles) {
      fault("world.obstacle",
            fmt::format("{} obstacles, the limit is {}", list->items.size(), limits::obstacles),
            "leave out those the robot never reaches");
      return;
    }
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const Node& node = list->items[i];
      if (!node.is_table()) continue;  // reported
      Obstacle obstacle;
      std::string missing;
      const auto take = [&](const char* word, double& target, bool required) {
        const Node* value = node.find(word);
        if (value == nullptr) {
          if (required) missing += (missing.empty() ? "" : ", ") + std::string(word);
        } else if (value->valid) {
          target = as_double(*value);
        }
      };
      take("x", obstacle.x, true);
      take("y", obstacle.y, true);
      take("radius", obstacle.radius, true);
      take("friction", obstacle.friction, false);
      if (!missing.empty()) {
        faults_.add(node.where, fmt::format("world.obstacle.{}", i + 1), "missing: " + missing,
                    "an obstacle is  x = 0.5, y = 0.1, radius = 0.02, in m");
      }
      world.obstacles.push_back(obstacle);
    }
  }

  /// What a path that leads nowhere is relative to.
  static std::string path_hint(const Source& source) {
    return source.name.starts_with("--set ")
               ? "a path in --set is relative to the folder that the command is called in"
               : "the path is relative to the file that holds the key";
  }

  void bind_obstacle_table(Scenario& s) {
    const Node* path = given("world.obstacle_table");
    if (path == nullptr) return;
    const Source& source = document_.sources.at(static_cast<std::size_t>(path->where.source));
    s.world.obstacle_table = (source.folder / fs::path(path->text)).lexically_normal();
    const std::size_t first = s.world.obstacles.size();
    ObstacleTable table = load_obstacle_table(
        s.world.obstacle_table, limits::obstacles - std::min(first, limits::obstacles));
    for (std::size_t i = 0; i < table.obstacles.size(); ++i) {
      s.world.obstacles.push_back(table.obstacles[i]);
      s.locations.emplace(fmt::format("world.obstacle.{}", first + i + 1),
                          SourceLocation{s.world.obstacle_table.string(), table.lines[i], 1});
    }
    // A file that is not there is the key's fault; what is in it stands in a file of its own.
    if (!table.faults.empty() && table.faults.front().where.line == 0) {
      std::error_code failure;
      const bool there = fs::exists(s.world.obstacle_table, failure);
      fault("world.obstacle_table",
            fmt::format("{}: {}", table.faults.front().message, s.world.obstacle_table.string()),
            there ? table.faults.front().hint : path_hint(source));
      return;
    }
    obstacle_faults_ = std::move(table.faults);
  }

  // ---- gait and start ----

  void bind_gait(Gait& gait, const Robot& robot) {
    const Node* table = find("gait");
    gait.present = table != nullptr && table->is_table();
    gait.name = text("gait.name");
    const auto* defaults =
        std::ranges::find(gait_defaults, gait.name, [](const auto& row) { return row.name; });
    if (defaults == gait_defaults.end()) defaults = gait_defaults.begin();
    const auto number_or = [&](std::string_view name, double otherwise) {
      return optional_number(name).value_or(otherwise);
    };
    gait.amplitude_deg = number_or("gait.amplitude_deg", defaults->amplitude);
    gait.omega_deg = number("gait.omega_deg");
    gait.phase_deg = number_or("gait.phase_deg", defaults->phase);
    gait.offset_deg = number("gait.offset_deg");
    gait.soft_start = boolean("gait.soft_start");
    VerticalGait& vertical = gait.vertical;
    vertical.amplitude_deg = number_or("gait.vertical.amplitude_deg", defaults->vertical_amplitude);
    vertical.omega_deg =
        number_or("gait.vertical.omega_deg", defaults->vertical_factor * gait.omega_deg);
    vertical.phase_deg =
        number_or("gait.vertical.phase_deg", defaults->vertical_factor * gait.phase_deg);
    vertical.offset_phase_deg = number_or("gait.vertical.offset_phase_deg", defaults->offset_phase);
    const bool pitch_joints = robot.model == "spatial" && robot.cardan;
    const bool model_is_known = find("robot.model") == nullptr || given("robot.model") != nullptr;
    if (model_is_known && !pitch_joints && gait.name != "lateral_undulation" &&
        gait.name != "table") {
      fault("gait.name", fmt::format("\"{}\" moves pitch joints, this robot has none", gait.name),
            robot.model == "spatial"
                ? "write  joint = \"cardan\"  in [robot], or take \"lateral_undulation\""
                : "write  model = \"spatial\"  in [robot], or take \"lateral_undulation\"");
    } else if (!pitch_joints && robot.model == "spatial" && find("gait.vertical") != nullptr &&
               gait.name != "table") {
      fault("gait.vertical", "moves pitch joints, joint = \"yaw\" has none",
            "leave it out, or write  joint = \"cardan\"  in [robot]");
    }
    if (gait.name != "table") {
      check_angles(gait, pitch_joints);
      return;
    }
    if (gait.soft_start) {
      fault("gait.soft_start", "goes with a harmonic gait only, not with name = \"table\"",
            "start the table itself from the start angles, or leave soft_start out");
    }
    const Node* path = find("gait.table");
    if (path == nullptr) {
      fault("gait.name", "\"table\" needs the key gait.table",
            "for example  table = \"angles.csv\"");
    } else if (path->valid) {
      const Source& source = document_.sources.at(static_cast<std::size_t>(path->where.source));
      gait.table = (source.folder / fs::path(path->text)).lexically_normal();
      std::error_code failure;
      const fs::file_status status = fs::status(gait.table, failure);
      if (!fs::exists(status)) {
        fault("gait.table", fmt::format("no such file: {}", gait.table.string()),
              path_hint(source));
      } else if (!fs::is_regular_file(status)) {
        fault("gait.table", fmt::format("not a regular file: {}", gait.table.string()),
              "name a CSV file: t,phi_1,…; s and deg");
      } else {
        table_is_there_ = true;
      }
    }
  }

  /// The thesis' joint angles, Transeth (4.96), (4.97), are defined within ±90 deg.
  void check_angles(const Gait& gait, bool pitch_joints) {
    if (!pitch_joints || !gait.present) return;
    const auto check = [&](const char* key, double largest) {
      if (largest < 90.0) return;
      fault(key, fmt::format("a cardan joint would reach {} deg, its limit is below 90", largest),
            "lower the amplitude; the thesis' joint angles are defined within ±90 deg (Transeth "
            "4.5)");
    };
    check("gait.amplitude_deg", std::abs(gait.amplitude_deg) + std::abs(gait.offset_deg));
    check("gait.vertical.amplitude_deg", std::abs(gait.vertical.amplitude_deg));
  }

  void bind_start(Scenario& s) {
    s.start.z = optional_number("start.z");
    s.start.pitch_deg = number("start.pitch_deg");
    s.start.roll_deg = number("start.roll_deg");
    s.start.link = static_cast<int>(integer("start.link"));
    s.start.position = pair("start.position");
    s.start.heading_deg = number("start.heading_deg");
    const std::size_t links = s.robot.link.size();
    if (links_are_known_ && static_cast<std::size_t>(s.start.link) > links) {
      fault("start.link",
            fmt::format("expected an integer from 1 to {} (the number of links), got {}", links,
                        s.start.link),
            fmt::format("the last link is  link = {}", links));
    }

    const Node* shape = given("start.shape");
    if (shape == nullptr) {
      s.start.shape = s.gait.present ? StartShape::gait : StartShape::straight;
    } else if (shape->is_array()) {
      s.start.shape = StartShape::angles;
      for (const Node& angle : shape->items) s.start.angles_deg.push_back(as_double(angle));
      const auto angles = static_cast<std::size_t>(s.robot.angles());
      const bool two = angles + 1 > links;
      if (links_are_known_ && shape->items.size() != angles) {
        fault("start.shape",
              fmt::format("has {} angles, the robot needs {} ({} a joint, {} links)",
                          shape->items.size(), angles, two ? "two" : "one", links),
              two ? "a list has yaw and pitch in degrees for each joint, from link 1 on"
                  : "a list has one angle in degrees for each joint, from link 1 on");
      }
      for (std::size_t i = 0; two && i < shape->items.size(); ++i) {
        if (std::abs(s.start.angles_deg[i]) < 90.0) continue;
        faults_.add(
            shape->items[i].where, "start.shape",
            fmt::format("a cardan joint at {} deg, its limit is below 90", s.start.angles_deg[i]),
            "the thesis' joint angles are defined within ±90 deg (Transeth 4.5)");
      }
    } else if (shape->text == "straight") {
      s.start.shape = StartShape::straight;
    } else {
      s.start.shape = StartShape::gait;
      if (!s.gait.present) {
        fault("start.shape", "\"gait\" needs a [gait], and there is none",
              "add  [gait], or write  shape = \"straight\"");
      }
    }
  }

  // ---- controller ----

  void bind_controller(Scenario& s) {
    Controller& controller = s.controller;
    controller.name = text("controller.name");
    const bool linearising = controller.name == "input_output_linearisation";
    controller.kp = gains("controller.kp", linearising ? 4e5 : 800.0);  // Transeth table 7.2
    controller.kd = gains("controller.kd", linearising ? 2.4e3 : 2.0);
    controller.implicit_servo = text("controller.servo") == "implicit";
    controller.torque_limit = number("controller.torque_limit");
    controller.start_time = number("controller.start_time");
    Noise& noise = controller.noise;
    noise.position = number("controller.noise.position");
    noise.heading_deg = number("controller.noise.heading_deg");
    noise.joint_deg = number("controller.noise.joint_deg");
    noise.velocity = number("controller.noise.velocity");
    noise.heading_rate_deg = number("controller.noise.heading_rate_deg");
    noise.joint_rate_deg = number("controller.noise.joint_rate_deg");
    for (const auto& [key, gain] :
         {std::pair{"controller.kp", &controller.kp}, std::pair{"controller.kd", &controller.kd}}) {
      const auto angles = static_cast<std::size_t>(s.robot.angles());
      const Node* node = given(key);
      if (!links_are_known_ || node == nullptr || !node->is_array()) continue;
      if (gain->values().size() == angles) continue;
      fault(key,
            fmt::format("has {} gains, the robot needs {} ({} a joint, {} links)",
                        gain->values().size(), angles,
                        angles + 1 > s.robot.link.size() ? "two" : "one", s.robot.link.size()),
            "write one number for all joints, or a list from link 1 on");
    }
    if (linearising) check_linearisation(s);
  }

  /// What the controller's model and the proof of its stability ask of the robot, Transeth 6.3.
  void check_linearisation(Scenario& s) {
    const std::string name = "\"input_output_linearisation\"";
    const std::string instead = ", or take  name = \"pd\"  in [controller]";
    if (given("controller.servo") != nullptr && s.controller.implicit_servo) {
      fault("controller.servo",
            name + " computes its torques from the start of a step, never from its end",
            "leave it out" + instead);
    }
    s.controller.implicit_servo = false;
    if (s.robot.model == "spatial") {
      fault("controller.name", name + " is for the plane, this robot is \"spatial\"",
            "write  model = \"minimal\"  in [robot]" + instead);
      return;
    }
    if (s.robot.friction_points != 2) {
      fault("controller.name",
            name +
                " needs two friction points a link, this robot has one: nothing would resist "
                "the turning of a link",
            "write  friction_points = 2  in [robot]" + instead);
    }
    for (std::size_t i = 0; i < s.robot.link.size(); ++i) {
      if (s.robot.link[i].half_core > 0.0) continue;
      fault("controller.name",
            fmt::format("{} needs two friction points that lie apart, those of link {} are one: "
                        "its half_core is 0",
                        name, i + 1),
            "give the links a half_core" + instead);
      break;
    }
    if (!(s.world.viscous_friction.minCoeff() > 0.0)) {
      fault("controller.name",
            fmt::format("{} needs viscous friction along and across the links, here [{}, {}]: "
                        "without it the robot's own motion is not bounded",
                        name, s.world.viscous_friction.x(), s.world.viscous_friction.y()),
            "write  viscous_friction = [0.1, 0.2]  in [world]" + instead);
    }
    if (s.robot.model != "minimal" && !s.world.obstacles.empty()) {
      fault("controller.name",
            fmt::format("{} knows of no obstacles, here are {}", name, s.world.obstacles.size()),
            "leave them out" + instead);
    }
  }

  // ---- sizes ----

  void check_sizes(Scenario& s) {
    const bool dt_is_known = find("solver.dt") == nullptr || find("solver.dt")->valid;
    const bool duration_is_known = find("duration") == nullptr || find("duration")->valid;
    if (!dt_is_known) return;
    if (duration_is_known) {
      if (s.duration < s.solver.dt) {
        fault("duration",
              fmt::format("{} s is less than one step of {} s", s.duration, s.solver.dt),
              "raise duration or lower solver.dt");
      }
      if (s.duration / s.solver.dt > limits::steps) {
        fault("solver.dt",
              fmt::format("{} s in steps of {} s are {:.3g} steps, the limit is {:.0e}", s.duration,
                          s.solver.dt, s.duration / s.solver.dt, limits::steps),
              "lower duration or raise solver.dt");
      }
    }
    const double highest = 1.0 / s.solver.dt;
    if (find("record.rate_hz") == nullptr) {
      s.record.rate_hz = std::min(s.record.rate_hz, highest);
    } else if (s.record.rate_hz > highest * (1.0 + 1e-9)) {
      fault("record.rate_hz",
            fmt::format("expected at most one frame a step, {} Hz, got {}", highest,
                        s.record.rate_hz),
            "lower record.rate_hz or solver.dt");
      return;
    }
    // a frame holds about 11 numbers a link: position 2, angle, joint angle, rate, torque,
    // reference, forces 4; in space 21: position 3, quaternion 4, joint angles, rates, torques,
    // references 2 each, forces 6
    const double numbers_a_link = s.robot.model == "spatial" ? 21.0 : 11.0;
    const double numbers = numbers_a_link * static_cast<double>(s.robot.link.size()) + 10.0;
    const double frames = s.duration * s.record.rate_hz + 1.0;
    if (duration_is_known && frames * numbers > limits::values) {
      fault(
          "record.rate_hz",
          fmt::format("{:.3g} frames of about {:.0f} numbers are {:.3g} GB, the limit is {:.3g} GB",
                      frames, numbers, frames * numbers * 8e-9, limits::values * 8e-9),
          fmt::format("for this robot and duration at most  rate_hz = {:.3g}",
                      limits::values / numbers / s.duration));
    }
  }

  // ---- places ----

  void collect_locations(const Node& node, const std::string& path, Scenario& s) {
    if (!path.empty()) s.locations.emplace(path, to_location(node.where, document_.sources));
    for (const auto& [word, field] : node.fields) {
      collect_locations(field, joined(path, word), s);
    }
    if (node.kind != Node::Kind::array) return;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      collect_locations(node.items[i], fmt::format("{}.{}", path, i + 1), s);
    }
  }

  const Document& document_;
  Faults& faults_;
  bool links_are_known_ = false;  ///< false: reported, so that nothing else is held against it
  bool table_is_there_ = false;   ///< gait.table names a regular file
  std::vector<Diagnostic> obstacle_faults_;
};

Scenario make_scenario(Document document, Faults& faults) {
  validate(document, faults);
  Binder binder(document, faults);
  Scenario scenario = binder.bind();
  if (!faults.empty() || !binder.obstacle_faults().empty()) {
    // Whoever builds the gait reads its table. Nobody will, so its faults are added here. Tables
    // come last: they are other files.
    std::vector<Diagnostic> all;
    try {
      faults.raise(document.sources);
    } catch (const InputError& error) {
      all = error.faults();
    }
    for (const auto& table : {binder.obstacle_faults(), binder.find_table_faults(scenario)}) {
      all.insert(all.end(), table.begin(), table.end());
    }
    throw InputError(std::move(all));
  }
  resolve(scenario);
  return scenario;
}

}  // namespace

Scenario load(const fs::path& file, const Overrides& overrides) {
  Faults faults;
  Scenario scenario = make_scenario(read_document(file, overrides, faults), faults);
  scenario.path = file;
  if (scenario.title.empty()) scenario.title = file.stem().string();
  return scenario;
}

Scenario parse(const std::string& text, const fs::path& folder, const Overrides& overrides,
               const std::string& name) {
  Faults faults;
  Scenario scenario = make_scenario(parse_document(text, name, folder, overrides, faults), faults);
  if (scenario.title.empty()) scenario.title = name;
  return scenario;
}

}  // namespace coluber::scenario

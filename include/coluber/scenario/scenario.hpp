#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "coluber/control/gains.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"

namespace coluber::scenario {

/// One link as the file spells it. SI units.
struct Link {
  double mass = 7.5 / 11.0;   ///< kg
  double inertia = 1.32e-3;   ///< kg m², about the centre of gravity, vertical axis
  double length = 0.122;      ///< m, joint to joint (L)
  double half_core = 0.0393;  ///< m, half length of the capsule's core (L_GS)
  double radius = 0.0525;     ///< m, of the capsule (L_SC)
  double cg_offset = 0.0;     ///< m, centre of gravity ahead of the link's middle, towards link i+1
  double inertia_axial = 9.40e-4;  ///< kg m², about the link's own axis
  bool spheres = false;            ///< shape = "spheres"; false: "capsule"
};

/// `[robot]`.
struct Robot {
  std::string model = "planar";
  std::string name;        ///< of the catalogue; empty: spelled out in the file
  std::vector<Link> link;  ///< one a link; its size is the number of links
  int friction_points = 1;
  bool cardan = true;  ///< joint = "cardan"; false: "yaw"

  /// Joint angles a command speaks of: one a joint, two (yaw, pitch) for a spatial cardan joint.
  [[nodiscard]] int angles() const {
    return (static_cast<int>(link.size()) - 1) * (model == "spatial" && cardan ? 2 : 1);
  }
};

/// Where the joint angles at the start come from.
enum class StartShape : std::uint8_t { straight, gait, angles };

/// `[start]`.
struct Start {
  StartShape shape = StartShape::gait;
  std::vector<double> angles_deg;                      ///< for StartShape::angles, one a joint
  int link = 1;                                        ///< 1-based: this link …
  Eigen::Vector2d position = Eigen::Vector2d::Zero();  ///< … has its centre here (m)
  double heading_deg = 180.0;                          ///< direction from link 1 to link n
  std::optional<double> z{};  ///< height of that link's centre (m); none: the robot on the ground
  double pitch_deg = 0.0;     ///< positive: link n above link 1
  double roll_deg = 0.0;
};

/// `[[world.obstacle]]`: a circle, in space the vertical cylinder over it, in m.
struct Obstacle {
  double x = 0.0;
  double y = 0.0;
  double radius = 0.0;
  double friction = 0.0;
};

/// `[world]`.
struct World {
  double gravity = 9.81;
  double tilt_deg = 0.0;
  double tilt_direction_deg = 0.0;
  Eigen::Vector2d friction{0.2, 0.2};          ///< along and across the link
  Eigen::Vector2d viscous_friction{0.0, 0.0};  ///< along and across the link (s/m)
  bool smooth_friction = false;                ///< friction_law = "smooth"; false: "set_valued"
  double friction_smoothing = 1e-3;            ///< m/s
  double rolling_friction = 0.0;
  std::vector<Obstacle> obstacles;       ///< those of the file, then those of the table
  std::filesystem::path obstacle_table;  ///< resolved path of the CSV; empty: none
};

/// `[gait.vertical]`: the wave of the pitch joints; angles in degrees.
struct VerticalGait {
  double amplitude_deg = 0.0;
  double omega_deg = 80.0;
  double phase_deg = -50.0;
  double offset_phase_deg = 90.0;  ///< against the yaw joints
};

/// `[gait]`; angles in degrees, as in the file.
struct Gait {
  bool present = false;  ///< no [gait]: the start angles are held
  std::string name = "lateral_undulation";
  std::filesystem::path table;  ///< name = "table": resolved path of the CSV
  double amplitude_deg = 40.0;
  double omega_deg = 80.0;
  double phase_deg = -50.0;
  double offset_deg = 0.0;
  bool soft_start = false;
  VerticalGait vertical;
};

/// `[controller.noise]`: measurements are off by up to this much; angles in degrees.
struct Noise {
  double position = 0.0;          ///< m
  double heading_deg = 0.0;       ///< deg
  double joint_deg = 0.0;         ///< deg
  double velocity = 0.0;          ///< m/s
  double heading_rate_deg = 0.0;  ///< deg/s
  double joint_rate_deg = 0.0;    ///< deg/s
  friend bool operator==(const Noise&, const Noise&) = default;
};

/// `[controller]`.
struct Controller {
  std::string name = "pd";
  control::Gains kp = 800.0;  ///< one, or one a joint angle
  control::Gains kd = 2.0;
  bool implicit_servo = true;
  double torque_limit = std::numeric_limits<double>::infinity();
  double start_time = 0.0;
  Noise noise;
};

/// `[solver.smooth]`: tolerances of the smooth model's integrator.
struct SmoothSolver {
  double rtol = 1e-6;
  double atol = 1e-8;
};

/// `[solver.thesis]`.
struct ThesisSolver {
  double r_N = 0.1;
  double r_T = 1.3;
  double r_V = 0.05;
  double r_H = 0.01;
  double epsilon = 2e-5;
  int max_iterations = 10000;
};

/// `[solver]`.
struct Solver {
  std::string name = "newton";
  std::string law = "anchored";
  bool landing = true;  ///< activation = "landing"; false: "gap"
  double dt = 1e-3;
  double tolerance = 1e-10;
  bool equal_load_sharing = false;  ///< load_sharing = "equal"; false: "least_squares"
  bool stop_on_failure = true;
  std::filesystem::path dump{};  ///< for the problem of the hardest step; empty: none
  ThesisSolver thesis;
  SmoothSolver smooth;
};

/// Conditions that end a run before its duration; none by default.
struct Stop {
  std::optional<double> past_x{};   ///< m: link 1's centre has crossed this x
  std::optional<double> stuck_s{};  ///< s: no link moved a link length within this time
};

/// `[record]`.
struct Record {
  double rate_hz = 100.0;
  bool csv = false;
  double checkpoint_s = 1.0;
};

/// A validated scenario: every value is in range and every feature it asks for is built.
struct Scenario {
  std::string title;
  double duration = 10.0;  ///< s
  std::uint64_t seed = 0;
  Robot robot;
  Start start;
  World world;
  Gait gait;
  Controller controller;
  Solver solver;
  Stop stop;
  Record record;

  std::filesystem::path path;  ///< the file it came from; empty if built in memory
  std::string text;            ///< that file's text, as read
  std::string resolved;        ///< every key with its final value, as canonical JSON
  std::uint64_t hash = 0;      ///< of `resolved`

  /// Where each key was given, entries of lists with their 1-based number: "solver.dt",
  /// "world.obstacle.3", "world.obstacle.3.x". Keys at their default are not in it.
  std::map<std::string, SourceLocation, std::less<>> locations;
};

/// `key=value` pairs of `--set`, in order; values are TOML.
using Overrides = std::vector<std::string>;

/// Reads, merges includes, applies overrides and validates. Throws InputError with every fault.
COLUBER_EXPORT Scenario load(const std::filesystem::path& file, const Overrides& overrides = {});

/// The same from TOML text; includes and tables are relative to `folder`.
COLUBER_EXPORT Scenario parse(const std::string& text, const std::filesystem::path& folder = ".",
                              const Overrides& overrides = {}, const std::string& name = "<text>");

/// Where `key` ("world.obstacle.3") was given, else the nearest table around it, else the file
/// alone: what a fault found after loading points at.
COLUBER_EXPORT SourceLocation locate(const Scenario& scenario, std::string_view key);

}  // namespace coluber::scenario

#include "scenario/resolve.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/hash.hpp"
#include "coluber/scenario/keys.hpp"

namespace coluber::scenario {

namespace {

using nlohmann::json;

json number(double x) {
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";  // JSON has no infinity
  return x;
}

/// Every key starts at its default, so that no row of the table can be forgotten here.
json defaults() {
  json root = json::object();
  for (const Key& key : keys()) {
    if (key.name == "include" || key.name.starts_with("robot.link.") ||
        key.name.starts_with("world.obstacle.")) {
      continue;
    }
    json* node = &root;
    std::string_view rest = key.name;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      node = &(*node)[std::string(rest.substr(0, dot))];
      rest.remove_prefix(dot + 1);
    }
    json& value = (*node)[std::string(rest)];
    value = nullptr;
    std::visit(
        [&value](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, double>) {
            value = number(x);
          } else if constexpr (!std::is_same_v<T, std::monostate>) {
            value = x;
          }
        },
        key.default_value);
  }
  return root;
}

json to_json(const Link& link, bool spatial) {
  return {{"mass", link.mass},
          {"inertia", link.inertia},
          {"length", link.length},
          {"half_core", link.half_core},
          {"radius", link.radius},
          {"cg_offset", link.cg_offset},
          {"inertia_axial", spatial ? json(link.inertia_axial) : json()},
          {"shape", link.spheres ? "spheres" : "capsule"}};
}

json to_json(const control::Gains& gains) {
  return gains.is_uniform() ? json(gains(0)) : json(gains.values());
}

std::string hash_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return fmt::format("{:016x}", Hasher().update(bytes).finish());
}

}  // namespace

void resolve(Scenario& s) {
  json root = defaults();
  root["title"] = s.title;
  root["duration"] = s.duration;
  root["seed"] = s.seed;

  json& robot = root["robot"];
  robot["model"] = s.robot.model;
  const bool spatial = s.robot.model == "spatial";
  if (!s.robot.name.empty()) robot["name"] = s.robot.name;
  robot["links"] = s.robot.link.size();
  robot["friction_points"] = s.robot.friction_points;
  robot["joint"] = s.robot.cardan ? "cardan" : "yaw";
  json link = json::array();
  bool alike = true;
  for (const Link& each : s.robot.link) {
    link.push_back(to_json(each, spatial));
    alike = alike && link.back() == link.front();
  }
  robot["link"] = alike && !link.empty() ? link.front() : link;

  json& start = root["start"];
  switch (s.start.shape) {
    case StartShape::straight:
      start["shape"] = "straight";
      break;
    case StartShape::gait:
      start["shape"] = "gait";
      break;
    case StartShape::angles:
      start["shape"] = s.start.angles_deg;
      break;
  }
  start["link"] = s.start.link;
  start["position"] = {s.start.position.x(), s.start.position.y()};
  start["heading_deg"] = s.start.heading_deg;
  if (s.start.z) start["z"] = *s.start.z;
  start["pitch_deg"] = s.start.pitch_deg;
  start["roll_deg"] = s.start.roll_deg;

  json& world = root["world"];
  world["gravity"] = s.world.gravity;
  world["tilt_deg"] = s.world.tilt_deg;
  world["tilt_direction_deg"] = s.world.tilt_direction_deg;
  world["friction"] = {s.world.friction.x(), s.world.friction.y()};
  world["viscous_friction"] = {s.world.viscous_friction.x(), s.world.viscous_friction.y()};
  world["friction_law"] = s.world.smooth_friction ? "smooth" : "set_valued";
  world["friction_smoothing"] = s.world.friction_smoothing;
  world["rolling_friction"] = s.world.rolling_friction;
  world["obstacle"] = json::array();  // those of a table too: the run does not need it any more
  for (const Obstacle& each : s.world.obstacles) {
    world["obstacle"].push_back(
        {{"x", each.x}, {"y", each.y}, {"radius", each.radius}, {"friction", each.friction}});
  }

  if (s.gait.present) {
    json& gait = root["gait"];
    gait["name"] = s.gait.name;
    if (!s.gait.table.empty()) {
      gait["table"] = s.gait.table.filename().string();
      gait["table_hash"] = hash_of_file(s.gait.table);
    }
    gait["amplitude_deg"] = s.gait.amplitude_deg;
    gait["omega_deg"] = s.gait.omega_deg;
    gait["phase_deg"] = s.gait.phase_deg;
    gait["offset_deg"] = s.gait.offset_deg;
    gait["soft_start"] = s.gait.soft_start;
    if (spatial && s.robot.cardan) {  // else a key that goes with other robots
      gait["vertical"]["amplitude_deg"] = s.gait.vertical.amplitude_deg;
      gait["vertical"]["omega_deg"] = s.gait.vertical.omega_deg;
      gait["vertical"]["phase_deg"] = s.gait.vertical.phase_deg;
      gait["vertical"]["offset_phase_deg"] = s.gait.vertical.offset_phase_deg;
    }
  } else {
    root["gait"] = nullptr;
  }

  json& controller = root["controller"];
  controller["name"] = s.controller.name;
  controller["kp"] = to_json(s.controller.kp);
  controller["kd"] = to_json(s.controller.kd);
  controller["servo"] = s.controller.implicit_servo ? "implicit" : "explicit";
  controller["torque_limit"] = number(s.controller.torque_limit);
  controller["start_time"] = s.controller.start_time;
  controller["noise"]["position"] = s.controller.noise.position;
  controller["noise"]["heading_deg"] = s.controller.noise.heading_deg;
  controller["noise"]["joint_deg"] = s.controller.noise.joint_deg;
  controller["noise"]["velocity"] = s.controller.noise.velocity;
  controller["noise"]["heading_rate_deg"] = s.controller.noise.heading_rate_deg;
  controller["noise"]["joint_rate_deg"] = s.controller.noise.joint_rate_deg;

  json& solver = root["solver"];
  solver["name"] = s.solver.name;
  solver["law"] = s.solver.law;
  solver["activation"] = s.solver.landing ? "landing" : "gap";
  solver["dt"] = s.solver.dt;
  solver["tolerance"] = s.solver.tolerance;
  solver["on_failure"] = s.solver.stop_on_failure ? "stop" : "warn";
  if (!s.solver.dump.empty()) solver["dump"] = s.solver.dump.string();
  solver["load_sharing"] = s.solver.equal_load_sharing ? "equal" : "least_squares";
  solver["thesis"]["r_N"] = s.solver.thesis.r_N;
  solver["thesis"]["r_T"] = s.solver.thesis.r_T;
  solver["thesis"]["r_V"] = s.solver.thesis.r_V;
  solver["thesis"]["r_H"] = s.solver.thesis.r_H;
  solver["thesis"]["epsilon"] = s.solver.thesis.epsilon;
  solver["thesis"]["max_iterations"] = s.solver.thesis.max_iterations;

  solver["smooth"]["rtol"] = s.solver.smooth.rtol;
  solver["smooth"]["atol"] = s.solver.smooth.atol;

  if (s.stop.past_x) root["stop"]["past_x"] = *s.stop.past_x;
  if (s.stop.stuck_s) root["stop"]["stuck_s"] = *s.stop.stuck_s;

  json& record = root["record"];
  record["rate_hz"] = s.record.rate_hz;
  record["csv"] = s.record.csv;
  record["checkpoint_s"] = s.record.checkpoint_s;

  s.resolved = root.dump();
  s.hash = Hasher().update(s.resolved).finish();
}

}  // namespace coluber::scenario

#include "coluber/simulation/make_planar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/planar/system.hpp"

#include "planar_model.hpp"
#include "step_options.hpp"

namespace coluber::simulation {
namespace {

constexpr double kAllowedOverlap = 1e-6;  // m

void refuse_overlap(const scenario::Scenario& scenario, const planar::Model& model,
                    const planar::State& state) {
  planar::Pose pose;
  planar::compute_pose_at_time(model, state, 0.0, pose);
  std::vector<Diagnostic> faults;
  for (std::size_t j = 0; j < model.obstacles.size(); ++j) {
    double deepest = 0.0;
    int link = 0;
    for (int i = 0; i < model.n(); ++i) {
      const planar::Gap gap =
          planar::compute_gap(model.links[static_cast<std::size_t>(i)], pose.r.col(i) + pose.origin,
                              pose.cos(i), pose.sin(i), model.obstacles[j]);
      if (-gap.g > deepest) {
        deepest = -gap.g;
        link = i + 1;
      }
    }
    if (deepest <= kAllowedOverlap) continue;
    const std::string key = fmt::format("world.obstacle.{}", j + 1);
    faults.push_back({scenario::locate(scenario, key), key,
                      fmt::format("link {} starts {:.3g} m inside this obstacle", link, deepest),
                      "move the obstacle or start.position, or turn start.heading_deg"});
  }
  if (!faults.empty()) throw InputError(std::move(faults));
}

bool has_rough_obstacles(const planar::Model& model) {
  return std::ranges::any_of(model.obstacles,
                             [](const planar::Obstacle& obstacle) { return obstacle.mu > 0.0; });
}

/// Held over a step, the linearising torque leaves phidd = u of the step's start: with the midpoint
/// rule for phi the error grows unless dt < 2/K_D and dt < 2 K_D/K_P, as of a servo with unit
/// inertia.
void warn_of_explicit_linearisation(const scenario::Scenario& scenario,
                                    std::vector<std::string>& warnings) {
  const double limit = explicit_limit(scenario, [](double kp, double kd) {
    return kp > 0.0 ? std::min(2.0 / kd, 2.0 * kd / kp) : 2.0 / kd;
  });
  if (scenario.solver.dt < limit) return;
  const std::string gains = fmt::format("kp = {}, kd = {}", describe(scenario.controller.kp),
                                        describe(scenario.controller.kd));
  if (limit == 0.0) {
    warnings.push_back(
        fmt::format("controller.name = \"input_output_linearisation\", explicit: "
                    "without damping ({}) it is stable for no dt; raise kd",
                    gains));
    return;
  }
  warnings.push_back(fmt::format(
      "controller.name = \"input_output_linearisation\", explicit: stable for dt below {:.3g} s "
      "with {}; solver.dt is {:.3g} s, expect it to run away; take a smaller dt or smaller gains",
      limit, gains, scenario.solver.dt));
}

/// Below this r_T (kg) the thesis' iteration settles on the friction of every link by itself, and
/// joints only help: r times the largest eigenvalue of W^T M^-1 W stays below 2. Of rough obstacles
/// one a link counts.
double thesis_limit(const planar::Model& model) {
  double limit = std::numeric_limits<double>::infinity();
  for (const planar::Link& link : model.links) {
    double largest = 1.0 / link.m;
    if (model.friction_points == 2) {  // across the link; along it, it is 2/m
      const double rear = -link.L_GS - link.offset;
      const double front = link.L_GS - link.offset;
      const double half_trace = 1.0 / link.m + 0.5 * (rear * rear + front * front) / link.Theta;
      const double determinant = (front - rear) * (front - rear) / (link.m * link.Theta);
      largest =
          std::max(2.0 / link.m, half_trace + std::sqrt(half_trace * half_trace - determinant));
    }
    if (has_rough_obstacles(model)) {
      const double arm = std::hypot(link.L_GS + std::abs(link.offset), link.L_SC);
      largest += 1.0 / link.m + arm * arm / link.Theta;
    }
    limit = std::min(limit, 2.0 / largest);
  }
  return limit;
}

}  // namespace

std::unique_ptr<System> make_planar(const scenario::Scenario& scenario,
                                    const Eigen::VectorXd& start_phi,
                                    std::vector<std::string>& warnings) {
  planar::Model model = make_planar_model(scenario);
  planar::State state = make_planar_state(scenario, model, start_phi);
  refuse_overlap(scenario, model, state);

  auto options = make_step_options<planar::StepOptions>(scenario);
  options.minimal_coordinates = scenario.robot.model == "minimal";
  const scenario::Solver& solver = scenario.solver;
  if (solver.name == "thesis" && solver.thesis.r_T >= thesis_limit(model)) {
    warnings.push_back(fmt::format(
        "solver.thesis.r_T = {}: with {} a link{} and these masses the iteration settles for sure "
        "below {:.3g} kg only; take a smaller solver.thesis.r_T (the thesis has 0.2 for two "
        "points) or "
        "solver.name = \"newton\"",
        solver.thesis.r_T,
        model.friction_points == 2 ? "two friction points" : "one friction point",
        has_rough_obstacles(model) ? ", rough obstacles" : "", thesis_limit(model)));
  }

  warn_of_many_links(scenario, warnings);
  if (scenario.controller.name == "input_output_linearisation") {
    warn_of_weak_damping(scenario, warnings);
    warn_of_explicit_linearisation(scenario, warnings);
  } else if (!scenario.controller.implicit_servo && model.n() > 1) {
    // A straight chain has the fastest joint mode; the start posture may have a faster one in odd
    // robots.
    const planar::State straight = planar::make_state(model, 0.0 * start_phi, 0, {0.0, 0.0}, 0.0);
    const double limit = explicit_limit(scenario, [&](double kp, double kd) {
      return std::min(planar::explicit_servo_limit(model, straight, kp, kd),
                      planar::explicit_servo_limit(model, state, kp, kd));
    });
    warn_of_explicit_servo(scenario, limit, warnings);
  }
  return std::make_unique<planar::PlanarSystem>(std::move(model), std::move(state), options,
                                                !solver.dump.empty());
}

}  // namespace coluber::simulation

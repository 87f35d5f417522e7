// Makes the saved contact problems of tests/data/problems and tests/data/problems_spatial anew:
//   save_problems PLANAR_FOLDER [SPATIAL_FOLDER SCENARIOS]
// Typical steps of the published runs, and degenerate ones: everything sticking, a link wedged
// between pegs, a straight chain, a single link, friction ratios of 1 : 100, large mass ratios, no
// friction, impacts. In space: steps of the scenarios in the folder SCENARIOS, with shorter robots.

#include <cstdio>
#include <functional>
#include <string>

#include "coluber/control/servo.hpp"
#include "coluber/nonsmooth/problem_file.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/spatial/system.hpp"

#include "sample/snake.hpp"

namespace {

using namespace coluber;
using planar::Activation;
using planar::Model;
using planar::State;
using planar::StepOptions;

std::filesystem::path folder;

void save(const std::string& name, const Model& model, const State& state,
          const JointCommand& command, const StepOptions& options) {
  planar::Data data(model);
  planar::make_problem(model, state, command, options, data);
  data.previous.impulse = data.solution.impulse;
  nonsmooth::save_problem<3>(folder / (name + ".json"), {data.problem, data.previous});
  std::printf("%-28s %2zu nodes %2zu contacts\n", name.c_str(), data.problem.nodes.size(),
              data.problem.contacts.size());
}

/// Runs the wave and saves the steps at the given times.
void save_along(const std::string& name, const Model& model, const StepOptions& options,
                std::initializer_list<double> times) {
  State state = sample::course_start(model);
  planar::Data data(model);
  JointCommand command(model.n() - 1);
  double last = 0.0;
  for (double t : times) last = std::max(last, t);
  for (int k = 0; k <= static_cast<int>(std::lround(last / options.dt)); ++k) {
    sample::follow({}, (k + 1) * options.dt, command);
    for (double t : times) {
      if (k == static_cast<int>(std::lround(t / options.dt))) {
        save(name + "_" + std::to_string(k), model, state, command, options);
      }
    }
    if (planar::step(model, state, data, command, options).status != Status::ok) std::abort();
  }
}

/// Which step of a spatial run is saved: the one where this is largest, the last if equal.
using Score = std::function<double(const spatial::Data&)>;

double last_step(const spatial::Data&) { return 0.0; }
double ground_impact(const spatial::Data& data) { return data.ground_impulse.norm(); }
double obstacle_impact(const spatial::Data& data) { return data.obstacle_impulse.norm(); }

/// Runs a scenario for `seconds` as `coluber run` does and saves one of its steps.
void save_spatial(const std::filesystem::path& into, const std::filesystem::path& scenarios,
                  const std::string& name, const std::string& scenario,
                  const scenario::Overrides& overrides, double seconds, const Score& score) {
  const auto simulation = simulation::make_simulation(
      scenario::load((scenarios / (scenario + ".toml")).string(), overrides));
  const auto& system = dynamic_cast<const spatial::SpatialSystem&>(*simulation.system);
  const spatial::Model& model = system.model();
  const spatial::StepOptions& options = system.options();
  const auto& controller = simulation.scenario.get<control::ServoKeys>();
  spatial::State state = system.state();
  spatial::Data data(model);
  nonsmooth::SavedProblem<6> best;
  double highest = -1.0;
  int step_saved = 0;
  for (int k = 1; k <= static_cast<int>(std::lround(seconds / options.dt)); ++k) {
    const double t = k * options.dt;
    JointCommand command(model.angles());
    simulation.gait->evaluate(t, command.phi_d, command.phidot_d);
    if (t > controller.start_time) {
      command.k_P.setConstant(controller.kp(0));
      command.k_D.setConstant(controller.kd(0));
    }
    spatial::make_problem(model, state, command, options, data);
    nonsmooth::SavedProblem<6> here{data.problem, data.previous};
    here.previous.impulse = data.solution.impulse;
    if (spatial::step(model, state, data, command, options).status != Status::ok) std::abort();
    if (score(data) < highest) continue;
    highest = score(data);
    best = std::move(here);
    step_saved = k;
  }
  nonsmooth::save_problem<6>(into / (name + ".json"), best);
  std::printf("%-28s %2zu nodes %2zu contacts, step %d\n", name.c_str(), best.problem.nodes.size(),
              best.problem.contacts.size(), step_saved);
}

void save_spatial_problems(const std::filesystem::path& into,
                           const std::filesystem::path& scenarios) {
  const auto save_one = [&](const std::string& name, const std::string& scenario,
                            const scenario::Overrides& overrides, double seconds,
                            const Score& score) {
    save_spatial(into, scenarios, name, scenario, overrides, seconds, score);
  };
  save_one("sidewinding", "aiko_sidewinding", {"robot.links=7", "start.link=7"}, 3.1, last_step);
  save_one("drop_impact", "aiko_drop", {"robot.links=6"}, 0.6, ground_impact);
  save_one("lateral_rolling_grain", "aiko_lateral_rolling",
           {"robot.links=6", "start.link=3", "world.friction=[0.01, 1.0]"}, 1.4, last_step);
  scenario::Overrides rough{"robot.links=7", "start.link=7"};
  for (int j = 1; j <= 9; ++j) {
    rough.push_back("world.obstacle." + std::to_string(j) + ".friction=0.3");
  }
  save_one("rough_course", "aiko_spatial_course", rough, 3.0, obstacle_impact);
  save_one("yaw_equal_loads", "aiko_spatial_floor",
           {"robot.links=7", "start.link=7", "robot.joint=yaw", "solver.load_sharing=equal"}, 1.7,
           last_step);
  save_one("sinus_lifting", "aiko_sinus_lifting", {"robot.links=7", "start.link=7"}, 2.6,
           last_step);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) return 2;
  folder = argv[1];
  if (argc == 4) save_spatial_problems(argv[2], argv[3]);
  StepOptions options;
  Model floor = sample::aiko();
  save_along("floor", floor, options, {0.0, 0.001, 0.5, 2.2});
  floor.mu_T = {0.2, 0.5};
  save_along("orthotropic", floor, options, {0.7, 1.9});
  floor.mu_T = {0.01, 1.0};
  save_along("ratio_100", floor, options, {0.7, 1.9});
  Model course = sample::aiko();
  course.obstacles = sample::course();
  save_along("course", course, options, {0.1, 0.35, 1.0, 5.2});
  StepOptions gap = options;
  gap.activation = Activation::gap;
  save_along("course_gap", course, gap, {0.35, 2.0, 4.0});
  Model two_points = course;
  two_points.friction_points = 2;
  two_points.links[3].offset = 0.01;
  save_along("two_points", two_points, options, {0.35, 5.2});
  Model rough = course;
  for (planar::Obstacle& peg : rough.obstacles) peg.mu = 0.3;
  save_along("rough", rough, options, {0.35, 1.0, 5.2});
  rough.friction_points = 2;
  rough.mu_T = {0.05, 0.6};
  save_along("rough_two_points", rough, options, {0.4});
  Model slippery = course;
  slippery.mu_T = {0.0, 0.0};
  save_along("no_friction", slippery, options, {0.4});
  save_along("sixty_links", sample::aiko(60), options, {0.5});

  // Everything sticks on a slope, from the first step on.
  Model slope = sample::aiko();
  slope.mu_T = {0.3, 0.3};
  slope.tilt = 10.0 * sample::kDegree;
  const Eigen::VectorXd straight = Eigen::VectorXd::Zero(10);
  State rest = planar::make_state(slope, straight, 0, {0.0, 0.0}, 0.3);
  save("slope_first_step", slope, rest, sample::hold(straight), options);

  // A straight chain thrown head-on into a peg: one impact stops eleven links.
  Model wall = sample::aiko();
  wall.obstacles = {{{-0.13, 0.0}, 0.03}};
  State thrown = planar::make_state(wall, straight, 0, {0.0, 0.0}, 0.0);
  for (int i = 0; i < 11; ++i) thrown.u.segment<3>(3 * i) << -2.0, 0.0, 0.0;
  thrown.twist << 0.0, -2.0, 0.0;
  save("head_on", wall, thrown, sample::hold(straight), options);

  // A link wedged between two pegs that face each other, pushed sideways: the impulses are
  // redundant.
  Model wedge = sample::aiko(3);
  const double reach = wedge.links[0].L_SC + 0.02;
  wedge.obstacles = {{{0.122, reach}, 0.02}, {{0.122, -reach}, 0.02}, {{0.10, reach}, 0.02}};
  State wedged = planar::make_state(wedge, Eigen::VectorXd::Zero(2), 0, {0.0, 0.0}, 0.0);
  for (int i = 0; i < 3; ++i) wedged.u.segment<3>(3 * i) << 0.1, 0.4, 0.2;
  save("wedged", wedge, wedged, sample::hold(Eigen::VectorXd::Zero(2)), options);
  for (planar::Obstacle& peg : wedge.obstacles) peg.mu = 0.4;
  save("wedged_rough", wedge, wedged, sample::hold(Eigen::VectorXd::Zero(2)), options);

  // One link alone, and one heavy link among light ones.
  Model single = sample::aiko(1);
  single.obstacles = {{{0.0, 0.0725}, 0.02}};
  State one = planar::make_state(single, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0);
  one.u << 0.3, 0.5, 1.0;
  save("single_link", single, one, JointCommand(0), options);
  Model heavy = course;
  heavy.links[5].m *= 30.0;
  heavy.links[5].Theta *= 30.0;
  save_along("heavy_middle", heavy, options, {0.35});
  return 0;
}

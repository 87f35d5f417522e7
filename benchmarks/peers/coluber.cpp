// The peers' scene in Coluber's planar model: planar::step with implicit servos, as a program that
// uses the library would call it. Prints one JSON object.
//   --law anchored|rigid   --points 1|2 friction points a link
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>

#include <Eigen/Core>
#include <fmt/format.h>

#include "coluber/core/version.hpp"
#include "coluber/planar/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "scene.hpp"

namespace {

using namespace coluber;
using peers::Job;
using peers::Task;

std::string make_scenario(const Job& job, const std::string& law, int points) {
  using peers::degree;
  std::string text = fmt::format(
      "schema = 1\nduration = {}\n[robot]\nmodel = \"planar\"\nlinks = {}\nfriction_points = {}\n"
      "link = {{ mass = {}, inertia = {}, length = {}, half_core = {}, radius = {} }}\n"
      "[world]\ngravity = {}\ntilt_deg = {}\ntilt_direction_deg = {}\nfriction = [{}, {}]\n"
      "[solver]\nlaw = \"{}\"\ndt = {}\n",
      job.duration, job.n, points, peers::mass, peers::inertia, peers::length, peers::half_core,
      peers::radius, peers::gravity, job.slope() / degree, job.turned / degree, peers::friction,
      peers::friction, law, peers::dt);
  // Link 1 has its rear end at the origin and points along +x, turned with the scene; the heading
  // is that of the wave's mean line.
  double heading = job.turned / degree;
  if (job.task == Task::gait) {
    heading +=
        peers::amplitude / degree * std::cos(peers::delta / 2) / (2.0 * std::sin(peers::delta / 2));
    text += fmt::format(
        "[gait]\nname = \"lateral_undulation\"\namplitude_deg = {}\nomega_deg = {}\nphase_deg = "
        "{}\n",
        peers::amplitude / degree, peers::omega / degree, peers::delta / degree);
  }
  return text +
         fmt::format("[start]\nshape = \"{}\"\nlink = 1\nposition = [{}, {}]\nheading_deg = {}\n",
                     job.task == Task::gait ? "gait" : "straight",
                     peers::length / 2 * std::cos(job.turned),
                     peers::length / 2 * std::sin(job.turned), heading);
}

void command(const peers::References& references, int k, JointCommand& out) {
  const Eigen::Index joints = out.phi_d.size();
  out.phi_d = Eigen::Map<const Eigen::VectorXd>(references.phi(k), joints);
  out.phidot_d = Eigen::Map<const Eigen::VectorXd>(references.rate(k), joints);
}

Eigen::Vector2d centre(const planar::Model& model, const planar::State& state) {
  planar::Pose pose;
  planar::compute_pose_at_time(model, state, peers::dt, pose);
  return pose.origin + pose.r.rowwise().mean();
}

// A run that is looked at after every step.
void watch(const planar::Model& model, planar::State state, planar::Data& data,
           const planar::StepOptions& options, const Job& job, const peers::References& references,
           JointCommand servo, peers::Result& result) {
  const Eigen::Vector2d from = centre(model, state);
  Eigen::Vector2d half = from;
  peers::Tracking tracking;
  double iterations = 0.0;
  result.residual = result.law = result.failed = result.iterations_max = 0.0;
  result.penetration = 0.0;  // the floor is a plane it lies in
  for (int k = 1; k <= job.steps(); ++k) {
    command(references, k, servo);
    const StepInfo info = planar::step(model, state, data, servo, options);
    if (info.status != Status::ok) result.failed += 1.0;
    if (info.status == Status::non_finite) break;
    iterations += info.iterations;
    result.iterations_max = std::max(result.iterations_max, static_cast<double>(info.iterations));
    result.residual = std::max(result.residual, info.residual);
    if (k * peers::dt > 1.0) result.law = std::max(result.law, info.rigid_residual);
    for (Eigen::Index i = 0; i < state.phi.size(); ++i) {
      tracking.add(state.phi(i) - 0.5 * peers::dt * state.phidot(i) - references.phi(k)[i],
                   k * peers::dt);
    }
    if (k == job.steps() / 2) half = centre(model, state);
  }
  const Eigen::Vector2d to = centre(model, state);
  result.x = to.x() - from.x();
  result.y = to.y() - from.y();
  result.late_x = to.x() - half.x();
  result.late_y = to.y() - half.y();
  result.tracking = tracking.rms();
  result.iterations = iterations / job.steps();
}

int run(const Job& job, const std::string& law, int points) {
  const simulation::Simulation simulation = simulation::make_simulation(
      scenario::parse(make_scenario(job, law, points), ".", {}, "<the peers' scene>"));
  const auto& system = dynamic_cast<const planar::PlanarSystem&>(*simulation.system);
  const planar::Model& model = system.model();
  const planar::StepOptions& options = system.options();
  planar::Data data(model);
  const peers::References references(job);
  JointCommand servo(job.n - 1);
  servo.k_P.setConstant(peers::k_P);
  servo.k_D.setConstant(peers::k_D);

  peers::Result result;
  result.engine = "Coluber " + std::string(version());
  if (job.watch) watch(model, system.state(), data, options, job, references, servo, result);
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < job.repeat; ++r) {
    planar::State state = system.state();
    int failed = 0;
    const double begin = peers::cpu_seconds();
    for (int k = 1; k <= job.steps(); ++k) {
      command(references, k, servo);
      failed += planar::step(model, state, data, servo, options).status == Status::ok ? 0 : 1;
    }
    best = std::min(best, (peers::cpu_seconds() - begin) / job.steps());
    result.failed = failed;
  }
  result.us_per_step = 1e6 * best;
  peers::print(job, result);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  std::string law = "anchored";
  int points = 2;
  for (int a = 1; a + 1 < argc; a += 2) {
    const std::string word = argv[a];
    if (peers::take(job, argv[a], argv[a + 1])) continue;
    if (word == "--law") {
      law = argv[a + 1];
    } else if (word == "--points") {
      points = std::atoi(argv[a + 1]);
    } else {
      std::fprintf(stderr, "coluber: unknown option %s\n", argv[a]);
      return 2;
    }
  }
  try {
    return run(job, law, points);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}

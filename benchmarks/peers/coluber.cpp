// The peers' scene in Coluber, stepped as a program that uses the library would: spatial::step with
// implicit servos (k_P and k_D at the step's end). Prints one JSON object.
//   --setting model=spatial   links that touch with two spheres, yaw joints, loads as they come
//   (the
//                             most even ones that balance)
//             model=planar    the plane: half a link's weight on each of its two friction points
//   --setting law=anchored | rigid
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "coluber/core/version.hpp"
#include "coluber/planar/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/spatial/system.hpp"

#include "scene.hpp"

namespace {

using namespace coluber;
using peers::Job;
using peers::LinkPose;
using peers::Task;

struct Settings {
  std::string model = "spatial";
  std::string law = "anchored";
};

std::string make_scenario(const Job& job, const Settings& settings) {
  using peers::degree;
  const bool spatial = settings.model == "spatial";
  std::string text = fmt::format(
      "schema = 1\nduration = {}\n[robot]\nmodel = \"{}\"\nlinks = {}\n{}\n"
      "link = {{ mass = {}, inertia = {}, length = {}, half_core = {}, radius = {}{} }}\n"
      "[world]\ngravity = {}\ntilt_deg = {}\ntilt_direction_deg = {}\nfriction = [{}, {}]\n",
      job.duration, settings.model, job.n, spatial ? "joint = \"yaw\"" : "friction_points = 2",
      peers::mass, peers::inertia, peers::length, peers::half_core, peers::radius,
      spatial ? fmt::format(", inertia_axial = {}, shape = \"spheres\"", peers::inertia_axial) : "",
      peers::gravity, job.slope() / degree, job.turned / degree, peers::friction, peers::friction);
  for (const peers::Cylinder& cylinder : peers::load_cylinders(job)) {
    text += fmt::format("[[world.obstacle]]\nx = {}\ny = {}\nradius = {}\nfriction = {}\n",
                        cylinder.x, cylinder.y, cylinder.radius, peers::friction);
  }
  text += fmt::format("[solver]\nlaw = \"{}\"\ndt = {}\n", settings.law, peers::dt);
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

void take_poses(const spatial::Pose& pose, std::vector<LinkPose>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto col = static_cast<Eigen::Index>(i);
    const Eigen::Vector3d r = pose.centre(static_cast<int>(i));
    const auto e = pose.e_z.col(col);
    out[i] = {r.x(), r.y(), r.z(), e.x(), e.y(), e.z()};
  }
}

void take_poses(const planar::Pose& pose, std::vector<LinkPose>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto col = static_cast<Eigen::Index>(i);
    const Eigen::Vector2d r = pose.origin + pose.r.col(col);
    out[i] = {r.x(), r.y(), peers::radius, pose.cos(col), pose.sin(col), 0.0};
  }
}

int contacts(const spatial::Model& /*model*/, const spatial::Data& data) {
  return data.contacts_closed;
}
int contacts(const planar::Model& model, const planar::Data& data) {
  return 2 * static_cast<int>(model.links.size()) + static_cast<int>(data.touching.size());
}

// One model: its State, Data and the two functions called on them.
template <typename System, typename State, typename Data, typename Pose>
int run(const Job& job, const Settings& settings) {
  const simulation::Simulation simulation = simulation::make_simulation(
      scenario::parse(make_scenario(job, settings), ".", {}, "<the peers' scene>"));
  const auto& system = dynamic_cast<const System&>(*simulation.system);
  const auto& model = system.model();
  const auto& options = system.options();
  Data data(model);
  const peers::References references(job);
  JointCommand servo(job.n - 1);
  servo.k_P.setConstant(peers::k_P);
  servo.k_D.setConstant(peers::k_D);

  peers::Result result;
  result.engine = "Coluber " + std::string(version());

  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < job.repeat; ++r) {
    State state = system.state();
    int failed = 0;
    const double begin = peers::cpu_seconds();
    for (int k = 1; k <= job.steps(); ++k) {
      command(references, k, servo);
      failed += step(model, state, data, servo, options).status == Status::ok ? 0 : 1;
    }
    best = std::min(best, (peers::cpu_seconds() - begin) / job.steps());
    result.failed = failed;
  }
  result.us_per_step = 1e6 * best;

  if (!job.poses.empty()) {
    peers::Poses out(job);
    State state = system.state();
    std::vector<LinkPose> poses(static_cast<std::size_t>(job.n));
    Pose pose;
    const auto look = [&] {
      compute_pose_at_time(model, state, peers::dt, pose);
      take_poses(pose, poses);
      out.add(poses);
    };
    look();
    result.contacts = result.iterations = result.iterations_max = result.failed = 0.0;
    result.residual = result.law = 0.0;
    for (int k = 1; k <= job.steps(); ++k) {
      command(references, k, servo);
      const nonsmooth::ContactStepInfo info = step(model, state, data, servo, options);
      if (info.status != Status::ok) result.failed += 1.0;
      if (info.status == Status::non_finite) break;
      result.iterations += info.iterations;
      result.iterations_max = std::max(result.iterations_max, static_cast<double>(info.iterations));
      result.contacts += contacts(model, data);
      result.residual = std::max(result.residual, info.residual);
      if (k * peers::dt > 1.0) result.law = std::max(result.law, info.rigid_residual);
      look();
    }
    result.iterations /= job.steps();
    result.contacts /= job.steps();
  }
  peers::print(job, result);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  Settings settings;
  for (int a = 1; a + 1 < argc; a += 2) {
    const std::string_view value = argv[a + 1];
    if (peers::take(job, argv[a], argv[a + 1])) continue;
    if (std::string_view(argv[a]) == "--setting" && value.starts_with("law=")) {
      settings.law = value.substr(4);
    } else if (std::string_view(argv[a]) == "--setting" && value.starts_with("model=")) {
      settings.model = value.substr(6);
    } else {
      std::fprintf(stderr, "coluber: unknown option %s %s\n", argv[a], argv[a + 1]);
      return 2;
    }
  }
  try {
    if (settings.model == "planar") {
      return run<planar::PlanarSystem, planar::State, planar::Data, planar::Pose>(job, settings);
    }
    return run<spatial::SpatialSystem, spatial::State, spatial::Data, spatial::Pose>(job, settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}

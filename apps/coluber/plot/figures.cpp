#include "plot/figures.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "plot/mapped.hpp"
#include "plot/names.hpp"
#include "plot/outline.hpp"
#include "plot/parts.hpp"
#include "plot/tracks.hpp"

namespace coluber::app {

using record::Trajectory;

namespace {

struct Entry {
  PlotName name;
  std::vector<std::string_view> needs;  ///< observables; none: something that moves
  Figure (*draw)(const Trajectory&, const Scene&, const FigureOptions&);
  bool any = false;  ///< one of the observables is enough

  [[nodiscard]] bool has_needs(const Trajectory& run) const {
    const auto has = [&](std::string_view need) {
      // one of several is by wheel; the largest of all wheels has no shape
      return run.has(need) && observable(run, need).size() > 0 &&
             !(any && observable(run, need).shape.empty());
    };
    return any ? std::ranges::any_of(needs, has) : std::ranges::all_of(needs, has);
  }
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {{"course",
        "from above: obstacles, robot outline, contact forces, path of the middle link (tree: link "
        "1)"},
       {},
       draw_course},
      {{"path",
        "paths of the first, middle (not of a tree) and last link, and their coordinates over "
        "time"},
       {},
       draw_path},
      {{"postures",
        "from above: the robot at several times, and the path of the middle link (tree: link 1)"},
       {},
       draw_postures},
      {{"side", "from the side: the robot over the ground at several times"}, {}, draw_side},
      {{"velocities", "velocities of the first, middle and last link"},
       {"link_position"},
       draw_velocities},
      {{"forces",
        "forces of obstacles on the links over time; of the ground where none is touched"},
       {"ground_force"},
       draw_forces},
      {{"footfall", "when each link touches the ground or an obstacle"},
       {"ground_force"},
       draw_footfall},
      {{"angles", "joint angles with their references and the tracking error"},
       {"joint_angle"},
       draw_angles},
      {{"tracking", "a joint's angle and reference, its error, and the torque that it took"},
       {"joint_angle", "joint_reference"},
       draw_tracking},
      {{"path_error", "distance of each link from the path to follow, and the sum of their sizes"},
       {path_error_name},
       draw_path_error},
      {{"force_map",
        "from above: mapped obstacle forces with and without friction, and the joints' torques"},
       {"mapped_force", "mapped_constraint", "mapped_torque"},
       draw_force_map},
      {{"mapped",
        "in closed loop: link angles against the wish, and mapped beside simulated forces"},
       {"wish_angle", "mapped_force", "contact_force"},
       draw_mapped},
      {{"quality", "a path's places: margin, largest torque, and where the robot can pass"},
       {"margin", "torque_max", "place", "rank", "feasible"},
       draw_quality},
      {{"torques", "joint torques"}, {"joint_torque"}, draw_torques},
      {{"wheels", "of each wheel: the force across it, its slip, and its torque if it has any"},
       {"wheel_force", "wheel_slip"},
       draw_wheels,
       true},
      {{"internal", "of a rod: internal force and moment along the body at one time"},
       {"internal_wrench", "abscissa"},
       draw_internal},
      {{"reactions", "of a rod: what each contact pushes over time"},
       {"contact_wrench"},
       draw_reactions},
      {{"grasp", "of a grasp: the robot and its object from above and from the side"},
       {"head_state", "rise"},
       draw_grasp},
      {{"energy", "kinetic energy and the work of servos, friction, contacts and gravity"},
       {"energy"},
       draw_energy},
      {{"residual", "scaled residuals of the contact laws and the solver's iterations"},
       {"residual"},
       draw_residual}};
  return all;
}

const Entry* find_entry(std::string_view name) {
  for (const auto& entry : entries())
    if (entry.name.name == name) return &entry;
  return nullptr;
}

}  // namespace

std::span<const PlotName> plot_names() {
  static const std::vector<PlotName> names = [] {
    std::vector<PlotName> list;
    for (const auto& entry : entries()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

bool can_draw(std::string_view name, const Trajectory& run, const Scene& scene) {
  const auto* entry = find_entry(name);
  if (entry == nullptr) return false;
  if (entry->needs.empty())
    return name == "path" ? Tracks::exist(run, scene.drawing)
                          : !moving_bodies(scene.drawing).empty();
  return entry->has_needs(run);
}

bool compares_runs(std::string_view name) {
  return name != "internal" && name != "mapped" && name != "reactions" && name != "grasp";
}

bool compares_one_frame(std::string_view name) { return name == "course" || name == "force_map"; }

namespace {

/// Instants of a study, not a run in time: no energy goes on from one to the next.
bool is_study(const Trajectory& run) { return run.has("mapped_force") && !run.has("energy"); }

}  // namespace

bool worth_drawing(std::string_view name, const Trajectory& run, const Scene& scene) {
  const bool of_study = name == "force_map" || name == "quality";
  if (of_study || is_study(run)) return of_study && can_draw(name, run, scene);
  return can_draw(name, run, scene) && (name != "side" || leaves_plane(scene.drawing)) &&
         (name != "footfall" || has_footfall(run)) && (name == "course" || run.frames() > 1);
}

void require_drawable(std::string_view name, const Trajectory& run, const Scene& scene) {
  const auto* entry = find_entry(name);
  if (entry == nullptr) throw Error(fmt::format("there is no plot \"{}\"", name));
  if (entry->any && !entry->has_needs(run))
    throw Error(fmt::format("the run has no {}: {} has nothing to draw",
                            fmt::join(entry->needs, " and no "), name));
  for (const auto need : entry->needs)
    if (!entry->any) static_cast<void>(observable(run, need));
  if (entry->needs.empty() && !can_draw(name, run, scene))
    throw Error(
        fmt::format("the run folder holds no bodies that move: {} has nothing to draw", name));
}

Figure make_figure(std::string_view name, const Trajectory& run, const Scene& scene,
                   const FigureOptions& options) {
  require_drawable(name, run, scene);
  return find_entry(name)->draw(run, scene, options);
}

}  // namespace coluber::app

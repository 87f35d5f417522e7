#include "coluber/planar/keys.hpp"

#include <cmath>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/world/keys.hpp"

namespace coluber::planar {

namespace {

using keys::Check;

/// Two points carry a link only if its centre of gravity lies between them.
void check_planar(Keys& options, Check& check) {
  const auto* robot = check.find_options<chain::Robot>();
  const bool minimal = check.find_options<MinimalKeys>() != nullptr;
  if (minimal && check.given("robot.friction_points") != nullptr && options.friction_points != 2) {
    check.fault("robot.friction_points",
                "the minimal model has two friction points a link, not one",
                "leave it out, or write  model = \"planar\"  in [robot]");
  }
  if (minimal) options.friction_points = 2;
  const auto* plant = check.find_options<MinimalKeys>();
  const bool smooth = plant != nullptr && plant->friction_law == FrictionLaw::smooth;
  if (!smooth && !check.model().empty() && check.controller() == "pd" &&
      check.is_changed("world.friction_smoothing")) {
    check.warn("world.friction_smoothing",
               "world.friction_smoothing has no effect: neither this friction law nor the "
               "controller \"pd\" smooths friction");
  }
  if (options.friction_points != 2 || robot == nullptr) return;
  for (std::size_t i = 0; i < robot->link.size(); ++i) {
    const chain::Link& link = robot->link[i];
    if (std::abs(link.cg_offset) <= link.half_core) continue;
    check.fault("robot.friction_points",
                fmt::format("link {} would tip over: its cg_offset of {} m lies outside its two "
                            "points at half_core = {} m",
                            i + 1, link.cg_offset, link.half_core),
                minimal ? "bring cg_offset within half_core, or take  model = \"planar\""
                        : "write  friction_points = 1, or bring cg_offset within half_core");
    return;
  }
  if (check.model().empty()) return;
  for (std::size_t i = 0; i < robot->link.size(); ++i) {
    if (robot->link[i].half_core > 0.0) continue;
    check.warn("robot.friction_points",
               fmt::format("robot.friction_points = 2: with half_core = 0 both points of link {} "
                           "are in one, and no friction resists its turning",
                           i + 1));
    return;
  }
}

/// Keys of one friction law's solver say nothing to the other's.
void check_friction_law(const MinimalKeys& options, Check& check) {
  const bool smooth = options.friction_law == FrictionLaw::smooth;
  const auto refuse = [&](const char* key, bool differs) {
    if (!differs || check.given(key) == nullptr) return;
    check.fault(key,
                smooth ? "goes with friction_law = \"set_valued\": smooth friction needs no such "
                         "solver"
                       : "goes with friction_law = \"smooth\"",
                "leave it out, or change world.friction_law");
  };
  const nonsmooth::SolverKeys usual;
  const auto* solver = check.find_options<nonsmooth::SolverKeys>();
  if (smooth && solver != nullptr) {
    refuse("solver.name", solver->name != usual.name);
    refuse("solver.law", solver->law != usual.law);
    refuse("solver.tolerance", solver->tolerance != usual.tolerance);
    refuse("solver.activation", solver->activation != usual.activation);
    refuse("solver.dump", !solver->dump.empty());
  } else {
    refuse("solver.smooth.rtol", options.rtol != MinimalKeys{}.rtol);
    refuse("solver.smooth.atol", options.atol != MinimalKeys{}.atol);
  }
}

void check_minimal(MinimalKeys& options, Check& check) {
  const auto* world = check.find_options<world::Obstacles>();
  // of an unknown model every model's keys are read
  if (check.find_options<Keys>() == nullptr || check.model().empty()) return;
  if (world != nullptr && !world->obstacle.empty()) {
    check.fault(check.find("world.obstacle") != nullptr ? "world.obstacle" : "world.obstacle_table",
                "the minimal model has no obstacles",
                "leave them out, or write  model = \"planar\"  in [robot]");
  }
  check_friction_law(options, check);
}

}  // namespace

const keys::Section& planar_keys() {
  static const keys::Section section =
      keys::Table<Keys>("")
          .row({.name = "robot.friction_points",
                .default_note = "1; 2 for minimal, which has no other",
                .min = 1,
                .max = 2,
                .doc = "points of ground friction on a link: 1 at its centre of gravity, or 2 at "
                       "the ends of its core, which also resist turning and share its weight",
                .example = "2"},
               &Keys::friction_points)
          .row({.name = "world.viscous_friction",
                .unit = "s/m",
                .min = 0,
                .max = 1e6,
                .doc = "viscous friction beside the other, along and across the link: a point with "
                       "load N feels -N times this times its velocity, Transeth (6.26)",
                .example = "[0.1, 0.2]"},
               &Keys::viscous_friction)
          .row({.name = "world.friction_smoothing",
                .unit = "m/s",
                .min = 1e-9,
                .max = 1e3,
                .doc = "eps_C of the smooth law, Transeth (6.21): of the plant with friction_law = "
                       "\"smooth\", and always of the controller \"input_output_linearisation\"",
                .example = "1e-3"},
               &Keys::friction_smoothing)
          .check(check_planar);
  return section;
}

const keys::Section& rotation_keys() {
  static const keys::Section section = keys::Table<RotationKeys>("world").row(
      {.name = "rotational_friction",
       .unit = "m s",
       .min = 0,
       .max = 1e6,
       .doc = "viscous friction against turning: a link of weight m g feels the torque -m g "
              "times this times its rate (Holden's Table V has 0.1)",
       .example = "0.1"},
      &RotationKeys::rotational_friction);
  return section;
}

const keys::Section& minimal_keys() {
  static const keys::Section section =
      keys::Table<MinimalKeys>("")
          .row({.name = "world.friction_law",
                .choices = {{"set_valued", "Coulomb's law as it stands, in steps of solver.dt"},
                            {"smooth",
                             "arctan(v/friction_smoothing) along and across the link, Transeth "
                             "(6.21), integrated with steps that [solver.smooth] rules"}},
                .doc = "law of the ground's Coulomb friction",
                .example = "\"smooth\""},
               &MinimalKeys::friction_law)
          .row({.name = "solver.smooth.rtol",
                .min = 1e-12,
                .max = 1e-2,
                .doc = "relative tolerance of the integrator: for world.friction_law = \"smooth\", "
                       "and in trees for solver.integrator = \"dopri5\" or \"cvode\"",
                .example = "1e-6"},
               &MinimalKeys::rtol)
          .row({.name = "solver.smooth.atol",
                .min = 1e-14,
                .max = 1e-2,
                .doc = "absolute tolerance of the integrator, in m, rad, m/s and rad/s: for "
                       "world.friction_law = \"smooth\", and in trees for solver.integrator = "
                       "\"dopri5\" or \"cvode\"",
                .example = "1e-8"},
               &MinimalKeys::atol)
          .check(check_minimal);
  return section;
}

}  // namespace coluber::planar

#include "rod/make.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/multibody/keys.hpp"
#include "coluber/rod/keys.hpp"
#include "coluber/rod/system.hpp"
#include "coluber/world/keys.hpp"

#include "keys/number_table.hpp"
#include "math/degree.hpp"
#include "rod/too_coarse.hpp"

namespace coluber::rod {

namespace {

using Eigen::Vector3d;

/// Rows that are there twice or missing, by their lines.
std::vector<Diagnostic> check_grid(const keys::NumberTable& table,
                                   const std::filesystem::path& file, double l) {
  constexpr std::size_t most = 20;
  std::vector<Diagnostic> faults;
  const auto add = [&](int line, std::string message) {
    if (faults.size() < most) {
      faults.push_back(
          {{file.string(), line, 0}, "strain.file", std::move(message), "every X once at every t"});
    }
  };
  std::map<double, std::map<double, int>> lines;  // of t and X
  std::set<double> sections;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const double t = table.rows[i][0];
    const double X = table.rows[i][1];
    sections.insert(X);
    const auto [seen, is_new] = lines[t].emplace(X, table.lines[i]);
    if (is_new) continue;
    add(table.lines[i],
        fmt::format("X = {} is there twice at t = {}, first in line {}", X, t, seen->second));
  }
  for (const auto& [t, row] : lines) {
    if (row.size() == sections.size()) continue;
    for (double X : sections) {
      if (row.contains(X)) continue;
      const auto after =
          std::ranges::max_element(row, {}, [](const auto& at) { return at.second; });
      add(after->second, fmt::format("there is no row for X = {} at t = {}", X, t));
    }
  }
  if (!faults.empty() || sections.size() < 2) return faults;  // one X: the same everywhere
  // Cubics go on for an interval, not farther.
  const double first = *sections.begin();
  const double last = *sections.rbegin();
  if (first - (*std::next(sections.begin()) - first) > 1e-9 * l ||
      last + (last - *std::prev(sections.end(), 2)) < l * (1.0 - 1e-9)) {
    add(0, fmt::format("X goes from {} to {} m, the rod from 0 to {} m", first, last, l));
  }
  return faults;
}

std::unique_ptr<StrainLaw> load_strain_table(const std::filesystem::path& file, double l) {
  keys::NumberTableFormat format;
  format.key = "strain.file";
  for (const char* name : {"t", "X", "Gamma_X", "Gamma_Y", "Gamma_Z", "K_X", "K_Y", "K_Z"}) {
    format.columns.push_back({name, {.name = name, .min = -1e6, .max = 1e6}});
  }
  format.columns[2].range.min = 0.0;
  format.columns[2].range.above_min = true;
  format.required = 8;
  format.header_hint = "the first line is  t,X,Gamma_X,Gamma_Y,Gamma_Z,K_X,K_Y,K_Z";
  format.file_hint = "name a CSV file: t in s, X in m, six strains";
  format.range_hint = "t in s, X in m, strains in 1 and 1/m";
  format.most = 4000000;
  format.many = "more rows than a table of strains can have";
  format.fewer_hint = "thin it out; it is interpolated by cubics";
  const keys::NumberTable table = keys::load_number_table(file, format);
  if (!table.faults.empty()) throw InputError(table.faults);
  if (std::vector<Diagnostic> faults = check_grid(table, file, l); !faults.empty()) {
    throw InputError(std::move(faults));
  }
  std::vector<std::array<double, 8>> rows;
  for (const auto& row : table.rows) {
    rows.emplace_back();
    std::copy(row.begin(), row.end(), rows.back().begin());
  }
  try {
    return make_strain_table(rows);
  } catch (const Error& error) {
    throw InputError(
        Diagnostic{{file.string(), 0, 0}, "strain.file", error.what(), "every X once at every t"});
  }
}

std::unique_ptr<StrainLaw> make_law(const StrainKeys& keys, double l) {
  const Advance advance{keys.speed, keys.acceleration};
  switch (keys.law) {
    case LawKind::undulation:
      return make_strain(Undulation{keys.amplitude, keys.wavelength, advance, keys.turn});
    case LawKind::spiral:
      return make_strain(Spiral{keys.amplitude, keys.wavelength, advance});
    case LawKind::peristalsis:
      return make_strain(Contraction{keys.amplitude, keys.wavelength, advance});
    case LawKind::omega_bend:
      return make_strain(OmegaBend{keys.amplitude, keys.omega, l});
    case LawKind::swim:
      return make_strain(Swim{keys.amplitude, keys.wavelength, keys.omega});
    case LawKind::table:
      return load_strain_table(keys.file, l);
    case LawKind::waves:
      break;
  }
  std::vector<Wave> waves;
  for (const WaveKeys& wave : keys.wave) {
    waves.push_back({static_cast<int>(wave.component), wave.amplitude, wave.wavelength, wave.omega,
                     wave.phase, wave.offset, wave.ramp});
  }
  return make_strain(std::move(waves));
}

/// Strains that the beam, the group or the contacts do not have; sections turned inside out.
void refuse_strains(const drive::Build& build, const RobotKeys& robot, const ContactKeys& contact,
                    const StrainLaw& law) {
  const StrainMask used = law.actuated();
  const StrainMask beam = strains_of(robot.beam);
  const StrainMask group = strains_of(robot.group);
  for (std::size_t i = 0; i < 6; ++i) {
    const char* name = strain_name(static_cast<int>(i));
    if (used[i] && (!beam[i] || !group[i])) {
      const bool law_named = build.locate("strain.law").line > 0;
      throw InputError(build.fault(
          law_named || build.locate("robot.beam").line == 0 ? "strain.law" : "robot.beam",
          fmt::format("{} {}, which the {} does not have", law_named ? "moves" : "the law moves",
                      name,
                      beam[i] ? fmt::format("group {}", to_string(robot.group))
                              : fmt::format("beam B{}", static_cast<int>(robot.beam) + 1)),
          "take another law, or another beam or group"));
    }
    if (used[i] && contact.kind == ContactKind::annular && i < 4) {
      throw InputError(build.fault("world.contact.kind",
                                   fmt::format("annular contacts need a rod that only bends, the "
                                               "law moves {}",
                                               name),
                                   "take another kind, or another law"));
    }
  }
  if (!used[0]) return;
  constexpr int instants = 400;
  constexpr int sections = 100;
  std::vector<double> X;
  for (int i = 0; i <= sections; ++i) X.push_back(robot.length * i / sections);
  std::vector<Strains> at(X.size());
  for (int k = 0; k <= instants; ++k) {
    const double t = build.duration * k / instants;
    law.evaluate(t, X, at);
    for (std::size_t i = 0; i < X.size(); ++i) {
      if (at[i].xi(0) > 0.0) continue;
      throw InputError(build.fault(
          "strain.law",
          fmt::format("Gamma_X is {:.4g} at X = {:.4g} m, t = {:.4g} s: the section would turn "
                      "inside out",
                      at[i].xi(0), X[i], t),
          "take a smaller amplitude"));
    }
  }
}

Vector6d support_of(Group group, const Vector3d& numbers) {
  Vector6d twist = Vector6d::Zero();
  if (group == Group::SE3) {
    twist.head<3>() = numbers;
  } else {
    twist << numbers(0), numbers(1), 0.0, 0.0, 0.0, numbers(2);
  }
  return twist;
}

void add_forces(const drive::Build& build, Model& model) {
  const auto& world = build.get<multibody::WorldKeys>();
  for (std::size_t i = 0; i < world.force.size(); ++i) {
    const multibody::ForceKeys& keys = world.force[i];
    if (!keys.links.empty()) {
      throw InputError(build.fault(fmt::format("world.force.{}.links", i + 1), "a rod has no links",
                                   "leave it out"));
    }
    if (keys.law == multibody::ForceKind::added_mass) {
      for (int k = 0; k < 6; ++k) model.M(k) += keys.added_mass[static_cast<std::size_t>(k)];
      continue;
    }
    model.forces.push_back({static_cast<ForceLaw>(keys.law), keys.c_along, keys.c_across,
                            keys.c_turn, keys.mu_along, keys.mu_across, keys.v_smooth, keys.load});
  }
}

}  // namespace

std::unique_ptr<System> make_rod(const drive::Build& build) {
  const auto& robot = build.get<RobotKeys>();
  const auto& keys = build.get<ContactKeys>();
  const auto& start_keys = build.get<multibody::StartKeys>();
  const auto& solver = build.get<SolverKeys>();
  const double gravity = build.get<world::GravityKeys>().gravity;
  const auto refuse = [&](const char* key, const std::string& message, const char* hint) {
    throw InputError(build.fault(key, message, hint));
  };
  Model model;
  model.group = robot.group;
  model.l = robot.length;
  model.m = robot.mass_per_length;
  model.radius = robot.radius;
  model.M = Model::uniform_section(robot.mass_per_length, robot.radius);
  model.gravity =
      robot.group == Group::SE3 ? Vector3d(0.0, 0.0, -gravity) : Vector3d(0.0, -gravity, 0.0);
  model.elements = robot.elements;
  model.space = solver.space;
  model.space_rtol = solver.space_rtol;
  add_forces(build, model);

  std::unique_ptr<StrainLaw> strain = make_law(build.get<StrainKeys>(), robot.length);
  refuse_strains(build, robot, keys, *strain);
  ContactModel contact;
  contact.kind = keys.kind;
  contact.abscissae = keys.kind == ContactKind::annular ? keys.abscissae : std::vector<double>{};
  contact.in_space = keys.fixed_in == FixedIn::space;
  contact.load_time = keys.load_time;
  contact.distribution = keys.distribution;
  contact.length_scale = keys.length_scale;
  contact.prestress = keys.prestress;
  contact.support_velocity = support_of(robot.group, keys.support_velocity);
  contact.support_rate = support_of(robot.group, keys.support_rate);
  contact.period = keys.period;
  contact.clamps = keys.clamp;
  if (keys.kind == ContactKind::annular && keys.load_time > 0.0 && !strain->travel(0.0)) {
    refuse("world.contact.load_time", "the law does not say how far the body has come by then",
           "leave it out: contacts are at the abscissae at the start");
  }

  Start start;
  const auto turn = [](double angle_deg, int axis) {
    return math::exp(Vector3d(angle_deg * math::degree * Vector3d::Unit(axis)));
  };
  start.g.R = turn(start_keys.heading_deg, 2) * turn(-start_keys.pitch_deg, 1) *
              turn(start_keys.roll_deg, 0);
  start.g.p << start_keys.position, start_keys.z;
  start.without_momentum = !start_keys.twist.word.empty();
  for (std::size_t i = 0; i < start_keys.twist.numbers.size() && i < 6; ++i) {
    start.eta(static_cast<Eigen::Index>(i)) = start_keys.twist.numbers[i];
  }
  if (robot.group != Group::SE3 && (start_keys.pitch_deg != 0.0 || start_keys.roll_deg != 0.0)) {
    refuse(start_keys.pitch_deg != 0.0 ? "start.pitch_deg" : "start.roll_deg",
           fmt::format("a rod with group {} stays in the plane", to_string(robot.group)),
           "leave it out");
  }
  if (keys.kind != ContactKind::none && (start.without_momentum || !start.eta.isZero(0.0))) {
    refuse("start.twist", "the contacts determine the twist", "leave it out");
  }
  for (int i = 0; i < 6; ++i) {
    if (start.eta(i) == 0.0 || strains_of(robot.group)[static_cast<std::size_t>(i)]) continue;
    refuse("start.twist",
           fmt::format("a rod with group {} does not move that way", to_string(robot.group)),
           "V_x, V_y and Omega_z in SE2, V_x in R");
  }

  SystemOptions options;
  options.dt = build.get<drive::Stepping>().dt;
  warn_of_coarse(build, options.dt);
  options.solver = solver;
  options.unilateral = keys.unilateral;
  options.torque_limit = keys.torque_limit;
  auto system = std::make_unique<RodSystem>(std::move(model), std::move(strain), std::move(contact),
                                            start, options);
  switch (system->start_fault()) {
    case Fault::none:
      break;
    case Fault::strain:
      refuse("strain.law",
             fmt::format("a strain is not finite, or Gamma_X <= 0, at X = {:.6g} m, t = 0",
                         system->data().bad_X),
             "take smaller numbers");
      break;
    case Fault::still:
      refuse("strain.law", "the speed along a body of constant curvature is not determined",
             "take a law with a speed: \"undulation\", \"spiral\"");
      break;
    case Fault::space:
      refuse("solver.space_rtol", "the fields at the start do not reach it", "take a larger one");
      break;
    case Fault::inertia:
      refuse("robot.radius", "the rod's inertia at the start cannot be inverted",
             "take a larger radius");
      break;
    case Fault::not_finite:
      refuse("strain.law", "the motion at the start is not finite", "take smaller numbers");
  }
  return system;
}

}  // namespace coluber::rod

#include "coluber/rod/keys.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "coluber/keys/check.hpp"

namespace coluber::rod {

namespace {

using keys::Check;
using keys::Key;

Key quantity(const char* name, const char* unit, double min, double max, const char* doc,
             const char* example) {
  return {.name = name, .unit = unit, .min = min, .max = max, .doc = doc, .example = example};
}

Key positive(const char* name, const char* unit, double max, const char* doc, const char* example) {
  Key key = quantity(name, unit, 0.0, max, doc, example);
  key.above_min = true;
  return key;
}

void check_robot(RobotKeys& robot, Check& check) {
  const StrainMask beam = strains_of(robot.beam);
  const StrainMask group = strains_of(robot.group);
  for (std::size_t i = 0; i < 6; ++i) {
    if (!beam[i] || group[i] || !check.is_sound("robot.beam") || robot.beam == Beam::B1) continue;
    check.fault("robot.beam",
                fmt::format("the beam has {}, the group {} does not",
                            strain_name(static_cast<int>(i)), to_string(robot.group)),
                "B5 and B6 go with SE2, B7 with R, all with SE3");
    return;
  }
}

void check_strain(StrainKeys& strain, Check& check) {
  if (strain.law == LawKind::peristalsis && std::abs(strain.amplitude) >= 1.0) {
    check.fault("strain.amplitude", "sections would turn inside out: Gamma_X <= 0",
                "for \"peristalsis\" it is less than 1");
  }
  if (strain.law == LawKind::waves && strain.wave.empty() && check.is_sound("strain.wave")) {
    check.fault("strain.law", "\"waves\" needs waves", "write [[strain.wave]]");
  }
  if (strain.law == LawKind::table && strain.file.empty()) {
    check.fault("strain.law", "\"table\" needs a file", "write  file = \"strains.csv\"");
  }
  if (strain.turn && strain.law != LawKind::undulation) {
    check.fault("strain.turn", "goes with  law = \"undulation\"", "leave it out");
  }
  if (strain.turn && strain.speed == 0.0) {
    check.fault("strain.speed", "a turn runs along the body with the speed, which is 0",
                "write  speed = -0.5");
  }
}

void check_contact(ContactKeys& contact, Check& check) {
  const auto* robot = check.find_options<RobotKeys>();
  const auto* strain = check.find_options<StrainKeys>();
  if (robot == nullptr || strain == nullptr) return;
  const double l = robot->length;
  const auto kind_fault = [&](const char* message, const char* hint) {
    check.fault("world.contact.kind", message, hint);
  };
  const bool anchorage =
      contact.kind == ContactKind::sweeping || contact.kind == ContactKind::no_slip;
  if (anchorage && strain->law != LawKind::peristalsis) {
    kind_fault("anchorages run with the wave of  law = \"peristalsis\"",
               "take another kind, or that law");
  } else if (anchorage) {
    const double waves = l / strain->wavelength;
    if (waves < 0.5 || std::abs(waves - std::round(waves)) > 1e-9) {
      check.fault(
          "strain.wavelength",
          fmt::format("anchorages need a whole number of waves, the body has {:.4g}", waves),
          "take the length over a whole number");
    }
  }
  if (contact.kind == ContactKind::annular) {
    if (contact.abscissae.empty()) {
      for (int i = 0; i < contact.count; ++i) {
        contact.abscissae.push_back((i + 0.5) * l / contact.count);
      }
    } else {
      contact.count = static_cast<int>(contact.abscissae.size());
    }
    for (double X : contact.abscissae) {
      if (X > 0.0 && X < l) continue;
      check.fault("world.contact.abscissae", fmt::format("{} m is not on the body", X),
                  fmt::format("they lie between 0 and {} m", l));
    }
    const int unknowns = contact.count * (robot->group == Group::SE3 ? 3 : 1);
    const int needed = static_cast<int>(components_of(robot->group).size());
    if (robot->group == Group::R) {
      kind_fault("annular contacts do not hold a rod on a line", "take group SE2 or SE3");
    } else if (unknowns < needed) {
      check.fault("world.contact.count",
                  fmt::format("{} contacts push in {} directions, the rod moves in {}",
                              contact.count, unknowns, needed),
                  "take more contacts");
    }
    if (contact.distribution == Distribution::equal) {
      check.fault("world.contact.distribution", "equal shares go with anchorages",
                  "take \"min_norm\" or \"inertia_local\"");
    }
    if (!contact.prestress.empty() &&
        contact.prestress.size() != static_cast<std::size_t>(contact.count)) {
      check.fault(
          "world.contact.prestress",
          fmt::format("has {} numbers for {} contacts", contact.prestress.size(), contact.count),
          "one per contact");
    }
  } else if (contact.distribution == Distribution::inertia_local) {
    check.fault("world.contact.distribution", "goes with  kind = \"annular\"", "leave it out");
  }
  if (contact.kind == ContactKind::locked) {
    const bool first = !contact.clamp.empty() && contact.clamp.front().from == 0.0;
    if (!first && check.is_sound("world.contact.clamp")) {
      check.fault("world.contact.clamp", "the first clamp holds from 0 s on",
                  "write [[world.contact.clamp]] with  from = 0.0  and  at = 0.0");
    }
    for (std::size_t i = 0; i + 1 < contact.clamp.size(); ++i) {
      if (contact.clamp[i + 1].from > contact.clamp[i].from) continue;
      check.fault(fmt::format("world.contact.clamp.{}.from", i + 2),
                  "does not come after the clamp before it", "order them by time");
    }
    if (!contact.clamp.empty() && contact.clamp.back().from >= contact.period) {
      check.fault(fmt::format("world.contact.clamp.{}.from", contact.clamp.size()),
                  "lies beyond the period", "take a longer period");
    }
  }
  const auto* solver = check.find_options<SolverKeys>();
  if (solver != nullptr && solver->integrator == Integrator::cvode &&
      contact.kind != ContactKind::none) {
    check.fault("solver.integrator", "\"cvode\" goes with rods without contacts",
                "take \"rk4\" or \"dopri5\"");
  }
}

}  // namespace

const keys::Section& robot_keys() {
  static const keys::Section section =
      keys::Table<RobotKeys>("robot")
          .row({.name = "group",
                .choices = {{"R", "on a line"}, {"SE2", "in the plane x y"}, {"SE3", "in space"}},
                .doc = "where sections move",
                .example = "\"SE2\""},
               &RobotKeys::group)
          .row({.name = "beam",
                .choices = {{"B1", "all six strains"},
                            {"B2", "Gamma_X and three curvatures"},
                            {"B3", "three curvatures"},
                            {"B4", "K_Y and K_Z"},
                            {"B5", "K_Z"},
                            {"B6", "Gamma_Y and K_Z"},
                            {"B7", "Gamma_X"}},
                .doc = "which strains may differ from (1, 0, 0, 0, 0, 0), Ali Table 5.1",
                .example = "\"B5\""},
               &RobotKeys::beam)
          .row(positive("length", "m", 1e4, "of the rod at rest", "1.0"), &RobotKeys::length)
          .row(positive("mass_per_length", "kg/m", 1e6, "of the rod at rest", "1.0"),
               &RobotKeys::mass_per_length)
          .row(positive("radius", "m", 1e3, "of its round section: I_Y = I_Z = m r²/4", "0.05"),
               &RobotKeys::radius)
          .row(quantity("elements", "", 1, 100000, "along the rod, split further at contacts",
                        "160"),
               &RobotKeys::elements)
          .check(check_robot);
  return section;
}

const keys::Section& strain_keys() {
  static const keys::Section section =
      keys::Table<StrainKeys>("strain")
          .row({.name = "law",
                .choices = {{"undulation", "K_Z = A cos(2 pi/wavelength (X + S)), with a turn"},
                            {"spiral", "K_Y = -A sin(...), K_Z = A cos(...): a helix"},
                            {"peristalsis", "Gamma_X = 1 + A sin(2 pi/wavelength (S - X))"},
                            {"omega_bend", "theta = A sin²(omega t) sin(2 pi (X - l)/l)"},
                            {"swim", "theta = A sin(2 pi X/wavelength - omega t)"},
                            {"waves", "a sum of [[strain.wave]]"},
                            {"table", "t, X and six strains from a CSV file, cubic in both"}},
                .doc = "the shape over time; S = speed t + acceleration t²/2",
                .example = "\"undulation\""},
               &StrainKeys::law)
          .row(quantity("amplitude", "", -1e6, 1e6, "A, in 1/m of a curvature, rad of an angle",
                        "10.0"),
               &StrainKeys::amplitude)
          .row(positive("wavelength", "m", 1e6, "of the wave along the rod", "1.0"),
               &StrainKeys::wavelength)
          .row(quantity("speed", "m/s", -1e4, 1e4,
                        "of the body along its path, forward is < 0; peristalsis: of the wave",
                        "-0.5"),
               &StrainKeys::speed)
          .row(quantity("acceleration", "m/s²", -1e4, 1e4, "rate of the speed", "0.0"),
               &StrainKeys::acceleration)
          .row(quantity("omega", "rad/s", -1e5, 1e5, "of omega_bend and swim", "1.57"),
               &StrainKeys::omega)
          .list(
              {.name = "turn",
               .form = keys::Form::optional,
               .noun = "a turn",
               .example = "start = 3.0, duration = 4.0, amplitude = 2.0"},
              &StrainKeys::turn,
              keys::Table<Turn>("")
                  .row(quantity("start", "s", -1e6, 1e6, "when the head begins to turn", "3.0"),
                       &Turn::start)
                  .row(positive("duration", "s", 1e6, "of the pulse of curvature", "4.0"),
                       &Turn::duration)
                  .row(quantity("amplitude", "1/m", -1e6, 1e6, "of the pulse in K_Z", "2.0"),
                       &Turn::amplitude)
                  .row(quantity("pitch_amplitude", "1/m", -1e6, 1e6, "of the pulse in K_Y", "0.5"),
                       &Turn::pitch_amplitude))
          .list(
              {.name = "wave",
               .noun = "a wave",
               .example = "component = \"K_Z\", amplitude = 6.0, wavelength = 1.0, omega = 4.0"},
              &StrainKeys::wave,
              keys::Table<WaveKeys>("")
                  .row({.name = "component",
                        .choices = {{"Gamma_X", "stretch"},
                                    {"Gamma_Y", "shear along Y"},
                                    {"Gamma_Z", "shear along Z"},
                                    {"K_X", "torsion"},
                                    {"K_Y", "pitch"},
                                    {"K_Z", "yaw"}},
                        .doc = "the strain it adds to",
                        .example = "\"K_Z\""},
                       &WaveKeys::component)
                  .row(quantity("amplitude", "", -1e6, 1e6,
                                "of sin(2 pi X/wavelength - omega t + phase)", "6.0"),
                       &WaveKeys::amplitude)
                  .row({.name = "wavelength",
                        .unit = "m",
                        .min = 0,
                        .max = 1e6,
                        .above_min = true,
                        .infinity_allowed = true,
                        .doc = "along the rod; inf: the same everywhere",
                        .example = "1.0"},
                       &WaveKeys::wavelength)
                  .row(quantity("omega", "rad/s", -1e5, 1e5, "of the wave", "4.0"),
                       &WaveKeys::omega)
                  .row(quantity("phase", "rad", -1e6, 1e6, "of the wave", "1.57"), &WaveKeys::phase)
                  .row(quantity("offset", "", -1e6, 1e6, "added to the reference strain", "0.0"),
                       &WaveKeys::offset)
                  .row(quantity("ramp", "s", 0, 1e6,
                                "the wave grows as 1 - exp(-(t/ramp)²); 0: it is there", "1.0"),
                       &WaveKeys::ramp))
          .row({.name = "file",
                .default_note = "none",
                .doc = "of  law = \"table\": CSV with a header t, X, Gamma_X, ..., K_Z",
                .example = "\"strains.csv\"",
                .by_contents = true},
               &StrainKeys::file)
          .check(check_strain);
  return section;
}

const keys::Section& contact_keys() {
  static const keys::Section section =
      keys::Table<ContactKeys>("world.contact")
          .row({.name = "kind",
                .choices = {{"none", "forces move the rod"},
                            {"annular", "every section slides along its axis only"},
                            {"sweeping", "anchorages that run along the body, still in space"},
                            {"no_slip", "anchorages that run along the body, the section still"},
                            {"locked", "one section at a time is held, [[world.contact.clamp]]"},
                            {"clamped", "the head is held by a support"}},
                .doc = "what determines the motion, Ali Table 5.3",
                .example = "\"annular\""},
               &ContactKeys::kind)
          .row(quantity("count", "", 1, 10000, "annular contacts that carry the load", "5"),
               &ContactKeys::count)
          .row({.name = "abscissae",
                .unit = "m",
                .default_note = "(i - 1/2) length/count",
                .doc = "where they are at load_time",
                .example = "[0.1, 0.3, 0.5, 0.7, 0.9]"},
               &ContactKeys::abscissae)
          .row({.name = "fixed_in",
                .choices = {{"space",
                             "they run back along the body; what leaves at the tail comes "
                             "in at the head"},
                            {"body", "they stay on their sections"}},
                .doc = "where they stand still",
                .example = "\"space\""},
               &ContactKeys::fixed_in)
          .row(quantity("load_time", "s", 0, 1e6, "when they are at the abscissae", "0.0"),
               &ContactKeys::load_time)
          .row({.name = "distribution",
                .choices = {{"min_norm", "reactions of least norm"},
                            {"inertia_local", "each first carries the inertia beside it"},
                            {"equal", "equal shares, of anchorages"}},
                .doc = "how the resultant is split",
                .example = "\"min_norm\""},
               &ContactKeys::distribution)
          .row(positive("length_scale", "m", 1e6, "of a torque against a force in the norm", "1.0"),
               &ContactKeys::length_scale)
          .row({.name = "prestress",
                .unit = "N",
                .default_note = "none",
                .doc = "across, one per contact; what moves nothing of it is added",
                .example = "[1.0, -1.0, 1.0, -1.0, 1.0]"},
               &ContactKeys::prestress)
          .row({.name = "unilateral",
                .doc = "contacts push to one side only: the summary counts the steps where one of "
                       "them had to pull",
                .example = "true"},
               &ContactKeys::unilateral)
          .row({.name = "torque_limit",
                .unit = "N m",
                .min = 0,
                .infinity_allowed = true,
                .doc = "of the internal moment: steps beyond it are counted",
                .example = "0.5"},
               &ContactKeys::torque_limit)
          .row(quantity("support_velocity", "m/s, rad/s", -1e4, 1e4,
                        "of what carries the contacts, at the world's origin: V_x, V_y, Omega_z; "
                        "in SE3 V_x, V_y, V_z",
                        "[0.1, 0.0, 0.0]"),
               &ContactKeys::support_velocity)
          .row(quantity("support_rate", "m/s², rad/s²", -1e4, 1e4, "rate of support_velocity",
                        "[0.0, 0.0, 0.0]"),
               &ContactKeys::support_rate)
          .row(positive("period", "s", 1e6, "of the list of clamps", "2.0"), &ContactKeys::period)
          .list(
              {.name = "clamp", .noun = "a clamp", .example = "from = 1.0, at = 1.0"},
              &ContactKeys::clamp,
              keys::Table<Clamp>("")
                  .row(quantity("from", "s", 0, 1e6, "within the period", "1.0"), &Clamp::from)
                  .row(quantity("at", "", 0, 1, "X/length of the section held", "1.0"), &Clamp::at))
          .check(check_contact);
  return section;
}

const keys::Section& solver_keys() {
  static const keys::Section section =
      keys::Table<SolverKeys>("solver")
          .row({.name = "integrator",
                .choices = {{"rk4", "classical Runge-Kutta on the group, a step of dt"},
                            {"dopri5", "Dormand-Prince, adapts inside a step of dt"},
                            {"cvode", "CVODE, adapts inside a step of dt"}},
                .doc = "how the motion is integrated",
                .example = "\"rk4\""},
               &SolverKeys::integrator)
          .row(quantity("smooth.rtol", "", 1e-14, 1e-2, "relative tolerance of the integrator",
                        "1e-8"),
               &SolverKeys::rtol)
          .row(quantity("smooth.atol", "", 1e-16, 1e-2, "absolute tolerance of the integrator",
                        "1e-10"),
               &SolverKeys::atol)
          .row({.name = "space",
                .choices = {{"magnus4", "order 4, two Gauss points per element"},
                            {"collocation6", "order 6, three Gauss points per element"},
                            {"adaptive", "Dormand-Prince from section to section"}},
                .doc = "how fields are integrated along the rod",
                .example = "\"magnus4\""},
               &SolverKeys::space)
          .row(quantity("space_rtol", "", 1e-14, 1e-3, "tolerance of  space = \"adaptive\"",
                        "1e-10"),
               &SolverKeys::space_rtol);
  return section;
}

}  // namespace coluber::rod

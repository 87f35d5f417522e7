#include "coluber/gait/keys.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/core/error.hpp"
#include "coluber/gait/table.hpp"
#include "coluber/keys/check.hpp"

namespace coluber::gait {

namespace {

using keys::Check;

bool is_table(std::string_view gait) { return gait == "table"; }
bool moves_pitch(std::string_view gait) {
  return gait == "sidewinding" || gait == "lateral_rolling" || gait == "sinus_lifting";
}

/// The robot's joints have a pitch axis, as far as is known.
bool has_pitch(Check& check) {
  const auto* robot = check.find_options<chain::Robot>();
  const std::optional<int> angles = check.joint_angles();
  if (check.find_options<VerticalKeys>() == nullptr) return false;
  return robot == nullptr || !angles || robot->link.size() < 2 ||
         static_cast<std::size_t>(*angles) >= robot->link.size();
}

/// A soft start leaves steps in the references, and prescribed joints would jump with them.
void check_soft_start(const HarmonicKeys& options, Check& check) {
  if (check.find_options<control::PrescribedKeys>() == nullptr) return;
  if (check.given("gait.soft_start") == nullptr || !options.soft_start) return;
  check.fault("gait.soft_start",
              fmt::format("leaves steps of up to 3 degrees in the references, and \"{}\" joints "
                          "would jump with them",
                          check.controller()),
              "write  soft_start = false, or take  name = \"pd\"  in [controller]");
}

void check_harmonic(HarmonicKeys& options, Check& check) {
  check_soft_start(options, check);
  if (check.model().empty() || check.gait().empty()) return;
  if (is_table(check.gait())) return;
  const bool vertical = check.find_options<VerticalKeys>() != nullptr;
  if (moves_pitch(check.gait()) && !has_pitch(check)) {
    check.fault(
        "gait.name", fmt::format("\"{}\" moves pitch joints, this robot has none", check.gait()),
        fmt::format(
            "write  {}  in [robot], or take \"lateral_undulation\"",
            vertical ? "joint = \"cardan\""
                     : fmt::format("model = \"{}\"", check.models_with<VerticalKeys>().front())));
  } else if (vertical && !has_pitch(check) && check.find("gait.vertical") != nullptr) {
    check.fault("gait.vertical", "moves pitch joints, joint = \"yaw\" has none",
                "leave it out, or write  joint = \"cardan\"  in [robot]");
  }
  if (!has_pitch(check)) return;
  // The thesis' joint angles, Transeth (4.96), (4.97), are defined within ±90 deg.
  const auto look = [&](const char* key, double largest) {
    if (largest < 90.0) return;
    check.fault(key,
                fmt::format("a cardan joint would reach {} deg, its limit is below 90", largest),
                "lower the amplitude; the thesis' joint angles are defined within ±90 deg "
                "(Transeth 4.5)");
  };
  const bool by_offset =
      check.given("gait.amplitude_deg") == nullptr && check.given("gait.offset_deg") != nullptr;
  look(by_offset ? "gait.offset_deg" : "gait.amplitude_deg",
       std::abs(options.amplitude_deg) + std::abs(options.offset_deg));
  look("gait.vertical.amplitude_deg", std::abs(check.find_options<VerticalKeys>()->amplitude_deg));
}

/// Frequency and phase follow the yaw wave; crests lift twice in each of its periods.
void check_vertical(VerticalKeys& options, Check& check) {
  if (is_table(check.gait())) {
    const keys::Node* given = check.find("gait.vertical");
    if (given == nullptr || !given->is_table()) return;
    for (const auto& [word, value] : given->fields) {
      const std::string key = "gait.vertical." + word;
      if (!check.is_changed(key)) continue;
      check.fault(key, "goes with a harmonic gait, this gait is \"table\"",
                  "leave it out: the table has the pitch angles too, every second column");
    }
    return;
  }
  const auto* wave = check.find_options<HarmonicKeys>();
  if (wave == nullptr) return;
  const double factor = check.gait() == "sinus_lifting" ? 2.0 : 1.0;
  if (!options.omega_deg) options.omega_deg = factor * wave->omega_deg;
  if (!options.phase_deg) options.phase_deg = factor * wave->phase_deg;
}

void check_table(TableKeys& options, Check& check) {
  if (!is_table(check.gait())) return;
  const keys::Node* path = check.find("gait.table");
  if (path == nullptr || (path->valid && path->text.empty())) {
    check.fault("gait.name", "\"table\" needs the key gait.table",
                "for example  table = \"angles.csv\"");
    return;
  }
  if (!path->valid) return;
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(options.table, failure);
  if (!std::filesystem::exists(status)) {
    check.fault("gait.table", fmt::format("no such file: {}", options.table.string()),
                check.path_hint(*path));
  } else if (!std::filesystem::is_regular_file(status)) {
    check.fault("gait.table", fmt::format("not a regular file: {}", options.table.string()),
                "name a CSV file: t,phi_1,…; s and deg");
  } else if (const std::optional<int> angles = check.joint_angles()) {
    // Whoever builds the gait reads its table. If nobody will, its faults are told here.
    check.also([file = options.table, count = *angles] {
      try {
        (void)load_table(file, count);
      } catch (const InputError& error) {
        return error.faults();
      }
      return std::vector<Diagnostic>{};
    });
  }
}

keys::Key vertical(const char* name, const char* unit, const char* note, const char* doc,
                   double most) {
  return {.name = name,
          .unit = unit,
          .default_note = note,
          .min = -most,
          .max = most,
          .doc = doc,
          .example = "10.0"};
}

}  // namespace

const keys::Section& harmonic_keys() {
  static const keys::Section section =
      keys::Table<HarmonicKeys>("gait")
          .row({.name = "amplitude_deg",
                .unit = "deg",
                .min = -180,
                .max = 180,
                .doc = "amplitude of every joint; of the yaw joints",
                .example = "40.0"},
               &HarmonicKeys::amplitude_deg)
          .row({.name = "omega_deg",
                .unit = "deg/s",
                .min = -36000,
                .max = 36000,
                .doc = "angular frequency",
                .example = "80.0"},
               &HarmonicKeys::omega_deg)
          .row({.name = "phase_deg",
                .unit = "deg",
                .min = -3600,
                .max = 3600,
                .doc = "phase from joint to joint; negative: the wave runs from link 1 to the last",
                .example = "-50.0"},
               &HarmonicKeys::phase_deg)
          .row({.name = "offset_deg",
                .unit = "deg",
                .min = -180,
                .max = 180,
                .doc = "added to every joint: steering",
                .example = "0.0"},
               &HarmonicKeys::offset_deg)
          .row({.name = "soft_start",
                .doc = "hold each joint at zero until its reference first comes within 3 deg of it",
                .example = "false"},
               &HarmonicKeys::soft_start)
          .check(check_harmonic);
  return section;
}

const keys::Section& vertical_keys() {
  static const keys::Section section =
      keys::Table<VerticalKeys>("gait.vertical")
          .row(vertical("amplitude_deg", "deg",
                        "0; 10 for sidewinding and lateral_rolling, 5 for sinus_lifting",
                        "amplitude of the pitch joints", 180),
               &VerticalKeys::amplitude_deg)
          .row(vertical("omega_deg", "deg/s", "gait.omega_deg; twice that for sinus_lifting",
                        "angular frequency of the pitch joints", 36000),
               &VerticalKeys::omega_deg)
          .row(vertical("phase_deg", "deg", "gait.phase_deg; twice that for sinus_lifting",
                        "phase from pitch joint to pitch joint", 36000),
               &VerticalKeys::phase_deg)
          .row(vertical("offset_phase_deg", "deg", "90; -90 for sinus_lifting",
                        "phase of the pitch joints against the yaw joints", 36000),
               &VerticalKeys::offset_phase_deg)
          .check(check_vertical);
  return section;
}

const keys::Section& table_keys() {
  static const keys::Section section =
      keys::Table<TableKeys>("gait")
          .row({.name = "table",
                .default_note = "none",
                .doc = "CSV of name = \"table\": t,phi_1,…; s and deg; cubic in t, ends held; "
                       "cardan joints have two columns each, yaw and pitch",
                .example = "\"angles.csv\"",
                .by_contents = true},
               &TableKeys::table)
          .check(check_table);
  return section;
}

}  // namespace coluber::gait

#include "coluber/drive/laws.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "coluber/keys/check.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::drive {

namespace {

using keys::Check;
using keys::Choice;

const std::vector<Choice>& given_laws() {
  static const std::vector<Choice> choices{
      {"sin", "offset + amplitude sin(omega t + phase)"},
      {"one_minus_cos", "offset + amplitude (1 - cos(omega t))"},
      {"ramp", "offset + rate t + acceleration t²/2"},
      {"held", "offset"}};
  return choices;
}

const char* word_of(LawKind kind) {
  static constexpr const char* words[] = {"sin",      "one_minus_cos", "ramp",     "held",
                                          "follower", "loop",          "ackermann"};
  return words[static_cast<std::size_t>(kind)];
}

/// Words in the order of LawKind; `more` behind those that give a quantity over time.
std::vector<Choice> laws_and(const std::vector<Choice>& more) {
  std::vector<Choice> choices = given_laws();
  choices.insert(choices.end(), more.begin(), more.end());
  return choices;
}

/// The numbers that every law has.
template <typename T>
void add_numbers(keys::Table<T>& table, const std::vector<Choice>& choices, bool found) {
  const auto number = [&](const char* name, const char* unit, const char* doc,
                          const char* example) {
    return keys::Key{
        .name = name, .unit = unit, .min = -1e9, .max = 1e9, .doc = doc, .example = example};
  };
  table
      .row({.name = "law",
            .choices = choices,
            .doc = "how it is given over time",
            .example = "\"sin\""},
           &T::law)
      .row(number("amplitude", "rad or m", "of sin and one_minus_cos", "0.6"), &T::amplitude)
      .row(number("omega", "rad/s", "of sin and one_minus_cos", "1.0"), &T::omega)
      .row(number("phase", "rad", "of sin", "0.0"), &T::phase)
      .row(number("offset", "rad or m", "what the law adds to", "0.0"), &T::offset)
      .row(number("rate", "rad/s or m/s", "of ramp", "0.0"), &T::rate)
      .row(number("acceleration", "rad/s² or m/s²", "of ramp", "0.0"), &T::acceleration);
  if (found) {
    table.row(number("start", "rad or m", "of follower and loop: its value at t = 0", "0.0"),
              &T::start);
  }
}

template <typename Entry, typename Same>
void refuse_twice(const std::vector<Entry>& entries, const char* list, const Same& same,
                  const char* what, Check& check) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!same(entries[i], entries[k])) continue;
      check.fault(fmt::format("{}.{}", list, i + 1),
                  fmt::format("{} has a law already, entry {}", what, k + 1), "leave one out");
    }
  }
}

/// Numbers that a law does not take, where they are not as they would be without: a slip, or a law
/// changed from the command line, which may be.
void warn_of_idle(const Law& law, const std::string& path, Check& check) {
  using enum LawKind;
  const LawKind kind = law.law;
  const bool wave = kind == sin || kind == ackermann || kind == one_minus_cos;
  const bool found = kind == follower || kind == loop;
  const Law usual;
  std::vector<std::string> idle;
  std::vector<std::string> taken;
  const auto look = [&](const char* name, double Law::* number, bool takes) {
    if (takes) taken.emplace_back(name);
    if (!takes && law.*number != usual.*number) idle.emplace_back(name);
  };
  look("amplitude", &Law::amplitude, wave);
  look("omega", &Law::omega, wave);
  look("phase", &Law::phase, wave && kind != one_minus_cos);
  look("offset", &Law::offset, !found);
  look("rate", &Law::rate, kind == ramp);
  look("acceleration", &Law::acceleration, kind == ramp);
  look("start", &Law::start, found);
  if (idle.empty() || !check.is_sound(path)) return;
  const std::string list = fmt::format("{}", fmt::join(idle, ", "));
  check.warn(path,
             fmt::format("{}: {} {} no effect: law = \"{}\" takes {}", path, list,
                         idle.size() > 1 ? "have" : "has", word_of(kind), fmt::join(taken, ", ")));
}

void warn_of_idle(const Laws& laws, Check& check) {
  const auto look = [&](const char* list, const auto& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      warn_of_idle(entries[i], fmt::format("gait.{}.{}", list, i + 1), check);
    }
  };
  look("joint", laws.joint);
  look("wheel", laws.wheel);
  look("base", laws.base);
  if (laws.drive) warn_of_idle(*laws.drive, "gait.drive", check);
}

void check_laws(Laws& laws, Check& check) {
  if (check.is_sound("gait")) warn_of_idle(laws, check);
  refuse_twice(
      laws.joint, "gait.joint",
      [](const JointLaw& a, const JointLaw& b) { return a.joint == b.joint; }, "the joint", check);
  refuse_twice(
      laws.wheel, "gait.wheel",
      [](const WheelLaw& a, const WheelLaw& b) {
        return a.wheel == b.wheel && a.motion == b.motion;
      },
      "this motion of the wheel", check);
  refuse_twice(
      laws.base, "gait.base", [](const BaseLaw& a, const BaseLaw& b) { return a.axis == b.axis; },
      "the axis", check);
  if (laws.drive && !laws.base.empty()) {
    check.fault("gait.drive", "[[gait.base]] gives the motion of the first body", "leave one out");
  }
  for (std::size_t i = 0; i < laws.wheel.size(); ++i) {
    const WheelLaw& wheel = laws.wheel[i];
    if (wheel.motion == WheelMotion::roll && wheel.law == LawKind::ackermann) {
      check.fault(fmt::format("gait.wheel.{}.law", i + 1), "\"ackermann\" is a way to steer",
                  "take another law, or  motion = \"steer\"");
    }
    if (wheel.motion == WheelMotion::roll && laws.drive) {
      check.fault(fmt::format("gait.wheel.{}.motion", i + 1),
                  "[gait.drive] gives the rolling of all driven wheels", "leave one out");
    }
    if (wheel.motion == WheelMotion::roll && !laws.base.empty()) {
      check.fault(fmt::format("gait.wheel.{}.motion", i + 1),
                  "[[gait.base]] gives the motion of the first body", "leave one out");
    }
  }
}

}  // namespace

Motion Law::at(double t) const {
  double s = 0.0;
  double c = 1.0;
  switch (law) {
    case LawKind::sin:
    case LawKind::ackermann:
      math::sincos(omega * t + phase, s, c);
      return {offset + amplitude * s, amplitude * omega * c, -amplitude * omega * omega * s};
    case LawKind::one_minus_cos:
      math::sincos(omega * t, s, c);
      return {offset + amplitude * (1.0 - c), amplitude * omega * s, amplitude * omega * omega * c};
    case LawKind::ramp:
      return {offset + rate * t + 0.5 * acceleration * t * t, rate + acceleration * t,
              acceleration};
    case LawKind::held:
      return {offset, 0.0, 0.0};
    case LawKind::follower:
    case LawKind::loop:
      break;
  }
  return {start, 0.0, 0.0};
}

double Law::largest_rate(double t) const {
  if (law == LawKind::ramp) return std::max(std::abs(rate), std::abs(rate + acceleration * t));
  if (law == LawKind::held || law == LawKind::follower || law == LawKind::loop) return 0.0;
  return std::abs(amplitude * omega);
}

const keys::Section& law_keys() {
  static const keys::Section section = [] {
    keys::Table<JointLaw> joint("");
    joint.row({.name = "joint",
               .min = 1,
               .doc = "coordinate, counted in the order of the bodies",
               .example = "2",
               .required = true},
              &JointLaw::joint);
    add_numbers(joint,
                laws_and({{"follower", "found from the wheels"},
                          {"loop", "passive joint of a closed loop"}}),
                true);
    keys::Table<WheelLaw> wheel("");
    wheel
        .row({.name = "wheel",
              .min = 1,
              .doc = "number of the wheel",
              .example = "1",
              .required = true},
             &WheelLaw::wheel)
        .row({.name = "motion",
              .choices = {{"steer", "its heading, of a steered wheel"},
                          {"roll", "its rolling angle, of a driven wheel"}},
              .doc = "what the law moves",
              .example = "\"steer\""},
             &WheelLaw::motion);
    add_numbers(wheel,
                laws_and({{"follower", "", false},
                          {"loop", "", false},
                          {"ackermann",
                           "about the centre that a wheel on the middle line would have, whose "
                           "heading is that of sin"}}),
                false);
    keys::Table<BaseLaw> base("");
    base.row({.name = "axis",
              .choices = {{"x", "along x of the world"},
                          {"y", "along y"},
                          {"z", "up"},
                          {"yaw", "heading"}},
              .doc = "what of the first body is given",
              .example = "\"x\"",
              .required = true},
             &BaseLaw::axis);
    add_numbers(base, given_laws(), false);
    keys::Table<Law> drive("");
    add_numbers(drive, given_laws(), false);
    return keys::Section(
        keys::Table<Laws>("gait")
            .list({.name = "joint",
                   .noun = "a joint's law",
                   .example = "joint = 2, law = \"sin\", amplitude = 0.6"},
                  &Laws::joint, joint)
            .list({.name = "wheel",
                   .noun = "a wheel's law",
                   .example = "wheel = 1, motion = \"steer\", law = \"sin\", amplitude = 0.3"},
                  &Laws::wheel, wheel)
            .list({.name = "base",
                   .noun = "a law of the first body",
                   .example = "axis = \"x\", law = \"ramp\", rate = 0.1"},
                  &Laws::base, base)
            .list({.name = "drive",
                   .form = keys::Form::optional,
                   .noun = "a law of the speed",
                   .example = "law = \"ramp\", rate = 0.1"},
                  &Laws::drive, drive)
            .check(check_laws));
  }();
  return section;
}

}  // namespace coluber::drive

#include "coluber/path/keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "coluber/control/path_keys.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/scenario/scenario.hpp"

#include "keys/limits.hpp"

namespace coluber::scenario {

namespace {

using keys::Check;
namespace limits = keys::limits;

/// Motors that stay off: a slip, or a scenario cut short from the command line, which may be.
void check_late_start(const Job& job, Check& check) {
  const auto* servo = check.find_options<control::ServoKeys>();
  if (servo == nullptr || check.controller().empty() || !check.is_sound("duration")) return;
  if (servo->start_time <= 0.0 || servo->start_time < job.duration) return;
  const auto from_file = [&](const char* key) {
    const keys::Node* node = check.find(key);
    return node == nullptr || node->where.line > 0;
  };
  if (from_file("controller.start_time") && !from_file("duration")) {
    check.warn("controller.start_time",
               fmt::format("controller.start_time = {} s: the motors are off for the whole run, "
                           "which ends at {:.6g} s",
                           servo->start_time, job.duration));
    return;
  }
  check.fault("controller.start_time",
              fmt::format("the motors would be off for the whole run, which ends at {:.6g} s",
                          job.duration),
              "lower start_time or raise duration");
}

/// As long as the way to follow takes, unless the file says other.
void fill_duration(Job& job, Check& check) {
  const auto* path = check.find_options<path::PathKeys>();
  const auto* speed = check.find_options<control::SpeedKeys>();
  const bool follows = check.find_options<control::PathFollowingKeys>() != nullptr;
  if (!follows || path == nullptr || speed == nullptr || check.find("duration") != nullptr) return;
  const std::optional<double> length = path::length_of(*path);
  if (!length || !(speed->speed > 0.0)) return;
  const auto* stepping = check.find_options<drive::Stepping>();
  const double dt = stepping != nullptr ? stepping->dt : 1e-3;
  job.duration = std::round(*length / speed->speed / dt) * dt;
}

/// Duration, step and frames against each other.
void check_record(Record& record, Check& check) {
  Job& job = *check.find_options<Job>();
  fill_duration(job, check);
  check_late_start(job, check);
  if (check.given("record.page") != nullptr && record.page == PageCode::shared && !record.replay) {
    check.fault("record.page", "there is no page without a replay",
                "leave it out, or write  replay = true");
  }
  const auto* stepping = check.find_options<drive::Stepping>();
  if (stepping == nullptr || !check.is_sound("solver.dt")) return;
  const double dt = stepping->dt;
  if (check.is_sound("duration")) {
    if (job.duration < dt) {
      check.fault("duration",
                  fmt::format("{:.6g} s is less than one step of {} s", job.duration, dt),
                  "raise duration or lower solver.dt");
    }
    const double end = std::round(job.duration / dt) * dt;
    if (job.duration >= dt && std::abs(end - job.duration) > 1e-3 * job.duration) {
      check.warn("duration", fmt::format("duration = {} s: the run ends at {:.9g} s, after whole "
                                         "steps of {} s",
                                         job.duration, end, dt));
    }
    if (job.duration / dt > limits::steps) {
      check.fault("solver.dt",
                  fmt::format("{:.9g} s in steps of {} s are {:.3g} steps, the limit is {:.0e}",
                              job.duration, dt, job.duration / dt, limits::steps),
                  "lower duration or raise solver.dt");
    }
  }
  const double highest = 1.0 / dt;
  if (check.find("record.rate_hz") == nullptr) {
    record.rate_hz = std::min(record.rate_hz, highest);
  } else if (record.rate_hz > highest * (1.0 + 1e-9)) {
    check.fault(
        "record.rate_hz",
        fmt::format("expected at most one frame a step, {} Hz, got {}", highest, record.rate_hz),
        "lower record.rate_hz or solver.dt");
  }
}

}  // namespace

const keys::Section& job_keys() {
  static const keys::Section section =
      keys::Table<Job>("")
          .row({.name = "schema",
                .min = 1,
                .max = 1,
                .doc = "version of these keys",
                .example = "1"},
               &Job::schema)
          .row({.name = "title",
                .default_note = "the file's name",
                .doc = "one line about the run, printed on plots and reports",
                .example = "\"Aiko on the floor\""},
               &Job::title)
          .row(
              {.name = "duration",
               .unit = "s",
               .default_note = "10; on a turn, s or slalom what the path takes at controller.speed",
               .min = 0,
               .max = limits::duration,
               .above_min = true,
               .doc = "simulated time, in whole steps",
               .example = "15.0"},
              &Job::duration)
          .row({.name = "seed",
                .min = 0,
                .max = std::numeric_limits<double>::infinity(),
                .doc = "seed of every random number of the run",
                .example = "0"},
               &Job::seed);
  return section;
}

const keys::Section& record_keys() {
  static const keys::Section section =
      keys::Table<Record>("record")
          .row({.name = "rate_hz",
                .unit = "Hz",
                .default_note = "100, or 1/dt if that is less",
                .min = 0,
                .max = std::numeric_limits<double>::infinity(),
                .above_min = true,
                .doc = "frames per second, at most one per step",
                .example = "100.0"},
               &Record::rate_hz)
          .row({.name = "csv",
                .doc = "write trajectory.csv beside trajectory.h5",
                .example = "false"},
               &Record::csv)
          .row(
              {.name = "replay",
               .doc = "write replay.json, replay.bin and the page replay.html; without them `plot` "
                      "and `export --to csv` work all the same",
               .example = "true"},
              &Record::replay)
          .row({.name = "page",
                .choices = {{"whole", "one file that opens anywhere"},
                            {"shared",
                             "its code, most of its size, is kept once in the folder "
                             "around the run folder"}},
                .doc = "what replay.html holds",
                .example = "\"whole\""},
               &Record::page)
          .row({.name = "checkpoint_s",
                .unit = "s",
                .min = 0,
                .max = limits::duration,
                .above_min = true,
                .doc = "least simulated time between checkpoints, from which --resume continues",
                .example = "1.0"},
               &Record::checkpoint_s)
          .check(check_record);
  return section;
}

}  // namespace coluber::scenario

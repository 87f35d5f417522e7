#include "coluber/drive/stepping.hpp"

#include "keys/limits.hpp"

namespace coluber::drive {

const keys::Section& stepping_keys() {
  static const keys::Section section =
      keys::Table<Stepping>("solver")
          .row({.name = "dt",
                .unit = "s",
                .min = keys::limits::least_dt,
                .max = keys::limits::dt,
                .doc = "time step",
                .example = "1e-3"},
               &Stepping::dt)
          .row({.name = "on_failure",
                .choices = {{"stop", "end the run before that step, with exit code 1"},
                            {"warn", "continue and count the step"}},
                .doc = "what to do about a step that was not solved to the tolerance",
                .example = "\"stop\""},
               &Stepping::on_failure);
  return section;
}

const keys::Section& stop_keys() {
  static const keys::Section section =
      keys::Table<Stop>("stop")
          .row({.name = "past_x",
                .unit = "m",
                .default_note = "none",
                .min = -1e6,
                .max = 1e6,
                .doc = "end the run, completed, when the centre of gravity of link 1 is beyond "
                       "this x: on the other side of it than at the start",
                .example = "3.2"},
               &Stop::past_x)
          .row({.name = "stuck_s",
                .unit = "s",
                .default_note = "none",
                .min = 0,
                .max = keys::limits::duration,
                .above_min = true,
                .doc = "end the run, completed, when no link moved a link length within this time",
                .example = "5.0"},
               &Stop::stuck_s);
  return section;
}

}  // namespace coluber::drive

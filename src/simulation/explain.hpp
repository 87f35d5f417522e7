#pragma once

#include <numbers>
#include <string>

#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {

/// Why a run ends after joints moved faster than `limit` (rad/s) for `time` s.
std::string explain_runaway(const Simulation& simulation, int joint, double limit, double time,
                            double t);

/// Motors that start farther than this from their references (rad) are warned of: 5 degrees.
constexpr double notable_jump = 5.0 * std::numbers::pi / 180.0;

/// Says that `joint` was at `phi` (rad), its reference at `phi_d`, when the motors started at `t`
/// (s); "" where that was said at load.
std::string explain_jump(const Simulation& simulation, int joint, double phi, double phi_d,
                         double t);

/// Why the step to `t` (s) did not come out, with what was said at load that it may come of.
std::string explain_step(const Simulation& simulation, const StepInfo& info, double t);

/// Torques that no motor of the robot's size has, as a controller without a limit may ask for: of
/// its joints, of its wheels; empty if there were none.
std::vector<std::string> warn_of_torque(const Simulation& simulation,
                                        const std::vector<SummaryItem>& summary);

/// Steps that the thesis' iteration left far from solved, because impulses that hardly change end
/// it; "" if there were few.
std::string warn_of_unsolved(const Simulation& simulation,
                             const std::vector<RunOutcome::StepMean>& figures);

/// Contacts that are off by the set-valued law as it stands, so far or so often that the motion may
/// depend on it; "" if they are not.
std::string warn_of_rigid_residual(const std::vector<RunOutcome::StepMean>& figures);

}  // namespace coluber::simulation

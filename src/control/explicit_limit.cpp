#include "control/explicit_limit.hpp"

#include "coluber/drive/feedback.hpp"

namespace coluber::control {

void warn_of_explicit_servo(const Gains& kp, const Gains& kd, const System& system,
                            std::vector<drive::Warning>& warnings) {
  const auto* joints = dynamic_cast<const JointDriven*>(&system);
  if (joints == nullptr || joints->joint_count() == 0) return;
  if (dynamic_cast<const FeedbackDriven*>(&system) != nullptr) return;
  const double limit = least_limit(kp, kd, joints->joint_count(), [&](double p, double d) {
    return joints->explicit_servo_limit(p, d);
  });
  if (system.dt() < limit) return;
  warnings.push_back(
      {"controller.servo",
       fmt::format("controller.servo = \"explicit\": this chain is stable for dt below {:.3g} s "
                   "with kp = {}, kd = {}; solver.dt is {:.3g} s, expect it to run away; use servo "
                   "= \"implicit\" or a smaller dt",
                   limit, describe(kp), describe(kd), system.dt())});
}

void warn_of_explicit_wheels(double kw, const System& system,
                             std::vector<drive::Warning>& warnings) {
  const auto* shafts = dynamic_cast<const JointDriven*>(&system);
  if (shafts == nullptr || shafts->shaft_count() == 0) return;
  const double limit = shafts->explicit_shaft_limit(kw);
  if (system.dt() < limit) return;
  warnings.push_back(
      {"controller.servo",
       fmt::format("controller.servo = \"explicit\": wheels that slip are stable for dt below "
                   "{:.3g} s with kw = {}; solver.dt is {:.3g} s, expect them to run away; use "
                   "servo = \"implicit\", a smaller kw or a smaller dt",
                   limit, kw, system.dt())});
}

}  // namespace coluber::control

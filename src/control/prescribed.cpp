#include "coluber/control/prescribed.hpp"

#include "coluber/drive/joints.hpp"

namespace coluber::control {

void Prescribed::update(const ControlInput& input, JointCommand& command) {
  command.prescribed = true;
  command.phi_M = *input.phi_d_M;
  command.phi_d = input.phi_d_E;
  command.phidot_d = input.phidot_d_E;
}

std::string Prescribed::connect(System& system, std::vector<drive::Warning>& /*warnings*/) {
  const auto* joints = dynamic_cast<const JointDriven*>(&system);
  if (joints == nullptr) return "needs joints";
  if (!joints->can_prescribe()) return "needs joints whose angles can be given, not only torques";
  return "";
}

}  // namespace coluber::control

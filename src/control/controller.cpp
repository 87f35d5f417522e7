#include "coluber/control/controller.hpp"

namespace coluber::control {

std::string Controller::connect(System& system, std::vector<drive::Warning>& /*warnings*/) {
  return dynamic_cast<const JointDriven*>(&system) != nullptr ? ""
                                                              : "needs joints that take torques";
}

}  // namespace coluber::control

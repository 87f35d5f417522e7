#pragma once

#include <string>
#include <vector>

#include "coluber/control/controller.hpp"
#include "coluber/core/export.hpp"

namespace coluber::control {

/// Joints that follow their references exactly: angles in the middle and at the end of a step are
/// evaluated, never integrated, and the torques recorded are what that took. What a stiff servo is
/// the approximation of: no gains, no limit on the torques.
class COLUBER_EXPORT Prescribed final : public Controller {
 public:
  void update(const ControlInput& input, JointCommand& command) override;
  /// Needs joints that can be prescribed.
  std::string connect(System& system, std::vector<drive::Warning>& warnings) override;
  [[nodiscard]] bool prescribes() const override { return true; }
};

}  // namespace coluber::control

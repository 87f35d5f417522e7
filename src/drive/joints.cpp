#include "coluber/drive/joints.hpp"

namespace coluber {

void JointDriven::start_moving(const Eigen::VectorXd& /*phidot*/) {}

double JointDriven::explicit_shaft_limit(double /*k*/) const {
  return std::numeric_limits<double>::infinity();
}

double JointDriven::explicit_servo_limit(double /*k_P*/, double /*k_D*/) const {
  return std::numeric_limits<double>::infinity();
}

}  // namespace coluber

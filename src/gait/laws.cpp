#include "coluber/gait/laws.hpp"

#include <algorithm>

#include "gait/make.hpp"

namespace coluber::gait {

JointLaws::JointLaws(const std::vector<drive::JointLaw>& laws, int joints, double duration)
    : laws_(static_cast<std::size_t>(std::max(0, joints))) {
  for (const drive::JointLaw& law : laws) {
    if (law.joint < 1 || law.joint > joints) continue;  // refused where the robot is known
    laws_[static_cast<std::size_t>(law.joint - 1)] = law;
    max_rate_ = std::max(max_rate_, law.largest_rate(duration));
  }
}

void JointLaws::evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                         Eigen::Ref<Eigen::VectorXd> phidot_d) const {
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    const drive::Motion motion = laws_[i].at(t);
    phi_d(static_cast<Eigen::Index>(i)) = motion.value;
    phidot_d(static_cast<Eigen::Index>(i)) = motion.rate;
  }
}

void JointLaws::evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const {
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    phidd_d(static_cast<Eigen::Index>(i)) = laws_[i].at(t).acceleration;
  }
}

std::unique_ptr<Gait> make_laws(const drive::Build& build, int joint_angles, bool /*soft_start*/) {
  return std::make_unique<JointLaws>(build.get<drive::Laws>().joint, joint_angles, build.duration);
}

}  // namespace coluber::gait

// Why a run of the grasping model ends.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/grasp/system.hpp"

#include "sample/grasps.hpp"

namespace coluber::grasp {
namespace fault_test {

using ::testing::HasSubstr;
using ::testing::Not;

TaskKeys approach(const Eigen::Vector2d& goal) {
  TaskKeys task;
  task.kind = TaskKind::approach;
  task.goal = goal;
  task.duration = 12.0;
  return task;
}

/// Runs until a step is not taken; the time.
double run(GraspSystem& system, double duration) {
  while (system.time() < duration - 1e-9) {
    if (system.step().status != Status::ok) return system.time();
  }
  return duration;
}

TEST(Fault, EndsARunBeforeALinkIsDeepInsideTheObject) {
  SystemOptions options;
  options.tasks = {approach({-2.8, -1.0})};
  options.controller.law.head_solve = HeadSolve::wished;
  options.object = Object{};
  options.place.p = {-1.0, 0.0};  // between the head and its goal
  GraspSystem system(sample::lasso15(), sample::start_lasso(), options);
  ASSERT_EQ(system.fault(), Fault::none);
  EXPECT_LT(run(system, 12.0), 4.0);
  EXPECT_EQ(system.fault(), Fault::overlap);
  EXPECT_EQ(system.fault_index(), 1);
  EXPECT_NEAR(system.fault_figure(), 0.05, 0.01) << "with its axis, 0.05 m inside the surface";
}

TEST(Fault, BlamesAJointOnlyNearARightAngle) {
  SystemOptions options;
  TaskKeys task;
  task.kind = TaskKind::pose;
  task.contacts.links = {6, 7, 8};
  task.x = 5.0;
  task.duration = 5.0;
  options.tasks = {task};
  options.controller.law.gain = 1000.0;
  GraspSystem system(sample::lasso15(), sample::start_lasso(), options);
  EXPECT_LT(run(system, 5.0), 1.0);
  EXPECT_THAT(system.fault_words(), HasSubstr("controller.gain times solver.dt is 10"));
  EXPECT_THAT(system.fault_words(), Not(HasSubstr("pitch axis")));

  options.controller.law.gain = 1.0;
  options.tasks.front().x.reset();
  options.tasks.front().yaw_deg = -360.0;  // joint 6 is at 90.15 degrees
  GraspSystem knot(sample::lasso15(), sample::start_R9(false), options);
  EXPECT_LT(run(knot, 5.0), 5.0);
  EXPECT_THAT(knot.fault_words(), HasSubstr("joint 6 stands at 90.15 deg"));
}

}  // namespace fault_test
}  // namespace coluber::grasp

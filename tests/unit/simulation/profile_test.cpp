#include "coluber/core/profile.hpp"

#include <gtest/gtest.h>

#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {
namespace profile_test {

Simulation make_snake() {
  return make_simulation(
      scenario::parse("schema = 1\nduration = 0.5\n[robot]\nname = \"aiko\"\n[gait]\nname = "
                      "\"lateral_undulation\"\namplitude_deg = 40.0\nomega_deg = 80.0\nphase_deg = "
                      "-50.0\n",
                      ".", {}, "<snake>"));
}

RunOutcome run_with(Simulation& simulation, Profile* profile) {
  record::TrajectorySink sink;
  FrameSink* const sinks[] = {&sink};
  RunOptions options;
  options.profile = profile;
  return run(simulation, sinks, options);
}

TEST(ProfiledRun, GivesEveryPhaseItsTime) {
  Simulation simulation = make_snake();
  Profile profile;
  ASSERT_EQ(run_with(simulation, &profile).status, RunStatus::completed);
  for (const Profile::Share& part : profile.shares()) {
    EXPECT_GT(part.seconds, 0.0) << phase_name(part.phase);
  }
}

TEST(ProfiledRun, EndsInTheSameStateAsAnyOther) {
  Simulation plain = make_snake();
  Simulation watched = make_snake();
  Profile profile;
  EXPECT_EQ(run_with(plain, nullptr).final_state, run_with(watched, &profile).final_state);
}

TEST(ProfiledRun, LeavesNoProfileInTheSystem) {
  Simulation simulation = make_snake();
  Profile profile;
  ASSERT_EQ(run_with(simulation, &profile).status, RunStatus::completed);
  profile.start();  // all phases at zero
  ASSERT_EQ(simulation.system->step().status, Status::ok);
  for (const Profile::Share& part : profile.shares()) {
    EXPECT_EQ(part.seconds, 0.0) << phase_name(part.phase) << " of a step after the run";
  }
}

}  // namespace profile_test
}  // namespace coluber::simulation

#include "coluber/core/error.hpp"

#include <gtest/gtest.h>

#include "coluber/core/status.hpp"
#include "coluber/core/system.hpp"

namespace coluber {
namespace error_test {

TEST(Diagnostic, PrintsPlaceKeyMessageAndOnASecondLineTheHint) {
  const SourceLocation where{.file = "worm.toml", .line = 14, .column = 8};
  const Diagnostic fault{.where = where,
                         .key = "robot.mass",
                         .message = "expected a number > 0, got \"heavy\"",
                         .hint = "masses are in kg, for example  mass = 1.2"};
  EXPECT_EQ(to_string(fault),
            "error: worm.toml:14:8: robot.mass: expected a number > 0, got \"heavy\"\n"
            "  hint: masses are in kg, for example  mass = 1.2");
}

TEST(Diagnostic, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(to_string({.message = "no"}), "error: no");
  const SourceLocation file{.file = "a.toml"};
  EXPECT_EQ(to_string({.where = file, .message = "no"}), "error: a.toml: no");
  const SourceLocation line{.file = "a.toml", .line = 3};
  EXPECT_EQ(to_string({.where = line, .message = "no"}), "error: a.toml:3: no");
}

TEST(InputError, CarriesEveryFaultAndPrintsThemInOrder) {
  const InputError error(std::vector<Diagnostic>{{.message = "first", .hint = "do this"},
                                                 {.key = "a.b", .message = "second"}});
  ASSERT_EQ(error.faults().size(), 2U);
  EXPECT_EQ(error.faults()[1].key, "a.b");
  EXPECT_STREQ(error.what(), "error: first\n  hint: do this\nerror: a.b: second");
}

TEST(Status, HasAWordForEveryOutcome) {
  EXPECT_EQ(to_string(Status::ok), "ok");
  EXPECT_EQ(to_string(Status::not_converged), "not converged");
  EXPECT_EQ(to_string(Status::non_finite), "not finite");
}

TEST(Observable, FrameSizeIsTheSumOverShapes) {
  const std::vector<Observable> observables{
      {.name = "energy", .unit = "J", .doc = "", .shape = {}, .components = {}},
      {.name = "link_angle", .unit = "rad", .doc = "", .shape = {11}, .components = {}},
      {.name = "link_position",
       .unit = "m",
       .doc = "",
       .shape = {11, 2},
       .components = {"x", "y"}}};
  EXPECT_EQ(frame_size(observables), 1 + 11 + 22);
  EXPECT_EQ(frame_size({}), 0);
}

}  // namespace error_test
}  // namespace coluber

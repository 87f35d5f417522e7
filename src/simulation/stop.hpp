#pragma once

#include <cstdint>
#include <string>

#include "coluber/core/system.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/drive/placed.hpp"
#include "coluber/drive/stepping.hpp"

namespace coluber::simulation {

/// The scenario's [stop]: ends a run before its duration.
///
/// `past_x`: the centre of link 1, or of a model without lengths its place (Placed), has come to
/// the other side of x = past_x than it started on. `stuck_s`: for so long no link has been a link
/// length away from where it was. Places are noted; the first link to get a link length away from
/// its own has all of them noted anew. So a robot that comes to rest is found at most stuck_s
/// later, and one link that keeps moving on keeps the run alive. Time before the motors start
/// (controller.start_time) does not count.
class StopConditions {
 public:
  /// `system` is the robot at its start, its motors off before `start_time` (s). Nothing is looked
  /// at if `stop` asks for nothing, or the robot has nothing to look at.
  StopConditions(const drive::Stop& stop, double start_time, const System& system);

  /// After a step: does a condition hold now?
  bool triggered(const System& system);

  [[nodiscard]] const std::string& key() const { return key_; }  ///< "stop.past_x"; "" while none
  [[nodiscard]] const std::string& message() const { return message_; }

  /// What has to be kept from step to step, to or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    auto& [started_beyond, since, reference] = self.memory_;
    bytes(started_beyond, since, reference);
  }
  /// False: what came from a checkpoint was not noted up to this step.
  [[nodiscard]] bool fits(std::int64_t step) const {
    return memory_.since >= 0 && memory_.since <= step;
  }

 private:
  void look();
  bool is_past(const System& system);
  bool is_stuck(const System& system);

  drive::Stop stop_;
  const Linked* robot_;   // null: no links with lengths
  const Placed* placed_;  // null: no place, or the links have theirs
  double start_time_ = 0.0;
  Eigen::VectorXd centre_;  // x, y of every link; of a place
  struct Memory {
    bool started_beyond = false;  // link 1 began at x > past_x
    std::int64_t since = 0;       // step at which the places were noted
    Eigen::VectorXd reference{};  // the places: x, y of every link's centre (m)
  };
  Memory memory_;
  std::string key_, message_;
};

}  // namespace coluber::simulation

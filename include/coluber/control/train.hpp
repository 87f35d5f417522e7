#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/path/path.hpp"
#include "coluber/path/train.hpp"
#include "coluber/planar/force_map.hpp"

namespace coluber::control {

/// Shape and place of a robot on a path, with derivatives by the arc length s of its rear end.
/// Links are counted as the robot's are.
struct TrainShape {
  double s = 0.0;                                  ///< m
  Eigen::VectorXd theta;                           ///< link angles, towards the next link (rad)
  Eigen::VectorXd theta_s;                         ///< rad/m
  Eigen::VectorXd theta_ss;                        ///< rad/m²
  Eigen::Vector2d p = Eigen::Vector2d::Zero();     ///< what `Kinematics` says (m)
  Eigen::Vector2d p_s = Eigen::Vector2d::Zero();   ///< –
  Eigen::Vector2d p_ss = Eigen::Vector2d::Zero();  ///< 1/m
};

/// A robot laid on a path: every joint and both ends on it, either end leading.
class COLUBER_EXPORT RobotTrain {
 public:
  /// `last_leads`: link n is in front, else link 1.
  RobotTrain(std::shared_ptr<const path::Path> path, const planar::ForceMapModel& model,
             bool last_leads);

  /// The robot with its rear end at s (m). False, and NaN, where the path is curled tighter than a
  /// link is long. Allocates only the first time for a `shape`.
  [[nodiscard]] bool lay(double s, TrainShape& shape);

  /// Arc length of the rear end at which the train is nearest to a robot with these link angles
  /// and this p, as a local minimum near `s`, by Gauss and Newton. Nearest: the least of
  /// |p - p(s)|² + l² mean (theta - theta(s))², l being the mean length of a link. None where the
  /// path does not hold the robot.
  [[nodiscard]] std::optional<double> fit(double s, const Eigen::VectorXd& theta,
                                          const Eigen::Vector2d& p);

  /// The last lay()'s points from the rear: ends and joints (m).
  [[nodiscard]] const Eigen::Matrix2Xd& points() const { return train_.r; }
  /// Sum of the links' lengths (m).
  [[nodiscard]] double length() const { return length_; }
  /// Number of links.
  [[nodiscard]] int n() const { return static_cast<int>(weight_.size()); }
  /// The path.
  [[nodiscard]] const path::Path& path() const { return *path_; }
  /// Link n is in front.
  [[nodiscard]] bool last_leads() const { return last_leads_; }

 private:
  std::shared_ptr<const path::Path> path_;
  bool last_leads_ = true;
  double length_ = 0.0;
  std::vector<double> lengths_;  // from the rear
  Eigen::VectorXd arm_;          // from a link's rear end to its centre of gravity, by link (m)
  Eigen::VectorXd weight_;       // share of each link in p
  path::Train train_;
  TrainShape near_;  // scratch of fit()
};

}  // namespace coluber::control

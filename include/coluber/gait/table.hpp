#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/gait/gait.hpp"

namespace coluber::gait {

/// Joint references through given points: the not-a-knot cubic spline in t, exact for any cubic.
/// Three points give their parabola, two their line, one a constant. Before the first and after the
/// last point the reference is held there with rate zero.
class COLUBER_EXPORT Table final : public Gait {
 public:
  /// `times` (s) increase strictly; `angles` (rad) has a row a time and a column a joint.
  /// Throws Error where the sizes disagree or the times do not increase.
  Table(std::vector<double> times, const Eigen::MatrixXd& angles);

  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override;
  void evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const override;
  /// The ends, where the rate jumps.
  [[nodiscard]] double next_break(double t) const override;
  [[nodiscard]] double max_rate() const override { return max_rate_; }

  /// Time of its first point (s).
  [[nodiscard]] double first_time() const { return times_.front(); }
  /// Time of its last point (s).
  [[nodiscard]] double last_time() const { return times_.back(); }

  /// Largest |angle| of its points (rad), and the joint that has it, counted from 0.
  struct Largest {
    double angle = 0.0;
    int joint = 0;
  };
  /// Largest angle of the table, either way (rad).
  [[nodiscard]] Largest largest() const;

  /// Where the spline leaves the range of its joint's points, between two of them.
  struct Overshoot {
    double angle = 0.0;  ///< reached (rad)
    double low = 0.0;    ///< range of the joint's points (rad)
    double high = 0.0;
    double time = 0.0;  ///< s
    int joint = 0;      ///< counted from 0
    /// Beyond the range (rad).
    [[nodiscard]] double excess() const { return angle > high ? angle - high : low - angle; }
  };
  /// The farthest, if that is more than one would expect of a cubic: a quarter of the range and a
  /// degree.
  [[nodiscard]] std::optional<Overshoot> overshoot() const;

  /// Where steps do not see what a joint does within them.
  struct Skipped {
    double share = 0.0;  ///< of the range of its points: how far off the line from step to step
    double time = 0.0;   ///< s
    int joint = 0;       ///< counted from 0
  };
  /// Where steps of `dt` (s) up to `duration` (s) miss most of a joint's motion, if that is more
  /// than 2 % of its range and 0.5 % of the largest range of a joint.
  [[nodiscard]] std::optional<Skipped> skipped(double dt, double duration) const;

 private:
  std::vector<double> times_;
  Eigen::MatrixXd y_;  // joints × points: values
  Eigen::MatrixXd m_;  // joints × points: second derivatives
  double max_rate_ = 0.0;
};

/// Reads a CSV with the header `t,phi_1,…,phi_<joints>`: seconds and degrees, `#` begins a comment
/// line. Throws InputError with file:line:column for everything that is wrong in it.
COLUBER_EXPORT std::unique_ptr<Table> load_table(const std::filesystem::path& file, int joints);

}  // namespace coluber::gait

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coluber/planar/system.hpp"

namespace coluber::planar {

/// A planar snake with two wheels on a driven shaft under every link, link 1 ahead: Murugendran's
/// PIKo. Beside what a planar snake shows it tells how its wheels turn, push and slip.
class COLUBER_EXPORT WheeledSystem final : public PlanarSystem {
 public:
  /// Throws Error if the model is not physical or has no wheels. `keep_hardest` as PlanarSystem.
  WheeledSystem(Model model, State state, const StepOptions& options, bool keep_hardest = false);

  [[nodiscard]] int shaft_count() const override { return model_.n(); }
  void shaft_rates(Eigen::Ref<Eigen::VectorXd> omega) const override { omega = state_.omega; }
  [[nodiscard]] double explicit_shaft_limit(double k) const override;
  void start_frame() override;
  void poses(std::span<double> values) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

 private:
  /// What is summed up beside the planar snake's: since the start, then since the last frame.
  struct Sums {
    double torque_joints = 0.0, torque_wheels = 0.0;  ///< integrals of |tau| (N m s)
    double slip = 0.0;                                ///< of |slip| over wheels and steps (m/s)
    std::int64_t slipping = 0;                        ///< wheels and steps
    TorquePeak torque{};                              ///< of the shafts
    Eigen::Matrix4Xd impulse;   ///< left along, left across, right along, right across (N s)
    VectorXd slipping_now;      ///< wheels and steps, by link
    Eigen::Matrix4Xd slip_now;  ///< of the last step, as `impulse` (m/s)
  };
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& sums);

  double note_step() override;
  [[nodiscard]] Vector2d travelled_at(const Pose& pose) const override;
  [[nodiscard]] double heading_of(const Pose& pose) const override;
  void add_wheel_rows();
  void add_wheel_bodies();

  Sums sums_;
};

}  // namespace coluber::planar

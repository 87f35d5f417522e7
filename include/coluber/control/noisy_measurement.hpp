#pragma once

#include <cstdint>
#include <memory>

#include <Eigen/Core>

#include "coluber/control/wrapped.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/random.hpp"

namespace coluber::control {

// | letter   | code name    | meaning: noise of …       | unit  | equation        |
// | N_p      | position     | where link 1 is           | m     | Transeth (7.9)  |
// | N_theta  | heading      | its angle                 | rad   | Transeth (7.10) |
// | N_phi    | joint        | every joint angle         | rad   | Transeth (7.11) |
// | N_v      | velocity     | its velocity, world axes  | m/s   | Transeth (7.12) |
// | N_thetad | heading_rate | rate of its angle         | rad/s | Transeth (7.13) |
// | N_phid   | joint_rate   | every joint rate          | rad/s | Transeth (7.14) |
// | –        | wheel_rate   | every wheel rate          | rad/s | –               |

/// Half widths of the noise, letters as above.
struct NoiseOptions {
  double position = 0.0;
  double heading = 0.0;
  double joint = 0.0;
  double velocity = 0.0;
  double heading_rate = 0.0;
  double joint_rate = 0.0;
  double wheel_rate = 0.0;
  std::uint64_t seed = 0;

  /// Nothing is disturbed.
  [[nodiscard]] bool is_zero() const {
    return position == 0.0 && heading == 0.0 && joint == 0.0 && velocity == 0.0 &&
           heading_rate == 0.0 && joint_rate == 0.0 && wheel_rate == 0.0;
  }
};

/// A controller that measures with noise: to every value is added N (2 r - 1), r uniform in [0, 1)
/// and new in every step.  Transeth (7.9)-(7.14)
///
/// Differs: the thesis calls MATLAB's `rand` approximately normal; it is uniform.
/// A servo inside the step (`JointCommand::k_P`, `k_D`) measures the step's end with the same
/// noise.
class COLUBER_EXPORT NoisyMeasurement final : public Wrapped {
 public:
  /// `controller` decides by what is measured.
  NoisyMeasurement(std::unique_ptr<Controller> controller, const NoiseOptions& options);
  void update(const ControlInput& input, JointCommand& command) override;
  [[nodiscard]] RunawayWords runaway_words() const override {
    RunawayWords words = Wrapped::runaway_words();
    words.noisy = true;
    return words;
  }
  /// A measurement is held for a step.
  [[nodiscard]] bool continuous() const override { return false; }
  void save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

 private:
  NoiseOptions options_;
  Random random_;
  Eigen::VectorXd phi_, phidot_, shaft_rate_;  // as measured
};

}  // namespace coluber::control

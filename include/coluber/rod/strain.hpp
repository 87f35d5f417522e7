#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/rod/model.hpp"

namespace coluber::rod {

/// The strains of one section and their time derivatives.
struct Strains {
  Vector6d xi = Vector6d::Unit(0);
  Vector6d xidot = Vector6d::Zero();
  Vector6d xiddot = Vector6d::Zero();
};

/// Derivatives along X.
struct Slopes {
  Vector6d xi = Vector6d::Zero();     ///< ξ'
  Vector6d xidot = Vector6d::Zero();  ///< ξ̇'
};

/// Motion along the body's own path: a strain that is a function of X + S(t) has V = Ṡ.
struct Travel {
  double S = 0.0;     ///< m
  double V = 0.0;     ///< m/s, < 0 forward
  double Vdot = 0.0;  ///< m/s²
};

/// A wave of contraction: the section of label s + wavelength/4 + n wavelength is the shortest.
struct Peristalsis {
  double s = 0.0;     ///< m
  double c = 0.0;     ///< m/s, ds/dt
  double cdot = 0.0;  ///< m/s²
  double wavelength = 1.0;
};

/// The shape of a rod over time.
class COLUBER_EXPORT StrainLaw {
 public:
  StrainLaw() = default;
  StrainLaw(const StrainLaw&) = delete;
  StrainLaw& operator=(const StrainLaw&) = delete;
  virtual ~StrainLaw() = default;
  /// Strains of the sections X at time t. All of `out` is written; nothing allocates.
  virtual void evaluate(double t, std::span<const double> X, std::span<Strains> out) const = 0;
  /// Their derivatives along X. By central differences of `evaluate` where a law has none.
  virtual void evaluate_slopes(double t, std::span<const double> X, std::span<Slopes> out) const;
  /// Which strains are not at their reference.
  [[nodiscard]] virtual StrainMask actuated() const = 0;
  /// First instant after t at which its rates jump, the strains being continuous; infinite if there
  /// is none. At that instant itself they are those of either side.
  [[nodiscard]] virtual double next_break(double /*t*/) const {
    return std::numeric_limits<double>::infinity();
  }
  /// How far and how fast it runs along the body, where the law says it.
  [[nodiscard]] virtual std::optional<Travel> travel(double /*t*/) const { return std::nullopt; }
  /// The wave of contraction, where it is one.
  [[nodiscard]] virtual std::optional<Peristalsis> peristalsis(double /*t*/) const {
    return std::nullopt;
  }
};

/// A pulse of curvature that runs from head to tail and leaves the body turned.  Ali (6.41)
struct Turn {
  double start = 3.0;            ///< s, at the head
  double duration = 4.0;         ///< s
  double amplitude = 2.0;        ///< 1/m, of K_Z
  double pitch_amplitude = 0.0;  ///< 1/m, of K_Y
};

/// S(t) = speed t + acceleration t²/2.
struct Advance {
  double speed = -0.5;        ///< m/s
  double acceleration = 0.0;  ///< m/s²
};

/// K_Z = A cos(2π/λ (X + S)) + turn.  Ali (6.40), (6.41)
///
/// Differs: the pulse is exp(−u²/((T/2)² − u²)) inside its window and 0 outside; the source prints
/// the denominator with the other sign, which diverges at the window's edge.
struct Undulation {
  double amplitude = 10.0;  ///< 1/m
  double wavelength = 1.0;  ///< m
  Advance advance{};
  std::optional<Turn> turn{};
};

/// K_Y = −A sin(2π/λ (X + S)), K_Z = A cos(the same): a helix.  Ali 6.4.2
struct Spiral {
  double amplitude = 10.0;  ///< 1/m
  double wavelength = 1.0;  ///< m
  Advance advance{};
};

/// Γ_X = 1 + A sin(2π/λ (S − X)).  Ali (6.1)
///
/// Differs: S is the integral of the speed; the source prints c(t) t.
struct Contraction {
  double amplitude = 0.5;   ///< –, < 1
  double wavelength = 1.0;  ///< m
  Advance advance{0.05, 0.0};
};

/// θ = A sin²(ω t) sin(2π (X − l)/l): an inchworm's bend, K_Z = θ'.  Ali (6.25), (6.26)
struct OmegaBend {
  double amplitude = 2.0;             ///< rad
  double omega = 1.5707963267948966;  ///< rad/s
  double length = 1.0;                ///< l (m)
};

/// θ = A sin(2π X/λ − ω t): an eel, K_Z = θ'.
struct Swim {
  double amplitude = 0.5;   ///< rad
  double wavelength = 1.0;  ///< m
  double omega = 6.283185307179586;
};

/// offset + amplitude sin(2π X/wavelength − ω t + phase) (1 − exp(−(t/ramp)²)), added to a strain.
struct Wave {
  int component = 5;  ///< 0 … 5: Γ_X … K_Z
  double amplitude = 0.0;
  double wavelength = std::numeric_limits<double>::infinity();  ///< m; inf: the same everywhere
  double omega = 0.0;                                           ///< rad/s
  double phase = 0.0;                                           ///< rad
  double offset = 0.0;
  double ramp = 0.0;  ///< s; 0: none
};

/// The laws as objects.
COLUBER_EXPORT std::unique_ptr<StrainLaw> make_strain(const Undulation& law);
/// A helix.
COLUBER_EXPORT std::unique_ptr<StrainLaw> make_strain(const Spiral& law);
/// An earthworm.
COLUBER_EXPORT std::unique_ptr<StrainLaw> make_strain(const Contraction& law);
/// An inchworm.
COLUBER_EXPORT std::unique_ptr<StrainLaw> make_strain(const OmegaBend& law);
/// An eel.
COLUBER_EXPORT std::unique_ptr<StrainLaw> make_strain(const Swim& law);
/// A sum of waves.
COLUBER_EXPORT std::unique_ptr<StrainLaw> make_strain(std::vector<Wave> waves);

/// Strains sampled on a grid of instants and sections, cubic splines in both. Rows as in a file:
/// t, X and six strains, in any order; every X at every t. Throws Error where an entry is missing
/// or there twice. Before the first and after the last instant the strains stand still; those are
/// its breaks.
COLUBER_EXPORT std::unique_ptr<StrainLaw> make_strain_table(
    std::span<const std::array<double, 8>> rows);

}  // namespace coluber::rod

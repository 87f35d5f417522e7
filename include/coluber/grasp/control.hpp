#pragma once

#include <cstdint>
#include <limits>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/grasp/pseudo_inverse.hpp"
#include "coluber/grasp/rows.hpp"

namespace coluber::grasp {

/// How the feedback gain follows D, the product of the squares of the singular values of B⁺A
/// (without the column of θ_y0).
enum class GainPolicy : std::uint8_t {
  constant,    ///< K
  adaptive_a,  ///< K D_0/D: K D is constant
  adaptive_b,  ///< K D_(k-2)/D_k, as (3.19) is printed
  clamped,     ///< adaptive_a between two limits
};

/// Which B⁺.
enum class Inverse : std::uint8_t {
  truncated,  ///< singular values below the cut-off are left out
  weighted,   ///< the same of B W^(1/2), with the mobilities of the task
  damped,     ///< σ/(σ² + damping²)
};

/// What determines the motion of the head.
enum class HeadSolve : std::uint8_t {
  plain,   ///< A_0⁺ B_0 u
  ground,  ///< no slip, and wheels that stay on the ground, with the head's height
  wished,  ///< the rate asked for: the tail has been solved for it
};

/// `controller.null_space`: (I − B⁺B) alpha ∂V/∂θ, V = a det XᵀX + b det BBᵀ.  Atakan (3.8)-(3.10)
struct NullSpace {
  double alpha = 0.0, a = 0.0, b = 0.0;
  int columns = 3;  ///< of A_0 in X; 4 as printed
};

/// The redundancy controller.
struct ControlOptions {
  double gain = 2.0;  ///< 1/s
  GainPolicy gain_policy = GainPolicy::constant;
  double gain_min = 0.02, gain_max = 10.0;  ///< 1/s
  Inverse inverse = Inverse::truncated;
  double cutoff = 1e-8;
  double damping = 0.01;
  NullSpace null_space{};
  HeadSolve head_solve = HeadSolve::plain;
};

/// A number too large or small for a double: m 2^e.
struct Scaled {
  double m = 1.0;
  std::int64_t e = 0;

  /// Times another number.
  COLUBER_EXPORT void times(double x);
  /// This over `other`, within the range of a double.
  [[nodiscard]] COLUBER_EXPORT double over(const Scaled& other) const;
};

/// Scratch and results of the control law.
struct Control {
  /// Room for every layout.
  explicit Control(const Model& model);

  bool decomposed = false;  ///< B is already that of the next rows, as the gain needed it first
  SingularValues B;         ///< of Bᵀ, weighted where it is
  Eigen::VectorXd u;        ///< rates of pitches, then yaws (rad/s)
  Eigen::Vector4d head = Eigen::Vector4d::Zero();  ///< ẇ_0
  double climb = 0.0;                              ///< ż_0, of HeadSolve::ground
  double slip = 0.0;                               ///< largest |A_0 ẇ_0 − B_0 u| (m/s)
  Scaled D{};                                      ///< see GainPolicy
  Eigen::VectorXd mobility;                        ///< W, of every input
  Eigen::VectorXd ascent;                          ///< ∂V/∂θ, θ as u

  // scratch
  SingularValues few;  // of A_0 and of the extended system
  SingularValues BA;
  Eigen::MatrixXd weighted, tall;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> columns;
  Chain moved;
  Rows moved_rows;
  Configuration q;
  Eigen::MatrixXd BBt;
};

/// Inputs for the rates `v` of w, of its size; `control.ascent` is read if alpha > 0.
/// B⁺A v + (I − B⁺B) alpha ∂V/∂θ  Atakan (2.51), (3.8), (3.17). False where something is not
/// finite.
COLUBER_EXPORT bool compute_inputs(const Model& model, const Chain& chain, const Rows& rows,
                                   const ControlOptions& options,
                                   const Eigen::Ref<const Eigen::VectorXd>& v, Control& control);

/// `control.D` of these rows; `control.mobility` is read.
COLUBER_EXPORT bool update_determinant(const Rows& rows, const ControlOptions& options,
                                       Control& control);

/// `control.ascent`, by central differences.
COLUBER_EXPORT void update_ascent(const Model& model, const Layout& layout, const Configuration& q,
                                  const NullSpace& options, Control& control);

/// V of a chain.
COLUBER_EXPORT double compute_objective(const Model& model, const Layout& layout,
                                        const Configuration& q, const NullSpace& options,
                                        Control& control);

}  // namespace coluber::grasp

#pragma once

#include <array>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/grasp/chain.hpp"

namespace coluber::grasp {

/// At most so many contacts are in a task at once.
inline constexpr int kHeld = 3;

/// What is in the state w: the head (x, y, θ_y0, θ_z0), the rises of links 1 … n-1, the offsets of
/// some links from the head (all x, then all y), and the angle between a link and the one before,
/// seen from above, if that is to oscillate.  Atakan (2.50), (3.6), (3.15)
struct Layout {
  std::array<int, kHeld> held{};  ///< links, their middles
  int holds = 0;                  ///< how many of them
  int oscillating = 0;            ///< joint; 0: none

  /// Entries of w.
  [[nodiscard]] int states(const Model& model) const {
    return 4 + model.joints() + 2 * holds + (oscillating > 0 ? 1 : 0);
  }
  /// Rows of A and B: those of the wheels, then one per entry of w behind the head.
  [[nodiscard]] int rows(const Model& model) const { return model.wheels() + states(model) - 4; }
};

/// A ẇ = B u. The first rows are A_0 ẇ_0 = B_0 u of the wheels; behind the four columns of the
/// head A is zero in these and the identity in the others.
///
/// Differs: the thesis prints a minus at the head's columns of rises and contacts (2.45), (3.13);
/// its own derivation (2.44) gives a plus.
struct Rows {
  /// Room for every layout.
  explicit Rows(const Model& model);

  int wheels = 0;
  int size = 0;          ///< rows in use
  Eigen::MatrixXd head;  ///< columns of A that belong to the head, rows × 4
  Eigen::MatrixXd Bt;    ///< Bᵀ, inputs × rows
  Eigen::VectorXd w;     ///< the state

  /// A_0, wheels × 4.
  [[nodiscard]] auto A0() const { return head.topRows(wheels); }
  /// B_0ᵀ.
  [[nodiscard]] auto B0t() const { return Bt.leftCols(wheels); }
};

/// Rows and state of a chain.  Atakan (2.40)-(2.49), (3.11)-(3.14)
COLUBER_EXPORT void update_rows(const Model& model, const Layout& layout, const Configuration& q,
                                const Chain& chain, Rows& rows);

/// det XᵀX of the columns x, y and θ_z0 of A_0, which says how far the wheels are from axles that
/// are all parallel or meet in a point.
///
/// Differs: det A'ᵀA' = det A_0ᵀA_0 (3.9) is zero on flat ground, where the column of θ_y0 is a
/// multiple of that of x.
COLUBER_EXPORT double compute_posture(const Rows& rows);

}  // namespace coluber::grasp

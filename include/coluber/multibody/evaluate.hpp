#pragma once

#include <array>

#include "coluber/core/export.hpp"
#include "coluber/multibody/data.hpp"

namespace coluber::multibody {

/// What an instant depends on beside time: where the reference body is, how it moves where that is
/// not found from the wheels, and the coordinates found by integration.
struct Configuration {
  Pose g{};                           ///< of the reference body
  Vector6d eta = Vector6d::Zero();    ///< its twist; read where it is dynamic
  Eigen::VectorXd follower, passive;  ///< coordinates, in the order of the model's lists
};

/// Which of the cases of Table 3.1 a model is, and how its equations are solved.
struct Classification {
  Case which = Case::unconstrained;
  int rank = 0;            ///< of the rows, without those of level ground
  int sliding_rank = 0;    ///< of these, without driven wheels
  bool kinematic = false;  ///< the rows determine the motion
  bool leads = false;      ///< later wheels would have it otherwise: rows `lead` alone determine it
  std::array<int, 3> lead{};
};

/// By numerical rank of the rows, at instants up to `duration` (s): a single one may be singular.
/// Throws Error where followers have nothing to follow: the reference body is not determined.
COLUBER_EXPORT Classification classify(const Model& model, const Program& program,
                                       const Configuration& start, double duration,
                                       const EvaluateOptions& options, Data& data);

/// The locomotion and the torque model at time t (s): motion of the reference body, followers and
/// loops, torques, wheel forces, balances, into `data`.  Ali 3.8.2
COLUBER_EXPORT Outcome evaluate(const Model& model, const Classification& as,
                                const Program& program, double t, const Configuration& at,
                                const EvaluateOptions& options, Data& data);

/// Rows of the wheels alone and their smallest singular value at time t, as `evaluate` finds it.
COLUBER_EXPORT double compute_singular_value(const Model& model, const Classification& as,
                                             const Program& program, double t, Data& data);

/// The twist nearest to `at.eta` that the wheels allow at time t; loops are closed in `at`.
COLUBER_EXPORT Vector6d nearest_twist(const Model& model, const Classification& as,
                                      const Program& program, double t, const Configuration& at,
                                      Data& data);

/// The twist for which no momentum of the system lies in the directions that the wheels leave free.
COLUBER_EXPORT Vector6d twist_without_momentum(const Model& model, const Classification& as,
                                               const Program& program, double t,
                                               const Configuration& at, Data& data);

/// A passive shape that closes the loops, from the one in `at.passive`, by Newton's iteration.
COLUBER_EXPORT Outcome close_loops(const Model& model, const Program& program, double t,
                                   Configuration& at, Data& data);

/// The connection η_o = -𝒜(r) ṙ at a shape, a column per coordinate. By momentum where nothing
/// holds the reference body (mechanical (3.32), with added masses hydrodynamic (2.19)), by the
/// wheels where they determine it (kinematic (3.45)); NaN where their rows are dependent, to
/// `rank_tolerance`.
COLUBER_EXPORT Eigen::MatrixXd compute_connection(const Model& model, const Classification& as,
                                                  const Program& program, double t,
                                                  const Configuration& at, Data& data,
                                                  double rank_tolerance = 1e-9);

}  // namespace coluber::multibody

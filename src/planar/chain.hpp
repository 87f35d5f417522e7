#pragma once

#include <optional>
#include <vector>

#include "coluber/planar/snake.hpp"

#include "chain_kernel.hpp"

namespace coluber::planar {

/// The arrays of the fast layout and where they come from.
struct Chain {
  /// `pairs`: of link and obstacle, to reserve room for.
  Chain(const Model& model, const Data& data, std::size_t pairs);
  Chain(const Chain&) = delete;  // `arrays` points into `storage`
  Chain& operator=(const Chain&) = delete;

  ChainArrays arrays;
  ChainKernels kernels;         ///< for this processor
  std::vector<int> slot;        ///< of each link
  std::vector<double> storage;  ///< behind `arrays`
  std::vector<ChainContact> contacts;
  std::vector<double> c_t_anchored, c_t_rigid;
  nonsmooth::Law law = nonsmooth::Law::anchored;  ///< whose compliance the arrays hold
};

/// The step in the fast layout: friction of the ground at any number of points a link, obstacles
/// without friction, servos with limits, both laws; Newton alone. find_contacts() goes before it.
/// Nothing, and the state as it was, if the problem is of another kind or Newton does not settle:
/// then the plain layout has to do it.
std::optional<StepInfo> step_chain(const Model& model, State& state, Data& data,
                                   const JointCommand& command, const StepOptions& options);

}  // namespace coluber::planar

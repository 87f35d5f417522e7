#pragma once

#include <optional>
#include <vector>

#include "coluber/planar/snake.hpp"

#include "fast_kernel.hpp"

namespace coluber::planar {

/// The arrays of the fast step and where they come from.
struct FastStep {
  /// `pairs`: of link and obstacle, to reserve room for.
  FastStep(const Model& model, const Data& data, std::size_t pairs);
  FastStep(const FastStep&) = delete;  // `arrays` points into `storage`
  FastStep& operator=(const FastStep&) = delete;

  FastArrays arrays;
  FastKernels kernels;             ///< for this processor
  std::vector<int> slot;           ///< of each link
  std::vector<int> slot_of_joint;  ///< of the link beyond it, seen from the base
  std::vector<double> storage;     ///< behind `arrays`
  std::vector<FastContact> contacts;
  std::vector<double> c_t_anchored, c_t_rigid;
  nonsmooth::Law law = nonsmooth::Law::anchored;  ///< whose compliance the arrays hold
};

/// The fast step: friction of the ground at any number of points a link, obstacles
/// without friction, servos with limits, both laws; Newton alone. find_contacts() goes before it.
/// Nothing, and the state as it was, if the problem is of another kind or Newton does not settle:
/// then the plain step has to do it.
std::optional<nonsmooth::ContactStepInfo> step_fast(const Model& model, State& state, Data& data,
                                                    const JointCommand& command,
                                                    const StepOptions& options);

/// The answer of the fast step just taken as one of `data.problem`, which has been filled from the
/// state before it: `data.solution`. Before the memories of obstacles are handed to the state.
void read_answer(const Model& model, const State& state, Data& data);

}  // namespace coluber::planar

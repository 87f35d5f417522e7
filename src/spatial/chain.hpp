#pragma once

#include <optional>
#include <vector>

#include "coluber/spatial/snake.hpp"

#include "chain_kernel.hpp"

namespace coluber::spatial {

/// The kernels that this processor runs fastest.
ChainKernels kernels_for_this_processor(int links);

/// The arrays of the fast layout and where they come from.
struct Chain {
  explicit Chain(const Model& model, const Data& data);
  Chain(const Chain&) = delete;  // `arrays` points into `storage`
  Chain& operator=(const Chain&) = delete;
  /// With these kernels from now on.
  void use(const ChainKernels& others);

  ChainArrays arrays;
  ChainKernels kernels;            ///< for this processor
  std::vector<int> slot;           ///< of each link
  std::vector<ChainGroup> groups;  ///< behind `arrays`
  std::vector<double> storage;     ///< and the rest
  std::vector<ChainContact> contacts;
  std::vector<int> first_contact, memory_at;  ///< behind `arrays`
  std::vector<int> memory;  ///< of each ground point: index into State::near, -1: new, -2: far
  nonsmooth::Law law = nonsmooth::Law::anchored;  ///< whose compliance the arrays hold
};

/// The step in the fast layout: a least-squares share of the load, contacts that land, cylinders
/// with or without friction, servos with limits, both laws; Newton alone. Nothing, and the state as
/// it was, if the problem is of another kind or Newton does not settle: then the plain layout has
/// to do it.
std::optional<StepInfo> step_chain(const Model& model, State& state, Data& data,
                                   const JointCommand& command, const StepOptions& options);

}  // namespace coluber::spatial

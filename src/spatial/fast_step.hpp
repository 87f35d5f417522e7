#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "coluber/spatial/snake.hpp"

#include "fast_kernel.hpp"

namespace coluber::spatial {

/// The kernels that this processor runs fastest.
FastKernels kernels_for_this_processor(int links);

/// The arrays of the fast step and where they come from.
struct FastStep {
  explicit FastStep(const Model& model, const Data& data);
  FastStep(const FastStep&) = delete;  // `arrays` points into `storage`
  FastStep& operator=(const FastStep&) = delete;
  /// With these kernels from now on.
  void use(const FastKernels& others);

  FastArrays arrays;
  FastKernels kernels;                                         ///< for this processor
  std::vector<int> slot;                                       ///< of each link
  std::vector<std::pair<const double*, const double*>> place;  ///< of each link's x and y
  std::vector<FastGroup> groups;                               ///< behind `arrays`
  std::vector<double> storage;                                 ///< and the rest
  std::vector<FastContact> contacts;
  std::vector<int> first_contact, memory_at;  ///< behind `arrays`
  std::vector<int> memory;  ///< of each ground point: index into State::near, -1: new, -2: far
  nonsmooth::Law law = nonsmooth::Law::anchored;  ///< whose compliance the arrays hold

  /// Of the links' centres over the ground, from the root's (m).
  [[nodiscard]] Vector2d sum_of_places() const {
    double x = 0.0;
    double y = 0.0;
    for (const auto& [of_x, of_y] : place) {
      x += *of_x;
      y += *of_y;
    }
    return {x, y};
  }
};

/// The fast step: a least-squares share of the load, contacts that land, cylinders
/// with or without friction, servos with limits, both laws; Newton alone. Nothing, and the state as
/// it was, if the problem is of another kind or Newton does not settle: then the plain step has
/// to do it.
std::optional<nonsmooth::ContactStepInfo> step_fast(const Model& model, State& state, Data& data,
                                                    const JointCommand& command,
                                                    const StepOptions& options);

/// The answer of the fast step just taken as one of `data.problem`, which has been filled from the
/// state before it: `data.solution`.
void read_answer(const State& state, Data& data);

}  // namespace coluber::spatial

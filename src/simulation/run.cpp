#include "coluber/simulation/stepper.hpp"

namespace coluber::simulation {

RunOutcome run(Simulation& simulation, std::span<FrameSink* const> sinks,
               const RunOptions& options) {
  return Stepper(simulation).run(sinks, options);
}

}  // namespace coluber::simulation

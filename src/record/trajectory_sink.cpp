#include "coluber/record/trajectory_sink.hpp"

namespace coluber::record {

void TrajectorySink::frame(const System& system, std::span<const double> values) {
  if (trajectory_.time.empty()) trajectory_.observables = system.observables();
  trajectory_.time.push_back(system.time());
  trajectory_.values.insert(trajectory_.values.end(), values.begin(), values.end());
}

}  // namespace coluber::record

#include "coluber/record/trajectory_sink.hpp"

namespace coluber::record {

void TrajectorySink::frame(double t, const Shown& shown, std::span<const double> values) {
  if (trajectory_.time.empty()) trajectory_.observables = shown.observables();
  trajectory_.time.push_back(t);
  trajectory_.values.insert(trajectory_.values.end(), values.begin(), values.end());
}

}  // namespace coluber::record

#pragma once

#include <memory>
#include <span>

#include "coluber/core/export.hpp"
#include "coluber/record/drawing.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::record {

/// Keeps the drawing of a run in memory.
class COLUBER_EXPORT DrawingSink final : public simulation::FrameSink {
 public:
  DrawingSink();
  DrawingSink(const DrawingSink&) = delete;
  DrawingSink& operator=(const DrawingSink&) = delete;
  ~DrawingSink() override;

  void frame(double t, const Shown& shown, std::span<const double> values) override;
  /// The frames so far; they are given away.
  [[nodiscard]] Drawing take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber::record

#pragma once

#include <memory>
#include <span>
#include <string>

#include "coluber/core/export.hpp"
#include "coluber/record/replay_pack.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::record {

/// Keeps in memory what replay.json and replay.bin of a run folder would hold.
class COLUBER_EXPORT ReplaySink final : public simulation::FrameSink {
 public:
  /// Title of the run, and its frames per second.
  ReplaySink(std::string title, double rate_hz);
  ReplaySink(const ReplaySink&) = delete;
  ReplaySink& operator=(const ReplaySink&) = delete;
  ~ReplaySink() override;

  void frame(double t, const Shown& shown, std::span<const double> values) override;
  /// The frames so far. Without any, both texts are empty.
  [[nodiscard]] Replay replay() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber::record

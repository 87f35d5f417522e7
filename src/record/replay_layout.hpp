#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"

namespace coluber::record {

/// The replay format, version 1: `replay.bin` holds little-endian float32 frames, `replay.json`
/// says what they mean. Fields: time, a pose and contact slots for every moving body, and scalars.
class COLUBER_EXPORT ReplayLayout {
 public:
  ReplayLayout(const System& system, std::string title, double rate_hz);
  /// Floats of one frame.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The frame at the system's time; `out` has size() entries.
  void fill(const System& system, std::span<const double> values, std::span<float> out);
  /// The contents of `replay.json`, `frames` still 0.
  [[nodiscard]] nlohmann::ordered_json header() const;

 private:
  struct Field {
    std::string name;
    std::string label;
    const char* kind;
    std::string body;  // empty: none
    std::string unit;
    std::size_t offset;
    std::size_t count;
  };
  void add_field(std::string name, std::string label, const char* kind, std::string body,
                 std::string unit, std::size_t count);

  std::string title_;
  double rate_hz_;
  std::vector<Body> bodies_;
  std::vector<Field> fields_;
  std::vector<std::size_t> scalars_;  // where each scalar field sits among the observables
  std::size_t size_ = 0;
  std::vector<double> poses_;
  std::vector<ContactSlot> contacts_;
};

}  // namespace coluber::record

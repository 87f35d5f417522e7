#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

namespace coluber::record {

/// What of a replay is drawn: all its fields but the scalars, which are observables anyway.
class DrawnPart {
 public:
  DrawnPart() = default;
  /// `replay` is the header of a replay, as ReplayLayout makes it.
  explicit DrawnPart(const nlohmann::ordered_json& replay);

  /// The header of the part alone: fields at their new places, no number of frames.
  [[nodiscard]] const nlohmann::ordered_json& header() const { return header_; }
  /// Floats per frame.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Appends the part of a replay's frame.
  void take(std::span<const float> frame, std::vector<float>& to) const;

 private:
  struct Piece {
    std::size_t offset;
    std::size_t count;
  };
  nlohmann::ordered_json header_;
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace coluber::record

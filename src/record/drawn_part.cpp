#include "record/drawn_part.hpp"

#include "coluber/core/assert.hpp"

namespace coluber::record {

namespace {
using Json = nlohmann::ordered_json;
}

DrawnPart::DrawnPart(const Json& replay) : header_(replay) {
  header_.erase("frames");
  header_["fields"] = Json::array();
  for (Json field : replay.at("fields")) {
    if (field.at("kind") == "scalar") continue;
    const auto offset = field.at("offset").get<std::size_t>();
    const auto count = field.at("count").get<std::size_t>();
    field["offset"] = size_;
    header_["fields"].push_back(std::move(field));
    size_ += count;
    if (!pieces_.empty() && pieces_.back().offset + pieces_.back().count == offset) {
      pieces_.back().count += count;  // neighbours are copied at once
    } else {
      pieces_.push_back({offset, count});
    }
  }
  header_["floats_per_frame"] = size_;
}

void DrawnPart::take(std::span<const float> frame, std::vector<float>& to) const {
  for (const Piece& piece : pieces_) {
    COLUBER_ASSERT(piece.offset + piece.count <= frame.size(), piece.offset, piece.count,
                   frame.size());
    const auto part = frame.subspan(piece.offset, piece.count);
    to.insert(to.end(), part.begin(), part.end());
  }
}

}  // namespace coluber::record

#include "coluber/record/replay_sink.hpp"

#include <bit>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "record/replay_layout.hpp"

namespace coluber::record {

struct ReplaySink::Impl {
  std::string title;
  double rate_hz;
  std::optional<ReplayLayout> layout{};  // made by the first frame
  std::vector<float> values{};
};

ReplaySink::ReplaySink(std::string title, double rate_hz)
    : impl_(std::make_unique<Impl>(Impl{std::move(title), rate_hz})) {}
ReplaySink::~ReplaySink() = default;

void ReplaySink::frame(double t, const Shown& shown, std::span<const double> values) {
  if (!impl_->layout) impl_->layout.emplace(shown, impl_->title, impl_->rate_hz);
  const std::size_t size = impl_->layout->size();
  const std::size_t at = impl_->values.size();
  impl_->values.resize(at + size);
  impl_->layout->fill(t, shown, values, std::span(impl_->values).subspan(at, size));
}

Replay ReplaySink::replay() const {
  static_assert(std::endian::native == std::endian::little, "swap bytes here for other machines");
  if (!impl_->layout) return {};
  nlohmann::ordered_json header = impl_->layout->header();
  header["frames"] = impl_->values.size() / impl_->layout->size();
  return {header.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
          std::string(reinterpret_cast<const char*>(impl_->values.data()),
                      impl_->values.size() * sizeof(float))};
}

}  // namespace coluber::record

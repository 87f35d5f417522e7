#include <algorithm>
#include <cstddef>
#include <utility>

#include "coluber/core/state_hash.hpp"
#include "coluber/planar/system.hpp"

#include "chain/save_restore.hpp"
#include "nonsmooth/exchange.hpp"

// What a checkpoint holds of the planar snake. Each function below goes both ways. The structured
// bindings name every field: a new one does not compile until it is written here as well, and then
// `version` goes up by one.

namespace coluber::planar {

template <typename Bytes, typename Value>
void exchange_state(Bytes& bytes, Value& state) {
  auto& [k, base, phi, twist, phidot, twist_2, twist_3, phidot_2, phidot_3, u, wheel, omega,
         omega_2, omega_3, ground, near] = state;
  bytes(k, base, phi, twist, phidot, twist_2, twist_3, phidot_2, phidot_3, u);
  bytes(wheel, omega, omega_2, omega_3);
  bytes.list(ground, [&](auto& point) { nonsmooth::exchange_point(bytes, point); });
  bytes.list(near, [&](auto& entry) {
    auto& [node, obstacle, point, last_active] = entry;
    bytes(node, obstacle, last_active);
    nonsmooth::exchange_point(bytes, point);
  });
}

namespace {

constexpr std::uint32_t version = 10;

/// What only a damaged file or one of another scene can hold, and what a step would trip over.
void require_fit(const ByteReader& bytes, const Model& model, const State& state,
                 std::size_t ground) {
  const auto in_range = [](int i, std::size_t size) {
    return i >= 0 && static_cast<std::size_t>(i) < size;
  };
  if (state.k < 0) bytes.refuse("a negative number of steps");
  if (state.ground.size() != ground) bytes.refuse("another number of ground contacts");
  if (!std::ranges::all_of(state.ground, nonsmooth::makes_sense))
    bytes.refuse("a ground contact makes no sense");
  const auto key = [](const ObstacleMemory& entry) {
    return std::pair(entry.node, entry.obstacle);
  };
  for (std::size_t i = 0; i < state.near.size(); ++i) {
    const ObstacleMemory& entry = state.near[i];
    if (!in_range(entry.node - static_cast<int>(model.axles.size()), model.links.size()) ||
        !in_range(entry.obstacle, model.obstacles.size()) || !nonsmooth::makes_sense(entry.point) ||
        (i > 0 && key(state.near[i - 1]) >= key(entry))) {
      bytes.refuse("an obstacle contact makes no sense");
    }
  }
}

}  // namespace

template <typename Bytes, typename Self>
void PlanarSystem::exchange_sums(Bytes& bytes, Self& self) {
  exchange_account(bytes, self);
  bytes(self.max_penetration_);
}

bool PlanarSystem::save_state(ByteWriter& bytes) const {
  bytes.section("planar", version);
  chain::save(bytes, state_, hardest_, [this](auto& to) { exchange_sums(to, *this); });
  return true;
}

void PlanarSystem::restore_state(ByteReader& bytes) {
  bytes.section("planar", version);
  chain::restore(
      bytes, state_, hardest_, account_.run, [this](auto& to) { exchange_sums(to, *this); },
      [&](const State& found) { require_fit(bytes, model_, found, state_.ground.size()); });
  data_.candidates.valid = false;
}

std::uint64_t PlanarSystem::state_hash() const {
  StateHasher hash(StateHasher::Sizes::left_out);
  exchange_state(hash, state_);
  return hash.finish();
}

}  // namespace coluber::planar

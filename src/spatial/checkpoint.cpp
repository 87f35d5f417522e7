#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "coluber/core/state_hash.hpp"
#include "coluber/spatial/system.hpp"

#include "chain/save_restore.hpp"
#include "nonsmooth/exchange.hpp"

// What a checkpoint holds of the snake in space. Each function below goes both ways. The structured
// bindings name every field: a new one does not compile until it is written here as well, and then
// `version` goes up by one.

namespace coluber::spatial {

template <typename Bytes, typename Value>
void exchange_state(Bytes& bytes, Value& state) {
  auto& [k, r, p, phi, twist, phidot, twist_2, twist_3, phidot_2, phidot_3, v, omega, l, near] =
      state;
  bytes(k, r, p, phi, twist, phidot, twist_2, twist_3, phidot_2, phidot_3, v, omega, l);
  for (auto& surface : near) {
    bytes.list(surface, [&](auto& entry) {
      auto& [link, key, last_active, sliding, rolling] = entry;
      bytes(link, key, last_active);
      nonsmooth::exchange_point(bytes, sliding);
      nonsmooth::exchange_point(bytes, rolling);
    });
  }
}

namespace {

constexpr std::uint32_t version = 8;

/// What only a damaged file or one of another scene can hold, and what a step would trip over.
void require_fit(const ByteReader& bytes, const Model& model, const State& state) {
  const auto order = [](const ContactMemory& entry) { return std::pair(entry.link, entry.key); };
  if (state.k < 0) bytes.refuse("a negative number of steps");
  if (!(std::abs(state.p.squaredNorm() - 1.0) < 1e-9)) bytes.refuse("a rotation of no unit length");
  const std::array<std::size_t, kSurfaces> keys{2, 2 * model.obstacles.size()};
  for (std::size_t which = 0; which < kSurfaces; ++which) {
    const auto& surface = state.near[which];
    for (std::size_t i = 0; i < surface.size(); ++i) {
      const ContactMemory& entry = surface[i];
      if (static_cast<std::size_t>(entry.key) >= keys[which] || entry.link < 0 ||
          entry.link >= model.n() || entry.key < 0 || !nonsmooth::makes_sense(entry.sliding) ||
          !nonsmooth::makes_sense(entry.rolling) ||
          (i > 0 && order(surface[i - 1]) >= order(entry))) {
        bytes.refuse("a contact makes no sense");
      }
    }
  }
}

}  // namespace

template <typename Bytes, typename Self>
void SpatialSystem::exchange_sums(Bytes& bytes, Self& self) {
  exchange_account(bytes, self);
  bytes(self.ground_penetration_, self.obstacle_penetration_, self.heading_);
}

bool SpatialSystem::save_state(ByteWriter& bytes) const {
  bytes.section("spatial", version);
  chain::save(bytes, state_, hardest_, [this](auto& to) { exchange_sums(to, *this); });
  return true;
}

void SpatialSystem::restore_state(ByteReader& bytes) {
  bytes.section("spatial", version);
  chain::restore(
      bytes, state_, hardest_, account_.run, [this](auto& to) { exchange_sums(to, *this); },
      [&](const State& found) { require_fit(bytes, model_, found); });
}

std::uint64_t SpatialSystem::state_hash() const {
  StateHasher hash(StateHasher::Sizes::counted);
  exchange_state(hash, state_);
  return hash.finish();
}

}  // namespace coluber::spatial

#include <algorithm>
#include <cstddef>
#include <utility>

#include "coluber/core/error.hpp"
#include "coluber/planar/system.hpp"

#include "nonsmooth/exchange.hpp"

// What a checkpoint holds of the planar snake. Each function below goes both ways. The structured
// bindings name every field: a new one does not compile until it is written here as well, and then
// `version` goes up by one.

namespace coluber::planar {
namespace {

constexpr std::int64_t most_iterations = std::int64_t{1}
                                         << 62U;  // since a frame; leaves room to add
constexpr std::uint32_t version = 4;

template <typename Bytes, typename Value>
void exchange_state(Bytes& bytes, Value& state) {
  auto& [k, base, phi, twist, phidot, twist_2, twist_3, phidot_2, phidot_3, u, ground, near] =
      state;
  bytes(k, base, phi, twist, phidot, twist_2, twist_3, phidot_2, phidot_3, u);
  bytes.list(ground, [&](auto& point) { nonsmooth::exchange_point(bytes, point); });
  bytes.list(near, [&](auto& entry) {
    auto& [node, obstacle, point, last_active] = entry;
    bytes(node, obstacle, last_active);
    nonsmooth::exchange_point(bytes, point);
  });
}

template <typename Bytes, typename Value>
void exchange_work(Bytes& bytes, Value& work) {
  auto& [servo, friction, contact, gravity, scheme] = work;
  bytes(servo, friction, contact, gravity, scheme);
}

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
    if (!in_range(entry.node, model.links.size()) ||
        !in_range(entry.obstacle, model.obstacles.size()) || !nonsmooth::makes_sense(entry.point) ||
        (i > 0 && key(state.near[i - 1]) >= key(entry))) {
      bytes.refuse("an obstacle contact makes no sense");
    }
  }
}

}  // namespace

template <typename Bytes, typename Self>
void PlanarSystem::exchange_sums(Bytes& bytes, Self& self) {
  bytes(self.data_.tau, self.phi_d_, self.data_.kinetic_energy);  // observed until the next step
  bytes(self.ground_sum_, self.obstacle_sum_, self.frame_start_, self.frame_residual_,
        self.frame_rigid_residual_, self.frame_penetration_, self.frame_iterations_);
  exchange_work(bytes, self.work_);
  TorquePeak::exchange(bytes, self.torque_peak_);
  bytes(self.max_penetration_, self.start_);
}

bool PlanarSystem::save_state(ByteWriter& bytes) const {
  bytes.section("planar", version);
  exchange_state(bytes, state_);
  exchange_sums(bytes, *this);
  hardest_.save(bytes);
  return true;
}

void PlanarSystem::restore_state(ByteReader& bytes) {
  bytes.section("planar", version);
  State state = state_;
  exchange_state(bytes, state);
  require_fit(bytes, model_, state, state_.ground.size());
  ByteWriter before;
  exchange_sums(before, *this);
  auto hardest = hardest_;
  try {
    exchange_sums(bytes, *this);
    if (frame_start_ < 0 || frame_start_ > state.k) bytes.refuse("a frame before the first step");
    if (frame_iterations_ < 0 || frame_iterations_ > most_iterations) {
      bytes.refuse("an impossible number of iterations");
    }
    hardest.load(bytes);
  } catch (const Error&) {
    ByteReader back(before.bytes(), "");
    exchange_sums(back, *this);
    throw;
  }
  state_ = std::move(state);
  hardest_ = std::move(hardest);
  data_.candidates.valid = false;
}

}  // namespace coluber::planar

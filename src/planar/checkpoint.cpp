#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "coluber/core/error.hpp"
#include "coluber/planar/system.hpp"

// What a checkpoint holds of the planar snake. Each function below goes both ways. The structured
// bindings name every field: a new one does not compile until it is written here as well, and then
// `version` goes up by one.

namespace coluber::planar {
namespace {

constexpr std::int64_t most_iterations = std::int64_t{1}
                                         << 62U;  // since a frame; leaves room to add
constexpr std::uint32_t version = 2;

template <typename Bytes, typename Value>
void exchange_impulse(Bytes& bytes, Value& impulse) {
  auto& [N, T] = impulse;
  bytes(N, T);
}

template <typename Bytes, typename Value>
void exchange_point(Bytes& bytes, Value& point) {
  auto& [x_1, x_2, x_3, closed] = point;
  exchange_impulse(bytes, x_1);
  exchange_impulse(bytes, x_2);
  exchange_impulse(bytes, x_3);
  bytes(closed);
}

template <typename Bytes, typename Value>
void exchange_state(Bytes& bytes, Value& state) {
  auto& [k, base, phi, twist, phidot, twist_2, twist_3, phidot_2, phidot_3, u, ground, near] =
      state;
  bytes(k, base, phi, twist, phidot, twist_2, twist_3, phidot_2, phidot_3, u);
  bytes.list(ground, [&](auto& point) { exchange_point(bytes, point); });
  bytes.list(near, [&](auto& entry) {
    auto& [node, obstacle, point, last_active] = entry;
    bytes(node, obstacle, last_active);
    exchange_point(bytes, point);
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
  const auto good = [](const PointMemory& point) { return point.closed >= 0 && point.closed <= 3; };
  if (state.k < 0) bytes.refuse("a negative number of steps");
  if (state.ground.size() != ground) bytes.refuse("another number of ground contacts");
  if (!std::ranges::all_of(state.ground, good)) bytes.refuse("a ground contact makes no sense");
  const auto key = [](const ObstacleMemory& entry) {
    return std::pair(entry.node, entry.obstacle);
  };
  for (std::size_t i = 0; i < state.near.size(); ++i) {
    const ObstacleMemory& entry = state.near[i];
    if (!in_range(entry.node, model.links.size()) ||
        !in_range(entry.obstacle, model.obstacles.size()) || !good(entry.point) ||
        (i > 0 && key(state.near[i - 1]) >= key(entry))) {
      bytes.refuse("an obstacle contact makes no sense");
    }
  }
}

/// A problem as a value: every field of nodes and contacts, and where its step began.
template <typename Bytes, typename Value>
void exchange_problem(Bytes& bytes, Value& saved) {
  auto& [problem, previous] = saved;
  auto& [nodes, contacts, impulse_scale, length_scale] = problem;
  bytes.list(nodes, [&](auto& node) {
    auto& [M, p, s, sd, sr, limit, parent, first_contact, contact_count] = node;
    bytes(M, p, s, sd, sr, limit, parent, first_contact, contact_count);
  });
  bytes.list(contacts, [&](auto& contact) {
    auto& [w_N, w_1, w_2, A, mu, b, c, c_t, mu_max, load, unilateral] = contact;
    bytes(w_N, w_1, w_2, A, mu, b, c, c_t, mu_max, load, unilateral);
  });
  bytes(impulse_scale, length_scale, previous.root);
  bytes.list(previous.rate, [&](auto& rate) { bytes(rate); });
  bytes.list(previous.impulse, [&](auto& impulse) { exchange_impulse(bytes, impulse); });
}

/// A problem that save_problem() can write and a solver read.
void require_problem(const ByteReader& bytes, const nonsmooth::SavedProblem<3>& saved) {
  const auto& [problem, previous] = saved;
  std::size_t contacts = 0;
  for (const auto& node : problem.nodes) {
    if (node.contact_count < 0) bytes.refuse("the hardest problem makes no sense");
    contacts += static_cast<std::size_t>(node.contact_count);
  }
  if (contacts != problem.contacts.size() || previous.rate.size() != problem.nodes.size() ||
      previous.impulse.size() != contacts) {
    bytes.refuse("the hardest problem makes no sense");
  }
}

}  // namespace

template <typename Bytes, typename Value>
void PlanarSystem::exchange_hardest(Bytes& bytes, Value& hardest) {
  auto& [saved, info, t] = hardest;
  int status = static_cast<int>(info.status);
  bytes(t, status, info.iterations, info.residual);
  if constexpr (!std::is_const_v<Value>) {
    if (status < 0 || status > static_cast<int>(Status::non_finite)) {
      bytes.refuse("a step came out in no known way");
    }
    info.status = static_cast<Status>(status);
  }
  if (t > 0.0) exchange_problem(bytes, saved);
}

template <typename Bytes, typename Self>
void PlanarSystem::exchange_sums(Bytes& bytes, Self& self) {
  bytes(self.data_.tau, self.data_.kinetic_energy);  // observed until the next step
  bytes(self.ground_sum_, self.obstacle_sum_, self.frame_start_, self.frame_residual_,
        self.frame_rigid_residual_, self.frame_penetration_, self.frame_iterations_);
  exchange_work(bytes, self.work_);
  bytes(self.max_torque_, self.max_penetration_, self.start_);
}

bool PlanarSystem::save_state(ByteWriter& bytes) const {
  bytes.section("planar", version);
  exchange_state(bytes, state_);
  exchange_sums(bytes, *this);
  bytes(keep_hardest_);
  if (keep_hardest_) exchange_hardest(bytes, hardest_);
  return true;
}

void PlanarSystem::restore_state(ByteReader& bytes) {
  bytes.section("planar", version);
  State state = state_;
  exchange_state(bytes, state);
  require_fit(bytes, model_, state, state_.ground.size());
  ByteWriter before;
  exchange_sums(before, *this);
  Hardest hardest;
  try {
    exchange_sums(bytes, *this);
    if (frame_start_ < 0 || frame_start_ > state.k) bytes.refuse("a frame before the first step");
    if (frame_iterations_ < 0 || frame_iterations_ > most_iterations) {
      bytes.refuse("an impossible number of iterations");
    }
    bool kept = false;
    bytes(kept);
    if (kept) {
      exchange_hardest(bytes, hardest);
      if (hardest.t > 0.0) require_problem(bytes, hardest.saved);
    }
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

#pragma once

// Contact problems and memories to and from a checkpoint; each function goes both ways. The
// structured bindings name every field: a new one does not compile until it is written here as
// well, and then the version of every section that holds it goes up by one.

#include "coluber/core/bytes.hpp"
#include "coluber/nonsmooth/point_memory.hpp"
#include "coluber/nonsmooth/problem_file.hpp"

namespace coluber::nonsmooth {

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

/// What exchange_point() can have given.
inline bool makes_sense(const PointMemory& point) { return point.closed >= 0 && point.closed <= 3; }

/// A problem as a value: every field of nodes and contacts, and where its step began.
template <typename Bytes, typename Value>
void exchange_problem(Bytes& bytes, Value& saved) {
  auto& [problem, previous] = saved;
  auto& [nodes, contacts, impulse_scale, length_scale] = problem;
  bytes.list(nodes, [&](auto& node) {
    auto& [M, p, s, J, p_J, sd, sr, limit, held, parent, first_contact, contact_count] = node;
    bytes(M, p, s, J, p_J, sd, sr, limit, held, parent, first_contact, contact_count);
  });
  bytes.list(contacts, [&](auto& contact) {
    auto& [w_N, w_1, w_2, A, mu, b, c, c_t, mu_max, load, unilateral, shares_normal, kind] =
        contact;
    auto number = static_cast<int>(kind);
    bytes(w_N, w_1, w_2, A, mu, b, c, c_t, mu_max, load, unilateral, shares_normal, number);
    if constexpr (requires { bytes.finish(); }) {
      if (number < 0 || number > static_cast<int>(ContactKind::obstacle)) {
        bytes.refuse("a contact of no known kind");
      }
      kind = static_cast<ContactKind>(number);
    }
  });
  bytes(impulse_scale, length_scale, previous.root);
  bytes.list(previous.rate, [&](auto& rate) { bytes(rate); });
  bytes.list(previous.impulse, [&](auto& impulse) { exchange_impulse(bytes, impulse); });
}

}  // namespace coluber::nonsmooth

#pragma once

// The checkpoint of a chain: its state, then what is summed up, then the hardest problem so far.
// `exchange_state(bytes, state)` and `exchange_sums(bytes)` go both ways.

#include <utility>

#include "coluber/chain/account.hpp"
#include "coluber/core/bytes.hpp"

namespace coluber::chain {

template <typename State, typename Hardest, typename ExchangeSums>
void save(ByteWriter& bytes, const State& state, const Hardest& hardest,
          const ExchangeSums& exchange_sums) {
  exchange_state(bytes, state);
  exchange_sums(bytes);
  hardest.save(bytes);
}

/// `require_fit(state)` refuses what only a damaged file or one of another scene can hold. Where
/// anything is refused, all is as it was.
template <typename State, typename Hardest, typename ExchangeSums, typename RequireFit>
void restore(ByteReader& bytes, State& state, Hardest& hardest, const RunAccount& run,
             const ExchangeSums& exchange_sums, const RequireFit& require_fit) {
  State found = state;
  exchange_state(bytes, found);
  require_fit(found);
  auto kept = hardest;
  restore_or_keep(bytes, exchange_sums, [&] {
    run.require_fit(bytes, found.k);
    kept.load(bytes);
  });
  state = std::move(found);
  hardest = std::move(kept);
}

}  // namespace coluber::chain

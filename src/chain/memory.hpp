#pragma once

// What the contacts of a chain remember from step to step, in lists ordered by a key that
// `key_of(memory)` gives.

#include <cstddef>
#include <vector>

namespace coluber::chain {

/// Looks memories up, in the order of their keys.
template <typename Memory>
class Recall {
 public:
  explicit Recall(const std::vector<Memory>& memories) : memories_(memories) {}

  /// The memory with this key, larger than the one asked for before; nullptr: there is none.
  template <typename Key>
  const Memory* find(const Key& key) {
    while (next_ < memories_.size() && key_of(memories_[next_]) < key) ++next_;
    const bool found = next_ < memories_.size() && key_of(memories_[next_]) == key;
    return found ? &memories_[next_] : nullptr;
  }

 private:
  const std::vector<Memory>& memories_;
  std::size_t next_ = 0;
};

/// The memories of a step become the state's; the other list has as much room for the next step.
template <typename Memory>
void hand_over(std::vector<Memory>& renewed, std::vector<Memory>& memories) {
  memories.swap(renewed);
  renewed.reserve(memories.capacity());
}

}  // namespace coluber::chain

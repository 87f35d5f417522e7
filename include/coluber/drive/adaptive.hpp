#pragma once

#include "coluber/core/export.hpp"

namespace coluber {

/// A model that is integrated under a shape given over time.
class COLUBER_EXPORT Adaptive {
 public:
  Adaptive() = default;
  Adaptive(const Adaptive&) = delete;
  Adaptive& operator=(const Adaptive&) = delete;
  virtual ~Adaptive() = default;
  /// True: where the shape changes fast it takes shorter steps inside its own, so that none of the
  /// change is passed over.
  [[nodiscard]] virtual bool adapts() const = 0;
};

}  // namespace coluber

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/keys/node.hpp"

namespace coluber::keys {

/// Gathers faults, to be thrown at once in the order of the files.
class Faults {
 public:
  void add(const Place& where, std::string key, std::string message, std::string hint);
  [[nodiscard]] bool empty() const { return faults_.empty(); }
  [[nodiscard]] std::size_t size() const { return faults_.size(); }
  /// Throws InputError if there are any.
  void raise(const std::vector<Source>& sources);

 private:
  struct Fault {
    Place where;
    std::size_t found;  ///< how many were found before it
    Diagnostic diagnostic;
  };
  std::vector<Fault> faults_;
};

}  // namespace coluber::keys

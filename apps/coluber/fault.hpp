#pragma once

#include <string>
#include <utility>

#include "coluber/core/error.hpp"

namespace coluber::app {

/// A fault of the user's input in a file; line and column are 0 where there are none.
inline Diagnostic make_fault(std::string file, int line, int column, std::string message,
                             std::string hint = {}, std::string key = {}) {
  Diagnostic fault;
  fault.where.file = std::move(file);
  fault.where.line = line;
  fault.where.column = column;
  fault.key = std::move(key);
  fault.message = std::move(message);
  fault.hint = std::move(hint);
  return fault;
}

}  // namespace coluber::app

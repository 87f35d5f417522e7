#pragma once

#include <cstddef>
#include <functional>

#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"

namespace coluber::record {

/// Asked many times a second by what may take long: true once it should end without its result.
/// Empty: it never should.
using GiveUp = std::function<bool()>;

/// Frames of at most so many bytes are made into pages, and by the program into results, even after
/// Ctrl-C: whether a run has them depends on its size, never on the speed of the machine.
inline constexpr std::size_t never_given_up = std::size_t{32} << 20U;

/// What was told to end without its result, and did.
class COLUBER_EXPORT GivenUp : public Error {
 public:
  using Error::Error;
};

/// Throws GivenUp if so.
COLUBER_EXPORT void check_given_up(const GiveUp& give_up);

}  // namespace coluber::record

#pragma once

#include <functional>

#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"

namespace coluber::record {

/// Asked many times a second by what may take long: true once it should end without its result.
/// Empty: it never should.
using GiveUp = std::function<bool()>;

/// What was told to end without its result, and did.
class COLUBER_EXPORT GivenUp : public Error {
 public:
  using Error::Error;
};

/// Throws GivenUp if so.
COLUBER_EXPORT void check_given_up(const GiveUp& give_up);

}  // namespace coluber::record

#include "coluber/core/status.hpp"

namespace coluber {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::not_converged:
      return "not converged";
    case Status::non_finite:
      return "not finite";
    case Status::not_taken:
      return "not taken";
  }
  return "unknown";
}

}  // namespace coluber

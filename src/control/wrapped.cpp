#include "coluber/control/wrapped.hpp"

#include <utility>

#include "coluber/core/error.hpp"

namespace coluber::control {

Wrapped::Wrapped(std::unique_ptr<Controller> controller) : controller_(std::move(controller)) {
  if (controller_ == nullptr) throw Error("a controller around another needs that other");
}

}  // namespace coluber::control

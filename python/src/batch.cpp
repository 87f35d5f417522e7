#include "bind.hpp"

namespace coluber::python {

void bind_batch(nb::module_& /*m*/) {}

}  // namespace coluber::python

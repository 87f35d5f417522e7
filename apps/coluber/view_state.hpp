#pragma once

#include <string>

namespace coluber::app {

/// What is wrong with a view as the viewer's address has it after #, `cam=top&theme=dark`, in one
/// line; "" if nothing is. The viewer itself passes over what it does not know.
std::string fault_of_view(const std::string& view);

}  // namespace coluber::app

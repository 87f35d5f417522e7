#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coluber::app {

/// What is wrong with a view as the viewer's address has it after #, `cam=top&theme=dark`, in one
/// line; "" if nothing is that can be said without its run. The viewer itself passes over what it
/// does not know.
std::string fault_of_view(const std::string& view);

/// The moment that a view without faults shows, s; none: it says nothing of it.
std::optional<double> time_of_view(std::string_view view);

}  // namespace coluber::app

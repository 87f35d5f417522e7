#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/error.hpp"

namespace coluber::app {

/// A file that a command writes, and what may lie at its place already.
struct OutputPlace {
  std::string_view option = "-o";    ///< that names the file, for messages
  std::vector<std::string> endings;  ///< of which its name must have one: ".csv"
  std::string kind;                  ///< what such a file is, for messages: "a table of this run"
  std::filesystem::path own;         ///< the command's own file in the run folder
  bool force = false;                ///< replace files of another kind
  /// Whether the beginning of a file shows that it is of this kind.
  std::function<bool(std::string_view head)> same_kind;
};

/// How much of a file `same_kind` is given (bytes).
inline constexpr std::size_t looked_at = 1U << 20U;

/// The file may not be written: wrong usage.
class RefusedPlace : public Error {
 public:
  using Error::Error;
};

/// Where to write `file`: itself, or what it links to. Throws RefusedPlace if its ending does not
/// fit, if it is no file (a folder, device or pipe), if it belongs to a run and is not `own`, or if
/// it is of another kind and there is no `force`.
std::filesystem::path find_place(const std::filesystem::path& file, const OutputPlace& place);

}  // namespace coluber::app

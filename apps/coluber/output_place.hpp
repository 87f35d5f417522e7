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
  std::vector<std::string> endings;  ///< of which its name must have one: ".csv"; none: any name
  std::string kind;                  ///< what such a file is, for messages: "a table of this run"
  std::filesystem::path own;         ///< the file of a run that the command may replace
  bool own_is_known = false;         ///< `own` is Coluber's, whatever its bytes say
  std::filesystem::path own_folder;  ///< plots/ of a run whose pictures the command may replace
  bool force = false;                ///< replace files of another kind
  std::string way_out = "--force replaces it";  ///< hint where a file of another kind is there
  /// Whether a file is of this kind, by its beginning and its end.
  std::function<bool(std::string_view sample)> same_kind;
};

/// How much of a file `same_kind` is given (bytes): all of a small one.
inline constexpr std::size_t looked_at = 1U << 20U;
inline constexpr std::size_t looked_at_end = 1U << 12U;

/// The file may not be written: wrong usage.
class RefusedPlace : public Error {
 public:
  RefusedPlace(const std::string& where, std::string why, std::string hint);
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }  ///< may be empty

 private:
  std::string why_;
  std::string hint_;
};

/// Where to write `file`: itself, or what it links to. Throws RefusedPlace if its ending does not
/// fit, if it is no file (a folder, device or pipe), if it belongs to a run and is not `own`, or if
/// it is of another kind and there is no `force`.
std::filesystem::path find_place(const std::filesystem::path& file, const OutputPlace& place);

/// True if files of a run go by this name.
bool is_name_of_a_run(const std::filesystem::path& file);

}  // namespace coluber::app

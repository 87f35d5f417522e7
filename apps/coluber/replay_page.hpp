#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "coluber/record/replay_pack.hpp"

namespace coluber::app {

/// The viewer's page, one self-contained file that npm built: `viewer/viewer.html` of an installed
/// Coluber, `viewer/dist/viewer.html` of the source tree. Empty path if there is none.
std::filesystem::path find_viewer();

/// Its text, checked to have the one place where runs go in. Throws FileError saying how to get it.
std::string load_viewer();

/// Where runs go in; exactly once in the viewer's page.
inline constexpr std::string_view viewer_mark = "<!--COLUBER_DATA-->";

/// What a page written to disk may do: run its own script, fetch nothing.
std::string_view page_policy();

/// One page that needs nothing else.
std::string make_replay_page(const std::string& viewer, const record::PackedRun& run);

/// What a page weighs, for people: "940 kB, of which data 212 kB; the same as float32 2.2 MB".
struct PageSize {
  std::size_t page = 0;
  std::size_t data = 0;
  std::size_t raw = 0;
};
std::string describe(const PageSize& size);

/// Packs a run into a page. Throws InputError, FileError.
PageSize save_replay_page(const std::filesystem::path& run, const std::filesystem::path& file);

}  // namespace coluber::app

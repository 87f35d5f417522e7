#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/record/replay_pack.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::app {

/// The viewer's page, one self-contained file that npm built: `viewer/viewer.html` of an installed
/// Coluber, `viewer/dist/viewer.html` of the source tree. Empty path if there is none.
std::filesystem::path find_viewer();

/// Its text, checked to have the one place where runs go in. Throws FileError saying how to get it.
std::string load_viewer();

/// Where runs go in; exactly once in the viewer's page.
inline constexpr std::string_view viewer_mark = "<!--COLUBER_DATA-->";

/// What any page of ours may do: run its own script, fetch nothing. The server adds to it.
std::string_view page_policy();

/// One page that needs nothing else.
std::string make_replay_page(const std::string& viewer, const record::PackedRun& run);

/// A page that was written: its sizes in bytes, and the time of its last frame.
struct PageInfo {
  std::size_t page = 0;
  std::size_t data = 0;
  std::size_t raw = 0;
  std::optional<double> end{};  ///< s
  double last_step = 0.0;       ///< from the frame before (s)
};
/// What it weighs, for people: "940 kB, of which data 212 kB; the same as float32 2.2 MB".
std::string describe(const PageInfo& page);

/// The largest page that is written (bytes): 64 MB, or the number of MB in $COLUBER_PAGE_LIMIT.
/// Browsers need many times of it in memory.
std::size_t page_limit();

/// Throws FileError, with a hint, if a page of `bytes` would be larger than page_limit(). `least`:
/// what it has without the frames.
void require_page_size(std::size_t bytes, std::size_t least,
                       const std::vector<std::filesystem::path>& runs);

/// A viewer's page without its code, and the file that holds the code.
struct SharedViewer {
  std::string page;  ///< takes the code from the folder around its own
  std::string code;
  std::string name;  ///< of the file of code: "coluber-viewer-5f1d….js"
};
/// Takes it apart. Throws FileError if it is not built as one inline script.
SharedViewer share_viewer(const std::string& viewer);

/// Packs a run into a page. Throws InputError, FileError, also if the page would be larger than
/// page_limit(), and record::GivenUp if told to.
PageInfo save_replay_page(const std::filesystem::path& run, const std::filesystem::path& file,
                          const record::GiveUp& give_up = {},
                          scenario::PageCode code = scenario::PageCode::whole);

/// How replay.html of a run came out.
enum class PageEnd { written, none, given_up };

/// Writes replay.html of a run folder where the viewer's page is there, and what the scenario
/// shares between pages beside the folder. A run is whole without it: what keeps it from being
/// written is a warning.
PageEnd write_page(const std::filesystem::path& folder, const scenario::Record& record,
                   const record::GiveUp& give_up);

}  // namespace coluber::app

#include "page/replay_page.hpp"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"

#include "fault.hpp"
#include "plot/gnuplot.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace fs = std::filesystem;

namespace {

std::string to_size(std::size_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 1000) return fmt::format("{} B", bytes);
  return bytes < 1'000'000 ? fmt::format("{:.0f} kB", number / 1e3)
                           : fmt::format("{:.1f} MB", number / 1e6);
}

}  // namespace

fs::path find_viewer() {
  const fs::path folder = data_folder();
  if (folder.empty()) return {};
  std::error_code error;
  for (const char* place : {"viewer/viewer.html", "viewer/dist/viewer.html"}) {
    if (fs::is_regular_file(folder / place, error)) return folder / place;
  }
  return {};
}

std::string load_viewer() {
  const fs::path file = find_viewer();
  if (file.empty()) {
    throw FileError(fmt::format(
        "the viewer's page is not there: no viewer/viewer.html or viewer/dist/viewer.html in {}\n"
        "  hint: script/bootstrap builds it; with Node 18 or later: cd viewer && npm "
        "install && npm run build",
        data_folder().empty() ? "the data folder" : data_folder().string()));
  }
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) throw FileError(fmt::format("{}: cannot be read", file.string()));
  const std::size_t mark = text.find(viewer_mark);
  if (mark == std::string::npos || text.find(viewer_mark, mark + 1) != std::string::npos) {
    throw FileError(
        fmt::format("{} is not a viewer's page of this version: {} should be in it once\n"
                    "  hint: script/bootstrap builds it",
                    file.string(), viewer_mark));
  }
  return text;
}

std::string_view page_policy() {
  return "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
         "blob:; base-uri 'none'; form-action 'none'";
}

std::string make_replay_page(const std::string& viewer, const record::PackedRun& run) {
  std::string page = viewer;
  page.replace(page.find(viewer_mark), viewer_mark.size(),
               fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                           "<script type=\"application/json\" id=\"coluber-run\">{}</script>\n",
                           page_policy(), run.json));
  return page;
}

std::string describe(const PageInfo& page) {
  return fmt::format("{}, of which data {}; the same as float32 {}", to_size(page.page),
                     to_size(page.data), to_size(page.raw));
}

std::size_t page_limit() {
  constexpr std::size_t usual = 64;
  std::size_t megabytes = usual;
  if (const char* text = std::getenv("COLUBER_PAGE_LIMIT"); text != nullptr) {
    const std::string_view all = text;
    const auto [rest, error] = std::from_chars(all.data(), all.data() + all.size(), megabytes);
    if (error != std::errc{} || rest != all.data() + all.size() || megabytes > 1'000'000) {
      throw InputError(make_fault("", 0, 0,
                                  fmt::format("expected a whole number of MB, got \"{}\"", all),
                                  "for example  COLUBER_PAGE_LIMIT=200", "COLUBER_PAGE_LIMIT"));
    }
  }
  return megabytes * 1'000'000;
}

PageInfo save_replay_page(const fs::path& run, const fs::path& file,
                          const record::GiveUp& give_up) {
  const std::size_t limit = page_limit();
  const std::string viewer = load_viewer();
  const record::PackedRun packed = record::pack_run(run, give_up);
  const std::string page = make_replay_page(viewer, packed);
  if (page.size() > limit) {
    throw FileError(fmt::format(
        "a page of this run would have {}, more than {}\n  hint: `coluber view {}` shows it; a "
        "smaller record.rate_hz makes it smaller; COLUBER_PAGE_LIMIT=N allows N MB",
        to_size(page.size()), to_size(limit), run.string()));
  }
  if (give_up && give_up()) throw record::GivenUp("given up");
  save_text(page, file);
  return {page.size(), packed.packed_bytes, packed.raw_bytes, packed.end, packed.last_step};
}

bool write_page(const std::filesystem::path& folder, const std::filesystem::path& page,
                const record::GiveUp& give_up) {
  if (find_viewer().empty()) return false;
  try {
    save_replay_page(folder, page, give_up);
    return true;
  } catch (const record::GivenUp&) {
    print_warning(fmt::format(
        "interrupted before there was a replay.html: `coluber export {} --to html` writes it",
        folder.string()));
  } catch (const Error& error) {
    print_warning(fmt::format("there is no replay.html: {}", error.what()));
  }
  return false;
}

}  // namespace coluber::app

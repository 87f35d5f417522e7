#include "page/replay_page.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/hash.hpp"
#include "coluber/core/version.hpp"
#include "coluber/record/marks.hpp"

#include "fault.hpp"
#include "plot/gnuplot.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace fs = std::filesystem;

namespace {

// From where a page takes code that it shares: the folder around it, as a file or from a server.
constexpr std::string_view shared_sources = " 'self' file:";

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
                           "<script type=\"application/json\" {}>{}</script>\n",
                           page_policy(), record::page_mark, run.json));
  return page;
}

std::string describe(const PageInfo& page) {
  return fmt::format("{}, of which data {}; the same as float32 {}", to_size(page.page),
                     to_size(page.data), to_size(page.raw));
}

namespace {

/// A replay.html that somebody else has put into a run folder since the run began.
bool holds_foreign_page(const fs::path& folder) {
  constexpr std::size_t near = 1U << 20U;
  const fs::path file = folder / "replay.html";
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return false;
  if (!fs::is_regular_file(file, error)) return true;
  if (fs::file_size(file, error) == 0) return false;
  std::ifstream in(file, std::ios::binary);
  std::string head(near, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return head.find(record::page_mark) == std::string::npos;
}

}  // namespace

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

void require_page_size(std::size_t bytes, std::size_t least, const std::vector<fs::path>& runs) {
  const std::size_t limit = page_limit();
  if (bytes <= limit) return;
  std::string names;
  for (const auto& run : runs) names += " " + run.string();
  const char* smaller = least > limit
                            ? "fewer links or obstacles make it smaller, fewer frames do not"
                            : "a smaller record.rate_hz makes it smaller";
  throw FileError(fmt::format(
      "a page of {} would have at least {}, more than {}\n  hint: `coluber view{}` shows {}; {}; "
      "COLUBER_PAGE_LIMIT=N allows N MB",
      runs.size() == 1 ? "this run" : "these runs", to_size(bytes), to_size(limit), names,
      runs.size() == 1 ? "it" : "them", smaller));
}

SharedViewer share_viewer(const std::string& viewer) {
  constexpr std::string_view begin = "<script>";
  constexpr std::string_view end = "</script>";
  constexpr std::string_view allowed = "script-src 'unsafe-inline'";
  SharedViewer shared{viewer, {}, {}};
  std::string& page = shared.page;
  const std::size_t from = page.rfind(begin);
  const std::size_t to = from == std::string::npos ? from : page.find(end, from);
  if (to == std::string::npos || page.find(begin) != from) {
    throw FileError(
        "the viewer's page has no single inline script\n  hint: script/bootstrap "
        "builds it");
  }
  shared.code = page.substr(from + begin.size(), to - from - begin.size());
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(shared.code)));
  shared.name = fmt::format("coluber-viewer-{:016x}.js", hasher.finish());
  // as a child of the body the note is there before anything else is drawn
  const std::string element = fmt::format(
      "<script src=\"../{0}\" charset=\"utf-8\" onerror=\"document.body.textContent='The code of "
      "this page, {0}, is not in the folder around the run folder. coluber export RUN --to html "
      "writes a page that needs no other file.'\"></script>",
      shared.name);
  page.replace(from, to + end.size() - from, element);
  if (const std::size_t at = page.find(allowed); at != std::string::npos) {
    page.insert(at + allowed.size(), shared_sources);
  }
  return shared;
}

PageInfo save_replay_page(const fs::path& run, const fs::path& file, const record::GiveUp& give_up,
                          scenario::PageCode code) {
  std::string viewer = load_viewer();
  SharedViewer shared;
  if (code == scenario::PageCode::shared) {
    shared = share_viewer(viewer);
    viewer = shared.page;
  }
  // a robot of very many links may have more to describe than to move
  const std::size_t described = record::least_packed_size(run);
  const std::size_t least = viewer.size() + described;
  require_page_size(least, least, {run});
  const auto check = [&](std::size_t frames) {
    if (described + frames > record::never_given_up) record::check_given_up(give_up);
  };
  std::error_code none;
  const auto recorded = fs::file_size(run / "replay.bin", none);
  check(none ? 0 : static_cast<std::size_t>(recorded));
  const record::PackedRun packed = record::pack_run(run, give_up);
  std::string page = make_replay_page(viewer, packed);
  if (code == scenario::PageCode::shared) {
    const std::size_t policy = page.find(page_policy());
    const std::string_view allowed = "script-src 'unsafe-inline'";
    page.insert(page.find(allowed, policy) + allowed.size(), shared_sources);
  }
  require_page_size(page.size(), least, {run});
  check(packed.raw_bytes);
  if (code == scenario::PageCode::shared) {
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path().parent_path();
    std::error_code error;
    if (fs::file_size(folder / shared.name, error) != shared.code.size() || error) {
      save_text(shared.code, folder / shared.name);
    }
  }
  save_text(page, file);
  return {page.size(), packed.packed_bytes, packed.raw_bytes, packed.end, packed.last_step};
}

PageEnd write_page(const fs::path& folder, const scenario::Record& record,
                   const record::GiveUp& give_up) {
  if (!record.replay || find_viewer().empty()) return PageEnd::none;
  if (holds_foreign_page(folder)) {
    print_warning(fmt::format(
        "{} is left as it is: it was put there during the run, and Coluber did not make it; "
        "`coluber export {} --to html -o FILE` writes the page elsewhere",
        (folder / "replay.html").string(), folder.string()));
    return PageEnd::none;
  }
  try {
    save_replay_page(folder, folder / "replay.html", give_up, record.page);
    return PageEnd::written;
  } catch (const record::GivenUp&) {
    print_warning(fmt::format(
        "interrupted before there was a replay.html: `coluber export {} --to html` writes it",
        folder.string()));
    return PageEnd::given_up;
  } catch (const Error& error) {
    print_warning(fmt::format("there is no replay.html: {}", error.what()));
  }
  return PageEnd::none;
}

}  // namespace coluber::app

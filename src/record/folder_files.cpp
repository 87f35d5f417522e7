#include "record/folder_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/record/marks.hpp"
#include "coluber/record/run_state.hpp"

#include "record/csv_writer.hpp"
#include "record/frame_file.hpp"
#include "record/hdf5_reader.hpp"
#include "record/output_file.hpp"
#include "record/plot_list.hpp"
#include "record/resume.hpp"

namespace coluber::record {

namespace fs = std::filesystem;
namespace {
using Json = nlohmann::ordered_json;
}

namespace {

// What a run has beside its results, in the order in which it may go: without run.json nothing is a
// run.
constexpr std::array<const char*, 4> kept_files{checkpoint_name, old_checkpoint_name, frames_name,
                                                "run.json"};

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw FileError(fmt::format("{}: {}", file.string(), error.message()));
}

// `replay.html.1234.part` is what the process 1234 has not finished. The file's name; empty for
// others, and while that process lives.
std::string_view drafted_by_the_dead(std::string_view name) {
  constexpr std::string_view ending = ".part";
  if (!name.ends_with(ending)) return {};
  name.remove_suffix(ending.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  pid_t process = 0;
  const char* end = name.data() + name.size();
  const auto [stop, fault] = std::from_chars(name.data() + dot + 1, end, process);
  if (fault != std::errc{} || stop != end || process <= 0) return {};
  // whoever had our own number before us is gone
  const bool lives = process != ::getpid() && (::kill(process, 0) == 0 || errno != ESRCH);
  return lives ? std::string_view{} : name.substr(0, dot);
}

// Frames of ours; cut short where a process was killed early.
bool holds_frames(const fs::path& folder) {
  constexpr std::string_view begin = "CLBRFRM1";
  std::string head(begin.size(), '\0');
  std::ifstream frames(folder / frames_name, std::ios::binary);
  if (!frames) return false;
  frames.read(head.data(), static_cast<std::streamsize>(head.size()));
  return begin.starts_with(head.substr(0, static_cast<std::size_t>(frames.gcount())));
}

// A file of Hdf5Writer, by the name of its format, which stands near the beginning. The HDF5
// library is not asked: the file may be damaged.
bool is_trajectory(const fs::path& file) {
  constexpr std::size_t near = 1U << 20U;
  std::ifstream in(file, std::ios::binary);
  std::string text(near, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text.starts_with("\x89HDF") && text.find("coluber-trajectory ") != std::string::npos;
}

// Whose the files with the names of ours are.
struct Holds {
  bool run = false;       // of ours, or what is left of one
  std::string foreign{};  // the first that is not, and is in the way
};

// The first bytes of a file, up to `bytes`; none where it cannot be read.
std::string head_of(const fs::path& file, std::size_t bytes) {
  std::ifstream in(file, std::ios::binary);
  std::string head(bytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return head;
}

// The first line that tables of this run have; empty where nothing tells.
std::string table_head_of(const fs::path& folder) {
  const auto head = [](const auto& read) {
    try {
      return table_head(read());
    } catch (const std::exception&) {  // missing or damaged
      return std::string();
    }
  };
  std::string ended = head([&] { return Hdf5Reader(folder).observables(); });
  if (!ended.empty()) return ended;
  return head([&] { return FrameReader(folder / frames_name).layout().observables; });
}

// Whether a file of a run folder is one that Coluber made: a table has the columns of the run, a
// page and a picture have their marks. Other names are those of the run's own files.
bool is_ours(const fs::path& file) {
  constexpr std::size_t page_head = 1U << 20U;
  constexpr std::size_t picture_head = 256;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  if (fs::file_size(file, error) == 0) return true;
  const std::string name = file.filename().string();
  if (name == table_name || name == partial_name(table_name)) {
    const std::string line = table_head_of(file.parent_path());
    const std::string head = head_of(file, line.size());
    // a process may have been killed within the line
    return !line.empty() && (name == table_name ? head == line : line.starts_with(head));
  }
  if (name == frames_name) return holds_frames(file.parent_path());
  if (name.ends_with(".html")) {
    return head_of(file, page_head).find(page_mark) != std::string::npos;
  }
  if (name.ends_with(".png")) {
    const std::string head = head_of(file, picture_head);
    return head.starts_with(png_begin) && head.find(png_mark) != std::string::npos;
  }
  return true;
}

// A dataset or group of the user's in trajectory.h5, for messages; "" if there is none. A file of
// the size that run.json tells has not grown, and is not read.
std::string find_foreign_dataset(const fs::path& folder) {
  const char* const name = "trajectory.h5";
  std::error_code error;
  if (!fs::is_regular_file(folder / name, error)) return {};
  try {
    const bool told = fs::exists(folder / "run.json", error);
    const std::string text = told ? read_bytes(folder / "run.json") : std::string();
    const Json run = is_shallow(text) ? Json::parse(text, nullptr, false) : Json();
    const Json::json_pointer bytes("/files/trajectory.h5/bytes");
    if (run.is_object() && run.contains(bytes) &&
        run[bytes] == fs::file_size(folder / name, error)) {
      return {};
    }
    const std::string own = Hdf5Reader(folder).foreign_name();
    return own.empty() ? own : fmt::format("\"{}\" in {}", own, name);
  } catch (const std::exception&) {  // missing or damaged
    return {};
  }
}

// The first file in a run folder that a run would replace, and that Coluber did not make. Without
// `replay` it writes no page.
std::string find_foreign(const fs::path& folder, bool replay) {
  std::error_code error;
  if (std::string own = find_foreign_dataset(folder); !own.empty()) return own;
  for (const char* name : {table_name, page_name, frames_name}) {
    const fs::path file = folder / name;
    if (name == page_name && !replay) continue;
    if (fs::exists(fs::symlink_status(file, error)) && !is_ours(file)) return name;
  }
  return {};
}

Holds look_at(const fs::path& folder, bool replay) {
  std::error_code error;
  const auto there = [&](const fs::path& name) {
    return fs::exists(fs::symlink_status(folder / name, error));
  };
  const bool results = holds_frames(folder) || is_trajectory(folder / "trajectory.h5");
  if (there("run.json")) {
    const std::string text = read_bytes(folder / "run.json");
    const Json run = is_shallow(text) ? Json::parse(text, nullptr, false) : Json();
    if (run.is_object() && run.value("format", Json()) == "coluber-run") {
      return {.run = true, .foreign = find_foreign(folder, replay)};
    }
    // a loss of power may leave it empty or cut short
    const bool damaged = text.empty() || run.is_discarded();
    if (damaged && results) return {.run = true, .foreign = find_foreign(folder, replay)};
    if (!text.empty()) return {.foreign = "run.json"};
  } else if (results) {
    return {.run = true, .foreign = find_foreign(folder, replay)};
  }
  std::vector<std::string> names(derived_files.begin(), derived_files.end());
  names.insert(names.end(), {checkpoint_name, old_checkpoint_name, frames_name});
  for (const std::string& name : names) {
    const fs::path part = partial_name(name);
    if (name == page_name && !replay) continue;
    if (there(name)) return {.foreign = name};
    if (there(part)) return {.foreign = part.string()};
  }
  // run.json itself is empty, or was not finished
  return {.run = there("run.json") || there(partial_name("run.json"))};
}

[[noreturn]] void refuse_foreign(const fs::path& folder, const std::string& name) {
  throw FolderExists(fmt::format("{} holds {}, which Coluber did not write", folder.string(), name),
                     "name another folder, or move that file away");
}

// What a process leaves that is killed before it has written run.json.
bool only_leftovers(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path name = entry.path().filename();
    if (name != "run.json.part" && name != frames_name) return false;
  }
  return !error;
}

// Pictures that their list does not name are the user's.
std::vector<std::string> remove_plots(const fs::path& folder) {
  std::vector<std::string> removed;
  std::error_code error;
  if (!fs::is_directory(folder / plots_folder, error) || !is_own_list(folder)) return removed;
  for (const fs::path& picture : listed_plots(folder)) {
    removed.push_back(fmt::format("{}/{}", plots_folder, picture.filename().string()));
    remove_file(picture);
  }
  remove_file(folder / plots_folder / plot_list_name);
  return removed;
}

// Pages of two runs, `replay-and-NAME.html`.
std::vector<fs::path> pages_of_two(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("replay-and-") && name.ends_with(".html")) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

void remove_drafts(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(derived_files, drafted_by_the_dead(name)) != derived_files.end()) {
      found.push_back(entry.path());
    }
  }
  for (const auto& entry : fs::directory_iterator(folder / "plots", error)) {
    const std::string name = entry.path().filename().string();
    const fs::path kind = fs::path(drafted_by_the_dead(name)).extension();
    if (kind == ".svg" || kind == ".png" || kind == ".pdf" || kind == ".json")
      found.push_back(entry.path());
  }
  for (const fs::path& file : found) fs::remove(file, error);
}

std::vector<std::string> remove_derived(const fs::path& folder) {
  // whose the table is trajectory.h5 tells: that one last
  std::vector<fs::path> files;
  for (const char* name : {table_name, "replay.json", "replay.bin", page_name, "replay.png"}) {
    files.push_back(folder / name);
  }
  for (const fs::path& page : pages_of_two(folder)) files.push_back(page);
  files.push_back(folder / "trajectory.h5");
  if (const fs::path part = partial_name(folder / table_name); is_ours(part)) remove_file(part);
  std::vector<std::string> removed;
  for (const fs::path& file : files) {
    if (!is_ours(file)) continue;
    remove_file(file);
    removed.push_back(file.filename().string());
  }
  for (const char* name : {"trajectory.h5", "replay.json", "replay.bin"}) {
    remove_file(partial_name(folder / name));
  }
  remove_drafts(folder);
  return removed;
}

std::vector<std::string> remove_outdated(const fs::path& folder) {
  std::vector<std::string> removed = remove_derived(folder);
  for (std::string& picture : remove_plots(folder)) removed.push_back(std::move(picture));
  return removed;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  const auto kind = fs::status(folder, error);
  if (fs::exists(kind)) {
    if (fs::is_directory(kind)) return;
    throw FolderExists(fmt::format("{} exists and is not a folder", folder.string()),
                       "name another folder");
  }
  fs::create_directories(folder, error);
  if (error) {
    throw FileError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
}

void require_own(const fs::path& folder, bool replay) {
  if (const Holds holds = look_at(folder, replay); !holds.foreign.empty()) {
    refuse_foreign(folder, holds.foreign);
  }
}

void clear_folder(const fs::path& folder, const RunFolderOptions& options, bool resumable,
                  bool replay) {
  std::error_code error;
  const bool empty = fs::is_empty(folder, error);
  if (error) throw FileError(fmt::format("{}: {}", folder.string(), error.message()));
  if (empty) return;
  const Holds holds = look_at(folder, replay);
  if (!holds.foreign.empty()) refuse_foreign(folder, holds.foreign);
  if (!options.force && !(options.resume && only_leftovers(folder))) {
    std::string hint = "--force writes the run beside what is in it";
    if (holds.run) hint = "--force replaces the run in it";
    if (holds.run && resumable && !options.resume && load_run_state(folder).partial()) {
      hint += ", --resume continues it";
    }
    throw FolderExists(fmt::format("{} exists and is not empty", folder.string()), hint);
  }
  if (!holds.run) return;
  remove_plots(folder);
  if (fs::is_directory(fs::symlink_status(folder / plots_folder, error))) {
    fs::remove(folder / plots_folder, error);  // if nothing else is in it
  }
  remove_derived(folder);
  for (const char* name : kept_files) {
    remove_file(folder / name);
    remove_file(partial_name(folder / name));
  }
}

fs::path next_run_folder(const fs::path& parent, const std::string& name) {
  for (int k = 1;; ++k) {
    fs::path folder = parent / fmt::format("{}-{}", name, k);
    std::error_code error;
    if (!fs::exists(fs::symlink_status(folder, error))) return folder;
  }
}

fs::path last_run_folder(const fs::path& parent, const std::string& name) {
  const std::string prefix = name + '-';
  int last = 1;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string found = entry.path().filename().string();
    if (!found.starts_with(prefix)) continue;
    int k = 0;
    const char* end = found.data() + found.size();
    const auto [stop, fault] = std::from_chars(found.data() + prefix.size(), end, k);
    if (fault == std::errc{} && stop == end) last = std::max(last, k);
  }
  return parent / fmt::format("{}-{}", name, last);
}

}  // namespace coluber::record

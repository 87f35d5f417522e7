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

#include "record/frame_file.hpp"
#include "record/output_file.hpp"
#include "record/plot_list.hpp"
#include "record/resume.hpp"

namespace coluber::record {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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
  std::string foreign{};  // else the first that is not
};

Holds look_at(const fs::path& folder) {
  std::error_code error;
  const auto there = [&](const fs::path& name) {
    return fs::exists(fs::symlink_status(folder / name, error));
  };
  if (there("run.json")) {
    const std::string text = read_bytes(folder / "run.json");
    const Json run = is_shallow(text) ? Json::parse(text, nullptr, false) : Json();
    if (run.is_object() && run.value("format", Json()) == "coluber-run") return {.run = true};
    // a loss of power may leave it empty or cut short
    const bool damaged = text.empty() || run.is_discarded();
    if (damaged && (holds_frames(folder) || is_trajectory(folder / "trajectory.h5"))) {
      return {.run = true};
    }
    if (!text.empty()) return {.foreign = "run.json"};
  } else if (there(frames_name)) {
    return holds_frames(folder) ? Holds{.run = true} : Holds{.foreign = frames_name};
  }
  std::vector<std::string> names(derived_files.begin(), derived_files.end());
  names.insert(names.end(), {checkpoint_name, old_checkpoint_name, frames_name});
  for (const std::string& name : names) {
    const fs::path part = partial_name(name);
    if (there(name)) return {.foreign = name};
    if (there(part)) return {.foreign = part.string()};
  }
  // run.json itself is empty, or was not finished
  return {.run = there("run.json") || there(partial_name("run.json"))};
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
  if (!fs::is_directory(folder / plots_folder, error)) return removed;
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

void remove_derived(const fs::path& folder) {
  for (const fs::path& page : pages_of_two(folder)) remove_file(page);
  for (const char* name : derived_files) {
    remove_file(folder / name);
    remove_file(partial_name(folder / name));
  }
  remove_drafts(folder);
}

std::vector<std::string> remove_outdated(const fs::path& folder) {
  std::vector<std::string> removed;
  std::error_code error;
  for (const char* name : derived_files) {
    if (fs::exists(folder / name, error)) removed.emplace_back(name);
  }
  for (const fs::path& page : pages_of_two(folder)) removed.push_back(page.filename().string());
  remove_derived(folder);
  for (std::string& picture : remove_plots(folder)) removed.push_back(std::move(picture));
  return removed;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  const auto kind = fs::status(folder, error);
  if (fs::exists(kind)) {
    if (fs::is_directory(kind)) return;
    throw FolderExists(fmt::format("{} exists and is not a folder", folder.string()));
  }
  fs::create_directories(folder, error);
  if (error) {
    throw FileError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
}

void clear_folder(const fs::path& folder, const RunFolderOptions& options) {
  std::error_code error;
  const bool empty = fs::is_empty(folder, error);
  if (error) throw FileError(fmt::format("{}: {}", folder.string(), error.message()));
  if (empty) return;
  if (!options.force && !(options.resume && only_leftovers(folder))) {
    throw FolderExists(fmt::format("{} exists and is not empty", folder.string()));
  }
  const Holds holds = look_at(folder);
  if (!holds.foreign.empty()) {
    throw FolderExists(
        fmt::format("{} holds {}, which Coluber did not write", folder.string(), holds.foreign));
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

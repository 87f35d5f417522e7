#include "output_place.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace coluber::app {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;

constexpr std::array<std::string_view, 10> files_of_a_run{
    "run.json",    "trajectory.h5", "trajectory.csv", "replay.json",    "replay.bin",
    "replay.html", "replay.png",    "frames.bin",     "checkpoint.bin", "checkpoint.old"};

bool is_run(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "run.json", error);
}

fs::path folder_around(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// What a chain of links ends at, whether or not that exists.
fs::path follow_links(fs::path file) {
  std::error_code error;
  for (int k = 0; k < most_links && fs::is_symlink(fs::symlink_status(file, error)); ++k) {
    const fs::path target = fs::read_symlink(file, error);
    if (error) break;
    file = folder_around(file) / target;  // an absolute target replaces all of it
  }
  return file;
}

bool same_file(const fs::path& one, const fs::path& other) {
  std::error_code error;
  return one.filename() == other.filename() &&
         fs::equivalent(folder_around(one), folder_around(other), error);
}

// The run folder that the file is a part of; empty if it is of none.
fs::path run_of(const fs::path& file) {
  fs::path folder = folder_around(file);
  const std::string name = file.filename().string();
  if (is_run(folder) && std::ranges::find(files_of_a_run, name) != files_of_a_run.end())
    return folder;
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(folder, error);
  const bool picture = !error && whole.filename() == "plots" && is_run(whole.parent_path());
  return picture && fs::exists(file, error) ? whole.parent_path() : fs::path();
}

std::string head_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string head(looked_at, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return head;
}

const char* name_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    case fs::file_type::fifo:
      return "a pipe";
    default:
      return "no file";
  }
}

}  // namespace

fs::path find_place(const fs::path& file, const OutputPlace& place) {
  const auto refuse = [&](const std::string& why) {
    throw RefusedPlace(fmt::format("error: {} {}: {}", place.option, file.string(), why));
  };
  if (std::ranges::find(place.endings, file.extension().string()) == place.endings.end()) {
    refuse(fmt::format("expected a name ending in {}", fmt::join(place.endings, " or ")));
  }
  const fs::path target = follow_links(file);
  const bool own = same_file(target, place.own);
  if (const fs::path run = own ? fs::path() : run_of(target); !run.empty()) {
    refuse(
        fmt::format("is a file of the run in {}, which stays as it is\n  hint: name another "
                    "file",
                    run.string()));
  }
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(target, error))) refuse("is a link that leads nowhere");
  const fs::file_status there = fs::status(target, error);
  if (!fs::exists(there)) return target;
  if (!fs::is_regular_file(there)) {
    refuse(fmt::format("is {}, which is not replaced\n  hint: name a file", name_of(there.type())));
  }
  if (own || place.force || fs::file_size(target, error) == 0) return target;
  if (!place.same_kind(head_of(target))) {
    refuse(fmt::format("exists and is not {}\n  hint: --force replaces it", place.kind));
  }
  return target;
}

}  // namespace coluber::app

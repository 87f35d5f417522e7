#include "output_place.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <utility>

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

// The run folder that the file is a part of; empty if it is of none. Pictures in `own_folder` are
// judged by what they are.
fs::path run_of(const fs::path& file, const fs::path& own_folder) {
  fs::path folder = folder_around(file);
  if (is_run(folder) && is_name_of_a_run(file)) return folder;
  std::error_code error;
  if (!own_folder.empty() && fs::equivalent(folder, own_folder, error)) return {};
  const fs::path whole = fs::weakly_canonical(folder, error);
  const bool picture = !error && whole.filename() == "plots" && is_run(whole.parent_path());
  return picture && fs::exists(file, error) ? whole.parent_path() : fs::path();
}

std::string sample_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string sample;
  const auto read = [&](std::size_t bytes) {
    const std::size_t before = sample.size();
    sample.resize(before + bytes);
    in.read(sample.data() + before, static_cast<std::streamsize>(bytes));
    sample.resize(before + static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  };
  read(looked_at);
  if (sample.size() < looked_at) return sample;
  in.clear();
  const auto end = static_cast<std::streamoff>(looked_at_end);
  in.seekg(0, std::ios::end);
  in.seekg(std::max<std::streamoff>(in.tellg() - end, looked_at));
  read(looked_at_end);
  return sample;
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

RefusedPlace::RefusedPlace(const std::string& where, std::string why, std::string hint)
    : Error(fmt::format("error: {}: {}{}{}", where, why, hint.empty() ? "" : "\n  hint: ", hint)),
      why_(std::move(why)),
      hint_(std::move(hint)) {}

bool is_name_of_a_run(const fs::path& file) {
  return std::ranges::find(files_of_a_run, file.filename().string()) != files_of_a_run.end();
}

fs::path find_place(const fs::path& file, const OutputPlace& place) {
  const auto refuse = [&](std::string why, std::string hint = {}) {
    throw RefusedPlace(fmt::format("{} {}", place.option, file.string()), std::move(why),
                       std::move(hint));
  };
  if (!place.endings.empty() &&
      std::ranges::find(place.endings, file.extension().string()) == place.endings.end()) {
    refuse(fmt::format("expected a name ending in {}", fmt::join(place.endings, " or ")));
  }
  const fs::path target = follow_links(file);
  const bool own = same_file(target, place.own);
  if (const fs::path run = own ? fs::path() : run_of(target, place.own_folder); !run.empty()) {
    refuse(fmt::format("is a file of the run in {}, which stays as it is", run.string()),
           "name another file");
  }
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(target, error))) refuse("is a link that leads nowhere");
  const fs::file_status there = fs::status(target, error);
  if (!fs::exists(there)) return target;
  if (!fs::is_regular_file(there)) {
    refuse(fmt::format("is {}, which is not replaced", name_of(there.type())), "name a file");
  }
  if ((own && place.own_is_known) || place.force || fs::file_size(target, error) == 0)
    return target;
  if (!place.same_kind(sample_of(target))) {
    refuse(fmt::format("exists and is not {}", place.kind), place.way_out);
  }
  return target;
}

}  // namespace coluber::app

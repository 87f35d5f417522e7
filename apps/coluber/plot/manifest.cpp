#include "plot/manifest.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "plot/gnuplot.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Keeps others who draw the same run from writing the list at the same time.
class FolderGuard {
 public:
  explicit FolderGuard(const fs::path& folder)
      : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd_ >= 0) static_cast<void>(::flock(fd_, LOCK_EX));  // some file systems have no locks
  }
  FolderGuard(const FolderGuard&) = delete;
  FolderGuard& operator=(const FolderGuard&) = delete;
  ~FolderGuard() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_;
};

Json parse(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  constexpr int deepest = 16;
  bool shallow = true;
  const auto bounded = [&](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    shallow = shallow && depth <= deepest;
    return shallow;
  };
  auto json = Json::parse(stream, bounded, false);
  return shallow && json.is_object() ? std::move(json) : Json::object();
}

}  // namespace

void note_plot(const fs::path& run_folder, const DrawnPlot& plot) {
  const auto folder = run_folder / "plots";
  const FolderGuard guard(folder);
  const auto before = parse(folder / "plots.json");
  Json list{{"format", "coluber-plots"}, {"version", 1}, {"plots", Json::array()}};
  if (const auto found = before.find("plots"); found != before.end() && found->is_array())
    for (const auto& each : *found)
      if (each.is_object() && each.value("file", Json()) != plot.file)
        list["plots"].push_back(each);
  Json entry{{"name", plot.name},
             {"file", plot.file},
             {"options", plot.options},
             {"frames", plot.frames},
             {"final_state", plot.final_state.empty() ? Json() : Json(plot.final_state)}};
  list["plots"].push_back(std::move(entry));
  save_text(list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", folder / "plots.json");
}

bool has_foreign_list(const fs::path& run_folder) {
  const auto file = run_folder / "plots" / "plots.json";
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return false;
  if (!fs::is_regular_file(file, error)) return true;
  if (fs::file_size(file, error) == 0) return false;  // a loss of power may leave that
  return !parse(file).value("plots", Json()).is_array();
}

bool is_noted(const fs::path& run_folder, const std::string& file) {
  const auto list = parse(run_folder / "plots" / "plots.json");
  const auto plots = list.value("plots", Json());
  return plots.is_array() && std::any_of(plots.begin(), plots.end(), [&](const Json& each) {
           return each.is_object() && each.value("file", Json()) == file;
         });
}

std::string load_final_state(const fs::path& run_folder) {
  const auto run = parse(run_folder / "run.json");
  const auto summary = run.value("summary", Json());
  const auto state = summary.is_object() ? summary.value("final_state", Json()) : Json();
  return state.is_string() ? state.get<std::string>() : std::string();
}

}  // namespace coluber::app

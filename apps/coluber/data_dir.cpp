#include "data_dir.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"

namespace coluber::app {

namespace fs = std::filesystem;

fs::path find_data(std::string_view relative) {
  const fs::path folder = data_folder();
  if (folder.empty()) {
    throw FileError(
        fmt::format("cannot find {}: no data folder beside the program or where it was built; set "
                    "COLUBER_DATA to the folder that holds scenarios/",
                    relative));
  }
  fs::path found = folder / fs::path(relative);
  std::error_code failure;
  if (!fs::exists(found, failure)) {
    throw FileError(fmt::format("cannot find {} in {}", relative, folder.string()));
  }
  return found;
}

std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension, bool below) {
  std::vector<fs::path> files;
  const auto take = [&](const fs::directory_entry& entry) {
    std::error_code failure;
    if (entry.path().extension() == extension && entry.is_regular_file(failure)) {
      files.push_back(entry.path());
    }
  };
  std::error_code failure;
  if (below) {
    for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      take(*entry);
    }
  } else {
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      take(*entry);
    }
  }
  if (failure) {
    throw FileError(
        fmt::format("cannot read the folder {}: {}", folder.string(), failure.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path shown_path(const fs::path& file) {
  std::error_code failure;
  fs::path relative = fs::relative(file, failure);
  if (failure || relative.empty() || relative.native().size() >= file.native().size()) return file;
  return relative;
}

}  // namespace coluber::app

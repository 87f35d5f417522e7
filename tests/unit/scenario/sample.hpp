#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::scenario::sample {

/// The least a scenario needs.
inline const std::string aiko = "[robot]\nname = \"aiko\"\n";

/// The faults of a text, printed one by one; empty if it loads.
inline std::vector<std::string> faults_of(const std::string& text, const Overrides& overrides = {},
                                          const std::filesystem::path& folder = ".") {
  std::vector<std::string> printed;
  try {
    (void)parse(text, folder, overrides, "s.toml");
  } catch (const InputError& error) {
    for (const Diagnostic& fault : error.faults()) printed.push_back(to_string(fault));
  }
  return printed;
}

/// The one fault of a text; all of them joined, or "no fault", if there is not exactly one.
inline std::string fault_of(const std::string& text, const Overrides& overrides = {},
                            const std::filesystem::path& folder = ".") {
  const std::vector<std::string> faults = faults_of(text, overrides, folder);
  if (faults.empty()) return "no fault";
  std::string joined = faults.size() == 1 ? "" : "several: ";
  for (const std::string& fault : faults) joined += fault;
  return joined;
}

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "coluber-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What loading a file says, with the folder's name taken out.
inline std::string load_fault(const std::filesystem::path& file, const Folder& folder) {
  try {
    (void)load(file);
  } catch (const InputError& error) {
    std::string text = error.what();
    const std::string prefix = folder.path().string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }
  return "no fault";
}

}  // namespace coluber::scenario::sample

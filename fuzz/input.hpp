#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace coluber::fuzz {

/// The input's files: its parts between lines that hold `%%` alone.
inline std::vector<std::string_view> split(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view line = "\n%%\n";
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> parts;
  for (std::size_t at = rest.find(line); at != std::string_view::npos; at = rest.find(line)) {
    parts.push_back(rest.substr(0, at));
    rest.remove_prefix(at + line.size());
  }
  parts.push_back(rest);
  return parts;
}

/// A folder in memory that holds one input's files. Those that are as they were are not written
/// again, which is most of them from one input to the next.
class Folder {
 public:
  Folder() {
    std::error_code error;
    const std::filesystem::path memory = "/dev/shm";
    path_ =
        (std::filesystem::is_directory(memory, error) ? memory
                                                      : std::filesystem::temp_directory_path()) /
        "coluber-fuzz-XXXXXX";
    std::string name = path_.string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Takes all away.
  void clear() {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path_, error)) {
      std::filesystem::remove_all(entry.path(), error);
    }
    files_.clear();
  }

  /// Puts the file there; no text: takes it away.
  void put(const char* name, std::optional<std::string_view> text) {
    auto& held = files_[name];
    if (held == text) return;
    const std::filesystem::path file = path_ / name;
    if (!text) {
      if (::unlink(file.c_str()) != 0) std::abort();
      held.reset();
      return;
    }
    held = *text;
    const int stream = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (stream < 0) std::abort();
    if (::write(stream, text->data(), text->size()) != static_cast<ssize_t>(text->size())) {
      std::abort();
    }
    ::close(stream);
  }

 private:
  std::filesystem::path path_;
  std::map<std::string, std::optional<std::string>, std::less<>> files_;
};

}  // namespace coluber::fuzz

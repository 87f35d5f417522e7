#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "coluber/core/export.hpp"
#include "coluber/record/give_up.hpp"

namespace coluber::record {

/// `trajectory.csv` while it grows.
std::filesystem::path partial_name(const std::filesystem::path& file);

/// Gives a finished `.part` file its name. Throws FileError.
void rename_partial(const std::filesystem::path& file);

/// Asks for a file to be brought to the disk, and does not wait for it.
void begin_sync(const std::filesystem::path& file) noexcept;
/// Brings finished `.part` files to the disk and gives them their names. Throws FileError.
void commit_partials(std::span<const std::filesystem::path> files);

/// Brings a file, or the names in a folder, to the disk. Throws FileError.
void sync_file(const std::filesystem::path& file);
void sync_folder(const std::filesystem::path& folder);

/// Throws FileError: cannot `verb` the file, for the reason `error` of errno.
[[noreturn]] void fail(const char* verb, const std::filesystem::path& file, int error);

/// The whole of a file. Throws FileError.
std::string read_bytes(const std::filesystem::path& file);

/// Size and hash of a file's bytes. Throws FileError, GivenUp.
struct Fingerprint {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
  bool operator==(const Fingerprint&) const = default;
};
Fingerprint compute_fingerprint(const std::filesystem::path& file, const GiveUp& give_up = {});
/// Of two files, in little more than the time of the larger one.
std::array<Fingerprint, 2> compute_fingerprints(const std::filesystem::path& one,
                                                const std::filesystem::path& other,
                                                const GiveUp& give_up = {});

/// A file that grows under its partial name and appears by rename in commit(). Every failure (full
/// disk) is a FileError.
class COLUBER_EXPORT OutputFile {
 public:
  enum class Draft {
    of_a_run,  ///< partial_name(); dropped without commit() it stays there
    unique,    ///< `z.csv.1234.part`, or what else no file is called; removed without commit()
  };
  explicit OutputFile(std::filesystem::path file, Draft draft = Draft::of_a_run);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  void write(std::span<const float> values);  ///< little-endian
  /// Ends it under its partial name, not yet on the disk.
  void close();
  /// Brings it to the disk and gives it its name; that the name lasts takes sync_folder().
  void commit();
  /// Gives it its name at once: a crash of the program does not harm it, one of the machine may.
  void commit_unsynced();

 private:
  std::filesystem::path file_;
  std::filesystem::path draft_;
  bool kept_;  // the draft, without commit()
  std::FILE* stream_ = nullptr;
};

}  // namespace coluber::record

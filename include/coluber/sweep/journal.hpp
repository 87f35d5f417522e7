#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/sweep/row.hpp"
#include "coluber/sweep/sweep.hpp"

namespace coluber::sweep {

/// The rows that one process appends: a file of rows/ named by part, host, process and start,
/// locked for as long as the process lives. A line is a CRC-32 of its JSON in 8 hex digits, a
/// space, the JSON. Kinds: `start` of the process (the first line) and of a point, `row`, and `end`
/// of a process that had nothing in flight. Shared by threads.
class COLUBER_EXPORT Journal {
 public:
  /// Begins one in `folder`. Throws FileError.
  Journal(const std::filesystem::path& folder, const Sweep& sweep, const std::string& part);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// A point is begun; `alone`: nothing else is in flight, and it killed processes before.
  void start(const Point& point, bool alone = false);
  /// A row is there. Throws FileError: a line that is not whole counts for nothing.
  void append(const Row& row);
  /// The same of a line that evaluate_lines() gave.
  void append_line(std::string_view json);
  /// Brings it to the disk if a second has passed since the last time.
  void sync();
  /// Nothing is in flight any more, and all is on the disk.
  void end();

  /// The file.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  void write(std::string_view json);

  std::filesystem::path file_;
  int fd_ = -1;
  bool ended_ = false;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point synced_;
};

/// What the first line of a journal says.
struct JournalOrigin {
  std::string file{};  ///< its name
  std::string host{};
  std::string revision{};
  std::string version{};
  std::string arithmetic{};
  std::uint64_t base = 0;  ///< hash of the base scenario
};

/// Where the best row of a point is.
struct RowPlace {
  std::uint64_t hash = 0;
  std::uint64_t offset = 0;  ///< of the line's JSON
  std::uint32_t length = 0;
  std::uint32_t file = 0;
  std::int32_t attempt = 0;
  Status status = Status::completed;
};

/// A point that was in flight when processes died.
struct Suspect {
  std::uint64_t hash = 0;
  int deaths = 0;
  bool alone = false;  ///< in one of them nothing else was in flight, at the end of a sweep
};

/// All rows of a folder's journals. Lines that are damaged count for nothing.
class COLUBER_EXPORT JournalIndex {
 public:
  /// Reads `folder`; one that is not there is empty. Throws FileError.
  explicit JournalIndex(const std::filesystem::path& folder);
  ~JournalIndex();
  JournalIndex(const JournalIndex&) = delete;
  JournalIndex& operator=(const JournalIndex&) = delete;

  /// By hash, one each: of several the last attempt.
  [[nodiscard]] const std::vector<RowPlace>& rows() const { return rows_; }
  /// nullptr if there is none.
  [[nodiscard]] const RowPlace* find(std::uint64_t hash) const;
  /// The row itself. Throws FileError.
  [[nodiscard]] Row read(const RowPlace& place) const;
  /// By hash.
  [[nodiscard]] const std::vector<Suspect>& suspects() const { return suspects_; }
  /// The files, in order of name.
  [[nodiscard]] const std::vector<JournalOrigin>& origins() const { return origins_; }
  /// Lines that were damaged; that a process was still writing do not count.
  [[nodiscard]] std::size_t damaged() const { return damaged_; }

 private:
  void read_file(const std::filesystem::path& file);
  std::vector<std::filesystem::path> files_;
  std::vector<RowPlace> rows_;
  std::vector<Suspect> suspects_;
  std::vector<JournalOrigin> origins_;
  std::size_t damaged_ = 0;
  mutable std::vector<int> open_;  // descriptors by file, -1
  mutable std::size_t open_count_ = 0;
};

/// Whether a file is a journal of a sweep, by its first line.
COLUBER_EXPORT bool is_journal(const std::filesystem::path& file);

/// A JSON text with the CRC-32 in front that a journal's line has, without the line's end.
COLUBER_EXPORT std::string to_journal_line(std::string_view json);
/// The JSON of a line; empty if it is damaged.
COLUBER_EXPORT std::string_view from_journal_line(std::string_view line);

}  // namespace coluber::sweep

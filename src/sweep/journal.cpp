#include "coluber/sweep/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"

#include "record/output_file.hpp"
#include "sweep/json_line.hpp"

namespace coluber::sweep {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t crc_digits = 8;
constexpr std::string_view journal_mark = "coluber-sweep-journal";

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// What stands behind `"key":` in a line that to_line() or a journal wrote; "" if nothing. Quotes
/// inside texts are escaped, so that no text can look like a key.
std::string_view value_in(std::string_view json, std::string_view key) {
  const std::size_t at = json.find(key);
  if (at == std::string_view::npos) return {};
  json.remove_prefix(at + key.size());
  if (json.starts_with('"')) {
    json.remove_prefix(1);
    return json.substr(0, json.find('"'));
  }
  return json.substr(0, json.find_first_of(",}"));
}

std::uint64_t hash_in(std::string_view json) {
  const auto text = value_in(json, "\"hash\":");
  std::uint64_t hash = 0;
  std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  return hash;
}

}  // namespace

std::string to_journal_line(std::string_view json) {
  return fmt::format("{:08x} {}", crc_of(json), json);
}

std::string_view from_journal_line(std::string_view line) {
  if (line.size() < crc_digits + 3 || line[crc_digits] != ' ') return {};
  std::uint32_t crc = 0;
  const std::string_view digits = line.substr(0, crc_digits);
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), crc, 16);
  if (failure != std::errc{} || end != digits.data() + digits.size()) return {};
  const std::string_view json = line.substr(crc_digits + 1);
  return crc_of(json) == crc ? json : std::string_view{};
}

// ---- writing
// --------------------------------------------------------------------------------------

Journal::Journal(const fs::path& folder, const Sweep& sweep, const std::string& part)
    : synced_(std::chrono::steady_clock::now()) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  for (int attempt = 0; fd_ < 0; ++attempt) {
    file_ =
        folder / fmt::format("{}-{}-{}-{:x}.jsonl", part, host_name(), ::getpid(), now + attempt);
    fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (fd_ < 0 && (errno != EEXIST || attempt == 100)) record::fail("create", file_, errno);
  }
  static_cast<void>(::flock(fd_, LOCK_EX | LOCK_NB));  // shows that its process lives
  std::string line = "{\"kind\":\"start\",\"of\":";
  append_text(journal_mark, line);
  line += ",\"version\":";
  append_text(build_info().version, line);
  line += ",\"revision\":";
  append_text(build_info().revision, line);
  line += fmt::format(R"(,"arithmetic":"{}","base":"{:016x}","host":)", arithmetic(),
                      sweep.base().hash);
  append_text(host_name(), line);
  line += fmt::format(R"(,"process":{},"part":)", ::getpid());
  append_text(part, line);
  line += '}';
  write(line);
}

// A process that ends in order, after an error too, has nothing in flight.
Journal::~Journal() {
  try {
    if (!ended_) end();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a full disk; what is in flight counts
                            // as a death of the process
  }
  if (fd_ >= 0) ::close(fd_);
}

void Journal::write(std::string_view json) {
  std::string line = to_journal_line(json);
  line += '\n';
  const std::lock_guard lock(mutex_);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t done = ::write(fd_, rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) record::fail("write", file_, done < 0 ? errno : ENOSPC);
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
}

void Journal::start(const Point& point, bool alone) {
  write(fmt::format(R"({{"kind":"start","hash":"{:016x}","alone":{}}})", point.hash, alone));
}

void Journal::append(const Row& row) { write(to_line(row)); }

void Journal::append_line(std::string_view json) { write(json); }

void Journal::sync() {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (now - synced_ < std::chrono::seconds(1)) return;
    synced_ = now;
  }
  if (::fsync(fd_) != 0 && errno != EINVAL) record::fail("write", file_, errno);
}

void Journal::end() {
  ended_ = true;
  write(R"({"kind":"end"})");
  if (::fsync(fd_) != 0 && errno != EINVAL) record::fail("write", file_, errno);
}

// ---- reading
// --------------------------------------------------------------------------------------

namespace {

/// Calls `take(line, offset)` for each line of a file, without its end; the last one may lack it.
template <typename Take>
void read_lines(int fd, const fs::path& file, Take take) {
  constexpr std::size_t chunk = std::size_t{1} << 18;
  std::string buffer;
  std::uint64_t offset = 0;  // of the buffer
  for (;;) {
    const std::size_t kept = buffer.size();
    buffer.resize(kept + chunk);
    const ssize_t read =
        ::pread(fd, buffer.data() + kept, chunk, static_cast<off_t>(offset + kept));
    if (read < 0) record::fail("read", file, errno);
    buffer.resize(kept + static_cast<std::size_t>(read));
    std::size_t begin = 0;
    for (std::size_t end = buffer.find('\n', std::min(kept, buffer.size()));
         end != std::string::npos; end = buffer.find('\n', begin)) {
      take(std::string_view(buffer).substr(begin, end - begin), offset + begin, true);
      begin = end + 1;
    }
    if (read == 0) {
      if (begin < buffer.size()) {
        take(std::string_view(buffer).substr(begin), offset + begin, false);
      }
      return;
    }
    constexpr std::size_t longest = std::size_t{64} << 20;
    if (buffer.size() - begin > longest) return;  // no journal has such a line
    buffer.erase(0, begin);
    offset += begin;
  }
}

}  // namespace

JournalIndex::JournalIndex(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  if (failure && failure != std::errc::no_such_file_or_directory) {
    throw FileError(fmt::format("cannot read {}: {}", folder.string(), failure.message()));
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) read_file(file);
  open_.assign(files_.size(), -1);
  std::ranges::sort(rows_, [](const RowPlace& a, const RowPlace& b) {
    return std::tuple(a.hash, -a.attempt, a.file, a.offset) <
           std::tuple(b.hash, -b.attempt, b.file, b.offset);
  });
  const auto same = std::ranges::unique(rows_, {}, &RowPlace::hash);
  rows_.erase(same.begin(), same.end());
  std::ranges::sort(suspects_, {}, &Suspect::hash);
  std::vector<Suspect> merged;
  for (const Suspect& suspect : suspects_) {
    if (merged.empty() || merged.back().hash != suspect.hash) {
      merged.push_back(suspect);
    } else {
      merged.back().deaths += suspect.deaths;
      merged.back().alone = merged.back().alone || suspect.alone;
    }
  }
  suspects_ = std::move(merged);
}

JournalIndex::~JournalIndex() {
  for (const int fd : open_) {
    if (fd >= 0) ::close(fd);
  }
}

void JournalIndex::read_file(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) record::fail("read", file, errno);
  const bool alive = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const auto number = static_cast<std::uint32_t>(files_.size());
  files_.push_back(file);
  std::map<std::uint64_t, bool> flying;  // begun and no row yet: alone
  bool ended = false;
  bool first = true;
  try {
    read_lines(fd, file, [&](std::string_view line, std::uint64_t offset, bool whole) {
      const std::string_view json = from_journal_line(line);
      const bool begins = std::exchange(first, false);
      if (json.empty() || !whole) {
        damaged_ += alive && !whole ? 0 : 1;
        return;
      }
      const std::string_view kind = value_in(json, "\"kind\":");
      if (kind == "start" && begins && value_in(json, "\"of\":") == journal_mark) {
        const auto all = nlohmann::json::parse(json, nullptr, false);
        if (!all.is_object()) return;
        const auto text = [&](const char* key) {
          const auto found = all.find(key);
          return found != all.end() && found->is_string() ? found->get<std::string>()
                                                          : std::string();
        };
        JournalOrigin origin{file.filename().string(), text("host"),       text("revision"),
                             text("version"),          text("arithmetic"), 0};
        const std::string base = text("base");
        std::from_chars(base.data(), base.data() + base.size(), origin.base, 16);
        origins_.push_back(std::move(origin));
      } else if (kind == "start") {
        flying[hash_in(json)] = value_in(json, "\"alone\":") == "true";
      } else if (kind == "row") {
        const auto status = find_status(value_in(json, "\"status\":"));
        if (!status) return;
        RowPlace place;
        place.hash = hash_in(json);
        place.offset = offset + crc_digits + 1;
        place.length = static_cast<std::uint32_t>(json.size());
        place.file = number;
        place.status = *status;
        const auto attempt = value_in(json, "\"attempt\":");
        std::from_chars(attempt.data(), attempt.data() + attempt.size(), place.attempt);
        flying.erase(place.hash);
        rows_.push_back(place);
      } else if (kind == "end") {
        ended = true;
      }
    });
  } catch (...) {
    ::close(fd);
    throw;
  }
  ::close(fd);
  if (alive || ended) return;
  for (const auto& [hash, alone] : flying) suspects_.push_back({hash, 1, alone});
}

const RowPlace* JournalIndex::find(std::uint64_t hash) const {
  const auto found = std::ranges::lower_bound(rows_, hash, {}, &RowPlace::hash);
  return found == rows_.end() || found->hash != hash ? nullptr : &*found;
}

Row JournalIndex::read(const RowPlace& place) const {
  constexpr std::size_t most_open = 200;
  int& fd = open_[place.file];
  if (fd < 0) {
    if (open_count_ >= most_open) {
      for (int& other : open_) {
        if (other >= 0) ::close(std::exchange(other, -1));
      }
      open_count_ = 0;
    }
    fd = ::open(files_[place.file].c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) record::fail("read", files_[place.file], errno);
    ++open_count_;
  }
  std::string json(place.length, '\0');
  const ssize_t read = ::pread(fd, json.data(), json.size(), static_cast<off_t>(place.offset));
  if (read < 0) record::fail("read", files_[place.file], errno);
  json.resize(static_cast<std::size_t>(read));
  return from_line(json);
}

bool is_journal(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::string begin(512, '\0');
  const ssize_t read = ::read(fd, begin.data(), begin.size());
  ::close(fd);
  if (read < 0) return false;
  begin.resize(static_cast<std::size_t>(read));
  // one that was cut off at once holds nothing of anybody's
  return begin.empty() || begin.find(journal_mark) != std::string::npos;
}

}  // namespace coluber::sweep

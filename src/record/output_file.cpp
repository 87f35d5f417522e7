#include "record/output_file.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/core/hash.hpp"

#include "core/hash_both.hpp"

namespace coluber::record {

void fail(const char* verb, const std::filesystem::path& file, int error) {
  throw FileError(fmt::format("{}: cannot {}: {}", file.string(), verb,
                              std::generic_category().message(error)));
}

void check_given_up(const GiveUp& give_up) {
  if (give_up && give_up()) throw GivenUp("given up");
}

std::filesystem::path partial_name(const std::filesystem::path& file) {
  return std::filesystem::path(file) += ".part";
}

void rename_partial(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::rename(partial_name(file), file, error);
  if (error) fail("rename into place", file, error.value());
}

namespace {

constexpr std::size_t buffer_bytes = 1U << 16U;

void sync_path(const std::filesystem::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("open", path, errno);
  const int result = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  // EINVAL: a file system whose folders (or pipes) know nothing to bring to the disk
  if (result != 0 && error != EINVAL) fail("write", path, error);
}

}  // namespace

void begin_sync(const std::filesystem::path& file) noexcept {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  static_cast<void>(::sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
  ::close(fd);
}

void commit_partials(std::span<const std::filesystem::path> files) {
  for (const std::filesystem::path& file : files) sync_file(partial_name(file));
  for (const std::filesystem::path& file : files) rename_partial(file);
}

void sync_file(const std::filesystem::path& file) { sync_path(file, 0); }

void sync_folder(const std::filesystem::path& folder) { sync_path(folder, O_DIRECTORY); }

std::string read_bytes(const std::filesystem::path& file) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"),
                                                           std::fclose);
  if (!in) fail("read", file, errno);
  std::string bytes;
  std::vector<char> buffer(1U << 16U);
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), in.get())) {
    bytes.append(buffer.data(), got);
  }
  if (std::ferror(in.get()) != 0) fail("read", file, errno);
  return bytes;
}

namespace {

// A file that is hashed as it is read.
class HashedFile {
 public:
  explicit HashedFile(const std::filesystem::path& file) : file_(file), fd_(open_file(file)) {}
  HashedFile(const HashedFile&) = delete;
  HashedFile& operator=(const HashedFile&) = delete;
  ~HashedFile() { ::close(fd_); }

  // The next bytes, none at the end.
  std::span<const std::byte> read() {
    while (true) {
      const ssize_t got = ::read(fd_, buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("read", file_, errno);
      bytes_ += static_cast<std::size_t>(got);
      return std::span(buffer_).first(static_cast<std::size_t>(got));
    }
  }
  [[nodiscard]] Hasher& hasher() { return hasher_; }
  [[nodiscard]] Fingerprint fingerprint() const { return {bytes_, hasher_.finish()}; }

 private:
  static int open_file(const std::filesystem::path& file) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail("read", file, errno);
    return fd;
  }

  const std::filesystem::path& file_;
  int fd_;
  std::uint64_t bytes_ = 0;
  Hasher hasher_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(buffer_bytes);
};

constexpr std::size_t give_up_bytes = 64U << 20U;  // what takes no time is not given up

}  // namespace

Fingerprint compute_fingerprint(const std::filesystem::path& file, const GiveUp& give_up) {
  HashedFile in(file);
  std::size_t done = 0;
  for (auto bytes = in.read(); !bytes.empty(); bytes = in.read()) {
    in.hasher().update(bytes);
    done += bytes.size();
    if (done < give_up_bytes) continue;
    done = 0;
    check_given_up(give_up);
  }
  return in.fingerprint();
}

std::array<Fingerprint, 2> compute_fingerprints(const std::filesystem::path& one,
                                                const std::filesystem::path& other,
                                                const GiveUp& give_up) {
  HashedFile a(one);
  HashedFile b(other);
  std::size_t done = 0;
  while (true) {
    const auto of_a = a.read();
    const auto of_b = b.read();
    if (of_a.empty() && of_b.empty()) break;
    update_both(a.hasher(), of_a, b.hasher(), of_b);
    done += std::max(of_a.size(), of_b.size());
    if (done < give_up_bytes) continue;
    done = 0;
    check_given_up(give_up);
  }
  return {a.fingerprint(), b.fingerprint()};
}

// `z.csv.1234.part` tells by the number whose draft it is, should this process be killed.
OutputFile::OutputFile(std::filesystem::path file, Draft draft)
    : file_(std::move(file)), draft_(partial_name(file_)), kept_(draft == Draft::of_a_run) {
  constexpr int most_tries = 1000;
  for (int k = 1; k <= (kept_ ? 1 : most_tries) && stream_ == nullptr; ++k) {
    if (!kept_) {
      draft_ = file_;
      draft_ +=
          k == 1 ? fmt::format(".{}.part", ::getpid()) : fmt::format(".{}-{}.part", ::getpid(), k);
    }
    stream_ = std::fopen(draft_.c_str(), kept_ ? "wb" : "wbx");
    if (stream_ == nullptr && errno != EEXIST) break;
  }
  if (stream_ == nullptr) fail("write", file_, errno);
  static_cast<void>(std::setvbuf(stream_, nullptr, _IOFBF, buffer_bytes));
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr) static_cast<void>(std::fclose(stream_));
  std::error_code ignored;
  if (!kept_) std::filesystem::remove(draft_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) {
    fail("write", file_, errno);
  }
}

void OutputFile::write(std::span<const float> values) {
  static_assert(std::endian::native == std::endian::little, "swap bytes here for other machines");
  write(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

void OutputFile::close() {
  errno = 0;
  if (std::fclose(std::exchange(stream_, nullptr)) != 0) fail("write", file_, errno);
}

void OutputFile::commit() {
  errno = 0;
  if (std::fflush(stream_) != 0 || ::fsync(::fileno(stream_)) != 0) fail("write", file_, errno);
  commit_unsynced();
}

void OutputFile::commit_unsynced() {
  close();
  std::error_code error;
  std::filesystem::rename(draft_, file_, error);
  if (error) fail("rename into place", file_, error.value());
  kept_ = true;  // the name may be another's from now on
}

}  // namespace coluber::record

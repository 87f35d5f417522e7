#pragma once

#include <filesystem>

namespace coluber::record {

/// Keeps other processes from writing the same run folder; ends with the process, however it ends.
/// Throws FolderBusy if another holds it. Where a file system knows no locks it does nothing.
class FolderLock {
 public:
  FolderLock() = default;
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  int fd_ = -1;
};

}  // namespace coluber::record

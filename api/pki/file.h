// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all, and last: keys, certificates, lists.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/handle.h"

namespace rdmaready::pki {

enum class Existing { kKept, kReplaced };

// A text beside its place, on the disk already; Put gives it the name. What is not put is removed.
class StagedFile {
 public:
  // Errors of the kernel, which name `path`. `mode` counts whatever the umask.
  static absl::StatusOr<StagedFile> Write(const std::string& path, std::string_view text, ::mode_t mode);

  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile();

  // One atomic step, and the directory is on the disk when it returns. kAlreadyExists: kKept, and there is one.
  absl::Status Put(Existing existing);

 private:
  StagedFile(std::string path, std::string staged) : path_(std::move(path)), staged_(std::move(staged)) {}

  std::string path_;
  std::string staged_;  // empty: put, or moved from
};

// Write and Put.
absl::Status WriteFile(const std::string& path, std::string_view text, ::mode_t mode, Existing existing);

// With what is missing above it, `mode` for each that is made. OK where it is there already.
absl::Status MakeDirectories(const std::string& path, ::mode_t mode);

// Adds `text` at the end, and it is on the disk. A last line without its end, which only a crash leaves, is
// removed before; where `text` does not fit, the file is what it was.
absl::Status AppendWhole(const std::string& path, std::string_view text, ::mode_t mode);

// One holder at a time, threads of one process too; the kernel releases it when the holder dies. kUnavailable
// after `wait`.
class DirectoryLock {
 public:
  static absl::StatusOr<DirectoryLock> Take(const std::string& directory, std::chrono::milliseconds wait,
                                            Clock& clock = RealClock());

 private:
  explicit DirectoryLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace rdmaready::pki

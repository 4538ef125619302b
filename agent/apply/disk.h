// SPDX-License-Identifier: Apache-2.0
// Disk: the seam to the file system of the state directory, so that a test can fill it, cut a write, or kill.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace rdmaready::apply {

// One thread at a time. Errors: ErrnoStatus, with the path. A failed Append may have written a part.
class Disk {
 public:
  virtual ~Disk() = default;

  // At the end of the file.
  virtual absl::Status Append(int fd, const std::string& path, std::string_view bytes) = 0;
  // On the medium when it returns.
  virtual absl::Status Sync(int fd, const std::string& path) = 0;
  virtual absl::Status Truncate(int fd, const std::string& path, std::uint64_t size) = 0;
  // Room for so many bytes after `size`, without making the file longer; OK, too, where the file system cannot.
  virtual absl::Status Reserve(int fd, const std::string& path, std::uint64_t size, std::uint64_t bytes) = 0;
  // Gives the file of `path` the name `to` as well, on the medium when it returns. OK, too, where `to` names
  // that file already; kAlreadyExists: it names another one.
  virtual absl::Status Link(const std::string& path, const std::string& to) = 0;
  // `path` is `text` or what it was, also after a power loss: by a file beside it.
  virtual absl::Status Replace(const std::string& path, std::string_view text) = 0;
};

Disk& RealDisk();

// A name that was just made in the folder of `path` survives a power loss.
absl::Status SyncFolderOf(const std::string& path);

}  // namespace rdmaready::apply

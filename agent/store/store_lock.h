// SPDX-License-Identifier: Apache-2.0
// StoreLock: one process at a time opens a store to write. The kernel releases it when the holder dies, however
// it dies.
//
// Why, although SQLite locks too: 3.40 has a race between two connections that write or checkpoint in WAL mode
// at the same instant (sqlite.org/wal.html, "the WAL-reset bug") by which pages are lost; and a damaged file is
// renamed and a fresh one made, which nobody else may watch half done.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

class StoreLock {
 public:
  // Takes the lock file `path`, which is made when it is absent and never removed. Waits at most `wait`, then
  // says who holds it (kUnavailable).
  static absl::StatusOr<StoreLock> Take(const std::string& path, std::chrono::milliseconds wait);

  // True when the path names another file by now, or none: then whoever comes next does not see this lock.
  bool Moved() const;

 private:
  StoreLock(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  UniqueFd fd_;
};

}  // namespace rdmaready

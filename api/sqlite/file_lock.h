// SPDX-License-Identifier: Apache-2.0
// FileLock: one process at a time has what the file stands for: a store to write to, the local socket. The
// kernel releases it when the holder dies, however it dies.
//
// Why for a store, although SQLite locks too: 3.40 has a race between two connections that write or checkpoint
// in WAL mode at the same instant (sqlite.org/wal.html, "the WAL-reset bug") by which pages are lost; and a
// damaged file is renamed and a fresh one made, which nobody else may watch half done.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/handle.h"

namespace rdmaready {

class FileLock {
 public:
  // Takes the lock file `path`, which is made when it is absent and never removed. Waits at most `wait`, then
  // says who holds it (kUnavailable): "`purpose`: in use by ...".
  static absl::StatusOr<FileLock> Take(const std::string& path, const std::string& purpose,
                                       std::chrono::milliseconds wait, Clock& clock = RealClock());

  // True when the path names another file by now, or none: then the next process does not see this lock.
  bool Moved() const;

 private:
  FileLock(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  UniqueFd fd_;
};

}  // namespace rdmaready

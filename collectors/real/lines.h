// SPDX-License-Identifier: Apache-2.0
// Lines of files, found once as long as the file stays as it is.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/clock.h"

namespace rdmaready {

// Any thread may ask. What was found in a large file, such as a kernel's configuration or the index of its
// modules, is kept: reading those again was a quarter of the time of reading a host. A file is the same while
// its inode, size and times are (on NFS: as its attribute cache has them); the kernel's own (procfs, sysfs) say
// no size worth it and are always read.
class LineFinder {
 public:
  // Two writes within a tick of the filesystem's clock leave the same times, so a file counts as staying only
  // when it is left alone for longer. Ticks are of 10 ms at most, of 2 s on FAT.
  explicit LineFinder(std::chrono::milliseconds settled = std::chrono::seconds(3), Clock& clock = RealClock())
      : settled_(settled), clock_(clock) {}

  // As LinesQuestion.
  absl::StatusOr<std::vector<std::string>> Find(const std::string& path, const std::vector<std::string>& words);

 private:
  struct Found {
    struct stat file {};
    std::vector<std::string> words{};
    std::vector<std::string> lines{};
  };

  std::chrono::milliseconds settled_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Found> found_;  // by path, the last words asked for
};

}  // namespace rdmaready

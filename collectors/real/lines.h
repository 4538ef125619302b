// SPDX-License-Identifier: Apache-2.0
// Lines of files and names of folders, read once as long as the file or the folder stays as it is.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/clock.h"

namespace rdmaready {

// Any thread may ask. A host has some hundred files of settings below /etc and /lib that hardly ever change,
// and reading them again was half of the time of reading a host. A file or a folder is the same while its
// inode, size and times are (on NFS: as its attribute cache has them). The kernel's own (/proc, /sys, /dev) are
// always read.
class LineFinder {
 public:
  // Two writes within a tick of the filesystem's clock leave the same times, so a file counts as staying only
  // when it is left alone for longer. Ticks are of 10 ms at most, of 2 s on FAT.
  explicit LineFinder(std::chrono::milliseconds settled = std::chrono::seconds(3), Clock& clock = RealClock())
      : settled_(settled), clock_(clock) {}

  // As LinesQuestion.
  absl::StatusOr<std::vector<std::string>> Find(const std::string& path, const std::vector<std::string>& words);

  // As DirectoryQuestion.
  absl::StatusOr<std::vector<std::string>> List(const std::string& path);

 private:
  using Texts = std::vector<std::string>;
  using Key =
      std::pair<std::string, std::vector<std::string>>;  // a path, and the words looked for; a folder: none
  struct Kept {
    struct stat file {};
    Texts texts{};
  };

  // `read`, unless what it found before is still so. `verb`: of the error where nothing is there.
  template <class Read>
  absl::StatusOr<Texts> ReadOnce(std::map<Key, Kept>& all, const Key& key, const char* verb, Read read);

  std::chrono::milliseconds settled_;
  Clock& clock_;
  std::mutex mutex_;  // guards what follows
  std::map<Key, Kept> files_;
  std::map<Key, Kept> folders_;
};

}  // namespace rdmaready

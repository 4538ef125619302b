// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/lines.h"

#include <chrono>
#include <optional>

#include "api/base/status.h"
#include "collectors/lines.h"
#include "collectors/real/files.h"
#include "collectors/real/host_root.h"

namespace rdmaready {
namespace {

constexpr off_t kLargeBytes = off_t{64} << 10U;
constexpr std::size_t kMostLineFiles = 16;

bool SameTime(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         SameTime(a.st_mtim, b.st_mtim) && SameTime(a.st_ctim, b.st_ctim);
}

bool LeftAlone(const struct stat& file, std::chrono::milliseconds settled, Clock& clock) {
  const auto changed =
      std::chrono::seconds(file.st_ctim.tv_sec) + std::chrono::nanoseconds(file.st_ctim.tv_nsec);
  return changed + settled < clock.Wall().time_since_epoch();
}

// Nothing for what is not worth keeping: the reading of it says what is wrong with it.
std::optional<struct stat> LargeFile(const std::string& path) {
  struct stat file {};
  if (!HostRoot::OfThisHost().Stat(path, file) || !S_ISREG(file.st_mode) || file.st_size < kLargeBytes)
    return std::nullopt;
  return file;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LineFinder::Find(const std::string& path,
                                                          const std::vector<std::string>& words) {
  const std::optional<struct stat> before = LargeFile(path);
  if (before) {
    const std::lock_guard lock(mutex_);
    const auto known = found_.find(path);
    if (known != found_.end() && SameFile(known->second.file, *before) && known->second.words == words)
      return known->second.lines;
  }
  RR_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  std::vector<std::string> lines = LinesToKeep(path, text, words);
  const std::optional<struct stat> after = LargeFile(path);
  if (before && after && SameFile(*before, *after) && LeftAlone(*after, settled_, clock_)) {
    const std::lock_guard lock(mutex_);
    if (found_.size() >= kMostLineFiles && !found_.contains(path)) found_.clear();  // of kernels long gone
    found_.insert_or_assign(path, Found{*after, words, lines});
  }
  return lines;
}

}  // namespace rdmaready

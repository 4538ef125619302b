// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/lines.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>

#include "api/base/status.h"
#include "collectors/lines.h"
#include "collectors/real/files.h"
#include "collectors/real/host_root.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostKept = 8192;  // of a thousand files, each with several lists of words

bool IsKernels(std::string_view path) {
  constexpr std::array<std::string_view, 3> kFolders{"/proc/", "/sys/", "/dev/"};
  return std::ranges::any_of(kFolders, [path](std::string_view folder) { return path.starts_with(folder); });
}

bool SameTime(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_mode == b.st_mode && a.st_size == b.st_size &&
         SameTime(a.st_mtim, b.st_mtim) && SameTime(a.st_ctim, b.st_ctim);
}

bool LeftAlone(const struct stat& file, std::chrono::milliseconds settled, Clock& clock) {
  const auto changed =
      std::chrono::seconds(file.st_ctim.tv_sec) + std::chrono::nanoseconds(file.st_ctim.tv_nsec);
  return changed + settled < clock.Wall().time_since_epoch();
}

// A file without a size may be one that some filesystem makes up as it is read.
bool MayStay(const struct stat& file) {
  return (S_ISREG(file.st_mode) && file.st_size > 0) || S_ISDIR(file.st_mode);
}

}  // namespace

template <class Read>
absl::StatusOr<LineFinder::Texts> LineFinder::ReadOnce(std::map<Key, Kept>& all, const Key& key,
                                                       const char* verb, Read read) {
  const std::string& path = key.first;
  if (IsKernels(path)) return read();
  const HostRoot& root = HostRoot::OfThisHost();
  struct stat before {};
  const bool seen = root.Stat(path, before);
  if (!seen && errno == ENOENT) return ErrnoStatus(ENOENT, verb + path);
  if (seen) {
    const std::lock_guard lock(mutex_);
    const auto known = all.find(key);
    if (known != all.end() && SameFile(known->second.file, before)) return known->second.texts;
  }
  RR_ASSIGN_OR_RETURN(Texts texts, read());
  struct stat after {};
  if (seen && MayStay(before) && LeftAlone(before, settled_, clock_) && root.Stat(path, after) &&
      SameFile(before, after)) {
    const std::lock_guard lock(mutex_);
    if (all.size() >= kMostKept && !all.contains(key)) all.clear();  // of kernels long gone
    all.insert_or_assign(key, Kept{after, texts});
  }
  return texts;
}

absl::StatusOr<std::vector<std::string>> LineFinder::Find(const std::string& path,
                                                          const std::vector<std::string>& words) {
  return ReadOnce(files_, {path, words}, "open ", [&]() -> absl::StatusOr<Texts> {
    RR_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
    return LinesToKeep(path, text, words);
  });
}

absl::StatusOr<std::vector<std::string>> LineFinder::List(const std::string& path) {
  return ReadOnce(folders_, {path, {}}, "list ", [&path] { return ListWholeDirectory(path); });
}

}  // namespace rdmaready

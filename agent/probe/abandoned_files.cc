// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/abandoned_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/base/handle.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPrefix = ".rdmaready-";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::time_t kAbandonedSeconds = 600;
static_assert(std::chrono::seconds(kAbandonedSeconds) > kMostProbeTime);
constexpr int kMostEntries = 10'000;  // that are looked at
constexpr int kMostRemoved = 100;

bool RemoveIfOld(int directory, const char* name, std::time_t server_now) {
  struct stat about {};
  if (::fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) return false;
  return server_now - about.st_mtime > kAbandonedSeconds && ::unlinkat(directory, name, 0) == 0;
}

}  // namespace

bool ProofFileNames::Match(std::string_view name) const {
  if (name.size() != kPrefix.size() + digits + suffix.size()) return false;
  return name.starts_with(kPrefix) && name.ends_with(suffix) &&
         name.substr(kPrefix.size(), digits).find_first_not_of(kDigits) == name.npos;
}

std::string ProofFileNames::Make(std::string_view digits_of_this) const {
  return std::string(kPrefix).append(digits_of_this).append(suffix);
}

void RemoveAbandoned(int directory, const ProofFileNames& names, std::time_t server_now) {
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return;
  const Handle<DIR, ::closedir> list(::fdopendir(copy));
  if (!list) {
    ::close(copy);
    return;
  }
  int removed = 0;
  for (int seen = 0; seen < kMostEntries && removed < kMostRemoved; ++seen) {
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr) return;
    if (names.Match(entry->d_name) && RemoveIfOld(directory, entry->d_name, server_now)) ++removed;
  }
}

}  // namespace rdmaready

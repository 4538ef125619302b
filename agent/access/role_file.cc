// SPDX-License-Identifier: Apache-2.0
#include "agent/access/role_file.h"

#include <utility>

#include "api/base/status.h"

namespace rdmaready::access {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(1);

bool SameFile(const struct ::stat& a, const struct ::stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size && a.st_mode == b.st_mode &&
         a.st_uid == b.st_uid && a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

}  // namespace

absl::StatusOr<std::shared_ptr<RoleFile>> RoleFile::Open(const std::string& path, EventSink events,
                                                         Clock& clock) {
  std::shared_ptr<RoleFile> file(new RoleFile(path, std::move(events), clock));
  // Looked at first: what is changed while it is read is read again.
  static_cast<void>(::stat(path.c_str(), &file->seen_));
  RR_ASSIGN_OR_RETURN(file->map_, LoadRoleMap(path));
  file->looked_ = clock.Now();
  return file;
}

void RoleFile::LookAgain() {
  const auto now = clock_.Now();
  if (now - looked_ < kLookEvery) return;
  looked_ = now;
  struct ::stat info {};
  static_cast<void>(::stat(path_.c_str(), &info));
  if (SameFile(info, seen_)) return;
  seen_ = info;
  absl::StatusOr<RoleMap> map = LoadRoleMap(path_);
  if (map.ok()) {
    map_ = *std::move(map);
    Tell(events_, EventLevel::kInfo, "roles",
         {{"path", path_}, {"patterns", static_cast<std::int64_t>(map_.rows().size())}});
  } else {
    Tell(events_, EventLevel::kError, "roles",
         {{"path", path_}, {"reason", Message(map.status()) + "; what was read before stays in force"}});
  }
}

RoleSet RoleFile::RolesOf(std::span<const SubjectName> names) {
  const std::lock_guard lock(mutex_);
  LookAgain();
  return map_.RolesOf(names);
}

}  // namespace rdmaready::access

// SPDX-License-Identifier: Apache-2.0
// RoleFile: the role map of --roles, as the file is now.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "agent/access/role_map.h"
#include "api/base/clock.h"
#include "api/base/event.h"

namespace rdmaready::access {

// Threads: every method may be called from any thread.
class RoleFile {
 public:
  // Errors of LoadRoleMap.
  static absl::StatusOr<std::shared_ptr<RoleFile>> Open(const std::string& path, EventSink events,
                                                        Clock& clock = RealClock());

  // Looks at the file at most once a second. One that can no longer be read, or is wrong, leaves the map as it
  // was, and the log says so: a slip of the pen must not lock everybody out.
  RoleSet RolesOf(std::span<const SubjectName> names);

 private:
  RoleFile(std::string path, EventSink events, Clock& clock)
      : path_(std::move(path)), events_(std::move(events)), clock_(clock) {}
  void LookAgain();

  const std::string path_;
  const EventSink events_;
  Clock& clock_;
  std::mutex mutex_;  // guards what follows
  RoleMap map_{};
  struct ::stat seen_ {};
  Clock::TimePoint looked_{};
};

}  // namespace rdmaready::access

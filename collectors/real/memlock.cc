// SPDX-License-Identifier: Apache-2.0
#include <linux/capability.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "api/base/status.h"
#include "collectors/questions/system.h"
#include "collectors/real/files.h"

namespace rdmaready {
namespace {

// The kernel asks capable(CAP_IPC_LOCK) (ib_umem_get in drivers/infiniband/core/umem.c), which counts only in
// the initial user namespace; its inode number is fixed: PROC_USER_INIT_INO of include/linux/proc_ns.h.
bool HasIpcLock() {
  constexpr std::string_view kField = "\nCapEff:\t";
  const absl::StatusOr<std::string> user_namespace = ReadLinkText("/proc/self/ns/user");
  if (user_namespace.ok() && *user_namespace != "user:[4026531837]") return false;
  const absl::StatusOr<std::string> status = ReadWholeFile("/proc/self/status");
  if (!status.ok()) return false;
  const std::size_t found = status->find(kField);
  if (found == std::string::npos) return false;
  std::uint64_t effective = 0;
  const char* begin = status->data() + found + kField.size();
  std::from_chars(begin, status->data() + status->size(), effective, 16);
  return ((effective >> CAP_IPC_LOCK) & 1U) != 0;
}

}  // namespace

absl::StatusOr<MemlockAnswer> MemlockQuestion::AskThisHost() const {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return ErrnoStatus(errno, What());
  static_assert(RLIM_INFINITY == std::numeric_limits<std::uint64_t>::max());
  return MemlockAnswer{.limit_bytes = limit.rlim_cur, .cap_ipc_lock = HasIpcLock(), .pid = ::getpid()};
}

}  // namespace rdmaready

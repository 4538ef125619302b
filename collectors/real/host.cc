// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/host.h"

#include <linux/capability.h>
#include <linux/netlink.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "api/base/status.h"
#include "collectors/lldp/lldpad_messages.h"
#include "collectors/real/dcb.h"
#include "collectors/real/ethtool.h"
#include "collectors/real/files.h"
#include "collectors/real/lldp.h"
#include "collectors/real/lldpad.h"
#include "collectors/real/netlink.h"
#include "collectors/real/rdma_cm.h"
#include "collectors/real/umad.h"
#include "collectors/real/verbs.h"

namespace rdmaready {
namespace {

// OK when the class of devices is registered, that is, when its module is loaded or built in.
absl::Status RequireClass(const char* path, const std::string& module) {
  struct stat information {};
  if (::stat(path, &information) == 0) return absl::OkStatus();
  if (errno == ENOENT)
    return absl::FailedPreconditionError("look at " + std::string(path) + ": " + module + " is not loaded");
  return ErrnoStatus(errno, "look at " + std::string(path));
}

absl::Status RequireUverbs() { return RequireClass("/sys/class/infiniband_verbs", "ib_uverbs"); }

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

absl::StatusOr<std::string> RealHost::ReadFile(std::string_view absolute_path) {
  return ReadWholeFile(std::string(absolute_path));
}

absl::StatusOr<std::vector<std::string>> RealHost::FindLines(std::string_view absolute_path,
                                                             const std::vector<std::string>& words) {
  return lines_.Find(std::string(absolute_path), words);
}

absl::StatusOr<std::vector<std::string>> RealHost::ListDirectory(std::string_view absolute_path) {
  return ListWholeDirectory(std::string(absolute_path));
}

absl::StatusOr<std::string> RealHost::ReadLink(std::string_view absolute_path) {
  return ReadLinkText(std::string(absolute_path));
}

absl::StatusOr<std::uint32_t> RealHost::FileMode(std::string_view absolute_path) {
  constexpr std::uint32_t kPermissions = 07777;
  const std::string path(absolute_path);
  struct stat information {};
  if (::stat(path.c_str(), &information) != 0) return ErrnoStatus(errno, "look at " + path);
  return static_cast<std::uint32_t>(information.st_mode) & kPermissions;
}

absl::StatusOr<std::vector<NetlinkMessage>> RealHost::Netlink(const NetlinkRequest& request) {
  if (request.protocol == NETLINK_RDMA) RR_RETURN_IF_ERROR(RequireClass("/sys/class/infiniband", "ib_core"));
  return AskKernel(request);
}

absl::StatusOr<std::vector<std::byte>> RealHost::Ethtool(const std::string& netdev,
                                                         std::span<const std::byte> request) {
  return AskEthtool(netdev, request);
}

absl::StatusOr<VerbsPortAnswer> RealHost::VerbsPort(const std::string& device, std::uint32_t port) {
  RR_RETURN_IF_ERROR(RequireUverbs());
  return QueryVerbsPort(device, port);
}

absl::StatusOr<VerbsDeviceAnswer> RealHost::VerbsDevice(const std::string& device) {
  RR_RETURN_IF_ERROR(RequireUverbs());
  return QueryVerbsDevice(device);
}

absl::StatusOr<std::vector<VerbsGid>> RealHost::VerbsGidTable(const std::string& device) {
  RR_RETURN_IF_ERROR(RequireUverbs());
  return QueryVerbsGidTable(device);
}

absl::StatusOr<RdmaCmAnswer> RealHost::RdmaCmDefaults(const std::string& device, std::uint32_t port) {
  return ReadRdmaCmDefaults("/sys/kernel/config", device, port);
}

std::vector<absl::StatusOr<LldpFrames>> RealHost::ListenForLldp(const std::vector<std::string>& netdevs,
                                                                const LldpWait& wait) {
  return ListenOnNetdevs(netdevs, wait);
}

absl::StatusOr<DcbNotices> RealHost::ListenForDcb(const LldpWait& wait) { return ListenForDcbNotices(wait); }

absl::StatusOr<std::vector<std::byte>> RealHost::Mad(const MadRequest& request) {
  return AskManagementAgent(request);
}

absl::StatusOr<std::string> RealHost::AskLldpad(std::string_view question) {
  return AskLldpadAt(kLldpadSocket, question);
}

absl::StatusOr<Memlock> RealHost::MemlockLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return ErrnoStatus(errno, "get RLIMIT_MEMLOCK");
  Memlock memlock;
  memlock.limit_bytes = limit.rlim_cur == RLIM_INFINITY ? Memlock::kUnlimited : limit.rlim_cur;
  memlock.cap_ipc_lock = HasIpcLock();
  memlock.pid = ::getpid();
  return memlock;
}

}  // namespace rdmaready

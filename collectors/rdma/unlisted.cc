// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/unlisted.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"
#include "collectors/rdma/holders.h"

namespace rdmaready {
namespace {

constexpr std::pair<std::uint32_t, std::uint32_t> kListsAll{5, 5};  // of Linux

// PROC_PID_INIT_INO of include/linux/proc_ns.h, 0xEFFFFFFC.
constexpr std::string_view kFirstPidNamespace = "pid:[4026531836]";

absl::StatusOr<std::uint32_t> ReadCount(HostReader& host, const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::string text, host.ReadFile(path));
  const auto count = ParseNumber<std::uint32_t>(TrimRight(text));
  if (!count) return Malformed(path, "it is not a number");
  return *count;
}

bool IsNewEnough(HostReader& host) {
  const absl::StatusOr<std::string> release = host.ReadFile("/proc/sys/kernel/osrelease");
  if (!release.ok()) return false;
  std::string_view rest = *release;
  const auto major = TakeNumber<std::uint32_t>(rest);
  if (!major || !rest.starts_with('.')) return false;
  rest.remove_prefix(1);
  const auto minor = TakeNumber<std::uint32_t>(rest);
  return minor && std::pair(*major, *minor) >= kListsAll;
}

}  // namespace

absl::StatusOr<Unlisted> ReadUnlisted(HostReader& host, const RdmaDevice& device) {
  const absl::StatusOr<std::string> link = host.ReadLink(SysfsPath(device, "device/driver"));
  if (absl::IsNotFound(link.status())) return Unlisted::kNothing;
  if (!link.ok()) return link.status();
  const std::string_view path = *link;
  const std::string_view driver = path.substr(path.rfind('/') + 1);
  // A sub-function's parent has the driver "mlx5_core.sf".
  if (driver == "mlx5_core" || driver.starts_with("mlx5_core.")) return Unlisted::kObjects;
  if (driver == "hfi1" || driver == "ib_qib") return Unlisted::kContexts;
  return Unlisted::kNothing;
}

absl::StatusOr<bool> ReadContextsOpen(HostReader& host, const RdmaDevice& device) {
  RR_ASSIGN_OR_RETURN(const std::uint32_t all, ReadCount(host, SysfsPath(device, "nctxts")));
  RR_ASSIGN_OR_RETURN(const std::uint32_t unused, ReadCount(host, SysfsPath(device, "nfreectxts")));
  return unused < all;
}

bool ListsAllNamespaces(HostReader& host, const std::vector<RdmaHolder>& holders) {
  if (std::ranges::any_of(holders, [](const RdmaHolder& holder) { return !holder.kernel_name.empty(); }))
    return true;
  const absl::StatusOr<std::string> own = host.ReadLink("/proc/self/ns/pid");
  return (own.ok() && *own == kFirstPidNamespace) || IsNewEnough(host);
}

}  // namespace rdmaready

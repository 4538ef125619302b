// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/gids.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

// enum ibv_gid_type of infiniband/verbs.h.
constexpr std::uint32_t kVerbsIb = 0;
constexpr std::uint32_t kVerbsRoceV1 = 1;
constexpr std::uint32_t kVerbsRoceV2 = 2;

bool Filled(const VerbsGid& gid) {
  return std::any_of(gid.raw.begin(), gid.raw.end(), [](std::uint8_t byte) { return byte != 0; });
}

std::string NetdevOf(HostReader& host, const Network& network, const std::string& device, const VerbsGid& gid,
                     std::map<std::uint32_t, std::string>& names) {
  if (gid.ifindex == 0) return "";
  const auto [found, is_new] = names.try_emplace(gid.ifindex);
  if (is_new) {
    const absl::StatusOr<Link> link = FindLink(host, network, gid.ifindex);
    if (link.ok()) found->second = link->name;
  }
  const absl::StatusOr<std::string> sysfs = host.ReadFile(
      fmt::format("/sys/class/infiniband/{}/ports/{}/gid_attrs/ndevs/{}", device, gid.port, gid.index));
  return sysfs.ok() && TrimRight(*sysfs) == found->second ? found->second : "";
}

}  // namespace

absl::Status VerbsThere(HostReader& host) {
  const absl::Status status = host.ListDirectory("/sys/class/infiniband_verbs").status();
  if (status.code() != absl::StatusCode::kNotFound) return status;
  return absl::FailedPreconditionError("look at /sys/class/infiniband_verbs: ib_uverbs is not loaded");
}

GidType GidTypeOf(std::uint32_t verbs_type, const Fact<Transport>& transport) {
  switch (transport ? *transport : Transport::kUnknown) {
    case Transport::kInfiniBand:
      return verbs_type == kVerbsIb || verbs_type == kVerbsRoceV1 ? GidType::kIb : GidType::kUnknown;
    case Transport::kRoce:
      if (verbs_type == kVerbsRoceV2) return GidType::kRoceV2;
      return verbs_type == kVerbsIb || verbs_type == kVerbsRoceV1 ? GidType::kRoceV1 : GidType::kUnknown;
    case Transport::kIwarp:
      return GidType::kUnknown;
    case Transport::kUnknown:
      if (verbs_type == kVerbsRoceV2) return GidType::kRoceV2;
      return verbs_type == kVerbsRoceV1 ? GidType::kRoceV1 : GidType::kUnknown;
  }
  return GidType::kUnknown;
}

Fact<std::vector<Gid>> ReadGids(HostReader& host, const Network& network, const std::string& device,
                                std::uint32_t port, const Fact<Transport>& transport,
                                const absl::StatusOr<std::vector<VerbsGid>>& table) {
  if (!table.ok()) return MissingFrom(table.status());
  std::map<std::uint32_t, std::string> names;
  std::vector<Gid> gids;
  for (const VerbsGid& gid : *table) {
    if (gid.port != port || !Filled(gid)) continue;
    gids.push_back(
        {gid.index, gid.raw, GidTypeOf(gid.type, transport), NetdevOf(host, network, device, gid, names)});
  }
  std::sort(gids.begin(), gids.end(), [](const Gid& a, const Gid& b) { return a.index < b.index; });
  return gids;
}

}  // namespace rdmaready

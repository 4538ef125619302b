// SPDX-License-Identifier: Apache-2.0
// gid.*, roce.*: how RoCE addresses and marks its traffic.
#include <algorithm>

#include "checks/families.h"
#include "checks/placeholders.h"
#include "checks/words/interruption.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kCmSource = "configfs rdma_cm";
constexpr std::string_view kCmInstead =
    "modprobe rdma_cm; mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config";

std::string NotRoceV2(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return view.profile.transport == Profile::Transport::kRoceV2 ? "" : NotAsked(view.profile, "RoCE v2");
}

std::string AddressesOf(const std::vector<Gid>& gids, GidType type) {
  std::string text;
  for (const Gid& gid : gids) {
    const std::string address = AddressOfGid(gid.raw);
    if (gid.type != type || address.empty()) continue;
    text += Cat(text.empty() ? "" : ", ", address, " at index ", gid.index);
  }
  return text;
}

// Why the table has no usable entry decides what to type.
std::string GidFix(const Port& port, const std::vector<Gid>& gids) {
  const std::string netdev = NetdevWord(port.netdev);
  if (!AddressesOf(gids, GidType::kRoceV1).empty()) {
    return Cat("ethtool -i ", netdev,
               "  # this device offers RoCE v1 only: update its firmware and driver, or use another NIC");
  }
  const bool has_address =
      port.netdev && port.netdev->addresses &&
      std::ranges::any_of(*port.netdev->addresses, [](const IpAddress& a) { return !IsLinkLocal(a.address); });
  if (has_address) {
    return BounceCommand(netdev, "the interface has an address, the GID table missed it");
  }
  return Cat("ip address add ADDRESS dev ", netdev,
             "  # ADDRESS: this host's in the storage network, like 10.0.0.1/24");
}

Verdict JudgeGid(const PortView& view) {
  constexpr std::string_view kSource = "GID table";
  constexpr std::string_view kExpected = "a RoCE v2 GID with an IP address";
  const Fact<std::vector<Gid>>& gids = view.port.gids;
  if (!gids) return NoAnswer(gids.missing(), std::string(kExpected), kSource);
  const std::string addresses = AddressesOf(*gids, GidType::kRoceV2);
  if (!addresses.empty()) return Judged(true, addresses, std::string(kExpected), kSource);
  const std::string v1 = AddressesOf(*gids, GidType::kRoceV1);
  std::string observed = "no RoCE v2 GID with an IP address";
  if (!v1.empty()) {
    observed += ", only RoCE v1: " + v1;
  } else if (!gids->empty()) {
    observed += ", only link-local ones";
  }
  return Judged(false, observed, std::string(kExpected), kSource, GidFix(view.port, *gids));
}

Verdict JudgeMode(const PortView& view) {
  const Fact<GidType>& mode = view.port.cm_default_mode;
  if (!mode) return NoAnswer(mode.missing(), "RoCE v2", kCmSource, kCmInstead);
  switch (*mode) {
    case GidType::kUnknown:
      return NoAnswer({.kind = Missing::Kind::kFailed, .detail = "RDMA-CM reports a mode we do not know"},
                      "RoCE v2", kCmSource);
    case GidType::kIb:
    case GidType::kRoceV1:
      return Judged(false, "RDMA-CM uses RoCE v1", "RoCE v2", kCmSource);
    case GidType::kRoceV2:
      return Judged(true, "RDMA-CM uses RoCE v2", "RoCE v2", kCmSource);
  }
  return {};
}

std::string TosNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return WantedTos(view.profile) ? "" : NotAsked(view.profile, "a ToS or DSCP");
}

// The upper six bits are the DSCP and decide the traffic class; the lower two only say whether ECN may mark the
// packet.
Verdict JudgeTos(const PortView& view) {
  const Profile& profile = view.profile;
  const unsigned wanted = *WantedTos(profile);
  const std::string expected =
      profile.tos ? Cat("ToS ", wanted, " (DSCP ", wanted >> 2, ")") : Cat("DSCP ", wanted >> 2);
  const Fact<std::uint8_t>& tos = view.port.cm_default_tos;
  if (!tos) return NoAnswer(tos.missing(), expected, kCmSource, kCmInstead);
  const unsigned now = *tos;
  const std::string observed =
      Cat("RDMA-CM default ToS ", now, now == 0 ? " (not set)" : Cat(" (DSCP ", now >> 2, ")"));
  if ((now >> 2) == (wanted >> 2) && profile.tos && now != wanted) {
    return Warned(observed + ", the ECN bits differ", expected, kCmSource);
  }
  return Judged((now >> 2) == (wanted >> 2), observed, expected, kCmSource);
}

}  // namespace

Check GidV2Present() {
  return {.id = "gid.v2-present",
          .title = "The port has a RoCE v2 GID with an IP address",
          .why = "RDMA connections are made by IP address: without such a GID none can be resolved",
          .fix =
              "ip address add ADDRESS dev {netdev}  # ADDRESS: this host's in the storage network, like "
              "10.0.0.1/24",
          .blocks_for = &kDemandsRoceV2,
          .depends_on = {"drv.userlib", "inv.netdev-mapping", "link.state", "ip.address"},
          .rule = Rule<PortView>{NotRoceV2, JudgeGid}};
}

Check GidDefaultMode() {
  return {.id = "gid.default-mode",
          .title = "RDMA-CM makes RoCE v2 connections by default",
          .why = "RoCE v1 is not routed and carries no DSCP, so its traffic misses the lossless class",
          .fix =
              "mkdir -p /sys/kernel/config/rdma_cm/{device} && echo 'RoCE v2' > "
              "/sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_mode",
          .blocks_for = &kDemandsRoceV2,
          .rule = Rule<PortView>{NotRoceV2, JudgeMode}};
}

Check RoceTos() {
  return {.id = "roce.tos",
          .title = "RDMA-CM marks its traffic with the profile's ToS",
          .why = "Unmarked RDMA traffic lands in the default class, where frames are dropped under load",
          .fix =
              "mkdir -p /sys/kernel/config/rdma_cm/{device} && echo {tos} > "
              "/sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_tos",
          .blocks_for = &kDemandsTos,
          .depends_on = {"link.state", "gid.default-mode"},
          .rule = Rule<PortView>{TosNotApplicable, JudgeTos}};
}

}  // namespace rdmaready

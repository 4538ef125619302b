// SPDX-License-Identifier: Apache-2.0
#include "collectors/netdev.h"

#include <fmt/format.h>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/dcb/dcb.h"
#include "collectors/dcb/nic_classes.h"
#include "collectors/lldp/lldp.h"
#include "collectors/net/ipv4_settings.h"
#include "collectors/nic/ethtool.h"
#include "collectors/nic/ethtool_family.h"
#include "collectors/nic/ethtool_link.h"
#include "collectors/nic/nic_statistics.h"
#include "collectors/nic/pause_thresholds.h"

namespace rdmaready {
namespace {

// OK when sysfs under the name shows the interface with this index. It shows another one after a rename, and
// when /sys was mounted for another network namespace.
absl::Status SysfsShows(HostReader& host, const Link& link) {
  const std::string path = "/sys/class/net/" + link.name + "/ifindex";
  RR_ASSIGN_OR_RETURN(const std::string text, host.ReadFile(path));
  if (TrimRight(text) == std::to_string(link.ifindex)) return absl::OkStatus();
  return absl::FailedPreconditionError("read " + path + ": /sys shows another network namespace");
}

// The bus driver of hardware, else the kind of a virtual device. Where sysfs does not tell, the driver does:
// much is judged by who it is.
std::string ReadDriver(HostReader& host, const Link& link, bool sysfs_usable, const Fact<DriverInfo>& info) {
  if (sysfs_usable) {
    const absl::StatusOr<std::string> target = host.ReadLink("/sys/class/net/" + link.name + "/device/driver");
    if (target.ok()) return target->substr(target->rfind('/') + 1);  // npos + 1 is the whole text
  }
  return link.kind.empty() && info ? info->driver : link.kind;
}

// Never empty when there is a master: that it has one is known even if its name is not.
std::string MasterName(HostReader& host, const Network& network, const Link& link) {
  if (!link.master) return "";
  const absl::StatusOr<Link> master = FindLink(host, network, *link.master);
  return master.ok() ? master->name : fmt::format("(interface {})", *link.master);
}

Fact<std::uint32_t> MaxMtuOf(const Link& link) {
  if (!link.max_mtu_bytes)
    return Missing{Missing::Kind::kUnsupported, "the kernel does not tell (before 4.19)"};
  if (*link.max_mtu_bytes == 0) return Missing{Missing::Kind::kUnsupported, "the driver sets no limit"};
  return *link.max_mtu_bytes;
}

Fact<std::uint64_t> CarrierChangesOf(const Link& link) {
  if (!link.carrier_changes) return Missing{Missing::Kind::kUnsupported, "the kernel does not count them"};
  return std::uint64_t{*link.carrier_changes};
}

Fact<std::string> PermanentMacOf(const Link& link) {
  if (!link.permanent_mac.empty()) return link.permanent_mac;
  return Missing{Missing::Kind::kUnsupported, "the driver has none, or the kernel is older than 5.6"};
}

// What the link itself tells.
Netdev NetdevOf(HostReader& host, const Network& network, const Link& link) {
  Netdev netdev{.name = link.name,
                .ifindex = link.ifindex,
                .admin_up = link.admin_up,
                .carrier = link.carrier,
                .mtu_bytes = link.mtu_bytes,
                .vlan_id = VlanIdOf(link),
                .vlan_egress = VlanEgressOf(link),
                .addresses = AddressesOf(network.addresses, link.ifindex)};
  netdev.mac = link.mac;
  netdev.permanent_mac = PermanentMacOf(link);
  netdev.master = MasterName(host, network, link);
  netdev.max_mtu_bytes = MaxMtuOf(link);
  netdev.carrier_changes = CarrierChangesOf(link);
  netdev.vlan_reorder = VlanReorderOf(link);
  return netdev;
}

}  // namespace

Network ReadNetwork(HostReader& host, NetworkPart part) {
  Network network{.links = ReadLinks(host),
                  .addresses = ReadAddresses(host),
                  .neighbours = part == NetworkPart::kAll ? ReadNeighbours(host) : Fact<NeighbourTable>(),
                  .ipv4_of_all = ReadIpv4Conf(host, "all"),
                  .families = ReadGenericFamilies(host),
                  .qdiscs = ReadRootQdiscs(host)};
  network.ethtool_family = FindEthtoolFamily(network.families);
  network.subnets = network.addresses ? Fact<SubnetMembers>(SubnetMembers(*network.addresses))
                                      : Fact<SubnetMembers>(network.addresses.missing());
  return network;
}

absl::StatusOr<Link> FindLink(HostReader& host, const Network& network, std::uint32_t ifindex) {
  const Link* link = network.links.ok() ? network.links->Find(ifindex) : nullptr;
  return link != nullptr ? *link : ReadLinkByIndex(host, ifindex);
}

Fact<std::uint32_t> DecodeSpeed(const absl::StatusOr<std::string>& text, bool carrier) {
  const bool no_answer = text.status().code() == absl::StatusCode::kInvalidArgument;
  if (!text.ok() && !no_answer) return MissingFrom(text.status());
  const std::string number = no_answer ? "-1" : TrimRight(*text);
  if (number == "-1") {
    if (!carrier) return Missing{Missing::Kind::kFailed, "speed unknown while link is down"};
    return Missing{Missing::Kind::kUnsupported, "driver reports unknown speed"};
  }
  if (const auto speed_mbps = ParseNumber<std::uint32_t>(number)) return *speed_mbps;
  return Missing{Missing::Kind::kFailed, "\"" + number + "\" is not a speed"};
}

Fact<Duplex> DecodeDuplex(const absl::StatusOr<std::string>& text, bool carrier) {
  const bool no_answer = text.status().code() == absl::StatusCode::kInvalidArgument;
  if (!text.ok() && !no_answer) return MissingFrom(text.status());
  const std::string word = no_answer ? "unknown" : TrimRight(*text);
  if (word == "full") return Duplex::kFull;
  if (word == "half") return Duplex::kHalf;
  if (word != "unknown") return Missing{Missing::Kind::kFailed, "\"" + word + "\" is not a duplex mode"};
  if (!carrier) return Missing{Missing::Kind::kFailed, "duplex unknown while link is down"};
  return Missing{Missing::Kind::kUnsupported, "driver reports unknown duplex"};
}

Fact<Netdev> ReadNetdev(HostReader& host, const Network& network, std::uint32_t ifindex) {
  const absl::StatusOr<Link> link = FindLink(host, network, ifindex);
  if (!link.ok()) return MissingFrom(link.status());
  const std::string sysfs = "/sys/class/net/" + link->name;
  const absl::Status sysfs_status = SysfsShows(host, *link);
  const auto read = [&](const char* file) {
    return sysfs_status.ok() ? host.ReadFile(sysfs + file) : absl::StatusOr<std::string>(sysfs_status);
  };

  Netdev netdev = NetdevOf(host, network, *link);
  netdev.driver_info = ReadDriverInfo(host, link->name);
  netdev.driver = ReadDriver(host, *link, sysfs_status.ok(), netdev.driver_info);
  const absl::StatusOr<std::string> speed = read("/speed");
  const absl::StatusOr<std::string> duplex = read("/duplex");
  netdev.dcb = ReadDcb(host, link->name);
  netdev.dcb.thresholds = sysfs_status.ok() ? ReadPauseThresholds(host, sysfs, netdev.driver)
                                            : Fact<PauseThresholds>(MissingFrom(sysfs_status));
  netdev.dcb.nic_trust = sysfs_status.ok() ? ReadNicTrust(host, sysfs, netdev.driver)
                                           : Fact<AppSelector>(MissingFrom(sysfs_status));
  netdev.dcb.nic_dscp_map =
      sysfs_status.ok() ? ReadNicDscpMap(host, sysfs, netdev.driver) : Fact<DscpMap>(MissingFrom(sysfs_status));
  netdev.pause = ReadPause(host, link->name);
  netdev.pfc_storm_timeout_ms = ReadPfcStormTimeout(host, link->name);
  netdev.statistics = ReadNicStatistics(host, link->name, netdev.driver, netdev.driver_info);
  netdev.mqprio = MqprioOf(network.qdiscs, ifindex);
  netdev.lldp = LldpNotListenedFor();
  netdev.dcb_writes = LldpNotListenedFor();
  netdev.ipv4 = EffectiveIpv4(network.ipv4_of_all, ReadIpv4Conf(host, link->name));
  netdev.link = ReadEthernetLink(host, network.ethtool_family, ifindex, sysfs_status.ok() ? sysfs : "");

  absl::StatusOr<Link> after = ReadLinkByIndex(host, ifindex);
  // Who waits for RTNL meets nobody who renames: that takes it too.
  if (absl::IsDeadlineExceeded(after.status())) after = *link;
  if (!after.ok()) return MissingFrom(after.status());
  if (after->name != link->name) {
    return Missing{Missing::Kind::kFailed,
                   "read " + link->name + ": it was renamed to " + after->name + " while it was read"};
  }
  // A link that went down meanwhile explains an unknown speed better than the driver does.
  const bool carrier = link->carrier && after->carrier;
  netdev.speed_mbps = DecodeSpeed(speed, carrier);
  netdev.duplex = DecodeDuplex(duplex, carrier);
  return netdev;
}

}  // namespace rdmaready

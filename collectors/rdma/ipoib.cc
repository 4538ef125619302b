// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/ipoib.h"

#include <string>
#include <string_view>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/net/ipv4_settings.h"
#include "collectors/rdma/infiniband.h"

namespace rdmaready {
namespace {

// Whether the netdev is at the port's PCI function, and at its place there. An error where that was not read.
absl::StatusOr<bool> IsAtPort(HostReader& host, const std::string& sysfs, const Port& port) {
  const absl::StatusOr<std::string> device = host.ReadLink(sysfs + "device");
  if (device.status().code() == absl::StatusCode::kNotFound) return false;
  if (!device.ok()) return device.status();
  if (device->substr(device->rfind('/') + 1) != port.pci->address) return false;
  const absl::StatusOr<std::string> place = host.ReadFile(sysfs + "dev_port");
  if (!place.ok() && place.status().code() != absl::StatusCode::kNotFound) return place.status();
  const auto number = place.ok() ? ParseNumber<std::uint32_t>(TrimRight(*place)) : std::nullopt;
  return number.value_or(0) + 1 == port.number;
}

// An interface of a partition has no function of its own: its parent has (ipoib_child_init in ipoib_main.c).
absl::StatusOr<bool> IsOfPort(HostReader& host, const LinkTable& links, const Link& link, const Port& port) {
  const Link* parent = link.peer && !link.peer_elsewhere ? links.Find(*link.peer) : nullptr;
  const bool child = parent != nullptr && parent->kind == "ipoib" && parent != &link;
  return IsAtPort(host, "/sys/class/net/" + (child ? parent : &link)->name + "/", port);
}

Fact<std::uint16_t> ReadPkeyOf(HostReader& host, const std::string& sysfs) {
  const absl::StatusOr<std::string> text = host.ReadFile(sysfs + "pkey");
  if (!text.ok()) return MissingFrom(text.status());
  if (const auto key = DecodeHex16(*text)) return *key;
  return Missing{Missing::Kind::kFailed, "read " + sysfs + "pkey: no number"};
}

}  // namespace

Fact<std::vector<UpperNetdev>> ReadIpoib(HostReader& host, const Network& network, const Port& port) {
  if (!network.links.ok()) return MissingFrom(network.links.status());
  if (!port.pci) return port.pci.missing();
  const Missing not_vlan{Missing::Kind::kUnsupported, "not a VLAN"};
  std::vector<UpperNetdev> found;
  for (const auto& [ifindex, link] : network.links->all()) {
    if (link.kind != "ipoib") continue;
    const std::string sysfs = "/sys/class/net/" + link.name + "/";
    const absl::StatusOr<bool> of_port = IsOfPort(host, *network.links, link, port);
    if (!of_port.ok()) return MissingFrom(of_port.status());
    if (!*of_port) continue;
    UpperNetdev netdev{.name = link.name,
                       .ifindex = ifindex,
                       .kind = link.kind,
                       .admin_up = link.admin_up,
                       .carrier = link.carrier,
                       .mtu_bytes = link.mtu_bytes,
                       .vlan_id = not_vlan,
                       .vlan_egress = not_vlan,
                       .bond_mode = Missing{Missing::Kind::kUnsupported, "not a bond"}};
    netdev.pkey = ReadPkeyOf(host, sysfs);
    netdev.addresses = AddressesOf(network.addresses, ifindex);
    netdev.ipv4 = EffectiveIpv4(network.ipv4_of_all, ReadIpv4Conf(host, link.name));
    found.push_back(std::move(netdev));
  }
  return found;
}

}  // namespace rdmaready

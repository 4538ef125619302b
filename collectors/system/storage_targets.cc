// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/storage_targets.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "api/base/number.h"
#include "api/base/prefix_index.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/gaps.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNvmetPorts = "/sys/kernel/config/nvmet/ports";
constexpr std::string_view kIscsi = "/sys/kernel/config/target/iscsi";
constexpr std::size_t kMostPlaces = 1024;

using Names = std::vector<std::string>;

// An entry that went away has none.
absl::StatusOr<Names> EntriesOf(HostReader& host, const std::string& folder) {
  absl::StatusOr<Names> names = host.ListDirectory(folder);
  if (names.ok() || IsGap(names.status())) return names;
  return Names{};
}

absl::StatusOr<std::string> TextOf(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (text.ok()) return TrimRight(*text);
  if (IsGap(text.status())) return text.status();
  return std::string();
}

absl::StatusOr<NvmetPort> ReadNvmetPort(HostReader& host, const std::string& id) {
  const std::string folder = std::string(kNvmetPorts) + "/" + id + "/";
  NvmetPort port{.id = id};
  RR_ASSIGN_OR_RETURN(port.transport, TextOf(host, folder + "addr_trtype"));
  RR_ASSIGN_OR_RETURN(port.address, TextOf(host, folder + "addr_traddr"));
  RR_ASSIGN_OR_RETURN(port.service, TextOf(host, folder + "addr_trsvcid"));
  RR_ASSIGN_OR_RETURN(port.subsystems, EntriesOf(host, folder + "subsystems"));
  return port;
}

absl::Status AddPortals(HostReader& host, const std::string& target, std::vector<IscsiPortal>* portals) {
  const std::string folder = std::string(kIscsi) + "/" + target;
  RR_ASSIGN_OR_RETURN(const Names groups, EntriesOf(host, folder));
  for (const std::string& group : groups) {
    if (!group.starts_with("tpgt_")) continue;
    const std::string places = folder + "/" + group + "/np";
    RR_ASSIGN_OR_RETURN(const Names names, EntriesOf(host, places));
    for (const std::string& name : names) {
      IscsiPortal portal = DecodePortalName(name);
      portal.target = target;
      portal.group = group;
      RR_ASSIGN_OR_RETURN(const std::string iser, TextOf(host, places + "/" + name + "/iser"));
      portal.iser = iser == "1";
      if (portals->size() >= kMostPlaces) return absl::OutOfRangeError("too many portals to look at");
      portals->push_back(std::move(portal));
    }
  }
  return absl::OkStatus();
}

Fact<std::string> NetdevWith(HostReader& host, const Network& network, const std::string& address) {
  const auto wanted = ParseAddress(address, 0);
  const auto is_zero = [](std::uint8_t one) { return one == 0; };
  if (!wanted || std::ranges::all_of(wanted->bytes, is_zero))
    return Missing{Missing::Kind::kUnsupported, "not the address of one interface"};
  if (!network.addresses) return network.addresses.missing();
  for (const auto& [ifindex, addresses] : *network.addresses) {
    const bool has = std::ranges::any_of(
        addresses, [&wanted](const IpAddress& one) { return ParseAddress(one.address, 0) == wanted; });
    if (!has) continue;
    const absl::StatusOr<Link> link = FindLink(host, network, ifindex);
    if (!link.ok()) return MissingFrom(link.status());
    return link->name;
  }
  return std::string();
}

template <class Target>
void FindNetdevs(HostReader& host, const Network& network, Fact<std::vector<Target>>& targets) {
  if (!targets) return;
  std::vector<Target> placed = *targets;
  for (Target& target : placed) target.netdev = NetdevWith(host, network, target.address);
  targets = std::move(placed);
}

}  // namespace

Fact<std::vector<NvmetPort>> ReadNvmetPorts(HostReader& host) {
  const absl::StatusOr<Names> ids = host.ListDirectory(kNvmetPorts);
  if (absl::IsNotFound(ids.status()))
    return Missing{Missing::Kind::kUnsupported, "the kernel shows no NVMe target"};
  if (!ids.ok()) return MissingFrom(ids.status());
  std::vector<NvmetPort> ports;
  for (const std::string& id : *ids) {
    if (ports.size() >= kMostPlaces) return Missing{Missing::Kind::kFailed, "too many ports to look at"};
    absl::StatusOr<NvmetPort> port = ReadNvmetPort(host, id);
    if (!port.ok()) return MissingFrom(port.status());
    ports.push_back(*std::move(port));
  }
  return ports;
}

IscsiPortal DecodePortalName(std::string_view name) {
  IscsiPortal portal;
  const std::size_t colon = name.rfind(':');
  const std::size_t end = name.rfind(']');  // of an IPv6 address, which has colons of its own
  const bool has_port = colon != std::string_view::npos && (end == std::string_view::npos || end < colon);
  if (has_port) portal.port = ParseNumber<std::uint16_t>(name.substr(colon + 1)).value_or(0);
  std::string_view address = has_port ? name.substr(0, colon) : name;
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  portal.address = address;
  return portal;
}

Fact<std::vector<IscsiPortal>> ReadIscsiPortals(HostReader& host) {
  const absl::StatusOr<Names> targets = host.ListDirectory(kIscsi);
  if (absl::IsNotFound(targets.status()))
    return Missing{Missing::Kind::kUnsupported, "the kernel shows no iSCSI target"};
  if (!targets.ok()) return MissingFrom(targets.status());
  std::vector<IscsiPortal> portals;
  for (const std::string& target : *targets) {
    const bool named = target.starts_with("iqn.") || target.starts_with("eui.") || target.starts_with("naa.");
    if (!named) continue;
    if (const absl::Status added = AddPortals(host, target, &portals); !added.ok()) return MissingFrom(added);
  }
  return portals;
}

void PlaceTargets(HostReader& host, const Network& network, Facts& facts) {
  FindNetdevs(host, network, facts.nvmet_ports);
  FindNetdevs(host, network, facts.iscsi_portals);
}

}  // namespace rdmaready

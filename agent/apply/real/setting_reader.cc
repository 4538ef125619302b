// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/setting_reader.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "agent/apply/real/sysctl_write.h"
#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/model/facts.h"
#include "checks/setting/table.h"
#include "collectors/net/generic_families.h"
#include "collectors/netdev.h"
#include "collectors/nic/devlink.h"
#include "collectors/nic/ethtool_family.h"
#include "collectors/rdma/rdma_cm.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPciHandle = "pci/";

// What is to be read, each once.
struct Places {
  std::set<std::string> netdevs{};
  std::set<std::string> ports{};      // "rxe0/1"
  std::set<std::string> functions{};  // "0000:3b:00.0"
  std::set<std::string> sysctls{};
};

Places PlacesToRead(const std::vector<SettingObject>& objects) {
  Places places;
  for (const SettingObject& object : objects) {
    switch (HomeOf(object.kind)) {
      case SettingHome::kNone:
        break;
      case SettingHome::kRdmaPort:
        places.ports.insert(object.where);
        break;
      case SettingHome::kDevlink:
        if (object.where.starts_with(kPciHandle))
          places.functions.insert(object.where.substr(kPciHandle.size()));
        break;
      case SettingHome::kVariable:
        places.sysctls.insert(object.name);
        break;
      case SettingHome::kNetdev:
        places.netdevs.insert(object.where);
        break;
    }
  }
  return places;
}

// A port of no RDMA device whose own Ethernet port is the netdev.
Port PortOn(HostReader& host, const Network& network, const std::string& name) {
  Port port;
  port.lowers = std::vector<Netdev>{};
  port.uppers = std::vector<UpperNetdev>{};
  const absl::StatusOr<std::string> text = host.ReadFile("/sys/class/net/" + name + "/ifindex");
  const auto ifindex = text.ok() ? ParseNumber<std::uint32_t>(TrimRight(*text)) : std::nullopt;
  if (ifindex) {
    port.netdev = ReadNetdev(host, network, *ifindex);
    if (port.netdev && port.netdev->name != name)
      port.netdev = Missing{Missing::Kind::kFailed, "it was renamed"};
  } else {
    port.netdev = MissingFrom(text.status());
  }
  return port;
}

Port RdmaPort(HostReader& host, const std::string& name) {
  Port port;
  const std::size_t slash = name.rfind('/');
  port.device = name.substr(0, slash);
  const auto number =
      slash == std::string::npos ? std::nullopt : ParseNumber<std::uint32_t>(name.substr(slash + 1));
  if (!number) return port;
  port.number = *number;
  // Only a RoCE port has these settings.
  RdmaCmDefaults defaults = ReadRdmaCmDefaults(host, port.device, port.number, Transport::kRoce);
  port.cm_default_mode = std::move(defaults.mode);
  port.cm_default_tos = std::move(defaults.tos);
  return port;
}

std::vector<Sysctl> ReadSysctls(HostReader& host, const std::set<std::string>& names) {
  std::vector<Sysctl> sysctls;
  for (const std::string& name : names) {
    const auto conf = Ipv4ConfOf(name);
    if (!conf) continue;
    const absl::StatusOr<std::string> text =
        host.ReadFile("/proc/sys/net/ipv4/conf/" + conf->directory + "/" + conf->variable);
    if (!text.ok()) continue;
    if (const auto value = ParseNumber<std::uint32_t>(TrimRight(*text))) sysctls.push_back({name, *value});
  }
  return sysctls;
}

// Of the host only what is asked for, in the form of a whole reading.
Facts ReadPlaces(HostReader& host, const Places& places) {
  Facts facts;
  std::vector<Port> ports;
  Network network;
  if (!places.netdevs.empty() || !places.functions.empty()) {
    network.families = ReadGenericFamilies(host);
    network.ethtool_family = FindEthtoolFamily(network.families);
  }
  for (const std::string& name : places.netdevs) ports.push_back(PortOn(host, network, name));
  for (const std::string& address : places.functions) {
    Port& port = ports.emplace_back();
    port.pci = PciFunction{.address = address};
  }
  if (!places.functions.empty()) ReadDevlinks(host, network.families, ports);
  for (const std::string& name : places.ports) ports.push_back(RdmaPort(host, name));
  facts.ports = std::move(ports);
  facts.sysctls = ReadSysctls(host, places.sysctls);
  return facts;
}

// Of a netdev that could not be read at all.
std::string WhyUnread(const Facts& facts, std::size_t index) {
  const Port& port = (*facts.ports)[index];
  return port.netdev ? "it cannot be read" : "it cannot be read: " + port.netdev.missing().detail;
}

}  // namespace

SettingValues ReadSettings(HostReader& host, const std::vector<SettingObject>& objects) {
  const Places places = PlacesToRead(objects);
  const Facts facts = ReadPlaces(host, places);
  SettingValues values;
  for (const SettingObject& object : objects) {
    std::string value = ValueOf(facts, object);
    if (!value.empty()) {
      values.emplace(object, std::move(value));
      continue;
    }
    const auto netdev = places.netdevs.find(object.where);
    const auto index = static_cast<std::size_t>(std::distance(places.netdevs.begin(), netdev));
    values.emplace(object, absl::NotFoundError(netdev == places.netdevs.end() ? "it cannot be read"
                                                                              : WhyUnread(facts, index)));
  }
  return values;
}

}  // namespace rdmaready

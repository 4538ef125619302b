// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/network_owner.h"

#include <algorithm>
#include <optional>
#include <string>

#include "checks/setting/boot_settings.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNmcli = "NetworkManager";
constexpr std::string_view kNetworkd = "systemd-networkd";
constexpr std::string_view kNetplan = "netplan";

bool Names(const NamedDevice& named, const std::string& netdev) {
  if (NetworkManagerOf(named).empty()) return false;
  return named.exact ? named.device == netdev : netdev.starts_with(named.device);
}

// The exact name goes before the beginning of one. Null for none.
const NamedDevice* ManagedBy(const Facts& facts, const std::string& netdev) {
  if (!facts.managed_interfaces) return nullptr;
  const NamedDevice* found = nullptr;
  for (const NamedDevice& named : *facts.managed_interfaces) {
    if (Names(named, netdev) && (found == nullptr || (named.exact && !found->exact))) found = &named;
  }
  return found;
}

std::string_view NmcliBool(bool on) { return on ? "on" : "off"; }

// Arguments of `nmcli connection modify`; empty without a value.
std::string NmcliArguments(const SettingPlace& place, std::string_view to) {
  if (place.object.kind == SettingKind::kMtu) {
    const bool infiniband = place.netdev != nullptr && place.netdev->driver.find("ipoib") != std::string::npos;
    return to.empty() ? "" : Cat(infiniband ? "infiniband.mtu " : "802-3-ethernet.mtu ", to);
  }
  const std::optional<Pause> pause = PauseOf(to);
  if (!pause) return {};
  return Cat("ethtool.pause-autoneg ", NmcliBool(pause->autoneg), " ethtool.pause-rx ", NmcliBool(pause->rx),
             " ethtool.pause-tx ", NmcliBool(pause->tx));
}

std::string NmcliCommand(const std::string& netdev, const std::string& arguments) {
  return Cat("nmcli connection modify \"$(nmcli -e no -g GENERAL.CONNECTION device show ", ShellWord(netdev),
             ")\" ", arguments);
}

// The file of netplan that names the interface's MTU, or their folder.
std::string NetplanFile(const Facts& facts, const SettingPlace& place) {
  const std::string folder = "/etc/netplan";
  for (const BootWrite* write : BootWritersOf(facts, place)) {
    if (write->file.starts_with(folder)) return write->file;
  }
  return folder;
}

RemedyStep StepInFile(const Facts& facts, const SettingPlace& place, const NamedDevice& named,
                      std::string_view to) {
  const std::string file = NetworkManagerOf(named) == kNetplan ? NetplanFile(facts, place) : named.source;
  const bool mtu = place.object.kind == SettingKind::kMtu;
  const std::string what = mtu ? Cat("MTU ", to) : Cat("link-level pause (", to, ")");
  return {.action = Cat("set ", what, " of ", place.object.where, " in ", file, " too, which keeps it")};
}

}  // namespace

SettingOwner AddressOwner(const Facts& facts, const std::string& netdev) {
  const NamedDevice* named = ManagedBy(facts, netdev);
  if (named == nullptr) return {};
  const std::string name(NetworkManagerOf(*named));
  SettingOwner owner{.name = name, .file = named->source};
  owner.why = Cat(name, " sets the addresses of ", netdev, " again when it brings the interface up (",
                  Printable(named->source), ")");
  if (name == kNmcli) {
    owner.way.steps.push_back({.command = NmcliCommand(netdev, "ipv4.addresses ADDRESS ipv4.method manual")});
  } else {
    const std::string file = name == kNetplan ? std::string("/etc/netplan") : Printable(named->source);
    owner.way.steps.push_back({.action = Cat("add ADDRESS to ", netdev, " in ", file, " too, which keeps it")});
  }
  return owner;
}

std::string_view NetworkManagerOf(const NamedDevice& named) {
  if (named.source.ends_with(".nmconnection")) return kNmcli;
  if (!named.source.ends_with(".network")) return {};
  return named.source.find("-netplan-") != std::string::npos ? kNetplan : kNetworkd;
}

SettingOwner NetworkOwner(const Facts& facts, const SettingPlace& place, std::string_view to) {
  const SettingKind kind = place.object.kind;
  if (kind != SettingKind::kMtu && kind != SettingKind::kPause) return {};
  const std::string& netdev = place.object.where;
  const NamedDevice* named = ManagedBy(facts, netdev);
  if (named == nullptr) return {};
  const std::string name(NetworkManagerOf(*named));
  // systemd.network(5) has no flow control: networkd leaves it alone.
  if (kind == SettingKind::kPause && name != kNmcli) return {};
  SettingOwner owner{.name = name, .file = name == kNetplan ? NetplanFile(facts, place) : named->source};
  owner.why = Cat(name, " sets ", RowOf(kind).words, " of ", netdev, " again when it brings the interface up (",
                  named->source, ")");
  const std::string arguments = name == kNmcli ? NmcliArguments(place, to) : "";
  if (!arguments.empty()) {
    owner.way.steps.push_back({.command = NmcliCommand(netdev, arguments)});
  } else {
    owner.way.steps.push_back(StepInFile(facts, place, *named, to));
  }
  return owner;
}

}  // namespace rdmaready

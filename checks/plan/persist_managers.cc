// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist_managers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "checks/plan/boot_files.h"
#include "checks/setting/boot_settings.h"
#include "checks/setting/network_owner.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNetworkFolder = "/etc/systemd/network/";
constexpr std::string_view kNetplanFolder = "/etc/netplan/";
constexpr std::string_view kDropInName = "rdma.conf";
constexpr std::string_view kFileHead = "# Made by rdmaready.\n";

// Drivers of NICs of clouds, whose first MTU is not always 1500. As of Linux 6.12 gve_init_priv() takes the
// device's largest one. rndis_filter_device_add() and virtnet_probe() take the host's. DHCP gives ena and mana
// another one.
constexpr std::array<std::string_view, 5> kOtherMtuDrivers{"gve", "hv_netvsc", "virtio_net", "ena", "mana"};

std::string_view NameOfFile(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// No letter that has a meaning in YAML or in a list of NetworkManager.
bool IsPlainName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
           std::string_view("-_.").find(one) != std::string_view::npos;
  });
}

// Drop-ins are read in the order of their names: this one has to come last.
std::string DropInName(const Facts& host, const std::string& file, const std::string& mtu) {
  constexpr std::string_view kConf = ".conf";
  std::string last(kDropInName);
  if (!host.boot_settings) return last;
  for (const BootWrite& write : host.boot_settings->writes) {
    const bool other =
        write.setting == "mtu" && write.started == file && write.file != file && write.value != mtu;
    if (other) last = std::max(last, std::string(NameOfFile(write.file)));
  }
  if (last == kDropInName || last.ends_with(Cat(".", kDropInName))) return last;
  return Cat(std::string_view(last).substr(0, last.size() - kConf.size()), ".", kDropInName);
}

// The words of netplan for a kind of interface. Empty for a VLAN, and for a kind that is not known: the file
// would outlive the site's definition, and netplan refuses all its files for one VLAN without an id.
std::string_view NetplanSection(std::string_view kind, bool has_port) {
  if (kind == "bonding" || kind == "bond") return "bonds";
  if (kind == "bridge") return "bridges";
  const bool other = kind == "vlan" || kind.starts_with("802.1Q") || kind == "team" || kind == "macvlan";
  return other || !has_port ? "" : "ethernets";
}

// Whether networkd uses that file for the interface, as far as is known, and for no other one: a file beside it
// would change all that it names.
bool IsItsOwn(const Facts& host, const SettingPlace& place, const std::string& file) {
  const std::string used = NetworkdFileOf(host, place.object.where);
  return (used.empty() || NameOfFile(used) == NameOfFile(file)) && !NamesOthers(host, place, file);
}

// netplan calls its file for networkd by the definition: "10-netplan-stor0.network".
std::string NetplanId(const Facts& host, const SettingPlace& place) {
  constexpr std::string_view kBeginning = "10-netplan-";
  constexpr std::string_view kEnding = ".network";
  if (!host.managed_interfaces) return {};
  for (const NamedDevice& named : *host.managed_interfaces) {
    std::string_view name = NameOfFile(named.source);
    const bool here = named.device == place.object.where && IsItsOwn(host, place, named.source);
    if (!here || !name.starts_with(kBeginning) || !name.ends_with(kEnding)) continue;
    name.remove_prefix(kBeginning.size());
    name.remove_suffix(kEnding.size());
    return std::string(name);
  }
  return {};
}

std::string KindOf(const Facts& host, const SettingPlace& place) {
  if (place.netdev != nullptr) return place.netdev->driver;
  for (const Port& port : host.ports ? *host.ports : std::vector<Port>{}) {
    for (const UpperNetdev& upper : port.uppers ? *port.uppers : std::vector<UpperNetdev>{}) {
      if (upper.name == place.object.where) return upper.kind;
    }
  }
  return {};
}

// netplan merges the keys of a definition over its files, in the order of their names.
PersistFile ForNetplan(const Facts& host, const SettingPlace& place, std::uint32_t mtu_bytes) {
  const std::string& netdev = place.object.where;
  const std::string id = NetplanId(host, place);
  const std::string_view section = NetplanSection(KindOf(host, place), place.netdev != nullptr);
  if (!IsPlainName(id) || !IsPlainName(netdev) || section.empty()) return {};
  std::string path = Cat(kNetplanFolder, "90-rdmaready-", netdev, ".yaml");
  const std::string mtu = std::to_string(mtu_bytes);
  for (const BootWrite* write : BootWritersOf(host, place)) {
    const bool later = write->file.starts_with(kNetplanFolder) && write->file > path;
    if (later && !IsRightAtBoot(SettingKind::kMtu, *write, mtu)) return {};
  }
  return {.path = std::move(path),
          .content = Cat(kFileHead, "network:\n  version: 2\n  ", section, ":\n    \"", id,
                         "\":\n      mtu: ", mtu_bytes, "\n")};
}

// Whether a file of the site has another default for connections: its section may go before ours.
bool HasOtherDefault(const Facts& host, std::uint32_t mtu_bytes) {
  const std::string mtu = std::to_string(mtu_bytes);
  return host.boot_settings && std::ranges::any_of(host.boot_settings->writes, [&mtu](const BootWrite& write) {
           return write.setting == "connection-mtu" && write.value != mtu && !IsBootFilePath(write.file);
         });
}

// NetworkManager.conf(5): a default for connections that have no MTU of their own. Bonds and VLANs take the
// same property (get_configured_mtu in nm-device-bond.c and nm-device-vlan.c).
PersistFile ForNetworkManager(const Facts& host, const std::string& netdev, std::uint32_t mtu_bytes) {
  if (!IsPlainName(netdev) || HasOtherDefault(host, mtu_bytes)) return {};
  return {.path = Cat("/etc/NetworkManager/conf.d/90-rdmaready-", netdev, ".conf"),
          .content = Cat(kFileHead, "[connection-rdmaready-", netdev,
                         "]\nmatch-device=interface-name:=", netdev, "\nethernet.mtu=", mtu_bytes, "\n")};
}

PersistFile ForNetworkd(const Facts& host, const SettingPlace& place, const std::string& file,
                        std::uint32_t mtu_bytes) {
  if (!IsItsOwn(host, place, file)) return {};
  return {.path = MtuDropInPath(host, file, mtu_bytes), .content = Cat(kFileHead, MtuLines(mtu_bytes))};
}

}  // namespace

std::string MtuLines(std::uint32_t mtu_bytes) { return Cat("[Link]\nMTUBytes=", mtu_bytes, "\n"); }

std::string MtuDropInPath(const Facts& host, const std::string& file, std::uint32_t mtu_bytes) {
  return Cat(kNetworkFolder, NameOfFile(file), ".d/", DropInName(host, file, std::to_string(mtu_bytes)));
}

bool MayStartAtOtherMtu(const Facts& host, const SettingObject& object) {
  const SettingPlace place = PlaceOf(host, object);
  const std::string kind = KindOf(host, place);
  const bool by_driver = std::ranges::find(kOtherMtuDrivers, kind) != kOtherMtuDrivers.end();
  const bool of_lower = kind == "vlan" || kind.starts_with("802.1Q") || kind == "macvlan";
  return by_driver || of_lower || !NetworkOwner(host, place, "").empty();
}

bool IsAtBoot(const Facts& host, const std::string& path) {
  const auto holds = [&path](const Fact<std::vector<std::string>>& paths) {
    return paths && std::ranges::find(*paths, path) != paths->end();
  };
  if (holds(host.dcb_keepers) || holds(host.tos_keepers)) return true;
  if (!host.boot_settings) return false;
  const auto& writes = host.boot_settings->writes;
  return std::ranges::find(writes, path, &BootWrite::file) != writes.end();
}

PersistFile MtuFileOfManager(const Facts& host, const SettingPlace& place, const SettingOwner& owner,
                             std::uint32_t mtu_bytes) {
  const std::string& netdev = place.object.where;
  PersistFile file;
  if (owner.name == "netplan") {
    file = ForNetplan(host, place, mtu_bytes);
  } else if (owner.name == "NetworkManager") {
    file = ForNetworkManager(host, netdev, mtu_bytes);
  } else if (owner.name == "systemd-networkd") {
    file = ForNetworkd(host, place, owner.file, mtu_bytes);
  }
  if (file.path.empty()) return {};
  const std::string_view limit = LimitOfBootFile(file.path, file.content);
  file.note =
      Cat("MTU of ", Printable(netdev), ": ", owner.name, " reads it beside ", Printable(owner.file),
          ", which stays as it is", limit.empty() ? "" : "; ", limit, ". Or instead: ", AdviceOf(owner));
  file.exists_already = IsAtBoot(host, file.path);
  file.keeps = {place.object};
  file.by_apply = true;
  return file;
}

}  // namespace rdmaready

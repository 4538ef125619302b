// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/boot_files.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/model/plan.h"
#include "checks/plan/persist_units.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/owner.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// A folder, and the names that this program gives its files there.
struct Place {
  std::string_view folder;
  std::string_view beginning;
  std::string_view ending;
};
constexpr std::array<Place, 4> kPlaces{{{"/etc/systemd/network/", "98-rdma-", ".link"},
                                        {"/etc/systemd/system/", "rdma-mtu-", ".service"},
                                        {"/etc/netplan/", "90-rdmaready-", ".yaml"},
                                        {"/etc/NetworkManager/conf.d/", "90-rdmaready-", ".conf"}}};
constexpr std::string_view kNetworkFolder = "/etc/systemd/network/";
constexpr std::string_view kDropIn = "rdma.conf";
constexpr std::string_view kFileHead = "# Made by rdmaready.\n";
constexpr std::uint32_t kOpenMode = 0644;
constexpr std::uint32_t kClosedMode = 0600;

bool IsPlainPart(std::string_view part) {
  constexpr std::size_t kMostBytes = 255;  // NAME_MAX
  return !part.empty() && part.size() <= kMostBytes && part.front() != '.' &&
         std::ranges::all_of(part, [](char one) { return one > ' ' && one <= '~' && one != '/'; });
}

// "50-a.link.d/rdma.conf" below the folder of systemd's network files.
bool IsDropIn(std::string_view below) {
  const std::size_t slash = below.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view folder = below.substr(0, slash);
  const std::string_view name = below.substr(slash + 1);
  const bool of_file = folder.ends_with(".link.d") || folder.ends_with(".network.d");
  const bool own = name == kDropIn || name.ends_with(Cat(".", kDropIn));
  return of_file && own && IsPlainPart(folder) && IsPlainPart(name);
}

// The words of netplan for a kind of interface; empty: netplan has none that this program knows.
std::string_view NetplanSection(std::string_view driver) {
  if (driver == "bonding" || driver == "bond") return "bonds";
  if (driver == "bridge") return "bridges";
  return driver == "vlan" || driver.starts_with("802.1Q") ? "vlans" : "ethernets";
}

// netplan calls its file for networkd by the definition: "10-netplan-stor0.network".
std::string NetplanId(const Facts& host, const std::string& netdev) {
  constexpr std::string_view kBeginning = "10-netplan-";
  constexpr std::string_view kEnding = ".network";
  if (!host.managed_interfaces) return {};
  for (const NamedDevice& named : *host.managed_interfaces) {
    std::string_view name = std::string_view(named.source).substr(named.source.rfind('/') + 1);
    if (named.device != netdev || !name.starts_with(kBeginning) || !name.ends_with(kEnding)) continue;
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

BootFile Unkept(std::string why) { return {.unkept = std::move(why)}; }

BootFile Written(std::string path, std::string content, std::uint32_t mode = kOpenMode) {
  if (!IsBootFilePath(path)) return Unkept(Cat(Printable(path), ": this program writes no such file"));
  return {.path = std::move(path), .content = Cat(kFileHead, content), .mode = mode};
}

// netplan merges the keys of a definition over its files, in the order of their names.
BootFile ForNetplan(const Facts& host, const SettingPlace& place, std::uint32_t mtu_bytes) {
  const std::string& netdev = place.object.where;
  const std::string id = NetplanId(host, netdev);
  const bool plain = !id.empty() && std::ranges::all_of(id, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
           std::string_view("-_.").find(one) != std::string_view::npos;
  });
  if (!plain) return Unkept(Cat("what netplan calls ", netdev, " is not known"));
  return Written(Cat("/etc/netplan/90-rdmaready-", netdev, ".yaml"),
                 Cat("network:\n  version: 2\n  ", NetplanSection(KindOf(host, place)), ":\n    \"", id,
                     "\":\n      mtu: ", mtu_bytes, "\n"),
                 kClosedMode);
}

// NetworkManager.conf(5): a default for connections that have no MTU of their own.
BootFile ForNetworkManager(const std::string& netdev, std::uint32_t mtu_bytes) {
  return Written(Cat("/etc/NetworkManager/conf.d/90-rdmaready-", netdev, ".conf"),
                 Cat("[connection-rdmaready-", netdev, "]\nmatch-device=interface-name:=", netdev,
                     "\nethernet.mtu=", mtu_bytes, "\n"));
}

BootFile ForNetworkd(const std::string& file, std::uint32_t mtu_bytes) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return Written(Cat(kNetworkFolder, name, ".d/", kDropIn), Cat("[Link]\nMTUBytes=", mtu_bytes, "\n"));
}

// The file that `plan --persist` prints for an interface that no program keeps, without its first line.
BootFile AsPrinted(PersistFile file) {
  if (file.path.empty()) return {};
  if (file.content.empty() || file.exists_already) return Unkept(file.note);
  std::string content = std::move(file.content);
  if (content.starts_with('#')) content.erase(0, content.find('\n') + 1);
  return Written(std::move(file.path), std::move(content));
}

}  // namespace

bool IsBootFilePath(std::string_view path) {
  if (path.starts_with(kNetworkFolder) && IsDropIn(path.substr(kNetworkFolder.size()))) return true;
  return std::ranges::any_of(kPlaces, [path](const Place& place) {
    if (!path.starts_with(place.folder)) return false;
    const std::string_view name = path.substr(place.folder.size());
    return name.size() > place.beginning.size() + place.ending.size() && name.starts_with(place.beginning) &&
           name.ends_with(place.ending) && IsPlainPart(name);
  });
}

BootFile BootFileFor(const Facts& host, const std::string& netdev, std::uint32_t mtu_bytes) {
  const SettingObject object{.kind = SettingKind::kMtu, .where = netdev};
  const SettingPlace place = PlaceOf(host, object);
  const SettingOwner owner = OwnerOf(host, object, std::to_string(mtu_bytes));
  if (owner.name == "netplan") return ForNetplan(host, place, mtu_bytes);
  if (owner.name == "NetworkManager") return ForNetworkManager(netdev, mtu_bytes);
  if (owner.name == "systemd-networkd") return ForNetworkd(owner.file, mtu_bytes);
  if (!owner.empty() && !owner.at_boot) return Unkept(owner.why);
  Netdev wanted{.name = netdev, .driver = KindOf(host, place), .mtu_bytes = mtu_bytes};
  if (place.netdev != nullptr) {
    wanted.permanent_mac = place.netdev->permanent_mac;
    wanted.driver_info = place.netdev->driver_info;
  }
  return AsPrinted(MtuFileOf(host, wanted));
}

}  // namespace rdmaready

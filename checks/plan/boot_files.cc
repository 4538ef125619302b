// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/boot_files.h"

#include <algorithm>
#include <array>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

// A folder, and the names that this program gives its files there. One of the two may be empty.
struct Place {
  std::string_view folder;
  std::string_view beginning;
  std::string_view ending;
};
constexpr std::string_view kNetworkFolder = "/etc/systemd/network/";
constexpr std::string_view kUnitFolder = "/etc/systemd/system/";
constexpr std::string_view kNetplanFolder = "/etc/netplan/";
constexpr std::string_view kDropIn = "rdma.conf";
constexpr std::string_view kOwnEnding = ".rdmaready.conf";
constexpr std::string_view kDevice = "sys-subsystem-net-devices-";
constexpr std::string_view kWants = ".device.wants/";
constexpr std::string_view kService = ".service";

constexpr std::array<std::string_view, 3> kUnits{"rdma-mtu-", "rdma-dcb-", "rdma-vlan-"};
constexpr std::array<Place, 4> kPlaces{{{kNetworkFolder, "98-rdma-", ".link"},
                                        {kNetplanFolder, "90-rdmaready-", ".yaml"},
                                        {"/etc/NetworkManager/conf.d/", "90-rdmaready-", ".conf"},
                                        {"/etc/sysctl.d/", "", kOwnEnding}}};
constexpr std::array<std::string_view, 2> kFiles{"/etc/sysctl.d/90-rdmaready.conf",
                                                 "/etc/udev/rules.d/90-rdma-tos.rules"};

// A backslash is part of the names that systemd escapes.
bool IsPlainPart(std::string_view part) {
  constexpr std::size_t kMostBytes = 255;  // NAME_MAX
  static constexpr std::string_view kOthers = "_-.:@+\\";
  return !part.empty() && part.size() <= kMostBytes && part.front() != '.' &&
         std::ranges::all_of(part, [](char one) {
           return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
                  kOthers.find(one) != std::string_view::npos;
         });
}

bool IsNamed(std::string_view name, std::string_view beginning, std::string_view ending) {
  return name.size() > beginning.size() + ending.size() && name.starts_with(beginning) &&
         name.ends_with(ending) && IsPlainPart(name);
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

// "dcb0" of "rdma-mtu-dcb0.service", as systemd escapes it; empty: it is not the name of such a unit.
std::string_view InterfaceOfUnit(std::string_view name) {
  for (const std::string_view unit : kUnits) {
    if (!IsNamed(name, unit, kService)) continue;
    name.remove_prefix(unit.size());
    name.remove_suffix(kService.size());
    return name;
  }
  return {};
}

}  // namespace

bool IsBootFilePath(std::string_view path) {
  if (std::ranges::find(kFiles, path) != kFiles.end()) return true;
  if (path.starts_with(kNetworkFolder) && IsDropIn(path.substr(kNetworkFolder.size()))) return true;
  if (path.starts_with(kUnitFolder) && !InterfaceOfUnit(path.substr(kUnitFolder.size())).empty()) return true;
  return std::ranges::any_of(kPlaces, [path](const Place& place) {
    return path.starts_with(place.folder) &&
           IsNamed(path.substr(place.folder.size()), place.beginning, place.ending);
  });
}

std::uint32_t ModeOfBootFile(std::string_view path) {
  constexpr std::uint32_t kOpenMode = 0644;
  constexpr std::uint32_t kClosedMode = 0600;
  return path.starts_with(kNetplanFolder) ? kClosedMode : kOpenMode;
}

std::string_view LimitOfBootFile(std::string_view path, std::string_view content) {
  const auto has = [content](std::string_view text) { return content.find(text) != std::string_view::npos; };
  if (path.starts_with("/etc/NetworkManager/")) return "a connection that has an MTU of its own goes before it";
  if (path.starts_with(kNetplanFolder) && (has("\n  bonds:\n") || has("\n  bridges:\n")))
    return "remove it together with the site's definition: by it alone netplan makes an empty bond or bridge";
  const std::string_view below = path.substr(0, path.rfind('/'));
  if (path.starts_with(kNetworkFolder) && (path.ends_with(".link") || below.ends_with(".link.d")))
    return "where the initramfs holds .link files, make the initramfs again";
  return "";
}

BootLink LinkOfBootFile(std::string_view path) {
  if (!path.starts_with(kUnitFolder)) return {};
  const std::string_view name = path.substr(kUnitFolder.size());
  const std::string_view interface = InterfaceOfUnit(name);
  if (interface.empty()) return {};
  return {.path = Cat(kUnitFolder, kDevice, interface, kWants, name), .target = std::string(path)};
}

bool IsBootLinkPath(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  return LinkOfBootFile(Cat(kUnitFolder, path.substr(slash + 1))).path == path;
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/device.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "api/base/handle.h"
#include "api/base/number.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/setting/table.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kTheKernelItself = 1;
constexpr std::size_t kMostNumberBytes = 64;

// The link leads to the device's own folder.
absl::StatusOr<std::uint64_t> InodeOf(const std::string& path) {
  struct ::stat info {};
  if (::stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, path);
  return info.st_ino;
}

absl::StatusOr<std::uint64_t> IfindexOf(const std::string& netdev) {
  const std::string folder = "/sys/class/net/" + netdev;
  RR_RETURN_IF_ERROR(InodeOf(folder).status());
  RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(folder + "/ifindex", kMostNumberBytes));
  const auto number = ParseNumber<std::uint64_t>(TrimRight(text));
  if (!number) return absl::InternalError(folder + "/ifindex: not a number");
  return *number;
}

constexpr std::string_view kNone = "-";

std::string FirstLine(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadSmallFile(path, kMostNumberBytes);
  return text.ok() ? std::string(TrimRight(*text)) : "";
}

// "0000:3b:00.0"; empty for software.
std::string PlaceOf(const std::string& folder) {
  std::error_code error;
  return std::filesystem::read_symlink(folder + "/device", error).filename().string();
}

// As "b8:59:9f:00:00:01"; empty where there is none: a bond, a bridge.
std::string PermanentMacOf(const std::string& netdev) {
  constexpr std::uint32_t kMostOctets = 32;  // MAX_ADDR_LEN
  alignas(::ethtool_perm_addr) std::array<std::uint8_t, sizeof(::ethtool_perm_addr) + kMostOctets> answer{};
  ::ethtool_perm_addr head{.cmd = ETHTOOL_GPERMADDR, .size = kMostOctets};
  std::memcpy(answer.data(), &head, sizeof(head));
  ::ifreq request{};
  if (netdev.size() >= sizeof(request.ifr_name)) return {};
  std::memcpy(request.ifr_name, netdev.data(), netdev.size());
  request.ifr_data = reinterpret_cast<char*>(answer.data());
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket || ::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) return {};
  std::memcpy(&head, answer.data(), sizeof(head));
  const auto octets = std::span(answer).subspan(sizeof(head), std::min(head.size, kMostOctets));
  if (std::ranges::all_of(octets, [](std::uint8_t octet) { return octet == 0; })) return {};
  std::string text;
  for (const std::uint8_t octet : octets) text += fmt::format("{}{:02x}", text.empty() ? "" : ":", octet);
  return text;
}

// Of software nothing is known: what it has for an address is lent by what it stands on, or made at random.
std::string Joined(const std::string& place, const std::string& address) {
  return place.empty() ? "" : place + " " + (address.empty() ? std::string(kNone) : address);
}

bool IsNetdevName(const std::string& name) {
  return !name.empty() && name.size() < IFNAMSIZ && name.find('/') == std::string::npos &&
         !name.starts_with('.');
}

std::string IdentityOfNetdev(const std::string& netdev) {
  const std::string folder = "/sys/class/net/" + netdev;
  std::string place = PlaceOf(folder);
  if (!place.empty()) place += "/" + FirstLine(folder + "/dev_port");
  return place.empty() ? "" : Joined(place, PermanentMacOf(netdev));
}

std::string IdentityOfRdma(const std::string& device) {
  const std::string folder = "/sys/class/infiniband/" + device;
  return Joined(PlaceOf(folder), FirstLine(folder + "/node_guid"));
}

}  // namespace

std::vector<std::string> NetdevsBelow(const std::string& netdev) {
  constexpr int kMostLevels = 8;
  constexpr std::string_view kLower = "lower_";
  std::vector<std::string> level{netdev};
  std::vector<std::string> bottom;
  for (int depth = 0; depth < kMostLevels && !level.empty(); ++depth) {
    std::vector<std::string> next;
    for (const std::string& name : level) {
      const std::size_t before = next.size();
      std::error_code error;
      if (IsNetdevName(name)) {
        for (const auto& entry : std::filesystem::directory_iterator("/sys/class/net/" + name, error)) {
          const std::string file = entry.path().filename().string();
          if (file.starts_with(kLower)) next.push_back(file.substr(kLower.size()));
        }
      }
      if (next.size() == before && std::ranges::find(bottom, name) == bottom.end()) bottom.push_back(name);
    }
    level = std::move(next);
  }
  return bottom;
}

std::string IdentityOf(const SettingObject& object) {
  if (!DeviceOf(object).ok()) return {};
  switch (HomeOf(object.kind)) {
    case SettingHome::kNone:
    case SettingHome::kDevlink:
      return {};
    case SettingHome::kRdmaPort:
      return IdentityOfRdma(object.where.substr(0, object.where.find('/')));
    case SettingHome::kVariable:
    case SettingHome::kNetdev: {
      const std::string netdev = WhereOf(object);
      return netdev.empty() ? "" : IdentityOfNetdev(netdev);
    }
  }
  return {};
}

bool MayBeSame(std::string_view identity, std::string_view other) {
  const std::size_t end = identity.find(' ');
  const std::size_t other_end = other.find(' ');
  if (end == std::string_view::npos || other_end == std::string_view::npos) return true;
  const auto same = [](std::string_view a, std::string_view b) { return a == b && a != kNone; };
  return same(identity.substr(0, end), other.substr(0, other_end)) ||
         same(identity.substr(end + 1), other.substr(other_end + 1));
}

absl::StatusOr<std::uint64_t> DeviceOf(const SettingObject& object) {
  if (object.where.find_first_of(" \t\n") != std::string::npos || object.where.find("..") != std::string::npos)
    return absl::InvalidArgumentError("no name of a device: " + SafeLine(object.where, 64));
  switch (HomeOf(object.kind)) {
    case SettingHome::kNone:
      break;
    case SettingHome::kRdmaPort:
      return InodeOf("/sys/class/infiniband/" + object.where.substr(0, object.where.find('/')));
    case SettingHome::kDevlink: {
      const std::size_t slash = object.where.find('/');
      if (slash == std::string::npos) return absl::InvalidArgumentError("no devlink handle: " + object.where);
      return InodeOf("/sys/bus/" + object.where.substr(0, slash) + "/devices/" +
                     object.where.substr(slash + 1));
    }
    case SettingHome::kVariable: {
      const std::string interface = WhereOf(object);
      if (interface.empty()) return kTheKernelItself;
      return IfindexOf(interface);
    }
    case SettingHome::kNetdev:
      return IfindexOf(object.where);
  }
  return absl::InvalidArgumentError("a setting of no kind");
}

}  // namespace rdmaready

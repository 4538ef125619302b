// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/device.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "api/base/number.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"

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

}  // namespace

std::string InterfaceOfSysctl(std::string_view variable) {
  constexpr std::string_view kOfInterfaces = "net.ipv4.conf.";
  if (!variable.starts_with(kOfInterfaces)) return {};
  variable.remove_prefix(kOfInterfaces.size());
  std::string interface(variable.substr(0, variable.rfind('.')));
  std::ranges::replace(interface, '/', '.');  // sysctl(8) writes the dots of a name so
  return interface == "all" || interface == "default" ? "" : interface;
}

absl::StatusOr<std::uint64_t> DeviceOf(const SettingObject& object) {
  if (object.where.find_first_of(" \t\n") != std::string::npos || object.where.find("..") != std::string::npos)
    return absl::InvalidArgumentError("no name of a device: " + SafeLine(object.where, 64));
  switch (object.kind) {
    case SettingKind::kUnknown:
      return absl::InvalidArgumentError("a setting of no kind");
    case SettingKind::kCmMode:
    case SettingKind::kCmTos:
      return InodeOf("/sys/class/infiniband/" + object.where.substr(0, object.where.find('/')));
    case SettingKind::kDevlinkParameter: {
      const std::size_t slash = object.where.find('/');
      if (slash == std::string::npos) return absl::InvalidArgumentError("no devlink handle: " + object.where);
      return InodeOf("/sys/bus/" + object.where.substr(0, slash) + "/devices/" +
                     object.where.substr(slash + 1));
    }
    case SettingKind::kSysctl: {
      const std::string interface = InterfaceOfSysctl(object.name);
      if (interface.empty()) return kTheKernelItself;
      return IfindexOf(interface);
    }
    case SettingKind::kPause:
    case SettingKind::kPrivateFlag:
    case SettingKind::kDcbx:
    case SettingKind::kMtu:
    case SettingKind::kEts:
    case SettingKind::kPfc:
    case SettingKind::kBuffer:
    case SettingKind::kMaxRate:
    case SettingKind::kApp:
    case SettingKind::kTrust:
    case SettingKind::kVlanEgress:
      return IfindexOf(object.where);
  }
  return absl::InvalidArgumentError("a setting of no kind");
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/pause_port.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>

#include "api/base/handle.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/model/pause_filters.h"

namespace rdmaready::helper {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSysfsBytes = 4096;
constexpr std::uint32_t kMostSpeedMbps = 10'000'000;

class Ioctls {
 public:
  explicit Ioctls(const std::string& netdev)
      : netdev_(netdev), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    std::ranges::copy(netdev, request_.ifr_name);
  }

  absl::StatusOr<::ifreq> Ask(unsigned long command) {
    ::ifreq request = request_;
    if (!socket_ || ::ioctl(socket_.get(), command, &request) != 0)
      return ErrnoStatus(errno, "ask for interface " + netdev_);
    return request;
  }

  // `data` holds the question and gets the answer.
  bool Ethtool(void* data) {
    ::ifreq request = request_;
    request.ifr_data = static_cast<char*>(data);
    return socket_ && ::ioctl(socket_.get(), SIOCETHTOOL, &request) == 0;
  }

 private:
  const std::string& netdev_;
  const UniqueFd socket_;
  ::ifreq request_{};
};

std::string MacText(std::span<const unsigned char> mac) {
  std::string text;
  for (const unsigned char octet : mac) text += fmt::format("{}{:02x}", text.empty() ? "" : ":", octet);
  return text;
}

std::string PermanentMacOf(Ioctls& ask) {
  constexpr std::size_t kMostAddressBytes = 32;
  const ::ethtool_perm_addr question{ETHTOOL_GPERMADDR, kMostAddressBytes};
  std::array<unsigned char, sizeof(question) + kMostAddressBytes> answer{};
  std::memcpy(answer.data(), &question, sizeof(question));
  if (!ask.Ethtool(answer.data())) return {};
  std::uint32_t size = 0;
  std::memcpy(&size, answer.data() + offsetof(::ethtool_perm_addr, size), sizeof(size));
  const auto mac = std::span(answer).subspan<sizeof(question), kMacBytes>();
  const bool is_set = std::ranges::any_of(mac, [](unsigned char octet) { return octet != 0; });
  return size == kMacBytes && is_set ? MacText(mac) : "";
}

std::string DriverOf(Ioctls& ask) {
  ::ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  if (!ask.Ethtool(&info)) return {};
  return {info.driver, ::strnlen(info.driver, sizeof(info.driver))};
}

std::uint32_t NumberIn(const fs::path& file, std::uint32_t most) {
  const absl::StatusOr<std::string> text = ReadSmallFile(file, kMostSysfsBytes);
  std::uint32_t number = 0;
  if (!text.ok()) return 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc() && number <= most ? number : 0;
}

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// A bond, a bridge and a VLAN have a link to each interface below them.
bool HasLowers(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with("lower_")) return true;
  }
  return static_cast<bool>(error);
}

std::string PciOf(const fs::path& folder) {
  std::error_code error;
  const fs::path subsystem = fs::canonical(folder / "device" / "subsystem", error);
  if (error || subsystem.filename() != "pci") return {};
  const fs::path device = fs::canonical(folder / "device", error);
  if (error) return {};
  return fmt::format("{}/{}", device.filename().string(), NumberIn(folder / "dev_port", 255));
}

// Functions of one port have the same. Empty: the driver has none (EOPNOTSUPP), or the text is not one of the
// kernel's phys_port_id_show.
std::string PhysicalPortOf(const fs::path& folder) {
  constexpr std::size_t kMostDigits = 64;  // MAX_PHYS_ITEM_ID_LEN is 32 octets
  absl::StatusOr<std::string> text = ReadSmallFile(folder / "phys_port_id", kMostSysfsBytes);
  if (!text.ok()) return {};
  while (!text->empty() && text->back() == '\n') text->pop_back();
  const bool hexadecimal = text->find_first_not_of("0123456789abcdef") == std::string::npos;
  const bool is_set = text->find_first_not_of('0') != std::string::npos;
  return hexadecimal && is_set && text->size() <= kMostDigits ? *std::move(text) : "";
}

}  // namespace

bool IsNetdevName(const std::string& text) {
  constexpr std::size_t kLongestNetdev = IFNAMSIZ - 1;
  return !text.empty() && text.size() <= kLongestNetdev && text != "." && text != ".." &&
         std::ranges::all_of(text, [](char letter) { return letter > ' ' && letter <= '~' && letter != '/'; });
}

absl::StatusOr<PausePort> ReadPausePort(const std::string& netdev) {
  if (!IsNetdevName(netdev)) return absl::InvalidArgumentError("not the name of an interface");
  Ioctls ask(netdev);
  RR_ASSIGN_OR_RETURN(const ::ifreq index, ask.Ask(SIOCGIFINDEX));
  RR_ASSIGN_OR_RETURN(const ::ifreq flags, ask.Ask(SIOCGIFFLAGS));
  RR_ASSIGN_OR_RETURN(const ::ifreq address, ask.Ask(SIOCGIFHWADDR));
  const fs::path folder = fs::path("/sys/class/net") / netdev;
  PausePort port{.netdev = netdev,
                 .ifindex = index.ifr_ifindex,
                 .driver = DriverOf(ask),
                 .key = {.pci = PciOf(folder),
                         .permanent_mac = PermanentMacOf(ask),
                         .physical_port = PhysicalPortOf(folder)},
                 .speed_mbps = NumberIn(folder / "speed", kMostSpeedMbps),
                 .ethernet = address.ifr_hwaddr.sa_family == ARPHRD_ETHER,
                 .wireless = Exists(folder / "phy80211") || Exists(folder / "wireless"),
                 .carrier = (static_cast<unsigned>(flags.ifr_flags) & IFF_RUNNING) != 0,
                 .virtual_function = Exists(folder / "device" / "physfn"),
                 .stands_on_another = HasLowers(folder)};
  std::memcpy(port.mac.data(), address.ifr_hwaddr.sa_data, kMacBytes);
  if (port.key.pci.empty() && port.key.permanent_mac.empty()) {
    const auto* const octets = reinterpret_cast<const unsigned char*>(address.ifr_hwaddr.sa_data);
    port.key.permanent_mac = MacText({octets, kMacBytes});
  }
  // After a rename, sysfs may have answered for another port.
  RR_ASSIGN_OR_RETURN(const ::ifreq again, ask.Ask(SIOCGIFINDEX));
  if (again.ifr_ifindex != port.ifindex)
    return absl::AbortedError("the interface " + netdev + " was renamed while it was read");
  return port;
}

absl::Status CheckPausePort(const PausePort& port) {
  const auto refuse = [&port](std::string_view why) {
    return absl::FailedPreconditionError(fmt::format("{} {}", port.netdev, why));
  };
  if (!port.ethernet || port.wireless || port.stands_on_another) return refuse("is not an Ethernet NIC");
  if (port.virtual_function) return refuse("is a virtual function, which may not pause the port of its NIC");
  if (const PauseFilter* filter = FindPauseFilter(port.driver)) {
    return refuse(fmt::format("drops the pause frames that its host sends: driver {}, {}", filter->driver,
                              filter->where));
  }
  if (!port.carrier) return refuse("has no carrier");
  if (port.speed_mbps == 0) return refuse("does not say its speed, so the time of a pause is not known");
  return absl::OkStatus();
}

}  // namespace rdmaready::helper

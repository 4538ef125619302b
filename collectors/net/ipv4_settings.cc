// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/ipv4_settings.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

Fact<std::uint32_t> ReadNumber(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (!text.ok()) return MissingFrom(text.status());
  const std::string number = TrimRight(*text);
  if (const auto value = ParseNumber<std::uint32_t>(number)) return *value;
  return Missing{Missing::Kind::kFailed, "read " + path + ": \"" + number + "\" is not a setting"};
}

// What a check asks to be set another way.
constexpr std::array<std::string_view, 4> kSetByHand{"accept_local", "arp_announce", "arp_ignore", "rp_filter"};

std::set<std::string> NetdevsOf(const std::vector<Port>& ports) {
  std::set<std::string> names;
  for (const Port& port : ports) {
    if (port.netdev) names.insert(port.netdev->name);
    if (port.uppers) {
      for (const UpperNetdev& upper : *port.uppers) names.insert(upper.name);
    }
    if (!port.subnets) continue;
    for (const Subnet& subnet : *port.subnets) {
      for (const SubnetSharer& sharer : subnet.shared_with) names.insert(sharer.netdev);
    }
  }
  return names;
}

// sysctl(8) parts a name by dots, so that a dot of the interface's own becomes a slash.
std::string SysctlName(std::string netdev, std::string_view variable) {
  std::ranges::replace(netdev, '.', '/');
  return "net.ipv4.conf." + netdev + "." + std::string(variable);
}

}  // namespace

Fact<Ipv4Settings> ReadIpv4Conf(HostReader& host, const std::string& name) {
  const std::string folder = "/proc/sys/net/ipv4/conf/" + name + "/";
  Ipv4Settings settings;
  std::uint32_t accept_local = 0;
  std::uint32_t arp_filter = 0;
  for (const auto& [file, value] :
       {std::pair{"arp_ignore", &settings.arp_ignore}, std::pair{"arp_announce", &settings.arp_announce},
        std::pair{"rp_filter", &settings.rp_filter}, std::pair{"accept_local", &accept_local},
        std::pair{"arp_filter", &arp_filter}}) {
    const Fact<std::uint32_t> number = ReadNumber(host, folder + file);
    if (!number) return number.missing();
    *value = *number;
  }
  settings.accept_local = accept_local != 0;
  settings.arp_filter = arp_filter != 0;
  return settings;
}

// IN_DEV_MAXCONF and IN_DEV_ORCONF of the kernel's include/linux/inetdevice.h.
Fact<Ipv4Settings> EffectiveIpv4(const Fact<Ipv4Settings>& all, const Fact<Ipv4Settings>& own) {
  if (!all) return all.missing();
  if (!own) return own.missing();
  return Ipv4Settings{.arp_ignore = std::max(all->arp_ignore, own->arp_ignore),
                      .arp_announce = std::max(all->arp_announce, own->arp_announce),
                      .rp_filter = std::max(all->rp_filter, own->rp_filter),
                      .accept_local = all->accept_local || own->accept_local,
                      .arp_filter = all->arp_filter || own->arp_filter};
}

Fact<std::vector<Sysctl>> ReadIpv4Sysctls(HostReader& host, const Fact<std::vector<Port>>& ports) {
  if (!ports) return ports.missing();
  std::vector<Sysctl> sysctls;
  if (ports->empty()) return sysctls;  // nothing there that it would be set for
  std::set<std::string> names = NetdevsOf(*ports);
  names.insert("all");
  for (const std::string& name : names) {
    for (const std::string_view variable : kSetByHand) {
      const Fact<std::uint32_t> value =
          ReadNumber(host, "/proc/sys/net/ipv4/conf/" + name + "/" + std::string(variable));
      if (value) {
        sysctls.push_back({SysctlName(name, variable), *value});
      } else if (name == "all") {
        return value.missing();
      }
    }
  }
  std::ranges::sort(sysctls, {}, &Sysctl::name);
  return sysctls;
}

}  // namespace rdmaready

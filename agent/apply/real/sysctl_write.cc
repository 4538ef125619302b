// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/sysctl_write.h"

#include <linux/if.h>

#include <algorithm>
#include <array>

#include "agent/apply/real/file_write.h"

namespace rdmaready {
namespace {

constexpr std::string_view kConfPrefix = "net.ipv4.conf.";
// Those that checks read (api/model/network.h).
constexpr std::array<std::string_view, 5> kConfVariables{"arp_ignore", "arp_announce", "rp_filter",
                                                         "accept_local", "arp_filter"};

}  // namespace

std::optional<Ipv4ConfName> Ipv4ConfOf(std::string_view sysctl) {
  if (!sysctl.starts_with(kConfPrefix)) return std::nullopt;
  sysctl.remove_prefix(kConfPrefix.size());
  const std::size_t dot = sysctl.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  Ipv4ConfName name{std::string(sysctl.substr(0, dot)), std::string(sysctl.substr(dot + 1))};
  std::ranges::replace(name.directory, '/', '.');
  if (std::ranges::find(kConfVariables, name.variable) == kConfVariables.end()) return std::nullopt;
  if (!IsPlainName(name.directory) || name.directory.size() >= IFNAMSIZ) return std::nullopt;
  return name;
}

absl::Status WriteSysctl(const std::string& folder, const std::string& sysctl, std::string_view to) {
  const std::string what = "set sysctl " + sysctl;
  const std::optional<Ipv4ConfName> name = Ipv4ConfOf(sysctl);
  if (!name) return absl::InvalidArgumentError(what + ": not one of ours");
  return WriteKernelFile(folder, {name->directory, name->variable}, to, what);
}

}  // namespace rdmaready

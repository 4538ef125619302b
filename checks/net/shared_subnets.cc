// SPDX-License-Identifier: Apache-2.0
#include "checks/net/shared_subnets.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/base/number.h"
#include "checks/setting/sysctl_name.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// accept_local is for two RDMA ports of the host: what one sends to the other.
bool IsGoodLocal(const Ipv4Settings& settings, const SharedSubnet& /*subnet*/) { return settings.accept_local; }

// Larger values than 2 still answer for other interfaces' addresses, or, 8, for no address at all.
bool IsGoodIgnore(const Ipv4Settings& settings, const SharedSubnet& subnet) {
  if (settings.arp_ignore == 1 || settings.arp_ignore == 2) return true;
  return settings.arp_ignore == 0 && settings.arp_filter && subnet.answers_apart;
}

bool IsGoodAnnounce(const Ipv4Settings& settings, const SharedSubnet& /*subnet*/) {
  return settings.arp_announce == 2;
}

bool IsGoodFilter(const Ipv4Settings& settings, const SharedSubnet& /*subnet*/) {
  return settings.rp_filter != 1;
}

std::uint32_t ValueAt(const Facts& host, const std::string& where, std::string_view variable) {
  const SettingObject object{.kind = SettingKind::kSysctl, .name = Ipv4VariableName(where, variable)};
  return ParseNumber<std::uint32_t>(ValueOf(host, object)).value_or(0);
}

bool IsOfAnRdmaPort(const Facts& host, const std::string& netdev) {
  return host.ports &&
         std::ranges::any_of(*host.ports, [&netdev](const Port& port) { return HasInterface(port, netdev); });
}

// The members of the subnet that the sysctl concerns.
std::vector<SubnetMember> MembersFor(const Facts& host, const SharedSubnetSysctl& wanted,
                                     const SharedSubnet& subnet) {
  std::vector<SubnetMember> members = subnet.members;
  if (wanted.variable != "accept_local") return members;
  std::erase_if(members, [&host](const SubnetMember& one) { return !IsOfAnRdmaPort(host, one.netdev); });
  if (members.size() < 2) members.clear();
  return members;
}

}  // namespace

bool HasInterface(const Port& port, const std::string& netdev) {
  if (port.netdev && port.netdev->name == netdev) return true;
  return port.uppers && std::ranges::find(*port.uppers, netdev, &UpperNetdev::name) != port.uppers->end();
}

Fact<Ipv4Settings> Ipv4SettingsOf(const Port& port, const std::string& netdev) {
  if (port.netdev && port.netdev->name == netdev) return port.netdev->ipv4;
  if (!port.uppers) return port.uppers.missing();
  const auto found = std::ranges::find(*port.uppers, netdev, &UpperNetdev::name);
  return found == port.uppers->end() ? Fact<Ipv4Settings>() : found->ipv4;
}

std::vector<SharedSubnet> SharedSubnetsOf(const Port& port) {
  std::vector<SharedSubnet> all;
  if (!port.subnets) return all;
  for (const Subnet& subnet : *port.subnets) {
    const bool ipv4 = subnet.own.address.find(':') == std::string::npos;
    if (!ipv4 || subnet.shared_with.empty()) continue;
    SharedSubnet shared{.subnet = Cat(subnet.own.address, "/", subnet.own.prefix_length)};
    shared.answers_apart = subnet.route && subnet.route->netdev == subnet.netdev;
    shared.members.push_back({subnet.netdev, Ipv4SettingsOf(port, subnet.netdev)});
    for (const SubnetSharer& sharer : subnet.shared_with)
      shared.members.push_back({sharer.netdev, sharer.ipv4});
    all.push_back(std::move(shared));
  }
  return all;
}

const std::array<SharedSubnetSysctl, 4>& SharedSubnetSysctls() {
  static constexpr std::array<SharedSubnetSysctl, 4> kSysctls{
      {{"ip.accept-local", "accept_local", 1, false, IsGoodLocal},
       {"arp.ignore", "arp_ignore", 2, true, IsGoodIgnore},
       {"arp.announce", "arp_announce", 2, true, IsGoodAnnounce},
       {"ip.rp-filter", "rp_filter", 2, false, IsGoodFilter}}};
  return kSysctls;
}

const SharedSubnetSysctl* FindSharedSubnetSysctl(std::string_view check) {
  const auto& all = SharedSubnetSysctls();
  const auto* const found = std::ranges::find(all, check, &SharedSubnetSysctl::check);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> PlacesToSet(const Facts& host, const Port& port, const SharedSubnetSysctl& wanted) {
  std::set<std::string> places;
  const bool all_too_large = wanted.larger_is_wrong && ValueAt(host, "all", wanted.variable) > wanted.value;
  for (const SharedSubnet& subnet : SharedSubnetsOf(port)) {
    for (const SubnetMember& member : MembersFor(host, wanted, subnet)) {
      if (!member.settings || wanted.good(*member.settings, subnet)) continue;
      if (all_too_large) places.insert("all");
      const bool own_too_large = ValueAt(host, member.netdev, wanted.variable) > wanted.value;
      if (!all_too_large || own_too_large) places.insert(member.netdev);
    }
  }
  return {places.begin(), places.end()};
}

}  // namespace rdmaready

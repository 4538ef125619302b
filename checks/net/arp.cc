// SPDX-License-Identifier: Apache-2.0
// arp.*, ip.rp-filter: what must be set where several interfaces of a host have addresses in one subnet.
#include <algorithm>
#include <string>
#include <vector>

#include "checks/families.h"
#include "checks/net/shared_subnets.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/boot_settings.h"
#include "checks/setting/sysctl_name.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kShowAcceptLocal = "sysctl -a -r 'net.ipv4.conf..*.accept_local'";
constexpr std::string_view kSysctlSource = "sysctl net.ipv4.conf, rtnetlink addresses";

// Two RDMA ports in one subnet are said once, of the later one.
bool SaidLater(const PortView& view, const std::string& netdev) {
  if (!view.host.ports) return false;
  bool later = false;
  for (const Port& port : *view.host.ports) {
    if (later && HasInterface(port, netdev) && !HasInterface(view.port, netdev)) return true;
    later = later || PortName(port) == PortName(view.port);
  }
  return false;
}

std::vector<SharedSubnet> SharedOf(const PortView& view) {
  std::vector<SharedSubnet> all = SharedSubnetsOf(view.port);
  for (SharedSubnet& shared : all) {
    const std::string own = shared.members.front().netdev;
    std::erase_if(shared.members, [&](const SubnetMember& member) {
      return member.netdev != own && SaidLater(view, member.netdev);
    });
  }
  std::erase_if(all, [](const SharedSubnet& shared) { return shared.members.size() < 2; });
  return all;
}

bool IsIpv4(const IpAddress& ip) { return ip.address.find(':') == std::string::npos; }

std::string ArpNotApplicable(const PortView& view) {
  if (IsInfiniBand(view.port)) return "InfiniBand: a port is reached by its LID";
  if (!view.port.subnets) return {};
  const bool any = std::ranges::any_of(*view.port.subnets, [](const Subnet& one) { return IsIpv4(one.own); });
  return any ? "" : "the port has no IPv4 address";
}

// ---- repairs ----

constexpr std::string_view kForGood = "for good: a file in /etc/sysctl.d";

// A file of the boot that gives all interfaces another value: a site may want its own choice there.
std::string OfAllAtBoot(const Facts& host, const SharedSubnetSysctl& wanted) {
  const SettingObject all{.kind = SettingKind::kSysctl, .name = Ipv4VariableName("all", wanted.variable)};
  for (const BootWrite* write : BootWritersOf(host, PlaceOf(host, all))) {
    if (!IsRightAtBoot(all.kind, *write, std::to_string(wanted.value)))
      return Cat("where every interface of the host is to have it: ", ChangeText(write->file, write->started),
                 ", which sets ", all.name, " otherwise");
  }
  return {};
}

// Sets the variable of each interface that needs it, and that of all interfaces only where nothing else helps.
Fix SetFix(const PortView& view, const SharedSubnetSysctl& wanted) {
  Fix fix;
  bool all = false;
  for (const std::string& place : PlacesToSet(view.host, view.port, wanted)) {
    all = all || place == "all";
    fix = std::move(fix).Run(
        Cat("sysctl -w ", ShellWord(Ipv4VariableName(place, wanted.variable)), "=", wanted.value));
  }
  if (fix.empty()) return fix;
  if (all)
    fix = std::move(fix).Caution(
        "it holds for every interface of the host: the larger value of `all` and the interface's own counts");
  if (wanted.variable == "rp_filter")
    fix = std::move(fix).Caution(
        "the loose filter accepts a packet by that interface where any route to its sender exists");
  fix = std::move(fix).Do(kForGood).Or(
      wanted.variable == "rp_filter"
          ? "give each interface a subnet of its own: the strict filter can then stay"
          : "give each interface a subnet of its own: then the setting is not needed");
  if (const std::string other = OfAllAtBoot(view.host, wanted); !other.empty()) fix = std::move(fix).Or(other);
  return std::move(fix).CheckBy(Cat("sysctl -a -r 'net.ipv4.conf..*.", wanted.variable, "'"));
}

// ---- verdicts ----

// Every member of every shared subnet; the first subnet in which one is not good decides.
template <class Value>
Verdict JudgeMembers(const PortView& view, const SharedSubnetSysctl& wanted, std::string_view expected,
                     Value value) {
  if (!view.port.subnets) return NoAnswer(view.port.subnets.missing(), std::string(expected), kSysctlSource);
  for (const SharedSubnet& shared : SharedOf(view)) {
    std::string names;
    std::string wrong;
    for (const SubnetMember& member : shared.members) {
      if (!member.settings) return NoAnswer(member.settings.missing(), std::string(expected), kSysctlSource);
      names += Cat(names.empty() ? "" : ", ", member.netdev);
      if (wanted.good(*member.settings, shared)) continue;
      wrong += Cat(wrong.empty() ? "" : ", ", value(*member.settings), " on ", member.netdev);
    }
    if (wrong.empty()) continue;
    // Two RDMA ports in one subnet are said of one of them.
    if (const Missing* gap = UnknownNetdev(view.host))
      return NoAnswer(*gap, std::string(expected), kSysctlSource);
    return Judged(false,
                  Cat("in the subnet of ", shared.subnet, " are ", names, ": ", wanted.variable, " ", wrong),
                  std::string(expected), kSysctlSource, SetFix(view, wanted));
  }
  const Fact<Ipv4Settings>& own = view.port.netdev ? view.port.netdev->ipv4 : Fact<Ipv4Settings>();
  const std::string alone = SharedOf(view).empty() ? "no other interface is in its subnets" : "good everywhere";
  return Judged(true, own ? Cat(wanted.variable, " ", value(*own), ": ", alone) : alone, std::string(expected),
                kSysctlSource);
}

Verdict JudgeArpIgnore(const PortView& view) {
  if (std::string reason = ArpNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  return JudgeMembers(view, *FindSharedSubnetSysctl("arp.ignore"), "1 or 2 where interfaces share a subnet",
                      [](const Ipv4Settings& settings) { return settings.arp_ignore; });
}

Verdict JudgeArpAnnounce(const PortView& view) {
  if (std::string reason = ArpNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  return JudgeMembers(view, *FindSharedSubnetSysctl("arp.announce"), "2 where interfaces share a subnet",
                      [](const Ipv4Settings& settings) { return settings.arp_announce; });
}

Verdict JudgeIpRpFilter(const PortView& view) {
  if (std::string reason = ArpNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  return JudgeMembers(view, *FindSharedSubnetSysctl("ip.rp-filter"), "0 or 2 where interfaces share a subnet",
                      [](const Ipv4Settings& settings) { return settings.rp_filter; });
}

enum class Family { kIpv4, kIpv6 };

// Another RDMA port before this one that has an interface in a subnet of the port's, with both its settings.
std::vector<SharedSubnet> WithRdmaPorts(const PortView& view, Family family) {
  std::vector<SharedSubnet> all;
  if (!view.host.ports) return all;
  for (const Subnet& subnet : *view.port.subnets) {
    if (IsIpv4(subnet.own) != (family == Family::kIpv4)) continue;
    SharedSubnet shared{.subnet = Cat(subnet.own.address, "/", subnet.own.prefix_length)};
    for (const SubnetSharer& sharer : subnet.shared_with) {
      for (const Port& other : *view.host.ports) {
        if (PortName(other) == PortName(view.port)) break;
        if (HasInterface(other, sharer.netdev) && !HasInterface(view.port, sharer.netdev))
          shared.members.push_back({sharer.netdev, sharer.ipv4});
      }
    }
    if (shared.members.empty()) continue;
    shared.members.insert(shared.members.begin(), {subnet.netdev, Ipv4SettingsOf(view.port, subnet.netdev)});
    all.push_back(std::move(shared));
  }
  return all;
}

std::string LocalNotApplicable(const PortView& view) {
  if (IsInfiniBand(view.port)) return "InfiniBand: a port is reached by its LID";
  if (!view.port.subnets || UnknownNetdev(view.host) != nullptr) return {};
  if (!WithRdmaPorts(view, Family::kIpv4).empty()) return {};
  if (WithRdmaPorts(view, Family::kIpv6).empty()) return "no RDMA port before this one is in its subnets";
  const bool iwarp = view.port.transport && *view.port.transport == Transport::kIwarp;
  return iwarp ? "iWARP by IPv6: no setting of the kernel keeps two ports of the host apart" : "";
}

// RDMA-CM looks the sender up for its own interface (validate_ipv6_net_dev of drivers/infiniband/core/cma.c).
// An IPv6 address of the host itself is found before, on the other interface, and the request is refused.
Verdict JudgeLocalIpv6(const SharedSubnet& shared) {
  const std::string netdev = ShellWord(shared.members.front().netdev);
  return Judged(
      false,
      Cat("the subnet of ", shared.subnet, " is shared with ", shared.members.back().netdev,
          " by IPv6 alone: RDMA-CM refuses requests between the two"),
      "an IPv4 subnet for two RDMA ports that talk to one another", kSysctlSource,
      Fix(Cat("ip address add ADDRESS dev ", netdev))
          .Because("by IPv6 RDMA-CM refuses what comes from an address of its own host", Certainty::kCertain)
          .Do("ADDRESS: an IPv4 address in one subnet with the other port")
          .Or("leave it, where no program connects one port of this host to another"));
}

Verdict JudgeIpAcceptLocal(const PortView& view) {
  if (std::string reason = LocalNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "1 where two RDMA ports share a subnet";
  if (!view.port.subnets) return NoAnswer(view.port.subnets.missing(), kExpected, kSysctlSource);
  const std::vector<SharedSubnet> by_ipv4 = WithRdmaPorts(view, Family::kIpv4);
  const std::vector<SharedSubnet> by_ipv6 = WithRdmaPorts(view, Family::kIpv6);
  if (by_ipv4.empty() && !by_ipv6.empty()) {
    if (!view.port.transport) return NoAnswer(view.port.transport.missing(), kExpected, kSysctlSource);
    return JudgeLocalIpv6(by_ipv6.front());
  }
  std::string names;
  for (const SharedSubnet& shared : by_ipv4) {
    for (const SubnetMember& member : shared.members) {
      if (!member.settings) return NoAnswer(member.settings.missing(), kExpected, kSysctlSource);
      if (!member.settings->accept_local)
        return Judged(false, Cat("accept_local 0 on ", member.netdev, ", in the subnet of ", shared.subnet),
                      kExpected, kSysctlSource, SetFix(view, *FindSharedSubnetSysctl("ip.accept-local")));
      names += Cat(names.empty() ? "" : ", ", member.netdev);
    }
  }
  if (const Missing* gap = UnknownNetdev(view.host)) return NoAnswer(*gap, kExpected, kSysctlSource);
  return Judged(true, Cat("accept_local 1 on ", names), kExpected, kSysctlSource);
}

}  // namespace

std::vector<Check> ArpChecks() {
  return {
      {.id = "ip.accept-local",
       .title = "Two ports of the host in one subnet can talk to one another",
       .why = "Else what one port sends to the other is dropped as forged: a test between them times out",
       .fix = Fix("sysctl -w net.ipv4.conf.{netdev}.accept_local=1")
                  .Do("the same for the other port's interface")
                  .Do(kForGood)
                  .Or("give each RDMA port a subnet of its own: then the setting is not needed")
                  .CheckBy(kShowAcceptLocal),
       .depends_on = {"inv.netdev-mapping", "ip.address"},
       .judge = JudgeIpAcceptLocal},
      {.id = "arp.ignore",
       .title = "Every interface answers ARP for its own addresses only",
       .why =
           "Else an interface answers for the address of another in the same subnet, and RDMA is sent to the "
           "wrong device",
       .fix = Fix("sysctl -w net.ipv4.conf.{netdev}.arp_ignore=2")
                  .Do("the same for the other interfaces in its subnet")
                  .Do(kForGood)
                  .Or("give each interface a subnet of its own: then the setting is not needed")
                  .CheckBy("sysctl -a -r 'net.ipv4.conf..*.arp_ignore'"),
       .depends_on = {"inv.netdev-mapping", "ip.address"},
       .judge = JudgeArpIgnore},
      {.id = "arp.announce",
       .title = "Every interface asks by ARP with its own address",
       .why =
           "Peers learn from the question: with another interface's address in it they send to the wrong one",
       .fix = Fix("sysctl -w net.ipv4.conf.{netdev}.arp_announce=2")
                  .Do("the same for the other interfaces in its subnet")
                  .Do(kForGood)
                  .Or("give each interface a subnet of its own: then the setting is not needed")
                  .CheckBy("sysctl -a -r 'net.ipv4.conf..*.arp_announce'"),
       .depends_on = {"inv.netdev-mapping", "ip.address", "arp.ignore"},
       .judge = JudgeArpAnnounce},
      {.id = "ip.rp-filter",
       .title = "No strict reverse-path filter drops what peers send",
       .why =
           "Where interfaces share a subnet, a strict filter silently drops what arrives by the one that the "
           "route back does not take",
       .fix =
           Fix("sysctl -w net.ipv4.conf.{netdev}.rp_filter=2")
               .Do("the same for the other interfaces in its subnet")
               .Caution(
                   "the loose filter accepts a packet by that interface, where any route to its sender exists")
               .Do(kForGood)
               .Or("give each interface a subnet of its own: the strict filter can then stay")
               .CheckBy("sysctl -a -r 'net.ipv4.conf..*.rp_filter'"),
       .depends_on = {"inv.netdev-mapping", "ip.address"},
       .judge = JudgeIpRpFilter},
  };
}

}  // namespace rdmaready

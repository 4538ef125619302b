// SPDX-License-Identifier: Apache-2.0
// ip.firewall: whether the packet filter lets in what needs it.
//
// RDMA of a NIC never passes it: the NIC takes RoCE's and iWARP's frames itself, and RDMA-CM's requests come as
// RoCE frames too. In the kernel's IP stack are only the sockets: the TCP connection by which an SMB client
// logs on before it goes over to RDMA, iSCSI's discovery, and all traffic of the software devices. rxe takes
// what comes to a UDP socket (drivers/infiniband/sw/rxe/rxe_net.c), siw listens with TCP sockets (siw_cm.c).
#include <netinet/in.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checks/families.h"
#include "checks/net/firewall_path.h"
#include "checks/storage/roles.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Role = Profile::Role;

constexpr std::string_view kFirewallSource = "nf_tables netlink";
constexpr std::uint16_t kRoce = 4791;
constexpr std::uint16_t kSmb = 445;
constexpr std::uint16_t kSmbDirectIwarp = 5445;
constexpr std::uint16_t kIscsi = 3260;
constexpr std::uint16_t kNvme = 4420;
constexpr std::uint16_t kNfsRdma = 20049;

// What has to come in.
struct Need {
  std::uint8_t protocol = 0;
  std::uint16_t port = 0;
  std::string_view what{};

  bool operator==(const Need&) const = default;
};

struct Needs {
  std::vector<Need> list{};
  std::optional<Missing> unknown_role{};  // there may be more
};

void Add(Needs& needs, std::uint8_t protocol, std::uint16_t port, std::string_view what) {
  const auto same = [&](const Need& one) { return one.protocol == protocol && one.port == port; };
  if (!std::ranges::any_of(needs.list, same)) needs.list.push_back({protocol, port, what});
}

bool HasRole(const PortView& view, Role role, Needs& needs) {
  const RoleAnswer answer = RoleOf(view.host, view.profile, role);
  if (answer.unknown && !needs.unknown_role) needs.unknown_role = answer.unknown;
  return answer.not_applicable.empty() && !answer.unknown;
}

// RDMA-CM's listeners of siw are TCP's.
void AddSoftwareIwarp(const PortView& view, bool smb, bool iscsi, Needs& needs) {
  if (smb) Add(needs, IPPROTO_TCP, kSmbDirectIwarp, "SMB Direct");
  if (iscsi) Add(needs, IPPROTO_TCP, kIscsi, "iSER");
  if (AsksFor(view.profile, Role::kNvmeTarget)) Add(needs, IPPROTO_TCP, kNvme, "NVMe");
  if (AsksFor(view.profile, Role::kNfsServer)) Add(needs, IPPROTO_TCP, kNfsRdma, "NFS");
  if (!view.port.listeners) return;
  for (const RdmaListener& listener : *view.port.listeners) {
    if (!listener.kernel_name.empty()) Add(needs, IPPROTO_TCP, listener.port, "a server of the kernel's");
  }
}

Needs NeedsOf(const PortView& view) {
  Needs needs;
  const bool software = IsSoftware(view.port);
  const bool smb = HasRole(view, Role::kSmbServer, needs);
  const bool iscsi = HasRole(view, Role::kIserTarget, needs);
  if (software && view.port.transport && *view.port.transport == Transport::kRoce) {
    Add(needs, IPPROTO_UDP, kRoce, "RoCE");
  }
  if (smb) Add(needs, IPPROTO_TCP, kSmb, "SMB");
  if (iscsi) Add(needs, IPPROTO_TCP, kIscsi, "iSCSI discovery");
  if (software && view.port.transport && *view.port.transport == Transport::kIwarp) {
    AddSoftwareIwarp(view, smb, iscsi, needs);
  }
  return needs;
}

std::string ProtocolText(const Need& need) {
  return Cat(need.protocol == IPPROTO_TCP ? "TCP " : "UDP ", need.port);
}

std::string ListOf(const std::vector<Need>& needs) {
  std::string text;
  for (const Need& need : needs)
    text += Cat(text.empty() ? "" : ", ", ProtocolText(need), " (", need.what, ")");
  return text;
}

// The netdevs by which the port's IP packets come, once each and kind of address.
std::vector<ArrivingPacket> WaysOf(const Port& port) {
  std::vector<ArrivingPacket> ways;
  for (const PlacedAddress& placed : AddressesOf(port)) {
    ArrivingPacket way{.netdev = placed.netdev, .ipv6 = placed.ip.address.find(':') != std::string::npos};
    const auto same = [&way](const ArrivingPacket& one) {
      return one.netdev == way.netdev && one.ipv6 == way.ipv6;
    };
    if (std::ranges::any_of(ways, same)) continue;
    if (port.netdev) way.carriers.push_back(port.netdev->name);
    if (port.lowers) {
      for (const Netdev& lower : *port.lowers) way.carriers.push_back(lower.name);
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

// One command; before all rules of the chain at the hook.
std::string AcceptCommand(const FirewallStop& stop, const ArrivingPacket& packet) {
  const FirewallChain& base = *stop.base;
  const std::string by = base.netdev.empty() ? Cat("iifname \"", packet.netdev, "\" ") : "";
  const std::string_view protocol = packet.protocol == IPPROTO_TCP ? "tcp" : "udp";
  return Cat("nft ", ShellWord(Cat("insert rule ", base.family, " ", base.table, " ", base.name, " ", by,
                                   protocol, " dport ", packet.port, " accept")));
}

struct Found {
  std::string dropped{};  // the first one, in words
  std::string unclear{};
  std::vector<std::string> commands{};  // that would let all pass which is dropped
};

void Look(const PortView& view, const Need& need, Found& found) {
  for (ArrivingPacket way : WaysOf(view.port)) {
    way.protocol = need.protocol;
    way.port = need.port;
    for (const FirewallStop& stop : StopsOf(*view.host.firewall, way)) {
      const std::string what = Cat(ProtocolText(need), " (", need.what, ") on ", way.netdev);
      if (!stop.certain) {
        if (found.unclear.empty())
          found.unclear = Cat(what, " depends on what is not understood of ", PlaceText(stop));
        continue;
      }
      if (found.dropped.empty()) found.dropped = Cat(what, " is dropped by ", PlaceText(stop));
      std::string command = AcceptCommand(stop, way);
      if (std::ranges::find(found.commands, command) == found.commands.end())
        found.commands.push_back(std::move(command));
    }
  }
}

std::string FirewallNotApplicable(const PortView& view) {
  const Needs needs = NeedsOf(view);
  if (!needs.list.empty() || needs.unknown_role) return {};
  if (!view.port.software || !view.port.transport) return {};
  return "no server here by TCP, and the RDMA of a NIC passes no packet filter";
}

Verdict UnclearFirewall(std::string observed, std::string expected, std::string_view fix) {
  return {.outcome = Outcome::kUnknown,
          .observed = std::move(observed),
          .expected = std::move(expected),
          .source = std::string(kFirewallSource),
          .fix = std::string(fix)};
}

Verdict JudgeIpFirewall(const PortView& view) {
  if (std::string reason = FirewallNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const Needs needs = NeedsOf(view);
  const std::string expected =
      needs.list.empty() ? "servers can be reached" : Cat(ListOf(needs.list), " let in");
  if (!view.port.software) return NoAnswer(view.port.software.missing(), expected, kFirewallSource);
  if (!view.port.transport) return NoAnswer(view.port.transport.missing(), expected, kFirewallSource);
  const Fact<Firewall>& firewall = view.host.firewall;
  if (!firewall) return NoAnswer(firewall.missing(), expected, kFirewallSource);
  if (!AddressesKnown(view.port)) return NoAnswer(WhyAddressesUnknown(view.port), expected, kFirewallSource);
  Found found;
  for (const Need& need : needs.list) Look(view, need, found);
  if (!found.dropped.empty()) {
    std::string fix;
    for (const std::string& command : found.commands) fix += Cat(fix.empty() ? "" : " && ", command);
    return Judged(false, found.dropped, expected, kFirewallSource,
                  fix + "  # for good: in the rules that are loaded at boot, /etc/nftables.conf for instance");
  }
  if (needs.unknown_role) return NoAnswer(*needs.unknown_role, expected, kFirewallSource);
  if (!found.unclear.empty())
    return UnclearFirewall(found.unclear, expected, "nft -a list ruleset  # that rule is told by its handle");
  if (firewall->legacy_tables)
    return UnclearFirewall(
        "iptables of the older kind has tables, which are not read", expected,
        "iptables-legacy-save; ip6tables-legacy-save  # better: these rules with nft, or iptables-nft");
  return Judged(true, Cat(firewall->chains.empty() ? "no rules: " : "", ListOf(needs.list), " let in"),
                expected, kFirewallSource);
}

}  // namespace

std::vector<Check> FirewallChecks() {
  return {
      {.id = "ip.firewall",
       .title = "The packet filter lets in what RDMA and its servers need",
       .why =
           "RDMA of a NIC passes no packet filter, but the TCP connection before it does (SMB logs on by it, "
           "iSCSI finds targets by it), and all traffic of a software device: dropped, nobody can connect",
       .fix = "nft -a list ruleset  # a rule that accepts it must come before",
       .depends_on = {"inv.netdev-mapping", "ip.address"},
       .judge = JudgeIpFirewall},
  };
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
// ip.firewall: whether the packet filter lets in what needs it.
//
// RDMA of a NIC never passes it: the NIC takes RoCE's and iWARP's frames itself, and RDMA-CM's requests come as
// RoCE frames too. In the kernel's IP stack are only the sockets: the TCP connection by which an SMB client
// logs on before it goes over to RDMA, iSCSI's discovery, and all traffic of the software devices. rxe takes
// what comes to a UDP socket (drivers/infiniband/sw/rxe/rxe_net.c), siw listens with TCP sockets (siw_cm.c).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/model/well_known_ports.h"
#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Role = Profile::Role;

constexpr std::string_view kFirewallSource = "nf_tables netlink";

// What has to come in.
struct Need {
  std::uint8_t protocol = 0;
  std::uint16_t port = 0;
  std::string_view what{};
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
void AddSoftwareIwarp(const PortView& view, bool smb, Needs& needs) {
  if (smb) Add(needs, IPPROTO_TCP, kSmbDirectPort, "SMB Direct");
  if (AsksFor(view.profile, Role::kNvmeTarget)) Add(needs, IPPROTO_TCP, kNvmePort, "NVMe");
  if (AsksFor(view.profile, Role::kNfsServer)) Add(needs, IPPROTO_TCP, kNfsRdmaPort, "NFS");
  if (!view.port.listeners) return;
  for (const RdmaListener& listener : *view.port.listeners) {
    if (!listener.kernel_name.empty()) Add(needs, IPPROTO_TCP, listener.port, "a server of the kernel's");
  }
}

Needs NeedsOf(const PortView& view) {
  Needs needs;
  const auto is_software = [&view](Transport transport) {
    return IsSoftware(view.port) && view.port.transport && *view.port.transport == transport;
  };
  const bool smb = HasRole(view, Role::kSmbServer, needs);
  const bool iscsi = HasRole(view, Role::kIserTarget, needs);
  if (is_software(Transport::kRoce)) Add(needs, IPPROTO_UDP, kRoceV2UdpPort, "RoCE");
  if (smb) Add(needs, IPPROTO_TCP, kSmbPort, "SMB");
  if (iscsi) Add(needs, IPPROTO_TCP, kIscsiPort, "iSCSI discovery");
  if (is_software(Transport::kIwarp)) AddSoftwareIwarp(view, smb, needs);
  return needs;
}

std::string ProtocolText(const Need& need) {
  return fmt::format("{} {}", need.protocol == IPPROTO_TCP ? "TCP" : "UDP", need.port);
}

// "TCP 445 (SMB) let in".
std::string LetIn(const Needs& needs) {
  std::vector<std::string> words;
  for (const Need& need : needs.list) words.push_back(fmt::format("{} ({})", ProtocolText(need), need.what));
  return fmt::format("{} let in", fmt::join(words, ", "));
}

// One command; before all rules of the chain at the hook.
std::string AcceptCommand(const FilteredPacket& packet) {
  const std::string by = packet.ingress ? "" : fmt::format("iifname \"{}\" ", packet.netdev);
  const std::string_view protocol = packet.protocol == IPPROTO_TCP ? "tcp" : "udp";
  return "nft " +
         ShellWord(fmt::format("insert rule {} {}{} dport {} accept", packet.chain, by, protocol, packet.port));
}

struct Found {
  std::string dropped{};  // the first one, in words
  std::string unclear{};
  std::vector<std::string> commands{};  // that would let all pass which is dropped
};

void Look(const Firewall& firewall, const PlacedAddress& way, const Need& need, Found& found) {
  const bool ipv6 = way.ip.address.find(':') != std::string::npos;
  const std::string what = fmt::format("{} ({}) on {}", ProtocolText(need), need.what, way.netdev);
  bool tried = firewall.chains.empty();
  for (const FilteredPacket& packet : firewall.packets) {
    if (packet.netdev != way.netdev || packet.ipv6 != ipv6 || packet.protocol != need.protocol ||
        packet.port != need.port) {
      continue;
    }
    tried = true;
    if (packet.fate == PacketFate::kUnknown && found.unclear.empty())
      found.unclear = fmt::format("{} depends on what is not understood of {}", what, packet.place);
    if (packet.fate == PacketFate::kTooManyRules && found.unclear.empty())
      found.unclear = fmt::format("{}: too many rules to follow in {}", what, packet.place);
    if (packet.fate != PacketFate::kDropped) continue;
    if (found.dropped.empty()) found.dropped = fmt::format("{} is dropped by {}", what, packet.place);
    std::string command = AcceptCommand(packet);
    if (std::ranges::find(found.commands, command) == found.commands.end())
      found.commands.push_back(std::move(command));
  }
  if (!tried && found.unclear.empty()) found.unclear = what + " was not tried";
}

std::string FirewallNotApplicable(const PortView& view) {
  const Needs needs = NeedsOf(view);
  if (!needs.list.empty() || needs.unknown_role) return {};
  if (!view.port.software || !view.port.transport) return {};
  return "no server here by TCP, and the RDMA of a NIC passes no packet filter";
}

Verdict JudgeIpFirewall(const PortView& view) {
  if (std::string reason = FirewallNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const Needs needs = NeedsOf(view);
  const std::string expected = needs.list.empty() ? "servers can be reached" : LetIn(needs);
  if (!view.port.software) return NoAnswer(view.port.software.missing(), expected, kFirewallSource);
  if (!view.port.transport) return NoAnswer(view.port.transport.missing(), expected, kFirewallSource);
  const Fact<Firewall>& firewall = view.host.firewall;
  if (!firewall) return NoAnswer(firewall.missing(), expected, kFirewallSource);
  if (!AddressesKnown(view.port)) return NoAnswer(WhyAddressesUnknown(view.port), expected, kFirewallSource);
  Found found;
  for (const Need& need : needs.list) {
    for (const PlacedAddress& way : AddressesOf(view.port)) Look(*firewall, way, need, found);
  }
  // Nobody should look for UDP 4791 here where the NIC takes it.
  const std::string_view beside =
      IsSoftware(view.port) ? "" : "; the RDMA of the NIC itself passes no packet filter";
  if (!found.dropped.empty()) {
    return Judged(
        false, fmt::format("{}{}", found.dropped, beside), expected, kFirewallSource,
        Fix(fmt::format("{}", fmt::join(found.commands, " && ")))
            .Caution("the rule accepts every sender: name the storage network in it where that is too much")
            .Do("for good: in the rules that are loaded at boot, /etc/nftables.conf for instance"));
  }
  if (needs.unknown_role) return NoAnswer(*needs.unknown_role, expected, kFirewallSource);
  Verdict unclear{.outcome = Outcome::kUnknown, .expected = expected, .source = std::string(kFirewallSource)};
  if (!found.unclear.empty()) {
    unclear.observed = found.unclear;
    unclear.fix = Fix("nft -a list ruleset").Do("look for that rule by its handle");
    return unclear;
  }
  if (firewall->legacy_tables) {
    unclear.observed = "iptables of the older kind has tables, which are not read";
    unclear.fix =
        Fix("iptables-legacy-save; ip6tables-legacy-save").Or("write these rules by nft, or iptables-nft");
    return unclear;
  }
  return Judged(true, fmt::format("{}{}{}", firewall->chains.empty() ? "no rules: " : "", LetIn(needs), beside),
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
       .fix = Fix("nft -a list ruleset")
                  .Do("put a rule that accepts it before the one that drops it")
                  .CheckBy("nft -a list ruleset"),
       .depends_on = {"inv.netdev-mapping", "ip.address"},
       .judge = JudgeIpFirewall},
  };
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/model/well_known_ports.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

// What is not named is let in.
Facts FirewallWith(Facts host, const std::vector<FilteredPacket>& stopped) {
  Firewall firewall{.chains = {{.input_hook = true}}, .packets = stopped};
  for (const std::uint16_t port : kServerPorts) {
    FilteredPacket passes{.netdev = "dcb0", .protocol = kTcp, .port = port, .fate = PacketFate::kPasses};
    if (!std::ranges::any_of(stopped, [&](const FilteredPacket& one) { return one.port == port; }))
      firewall.packets.push_back(passes);
  }
  if (!std::ranges::any_of(stopped, [](const FilteredPacket& one) { return one.port == kRoceV2UdpPort; })) {
    firewall.packets.push_back(
        {.netdev = "dcb0", .protocol = kUdp, .port = kRoceV2UdpPort, .fate = PacketFate::kPasses});
  }
  host.firewall = std::move(firewall);
  return host;
}

FilteredPacket Stopped(PacketFate fate, std::uint8_t protocol, std::uint16_t port,
                       const char* place = "rule 7 of inet filter input") {
  return {.netdev = "dcb0",
          .protocol = protocol,
          .port = port,
          .fate = fate,
          .chain = "inet filter input",
          .place = place};
}

Facts WithFirewall(Facts host, const Fact<Firewall>& firewall) {
  host.firewall = firewall;
  return host;
}

Facts SoftwareIwarp() {
  return SmbServerWith([](Facts&, Port& port) {
    port.transport = Transport::kIwarp;
    port.listeners = std::vector<RdmaListener>{{.port = 5445, .kernel_name = "ksmbd"}};
  });
}

Facts HardwareServer() {
  Facts host = Hardware();
  host.modules = SmbServer().modules;
  host.ksmbd = SmbServer().ksmbd;
  return host;
}

Profile TargetProfile() {
  Profile profile = VirtualFabricProfile();
  profile.roles = std::vector<Profile::Role>{Profile::Role::kIserTarget};
  return profile;
}

Facts RoleUnknown() {
  Facts host = GoodHost();
  host.ksmbd = Denied();
  host.modules = Denied();
  return host;
}

}  // namespace

std::vector<CheckCase> FirewallCases() {
  constexpr PacketFate kDropped = PacketFate::kDropped;
  const Profile fabric = VirtualFabricProfile();
  const char* const policy = "the policy of inet filter input";
  const std::vector<FilteredPacket> all{Stopped(kDropped, kUdp, 4791, policy),
                                        Stopped(kDropped, kTcp, 445, policy)};
  FilteredPacket at_ingress = Stopped(kDropped, kUdp, 4791, "rule 3 of netdev t wire");
  at_ingress.chain = "netdev t wire";
  at_ingress.ingress = true;
  Facts not_tried = FirewallWith(GoodHost(), {});
  not_tried.firewall = Firewall{.chains = {{.input_hook = true}}};
  return {
      Passes("ip.firewall", "no rules", GoodHost(), "no rules: UDP 4791 (RoCE) let in", {.profile = fabric}),
      Passes("ip.firewall", "accepted", FirewallWith(SmbServer(), {}), "UDP 4791 (RoCE), TCP 445 (SMB) let in",
             {.profile = fabric}),
      Fails("ip.firewall", "a rule drops what a software device sends",
            FirewallWith(GoodHost(), {Stopped(kDropped, kUdp, 4791)}),
            "UDP 4791 (RoCE) on dcb0 is dropped by rule 7 of inet filter input",
            {.fix = "nft 'insert rule inet filter input iifname \"dcb0\" udp dport 4791 accept'  #",
             .profile = fabric}),
      Fails("ip.firewall", "a chain of the netdev itself", FirewallWith(GoodHost(), {at_ingress}),
            "UDP 4791 (RoCE) on dcb0 is dropped by rule 3 of netdev t wire",
            {.fix = "nft 'insert rule netdev t wire udp dport 4791 accept'  #", .profile = fabric}),
      Fails("ip.firewall", "the policy drops all", FirewallWith(SmbServer(), all),
            "UDP 4791 (RoCE) on dcb0 is dropped by the policy of inet filter input",
            {.fix = "udp dport 4791 accept' && nft 'insert rule inet filter input iifname \"dcb0\" tcp dport "
                    "445 accept'  #",
             .profile = fabric}),
      DoesNotApply("ip.firewall", "hardware, no server", FirewallWith(Hardware(), all), "no server here by TCP",
                   {.profile = fabric}),
      Fails(
          "ip.firewall", "hardware, an SMB server",
          FirewallWith(HardwareServer(), {Stopped(kDropped, kTcp, 445)}),
          "TCP 445 (SMB) on dcb0 is dropped by rule 7 of inet filter input; the RDMA of the NIC itself passes "
          "no packet filter",
          {.fix = "tcp dport 445 accept", .profile = fabric}),
      Passes("ip.firewall", "hardware, an SMB server, RoCE's port",
             FirewallWith(HardwareServer(), {Stopped(kDropped, kUdp, 4791)}),
             "TCP 445 (SMB) let in; the RDMA of the NIC itself passes no packet filter", {.profile = fabric}),
      Fails("ip.firewall", "siw's SMB Direct is TCP",
            FirewallWith(SoftwareIwarp(), {Stopped(kDropped, kTcp, 5445)}), "TCP 5445 (SMB Direct)",
            {.fix = "tcp dport 5445 accept", .profile = fabric}),
      Fails("ip.firewall", "iSCSI is discovered by TCP",
            FirewallWith(Hardware(), {Stopped(kDropped, kTcp, 3260)}), "TCP 3260 (iSCSI discovery)",
            {.fix = "tcp dport 3260 accept", .profile = TargetProfile()}),
      IsUnknown("ip.firewall", "some peers are let in",
                FirewallWith(SmbServer(), {Stopped(PacketFate::kUnknown, kTcp, 445)}),
                "TCP 445 (SMB) on dcb0 depends on what is not understood of rule 7",
                {.fix = "nft -a list ruleset", .profile = fabric}),
      IsUnknown("ip.firewall", "more rules than are followed",
                FirewallWith(SmbServer(), {Stopped(PacketFate::kTooManyRules, kTcp, 445, "inet filter input")}),
                "TCP 445 (SMB) on dcb0: too many rules to follow in inet filter input",
                {.fix = "nft -a list ruleset", .profile = fabric}),
      IsUnknown("ip.firewall", "a packet that nobody tried", not_tried, "UDP 4791 (RoCE) on dcb0 was not tried",
                {.profile = fabric}),
      IsUnknown("ip.firewall", "iptables of the older kind",
                WithFirewall(GoodHost(), Firewall{.legacy_tables = true}), "iptables of the older kind",
                {.fix = "iptables-legacy-save", .profile = fabric}),
      IsUnknown("ip.firewall", "no privilege", WithFirewall(GoodHost(), Denied()), "Operation not permitted",
                {.profile = fabric}),
      IsUnknown("ip.firewall", "not known whether it is a server", RoleUnknown(), "", {.profile = fabric}),
      IsUnknown("ip.firewall", "no address known",
                WithNetdev([](Netdev& netdev) { netdev.addresses = Denied(); }), "", {.profile = fabric})};
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr std::uint8_t kTcp = 6;

constexpr std::uint8_t kUdp = 17;

FirewallRule Rule(FirewallAction action, std::uint8_t protocol, std::uint16_t port) {
  return {.protocol = protocol, .ports = {{port, port}}, .action = action, .handle = 7};
}

Facts FirewallWith(Facts host, std::vector<FirewallRule> rules,
                   FirewallAction policy = FirewallAction::kAccept) {
  host.firewall = Firewall{.chains = {{.family = "inet",
                                       .table = "filter",
                                       .name = "input",
                                       .input_hook = true,
                                       .policy = policy,
                                       .rules = std::move(rules)}}};
  return host;
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
  constexpr FirewallAction kDrop = FirewallAction::kDrop;
  constexpr FirewallAction kAccept = FirewallAction::kAccept;
  const Profile fabric = VirtualFabricProfile();
  FirewallRule source = Rule(kAccept, kTcp, 445);
  source.other_conditions = true;
  const std::vector<FirewallRule> both{Rule(kAccept, kTcp, 445), Rule(kAccept, kUdp, 4791)};
  return {
      Passes("ip.firewall", "no rules", GoodHost(), "no rules: UDP 4791 (RoCE) let in", {.profile = fabric}),
      Passes("ip.firewall", "accepted before the policy drops", FirewallWith(SmbServer(), both, kDrop),
             "UDP 4791 (RoCE), TCP 445 (SMB) let in", {.profile = fabric}),
      Fails("ip.firewall", "a rule drops what a software device sends",
            FirewallWith(GoodHost(), {Rule(kDrop, kUdp, 4791)}),
            "UDP 4791 (RoCE) on dcb0 is dropped by rule 7 of inet filter input",
            {.fix = "nft 'insert rule inet filter input iifname \"dcb0\" udp dport 4791 accept'  #",
             .profile = fabric}),
      Fails("ip.firewall", "the policy drops all", FirewallWith(SmbServer(), {}, kDrop),
            "UDP 4791 (RoCE) on dcb0 is dropped by the policy of inet filter input",
            {.fix = "udp dport 4791 accept' && nft 'insert rule inet filter input iifname \"dcb0\" tcp dport "
                    "445 accept'  "
                    "#",
             .profile = fabric}),
      DoesNotApply("ip.firewall", "hardware, no server", FirewallWith(Hardware(), {}, kDrop),
                   "no server here by TCP", {.profile = fabric}),
      Fails("ip.firewall", "hardware, an SMB server", FirewallWith(HardwareServer(), {Rule(kDrop, kTcp, 445)}),
            "TCP 445 (SMB) on dcb0 is dropped", {.fix = "tcp dport 445 accept", .profile = fabric}),
      Passes("ip.firewall", "hardware, an SMB server, RoCE's port",
             FirewallWith(HardwareServer(), {Rule(kDrop, kUdp, 4791)}), "TCP 445 (SMB) let in",
             {.profile = fabric}),
      Fails("ip.firewall", "siw's SMB Direct is TCP", FirewallWith(SoftwareIwarp(), {Rule(kDrop, kTcp, 5445)}),
            "TCP 5445 (SMB Direct)", {.fix = "tcp dport 5445 accept", .profile = fabric}),
      Fails("ip.firewall", "iSCSI is discovered by TCP", FirewallWith(Hardware(), {Rule(kDrop, kTcp, 3260)}),
            "TCP 3260 (iSCSI discovery)", {.fix = "tcp dport 3260 accept", .profile = TargetProfile()}),
      IsUnknown("ip.firewall", "some peers are let in",
                FirewallWith(SmbServer(), {Rule(kAccept, kUdp, 4791), source}, kDrop),
                "TCP 445 (SMB) on dcb0 depends on what is not understood of rule 7",
                {.fix = "nft -a list ruleset", .profile = fabric}),
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

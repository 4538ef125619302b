// SPDX-License-Identifier: Apache-2.0
// ip.firewall.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

FirewallRule Rule(FirewallAction action, std::uint8_t protocol, std::uint16_t port) {
  return {.protocol = protocol, .ports = {{port, port}}, .action = action, .handle = 7};
}

Facts With(Facts host, std::vector<FirewallRule> rules, FirewallAction policy = FirewallAction::kAccept) {
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

void AddFirewallCases(std::vector<CheckCase>& cases) {
  constexpr FirewallAction kDrop = FirewallAction::kDrop;
  constexpr FirewallAction kAccept = FirewallAction::kAccept;
  const Profile fabric = VirtualFabricProfile();
  FirewallRule source = Rule(kAccept, kTcp, 445);
  source.other_conditions = true;
  const std::vector<FirewallRule> both{Rule(kAccept, kTcp, 445), Rule(kAccept, kUdp, 4791)};
  cases.insert(
      cases.end(),
      {{"ip.firewall", "no rules", GoodHost(), kPass, "no rules: UDP 4791 (RoCE) let in", "", fabric},
       {"ip.firewall", "accepted before the policy drops", With(SmbServer(), both, kDrop), kPass,
        "UDP 4791 (RoCE), TCP 445 (SMB) let in", "", fabric},
       {"ip.firewall", "a rule drops what a software device sends", With(GoodHost(), {Rule(kDrop, kUdp, 4791)}),
        kFail, "UDP 4791 (RoCE) on dcb0 is dropped by rule 7 of inet filter input",
        "nft 'insert rule inet filter input iifname \"dcb0\" udp dport 4791 accept'  #", fabric},
       {"ip.firewall", "the policy drops all", With(SmbServer(), {}, kDrop), kFail,
        "UDP 4791 (RoCE) on dcb0 is dropped by the policy of inet filter input",
        "udp dport 4791 accept' && nft 'insert rule inet filter input iifname \"dcb0\" tcp dport 445 accept'  "
        "#",
        fabric},
       {"ip.firewall", "hardware, no server", With(Hardware(), {}, kDrop), kNotApplicable,
        "no server here by TCP", "", fabric},
       {"ip.firewall", "hardware, an SMB server", With(HardwareServer(), {Rule(kDrop, kTcp, 445)}), kFail,
        "TCP 445 (SMB) on dcb0 is dropped", "tcp dport 445 accept", fabric},
       {"ip.firewall", "hardware, an SMB server, RoCE's port",
        With(HardwareServer(), {Rule(kDrop, kUdp, 4791)}), kPass, "TCP 445 (SMB) let in", "", fabric},
       {"ip.firewall", "siw's SMB Direct is TCP", With(SoftwareIwarp(), {Rule(kDrop, kTcp, 5445)}), kFail,
        "TCP 5445 (SMB Direct)", "tcp dport 5445 accept", fabric},
       {"ip.firewall", "iSCSI is discovered by TCP", With(Hardware(), {Rule(kDrop, kTcp, 3260)}), kFail,
        "TCP 3260 (iSCSI discovery)", "tcp dport 3260 accept", TargetProfile()},
       {"ip.firewall", "some peers are let in", With(SmbServer(), {Rule(kAccept, kUdp, 4791), source}, kDrop),
        kUnknown, "TCP 445 (SMB) on dcb0 depends on what is not understood of rule 7", "nft -a list ruleset",
        fabric},
       {"ip.firewall", "iptables of the older kind", WithFirewall(GoodHost(), Firewall{.legacy_tables = true}),
        kUnknown, "iptables of the older kind", "iptables-legacy-save", fabric},
       {"ip.firewall", "no privilege", WithFirewall(GoodHost(), Denied()), kUnknown, "Operation not permitted",
        "", fabric},
       {"ip.firewall", "not known whether it is a server", RoleUnknown(), kUnknown, "", "", fabric},
       {"ip.firewall", "no address known", WithNetdev([](Netdev& netdev) { netdev.addresses = Denied(); }),
        kUnknown, "", "", fabric}});
}

}  // namespace rdmaready

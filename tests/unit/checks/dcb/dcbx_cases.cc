// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/heard_host.h"

namespace rdmaready {
namespace {

// A second agent at the other end, and what is different about it.
template <class Change>
Facts TwoPeers(Change change) {
  LldpNeighbour other = GoodSwitch();
  change(other);
  return Hearing({GoodSwitch(), other});
}

std::vector<CheckCase> DcbxDcbRows() {
  return {
      Passes("drv.dcb-capable", "good", GoodHost(), "PFC, ETS, APP"),
      Fails("drv.dcb-capable", "driver without DCB", WithDcb([](Dcb& dcb) {
              dcb.pfc = Missing(kUnsupported);
              dcb.ets = Missing(kUnsupported);
              dcb.app = Missing(kUnsupported);
              dcb.dcbx = Missing(kUnsupported);
            }),
            "no PFC, ETS, APP (driver dcbnic): not offered", {.fix = "ethtool -i dcb0"}),
      IsUnknown("drv.dcb-capable", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), "not permitted"),
      DoesNotApply("drv.dcb-capable", "nothing asked", GoodHost(), "does not ask",
                   {.profile = Profile{.name = "any"}}),
      Passes("dcbx.mode", "good", GoodHost(), "host, IEEE"),
      Fails("dcbx.mode", "firmware",
            WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; }), "firmware",
            {.fix = "dcb dcbx set dev dcb0 host ieee"}),
      Warns("dcbx.mode", "CEE", WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.host = true, .cee = true}; }), "CEE"),
      IsUnknown("dcbx.mode", "denied", WithDcb([](Dcb& dcb) { dcb.dcbx = Denied(); }), "not permitted"),
      DoesNotApply("dcbx.mode", "not asked", GoodHost(), "does not ask",
                   {.profile = Without([](Profile& profile) { profile.dcbx = Profile::Dcbx::kAny; })}),
      Passes("dcbx.willing", "good", GoodHost(), "willing off"),
      Fails("dcbx.willing", "willing", WithEts([](Ets& ets) { ets.willing = true; }), "willing on",
            {.fix = "dcb ets set dev dcb0 willing off"}),
      IsUnknown("dcbx.willing", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), "not permitted"),
      DoesNotApply("dcbx.willing", "not asked", GoodHost(), "does not ask",
                   {.profile = Without([](Profile& profile) { profile.dcbx = Profile::Dcbx::kAny; })})};
}

std::vector<CheckCase> DcbxRowsRows() {
  return {Fails("dcbx.mode", "qede", On("qede", [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.ieee = true}; }),
                "not the host: firmware decides, IEEE", {.fix = "set dcbx: any in the profile"})};
}

std::vector<CheckCase> DcbxOneAgentRows() {
  const Facts firmware = TwoPeers([](LldpNeighbour& other) {
    other.source_mac = "02:00:00:00:00:55";
    other.chassis.text = "02:00:00:00:00:55";
    other.dialects = {.cee = true};
  });
  const auto dialect = [](std::uint32_t first_ms, std::uint32_t last_ms) {
    return TwoPeers([=](LldpNeighbour& other) {
      other.dialects = {.cee = true};
      other.first_ms = first_ms;
      other.last_ms = last_ms;
    });
  };
  const Facts groups = TwoPeers([](LldpNeighbour& other) { other.destination_mac = "01:80:c2:00:00:00"; });
  const auto own_firmware = [](bool lldpad, bool here = false, bool ice = true) {
    Facts host = WithNetdev([=](Netdev& netdev) {
      if (ice) netdev.link.private_flags = std::vector<PrivateFlag>{{.name = "fw-lldp-agent", .on = true}};
      if (!ice) netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true};
      if (here) netdev.lldp_agent = LldpHeard{};
    });
    if (lldpad) host.lldp_agents = std::vector<std::string>{"lldpad"};
    return host;
  };
  const Facts own_two = Lldpad([](LldpHeard& kept) {
    kept.own.push_back(GoodSwitch());
    kept.own.back().chassis.text = "guest1";
  });
  return {
      Passes("dcbx.one-agent", "one", Good(), "one at the other end, none here"),
      Passes("dcbx.one-agent", "one to several groups", groups, "one at the other end"),
      Passes("dcbx.one-agent", "it changed its dialect", dialect(31'000, 34'000), "one at the other end"),
      Fails(
          "dcbx.one-agent", "two at the other end", firmware,
          "at the other end: sw1 port Ethernet1/1 from 02:00:00:00:00:99 (IEEE) and sw1 port Ethernet1/1 from "
          "02:00:00:00:00:55 (CEE)",
          {.fix = "rdmaready facts --lldp 35"}),
      Fails("dcbx.one-agent", "two of one address", dialect(5000, 34'000), "at the other end"),
      DoesNotApply("dcbx.one-agent", "as lldpad has it", Lldpad([](LldpHeard&) {}), "that it heard last"),
      Fails("dcbx.one-agent", "two here", own_two, "here: sw1", {.fix = "systemctl disable"}),
      Warns("dcbx.one-agent", "firmware here, and lldpad somewhere", own_firmware(true),
            "lldpad runs, and may serve this port too",
            {.fix = "ethtool --set-priv-flags dcb0 fw-lldp-agent off"}),
      Fails("dcbx.one-agent", "lldpad and another firmware here", own_firmware(true, true, false),
            "here: lldpad, and the NIC's firmware", {.fix = "systemctl disable --now lldpad"}),
      Fails("dcbx.one-agent", "lldpad and firmware here", own_firmware(true, true),
            "here: lldpad, and the NIC's firmware", {.fix = "ethtool --set-priv-flags dcb0 fw-lldp-agent off"}),
      DoesNotApply("dcbx.one-agent", "firmware alone", own_firmware(false), "not watched"),
      DoesNotApply("dcbx.one-agent", "too short", Hearing({GoodSwitch()}, GoodHost(), 5000), "30 s"),
      IsUnknown("dcbx.one-agent", "denied", Deaf(), "not permitted")};
}

std::vector<CheckCase> DcbxDialectRows() {
  const auto speaking = [](LldpDialects dialects) {
    return Switch([dialects](LldpNeighbour& agent) { agent.dialects = dialects; });
  };
  return {Passes("dcbx.dialect", "IEEE", Good(), "the other end speaks IEEE"),
          Fails("dcbx.dialect", "CEE", speaking({.cee = true}), "the other end speaks CEE"),
          Fails("dcbx.dialect", "CIN", speaking({.cin = true}), "the other end speaks CIN"),
          IsUnknown("dcbx.dialect", "denied", Deaf(), "not permitted"),
          DoesNotApply("dcbx.dialect", "none", speaking({}), "speaks no DCBX")};
}

std::vector<CheckCase> DcbxWillingRows() {
  const Facts willing = Lldpad([](LldpHeard& kept) { kept.own.front().pfc->willing = true; });
  const Facts steady = Lldpad([](LldpHeard&) {});
  return {Fails("dcbx.willing", "lldpad is", willing, "announces it on",
                {.fix = "lldptool set-tlv -i dcb0 -V PFC willing=no"}),
          Passes("dcbx.willing", "lldpad is not", steady, "willing off")};
}

}  // namespace

std::vector<CheckCase> DcbxCases() {
  return Joined({DcbxDcbRows(), DcbxRowsRows(), DcbxOneAgentRows(), DcbxDialectRows(), DcbxWillingRows()});
}

}  // namespace rdmaready

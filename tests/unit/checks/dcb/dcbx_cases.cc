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

// A NIC whose driver has no DCB for the host.
Facts Elsewhere(std::string_view driver, std::uint16_t device_id, bool virtual_function = false) {
  return WithHardware([=](Port& port, PciFunction& pci) {
    pci.device_id = device_id;
    pci.virtual_function = virtual_function;
    Netdev netdev = *port.netdev;
    netdev.driver = driver;
    netdev.dcb.pfc = Missing(kUnsupported);
    netdev.dcb.ets = Missing(kUnsupported);
    netdev.dcb.app = Missing(kUnsupported);
    netdev.dcb.dcbx = Missing(kUnsupported);
    port.netdev = netdev;
  });
}

// The port of a virtual function, and that of its physical one as `physical` leaves it.
template <class Change>
Facts BesideItsPhysical(Change physical) {
  Facts host = Elsewhere("mlx5_core", 0x101e, true);
  std::vector<Port> ports = *host.ports;
  Port other = (*Hardware().ports).front();
  PciFunction of_other = *other.pci;
  of_other.address = "0000:3b:00.0";
  other.device = "mlx5_9";
  other.pci = of_other;
  physical(other);
  PciFunction pci = *ports.front().pci;
  pci.address = "0000:3b:00.2";
  pci.physical = PhysicalFunction{.address = "0000:3b:00.0", .netdev = "dcb0"};
  ports.front().pci = pci;
  ports.push_back(other);
  host.ports = ports;
  return host;
}

Facts Hidden() {
  Facts host = Elsewhere("bnxt_en", 0x1750);
  std::vector<Port> ports = *host.ports;
  ports.front().pci = Denied();
  host.ports = ports;
  return host;
}

Facts Silent() {
  Facts host = WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; });
  host.lldp_agents = Denied();
  return host;
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
      IsUnknown("drv.dcb-capable", "a virtual function", Elsewhere("mlx5_core", 0x101e, true),
                "set elsewhere: a virtual function", {.fix = "dcb_set_by: elsewhere"}),
      DoesNotApply("drv.dcb-capable", "a virtual function beside its physical one",
                   BesideItsPhysical([](Port&) {}), "set at its physical function dcb0, which is judged"),
      IsUnknown("drv.dcb-capable", "a virtual function beside a physical one that is a spare",
                BesideItsPhysical([](Port& port) {
                  Netdev netdev = *port.netdev;
                  netdev.carrier = false;
                  netdev.addresses = std::vector<IpAddress>{};
                  port.netdev = netdev;
                  port.state = PortState::kDown;
                  port.uppers = std::vector<UpperNetdev>{};
                }),
                "set elsewhere: a virtual function"),
      IsUnknown("drv.dcb-capable", "a virtual function beside a physical one without RoCE",
                BesideItsPhysical([](Port& port) { port.transport = Transport::kIwarp; }),
                "set elsewhere: a virtual function"),
      IsUnknown("drv.dcb-capable", "BlueField in DPU mode", Elsewhere("mlx5_core", 0xa2dc),
                "its Arm side has it"),
      IsUnknown("drv.dcb-capable", "a function that does not manage the port", Elsewhere("mlx5_core", 0x101d),
                "does not manage the port"),
      IsUnknown("drv.dcb-capable", "a NIC with a tool of its own", Elsewhere("ionic", 0x1002), "nicctl"),
      DoesNotApply(
          "drv.dcb-capable", "the profile says so", Elsewhere("ionic", 0x1002), "set elsewhere",
          {.profile = Without([](Profile& profile) { profile.dcb_set_by = Profile::DcbSetBy::kElsewhere; })}),
      DoesNotApply("pfc.lossless-priority", "set elsewhere, and the profile says so",
                   Elsewhere("ionic", 0x1002), "nicctl", {.profile = Without([](Profile& profile) {
                                                            profile.dcb_set_by = Profile::DcbSetBy::kElsewhere;
                                                          })}),
      IsUnknown("drv.dcb-capable", "without DCB, whether a virtual function is not known", Hidden(),
                "not permitted"),
      IsUnknown("dcbx.one-agent", "firmware here, and who else speaks is not known", Silent(), "not permitted"),
      Passes("dcbx.mode", "good", GoodHost(), "host, IEEE"),
      Fails("dcbx.mode", "firmware",
            WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; }), "firmware",
            {.fix = "dcb dcbx set dev dcb0 host ieee"}),
      Warns("dcbx.mode", "CEE", WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.host = true, .cee = true}; }), "CEE"),
      Passes("dcbx.mode", "both dialects, as mlx5 comes up",
             WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.host = true, .cee = true, .ieee = true}; }),
             "host, IEEE, CEE"),
      IsUnknown("dcbx.mode", "denied", WithDcb([](Dcb& dcb) { dcb.dcbx = Denied(); }), "not permitted"),
      DoesNotApply("dcbx.mode", "not asked", GoodHost(), "does not ask",
                   {.profile = Without([](Profile& profile) { profile.dcbx = Profile::Dcbx::kAny; })}),
      Passes("dcbx.willing", "good", GoodHost(), "willing off"),
      Fails("dcbx.willing", "willing", WithEts([](Ets& ets) { ets.willing = true; }), "willing on",
            {.fix = "dcb ets set dev dcb0 willing off"}),
      IsUnknown("dcbx.willing", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), "not permitted"),
      DoesNotApply("dcbx.willing", "hns3 says so always", On("hns3", [](Netdev&) {}), "follows nobody"),
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
  Facts mlx5 = On("mlx5_core", [](Netdev& netdev) {
    netdev.dcb.dcbx = Dcbx{.cee = true, .ieee = true};
    netdev.driver_info = DriverInfo{.driver = "mlx5_core", .bus = "0000:3b:00.0"};
  });
  mlx5.lldp_agents = std::vector<std::string>{"lldpd"};
  Facts read_only = own_firmware(false, false, false);
  read_only.lldp_agents = std::vector<std::string>{"lldpad -R"};
  const Facts heard = WithNetdev([](Netdev& netdev) {
    netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true};
    netdev.lldp = LldpHeard{.listened_ms = 35'000, .own = {GoodSwitch()}};
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
      Fails("dcbx.one-agent", "firmware here, and lldpad runs", own_firmware(true),
            "here: lldpad, and the NIC's firmware (fw-lldp-agent)",
            {.fix = "ethtool --set-priv-flags dcb0 fw-lldp-agent off"}),
      Fails("dcbx.one-agent", "lldpd and the firmware of mlx5", mlx5, "here: lldpd, and the NIC's firmware",
            {.fix = "mlxconfig -d 0000:3b:00.0 set LLDP_NB_DCBX_P1=0"}),
      Fails("dcbx.one-agent", "a read-only lldpad speaks too", read_only, "here: lldpad -R",
            {.fix = "systemctl disable --now lldpad"}),
      Fails("dcbx.one-agent", "firmware, and an agent that was heard", heard,
            "here: an LLDP agent of this host, and the NIC's firmware"),
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

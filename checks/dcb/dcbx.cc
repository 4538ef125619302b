// SPDX-License-Identifier: Apache-2.0
// drv.dcb-capable, dcbx.*: can the driver be told, and who tells it.
#include <algorithm>
#include <utility>

#include "checks/dcb/app_rows.h"
#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/neighbours.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/families.h"
#include "checks/setting/driver_rules.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// What the profile needs of the driver, by name, as far as it is one of our answers.
struct Part {
  std::string_view name;
  bool asked = false;
  bool known = false;
  Missing why{};
};

template <class T>
Part PartOf(std::string_view name, bool asked, FactRef<T> fact) {
  return {
      .name = name, .asked = asked, .known = static_cast<bool>(fact), .why = fact ? Missing{} : fact.missing()};
}

constexpr std::string_view kLookThere =
    "rdmaready profile show {profile}  # look where it is set; dcb_set_by: elsewhere says that somebody does";

Verdict JudgeDrvDcbCapable(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsDcb.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "data centre bridging"));
  constexpr std::string_view kSource = "dcbnl";
  const Profile& profile = view.profile;
  const std::string elsewhere = DcbSetElsewhere(view);
  if (!elsewhere.empty() && profile.dcb_set_by == Profile::DcbSetBy::kElsewhere)
    return NotApplicable(elsewhere);
  const bool trust = profile.trust != Profile::Trust::kAny;
  const Part parts[] = {
      PartOf("PFC", profile.pfc.has_value(), ToldByDriver(view.netdev, &Dcb::pfc)),
      PartOf("ETS", profile.ets_rdma_percent.has_value() || profile.dcbx == Profile::Dcbx::kStatic,
             ToldByDriver(view.netdev, &Dcb::ets)),
      PartOf("APP", trust, DcbFact(view.netdev, &Dcb::app)),
  };
  std::string asked, lacking, reason;
  const Missing* unknown = nullptr;
  for (const Part& part : parts) {
    if (!part.asked) continue;
    asked += Cat(asked.empty() ? "" : ", ", part.name);
    if (part.known) continue;
    if (view.netdev && part.why.kind == Missing::Kind::kUnsupported) {
      lacking += Cat(lacking.empty() ? "" : ", ", part.name);
      if (reason.empty()) reason = part.why.detail;
    } else {
      unknown = &part.why;
    }
  }
  if (!lacking.empty() && !elsewhere.empty())
    return NoAnswer({.kind = Missing::Kind::kUnsupported, .detail = elsewhere}, asked, kSource, kLookThere);
  if (!lacking.empty() && !view.port.pci && !NotOffered(view.port.pci))
    return NoAnswer(view.port.pci.missing(), asked, kSource);  // it may be a virtual function
  if (!lacking.empty()) {
    const std::string driver = view.netdev->driver.empty() ? "" : " (driver " + view.netdev->driver + ")";
    return Judged(false, Cat("no ", lacking, driver, reason.empty() ? "" : ": ", reason), asked, kSource);
  }
  if (unknown != nullptr) return NoAnswer(*unknown, asked, kSource);
  return Judged(true, Cat("the driver has ", asked), asked, kSource);
}

std::string ModeNotApplicable(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return reason;
  return view.profile.dcbx == Profile::Dcbx::kStatic ? "" : NotAsked(view.profile, "static DCBX");
}

std::string DcbxText(const Dcbx& dcbx) {
  std::string text = dcbx.lld_managed ? "firmware" : dcbx.host ? "host" : "not the host: firmware decides";
  if (dcbx.ieee) text += ", IEEE";
  if (dcbx.cee) text += ", CEE";
  return text;
}

// Static means: the host decides.
Verdict JudgeDcbxMode(const EthernetView& view) {
  if (std::string reason = ModeNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kSource = "dcbnl DCBX";
  constexpr std::string_view kExpected = "host, IEEE";
  constexpr std::string_view kInstead =
      "ethtool -i {netdev}  # this driver does not say who runs DCBX: set dcbx: any in the profile, or use "
      "another driver";
  const FactRef<Dcbx> dcbx = DcbFact(view.netdev, &Dcb::dcbx);
  if (!dcbx) return NoAnswer(dcbx.missing(), kExpected, kSource, kInstead);
  const std::string take = Cat("dcb dcbx set dev ", NetdevWord(view.netdev), " host ieee");
  // Its qed_dcbnl_getdcbx never names the host: the firmware runs DCBX in every mode that there is.
  if (!dcbx->host && view.netdev->driver == "qede")
    return Judged(false, DcbxText(*dcbx), kExpected, kSource,
                  Cat("ethtool -i ", NetdevWord(view.netdev),
                      "  # qede leaves DCBX to its firmware: set dcbx: any in the profile, and let the switch "
                      "announce it"));
  if (dcbx->lld_managed || !dcbx->host) {
    const std::string agent_off = AgentOffCommand(*view.netdev);
    const std::string& driver = view.netdev->driver;
    const std::string_view note =
        driver == "mlx5_core" ? "  # for good: mlxconfig, LLDP_NB_DCBX_P1=0 (_P2 of the second port)"
        : driver == "bnxt_en"
            ? "  # bnxt_en refuses it while its firmware's LLDP agent is on: niccli switches that off"
            : "  # where firmware keeps it: switch its LLDP agent off first";
    return Judged(false, DcbxText(*dcbx), kExpected, kSource,
                  agent_off.empty() ? Cat(take, note) : Cat(agent_off, "; ", take));
  }
  // mlx5 comes up with both dialects, and speaks neither by itself.
  if (dcbx->cee && !dcbx->ieee) return Warned(DcbxText(*dcbx), kExpected, kSource, take);
  return Judged(true, DcbxText(*dcbx), kExpected, kSource);
}

bool LldpadHere(const EthernetView& view) {
  const auto& running = view.host.lldp_agents;
  return running && std::ranges::find(*running, "lldpad") != running->end();
}

// And it does not follow what a neighbour proposes: neither the driver does, nor an agent that writes to it.
Verdict JudgeDcbxWilling(const EthernetView& view) {
  if (std::string reason = ModeNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kSource = "dcbnl IEEE ETS";
  if (view.netdev && view.netdev->driver == "hns3")
    return NotApplicable("driver hns3 always says that it is willing, and follows nobody");
  const FactRef<Ets> ets = ToldByDriver(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), "willing off", kSource);
  if (view.netdev->driver.empty() && ets->willing) return NoAnswer(UnknownDriver(), "willing off", kSource);
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  if (!ets->willing && agents && std::ranges::any_of(agents->own, IsWillingAgent)) {
    const std::string of_lldpad = Cat("lldptool set-tlv -i ", NetdevWord(view.netdev), " -V ");
    return Judged(false, "willing off, but an LLDP agent of this host announces it on", "willing off",
                  ListenedText(*agents),
                  agents->by_lldpad || LldpadHere(view)
                      ? Cat(of_lldpad, "PFC willing=no; ", of_lldpad, "ETS-CFG willing=no")
                      : Cat("ps -C lldpad,lldpd,openvswitch-switch  # it is not lldpad that speaks on ",
                            NetdevWord(view.netdev), ": switch willing off in the one that runs"));
  }
  return Judged(!ets->willing, ets->willing ? "willing on" : "willing off", "willing off", kSource);
}

constexpr std::string_view kLldpSource = "LLDP";

// Both were at work at the same time: one began before the other was done.
bool AtTheSameTime(const LldpNeighbour& a, const LldpNeighbour& b) {
  return a.first_ms < b.last_ms && b.first_ms < a.last_ms;
}

// Two agents, or one by two frames? One that speaks to several groups is one. Who changed its dialect was
// silent in the old one afterwards.
bool AreTwo(const LldpNeighbour& a, const LldpNeighbour& b) {
  if (a.chassis != b.chassis || a.port != b.port || a.source_mac != b.source_mac) return true;
  return a.dialects != b.dialects && AtTheSameTime(a, b);
}

// Both null when there are no two.
using Two = std::pair<const LldpNeighbour*, const LldpNeighbour*>;

Two FindTwo(const std::vector<LldpNeighbour>& agents) {
  for (std::size_t i = 0; i < agents.size(); ++i) {
    for (std::size_t k = i + 1; k < agents.size(); ++k) {
      if (AreTwo(agents[i], agents[k])) return {&agents[i], &agents[k]};
    }
  }
  return {nullptr, nullptr};
}

std::string DialectText(const LldpDialects& dialects) {
  std::string text;
  const auto add = [&text](bool speaks, std::string_view name) {
    if (speaks) text += Cat(text.empty() ? "" : ", ", name);
  };
  add(dialects.ieee, "IEEE");
  add(dialects.cee, "CEE");
  add(dialects.cin, "CIN");
  return text.empty() ? "no DCBX" : text;
}

std::string TwoText(const Two& two) {
  return Printable(Cat(AgentText(*two.first), " from ", two.first->source_mac, " (",
                       DialectText(two.first->dialects), ") and ", AgentText(*two.second), " from ",
                       two.second->source_mac, " (", DialectText(two.second->dialects), ")"));
}

bool IsFlagged(const EthernetView& view) { return view.netdev && FirmwareLldpAgentOn(*view.netdev); }

// mlx5 lacks the host bit while its firmware runs DCBX (mlx5e_dcbnl_initialize).
bool FirmwareHere(const EthernetView& view) {
  const FactRef<Dcbx> dcbx = DcbFact(view.netdev, &Dcb::dcbx);
  const bool mlx5 = view.netdev && view.netdev->driver == "mlx5_core";
  return IsFlagged(view) || (dcbx && (dcbx->lld_managed || (mlx5 && !dcbx->host)));
}

// It may have one: nobody could read who has DCBX. Null where that is known.
const Missing* FirmwareGap(const EthernetView& view) {
  const FactRef<Dcbx> dcbx = DcbFact(view.netdev, &Dcb::dcbx);
  return IsFlagged(view) || dcbx || NotOffered(dcbx) ? nullptr : &dcbx.missing();
}

// An agent of the operating system that runs, or was heard from here; empty for none.
std::string SystemAgent(const EthernetView& view) {
  const Fact<std::vector<std::string>>& running = view.host.lldp_agents;
  if (running && !running->empty()) return running->front();
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  return agents && !agents->own.empty() ? "an LLDP agent of this host" : "";
}

bool TwoAreHere(const EthernetView& view) { return FirmwareHere(view) && !SystemAgent(view).empty(); }

std::string FirmwareText(const EthernetView& view) {
  return IsFlagged(view) ? Cat("the NIC's firmware (", kFirmwareLldpFlag, ")") : "the NIC's firmware";
}

// The unit of the agent that runs, which has its name; empty where only frames were heard.
std::string UnitOfAgent(const EthernetView& view) {
  const Fact<std::vector<std::string>>& running = view.host.lldp_agents;
  if (!running || running->empty()) return {};
  return ShellWord(running->front().substr(0, running->front().find(' ')));
}

// Which of the two stays is for a person. First comes what each NIC's own agent is switched off by.
Fix KeepOneFix(const EthernetView& view) {
  const std::string unit = UnitOfAgent(view);
  const std::string keeps_firmware =
      unit.empty() ? std::string("keep the firmware's agent, and stop the one of the host")
                   : Cat("keep the firmware's agent: systemctl disable --now ", unit);
  if (const std::string off = AgentOffCommand(*view.netdev); !off.empty()) return Fix(off).Or(keeps_firmware);
  const Fact<DriverInfo>& info = view.netdev->driver_info;
  if (view.netdev->driver == "mlx5_core" && info && !info->bus.empty()) {
    return Fix(Cat("mlxconfig -d ", ShellWord(info->bus),
                   " set LLDP_NB_DCBX_P1=0 LLDP_NB_RX_MODE_P1=0 LLDP_NB_TX_MODE_P1=0"))
        .Caution("it holds from the next reset of the NIC on; the names of the second port end in _P2")
        .Or(keeps_firmware);
  }
  if (unit.empty()) return {};
  return Fix(Cat("systemctl disable --now ", unit))
      .Or("keep that agent, and switch the one of the firmware off by the vendor's tool");
}

bool TwoWereHeard(const LinkAgents& agents) {
  return FindTwo(agents.peers).first != nullptr || FindTwo(agents.own).first != nullptr;
}

std::string OneNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (TwoAreHere(view) || (FirmwareHere(view) && !view.host.lldp_agents)) return {};
  if (FirmwareGap(view) != nullptr && (!view.host.lldp_agents || !SystemAgent(view).empty())) return {};
  if (std::string reason = NotListened(view); !reason.empty()) return reason;
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  if (!agents || TwoWereHeard(*agents)) return {};
  if (agents->by_lldpad) return "lldpad keeps only the agent that it heard last (--watch SECONDS)";
  if (agents->Complete()) return {};
  return Cat("listened for ", agents->listened_ms / 1000, " s, but agents announce themselves only every 30 s");
}

Verdict JudgeDcbxOneAgent(const EthernetView& view) {
  if (std::string reason = OneNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "at most one LLDP agent at each end";
  constexpr std::string_view kHereSource = "processes, ethtool private flags, dcbnl DCBX";
  if (TwoAreHere(view)) {
    return Judged(false, Cat("here: ", SystemAgent(view), ", and ", FirmwareText(view)), kExpected, kHereSource,
                  KeepOneFix(view));
  }
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  const std::string source = agents ? ListenedText(*agents) : std::string(kLldpSource);
  if (const Two here = agents ? FindTwo(agents->own) : Two{}; here.first != nullptr) {
    return Judged(false, Cat("here: ", TwoText(here)), kExpected, source,
                  "ps -C lldpad,lldpd,openvswitch  # keep one: systemctl disable --now lldpd, for instance");
  }
  if (const Two there = agents ? FindTwo(agents->peers) : Two{}; there.first != nullptr) {
    return Judged(false, Cat("at the other end: ", TwoText(there)), kExpected, source);
  }
  if (FirmwareHere(view) && !view.host.lldp_agents)
    return NoAnswer(view.host.lldp_agents.missing(), kExpected, kHereSource);
  const Missing* gap = FirmwareGap(view);
  if (gap != nullptr && (!view.host.lldp_agents || !SystemAgent(view).empty()))
    return NoAnswer(*gap, kExpected, kHereSource);
  if (!agents) return NoAnswer(agents.missing(), kExpected, kLldpSource);
  return Judged(true,
                Cat(agents->peers.empty() ? "none" : "one", " at the other end, ",
                    FirmwareHere(view)    ? FirmwareText(view)
                    : agents->own.empty() ? "none"
                                          : "one",
                    " here"),
                kExpected, source);
}

// ---- dcbx.dialect ----

LldpDialects DialectsOf(const std::vector<LldpNeighbour>& agents) {
  LldpDialects all;
  for (const LldpNeighbour& agent : agents) {
    all.ieee = all.ieee || agent.dialects.ieee;
    all.cee = all.cee || agent.dialects.cee;
    all.cin = all.cin || agent.dialects.cin;
  }
  return all;
}

Verdict JudgeDcbxDialect(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (std::string reason = NotListened(view); !reason.empty()) return NotApplicable(reason);
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  if (agents && DialectsOf(agents->peers) == LldpDialects{})
    return NotApplicable("the other end speaks no DCBX");
  if (!agents) return NoAnswer(agents.missing(), "IEEE", kLldpSource);
  const LldpDialects peers = DialectsOf(agents->peers);
  const LldpDialects own = DialectsOf(agents->own);
  const std::string here = own == LldpDialects{} ? "" : Cat(", this host ", DialectText(own));
  return Judged(!peers.cee && !peers.cin, Cat("the other end speaks ", DialectText(peers), here), "IEEE",
                ListenedText(*agents));
}

}  // namespace

std::vector<Check> DcbxChecks() {
  return {
      {.id = "drv.dcb-capable",
       .title = "The interface's driver can be configured for data centre bridging",
       .why = "Without it the host cannot make the RDMA class lossless, nor show that it is",
       .fix = "ethtool -i {netdev}  # this driver cannot: use the physical function instead of a virtual one, "
              "a newer driver, or "
              "a NIC with DCB",
       .blocks_for = &kDemandsDcb,
       .depends_on = {"inv.netdev-mapping"},
       .judge = JudgeDrvDcbCapable},
      {.id = "dcbx.mode",
       .title = "The host owns its DCB settings",
       .why =
           "Firmware that runs DCBX overwrites PFC and ETS with what a switch proposes, under running storage",
       .fix = "dcb dcbx set dev {netdev} host ieee",
       .blocks_for = &kDemandsStaticDcbx,
       .depends_on = {"drv.dcb-capable"},
       .judge = JudgeDcbxMode},
      {.id = "dcbx.willing",
       .title = "The host follows no neighbour's DCB settings",
       .why = "A willing host lets a switch change PFC and ETS under running storage",
       .fix = "dcb ets set dev {netdev} willing off",
       .blocks_for = &kDemandsStaticDcbx,
       .depends_on = {"drv.dcb-capable", "dcbx.one-agent", "dcbx.mode"},
       .judge = JudgeDcbxWilling},
      {.id = "dcbx.one-agent",
       .title = "One LLDP agent speaks at each end of the link",
       .why = "A switch that hears two takes the settings of neither, and PFC goes inactive",
       .fix = "rdmaready facts --lldp 35  # shows both: switch one off there, the NIC firmware's or the "
              "operating system's",
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgeDcbxOneAgent},
      {.id = "dcbx.dialect",
       .title = "The other end speaks the IEEE dialect of DCBX",
       .why = "Ends that speak different dialects never agree: where PFC is left to DCBX it stays off",
       .fix = "rdmaready facts --lldp 35  # shows it: set the switch port to IEEE, or its PFC on without DCBX",
       .depends_on = {"dcbx.one-agent"},
       .judge = JudgeDcbxDialect},
  };
}

}  // namespace rdmaready

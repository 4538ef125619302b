// SPDX-License-Identifier: Apache-2.0
// dcbx.one-agent, dcbx.dialect: who speaks DCBX on a link, and how.
#include <algorithm>
#include <utility>

#include "checks/dcb/neighbours.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "LLDP";
constexpr std::string_view kFirmwareAgent = "fw-lldp-agent";  // ice: a private flag

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

bool LldpadHere(const EthernetView& view) {
  const auto& running = view.host.lldp_agents;
  return running && std::ranges::find(*running, "lldpad") != running->end();
}

bool IsFlagged(const EthernetView& view) {
  const Fact<std::vector<PrivateFlag>> flags = LinkFact(view.netdev, &EthernetLink::private_flags);
  return flags && std::ranges::any_of(
                      *flags, [](const PrivateFlag& flag) { return flag.name == kFirmwareAgent && flag.on; });
}

bool FirmwareHere(const EthernetView& view) {
  const Fact<Dcbx> dcbx = DcbFact(view.netdev, &Dcb::dcbx);
  return IsFlagged(view) || (dcbx && dcbx->lld_managed);
}

// The daemon need not serve this port.
bool TwoMayBeHere(const EthernetView& view) { return FirmwareHere(view) && LldpadHere(view); }

bool TwoAreHere(const EthernetView& view) { return TwoMayBeHere(view) && view.netdev->lldp_agent; }

// Only ice lets its firmware's agent be switched off by ethtool.
std::string KeepOneFix(const EthernetView& view) {
  if (IsFlagged(view)) {
    return Cat("ethtool --set-priv-flags ", NetdevWord(view.netdev), " ", kFirmwareAgent,
               " off  # or systemctl disable --now lldpad: keep one");
  }
  return "systemctl disable --now lldpad  # the firmware speaks already: keep one, or switch the firmware's "
         "off by the vendor's tool";
}

bool TwoWereHeard(const LinkAgents& agents) {
  return FindTwo(agents.peers).first != nullptr || FindTwo(agents.own).first != nullptr;
}

std::string OneNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (TwoMayBeHere(view)) return {};
  if (std::string reason = NotListened(view); !reason.empty()) return reason;
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  if (!agents || TwoWereHeard(*agents)) return {};
  if (agents->by_lldpad) return "lldpad keeps only the agent that it heard last (--watch SECONDS)";
  if (agents->Complete()) return {};
  return Cat("listened for ", agents->listened_ms / 1000, " s, but agents announce themselves only every 30 s");
}

Verdict JudgeOne(const EthernetView& view) {
  constexpr std::string_view kExpected = "at most one LLDP agent at each end";
  constexpr std::string_view kHereSource = "processes, ethtool private flags, dcbnl DCBX";
  if (TwoAreHere(view)) {
    return Judged(false, "here: lldpad, and the NIC's firmware", std::string(kExpected), kHereSource,
                  KeepOneFix(view));
  }
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  const std::string source = agents ? ListenedText(*agents) : std::string(kSource);
  if (const Two here = agents ? FindTwo(agents->own) : Two{}; here.first != nullptr) {
    return Judged(false, Cat("here: ", TwoText(here)), std::string(kExpected), source,
                  "ps -C lldpad,lldpd,openvswitch  # keep one: systemctl disable --now lldpd, for instance");
  }
  if (const Two there = agents ? FindTwo(agents->peers) : Two{}; there.first != nullptr) {
    return Judged(false, Cat("at the other end: ", TwoText(there)), std::string(kExpected), source);
  }
  if (TwoMayBeHere(view)) {
    return Warned("here: the NIC's firmware; lldpad runs, and may serve this port too", std::string(kExpected),
                  kHereSource, KeepOneFix(view));
  }
  if (!agents) return NoAnswer(agents.missing(), std::string(kExpected), kSource);
  return Judged(true,
                Cat(agents->peers.empty() ? "none" : "one", " at the other end, ",
                    agents->own.empty() ? "none" : "one", " here"),
                std::string(kExpected), source);
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

std::string DialectNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (std::string reason = NotListened(view); !reason.empty()) return reason;
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  return agents && DialectsOf(agents->peers) == LldpDialects{} ? "the other end speaks no DCBX" : "";
}

Verdict JudgeDialect(const EthernetView& view) {
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  if (!agents) return NoAnswer(agents.missing(), "IEEE", kSource);
  const LldpDialects peers = DialectsOf(agents->peers);
  const LldpDialects own = DialectsOf(agents->own);
  const std::string here = own == LldpDialects{} ? "" : Cat(", this host ", DialectText(own));
  return Judged(!peers.cee && !peers.cin, Cat("the other end speaks ", DialectText(peers), here), "IEEE",
                ListenedText(*agents));
}

}  // namespace

Check DcbxOneAgent() {
  return {.id = "dcbx.one-agent",
          .title = "One LLDP agent speaks at each end of the link",
          .why = "A switch that hears two takes the settings of neither, and PFC goes inactive",
          .fix =
              "rdmaready facts --lldp 35  # shows both: switch one off there, the NIC firmware's or the "
              "operating system's",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{OneNotApplicable, JudgeOne}};
}

Check DcbxDialect() {
  return {
      .id = "dcbx.dialect",
      .title = "The other end speaks the IEEE dialect of DCBX",
      .why = "Ends that speak different dialects never agree: where PFC is left to DCBX it stays off",
      .fix = "rdmaready facts --lldp 35  # shows it: set the switch port to IEEE, or its PFC on without DCBX",
      .depends_on = {"dcbx.one-agent"},
      .rule = Rule<EthernetView>{DialectNotApplicable, JudgeDialect}};
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/neighbours.h"

#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kFirmwareSource = "dcbnl, DCBX of the NIC's firmware";
constexpr std::string_view kFirmwarePeer = "the other end";

// CEE names priorities by a bitmap; a row with several stands for as many.
std::vector<AppEntry> RowsOf(const CeeApp& app) {
  std::vector<AppEntry> rows;
  for (const CeeAppEntry& entry : app.entries) {
    for (const std::uint8_t priority : PrioritiesOf(entry.priorities)) {
      rows.push_back({.selector = entry.selector == 0 ? AppSelector::kEthertype : AppSelector::kAny,
                      .priority = priority,
                      .protocol = entry.protocol});
    }
  }
  return rows;
}

std::optional<PeerPfc> PfcOf(const LldpNeighbour& agent, const std::string& source) {
  if (agent.pfc) return PeerPfc{AgentText(agent), source, agent.pfc->enabled};
  if (agent.cee && agent.cee->pfc) return PeerPfc{AgentText(agent), source, agent.cee->pfc->enabled};
  return std::nullopt;
}

std::optional<PeerEts> EtsOf(const LldpNeighbour& agent, const std::string& source) {
  if (agent.ets)
    return PeerEts{AgentText(agent), source, agent.ets->prio_tc, agent.ets->percent, agent.ets->tsa};
  if (!agent.cee || !agent.cee->groups) return std::nullopt;
  const CeeGroups& groups = *agent.cee->groups;
  PeerEts ets{.who = AgentText(agent), .source = source, .percent = groups.percent};
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    const std::uint8_t group = groups.prio_group[priority];
    // The group without limits has no number below eight: nothing else may be in class 7 then.
    ets.prio_class[priority] = group < kPriorities ? group : kPriorities - 1;
    ets.tsa[ets.prio_class[priority]] = group < kPriorities ? Tsa::kEts : Tsa::kStrict;
  }
  return ets;
}

std::optional<PeerApp> AppOf(const LldpNeighbour& agent, const std::string& source) {
  if (agent.app) return PeerApp{AgentText(agent), source, *agent.app};
  if (agent.cee && agent.cee->app) return PeerApp{AgentText(agent), source, RowsOf(*agent.cee->app)};
  return std::nullopt;
}

// The first agent at the other end that says it.
template <class T>
Fact<std::optional<T>> Announced(NetdevRef netdev,
                                 std::optional<T> (*of)(const LldpNeighbour&, const std::string&)) {
  const Fact<LinkAgents> agents = AgentsOn(netdev);
  if (!agents) return agents.missing();
  for (const LldpNeighbour& agent : agents->peers) {
    if (std::optional<T> said = of(agent, ListenedText(*agents))) return said;
  }
  return std::optional<T>();
}

// By LLDP nothing was heard. What the firmware heard may not have been read: then nothing is known. That it is
// in another dialect (qede's rows are CEE's) is an answer.
template <class T, class Peer>
Fact<std::optional<T>> NotHeard(Fact<std::optional<T>> said, const Fact<Peer>& firmware) {
  if (NotOffered(firmware) || firmware.missing().kind == Missing::Kind::kFailed) return said;
  return Missing{Missing::Kind::kFailed, firmware.missing().detail};
}

}  // namespace

Fact<LinkAgents> AgentsOn(NetdevRef netdev) {
  if (!netdev) return netdev.missing();
  const Fact<LldpHeard>& heard = netdev->lldp;
  const Fact<LldpHeard>& kept = netdev->lldp_agent;
  if (heard && (!heard->peers.empty() || !kept)) {
    return LinkAgents{.peers = heard->peers, .own = heard->own, .listened_ms = heard->listened_ms};
  }
  if (kept) {
    return LinkAgents{
        .peers = kept->peers, .own = kept->own, .by_lldpad = true, .listened_ms = kept->listened_ms};
  }
  return heard.missing();
}

bool IsWillingAgent(const LldpNeighbour& agent) {
  const auto cee = [](const auto& feature) { return feature && feature->feature.willing; };
  return (agent.ets && agent.ets->willing) || (agent.pfc && agent.pfc->willing) ||
         (agent.cee && (cee(agent.cee->groups) || cee(agent.cee->pfc) || cee(agent.cee->app)));
}

std::string NotListened(const EthernetView& view) {
  if (IsInfiniBand(view.port)) return "InfiniBand: its subnet manager knows the links";
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  const bool unasked = view.netdev && !agents && agents.missing().kind == Missing::Kind::kNotCollected;
  return unasked ? "not watched (--watch SECONDS)" : "";
}

std::string AgentText(const LldpNeighbour& agent) {
  const std::string& name = agent.system_name.empty() ? agent.chassis.text : agent.system_name;
  return Printable(Cat(name, " port ", agent.port.text));
}

std::string ListenedText(const LinkAgents& agents) {
  return agents.by_lldpad ? "LLDP as lldpad has it" : Cat("LLDP heard in ", agents.listened_ms / 1000, " s");
}

Fact<std::optional<PeerPfc>> PfcOfPeer(NetdevRef netdev) {
  Fact<std::optional<PeerPfc>> said = Announced(netdev, PfcOf);
  if ((said && *said) || !netdev) return said;
  if (!netdev->dcb.peer.pfc) return NotHeard(std::move(said), netdev->dcb.peer.pfc);
  return std::optional(
      PeerPfc{std::string(kFirmwarePeer), std::string(kFirmwareSource), netdev->dcb.peer.pfc->enabled});
}

Fact<std::optional<PeerEts>> EtsOfPeer(NetdevRef netdev) {
  Fact<std::optional<PeerEts>> said = Announced(netdev, EtsOf);
  if ((said && *said) || !netdev) return said;
  if (!netdev->dcb.peer.ets) return NotHeard(std::move(said), netdev->dcb.peer.ets);
  const Ets& ets = *netdev->dcb.peer.ets;
  return std::optional(
      PeerEts{std::string(kFirmwarePeer), std::string(kFirmwareSource), ets.prio_tc, ets.tx_percent, ets.tsa});
}

Fact<std::optional<PeerApp>> AppOfPeer(NetdevRef netdev) {
  Fact<std::optional<PeerApp>> said = Announced(netdev, AppOf);
  if ((said && *said) || !netdev) return said;
  if (!netdev->dcb.peer.app) return NotHeard(std::move(said), netdev->dcb.peer.app);
  return std::optional(
      PeerApp{std::string(kFirmwarePeer), std::string(kFirmwareSource), *netdev->dcb.peer.app});
}

}  // namespace rdmaready

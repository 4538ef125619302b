// SPDX-License-Identifier: Apache-2.0
#include "checks/chain/chain.h"

#include <optional>

#include "checks/dcb/app_rows.h"
#include "checks/dcb/ets_plan.h"
#include "checks/dcb/neighbours.h"
#include "checks/dcb/trust.h"
#include "checks/net/tagging.h"
#include "checks/placeholders.h"
#include "checks/roce/own_marks.h"
#include "checks/words/addresses.h"
#include "checks/words/names.h"
#include "checks/words/socket_priority.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Adds steps until one is broken or not known.
class Walk {
 public:
  Walk(const EthernetView& view, Chain& chain) : view_(view), chain_(chain) {}

  void Go(const Fact<std::uint8_t>& tos) {
    if (!Marked(tos)) return;
    const std::optional<unsigned> priority = PriorityOf(*tos);
    if (!priority || !IsRdmas(*priority)) return;
    if (!Class(*priority) || !Pause(*priority) || !Ecn(*tos, *priority)) return;
    Switch(*priority);
  }

 private:
  bool Pass(std::string text) {
    chain_.push_back({.outcome = Outcome::kPass, .text = std::move(text)});
    return true;
  }
  bool Broken(std::string text, std::string expected) {
    chain_.push_back({.outcome = Outcome::kFail, .text = std::move(text), .expected = std::move(expected)});
    return false;
  }
  bool NotKnown(std::string_view what, const Missing& why) {
    const std::string reason = NoAnswer(why, {}, {}).observed;
    chain_.push_back({.outcome = Outcome::kUnknown,
                      .text = Cat(what, ": unknown from here, ", reason),
                      .expected = std::string(what)});
    return false;
  }

  bool Marked(const Fact<std::uint8_t>& tos) {
    if (!tos) return NotKnown("ToS", tos.missing());
    const std::optional<unsigned> wanted = WantedTos(view_.profile);
    const unsigned dscp = *tos >> 2;
    if (wanted && view_.profile.trust != Profile::Trust::kPcp && dscp != *wanted >> 2)
      return Broken(Cat("ToS ", *tos, " (DSCP ", dscp, ")"), Cat("DSCP ", *wanted >> 2));
    return Pass(Cat("ToS ", *tos));
  }

  // By what the driver goes: a row for RoCE, the DSCP, or the tag.
  std::optional<unsigned> PriorityOf(std::uint8_t tos) {
    if (view_.netdev && TakesPriorityFromRows(view_.netdev->driver)) return ByRow();
    const Fact<Profile::Trust> trust = TrustOf(view_.netdev);
    if (!trust) {
      NotKnown("trust", trust.missing());
      return std::nullopt;
    }
    const Profile::Trust wanted = view_.profile.trust;
    if (wanted != Profile::Trust::kAny && *trust != wanted) {
      Broken(Cat("the NIC trusts ", Name(*trust)), std::string(Name(wanted)));
      return std::nullopt;
    }
    return *trust == Profile::Trust::kPcp ? ByTag(tos) : ByDscp(tos >> 2);
  }

  std::optional<unsigned> ByRow() {
    const std::string row = "row of UDP port 4791";
    const FactRef<std::vector<AppEntry>> rows = DcbFact(view_.netdev, &Dcb::app);
    if (rows && HidesRowsOfFirmware(view_.netdev->driver) &&
        PrioritiesFor(*rows, AppSelector::kDgram, kRoceV2UdpPort).empty()) {
      NotKnown(row, RowOfFirmware(view_.netdev->driver));
      return std::nullopt;
    }
    return FromRows(AppSelector::kDgram, kRoceV2UdpPort, row, row, std::nullopt);
  }

  std::optional<unsigned> ByDscp(unsigned dscp) {
    const std::string name = Cat("DSCP ", dscp);
    const std::string row = Cat("row of ", name);
    if (!view_.netdev || IgnoresDscpRows(view_.netdev->driver))
      return FromRows(AppSelector::kDscp, dscp, name, row, std::nullopt);
    const Fact<DscpPriorities> found = PrioritiesOfDscp(*view_.netdev, static_cast<std::uint8_t>(dscp));
    if (!found) {
      NotKnown(row, found.missing());
      return std::nullopt;
    }
    return TheOne(found->priorities, name, row, std::nullopt);
  }

  // The priority that the rows have for it; without any `otherwise`, or it is broken.
  std::optional<unsigned> FromRows(AppSelector selector, unsigned protocol, const std::string& name,
                                   const std::string& row, std::optional<unsigned> otherwise) {
    const FactRef<std::vector<AppEntry>> rows = DcbFact(view_.netdev, &Dcb::app);
    if (!rows) {
      NotKnown(row, rows.missing());
      return std::nullopt;
    }
    return TheOne(PrioritiesFor(*rows, selector, static_cast<std::uint16_t>(protocol)), name, row, otherwise);
  }

  std::optional<unsigned> TheOne(const std::vector<std::uint8_t>& priorities, const std::string& name,
                                 const std::string& row, std::optional<unsigned> otherwise) {
    if (priorities.size() > 1) {
      Broken(Cat(name, " to priorities ", ListText(priorities)), "one priority");
      return std::nullopt;
    }
    if (priorities.empty() && !otherwise) {
      Broken(Cat("no ", row), Cat(name, " to priority ", *view_.profile.rdma_priority));
      return std::nullopt;
    }
    Pass(name);
    return priorities.empty() ? otherwise : std::optional<unsigned>(priorities.front());
  }

  // RDMA-CM asks mqprio, and where there is none the NIC's classes or the map of the VLAN.
  std::optional<unsigned> ByTag(std::uint8_t tos) {
    const std::uint32_t socket = SocketPriorityOf(tos);
    const FactRef<Mqprio> mqprio = NetdevFact(view_.port.netdev, &Netdev::mqprio);
    const std::vector<TaggedNetdev> vlans = StorageVlans(view_.host, view_.port, view_.profile);
    if (const std::optional<Missing> gap = VlanGap(vlans)) {
      NotKnown("tag", *gap);
      return std::nullopt;
    }
    if (vlans.empty()) {
      if (view_.profile.vlan == Profile::Vlan::kTagged) {
        Broken("no tag", "a storage VLAN");
      } else {
        NotKnown("tag", {.kind = Missing::Kind::kFailed, .detail = "no address is on a VLAN"});
      }
      return std::nullopt;
    }
    if (mqprio) return FromTag(ClassOf(*mqprio, socket), " by mqprio");
    const TaggedNetdev& vlan = vlans.front();
    const Fact<TagPriority> tag = TagPriorityOf(view_.port, vlan, socket);
    if (tag) return FromTag(tag->pcp, Cat(tag->by_class ? " by the traffic class on " : " on ", vlan.name));
    NotKnown(Cat("egress map of ", vlan.name), tag.missing());
    return std::nullopt;
  }

  // Why it is not known which VLAN carries RDMA; nothing where it is, or where it is known that none does.
  std::optional<Missing> VlanGap(const std::vector<TaggedNetdev>& vlans) const {
    const Port& port = view_.port;
    if (vlans.empty() && !AddressesKnown(port)) return WhyAddressesUnknown(port);
    if (vlans.empty() && !port.uppers) return port.uppers.missing();
    const bool by_route = !view_.profile.vlan_ids && !vlans.empty() && AddressesOf(port).size() > 1;
    if (by_route && !view_.host.default_routes) return view_.host.default_routes.missing();
    return std::nullopt;
  }

  std::optional<unsigned> FromTag(unsigned pcp, std::string_view where) {
    const std::string name = Cat("PCP ", pcp, where);
    return FromRows(AppSelector::kPcp, pcp, name, Cat("row of PCP ", pcp), pcp);
  }

  bool IsRdmas(unsigned priority) {
    const unsigned wanted = *view_.profile.rdma_priority;
    if (priority != wanted) return Broken(Cat("priority ", priority), Cat("priority ", wanted));
    return Pass(Cat("priority ", priority));
  }

  bool Class(unsigned priority) {
    const FactRef<Ets> ets = DcbFact(view_.netdev, &Dcb::ets);
    const bool asked = kDemandsEts.made_by(view_.profile);
    if (!ets) return asked ? NotKnown("traffic class", ets.missing()) : true;
    const unsigned tc = ets->prio_tc[priority];
    if (tc >= ClassCount(*ets)) return Broken(Cat("TC ", tc, ", which there is not"), "a class of the NIC");
    const bool shares = ets->tsa[tc] == Tsa::kEts;
    const std::string text = shares ? Cat("TC ", tc, " (", ets->tx_percent[tc], " %)")
                                    : Cat("TC ", tc, " (", Name(ets->tsa[tc]), ")");
    if (!asked) return Pass(text);
    const unsigned wanted = *view_.profile.ets_rdma_percent;
    const std::string expected = Cat("a class of its own with ", wanted, " %");
    if (tc == ets->prio_tc[0]) return Broken(Cat(text, ", with the default priority"), expected);
    const bool enough = shares && unsigned{ets->tx_percent[tc]} + view_.profile.ets_tolerance_percent >= wanted;
    return enough ? Pass(text) : Broken(text, expected);
  }

  bool Pause(unsigned priority) {
    if (!view_.profile.pfc) return true;
    const FactRef<Pfc> pfc = DcbFact(view_.netdev, &Dcb::pfc);
    if (!pfc) return NotKnown("PFC", pfc.missing());
    const bool wanted = (static_cast<unsigned>(BitmapOf(*view_.profile.pfc)) >> priority & 1U) != 0;
    const bool on = (static_cast<unsigned>(pfc->enabled) >> priority & 1U) != 0;
    if (on == wanted) return Pass(on ? "PFC on" : "PFC off");
    return Broken(Cat("PFC ", on ? "on" : "off"), wanted ? "PFC on" : "PFC off");
  }

  bool Ecn(std::uint8_t tos, unsigned priority) {
    if (!view_.profile.ecn) return true;
    const Fact<std::string> by_driver = EctOfDriver(view_.host, view_.port);
    if ((tos & 3U) == 0 && view_.profile.dscp && !by_driver) return NotKnown("ECN", by_driver.missing());
    const bool allowed = (tos & 3U) != 0 || (by_driver && !by_driver->empty());
    if (!allowed && view_.profile.dscp)
      return Broken("no switch may mark it (ECN)", "leave to mark, ECN bits 2");
    if (IsSoftware(view_.port)) return Pass(allowed ? "ECN allowed" : "ECN not allowed");
    const Fact<CongestionControl>& control = view_.port.congestion;
    // Drivers without a word about it are as many as switches that are not heard.
    if (NotOffered(control)) return Pass("ECN not shown");
    if (!control) return NotKnown("ECN", control.missing());
    const auto off = [priority](const std::optional<std::uint8_t>& bitmap) {
      return bitmap && (static_cast<unsigned>(*bitmap) >> priority & 1U) == 0;
    };
    if (off(control->notifies)) return Broken("marks are not answered (ECN)", "answered");
    if (off(control->slows_down)) return Broken("notifications do not slow it down (ECN)", "slowed down");
    if (!control->notifies || !control->slows_down)
      return NotKnown("ECN", {.kind = Missing::Kind::kUnsupported, .detail = "the driver does not say"});
    return Pass("ECN on");
  }

  // The wire, and what is known of the switch behind it.
  bool Switch(unsigned priority) {
    const Fact<std::optional<PeerPfc>> announced = PfcOfPeer(view_.netdev);
    if (!announced || !*announced) return Pass("the wire; switch not heard");
    const std::uint8_t enabled = (*announced)->enabled;
    const std::string text = Cat("switch: ", PfcText(enabled));
    if (!view_.profile.pfc) return Pass(text);
    const unsigned wanted = BitmapOf(*view_.profile.pfc);
    const unsigned differing = wanted ^ enabled;
    if ((differing >> priority & 1U) == 0) return Pass(text);
    const std::string_view how = (wanted >> priority & 1U) != 0 ? "on " : "off for ";
    return Broken(text, Cat("PFC ", how, priority, " at the switch"));
  }

  const EthernetView& view_;
  Chain& chain_;
};

}  // namespace

Chain WalkChain(const EthernetView& view, const Fact<std::uint8_t>& tos) {
  Chain chain;
  Walk(view, chain).Go(tos);
  return chain;
}

std::string ChainText(const Chain& chain) {
  std::string text;
  for (const ChainStep& step : chain) text += Cat(text.empty() ? "" : " -> ", step.text);
  return text;
}

}  // namespace rdmaready

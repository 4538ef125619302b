// SPDX-License-Identifier: Apache-2.0
// agree.vlan, agree.address: what hosts on one wire must have alike, and what no two of them may have. A host
// by itself cannot know either.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/families.h"
#include "checks/fleet/agreement.h"
#include "checks/fleet/between.h"
#include "checks/fleet/wire_fix.h"
#include "checks/net/tagging.h"
#include "checks/words/addresses.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kUntagged = "untagged";
constexpr std::string_view kAddressSource = "rtnetlink addresses of all";
constexpr std::string_view kOwnAddress = "each address on one host";

// ---- agree.vlan ----

Fact<std::string> VlanValueAt(const PortView& view, const PlacedAddress& placed) {
  if (IsInfiniBand(view.port))
    return Missing{.kind = Missing::Kind::kUnsupported, .detail = "InfiniBand has partitions, and no VLAN"};
  const Fact<std::vector<std::uint16_t>> tags = TagsOf(view.port, placed);
  if (!tags) return tags.missing();
  if (tags->empty()) return std::string(kUntagged);
  std::string text;
  for (const std::uint16_t id : *tags) text += Cat(text.empty() ? "VLAN " : " in VLAN ", id);
  return text;
}

// The value by the first address; without one, the reason.
Fact<std::string> VlanValue(const PortView& view) {
  const std::vector<PlacedAddress> addresses = AddressesOf(view.port);
  if (!addresses.empty()) return VlanValueAt(view, addresses.front());
  if (!AddressesKnown(view.port)) return WhyAddressesUnknown(view.port);
  return Missing{.kind = Missing::Kind::kUnsupported, .detail = "the port has no address that peers can use"};
}

// ---- agree.address ----

// Routing gives an address without a subnet to several hosts on purpose: anycast, and the address of a service.
bool IsOfRouting(const IpAddress& ip) {
  return ip.prefix_length == (ip.address.find(':') == std::string::npos ? 32 : 128);
}

struct Holder {
  std::size_t voter = 0;
  PlacedAddress address{};
};

// Two recordings of one machine have one identity, and their ports one adapter's. Machines that were cloned
// have the identity alone. Empty: the machine does not say who it is.
std::string AdapterOf(const Voter& voter) {
  const Facts& facts = *voter.facts;
  if (facts.machine_id.empty() && facts.hostname.empty()) return {};
  const Port& port = *voter.port;
  return Cat(facts.machine_id, " ", facts.hostname, " ",
             port.node_guid ? std::to_string(*port.node_guid) : (port.netdev ? port.netdev->mac : ""));
}

// Tells machines apart by the name that the caller has for them, and by their adapters.
class Machines {
 public:
  // Whether it is the first port of its machine.
  bool Add(const Voter& voter) {
    const std::string adapter = AdapterOf(voter);
    const bool known = hosts_.contains(voter.host) || (!adapter.empty() && adapters_.contains(adapter));
    hosts_.insert(voter.host);
    if (!adapter.empty()) adapters_.insert(adapter);
    return !known;
  }

 private:
  std::set<std::string_view> hosts_{};
  std::set<std::string> adapters_{};
};

class AddressBook {
 public:
  explicit AddressBook(std::span<const Voter> ports) : ports_(ports), verdicts_(ports.size()) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      hosts_.insert(ports[i].host);
      Enter(i);
    }
  }

  Compared Result() && {
    Compared compared;
    for (const std::string& address : order_) JudgeAddress(holders_.at(address), compared);
    for (std::size_t i = 0; i < ports_.size(); ++i)
      compared.verdicts.push_back(verdicts_[i] ? *std::move(verdicts_[i]) : Alone(*ports_[i].port));
    return compared;
  }

 private:
  void Enter(std::size_t voter) {
    for (PlacedAddress& placed : AddressesOf(*ports_[voter].port)) {
      if (IsOfRouting(placed.ip)) continue;
      const auto [entry, fresh] = holders_.try_emplace(placed.ip.address);
      if (fresh) order_.push_back(placed.ip.address);
      entry->second.push_back({voter, std::move(placed)});
    }
  }

  Verdict Alone(const Port& port) const {
    if (hosts_.size() < 2) return NotApplicable("no port of another host to compare it with");
    if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), kOwnAddress, kAddressSource);
    const std::vector<PlacedAddress> own = AddressesOf(port);
    if (own.empty()) return NotApplicable("the port has no address that peers can use");
    const auto compared =
        std::ranges::find_if_not(own, [](const PlacedAddress& placed) { return IsOfRouting(placed.ip); });
    if (compared == own.end())
      return NotApplicable("its addresses have no subnet: routing may give such ones to several hosts");
    return Judged(true, Cat(compared->ip.address, " is on no other host"), kOwnAddress, kAddressSource);
  }

  bool AreOfSeveralMachines(const std::vector<Holder>& holders) const {
    Machines machines;
    return std::ranges::count_if(holders,
                                 [&](const Holder& holder) { return machines.Add(ports_[holder.voter]); }) > 1;
  }

  // The holders of the address on one VLAN.
  struct OfWire {
    const Holder* first = nullptr;
    Machines machines{};
  };

  void JudgeAddress(const std::vector<Holder>& holders, Compared& compared) {
    if (holders.size() < 2 || !AreOfSeveralMachines(holders)) return;
    std::map<std::vector<std::uint16_t>, OfWire> wires;
    for (const Holder& holder : holders) {
      const Fact<std::vector<std::uint16_t>> tags = TagsOf(*ports_[holder.voter].port, holder.address);
      if (!tags) {
        Put(holder.voter,
            Unclear(Cat(holder.address.ip.address, " is on another host too, and its VLAN is not known"),
                    kOwnAddress, kAddressSource));
        continue;
      }
      OfWire& wire = wires[*tags];
      if (!wire.machines.Add(ports_[holder.voter])) continue;
      if (wire.first == nullptr) {
        wire.first = &holder;
      } else {
        AddTwin(*wire.first, holder, compared);
      }
    }
  }

  void AddTwin(const Holder& first, const Holder& second, Compared& compared) {
    Verdict verdict = AddressTwice(SideOf(first), SideOf(second));
    Put(first.voter, verdict);
    Put(second.voter, verdict);
    compared.between.push_back({.first = first.voter,
                                .second = second.voter,
                                .about = {first.voter, second.voter},
                                .verdict = std::move(verdict)});
  }

  DifferingSide SideOf(const Holder& holder) const {
    const Voter& voter = ports_[holder.voter];
    return {voter.host, {*voter.facts, *voter.port, &holder.address}, holder.address.netdev};
  }

  void Put(std::size_t voter, Verdict verdict) {
    if (!verdicts_[voter]) verdicts_[voter] = std::move(verdict);
  }

  std::span<const Voter> ports_;
  std::set<std::string_view> hosts_{};
  std::unordered_map<std::string, std::vector<Holder>> holders_{};
  std::vector<std::string> order_{};  // of the addresses, as they first came
  std::vector<std::optional<Verdict>> verdicts_;
};

Compared JudgeAgreeAddress(std::span<const Voter> ports, const Profile&) { return AddressBook(ports).Result(); }

}  // namespace

std::vector<Check> SharedWireChecks() {
  return {
      {.id = "agree.vlan",
       .title = "All hosts of a subnet are on one VLAN",
       .why = "A switch keeps VLANs apart: between two of them ARP is not answered, and nothing connects",
       .fix = Fix("ip -d link show type vlan")
                  .Do("put the addresses of one subnet on the same VLAN on all hosts")
                  .Or("change the other hosts, where this one is right")
                  .Or("where one host is untagged: the switch port may put its frames into the VLAN")
                  .CheckBy("ip -brief address"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.netdev-mapping", "ip.address", "vlan.present", "vlan.id"},
       .judge = Agreement{.value = VlanValue,
                          .source = "rtnetlink links and addresses of all",
                          .among = Agreement::Among::kEachSubnet,
                          .value_at = VlanValueAt,
                          .may_differ = kUntagged,
                          .align = VlanFix}},
      {.id = "agree.address",
       .title = "No two hosts have one address",
       .why = "Both answer ARP for it: a connection reaches the one or the other, and between the two there is "
              "none",
       .fix = Fix("ip -brief address show dev {netdev}")
                  .Do("give each host addresses of its own")
                  .CheckBy("ip -brief address show dev {netdev}"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.netdev-mapping", "ip.address"},
       .judge = JudgeAgreeAddress},
  };
}

}  // namespace rdmaready

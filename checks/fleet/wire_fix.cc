// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/wire_fix.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks/net/address_fix.h"
#include "checks/net/tagging.h"
#include "checks/setting/network_owner.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostNameChars = 15;  // IFNAMSIZ without its end
constexpr std::string_view kHolds = "the commands hold until the next boot";

std::string WithPrefix(const IpAddress& ip) {
  return Cat(ShellWord(ip.address), "/", unsigned{ip.prefix_length});
}

// The netdev without a VLAN that a VLAN for the address stands on: the port's own, a bond over it, or what the
// present VLAN stands on. Empty where it is another one, as a bridge.
std::string BaseOf(const DifferingEnd& end) {
  if (!end.port.netdev || end.port.netdev->vlan_id) return {};
  const UpperNetdev* upper = end.address->upper;
  if (upper == nullptr) return end.port.netdev->name;
  if (upper->vlan_id) return upper->over.size() == 1 ? upper->over.front() : std::string();
  return upper->kind == "bond" || upper->kind == "team" ? upper->name : std::string();
}

// A VLAN of that id on that netdev, which is there.
const UpperNetdev* VlanThere(const Port& port, const std::string& base, std::uint16_t id) {
  if (!port.uppers) return nullptr;
  const auto found = std::ranges::find_if(*port.uppers, [&](const UpperNetdev& upper) {
    return upper.vlan_id && *upper.vlan_id == id && std::ranges::find(upper.over, base) != upper.over.end();
  });
  return found == port.uppers->end() ? nullptr : &*found;
}

std::string VlanName(const std::string& base, std::uint16_t id) {
  std::string name = Cat(base, ".", id);
  return name.size() <= kMostNameChars ? name : Cat("vlan", id);
}

bool HasEgress(const UpperNetdev* vlan) {
  return vlan != nullptr && vlan->vlan_egress && !vlan->vlan_egress->empty();
}

// The priorities that a VLAN gives its frames.
std::string EgressWords(const UpperNetdev* now) {
  if (!HasEgress(now)) return {};
  std::string words = " egress-qos-map";
  for (const VlanPriority& row : *now->vlan_egress) words += Cat(" ", row.from, ":", unsigned{row.pcp});
  return words;
}

std::string KeptBy(const Facts& host, const std::string& netdev) {
  const SettingOwner owner = AddressOwner(host, netdev);
  return owner.empty() ? std::string("the network configuration")
                       : Cat(owner.name, ", which keeps the addresses of ", Printable(netdev));
}

Fix Moved(const DifferingEnd& odd, const std::string& command, const std::string& to) {
  const std::string& from = odd.address->netdev;
  Fix fix =
      Fix(command).Caution(Cat("connections by ", Printable(odd.address->ip.address), " end")).Caution(kHolds);
  if (LeadsByDefault(odd.host, from)) fix = std::move(fix).Caution(DefaultRouteGoes(from));
  return std::move(fix)
      .Do(Cat("for good: in ", KeptBy(odd.host, from)))
      .CheckBy(Cat("ip -d address show dev ", ShellWord(to)));
}

// Two VLANs in each other, or a stack that is not known: a person decides.
Fix ByHand(const DifferingEnd& odd) {
  return Fix(Cat("ip -d link show dev ", ShellWord(odd.address->netdev)))
      .Do("put the addresses of one subnet on the same VLAN on both hosts")
      .CheckBy(Cat("ip -d link show dev ", ShellWord(odd.address->netdev)));
}

// The new VLAN has the priorities of the present one, else those of the other host.
Fix ToVlan(const DifferingEnd& odd, const DifferingEnd& other, const std::string& base, std::uint16_t id) {
  const IpAddress& ip = odd.address->ip;
  if (const UpperNetdev* there = VlanThere(odd.port, base, id)) {
    return Moved(odd,
                 Cat("ip link set dev ", ShellWord(there->name), " up && ",
                     MoveAddress(ip, odd.address->netdev, there->name)),
                 there->name);
  }
  const UpperNetdev* now = odd.address->upper;
  const std::string name = VlanName(base, id);
  const std::string mtu = now != nullptr && now->mtu_bytes != 0 ? Cat(" mtu ", now->mtu_bytes) : std::string();
  const std::string command =
      Cat("ip link add link ", ShellWord(base), " name ", ShellWord(name), mtu, " type vlan id ", id,
          EgressWords(HasEgress(now) ? now : other.address->upper), " && ip link set dev ", ShellWord(name),
          " up && ", MoveAddress(ip, odd.address->netdev, name));
  return Moved(odd, command, name)
      .Do(Cat("let the switch port carry VLAN ", id, " with its tag"), StepSite::kSwitch);
}

bool HasAnother(const DifferingSide& side) {
  const std::string subnet = SubnetOf(side.end.address->ip);
  return std::ranges::any_of(AddressesOf(side.end.port), [&](const PlacedAddress& placed) {
    return placed.ip.address != side.end.address->ip.address && SubnetOf(placed.ip) == subnet;
  });
}

Fix GiveUp(const DifferingSide& side, const DifferingSide& other) {
  const IpAddress& ip = side.end.address->ip;
  const std::string netdev = ShellWord(side.end.address->netdev);
  const std::string host = Printable(side.host);
  const std::string del = Cat("ip address del ", WithPrefix(ip), " dev ", netdev);
  const bool another = HasAnother(side);
  Fix fix = OnHost(Fix(another ? del : Cat(del, " && ip address add ADDRESS dev ", netdev))
                       .Because("both hosts answer ARP for it", Certainty::kCertain)
                       .Caution(Cat("connections by ", Printable(ip.address), " end"))
                       .Caution("its other addresses of that subnet are deleted too, where the sysctl "
                                "promote_secondaries is 0"),
                   side.host);
  if (LeadsByDefault(side.end.host, side.end.address->netdev))
    fix = std::move(fix).Caution(DefaultRouteGoes(side.end.address->netdev));
  if (!another) fix = std::move(fix).Do(Cat("ADDRESS: a free one of ", SubnetOf(ip)));
  return std::move(fix)
      .Do(Cat("for good: in ", KeptBy(side.end.host, side.end.address->netdev)))
      .Or(Cat("where ", host, " is right, on ", Printable(other.host), ": ip address del ",
              WithPrefix(other.end.address->ip), " dev ", ShellWord(other.end.address->netdev)))
      .CheckBy(Cat("ip -brief address show to ", ShellWord(ip.address)));
}

}  // namespace

Fix VlanFix(const DifferingEnd& odd, const DifferingEnd& other) {
  const Fact<std::vector<std::uint16_t>> own = TagsOf(odd.port, *odd.address);
  const Fact<std::vector<std::uint16_t>> wanted = TagsOf(other.port, *other.address);
  const std::string base = BaseOf(odd);
  if (!own || !wanted || own->size() > 1 || wanted->size() > 1 || base.empty()) return ByHand(odd);
  const UpperNetdev* upper = odd.address->upper;
  if (upper != nullptr && !upper->vlan_id && !own->empty()) return ByHand(odd);
  if (!wanted->empty()) return ToVlan(odd, other, base, wanted->front());
  return Moved(odd, MoveAddress(odd.address->ip, odd.address->netdev, base), base);
}

Verdict AddressTwice(const DifferingSide& first, const DifferingSide& second) {
  const auto at = [](const DifferingSide& side) { return Cat(side.value, " at ", side.host); };
  const bool of_first = HasAnother(first) && !HasAnother(second);
  return Judged(false, Cat(second.end.address->ip.address, " is on ", at(first), " and on ", at(second)),
                "each address on one host", "rtnetlink addresses of both",
                of_first ? GiveUp(first, second) : GiveUp(second, first));
}

}  // namespace rdmaready

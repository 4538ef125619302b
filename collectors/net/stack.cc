// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>

namespace rdmaready {
namespace {

// More are no picture of a port any more; a host with thousands of VLANs must not make facts of megabytes.
constexpr std::size_t kMostLowers = 64;
constexpr std::size_t kMostUppers = 1024;

Missing Failed(std::string detail) { return {Missing::Kind::kFailed, std::move(detail)}; }

bool LeadsNowhere(std::string_view kind) {
  constexpr std::array<std::string_view, 5> kKinds{"veth", "tun", "netkit", "dummy", "ifb"};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

// Has ports below it by nature, whether or not we see one.
bool IsStack(const LinkTable& links, const Link& link) {
  constexpr std::array<std::string_view, 4> kMasters{"bond", "bridge", "team", "openvswitch"};
  return StandsOnItsPeer(link.kind) || std::ranges::find(kMasters, link.kind) != kMasters.end() ||
         !links.Below(link.ifindex).empty();
}

// Why what the link stands on cannot be followed; nothing to say when it can.
std::string WhyNotFollowed(const LinkTable& links, const Link& link) {
  if (!StandsOnItsPeer(link.kind)) return "";
  if (link.peer_elsewhere) return "what " + link.name + " stands on is in another network namespace";
  if (!link.peer) return "the kernel does not tell what " + link.name + " stands on";
  if (links.Find(*link.peer) == nullptr) return "what " + link.name + " stands on went away while it was read";
  return "";
}

// Sorts by name, because the next boot may number the interfaces otherwise.
std::vector<std::uint32_t> SortedByName(const LinkTable& links, const std::set<std::uint32_t>& indexes) {
  std::vector<std::uint32_t> sorted(indexes.begin(), indexes.end());
  std::ranges::stable_sort(sorted, {}, [&links](std::uint32_t ifindex) {
    const Link* link = links.Find(ifindex);
    return link == nullptr ? std::string() : link->name;
  });
  return sorted;
}

std::vector<std::string> NamesOf(const LinkTable& links, const std::vector<std::uint32_t>& indexes,
                                 const std::set<std::uint32_t>& wanted) {
  std::vector<std::string> names;
  for (const std::uint32_t ifindex : indexes) {
    const Link* link = links.Find(ifindex);
    if (link != nullptr && wanted.contains(ifindex)) names.push_back(link->name);
  }
  std::ranges::sort(names);
  return names;
}

UpperNetdev UpperOf(const Link& link, const Fact<AddressTable>& addresses) {
  UpperNetdev upper{.name = link.name,
                    .ifindex = link.ifindex,
                    .kind = link.kind,
                    .admin_up = link.admin_up,
                    .carrier = link.carrier,
                    .mtu_bytes = link.mtu_bytes};
  upper.vlan_id = VlanIdOf(link);
  upper.vlan_egress = VlanEgressOf(link);
  upper.vlan_reorder = VlanReorderOf(link);
  upper.bond_mode = link.kind != "bond" ? Missing{Missing::Kind::kUnsupported, "not a bond"}
                    : link.bond_mode    ? BondModeOf(*link.bond_mode)
                                        : Failed("the kernel does not tell the mode of " + link.name);
  upper.addresses = AddressesOf(addresses, link.ifindex);
  return upper;
}

}  // namespace

Fact<std::string> BondModeOf(std::uint8_t mode) {
  constexpr std::array<const char*, 7> kModes{"balance-rr", "active-backup", "balance-xor", "broadcast",
                                              "802.3ad",    "balance-tlb",   "balance-alb"};
  if (mode >= kModes.size()) return Failed(fmt::format("unknown bond mode {}", mode));
  return std::string(kModes[mode]);
}

Fact<std::vector<std::uint32_t>> LowersOf(const LinkTable& links, std::uint32_t ifindex) {
  const Link* top = links.Find(ifindex);
  if (top == nullptr) return Failed(fmt::format("interface {} is not in the list of links", ifindex));
  if (!IsStack(links, *top)) return std::vector<std::uint32_t>{};

  std::set<std::uint32_t> seen{ifindex};
  std::deque<const Link*> open{top};
  std::set<std::uint32_t> ports;
  while (!open.empty()) {
    const Link& link = *open.front();
    open.pop_front();
    if (std::string why = WhyNotFollowed(links, link); !why.empty()) {
      return link.peer_elsewhere ? Missing{Missing::Kind::kUnsupported, std::move(why)}
                                 : Failed(std::move(why));
    }
    if (!IsStack(links, link) && !LeadsNowhere(link.kind)) ports.insert(link.ifindex);
    if (ports.size() > kMostLowers) {
      return Failed(fmt::format("more than {} ports under {}", kMostLowers, top->name));
    }
    for (const std::uint32_t below : links.Below(link.ifindex)) {
      if (seen.insert(below).second) open.push_back(links.Find(below));
    }
  }
  if (ports.empty()) return Failed("no Ethernet port under " + top->name);
  return SortedByName(links, ports);
}

Fact<std::vector<UpperNetdev>> UppersOf(const LinkTable& links, std::span<const std::uint32_t> bases,
                                        const Fact<AddressTable>& addresses) {
  std::set<std::uint32_t> seen(bases.begin(), bases.end());
  std::vector<std::uint32_t> near = SortedByName(links, seen);
  std::vector<std::uint32_t> found;
  while (!near.empty()) {
    std::set<std::uint32_t> next;
    for (const std::uint32_t ifindex : near) {
      for (const std::uint32_t above : links.Above(ifindex)) {
        if (seen.insert(above).second) next.insert(above);
      }
    }
    near = SortedByName(links, next);
    found.insert(found.end(), near.begin(), near.end());
    if (found.size() > kMostUppers) {
      return Failed(fmt::format("more than {} interfaces stand on it", kMostUppers));
    }
  }
  std::vector<UpperNetdev> uppers;
  uppers.reserve(found.size());
  for (const std::uint32_t ifindex : found) {
    uppers.push_back(UpperOf(*links.Find(ifindex), addresses));
    uppers.back().over = NamesOf(links, links.Below(ifindex), seen);
  }
  return uppers;
}

}  // namespace rdmaready

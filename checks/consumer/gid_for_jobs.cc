// SPDX-License-Identifier: Apache-2.0
#include "checks/consumer/gid_for_jobs.h"

#include <algorithm>
#include <iterator>

#include "checks/net/tagging.h"
#include "checks/words/addresses.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool IsIpv6(const Gid& gid) { return AddressOfGid(gid.raw).find(':') != std::string::npos; }

bool AsksForTags(const Profile& profile) { return profile.vlan == Profile::Vlan::kTagged || profile.vlan_ids; }

// The netdevs whose addresses RDMA may use.
std::vector<std::string> StorageHolders(const Facts& host, const Port& port, const Profile& profile) {
  std::vector<std::string> holders;
  if (!AsksForTags(profile)) {
    for (const PlacedAddress& placed : AddressesBesideDefaultRoute(host, port))
      holders.push_back(placed.netdev);
    return holders;
  }
  for (const TaggedNetdev& vlan : StorageVlans(host, port, profile)) holders.push_back(vlan.holder);
  return holders;
}

std::vector<Gid> OfFamily(const std::vector<Gid>& gids, bool ipv6) {
  std::vector<Gid> some;
  std::ranges::copy_if(gids, std::back_inserter(some), [ipv6](const Gid& gid) { return IsIpv6(gid) == ipv6; });
  return some;
}

bool Has(const std::vector<Gid>& gids, std::uint32_t index) {
  return std::ranges::find(gids, index, &Gid::index) != gids.end();
}

// NCCL: ncclIbGetGidIndex of transport/net_ib/connect.cc; UCX: uct_ib_device_select_gid; MORI:
// AutoSelectGidIndex.
std::optional<std::uint32_t> OwnChoice(const Port& port, bool ipv6) {
  std::optional<std::uint32_t> lowest;
  for (const Gid& gid : *port.gids) {
    if (gid.type != GidType::kRoceV2 || AddressOfGid(gid.raw).empty() || IsIpv6(gid) != ipv6) continue;
    if (!lowest || gid.index < *lowest) lowest = gid.index;
  }
  return lowest;
}

}  // namespace

std::vector<PlacedAddress> AddressesBesideDefaultRoute(const Facts& host, const Port& port) {
  std::vector<PlacedAddress> all = AddressesOf(port);
  if (!host.default_routes) return all;
  std::vector<PlacedAddress> beside;
  std::ranges::copy_if(all, std::back_inserter(beside), [&host](const PlacedAddress& placed) {
    return std::ranges::find(*host.default_routes, placed.netdev) == host.default_routes->end();
  });
  return beside.empty() ? all : beside;
}

Fact<std::vector<Gid>> UsableGids(const Facts& host, const Port& port, const Profile& profile) {
  if (!port.gids) return port.gids.missing();
  if (!port.netdev) return port.netdev.missing();
  if (!AddressesKnown(port)) return WhyAddressesUnknown(port);
  const std::vector<std::string> holders = StorageHolders(host, port, profile);
  if (AsksForTags(profile) && !port.uppers) return port.uppers.missing();
  const std::vector<PlacedAddress> addresses = AddressesOf(port);
  std::vector<Gid> usable;
  for (const Gid& gid : *port.gids) {
    if (gid.type != GidType::kRoceV2) continue;
    const std::string address = AddressOfGid(gid.raw);
    const bool fits = std::ranges::any_of(addresses, [&](const PlacedAddress& placed) {
      const bool may = std::ranges::find(holders, placed.netdev) != holders.end();
      return may && !address.empty() && placed.ip.address == address;
    });
    if (fits) usable.push_back(gid);
  }
  std::ranges::sort(usable, {}, &Gid::index);
  return usable;
}

GidChoice ChooseGid(std::span<const PortGids> ports) {
  GidChoice choice;
  choice.ipv6 =
      std::ranges::any_of(ports, [](const PortGids& one) { return OfFamily(one.usable, false).empty(); });
  std::vector<std::vector<Gid>> of_family;
  for (const PortGids& one : ports) of_family.push_back(OfFamily(one.usable, choice.ipv6));
  for (const Gid& gid : of_family.front()) {
    if (choice.index) break;
    if (std::ranges::all_of(of_family, [&](const std::vector<Gid>& some) { return Has(some, gid.index); }))
      choice.index = gid.index;
  }
  choice.automatic = !choice.index;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::vector<Gid>& some = of_family[i];
    const std::optional<std::uint32_t> own = OwnChoice(*ports[i].port, choice.ipv6);
    if (!own || !Has(some, *own)) choice.automatic = false;
    const auto chosen =
        std::ranges::find_if(some, [&](const Gid& gid) { return !choice.index || gid.index == *choice.index; });
    if (chosen == some.end()) continue;
    choice.addresses.push_back(AddressOfGid(chosen->raw));
    choice.text += Cat(choice.text.empty() ? "" : ", ", PortName(*ports[i].port), " ", chosen->index);
  }
  return choice;
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include "collectors/lag.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "collectors/nic/congestion.h"
#include "collectors/ports.h"

namespace rdmaready {
namespace {

// Which netdevs have an RDMA device of their own.
class Owned {
 public:
  explicit Owned(const std::vector<Port>& ports) {
    for (const Port& port : ports) {
      if (port.netdev) {
        ifindexes_.push_back(port.netdev->ifindex);
      } else if (port.netdev.missing().kind != Missing::Kind::kUnsupported && !gap_) {
        gap_ = port.netdev.missing();
      }
    }
  }

  bool Has(std::uint32_t ifindex) const { return std::ranges::find(ifindexes_, ifindex) != ifindexes_.end(); }
  // Why there may be others.
  const std::optional<Missing>& gap() const { return gap_; }

 private:
  std::vector<std::uint32_t> ifindexes_{};
  std::optional<Missing> gap_{};
};

// The bond that the port's netdev is a member of; null for none.
const Link* BondOf(const LinkTable& links, const Port& port) {
  const bool alone = port.netdev && port.lowers && port.lowers->empty() && !(port.software && *port.software);
  if (!alone) return nullptr;
  const Link* own = links.Find(port.netdev->ifindex);
  const Link* master = own != nullptr && own->master ? links.Find(*own->master) : nullptr;
  return master != nullptr && (master->kind == "bond" || master->kind == "team") ? master : nullptr;
}

// The members that the port speaks for, its own netdev among them, by ifindex.
Fact<std::vector<Netdev>> MembersOf(HostReader& host, const Network& network, const Link& bond,
                                    const Port& port, const Owned& owned) {
  std::vector<Netdev> members;
  for (const std::uint32_t ifindex : network.links->Below(bond.ifindex)) {
    if (ifindex == port.netdev->ifindex) {
      members.push_back(*port.netdev);
      continue;
    }
    if (owned.Has(ifindex)) continue;
    const Fact<Netdev> member = ReadNetdev(host, network, ifindex);
    if (!member) return member.missing();
    if (member->driver.empty() || port.netdev->driver.empty())
      return Missing{Missing::Kind::kFailed, "whose driver " + member->name + " has is not known"};
    if (member->driver == port.netdev->driver) members.push_back(*member);
  }
  if (members.size() < 2) return std::vector<Netdev>{};
  if (owned.gap()) return *owned.gap();
  return members;
}

}  // namespace

void FindLags(HostReader& host, const Network& network, std::vector<Port>& ports) {
  if (!network.links.ok()) return;
  const Owned owned(ports);
  for (Port& port : ports) {
    const Link* bond = BondOf(*network.links, port);
    if (bond == nullptr) continue;
    port.lowers = MembersOf(host, network, *bond, port, owned);
    if (!port.lowers || port.lowers->empty()) continue;
    std::vector<std::uint32_t> members;
    for (const Netdev& member : *port.lowers) members.push_back(member.ifindex);
    port.uppers = ReadUppers(host, network, members);
    port.congestion = WithMembers(host, port, port.congestion);
  }
}

}  // namespace rdmaready

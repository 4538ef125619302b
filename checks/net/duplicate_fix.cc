// SPDX-License-Identifier: Apache-2.0
#include "checks/net/duplicate_fix.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "checks/net/address_fix.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Looks at the netdev of each port, at those below it, and at those built on it.
bool CarriesRdma(const Facts& host, const std::string& netdev) {
  const auto holds = [&netdev](const auto& list) {
    return list && std::ranges::any_of(*list, [&netdev](const auto& one) { return one.name == netdev; });
  };
  return std::ranges::any_of(*host.ports, [&](const Port& port) {
    return holds(port.uppers) || holds(port.lowers) || (port.netdev && port.netdev->name == netdev);
  });
}

// Whether every port's stack was read: else an interface that nobody saw there may carry RDMA.
bool StacksKnown(const Facts& host) {
  return std::ranges::all_of(*host.ports, [](const Port& port) {
    const auto read = [](const auto& fact) { return fact || NotOffered(fact); };
    return read(port.netdev) && (!port.netdev || (read(port.uppers) && read(port.lowers)));
  });
}

constexpr std::string_view kSecondariesGo =
    "its other addresses of that subnet are deleted too, where the sysctl promote_secondaries is 0";

// The interface without RDMA gives the address up. Its prefix length is not known, and `flush` needs none.
Fix TakeFromOther(const std::string& address, const std::string& theirs, Fix fix) {
  return std::move(fix)
      .Run(Cat("ip address flush dev ", theirs, " to ", address))
      .Caution(Cat("connections by ", theirs, " with this address end"))
      .Caution(kSecondariesGo)
      .Do(Cat("take the address of ", theirs, " out of the network configuration"));
}

}  // namespace

Fix DuplicateFix(const Facts& host, const PlacedAddress& placed, const std::string& other, bool by_routing) {
  const std::string address = ShellWord(placed.ip.address);
  const std::string ours = ShellWord(placed.netdev);
  const std::string theirs = ShellWord(other);
  const bool both = CarriesRdma(host, other);
  const bool managed = LeadsByDefault(host, other);
  Fix fix = Fix().Because(Cat("RDMA-CM binds to one of ", ours, " and ", theirs, ", and both answer ARP",
                              both ? "; both carry RDMA" : ""),
                          Certainty::kCertain);
  if (!both && !by_routing && !managed && StacksKnown(host)) {
    fix = TakeFromOther(address, theirs, std::move(fix));
  } else if (!both && by_routing) {
    fix = std::move(fix)
              .Do(Cat("ask whether a routing protocol has ", address, " on both on purpose: then it stays"))
              .Or(Cat("where none does, leave it on ", ours, ", which carries RDMA: ip address flush dev ",
                      theirs, " to ", address));
  } else {
    fix = std::move(fix)
              .Do(Cat("decide which of ", ours, " and ", theirs, " keeps ", address,
                      ": peers say which of the two they reach"))
              .Do("give the other one an address of its own");
    if (managed && !both) fix = std::move(fix).Caution(DefaultRouteGoes(other));
  }
  return std::move(fix).CheckBy(Cat("ip -brief address show to ", address));
}

}  // namespace rdmaready

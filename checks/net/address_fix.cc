// SPDX-License-Identifier: Apache-2.0
#include "checks/net/address_fix.h"

#include <algorithm>

#include "checks/setting/network_owner.h"
#include "checks/setting/owner.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kAdd = "ip address add ADDRESS dev {netdev}";
constexpr std::string_view kMeaning = "ADDRESS: this host's in the storage network, like 10.0.0.1/24";
constexpr std::string_view kShow = "ip -brief address show dev {netdev}";

}  // namespace

Fix AddressFix() {
  return Fix(kAdd)
      .Caution("the command holds until the next boot")
      .Do(kMeaning)
      .Do("for good: in the network configuration")
      .CheckBy(kShow);
}

Fix AddressFix(const PortView& view) {
  const SettingOwner owner =
      view.port.netdev ? AddressOwner(view.host, view.port.netdev->name) : SettingOwner();
  if (owner.empty()) return AddressFix();
  return Fix(WithOwner(Fix(kAdd).Do(kMeaning).CheckBy(kShow).remedy(), owner));
}

std::string MoveAddress(const IpAddress& ip, const std::string& from, const std::string& to) {
  const std::string address = Cat(ShellWord(ip.address), "/", unsigned{ip.prefix_length});
  return Cat("ip address del ", address, " dev ", ShellWord(from), " && ip address add ", address, " dev ",
             ShellWord(to));
}

bool LeadsByDefault(const Facts& host, const std::string& netdev) {
  const Fact<std::vector<std::string>>& routes = host.default_routes;
  if (!routes) return !NotOffered(routes);
  return std::ranges::find(*routes, netdev) != routes->end();
}

std::string DefaultRouteGoes(const std::string& netdev) {
  return Cat("the default route by ", Printable(netdev),
             " can go with the address: run it at the console of the host, and add the route again");
}

}  // namespace rdmaready

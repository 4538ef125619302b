// SPDX-License-Identifier: Apache-2.0
#include "checks/words/interruption.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "checks/setting/consequences.h"
#include "checks/words/addresses.h"
#include "checks/words/words.h"

namespace rdmaready {

std::string CostOfPfc(NetdevRef netdev) {
  const SettingObject object{.kind = SettingKind::kPfc};
  const SettingPlace place{.object = object, .netdev = netdev ? &*netdev : nullptr};
  return CautionOf(
      RowOf(object.kind).disturbs(place, Text(PfcSetting{}), Text(PfcSetting{.enabled = 1U << 3})));
}

std::string CostOfDscpRow(NetdevRef netdev) {
  if (!netdev || !netdev->dcb.app) return {};
  const SettingObject object{.kind = SettingKind::kApp};
  const std::string now = Text(*netdev->dcb.app);
  return CautionOf(RowOf(object.kind).disturbs({.object = object, .netdev = &*netdev}, now, "dscp:26:3"));
}

Fix Bounce(std::string_view netdev_word, std::string_view why) {
  return Fix(Cat("ip link set dev ", netdev_word, " down && ip link set dev ", netdev_word, " up"))
      .Because(why)
      .Caution("the interface loses its IPv6 addresses and static routes: set them again afterwards");
}

Fix Bounce(NetdevRef netdev, std::string_view why) {
  constexpr std::size_t kMostAgain = 4;
  const std::string word = NetdevWord(netdev);
  if (!netdev || !netdev->addresses) return Bounce(word, why);
  std::vector<std::string> lost;
  for (const IpAddress& ip : *netdev->addresses) {
    if (ip.address.find(':') != std::string::npos && !IsLinkLocal(ip.address))
      lost.push_back(Cat(ip.address, "/", ip.prefix_length));
  }
  if (lost.size() > kMostAgain) return Bounce(word, why);
  Fix fix = Fix(Cat("ip link set dev ", word, " down && ip link set dev ", word, " up")).Because(why);
  fix = std::move(fix).Caution(
      lost.empty()
          ? "the interface loses its static routes: set them again afterwards"
          : "the interface loses its IPv6 addresses, and its static routes: set those again afterwards");
  for (const std::string& address : lost)
    fix = std::move(fix).Run(Cat("ip address replace ", ShellWord(address), " dev ", word));
  return fix;
}

}  // namespace rdmaready

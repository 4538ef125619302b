// SPDX-License-Identifier: Apache-2.0
#include "checks/words/interruption.h"

#include <string>

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
  std::string lost;
  if (netdev && netdev->addresses) {
    for (const IpAddress& ip : *netdev->addresses) {
      if (ip.address.find(':') != std::string::npos && !IsLinkLocal(ip.address))
        lost += Cat(lost.empty() ? "" : ", ", ip.address, "/", ip.prefix_length);
    }
  }
  const std::string word = NetdevWord(netdev);
  if (lost.empty()) return Bounce(word, why);
  return Fix(Cat("ip link set dev ", word, " down && ip link set dev ", word, " up"))
      .Because(why)
      .Caution(Cat("the interface loses its static routes and ", lost,
                   ": set again afterwards what no program sets by itself"));
}

}  // namespace rdmaready

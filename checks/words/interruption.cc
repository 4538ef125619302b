// SPDX-License-Identifier: Apache-2.0
#include "checks/words/interruption.h"

#include "checks/setting/consequences.h"
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

}  // namespace rdmaready

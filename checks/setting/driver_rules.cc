// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/driver_rules.h"

#include <algorithm>
#include <cstddef>

#include "checks/dcb/dcb_driver.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {

bool HasDriver(const Netdev* netdev, std::string_view driver) {
  return netdev != nullptr && netdev->driver == driver;
}

bool PauseFollowsLink(const Netdev* netdev) {
  return HasDriver(netdev, "ice") || HasDriver(netdev, "i40e") || HasDriver(netdev, "hns3");
}

bool DeletesRowsFirst(const Netdev* netdev) {
  return netdev != nullptr && (DcbDriverOf(*netdev) == DcbDriver::kIce || HasDriver(netdev, "bnxt_en"));
}

bool ReplacesRows(const Netdev* netdev) { return HasDriver(netdev, "mlx5_core") || HasDriver(netdev, "hns3"); }

bool FirmwareHasDcb(const Netdev& netdev, SettingKind kind) {
  if (kind == SettingKind::kDcbx) return false;
  const bool managed = netdev.dcb.dcbx && netdev.dcb.dcbx->lld_managed;
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kIce:
      return managed || FirmwareLldpAgentOn(netdev);
    case DcbDriver::kBnxt:
    case DcbDriver::kI40e:
      return managed;
    case DcbDriver::kCxgb4:  // which takes rows beside those of its firmware (cxgb4_ieee_setapp)
      return managed && (kind == SettingKind::kEts || kind == SettingKind::kPfc);
    case DcbDriver::kMlx5:
    case DcbDriver::kMlx4:
    case DcbDriver::kQede:
    case DcbDriver::kHns3:
    case DcbDriver::kIxgbe:
    case DcbDriver::kPlain:
    case DcbDriver::kOther:
      return false;
  }
  return false;
}

std::string AgentOffCommand(const Netdev& netdev) {
  const std::string command = Cat("ethtool --set-priv-flags ", ShellWord(netdev.name), " ");
  if (FirmwareLldpAgentOn(netdev)) return Cat(command, kFirmwareLldpFlag, " off");
  if (DcbDriverOf(netdev) != DcbDriver::kI40e || !netdev.link.private_flags) return {};
  const auto flag = std::ranges::find(*netdev.link.private_flags, kNoFirmwareLldpFlag, &PrivateFlag::name);
  if (flag == netdev.link.private_flags->end() || flag->on) return {};
  return Cat(command, kNoFirmwareLldpFlag, " on");
}

bool PfcEndsPause(const Netdev& netdev) { return DcbDriverOf(netdev) == DcbDriver::kMlx4; }

bool AlwaysWilling(const Netdev& netdev) {
  const DcbDriver driver = DcbDriverOf(netdev);
  return driver == DcbDriver::kHns3 || driver == DcbDriver::kCxgb4;
}

std::array<std::uint8_t, kPriorities> SharesToWrite(const EtsSetting& setting) {
  std::array<std::uint8_t, kPriorities> shares{};
  unsigned given = 0;
  bool any_ets = false;
  std::size_t first_other = kPriorities;
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    const bool used = std::ranges::find(setting.prio_tc, tc) != setting.prio_tc.end();
    if (setting.tsa[tc] == Tsa::kEts) {
      shares[tc] = setting.tx_percent[tc];
      any_ets = any_ets || used;
      if (used) given += shares[tc];
    } else if (used && first_other == kPriorities) {
      first_other = tc;
    }
  }
  if (first_other < kPriorities && any_ets && given < 100)
    shares[first_other] = static_cast<std::uint8_t>(100 - given);
  return shares;
}

bool HasDscpRow(std::string_view app) {
  return app.starts_with("dscp:") || app.find(" dscp:") != std::string_view::npos;
}

}  // namespace rdmaready

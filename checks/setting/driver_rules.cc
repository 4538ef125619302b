// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/driver_rules.h"

#include "checks/dcb/dcb_driver.h"

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

bool ReplacesRows(const Netdev* netdev) { return HasDriver(netdev, "mlx5_core"); }

bool FirmwareHasDcb(const Netdev& netdev) {
  const DcbDriver driver = DcbDriverOf(netdev);
  const bool managed = netdev.dcb.dcbx && netdev.dcb.dcbx->lld_managed;
  if (driver == DcbDriver::kIce) return managed || FirmwareLldpAgentOn(netdev);
  return driver == DcbDriver::kBnxt && managed;
}

bool HasDscpRow(std::string_view app) {
  return app.starts_with("dscp:") || app.find(" dscp:") != std::string_view::npos;
}

}  // namespace rdmaready

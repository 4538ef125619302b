// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/ets_plan.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/driver_writes.h"
#include "checks/setting/edit.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

unsigned SumOfEts(const EtsSetting& to, std::size_t classes) {
  unsigned sum = 0;
  for (std::size_t tc = 0; tc < classes; ++tc) {
    if (to.tsa[tc] == Tsa::kEts) sum += to.tx_percent[tc];
  }
  return sum;
}

bool HasTsa(const EtsSetting& to, Tsa tsa) { return std::ranges::find(to.tsa, tsa) != to.tsa.end(); }

std::size_t HighestClass(const EtsSetting& to) { return std::ranges::max(to.prio_tc); }

// mlx5e_dbcnl_validate_ets, mlx4_en_ets_validate, and dcbnic_check_ets of the virtual fabric.
std::string CheckWholeEts(const EtsSetting& to) {
  if (HasTsa(to, Tsa::kCbShaper)) return "the driver has no credit-based shaper";
  if (HasTsa(to, Tsa::kEts) && SumOfEts(to, kPriorities) != 100)
    return "the shares of its ETS classes must sum to 100 %";
  return {};
}

// mlx5e_dcbnl_ieee_getets, bnxt_dcbnl_ieee_getets, mlx4_en_dcbnl_ieee_getets.
std::string NotWilling(const EtsSetting& to, std::string_view driver) {
  return to.willing ? Cat(driver, " does not keep that it is willing") : "";
}

// The highest class in use and those above it are not looked at (bnxt_ets_validate).
std::string CheckBnxtEts(const EtsSetting& to) {
  const std::size_t highest = HighestClass(to);
  bool zero = false;
  for (std::size_t tc = 0; tc < highest; ++tc) {
    if (to.tsa[tc] != Tsa::kStrict && to.tsa[tc] != Tsa::kEts) return "bnxt_en has strict and ETS classes only";
    zero = zero || (to.tsa[tc] == Tsa::kEts && to.tx_percent[tc] == 0);
  }
  const unsigned sum = SumOfEts(to, highest);
  if (sum > 100) return "bnxt_en: the shares of its classes exceed 100 %";
  if (zero && sum == 100) return "bnxt_en: a class would starve";
  return NotWilling(to, "bnxt_en");
}

// hclge_ets_sch_mode_validate, hclge_tm_info_to_ieee_ets.
std::string CheckHns3Ets(const EtsSetting& to) {
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (to.tsa[tc] == Tsa::kStrict) continue;
    if (to.tsa[tc] != Tsa::kEts) return "hns3 has strict and ETS classes only";
    if (tc > HighestClass(to)) return "hns3 takes no ETS class above the highest in use";
    if (to.tx_percent[tc] == 0) return "hns3 takes no ETS class without a share";
  }
  if (HasTsa(to, Tsa::kEts) && SumOfEts(to, kPriorities) != 100)
    return "hns3: the shares of its ETS classes must sum to 100 %";
  return to.willing ? "" : "hns3 always says that it is willing";
}

// The number of classes in use; nothing where they are not numbered from 0 without gaps (ice_dcb_get_num_tc,
// i40e_dcb_get_num_tc).
std::optional<std::size_t> ContiguousClasses(const EtsSetting& to) {
  unsigned used = 0;
  for (const std::uint8_t tc : to.prio_tc) used |= 1U << tc;
  if ((used & (used + 1)) != 0) return std::nullopt;
  return static_cast<std::size_t>(std::popcount(used));
}

// A class that must read 100 % does so where it is not ETS, or was written so.
bool MayReadWhole(const EtsSetting& to, std::size_t tc) {
  return to.tsa[tc] != Tsa::kEts || to.tx_percent[tc] == 100;
}

// With a gap ice_pf_dcb_recfg goes back to the first settings (ice_dcb_noncontig_cfg). The shares are those of
// ice_dcb_bwchk, which looks at no algorithm: several strict classes without an ETS class are taken.
std::string CheckIceEts(const Netdev& netdev, const EtsSetting& to) {
  if (ClassMapIsFixed(netdev) && to.prio_tc != netdev.dcb.ets->prio_tc)
    return "ice with DSCP rows has a fixed map of priorities to classes";
  const std::optional<std::size_t> classes = ContiguousClasses(to);
  if (!classes) return "ice goes back to its first settings where the numbers of its classes leave a gap";
  if (*classes == 1) return MayReadWhole(to, 0) ? "" : "ice gives a single class all bandwidth";
  const std::array<std::uint8_t, kPriorities> shares = SharesToWrite(to);
  unsigned sum = 0;
  for (std::size_t tc = 0; tc < *classes; ++tc) sum += shares[tc];
  if (sum == 0)
    return MayReadWhole(to, 0) ? "" : "ice gives its first class all bandwidth where no class has a share";
  return sum == 100 ? "" : "ice: the shares of the classes in use must sum to 100 %";
}

// i40e_hw_dcb_config: of the classes in use.
std::string CheckI40eEts(const EtsSetting& to) {
  const std::size_t classes = ContiguousClasses(to).value_or(1);
  for (std::size_t tc = 0; tc < classes; ++tc) {
    if (to.tsa[tc] != Tsa::kStrict && to.tsa[tc] != Tsa::kEts) return "i40e has strict and ETS classes only";
  }
  return {};
}

std::string CheckEts(const Netdev& netdev, const EtsSetting& to) {
  std::string why;
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kMlx5:
      why = CheckWholeEts(to);
      return why.empty() ? NotWilling(to, "mlx5") : why;
    case DcbDriver::kMlx4:
      why = CheckWholeEts(to);
      return why.empty() ? NotWilling(to, "mlx4") : why;
    case DcbDriver::kPlain:
      return CheckWholeEts(to);
    case DcbDriver::kBnxt:
      return CheckBnxtEts(to);
    case DcbDriver::kIce:
      return CheckIceEts(netdev, to);
    case DcbDriver::kHns3:
      return CheckHns3Ets(to);
    case DcbDriver::kI40e:
      return CheckI40eEts(to);
    case DcbDriver::kCxgb4:
      return "cxgb4 has its classes from its firmware, and no setter for them";
    case DcbDriver::kIxgbe:
      return NotWilling(to, "ixgbe");
    case DcbDriver::kQede:
    case DcbDriver::kOther:
      return {};
  }
  return {};
}

// The shares that the driver stores, by class: 100 of each that is not ETS (mlx5e_build_tc_tx_bw), or 0
// (hclge_ieee_ets_to_tm_info), or what was written.
std::array<std::uint8_t, kPriorities> StoredShares(const Netdev& netdev, const EtsSetting& to) {
  std::array<std::uint8_t, kPriorities> shares = SharesToWrite(to);
  const DcbDriver driver = DcbDriverOf(netdev);
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (to.tsa[tc] == Tsa::kEts) continue;
    if (driver == DcbDriver::kMlx5) shares[tc] = 100;
    if (driver == DcbDriver::kHns3) shares[tc] = 0;
  }
  const bool none = std::ranges::all_of(shares, [](std::uint8_t share) { return share == 0; });
  if (driver == DcbDriver::kIce && (none || HighestClass(to) == 0)) shares[0] = 100;
  return shares;
}

}  // namespace

bool NeverWritten(const Ets& ets) {
  return SettingOf(ets) == EtsSetting{.willing = ets.willing} &&
         std::ranges::all_of(ets.tx_percent, [](std::uint8_t share) { return share == 0; });
}

EtsSetting IceFirstEts() {
  EtsSetting first{.willing = true};
  first.tsa[0] = Tsa::kEts;
  first.tx_percent[0] = 100;
  return first;
}

void StoreEts(Netdev& netdev, const EtsSetting& setting) {
  EditFact(netdev.dcb.ets, [&setting](Ets& ets) {
    ets.willing = setting.willing;
    ets.tsa = setting.tsa;
    ets.tx_percent = setting.tx_percent;
    ets.prio_tc = setting.prio_tc;
  });
}

std::string WriteEts(Netdev& netdev, const EtsSetting& to) {
  if (HighestClass(to) >= ClassCount(*netdev.dcb.ets)) return "the NIC has no such class";
  if (std::string why = CheckEts(netdev, to); !why.empty()) return why;
  EtsSetting stored = to;
  stored.tx_percent = StoredShares(netdev, to);
  StoreEts(netdev, stored);
  return {};
}

}  // namespace rdmaready

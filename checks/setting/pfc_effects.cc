// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>

#include "checks/dcb/dcb_driver.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/driver_writes.h"
#include "checks/setting/edit.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string BnxtPfcRefusal(const Netdev& netdev, const PfcSetting& to) {
  if (!netdev.dcb.ets || NeverWritten(*netdev.dcb.ets))
    return "bnxt_en takes no PFC before its classes are set";
  unsigned classes = 0;
  for (const std::uint8_t priority : PrioritiesOf(to.enabled))
    classes |= 1U << netdev.dcb.ets->prio_tc[priority];
  const unsigned can = netdev.dcb.pfc->capability;
  return can != 0 && static_cast<unsigned>(std::popcount(classes)) > can
             ? Cat("bnxt_en has ", can, " lossless queues")
             : "";
}

// Why the driver would not store the delay; empty: it does. `now` is the one that reads.
std::string DelayRefusal(DcbDriver driver, std::uint16_t now, std::uint16_t to) {
  constexpr std::uint16_t kMetresBelow = 1000;  // MLX5E_MAX_CABLE_LENGTH
  if (to == now) return {};
  switch (driver) {
    case DcbDriver::kMlx5:
      return to == 0 || to >= kMetresBelow ? "mlx5 takes a cable of 1 to 999 m" : "";
    case DcbDriver::kIce:
      return "ice has a delay of its own";
    case DcbDriver::kI40e:
      return "i40e has a delay of its own";
    case DcbDriver::kMlx4:
      return "mlx4 keeps no delay";
    case DcbDriver::kHns3:
      return "hns3 keeps no delay";
    case DcbDriver::kQede:
      return "qede keeps no delay";
    case DcbDriver::kBnxt:
    case DcbDriver::kCxgb4:
    case DcbDriver::kIxgbe:
    case DcbDriver::kPlain:
    case DcbDriver::kOther:
      return {};
  }
  return {};
}

std::string RefusalOfPfc(const Netdev& netdev, const PfcSetting& to) {
  const DcbDriver driver = DcbDriverOf(netdev);
  if (driver == DcbDriver::kCxgb4) return "cxgb4 has PFC from its firmware, and no setter for it";
  if (driver == DcbDriver::kBnxt) {
    if (std::string why = BnxtPfcRefusal(netdev, to); !why.empty()) return why;
  }
  // It would read a map that is not there.
  if (driver == DcbDriver::kIxgbe && netdev.dcb.ets && NeverWritten(*netdev.dcb.ets))
    return "ixgbe takes no PFC before its classes are set";
  return DelayRefusal(driver, netdev.dcb.pfc->delay, to.delay);
}

// Until software has set the buffers, mlx5's firmware lays them out, and does so again when PFC changes
// (mlx5e_dcbnl_ieee_setpfc). dcbnl does not show who has them: only a reading tells their sizes afterwards.
void ForgetBuffers(Netdev& netdev) {
  const Missing why{.kind = Missing::Kind::kNotCollected, .detail = std::string(kBuffersAfterPfc)};
  if (netdev.dcb.buffer) netdev.dcb.buffer = why;
  if (netdev.dcb.thresholds) netdev.dcb.thresholds = why;
}

// Pause of the whole link reads off while PFC is on. mlx4 clears it for good (mlx4_en_dcbnl_ieee_setpfc). It
// comes back with the end of PFC in hns3 (hclge_update_fc_mode), ice (ice_get_pauseparam) and i40e
// (i40e_get_pauseparam).
bool ReplacesPause(DcbDriver driver) {
  return driver == DcbDriver::kMlx4 || driver == DcbDriver::kHns3 || driver == DcbDriver::kIce ||
         driver == DcbDriver::kI40e;
}

// The first PFC of an ice that was never given classes sends its empty desired settings along
// (ice_dcbnl_setpfc): its classes are strict then, and it is not willing.
void SendIceDesired(Netdev& netdev) {
  if (!netdev.dcb.ets) return;
  const EtsSetting first = IceFirstEts();
  const Ets& now = *netdev.dcb.ets;
  if (!now.willing || now.tsa != first.tsa || now.tx_percent != first.tx_percent ||
      now.prio_tc != first.prio_tc)
    return;
  EtsSetting empty;
  empty.tx_percent[0] = 100;
  StoreEts(netdev, empty);
}

}  // namespace

std::string WritePfc(Netdev& netdev, const PfcSetting& to) {
  if (std::string why = RefusalOfPfc(netdev, to); !why.empty()) return why;
  const DcbDriver driver = DcbDriverOf(netdev);
  const bool changes = to.enabled != netdev.dcb.pfc->enabled;
  if (driver == DcbDriver::kMlx5 && changes) ForgetBuffers(netdev);
  if (driver == DcbDriver::kIce) SendIceDesired(netdev);
  if (ReplacesPause(driver) && to.enabled != 0)
    EditFact(netdev.pause, [](Pause& pause) { pause.rx = pause.tx = false; });
  EditFact(netdev.dcb.pfc, [&to](Pfc& pfc) {
    pfc.enabled = to.enabled;
    pfc.delay = to.delay;
  });
  return {};
}

std::string WriteMaxRate(Netdev& netdev, const MaxRatesKbps& to) {
  constexpr std::uint64_t kStepKbps = 100'000;
  constexpr std::uint64_t kLargeStepKbps = 1'000'000;
  constexpr std::uint64_t kMostSteps = 255;
  const DcbDriver driver = DcbDriverOf(netdev);
  for (const std::uint64_t kbps : to) {
    if (driver == DcbDriver::kMlx4 && kbps % kStepKbps != 0) return "mlx4 limits in steps of 100 Mb/s";
    if (driver != DcbDriver::kMlx5) continue;
    if (kbps > kMostSteps * kLargeStepKbps) return "mlx5 limits to 255 Gb/s at most";
    const std::uint64_t step = kbps <= kMostSteps * kStepKbps ? kStepKbps : kLargeStepKbps;
    if (kbps % step != 0) return "mlx5 limits in steps of 100 Mb/s, or of 1 Gb/s";
  }
  netdev.dcb.max_rate_kbps = to;
  return {};
}

}  // namespace rdmaready

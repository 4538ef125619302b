// SPDX-License-Identifier: Apache-2.0
// Drivers whose answer about PFC and ETS is a record of their own, and not what the NIC does.
//
// bnxt_en (bnxt_dcbnl_ieee_getpfc and _getets of Linux 6.12) keeps a copy of either. While the host runs DCBX
// it is made by the first setting, and until then the answer is zeros, whatever NVM or Broadcom's tools have
// set. While firmware does, it is made by the first reader and lasts until the driver is loaded again.
#include <algorithm>

#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

const Missing& NeverSet() {
  static const Missing kWhy{
      .kind = Missing::Kind::kUnsupported,
      .detail =
          "bnxt_en tells what dcbnl set since it was loaded, and that is nothing: what NVM or "
          "Broadcom's tools set is not shown"};
  return kWhy;
}

const Missing& FirstRead() {
  static const Missing kWhy{
      .kind = Missing::Kind::kUnsupported,
      .detail =
          "firmware runs DCBX, and bnxt_en tells what was first read since it was loaded: what "
          "the switch changed since is not shown"};
  return kWhy;
}

bool IsUnset(const Pfc& pfc) { return pfc.enabled == 0; }
bool IsUnset(const Ets& ets) {
  const auto zero = [](std::uint8_t value) { return value == 0; };
  return std::ranges::all_of(ets.prio_tc, zero) && std::ranges::all_of(ets.tx_percent, zero) &&
         std::ranges::all_of(ets.tsa, [](Tsa tsa) { return tsa == Tsa::kStrict; });
}

template <class T>
FactRef<T> Believed(NetdevRef netdev, Fact<T> Dcb::*part) {
  if (!netdev) return FactRef<T>(netdev.missing());
  const Fact<T>& told = netdev->dcb.*part;
  if (!told || netdev->driver != "bnxt_en") return told;
  const Fact<Dcbx>& dcbx = netdev->dcb.dcbx;
  if (!dcbx) return FactRef<T>(dcbx.missing());
  if (!dcbx->host) return FactRef<T>(FirstRead());
  if (IsUnset(*told)) return FactRef<T>(NeverSet());
  return told;
}

}  // namespace

FactRef<Pfc> DcbFact(NetdevRef netdev, Fact<Pfc> Dcb::*part) { return Believed(netdev, part); }
FactRef<Ets> DcbFact(NetdevRef netdev, Fact<Ets> Dcb::*part) { return Believed(netdev, part); }

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
// What is wanted of an Ethernet port: pause, DCBX, classes, lossless priorities, buffers, rates.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/ets_view.h"
#include "checks/dcb/max_rate.h"
#include "checks/dcb/pause.h"
#include "checks/dcb/pfc.h"
#include "checks/dcb/trust.h"
#include "checks/plan/wish.h"
#include "checks/plan/wish_words.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/owner.h"

namespace rdmaready {
namespace {

Wishes PauseWishes(const EthernetView& view, const Faults& faults) {
  const FactRef<Pause> now = NetdevFact(view.netdev, &Netdev::pause);
  // Most NICs cannot have both: a program that sets link-level pause again switches PFC off again.
  const bool replaced = view.netdev && PfcEndsPause(*view.netdev);
  const bool before_pfc = faults.Has("pfc.lossless-priority") && now && (now->rx || now->tx) &&
                          (replaced || !OwnerOf(view.host, ObjectOf(view, SettingKind::kPause)).empty());
  // pause.none asks for PFC: that is its own setting.
  if (!faults.Has("pause.off-with-pfc") && !faults.Has("pause.autoneg") && !faults.Has("pause.stops-all") &&
      !before_pfc)
    return {};
  if (!now) return {WithoutFact(view, SettingKind::kPause, now, "link-level pause")};
  Wish wish = Wanted(ObjectOf(view, SettingKind::kPause), Text(PauseOff(view.netdev, *now)));
  if (before_pfc) return {std::move(wish)};
  return {About(std::move(wish), {"pause.off-with-pfc", "pause.autoneg", "pause.stops-all"})};
}

Wishes PrivateFlagWishes(const EthernetView& view, const Faults& faults) {
  if (view.profile.dcbx != Profile::Dcbx::kStatic || !faults.Any()) return {};
  if (!view.netdev || !FirmwareLldpAgentOn(*view.netdev)) return {};
  return {Wanted(ObjectOf(view, SettingKind::kPrivateFlag, std::string(kFirmwareLldpFlag)), "off")};
}

Wishes DcbxWishes(const EthernetView& view, const Faults& faults) {
  const Fault* fault = faults.Find("dcbx.mode");
  if (fault == nullptr) return {};
  const FactRef<Dcbx> now = DcbFact(view.netdev, &Dcb::dcbx);
  if (!now) return {WithoutFact(view, SettingKind::kDcbx, now, "DCBX mode")};
  const std::string wanted = Text(Dcbx{.host = true, .ieee = true});
  const SettingObject object = ObjectOf(view, SettingKind::kDcbx);
  if (view.netdev->driver == "qede")
    return {Refused(object, wanted, "qede leaves DCBX to its firmware", fault->fix)};
  return {Wanted(object, wanted)};
}

// By what else than its own checks classes must be set.
std::optional<EtsPlan> WantedClasses(const EthernetView& view, const Faults& faults, const Ets& now) {
  if (EtsNotApplicable(view).empty() && faults.HasPrefix("ets.")) return WantedEts(view, now);
  return ClassesBeforePfc(view);
}

// What of the profile's classes the NIC cannot have; empty: it can.
std::string ClassesRefusal(const EthernetView& view, const Faults& faults, const Ets& now) {
  if (EtsNotApplicable(view).empty() && ClassCount(now) < NeededClasses(view.profile))
    return Cat("the NIC has ", CountText(ClassCount(now), "class"), ", the profile needs ",
               NeededClasses(view.profile));
  const bool fixed = ClassMapIsFixed(*view.netdev) && !view.profile.ets_classes.empty();
  const bool differs = PlanClasses(view.profile, true).prio_tc != now.prio_tc;
  if (fixed && differs && faults.Has("ets.classes"))
    return "ice with DSCP rows has a class for each priority, and takes no other map";
  return {};
}

Wishes EtsWishes(const EthernetView& view, const Faults& faults) {
  const bool not_willing = faults.IsWrong("dcbx.willing");
  const FactRef<Ets> now = ToldByDriver(view.netdev, &Dcb::ets);
  if (!now) {
    const bool asked = faults.HasPrefix("ets.") || faults.Has("dcbx.willing");
    return asked ? Wishes{WithoutFact(view, SettingKind::kEts, now, "ETS")} : Wishes{};
  }
  Wishes wishes;
  EtsSetting wanted = SettingOf(*now);
  const SettingObject object = ObjectOf(view, SettingKind::kEts);
  const std::string refusal = ClassesRefusal(view, faults, *now);
  if (!refusal.empty()) wishes.push_back(Refused(object, "the classes of the profile", refusal));
  if (not_willing && !AlwaysWilling(*view.netdev)) wanted.willing = false;
  const std::optional<EtsPlan> classes = WantedClasses(view, faults, *now);
  if (classes && ClassCount(*now) >= NeededClasses(view.profile)) {
    wanted.tsa = classes->tsa;
    wanted.tx_percent = classes->tx_percent;
    wanted.prio_tc = classes->prio_tc;
  }
  if (!(wanted == SettingOf(*now))) wishes.push_back(Wanted(object, Text(wanted)));
  return wishes;
}

// What the profile asks of PFC and cannot be had; empty: it can.
std::string PfcRefusal(const EthernetView& view, const Pfc& now, std::uint8_t wanted) {
  const Profile& profile = view.profile;
  if (profile.heartbeat && (unsigned{wanted} >> profile.heartbeat->priority & 1U) != 0)
    return Cat("profile ", profile.name, " contradicts itself: priority ", profile.heartbeat->priority,
               " is the heartbeat's and lossless");
  const int needed = std::popcount(unsigned{wanted});
  const int can = now.capability;
  if (can != 0 && can < needed && std::popcount(unsigned{now.enabled}) < needed)
    return Cat("the NIC can pause ", can, can == 1 ? " priority" : " priorities", ", the profile has ", needed,
               " lossless ones");
  return {};
}

Wishes PfcWishes(const EthernetView& view, const Faults& faults) {
  if (!view.profile.pfc) return {};
  const std::optional<std::uint16_t> delay = RoomWishOf(view).delay;
  if (!faults.HasPrefix("pfc.") && !delay) return {};
  const FactRef<Pfc> now = ToldByDriver(view.netdev, &Dcb::pfc);
  if (!now) return {WithoutFact(view, SettingKind::kPfc, now, "PFC")};
  PfcSetting wanted{.enabled = WantedPfc(view.profile), .delay = delay.value_or(now->delay)};
  const SettingObject object = ObjectOf(view, SettingKind::kPfc);
  if (std::string why = PfcRefusal(view, *now, wanted.enabled); !why.empty())
    return {Refused(object, Text(wanted), why, Cat("rdmaready profile show ", ShellWord(view.profile.name)))};
  return {Wanted(object, Text(wanted))};
}

Wishes BufferWishes(const EthernetView& view, const Faults& faults) {
  const Fault* fault = faults.Find("pfc.headroom");
  if (fault == nullptr) return {};
  const FactRef<PortBuffer> now = DcbFact(view.netdev, &Dcb::buffer);
  const SettingObject object = ObjectOf(view, SettingKind::kBuffer);
  if (!now && now.missing().detail == kBuffersAfterPfc)
    return {{.object = object,
             .value = "room for what a pause finds on its way, if the firmware leaves less",
             .needs = Cat("another plan after PFC is set: ", kBuffersAfterPfc)}};
  if (!now) return {WithoutFact(view, SettingKind::kBuffer, now, "port buffer")};
  const RoomWish room = RoomWishOf(view);
  if (room.buffer) return {Wanted(object, Text(*room.buffer))};
  if (room.delay) return {};
  if (fault->outcome == Outcome::kUnknown)
    return {Unknown(object, Cat("the port buffer of ", view.netdev->name, ": ", fault->observed))};
  return {Refused(object, "a threshold with room for what a pause finds on its way",
                  "the driver reckons the threshold, and only when PFC, the cable or the buffers are set",
                  fault->fix)};
}

Wishes MaxRateWishes(const EthernetView& view, const Faults& faults) {
  const Fault* fault = faults.Find("ets.maxrate");
  if (fault == nullptr) return {};
  const FactRef<MaxRatesKbps> now = DcbFact(view.netdev, &Dcb::max_rate_kbps);
  if (!now) return {WithoutFact(view, SettingKind::kMaxRate, now, "maximum rate")};
  const std::optional<MaxRatesKbps> wanted = WantedMaxRates(view, *now);
  const SettingObject object = ObjectOf(view, SettingKind::kMaxRate);
  if (!wanted) return {Unknown(object, Cat("the classes of ", view.netdev->name, ": ", fault->observed))};
  return {Wanted(object, Text(*wanted))};
}

Wishes TrustWishes(const EthernetView& view, const Faults& faults) {
  if (!faults.Any() || !view.netdev) return {};
  const Fact<std::vector<AppSelector>>& now = view.netdev->dcb.app_trust;
  // Without a table the rows decide, or nobody knows: that is told with them.
  if (!now) return {};
  return {Wanted(ObjectOf(view, SettingKind::kTrust), Text(WantedTrustOrder(view.profile)))};
}

}  // namespace

std::vector<Stage> DcbStages() {
  return {
      {SettingKind::kPause, PauseWishes},   {SettingKind::kPrivateFlag, PrivateFlagWishes},
      {SettingKind::kDcbx, DcbxWishes},     {SettingKind::kTrust, TrustWishes},
      {SettingKind::kEts, EtsWishes},       {SettingKind::kPfc, PfcWishes},
      {SettingKind::kBuffer, BufferWishes}, {SettingKind::kMaxRate, MaxRateWishes},
  };
}

}  // namespace rdmaready

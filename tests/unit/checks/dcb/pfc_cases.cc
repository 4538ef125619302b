// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// Without PFC.
Facts OfDriver(const char* driver) {
  return WithNetdev([driver](Netdev& netdev) {
    netdev.driver = driver;
    netdev.dcb.pfc = Pfc{.capability = 8};
  });
}

// bnxt_en before anybody set by dcbnl.
Facts NothingSet() {
  return On("bnxt_en", [](Netdev& netdev) {
    netdev.dcb.pfc = Pfc{.capability = 8};
    netdev.dcb.ets = Ets{.traffic_classes = 8};
  });
}

// bnxt_en with a record of its own, which is old.
Facts FirstRead() {
  return On("bnxt_en", [](Netdev& netdev) {
    netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true};
    Pfc pfc = *netdev.dcb.pfc;
    pfc.pauses_received[5] = 4120;
    netdev.dcb.pfc = pfc;
  });
}

template <class Change>
Facts WithPfcState(Change change) {
  return WithDcb([&change](Dcb& dcb) {
    Pfc pfc = *dcb.pfc;
    change(pfc);
    dcb.pfc = pfc;
  });
}

Facts PfcDenied() {
  return WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); });
}

Profile PfcWithHeartbeat() {
  return Asking([](Profile& profile) { profile.heartbeat = Profile::Heartbeat{.priority = 7}; });
}

Profile PfcSilent() {
  return Asking([](Profile& profile) { profile.pfc.reset(); });
}

std::vector<CheckCase> PfcDcbRows() {
  return {
      Passes("pfc.lossless-priority", "good", GoodHost(), "PFC on 3"),
      Fails("pfc.lossless-priority", "moved to 4", WithPfc(1U << 4), "PFC on 4",
            {.fix = "dcb pfc set dev dcb0 prio-pfc all:off 3:on"}),
      Fails("pfc.lossless-priority", "off", WithPfc(0), "PFC off",
            {.fix = "dcb pfc set dev dcb0 prio-pfc all:off 3:on"}),
      Fails("pfc.lossless-priority", "off, of a driver that toggles the link", OfDriver("mlx5_core"), "PFC off",
            {.fix = "prio-pfc all:off 3:on  # the link goes down for a moment"}),
      Fails("pfc.lossless-priority", "off, of a driver that stops its queues", OfDriver("ice"), "PFC off",
            {.fix = "prio-pfc all:off 3:on  # the driver stops the port for a moment"}),
      Passes("pfc.lossless-priority", "bnxt, as the host set it", On("bnxt_en", [](Netdev&) {}), "PFC on 3"),
      IsUnknown("pfc.lossless-priority", "bnxt, nothing set by the host", OfDriver("bnxt_en"),
                "what NVM or Broadcom's tools set is not shown",
                {.fix = "dcb pfc set dev dcb0 prio-pfc all:off 3:on"}),
      IsUnknown("pfc.lossless-priority", "bnxt, neither classes", NothingSet(), "is not shown",
                {.fix = "prio-tc all:0 3:3; dcb pfc set dev dcb0 prio-pfc all:off 3:on"}),
      IsUnknown("pfc.lossless-priority", "bnxt whose firmware runs DCBX", FirstRead(),
                "what was first read since it was loaded: what the switch changed since is not shown (its "
                "record: PFC on 3; pauses are counted on 5)"),
      IsUnknown("pfc.lossless-priority", "bnxt, who runs DCBX is not known",
                On("bnxt_en", [](Netdev& netdev) { netdev.dcb.dcbx = Denied(); }), "not permitted"),
      IsUnknown("pfc.lossless-priority", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }),
                "not permitted"),
      DoesNotApply("pfc.lossless-priority", "not asked", GoodHost(), "does not ask",
                   {.profile = Without([](Profile& profile) { profile.pfc.reset(); })}),
      Passes("pfc.only-one", "good", GoodHost(), "PFC on 3"),
      Warns("pfc.only-one", "two", WithPfc(0x18), "PFC on 3 and 4", {.fix = "prio-pfc all:off 3:on"}),
      Fails("pfc.only-one", "all eight", WithPfc(0xff), "all eight"),
      DoesNotApply("pfc.only-one", "must be off: see pfc.off-when-lossy", GoodHost(), "does not ask",
                   {.profile = Without([](Profile& profile) { profile.pfc.emplace(); })}),
      IsUnknown("pfc.only-one", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), "not permitted")};
}

std::vector<CheckCase> PfcWhichPrioritiesRows() {
  const auto can = [](std::uint8_t capability, std::uint8_t enabled) {
    return WithPfcState([=](Pfc& pfc) {
      pfc.capability = capability;
      pfc.enabled = enabled;
    });
  };
  const Profile two = Asking([](Profile& profile) { profile.pfc = std::vector<std::uint8_t>{3, 4}; });
  return {
      Passes("pfc.capability", "good", GoodHost(), "up to 8"),
      Fails("pfc.capability", "one of two", can(1, 0), "up to 1",
            {.fix = "dcb pfc show dev dcb0", .profile = two}),
      Passes("pfc.capability", "not filled in, and in use", can(0, 1U << 3), "1 in use"),
      IsUnknown("pfc.capability", "not filled in", can(0, 0), "does not say"),
      IsUnknown("pfc.capability", "denied", PfcDenied(), "not permitted"),
      DoesNotApply("pfc.capability", "not asked", GoodHost(), "does not ask", {.profile = PfcSilent()}),
      Passes("pfc.not-default", "good", GoodHost(), "PFC on 3"),
      Fails("pfc.not-default", "on 0 too", WithPfc(0x09), "PFC on 0 and 3",
            {.fix = "dcb pfc set dev dcb0 prio-pfc all:off 3:on"}),
      IsUnknown("pfc.not-default", "denied", PfcDenied(), "not permitted"),
      DoesNotApply("pfc.not-default", "the profile wants it", WithPfc(0x09), "pauses the default",
                   {.profile = Asking([](Profile& profile) {
                      profile.pfc = std::vector<std::uint8_t>{0, 3};
                    })}),
      Passes("pfc.not-heartbeat", "good", GoodHost(), "PFC on 3", {.profile = PfcWithHeartbeat()}),
      Fails("pfc.not-heartbeat", "on 7 too", WithPfc(0x88), "PFC on 3 and 7",
            {.fix = "dcb pfc set dev dcb0 prio-pfc all:off 3:on", .profile = PfcWithHeartbeat()}),
      IsUnknown("pfc.not-heartbeat", "denied", PfcDenied(), "not permitted", {.profile = PfcWithHeartbeat()}),
      DoesNotApply("pfc.not-heartbeat", "not asked", WithPfc(0x88), "does not ask"),
      Passes("pfc.off-when-lossy", "off", WithPfc(0), "PFC off", {.profile = PfcLossy()}),
      Fails("pfc.off-when-lossy", "on", GoodHost(), "PFC on 3",
            {.fix = "dcb pfc set dev dcb0 prio-pfc all:off", .profile = PfcLossy()}),
      IsUnknown("pfc.off-when-lossy", "denied", PfcDenied(), "not permitted", {.profile = PfcLossy()}),
      DoesNotApply("pfc.off-when-lossy", "not asked", GoodHost(), "does not ask")};
}

}  // namespace

std::vector<CheckCase> PfcCases() { return Joined({PfcDcbRows(), PfcWhichPrioritiesRows()}); }

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/watched_host.h"

namespace rdmaready {
namespace {

Profile PfcCountedLossy() {
  Profile profile = VirtualFabricProfile();
  profile.pfc.emplace();
  return profile;
}

// And dcbnl has counted eight pauses of priority 5.
Facts WithWrongPause(Facts host) {
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  Pfc pfc = *netdev.dcb.pfc;
  pfc.pauses_received[5] = 8;
  netdev.dcb.pfc = pfc;
  ports.front().netdev = netdev;
  host.ports = ports;
  return host;
}

std::vector<CheckCase> PfcCountedPausesRows() {
  std::vector<CheckCase> cases;
  // Of 10 s, in microseconds.
  const auto paused = [](std::uint64_t us) {
    return CountedNic({{NicCounter::kPauseReceivedUs, "rx_prio3_pause_duration", us, 3}});
  };
  const auto frames = [](std::uint8_t priority) {
    return CountedNic({{NicCounter::kPauseReceived, "rx_prio_pause", 12, priority}});
  };
  const Facts neutral = WithWrongPause(CountedNic({}));
  // As of a driver that names its statistics of a priority only while PFC is on for it.
  const Facts both = WithWrongPause(CountedNic({{NicCounter::kPauseReceived, "rx_prio3_pause", 12, 3}}));
  const Facts no_pfc =
      Watched([](Port&, Netdev& netdev, EarlierReading&, NetdevReading&) { netdev.dcb.pfc = Denied(); });
  cases.insert(cases.end(),
               {Passes("pfc.storm-live", "quiet", paused(0), "no priority was paused for 0.0% in 10 s"),
                Passes("pfc.storm-live", "seldom", paused(90'000), "priority 3 was paused for 0.9%"),
                Warns("pfc.storm-live", "often", paused(420'000), "priority 3 was paused for 4.2% in 10 s"),
                Fails("pfc.storm-live", "a storm", paused(4'000'000), "priority 3 was paused for 40.0%"),
                IsUnknown("pfc.storm-live", "denied", EarlierDenied(paused(0)), "not permitted"),
                DoesNotApply("pfc.storm-live", "not counted", frames(3), "does not count"),
                DoesNotApply("pfc.storm-live", "not watched", GoodHost(), "not watched"),
                Passes("pfc.wrong-prio", "none", CountedNic({}), "none on other priorities in 10 s"),
                Passes("pfc.wrong-prio", "the right one", frames(3), "none on other priorities"),
                Fails("pfc.wrong-prio", "another", frames(4), "pauses: 12 on priority 4 in 10 s",
                      {.fix = "dcb -s pfc show dev dcb0"}),
                Fails("pfc.wrong-prio", "another, by dcbnl", neutral, "8 on priority 5"),
                Fails("pfc.wrong-prio", "another, by dcbnl alone", both, "pauses: 8 on priority 5"),
                IsUnknown("pfc.wrong-prio", "denied", no_pfc, "not permitted"),
                DoesNotApply("pfc.wrong-prio", "not watched", GoodHost(), "not watched")});
  const auto lost = [](std::uint64_t drops, std::uint64_t pauses, std::optional<std::uint8_t> of = 3) {
    return CountedNic({{NicCounter::kDropReceived, "rx_prio3_discards", drops, 3},
                       {NicCounter::kPauseSent, "tx_prio3_pause", pauses, of}});
  };
  const auto drops_of_4 = CountedNic({{NicCounter::kDropReceived, "rx_prio4_discards", 9, 4},
                                      {NicCounter::kPauseSent, "tx_prio4_pause", 0, 4}});
  const auto none_counted = CountedNic({{NicCounter::kDropReceived, "rx_prio3_discards", 9, 3}});
  cases.insert(cases.end(),
               {Passes("pfc.seen-under-load", "nothing lost", lost(0, 0),
                       "priority 3: 0 frames lost, 0 pauses sent in 10 s"),
                Passes("pfc.seen-under-load", "too late", lost(4, 9), "4 frames lost, 9 pauses sent"),
                Fails("pfc.seen-under-load", "silent", lost(1, 0), "1 frame lost, 0 pauses sent in 10 s",
                      {.fix = "dcb buffer show dev dcb0"}),
                Fails("pfc.seen-under-load", "silent, all together", lost(4, 0, {}), "4 frames lost, 0 pauses"),
                DoesNotApply("pfc.seen-under-load", "another priority", drops_of_4, "does not count"),
                DoesNotApply("pfc.seen-under-load", "pauses not counted", none_counted, "does not count"),
                IsUnknown("pfc.seen-under-load", "denied", EarlierDenied(lost(4, 0)), "not permitted"),
                DoesNotApply("pfc.seen-under-load", "not watched", GoodHost(), "not watched"),
                DoesNotApply("pfc.seen-under-load", "lossy", lost(4, 0), "does not ask",
                             {.profile = PfcCountedLossy()})});
  const auto global = [](Fact<PauseFrames> now) {
    return Watched(
        [&now](Port&, Netdev& netdev, EarlierReading&, NetdevReading&) { netdev.link.pause_frames = now; });
  };
  cases.insert(cases.end(),
               {Passes("pause.global-count", "none", global(PauseFrames{}), "0 received, 0 sent in 10 s"),
                Fails("pause.global-count", "some", global(PauseFrames{.received = 7}), "7 received, 0 sent",
                      {.fix = "ethtool -A dcb0 autoneg off rx off tx off"}),
                IsUnknown("pause.global-count", "denied", global(Denied()), "not permitted"),
                DoesNotApply("pause.global-count", "not offered", global(kUnsupported), "not offered"),
                DoesNotApply("pause.global-count", "not asked", global(PauseFrames{.sent = 7}), "does not ask",
                             {.profile = PfcCountedLossy()})});

  return cases;
}

std::vector<CheckCase> PfcCountedNicRows() {
  const auto one = [](NicCounter counter, std::uint64_t by, std::optional<std::uint8_t> priority = {}) {
    return CountedNic({{counter, "it", by, priority}});
  };
  const Facts denied =
      Watched([](Port&, Netdev& netdev, EarlierReading&, NetdevReading&) { netdev.statistics = Denied(); });
  return {Passes("cnt.discards-phy", "none", one(NicCounter::kDropReceived, 0, 3), "no growth"),
          Fails("cnt.discards-phy", "lossless", one(NicCounter::kDropReceived, 5, 3), "it +5 in 10 s",
                {.fix = "dcb buffer show dev dcb0"}),
          Warns("cnt.discards-phy", "another", one(NicCounter::kDropReceived, 5, 0), "it +5"),
          Warns("cnt.discards-phy", "of all together", one(NicCounter::kDropReceived, 5), "it +5"),
          IsUnknown("cnt.discards-phy", "denied", denied, "not permitted"),
          DoesNotApply("cnt.discards-phy", "not counted", CountedNic({}), "does not count")};
}

}  // namespace

std::vector<CheckCase> PfcCountedCases() { return Joined({PfcCountedPausesRows(), PfcCountedNicRows()}); }

}  // namespace rdmaready

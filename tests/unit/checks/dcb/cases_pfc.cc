// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

const Missing kUnsupported{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

template <class Change>
Profile Asking(Change change) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
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

Profile WithHeartbeat() {
  return Asking([](Profile& profile) { profile.heartbeat = Profile::Heartbeat{.priority = 7}; });
}

Profile Lossy() {
  return Asking([](Profile& profile) { profile.pfc.emplace(); });
}

Profile Silent() {
  return Asking([](Profile& profile) { profile.pfc.reset(); });
}

template <class Change>
Facts WithBuffer(Change change) {
  return WithDcb([&change](Dcb& dcb) {
    PortBuffer buffer = *dcb.buffer;
    change(buffer);
    dcb.buffer = buffer;
  });
}

void AddWhichPriorities(std::vector<CheckCase>& cases) {
  const auto can = [](std::uint8_t capability, std::uint8_t enabled) {
    return WithPfcState([=](Pfc& pfc) {
      pfc.capability = capability;
      pfc.enabled = enabled;
    });
  };
  const Profile two = Asking([](Profile& profile) { profile.pfc = std::vector<std::uint8_t>{3, 4}; });
  cases.insert(cases.end(),
               {{"pfc.capability", "good", GoodHost(), kPass, "up to 8"},
                {"pfc.capability", "one of two", can(1, 0), kFail, "up to 1", "dcb pfc show dev dcb0", two},
                {"pfc.capability", "not filled in, and in use", can(0, 1U << 3), kPass, "1 in use"},
                {"pfc.capability", "not filled in", can(0, 0), kUnknown, "does not say"},
                {"pfc.capability", "denied", PfcDenied(), kUnknown, "not permitted"},
                {"pfc.capability", "not asked", GoodHost(), kNotApplicable, "does not ask", "", Silent()},
                {"pfc.not-default", "good", GoodHost(), kPass, "PFC on 3"},
                {"pfc.not-default", "on 0 too", WithPfc(0x09), kFail, "PFC on 0 and 3",
                 "dcb pfc set dev dcb0 prio-pfc all:off 3:on"},
                {"pfc.not-default", "denied", PfcDenied(), kUnknown, "not permitted"},
                {"pfc.not-default", "the profile wants it", WithPfc(0x09), kNotApplicable, "pauses the default",
                 "", Asking([](Profile& profile) {
                   profile.pfc = std::vector<std::uint8_t>{0, 3};
                 })},
                {"pfc.not-heartbeat", "good", GoodHost(), kPass, "PFC on 3", "", WithHeartbeat()},
                {"pfc.not-heartbeat", "on 7 too", WithPfc(0x88), kFail, "PFC on 3 and 7",
                 "dcb pfc set dev dcb0 prio-pfc all:off 3:on", WithHeartbeat()},
                {"pfc.not-heartbeat", "denied", PfcDenied(), kUnknown, "not permitted", "", WithHeartbeat()},
                {"pfc.not-heartbeat", "not asked", WithPfc(0x88), kNotApplicable, "does not ask"},
                {"pfc.off-when-lossy", "off", WithPfc(0), kPass, "PFC off", "", Lossy()},
                {"pfc.off-when-lossy", "on", GoodHost(), kFail, "PFC on 3",
                 "dcb pfc set dev dcb0 prio-pfc all:off", Lossy()},
                {"pfc.off-when-lossy", "denied", PfcDenied(), kUnknown, "not permitted", "", Lossy()},
                {"pfc.off-when-lossy", "not asked", GoodHost(), kNotApplicable, "does not ask"}});
}

void AddRoom(std::vector<CheckCase>& cases) {
  const auto storm = [](Fact<std::uint16_t> timeout) {
    return WithNetdev([&timeout](Netdev& netdev) { netdev.pfc_storm_timeout_ms = timeout; });
  };
  const auto pause = [](Fact<Pause> now) { return WithNetdev([&now](Netdev& netdev) { netdev.pause = now; }); };
  const auto own_buffer = [](std::uint32_t bytes) {
    return WithBuffer([bytes](PortBuffer& buffer) { buffer.size_bytes[1] = bytes; });
  };
  const auto pauses = [](std::uint32_t xoff_bytes, std::uint32_t xon_bytes) {
    return WithDcb([=](Dcb& dcb) {
      dcb.thresholds = PauseThresholds{.xoff_bytes = {0, xoff_bytes}, .xon_bytes = {0, xon_bytes}};
    });
  };
  // By mlx5's own rule, a longest frame of 9216 bytes apart.
  const auto pauses_from = [&pauses](std::uint32_t xoff_bytes) {
    return pauses(xoff_bytes, xoff_bytes - 9216);
  };
  Profile hundreds_of_metres = VirtualFabricProfile();
  hundreds_of_metres.cable_metres = 300;
  // Metres at 100 Gb/s.
  const Facts long_cable = WithNetdev([](Netdev& netdev) {
    netdev.driver = "mlx5_core";
    netdev.speed_mbps = 100'000;
    Pfc pfc = *netdev.dcb.pfc;
    pfc.delay = 316;
    netdev.dcb.pfc = pfc;
  });
  Profile far = VirtualFabricProfile();
  far.cable_metres = 1400;
  const Facts on_ice = WithNetdev([](Netdev& netdev) {
    netdev.driver = "ice";
    netdev.pause = Pause{.autoneg = true, .rx = true, .tx = true};
  });
  cases.insert(
      cases.end(),
      {{"pfc.headroom", "good", GoodHost(), kPass, "priority 3 in buffer 1, 128 KiB"},
       {"pfc.headroom", "shared", WithBuffer([](PortBuffer& buffer) { buffer.prio_buffer = {}; }), kFail,
        "priority 3 in buffer 0, 128 KiB, together with 0, 1, 2, 4, 5, 6 and 7",
        "dcb buffer set dev dcb0 prio-buffer all:0 3:1 buffer-size all:0 0:131072 1:131072"},
       {"pfc.headroom", "just enough", own_buffer(46'120), kPass, "priority 3 in buffer 1, 45 KiB"},
       {"pfc.headroom", "one byte less", own_buffer(46'119), kFail, "45 KiB, of 46 KiB that a pause needs",
        "buffer-size all:0 0:131072 1:131072"},
       {"pfc.headroom", "none", own_buffer(0), kFail, "0 KiB, of 46 KiB"},
       {"pfc.headroom", "a long cable", long_cable, kFail, "128 KiB, of 129 KiB that a pause needs",
        "buffer-size all:0 0:129664 1:132480"},
       {"pfc.headroom", "a long cable, by the profile", GoodHost(), kFail, "128 KiB, of 163 KiB", "", far},
       {"pfc.headroom", "a threshold", pauses_from(131'072 - 37'120), kPass, "128 KiB"},
       {"pfc.headroom", "a threshold a cell too high", pauses_from(131'072 - 37'120 + 256), kPass, "128 KiB"},
       {"pfc.headroom", "a threshold more than a cell too high", pauses_from(131'072 - 37'120 + 257), kFail,
        "asks for a pause from 92 KiB on: room for 35 KiB, of 37 KiB that a pause needs",
        "dcb pfc set dev dcb0 prio-pfc 3:on"},
       {"pfc.headroom", "a threshold above the buffer", pauses_from(200'000), kFail, "room for 0 KiB"},
       {"pfc.headroom", "a threshold for a shorter cable", pauses_from(131'072 - 37'120), kFail,
        "room for 36 KiB, of 61 KiB", "dcb pfc set dev dcb0 delay 300", hundreds_of_metres},
       {"pfc.headroom", "the firmware's threshold", pauses(131'072 - 20'000, 1'000), kPass,
        "128 KiB, asks for a pause from 108 KiB on: room for 19 KiB, of 37 KiB that a pause needs by mlx5's "
        "rule; "
        "the firmware set it by its own: not judged"},
       {"pfc.headroom", "a threshold in a buffer that mlx5 would refuse", WithDcb([](Dcb& dcb) {
          PortBuffer buffer = *dcb.buffer;
          buffer.size_bytes[1] = 46'120;
          dcb.buffer = buffer;
          dcb.thresholds = PauseThresholds{.xoff_bytes = {0, 20'000}, .xon_bytes = {0, 10'784}};
        }),
        kFail, "room for 25 KiB, of 37 KiB", "dcb buffer set dev dcb0 prio-buffer all:0 3:1"},
       {"pfc.headroom", "no threshold", pauses(0, 0), Outcome::kWarn, "no threshold from which on",
        "dcb pfc set dev dcb0 prio-pfc 3:on"},
       {"pfc.headroom", "a threshold withheld", WithDcb([](Dcb& dcb) { dcb.thresholds = Denied(); }), kUnknown,
        "not permitted"},
       {"pfc.headroom", "no such buffer", WithBuffer([](PortBuffer& buffer) { buffer.prio_buffer[3] = 200; }),
        kUnknown, "a buffer that is none"},
       {"pfc.headroom", "denied", WithDcb([](Dcb& dcb) { dcb.buffer = Denied(); }), kUnknown, "not permitted"},
       {"pfc.headroom", "driver's own", WithDcb([](Dcb& dcb) { dcb.buffer = kUnsupported; }), kNotApplicable,
        "by itself"},
       {"pfc.headroom", "not asked", GoodHost(), kNotApplicable, "does not ask", "", Lossy()},
       {"pfc.storm-prevention", "auto", storm(std::uint16_t{0xffff}), kPass, "as the driver chooses"},
       {"pfc.storm-prevention", "100 ms", storm(std::uint16_t{100}), kPass, "after 100 ms"},
       {"pfc.storm-prevention", "off", storm(std::uint16_t{0}), kFail, "without end",
        "ethtool --set-tunable dcb0 pfc-prevention-tout 65535"},
       {"pfc.storm-prevention", "denied", storm(Denied()), kUnknown, "not permitted"},
       {"pfc.storm-prevention", "not offered", GoodHost(), kNotApplicable, "no PFC storm prevention"},
       {"pause.off-with-pfc", "off", GoodHost(), kPass, "off both ways"},
       {"pause.off-with-pfc", "on", pause(Pause{.rx = true, .tx = true}), kFail, "on both ways",
        "ethtool -A dcb0 autoneg off rx off tx off"},
       {"pause.off-with-pfc", "on, of a driver that sets no autonegotiation with it", on_ice, kFail,
        "on both ways", "ethtool -A dcb0 rx off tx off"},
       {"pause.off-with-pfc", "one way", pause(Pause{.rx = true}), kFail, "honoured, not sent"},
       {"pause.off-with-pfc", "denied", pause(Denied()), kUnknown, "not permitted"},
       {"pause.off-with-pfc", "not offered", pause(kUnsupported), kNotApplicable, "no link-level pause"},
       {"pause.off-with-pfc", "not asked", pause(Pause{.rx = true}), kNotApplicable, "does not ask", "",
        Lossy()}});
}

}  // namespace

void AddPfcCases(std::vector<CheckCase>& cases) {
  AddWhichPriorities(cases);
  AddRoom(cases);
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/watched_host.h"

namespace rdmaready {
namespace {

template <class Change>
Facts WithBuffer(Change change) {
  return WithDcb([&change](Dcb& dcb) {
    PortBuffer buffer = *dcb.buffer;
    change(buffer);
    dcb.buffer = buffer;
  });
}

std::vector<CheckCase> PfcRoomDelayRows() {
  const auto counted = [](std::uint64_t dropped, std::uint64_t pauses) {
    return Watched([=](Port&, Netdev& netdev, EarlierReading&, NetdevReading& reading) {
      netdev.driver = "mlx5_core";
      Pfc pfc = *netdev.dcb.pfc;
      pfc.delay = 7;
      netdev.dcb.pfc = pfc;
      const auto statistics = [](std::uint64_t drops, std::uint64_t sent) {
        return std::vector<NicStatistic>{
            {.counter = NicCounter::kDropReceived, .priority = 3, .name = "rx_prio3_discards", .value = drops},
            {.counter = NicCounter::kPauseSent, .priority = 3, .name = "tx_prio3_pause", .value = sent}};
      };
      reading.statistics = statistics(1000, 2000);
      netdev.statistics = statistics(1000 + dropped, 2000 + pauses);
    });
  };
  const auto watched = [](std::string_view driver, Fact<std::vector<NicStatistic>> statistics) {
    return Watched([=](Port&, Netdev& netdev, EarlierReading&, NetdevReading&) {
      netdev.driver = driver;
      netdev.statistics = statistics;
    });
  };
  return {
      Passes("pfc.delay", "nothing lost in the watch", counted(0, 9), "reckons with 7 m"),
      Passes("pfc.delay", "lost without a pause", counted(9, 0), "nothing was lost after a pause"),
      Fails("pfc.delay", "lost after pauses", counted(12, 9),
            "priority 3 lost 12 frames though it sent 9 pauses", {.fix = "dcb pfc set dev dcb0 delay METRES"}),
      DoesNotApply("pfc.delay", "lost frames not counted", watched("mlx5_core", std::vector<NicStatistic>{}),
                   "does not count what it drops"),
      IsUnknown("pfc.delay", "denied", watched("mlx5_core", Denied()), "not permitted"),
      IsUnknown("pfc.delay", "driver not known", watched("", Denied()), "which driver it has is not known"),
      DoesNotApply("pfc.delay", "not watched", On("mlx5_core", [](Netdev&) {}), "not watched"),
      DoesNotApply("pfc.delay", "another driver", watched("dcbnic", Denied()), "driver dcbnic")};
}

std::vector<CheckCase> PfcRoomRoomRows() {
  const auto storm = [](Fact<std::uint16_t> timeout) {
    return WithNetdev([&timeout](Netdev& netdev) { netdev.pfc_storm_timeout_ms = timeout; });
  };
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
  // The documented total of ConnectX: half of it ends within a cell.
  const Facts whole_cells = WithNetdev([](Netdev& netdev) {
    netdev.driver = "mlx5_core";
    PortBuffer buffer{.total_bytes = 262'016};
    buffer.size_bytes[0] = buffer.total_bytes;
    netdev.dcb.buffer = buffer;
  });
  // Cells of 144 bytes, and most of the total in the pools that the buffers share.
  const auto pooled = [](std::uint32_t bytes) {
    return WithNetdev([bytes](Netdev& netdev) {
      netdev.driver = "mlx5_core";
      PortBuffer buffer{.total_bytes = 4'151'520};
      buffer.size_bytes[0] = bytes;
      netdev.dcb.buffer = buffer;
    });
  };
  Profile far = VirtualFabricProfile();
  far.cable_metres = 1400;
  return {
      Passes("pfc.headroom", "good", GoodHost(), "priority 3 in buffer 1, 128 KiB"),
      Fails("pfc.headroom", "shared", WithBuffer([](PortBuffer& buffer) { buffer.prio_buffer = {}; }),
            "priority 3 in buffer 0, 128 KiB, together with 0, 1, 2, 4, 5, 6 and 7",
            {.fix = "dcb buffer set dev dcb0 prio-buffer all:0 3:1 buffer-size all:0 0:131072 1:131072"}),
      IsUnknown("pfc.headroom", "speed not known",
                WithNetdev([](Netdev& netdev) { netdev.speed_mbps = Denied(); }), "not permitted"),
      Passes("pfc.headroom", "just enough", own_buffer(46'120), "priority 3 in buffer 1, 45 KiB"),
      Warns("pfc.headroom", "one byte less", own_buffer(46'119), "45 KiB, of 46 KiB that a pause needs",
            {.fix = "buffer-size all:0 0:131072 1:131072"}),
      Warns("pfc.headroom", "none", own_buffer(0), "0 KiB, of 46 KiB"),
      Warns("pfc.headroom", "a long cable", long_cable, "128 KiB, of 129 KiB that a pause needs",
            {.fix = "buffer-size all:0 0:129664 1:132480"}),
      Fails("pfc.headroom", "one buffer of mlx5", whole_cells, "priority 3 in buffer 0, 255 KiB, together with",
            {.fix = "dcb buffer set dev dcb0 buffer-size all:0 0:131840 1:130176; dcb buffer set dev dcb0 "
                    "prio-buffer all:0 3:1"}),
      Fails("pfc.headroom", "one buffer of mlx5 beside shared pools", pooled(176'112), "together with",
            {.fix = "dcb buffer set dev dcb0 buffer-size all:0 0:88560 1:87552; dcb buffer set dev dcb0 "
                    "prio-buffer all:0 3:1"}),
      Fails("pfc.headroom", "a small buffer of mlx5 beside shared pools", pooled(40'032), "together with",
            {.fix = "dcb buffer set dev dcb0 buffer-size all:0 0:9216 1:47232; dcb buffer set dev dcb0 "
                    "prio-buffer all:0 3:1"}),
      Warns("pfc.headroom", "a long cable, by the profile", GoodHost(), "128 KiB, of 163 KiB",
            {.profile = far}),
      Passes("pfc.headroom", "a threshold", pauses_from(131'072 - 37'120), "128 KiB"),
      Passes("pfc.headroom", "a threshold a cell too high", pauses_from(131'072 - 37'120 + 256), "128 KiB"),
      Warns("pfc.headroom", "a threshold more than a cell too high", pauses_from(131'072 - 37'120 + 257),
            "asks for a pause from 92 KiB on: room for 35 KiB, of 37 KiB that a pause needs",
            {.fix = "dcb pfc set dev dcb0 prio-pfc 3:on"}),
      Warns("pfc.headroom", "a threshold above the buffer", pauses_from(200'000), "room for 0 KiB"),
      Warns("pfc.headroom", "a threshold for a shorter cable", pauses_from(131'072 - 37'120),
            "room for 36 KiB, of 61 KiB",
            {.fix = "dcb pfc set dev dcb0 delay 300", .profile = hundreds_of_metres}),
      Passes(
          "pfc.headroom", "the firmware's threshold", pauses(131'072 - 20'000, 1'000),
          "128 KiB, asks for a pause from 108 KiB on: room for 19 KiB, of 37 KiB that a pause needs by mlx5's "
          "rule; "
          "the firmware set it by its own: not judged"),
      Warns("pfc.headroom", "a threshold in a buffer that mlx5 would refuse", WithDcb([](Dcb& dcb) {
              PortBuffer buffer = *dcb.buffer;
              buffer.size_bytes[1] = 46'120;
              dcb.buffer = buffer;
              dcb.thresholds = PauseThresholds{.xoff_bytes = {0, 20'000}, .xon_bytes = {0, 10'784}};
            }),
            "room for 25 KiB, of 37 KiB", {.fix = "dcb buffer set dev dcb0 prio-buffer all:0 3:1"}),
      Warns("pfc.headroom", "no threshold", pauses(0, 0), "no threshold from which on",
            {.fix = "dcb pfc set dev dcb0 prio-pfc 3:on"}),
      IsUnknown("pfc.headroom", "a threshold withheld", WithDcb([](Dcb& dcb) { dcb.thresholds = Denied(); }),
                "not permitted"),
      IsUnknown("pfc.headroom", "no such buffer",
                WithBuffer([](PortBuffer& buffer) { buffer.prio_buffer[3] = 200; }), "a buffer that is none"),
      IsUnknown("pfc.headroom", "denied", WithDcb([](Dcb& dcb) { dcb.buffer = Denied(); }), "not permitted"),
      DoesNotApply("pfc.headroom", "driver's own", WithDcb([](Dcb& dcb) { dcb.buffer = kUnsupported; }),
                   "by itself"),
      DoesNotApply("pfc.headroom", "not asked", GoodHost(), "does not ask", {.profile = PfcLossy()}),
      Passes("pfc.storm-prevention", "auto", storm(std::uint16_t{0xffff}), "as the driver chooses"),
      Passes("pfc.storm-prevention", "100 ms", storm(std::uint16_t{100}), "after 100 ms"),
      Fails("pfc.storm-prevention", "off", storm(std::uint16_t{0}), "without end",
            {.fix = "ethtool --set-tunable dcb0 pfc-prevention-tout 65535"}),
      IsUnknown("pfc.storm-prevention", "denied", storm(Denied()), "not permitted"),
      DoesNotApply("pfc.storm-prevention", "not offered", GoodHost(), "no PFC storm prevention")};
}

}  // namespace

std::vector<CheckCase> PfcRoomCases() { return Joined({PfcRoomDelayRows(), PfcRoomRoomRows()}); }

}  // namespace rdmaready

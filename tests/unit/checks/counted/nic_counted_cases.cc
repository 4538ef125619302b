// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/watched_host.h"

namespace rdmaready {

std::vector<CheckCase> NicCountedCases() {
  const auto one = [](NicCounter counter, std::uint64_t by, std::optional<std::uint8_t> priority = {}) {
    return CountedNic({{counter, "it", by, priority}});
  };
  const auto bits = [](std::uint64_t corrected, std::uint64_t symbols) {
    return CountedNic({{NicCounter::kBitsReceived, "rx_bits_phy", 1'000'000'000},
                       {NicCounter::kFecCorrectedBits, "rx_corrected_bits_phy", corrected},
                       {NicCounter::kSymbolErrors, "rx_symbol_err_phy", symbols}});
  };
  const auto uncounted = [](std::uint64_t corrected, Fact<std::uint32_t> speed_mbps) {
    Facts host = CountedNic({{NicCounter::kFecCorrectedBits, "rx_corrected_bits_phy", corrected}});
    std::vector<Port> ports = *host.ports;
    Netdev netdev = *ports.front().netdev;
    netdev.speed_mbps = speed_mbps;
    ports.front().netdev = netdev;
    host.ports = ports;
    return host;
  };
  const Facts denied =
      Watched([](Port&, Netdev& netdev, EarlierReading&, NetdevReading&) { netdev.statistics = Denied(); });
  return {Passes("cnt.pause-storm", "none", one(NicCounter::kPauseStormError, 0), "no growth"),
          Warns("cnt.pause-storm", "near", one(NicCounter::kPauseStormWarning, 1), "it +1"),
          Fails("cnt.pause-storm", "given up", one(NicCounter::kPauseStormError, 1), "it +1"),
          IsUnknown("cnt.pause-storm", "denied", denied, "not permitted"),
          Passes("pcie.stall", "none", one(NicCounter::kPciStalledRead, 0), "no growth"),
          Warns("pcie.stall", "waiting", one(NicCounter::kPciStalledWrite, 4), "it +4"),
          Fails("pcie.stall", "overflow", one(NicCounter::kPciBufferOverflow, 4), "it +4"),
          IsUnknown("pcie.stall", "denied", denied, "not permitted"),
          Passes("link.ber", "few", bits(1000, 0), "1000 bits corrected of 1000000000 in 10 s"),
          Warns("link.ber", "many", bits(1001, 0), "1001 bits corrected"),
          Fails("link.ber", "symbol errors", bits(0, 2), "rx_symbol_err_phy +2", {.fix = "ethtool -m dcb0"}),
          Passes("link.ber", "few of what the speed says", uncounted(250'000, 25'000),
                 "250000 bits corrected of 250000000000 in 10 s"),
          Warns("link.ber", "many of what the speed says", uncounted(250'001, 25'000), "250001 bits"),
          Passes("link.ber", "many of PAM4, which has FEC for it", uncounted(400'000'000, 200'000),
                 "400000000 bits"),
          Warns("link.ber", "too many of PAM4", uncounted(500'000'000, 200'000), "500000000 bits"),
          IsUnknown("link.ber", "of lanes that are not told", uncounted(2'000'000, 100'000),
                    "does not tell the lanes"),
          IsUnknown("link.ber", "of nobody knows how many", uncounted(1, kUnsupported), "not offered"),
          IsUnknown("link.ber", "denied", denied, "not permitted"),
          DoesNotApply("link.ber", "not watched", GoodHost(), "not watched")};
}

}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
// cnt.pause-storm, link.ber, pcie.stall: what the NIC's statistics did while the port was watched. A driver
// that does not count a thing leaves it out, and is not judged for it.
#include <array>

#include "checks/counted/window.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// ---- pairs of a counter that fails and one that warns ----

struct FailOrWarn {
  NicCounter fail = NicCounter::kUnknown;
  std::array<NicCounter, 2> warn{};  // kUnknown: none
};
constexpr FailOrWarn kStormGivenUp{NicCounter::kPauseStormError,
                                   {NicCounter::kPauseStormWarning, NicCounter::kUnknown}};
constexpr FailOrWarn kStalls{NicCounter::kPciBufferOverflow,
                             {NicCounter::kPciStalledRead, NicCounter::kPciStalledWrite}};

template <const FailOrWarn& kCounters>
Verdict JudgeFailOrWarn(const EthernetView& view) {
  if (std::string reason = NotCounted(view, {kCounters.fail, kCounters.warn[0], kCounters.warn[1]});
      !reason.empty())
    return NotApplicable(reason);
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return NoAnswer(all.missing(), kNoGrowth, kNicStatisticsSource);
  std::vector<StatisticChange> changes = ChangesOf(*all, kCounters.fail);
  const bool failed = TotalGrowth(changes) > 0;
  for (const NicCounter counter : kCounters.warn) {
    if (counter == NicCounter::kUnknown) continue;
    const std::vector<StatisticChange> more = ChangesOf(*all, counter);
    changes.insert(changes.end(), more.begin(), more.end());
  }
  const std::string observed = GrownInWindow(view.port, changes);
  if (!failed && TotalGrowth(changes) > 0) return Warned(observed, kNoGrowth, kNicStatisticsSource);
  return Judged(!failed, observed, kNoGrowth, kNicStatisticsSource);
}

// ---- link.ber ----

// Few drivers count them; a link carries as many as its speed says, in frames or between them.
Fact<std::uint64_t> BitsReceived(const EthernetView& view, const std::vector<StatisticChange>& all) {
  constexpr std::uint64_t kBitsPerMbpsAndMs = 1000;
  const std::uint64_t counted = TotalGrowth(ChangesOf(all, NicCounter::kBitsReceived));
  if (counted > 0) return counted;
  const FactRef<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  if (!speed) return speed.missing();
  return *speed * kBitsPerMbpsAndMs * WindowMs(view.port);
}

// Lanes of PAM4 are specified with errors that RS-FEC (544,514) corrects: 2.4e-4 of the bits before it (IEEE
// 802.3 clause 120). Missing where a link of this speed may have such lanes, and how many it has is not known.
Fact<bool> HasPam4Lanes(const EthernetView& view, std::uint32_t speed_mbps) {
  constexpr std::uint32_t kLaneMbps = 50'000;   // from there on a lane is of PAM4
  constexpr std::uint32_t kLinkMbps = 200'000;  // and no link has slower lanes
  if (speed_mbps < kLaneMbps) return false;
  if (speed_mbps >= kLinkMbps) return true;
  const FactRef<LinkModes> modes = LinkFact(view.netdev, &EthernetLink::modes);
  if (!modes) return modes.missing();
  if (modes->lanes == 0) return Missing{Missing::Kind::kUnsupported, "the driver does not tell the lanes"};
  return speed_mbps / modes->lanes >= kLaneMbps;
}

// Of other lanes the ratio is by experience; no standard has a number.
Fact<bool> CorrectsTooMuch(const EthernetView& view, std::uint64_t corrected, std::uint64_t bits) {
  constexpr std::uint64_t kMillion = 1'000'000;
  constexpr std::uint64_t kPam4OfMillion = 240;
  if (corrected <= bits / kMillion) return false;
  if (corrected > bits / kMillion * kPam4OfMillion) return true;
  const FactRef<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  if (!speed) return speed.missing();
  const Fact<bool> pam4 = HasPam4Lanes(view, *speed);
  if (!pam4) return pam4.missing();
  return !*pam4;
}

Verdict JudgeLinkBer(const EthernetView& view) {
  if (std::string reason = NotCounted(view, {NicCounter::kSymbolErrors, NicCounter::kFecUncorrectableBlocks,
                                             NicCounter::kFecCorrectedBits});
      !reason.empty())
    return NotApplicable(reason);
  constexpr std::string_view kExpected =
      "no symbol error, and less than one bit in a million corrected (with PAM4 240)";
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return NoAnswer(all.missing(), kExpected, kNicStatisticsSource);
  std::vector<StatisticChange> errors = ChangesOf(*all, NicCounter::kSymbolErrors);
  const std::vector<StatisticChange> blocks = ChangesOf(*all, NicCounter::kFecUncorrectableBlocks);
  errors.insert(errors.end(), blocks.begin(), blocks.end());
  const std::uint64_t corrected = TotalGrowth(ChangesOf(*all, NicCounter::kFecCorrectedBits));
  const Fact<std::uint64_t> bits = BitsReceived(view, *all);
  const std::string grown = GrownText(errors);
  const std::string observed =
      Cat(grown.empty() ? "no symbol error" : grown, ", ", corrected, " bits corrected",
          bits ? Cat(" of ", *bits) : std::string(), InWindow(view.port));
  if (grown.empty() && corrected > 0) {
    if (!bits) return NoAnswer(bits.missing(), kExpected, kNicStatisticsSource);
    const Fact<bool> too_many = CorrectsTooMuch(view, corrected, *bits);
    if (!too_many) return NoAnswer(too_many.missing(), kExpected, kNicStatisticsSource);
    if (*too_many) return Warned(observed, kExpected, kNicStatisticsSource);
  }
  return Judged(grown.empty(), observed, kExpected, kNicStatisticsSource);
}

}  // namespace

std::vector<Check> NicCountedChecks() {
  return {
      {.id = "cnt.pause-storm",
       .title = "The NIC did not give up pausing",
       .why = "A NIC whose host takes nothing stops its pauses after a while, and drops from there on",
       .fix = Fix("ethtool -S {netdev}")
                  .Because("the host takes nothing: its CPU, its PCIe link, or the program that receives")
                  .Do("find the program that does not take its data, and look at pcie.bandwidth")
                  .CheckBy("ethtool -S {netdev}"),
       .depends_on = {"link.state"},
       .judge = JudgeFailOrWarn<kStormGivenUp>},
      {.id = "link.ber",
       .title = "The link has few bit errors",
       .why = "Bits that FEC has to correct foretell those that it cannot: lost frames",
       .fix = Fix("ethtool -m {netdev}")
                  .Because("a dirty or worn transceiver, or a bad cable")
                  .Do("clean the transceiver of {netdev}, then replace it or the cable", StepSite::kPort)
                  .CheckBy("ethtool --include-statistics --show-fec {netdev}"),
       .depends_on = {"link.state"},
       .judge = JudgeLinkBer},
      {.id = "pcie.stall",
       .title = "The host takes what the NIC hands it",
       .why = "A NIC that waits for PCIe pauses the network instead, however fast the link is",
       .fix = Fix("lspci -vv")
                  .Because("the PCIe link is too slow for the port, or memory of the far socket is used")
                  .Do("compare width, speed and MaxReadReq of {device} with what it can")
                  .Do("bind the program to the NUMA node of {device}")
                  .CheckBy("ethtool -S {netdev}"),
       .depends_on = {"link.state"},
       .judge = JudgeFailOrWarn<kStalls>},
  };
}

}  // namespace rdmaready

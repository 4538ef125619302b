// SPDX-License-Identifier: Apache-2.0
#include "checks/counted/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready {
namespace {

using testing::ElementsAre;
using Kind = CounterChange::Kind;

constexpr std::uint64_t kMax32 = 0xffffffff;
const std::optional<CounterWidth> kWide = std::nullopt;
const std::optional<CounterWidth> kWraps32 = CounterWidth{32, false};
const std::optional<CounterWidth> kSaturates8 = CounterWidth{8, true};

CounterChange ChangeOf(std::uint64_t before, std::uint64_t after, std::optional<CounterWidth> width) {
  return Difference({"c", before}, {"c", after}, width);
}

CounterChange Is(Kind kind, std::uint64_t by) { return {"c", kind, by}; }

TEST(CounterDifference, OfAWideCounterIsGrowthOrNothing) {
  EXPECT_EQ(ChangeOf(5, 5, kWide), Is(Kind::kUnchanged, 0));
  EXPECT_EQ(ChangeOf(5, 12, kWide), Is(Kind::kGrew, 7));
  EXPECT_EQ(ChangeOf(0, UINT64_MAX, kWide), Is(Kind::kGrew, UINT64_MAX));
}

TEST(CounterDifference, ASmallerValueIsAResetAndNotAnEnormousGrowth) {
  EXPECT_EQ(ChangeOf(500, 3, kWide), Is(Kind::kReset, 3));
  EXPECT_EQ(ChangeOf(kMax32, 0, kWide), Is(Kind::kReset, 0)) << "nobody said that it has 32 bits";
  EXPECT_EQ(ChangeOf(UINT64_MAX, 0, kWide), Is(Kind::kReset, 0));
}

TEST(CounterDifference, ACounterKnownToWrapWrapsWhereThatIsLikely) {
  EXPECT_EQ(ChangeOf(kMax32, 0, kWraps32), Is(Kind::kWrapped, 1));
  EXPECT_EQ(ChangeOf(kMax32 - 9, 20, kWraps32), Is(Kind::kWrapped, 30));
  EXPECT_EQ(ChangeOf(500, 3, kWraps32), Is(Kind::kReset, 3));
  EXPECT_EQ(ChangeOf(0x80000000, 0x7fffffff, kWraps32), Is(Kind::kReset, 0x7fffffff));
}

TEST(CounterDifference, WrapsAtEightAndSixteenBitsToo) {
  EXPECT_EQ(ChangeOf(250, 4, CounterWidth{8, false}), Is(Kind::kWrapped, 10));
  EXPECT_EQ(ChangeOf(65535, 65534, CounterWidth{16, false}), Is(Kind::kReset, 65534));
  EXPECT_EQ(ChangeOf(65535, 9, CounterWidth{16, false}), Is(Kind::kWrapped, 10));
}

TEST(CounterDifference, AValueBeyondTheWidthProvesAWiderCounter) {
  EXPECT_EQ(ChangeOf(kMax32 + 5, 3, kWraps32), Is(Kind::kReset, 3));
  EXPECT_EQ(ChangeOf(250, 300, kSaturates8), Is(Kind::kGrew, 50));
  EXPECT_EQ(ChangeOf(300, 255, kSaturates8), Is(Kind::kReset, 255));
}

TEST(CounterDifference, ACounterAtItsMaximumCannotTellMore) {
  EXPECT_EQ(ChangeOf(250, 255, kSaturates8), Is(Kind::kSaturated, 5));
  EXPECT_EQ(ChangeOf(255, 255, kSaturates8), Is(Kind::kSaturated, 0)) << "unchanged would be a claim";
  EXPECT_EQ(ChangeOf(255, 3, kSaturates8), Is(Kind::kReset, 3)) << "it never wraps";
  EXPECT_EQ(ChangeOf(3, 254, kSaturates8), Is(Kind::kGrew, 251));
}

TEST(CounterWidths, AreKnownByFamily) {
  EXPECT_EQ(WidthOf("link_downed", CounterFamily::kPort), (CounterWidth{8, true}));
  EXPECT_EQ(WidthOf("link_downed", CounterFamily::kHardware), std::nullopt) << "rxe counts it in 64 bits";
  EXPECT_EQ(WidthOf("local_link_integrity_errors", CounterFamily::kPort), (CounterWidth{4, true}));
  EXPECT_EQ(WidthOf("port_xmit_data", CounterFamily::kPort), (CounterWidth{32, true}));
  EXPECT_EQ(WidthOf("rx_write_requests", CounterFamily::kHardware), (CounterWidth{32, false}));
  EXPECT_EQ(WidthOf("np_cnp_sent", CounterFamily::kHardware), std::nullopt);
  EXPECT_EQ(WidthOf("", CounterFamily::kPort), std::nullopt);
}

TEST(CounterLists, AreMatchedByNameAndNothingIsDropped) {
  const std::vector<Counter> before{{"a", 1}, {"gone", 7}, {"link_downed", 254}, {"same", 4}};
  const std::vector<Counter> after{{"same", 4}, {"new", 9}, {"link_downed", 255}, {"a", 3}};
  EXPECT_THAT(Differences(before, after, CounterFamily::kPort),
              ElementsAre(CounterChange{"same", Kind::kUnchanged, 0}, CounterChange{"new", Kind::kAppeared, 0},
                          CounterChange{"link_downed", Kind::kSaturated, 1}, CounterChange{"a", Kind::kGrew, 2},
                          CounterChange{"gone", Kind::kGone, 0}));
}

TEST(CounterLists, OfAWrapAndOfAResetDiffer) {
  const std::vector<Counter> before{{"out_of_sequence", kMax32 - 1}, {"rp_cnp_handled", kMax32 - 1}};
  const std::vector<Counter> after{{"out_of_sequence", 1}, {"rp_cnp_handled", 1}};
  EXPECT_THAT(Differences(before, after, CounterFamily::kHardware),
              ElementsAre(CounterChange{"out_of_sequence", Kind::kWrapped, 3},
                          CounterChange{"rp_cnp_handled", Kind::kReset, 1}));
}

TEST(CounterLists, MayBeEmpty) {
  EXPECT_TRUE(Differences({}, {}, CounterFamily::kPort).empty());
  EXPECT_EQ(CounterChange{}.kind, Kind::kUnknown);
}

}  // namespace
}  // namespace rdmaready

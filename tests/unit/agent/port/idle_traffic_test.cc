// SPDX-License-Identifier: Apache-2.0
#include "agent/port/idle_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "api/base/status.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kRateMbps = 100'000;  // a thousandth of it is 12.5 MB/s

Fact<NetdevBytes> BytesAt(int second, std::uint64_t sent, std::uint64_t received) {
  return NetdevBytes{
      .sent = sent, .received = received, .when = Clock::TimePoint(std::chrono::seconds(second))};
}

absl::Status Between(const Fact<NetdevBytes>& before, const Fact<NetdevBytes>& after) {
  return IsIdleBetween("eth0", kRateMbps, before, after);
}

TEST(IdleTraffic, AllowsAThousandthOfTheRateInEachDirection) {
  EXPECT_TRUE(Between(BytesAt(0, 5, 7), BytesAt(1, 5, 7)).ok());
  EXPECT_TRUE(Between(BytesAt(0, 0, 0), BytesAt(1, 12'500'000, 12'500'000)).ok());
}

TEST(IdleTraffic, RefusesMoreInEitherDirection) {
  for (const auto& after : {BytesAt(2, 30'000'000, 0), BytesAt(2, 0, 30'000'000)}) {
    const absl::Status found = Between(BytesAt(0, 0, 0), after);
    EXPECT_TRUE(absl::IsFailedPrecondition(found)) << found;
    EXPECT_THAT(Message(found), HasSubstr("others use eth0"));
    EXPECT_THAT(Message(found), HasSubstr("120.0 Mb/s"));
    EXPECT_THAT(Message(found), HasSubstr("limit 100.0 Mb/s"));
  }
}

TEST(IdleTraffic, RefusesWhereItIsNotKnown) {
  const Fact<NetdevBytes> missing = Missing{Missing::Kind::kFailed, "no such file"};
  EXPECT_THAT(Message(Between(missing, BytesAt(1, 0, 0))), HasSubstr("is not known: no such file"));
  EXPECT_THAT(Message(Between(BytesAt(0, 0, 0), missing)), HasSubstr("is not known: no such file"));
  EXPECT_THAT(Message(Between(BytesAt(0, 9, 9), BytesAt(1, 8, 9))), HasSubstr("were set back"));
  EXPECT_THAT(Message(Between(BytesAt(1, 9, 9), BytesAt(1, 9, 9))), HasSubstr("is not known"));
  const Fact<std::uint32_t> no_rate = Missing{Missing::Kind::kUnsupported, "no speed"};
  EXPECT_THAT(Message(IsIdleBetween("eth0", no_rate, BytesAt(0, 0, 0), BytesAt(1, 0, 0))),
              HasSubstr("no speed"));
}

TEST(IdleTraffic, ReadsTheStatisticsOfTheKernel) {
  FakeHost host;
  FakeClock clock;
  host.files["/sys/class/net/eth0/statistics/tx_bytes"] = "12\n";
  EXPECT_FALSE(ReadNetdevBytes(host, "eth0", clock));
  host.files["/sys/class/net/eth0/statistics/rx_bytes"] = "18446744073709551615\n";
  const Fact<NetdevBytes> bytes = ReadNetdevBytes(host, "eth0", clock);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->sent, 12U);
  EXPECT_EQ(bytes->received, 18'446'744'073'709'551'615U);
  for (const char* const text : {"", "x", "-1", "18446744073709551616", "1 2"}) {
    host.files["/sys/class/net/eth0/statistics/rx_bytes"] = text;
    EXPECT_FALSE(ReadNetdevBytes(host, "eth0", clock)) << text;
  }
}

TEST(IdleTraffic, LooksOnceForARun) {
  IdleTraffic idle;
  EXPECT_TRUE(absl::IsFailedPrecondition(idle.found()));
  idle.Look([] { return absl::OkStatus(); });
  idle.Look([] { return absl::FailedPreconditionError("our own transfer"); });
  EXPECT_TRUE(idle.found().ok());
}

}  // namespace
}  // namespace rdmaready

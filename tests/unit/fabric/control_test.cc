// SPDX-License-Identifier: Apache-2.0
#include "tests/fabric/hub/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <sstream>
#include <string>

#include "tests/unit/fabric/rig.h"

namespace fabric {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const char* const kSettings[] = {
    "1 rate_mbps 20",
    "1 trust pcp",
    "1 priority 5",
    "1 pcp 0:1,7:2",
    "1 dscp 0,26:3,48:6",
    "1 remark 26:0,48:46",
    "1 remark_of odd-qp",
    "1 class 0,3:3",
    "1 ets 0:50,3:50,7:strict",
    "1 pfc 3,4",
    "1 xoff_kb 40",
    "1 xon_kb 3:20,4:21",
    "1 headroom_kb 3:500",
    "1 reserve_kb 9",
    "1 queue_kb 0:64",
    "1 ecn_kb 3:30",
    "1 cut on",
    "1 lldp_ms 500",
    "1 lldp_pfc 4",
    "1 lldp_ets 0:100",
    "1 lldp_app 26:4,27:5",
    "all shared_kb 300",
    "all most_frame 1600",
    "all link_local consume",
    "all cable on",
    "all ageing_s 7",
};

TEST(Show, PrintsSettingsAsLinesThatSetThem) {
  Rig rig(2), other(2);
  for (const char* setting : kSettings) rig.Set(setting);
  const std::string shown = rig.Ask("show all");
  EXPECT_NE(shown, other.Ask("show all"));
  EXPECT_THAT(shown, HasSubstr("set 1 ets 0:50,1:0,2:0,3:50,4:0,5:0,6:0,7:strict\n"));
  EXPECT_THAT(shown, HasSubstr("set 1 lldp_app 26:4,27:5\n"));
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line) && line != "ok";) EXPECT_EQ(other.Ask(line), "ok\n") << line;
  EXPECT_EQ(other.Ask("show all"), shown);
}

TEST(Reset, UndoesEachSetting) {
  Rig rig(2), fresh(2);
  for (const char* setting : kSettings) rig.Set(setting);
  EXPECT_EQ(rig.Ask("reset 1"), "ok\n");
  EXPECT_EQ(rig.Ask("show 1"), fresh.Ask("show 1"));
  EXPECT_NE(rig.Ask("show all"), fresh.Ask("show all"));
  EXPECT_EQ(rig.Ask("reset all"), "ok\n");
  EXPECT_EQ(rig.Ask("show all"), fresh.Ask("show all"));
}

TEST(Set, TakesAllPortsAtOnce) {
  Rig rig(3);
  rig.Set("all pfc 3");
  for (int port = 1; port <= 3; port++) EXPECT_EQ(rig.At(port).lossless, 1 << 3);
}

TEST(Set, RefusesWhatIsNotAValueAndChangesNothing) {
  Rig rig(2);
  const std::string before = rig.Ask("show all");
  for (const char* wrong : {"1 rate_mbps -1",
                            "1 rate_mbps 100001",
                            "1 rate_mbps 1.5",
                            "1 rate_mbps 99999999999",
                            "1 trust dcsp",
                            "1 priority 8",
                            "1 pcp 8:1",
                            "1 pcp 1:8",
                            "1 pcp 1:",
                            "1 pcp :1",
                            "1 pcp 1:1,",
                            "1 pcp ,1:1",
                            "1 pcp 1:2:3",
                            "1 dscp 64:1",
                            "1 remark 26:64",
                            "1 remark_of odd",
                            "1 class x",
                            "1 ets 0:101",
                            "1 ets 0:strictly",
                            "1 pfc 8",
                            "1 pfc 3,",
                            "1 pfc nothing",
                            "1 xoff_kb 0",
                            "1 queue_kb 999999",
                            "1 cut maybe",
                            "1 lldp_ms 600001",
                            "1 lldp_pfc x",
                            "1 lldp_ets x",
                            "1 lldp_app 64:1",
                            "all shared_kb x",
                            "all most_frame 100",
                            "all link_local off",
                            "all cable yes",
                            "all ageing_s 9999999",
                            "1 pcp 00000000000000000000000000000000000001:1"}) {
    EXPECT_EQ(rig.Ask(std::string("set ") + wrong), "error: not a value of this knob\n") << wrong;
  }
  EXPECT_EQ(rig.Ask("show all"), before);
}

TEST(Control, NamesWhatIsWrongWithARequest) {
  Rig rig(2);
  for (const char* wrong :
       {"", "set", "show", "show 1 2", "set 1 pfc", "set 1 pfc 3 4", "a b c d e f g h i j"}) {
    EXPECT_THAT(rig.Ask(wrong), StartsWith("error: set PORT KNOB VALUE")) << wrong;
  }
  EXPECT_THAT(rig.Ask("show 3"), StartsWith("error: no such port"));
  EXPECT_THAT(rig.Ask("show 0"), StartsWith("error: no such port"));
  EXPECT_THAT(rig.Ask("set 1 speed 3"), StartsWith("error: no such knob"));
  EXPECT_THAT(rig.Ask("set 1 shared_kb 3"), StartsWith("error: no such knob"));
  EXPECT_THAT(rig.Ask("dance 1"), StartsWith("error: neither"));
  EXPECT_THAT(rig.Ask("seconds all"), StartsWith("error: seconds"));
}

TEST(Control, AnswersAnyBytesWithAWholeLine) {
  Rig rig(2);
  std::mt19937 random(4);
  const std::string pieces[] = {"set", "show", "1", "all", "pfc",  "ets",    "3,4", "0:50",
                                ",",   ":",    " ", "\t",  "\xff", "strict", "dscp"};
  for (int i = 0; i < 20'000; i++) {
    std::string line;
    for (std::size_t words = random() % 12; words > 0; words--)
      line += pieces[random() % std::size(pieces)] + (random() % 2 ? " " : "");
    const std::string answer = rig.Ask(line);
    ASSERT_TRUE(answer.ends_with("ok\n") || answer.starts_with("error: ")) << line;
    ASSERT_THAT(answer, EndsWith("\n"));
  }
}

TEST(Counters, SayWhatPassedByPortPriorityAndSecond) {
  Rig rig(3);
  rig.Introduce();
  rig.now_ns = 100 * kSecond;
  rig.Set("2 rate_mbps 8");
  for (int i = 0; i < 3; i++) rig.Receive(1, Ipv4Frame(2, 1, 26, 0, 1000));
  rig.Transmit(2);
  rig.Set("2 queue_kb 0");
  rig.Receive(1, Ipv4Frame(2, 1, 26, 0, 1000));
  const std::string answer = rig.Ask("counters all");
  EXPECT_THAT(answer, ContainsRegex("switch second=100 in=7 in_bytes=4180 copied=3 "));
  EXPECT_THAT(answer, HasSubstr("port=1 priority=3 in=4 in_bytes=4000 "));
  EXPECT_THAT(answer, ContainsRegex("port=2 priority=3 in=0 .*out=1 out_bytes=1000 queued=2 queued_bytes=2000 "
                                    ".*dropped=1 dropped_bytes=1000 "
                                    "dropped_queue=1 "));
  EXPECT_THAT(
      rig.Ask("seconds 2"),
      HasSubstr(
          "second=100 port=2 priority=3 in=0 in_bytes=0 out=1 out_bytes=1000 dropped=1 dropped_bytes=1000 "
          "marked=0 marked_bytes=0 most_queued_bytes=3000\n"));
  EXPECT_THAT(rig.Ask("counters 1"), Not(HasSubstr("port=2")));
}

TEST(Counters, KeepABoundNumberOfSeconds) {
  Rig rig(2);
  rig.Introduce();
  for (int i = 0; i < 200; i++) {
    rig.now_ns = static_cast<std::uint64_t>(1000 + i) * kSecond;
    for (int j = 0; j <= i; j++) rig.Receive(1, Ipv4Frame(2, 1, 0, 0, 100));
    rig.Drain(2);
  }
  const std::string rows = rig.Ask("seconds 1");
  EXPECT_EQ(std::ranges::count(rows, '\n'), kSeconds + 1);
  EXPECT_THAT(rows, StartsWith("second=1136 port=1 priority=0 in=137 "));
  EXPECT_THAT(rows, HasSubstr("second=1199 port=1 priority=0 in=200 "));
  rig.now_ns += 1000 * kSecond;
  EXPECT_EQ(rig.Ask("seconds 1"), "ok\n");
}

TEST(Counters, FitTheAnswerWhereSixteenPortsAreBusy) {
  Rig rig(kMostPorts);
  for (int port = 1; port <= kMostPorts; port++) {
    for (PriorityCounters& counters : rig.At(port).counters.of) std::memset(&counters, 0xff, sizeof(counters));
    for (std::uint64_t i = 0; i < kSeconds; i++) {
      Second* second = SecondAt(&rig.At(port).counters, rig.now_ns + i * kSecond);
      std::memset(second->of, 0xff, sizeof(second->of));
    }
  }
  rig.now_ns += (kSeconds - 1) * kSecond;
  for (const char* line : {"counters all", "seconds 16", "show all"})
    EXPECT_THAT(rig.Ask(line), EndsWith("\nok\n")) << line;
}

}  // namespace
}  // namespace fabric

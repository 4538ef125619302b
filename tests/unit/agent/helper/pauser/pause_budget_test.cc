// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/pause_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/base/status.h"
#include "tests/unit/agent/helper/pauser/stepping_clock.h"

namespace rdmaready::helper {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

const PausePortKey kPort{.pci = "0000:3b:00.0/0", .permanent_mac = "02:00:00:00:00:01"};
const PausePortKey kOther{.pci = "0000:3b:00.1/0", .permanent_mac = "02:00:00:00:00:02"};

class PauseBudgetTest : public testing::Test {
 protected:
  PauseBudgetTest() {
    std::filesystem::create_directories(directory_);
    EXPECT_EQ(::chmod(directory_.c_str(), 0700), 0);
  }
  ~PauseBudgetTest() override { std::filesystem::remove_all(directory_); }

  // As a process that has just been started.
  absl::Status Take(int pause_ms, const PausePortKey& port = kPort) {
    return PauseBudget(file_, {.boot_id = boot, .clock = &clock}).Take(port, milliseconds(pause_ms));
  }
  void Pass(Clock::TimePoint::duration time) {
    clock.now += time;
    clock.wall += std::chrono::duration_cast<Clock::WallTime::duration>(time);
  }
  void Reboot() {
    boot += "-next";
    clock.now = Clock::TimePoint(minutes(1));
  }
  void Write(std::string_view text) {
    std::ofstream(file_) << text;
    ASSERT_EQ(::chmod(file_.c_str(), 0600), 0);
  }
  std::string Text() const {
    std::ifstream file(file_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  const std::string directory_ = testing::TempDir() + "pause-budget-" + std::to_string(::getpid());
  const std::string file_ = directory_ + "/budget";
  SteppingClock clock{};
  std::string boot = "boot";
};

TEST_F(PauseBudgetTest, GivesASecondInAnHourAndNoMore) {
  EXPECT_TRUE(Take(600).ok());
  EXPECT_TRUE(Take(400).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Take(1)));
}

TEST_F(PauseBudgetTest, GivesEachPortItsOwn) {
  EXPECT_TRUE(Take(1'000).ok());
  EXPECT_TRUE(Take(1'000, kOther).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Take(1, kOther)));
}

TEST_F(PauseBudgetTest, TakesNothingForWhatItRefuses) {
  EXPECT_TRUE(Take(900).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Take(200)));
  EXPECT_TRUE(Take(100).ok());
}

TEST_F(PauseBudgetTest, SaysWhenSoMuchIsFree) {
  EXPECT_TRUE(Take(300).ok());
  Pass(minutes(10));
  EXPECT_TRUE(Take(600).ok());
  const absl::Status refused = Take(200);
  // The 300 ms are free in 50 minutes, and with them there are 400.
  EXPECT_THAT(Message(refused),
              HasSubstr("900 ms of it are used: 200 ms more are free in 3000 s, at 2026-09-"));
  EXPECT_THAT(Message(refused), HasSubstr(" UTC"));
  EXPECT_THAT(Message(Take(1'000)), HasSubstr("in 3600 s"));
}

TEST_F(PauseBudgetTest, GivesBackAfterAnHour) {
  EXPECT_TRUE(Take(1'000).ok());
  Pass(hours(1) - seconds(1));
  EXPECT_TRUE(absl::IsResourceExhausted(Take(1)));
  Pass(seconds(1));
  EXPECT_TRUE(Take(1'000).ok());
}

TEST_F(PauseBudgetTest, KnowsAPortByEitherOfItsNames) {
  EXPECT_TRUE(Take(1'000).ok());
  EXPECT_TRUE(
      absl::IsResourceExhausted(Take(1, {.pci = "0000:ff:00.0/0", .permanent_mac = kPort.permanent_mac})));
  EXPECT_TRUE(absl::IsResourceExhausted(Take(1, {.pci = kPort.pci})));
  // Two ports without a PCI address are not one.
  EXPECT_TRUE(Take(1, {.permanent_mac = "02:00:00:00:00:07"}).ok());
  EXPECT_TRUE(Take(1'000, {.permanent_mac = "02:00:00:00:00:08"}).ok());
}

TEST_F(PauseBudgetTest, GivesTwoFunctionsOfOnePhysicalPortOneHour) {
  const PausePortKey one{
      .pci = "0000:3b:00.0/0", .permanent_mac = "02:00:00:00:00:01", .physical_port = "3cfd"};
  const PausePortKey two{
      .pci = "0000:3b:00.2/0", .permanent_mac = "02:00:00:00:00:03", .physical_port = "3cfd"};
  EXPECT_TRUE(Take(1'000, one).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Take(1, two)));
  PausePortKey other = two;
  other.physical_port = "3cfe";
  EXPECT_TRUE(Take(1'000, other).ok());
}

TEST_F(PauseBudgetTest, KnowsForHowLongTheNewestPauseIsTaken) {
  const auto age = [this](const PausePortKey& port) {
    return PauseBudget(file_, {.boot_id = boot, .clock = &clock}).AgeOfNewest(port);
  };
  EXPECT_TRUE(Take(10).ok());
  Pass(minutes(3));
  EXPECT_TRUE(Take(10).ok());
  EXPECT_TRUE(Take(10, kOther).ok());
  Pass(seconds(7));
  EXPECT_EQ(*age(kPort), seconds(7));
  EXPECT_EQ(*age({.pci = "0000:ff:00.0/0"}), std::nullopt);
  Pass(hours(1));
  EXPECT_EQ(*age(kPort), std::nullopt);
  Write("{}");
  EXPECT_TRUE(absl::IsFailedPrecondition(age(kPort).status()));
}

TEST_F(PauseBudgetTest, RefusesAPortWithoutAName) { EXPECT_TRUE(absl::IsFailedPrecondition(Take(1, {}))); }

TEST_F(PauseBudgetTest, RefusesAPauseThatNoHourHolds) {
  EXPECT_TRUE(absl::IsInvalidArgument(Take(0)));
  EXPECT_TRUE(absl::IsInvalidArgument(Take(-5)));
  EXPECT_TRUE(absl::IsInvalidArgument(Take(1'001)));
}

TEST_F(PauseBudgetTest, GoesByTheClockOfTheBootAndNotByTheDate) {
  EXPECT_TRUE(Take(1'000).ok());
  for (const hours jump : {hours(-24), hours(24 * 400)}) {
    clock.wall += jump;
    EXPECT_TRUE(absl::IsResourceExhausted(Take(1))) << jump.count();
  }
}

TEST_F(PauseBudgetTest, SurvivesAReboot) {
  EXPECT_TRUE(Take(1'000).ok());
  Pass(minutes(20));
  Reboot();
  EXPECT_THAT(Message(Take(1)), HasSubstr("in 2400 s"));
  Pass(minutes(40));
  EXPECT_TRUE(Take(1'000).ok());
}

TEST_F(PauseBudgetTest, CountsFromTheRebootWhereTheDateHasJumpedBack) {
  EXPECT_TRUE(Take(1'000).ok());
  Reboot();
  clock.wall -= hours(24 * 365);
  EXPECT_THAT(Message(Take(1)), HasSubstr("in 3600 s"));
  Pass(minutes(30));
  EXPECT_THAT(Message(Take(1)), HasSubstr("in 1800 s"));
  Pass(minutes(29));
  EXPECT_TRUE(absl::IsResourceExhausted(Take(1)));
  Pass(minutes(1));
  EXPECT_TRUE(Take(1'000).ok());
}

TEST_F(PauseBudgetTest, GivesNoMoreAfterMoreReboots) {
  EXPECT_TRUE(Take(1'000).ok());
  for (int i = 0; i < 5; ++i) {
    Reboot();
    Pass(minutes(5));
    clock.wall -= minutes(10);
    EXPECT_TRUE(absl::IsResourceExhausted(Take(1))) << i;
  }
}

TEST_F(PauseBudgetTest, AllowsNothingWhileItsFileIsDamaged) {
  EXPECT_TRUE(Take(100).ok());
  const std::string whole = Text();
  for (const std::string& text :
       {std::string(), std::string("{}"), whole.substr(0, whole.size() / 2), std::string(R"({"boot_id": "boot",
        "taken": [{"pci": "a", "permanent_mac": "", "phys_port_id": "", "pause_ms": -1, "free_ns": 1, "unix_ns": 1}]})")}) {
    Write(text);
    EXPECT_TRUE(absl::IsFailedPrecondition(Take(1))) << text;
  }
  Write(whole);
  EXPECT_TRUE(Take(1).ok());
}

TEST_F(PauseBudgetTest, AllowsNothingWhileOthersMayWriteItsFile) {
  EXPECT_TRUE(Take(100).ok());
  ASSERT_EQ(::chmod(file_.c_str(), 0666), 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(Take(1)));
}

TEST_F(PauseBudgetTest, BelievesNoTimeBeyondAnHour) {
  Write(R"({"boot_id": "boot", "taken": [{"pci": "0000:3b:00.0/0", "permanent_mac": "", "phys_port_id": "",
            "pause_ms": 1000, "free_ns": 18446744073709551615, "unix_ns": 18446744073709551615}]})");
  EXPECT_THAT(Message(Take(1)), HasSubstr("in 3600 s"));
  Reboot();
  EXPECT_THAT(Message(Take(1)), HasSubstr("in 3600 s"));
}

TEST_F(PauseBudgetTest, FailsWithoutItsDirectory) {
  std::filesystem::remove_all(directory_);
  EXPECT_FALSE(Take(1).ok());
}

TEST_F(PauseBudgetTest, LimitsThePortsOfAnHour) {
  for (std::size_t i = 0; i < kMostPausedPorts; ++i) EXPECT_TRUE(Take(10, {.pci = std::to_string(i)}).ok());
  EXPECT_THAT(Message(Take(10)), HasSubstr("too many ports were paused in the last hour (limit 64)"));
  EXPECT_TRUE(Take(10, {.pci = "0"}).ok());
  Pass(hours(1));
  EXPECT_TRUE(Take(10).ok());
}

}  // namespace
}  // namespace rdmaready::helper

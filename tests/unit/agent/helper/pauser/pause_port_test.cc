// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/pause_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "api/model/pause_filters.h"

namespace rdmaready::helper {
namespace {

using testing::HasSubstr;

PausePort GoodPausePort() {
  return {.netdev = "ens1f0",
          .ifindex = 4,
          .driver = "mlx5_core",
          .key = {.pci = "0000:3b:00.0/0", .permanent_mac = "02:00:00:00:00:01"},
          .speed_mbps = 100'000,
          .ethernet = true,
          .carrier = true};
}

std::string Refusal(const PausePort& port) {
  const absl::Status status = CheckPausePort(port);
  return absl::IsFailedPrecondition(status) ? Message(status) : "not refused: " + status.ToString();
}

TEST(PausePort, AcceptsAnEthernetNicWithALink) { EXPECT_TRUE(CheckPausePort(GoodPausePort()).ok()); }

TEST(PausePort, RefusesAnInterfaceThatIsNotAnEthernetNic) {
  for (const auto break_it :
       {+[](PausePort& port) { port.ethernet = false; }, +[](PausePort& port) { port.wireless = true; },
        +[](PausePort& port) { port.stands_on_another = true; }}) {
    PausePort port = GoodPausePort();
    break_it(port);
    EXPECT_EQ(Refusal(port), "ens1f0 is not an Ethernet NIC");
  }
}

TEST(PausePort, RefusesAVirtualFunction) {
  PausePort port = GoodPausePort();
  port.virtual_function = true;
  EXPECT_THAT(Refusal(port), HasSubstr("is a virtual function"));
}

TEST(PausePort, RefusesAPortWithoutALink) {
  PausePort port = GoodPausePort();
  port.carrier = false;
  EXPECT_EQ(Refusal(port), "ens1f0 has no carrier");
}

TEST(PausePort, RefusesAPortOfUnknownSpeed) {
  PausePort port = GoodPausePort();
  port.speed_mbps = 0;
  EXPECT_THAT(Refusal(port), HasSubstr("does not say its speed"));
}

TEST(PausePort, RefusesADriverThatDropsPausesAndSaysWhereItDoes) {
  for (const PauseFilter& filter : kPauseFilters) {
    PausePort port = GoodPausePort();
    port.driver = filter.driver;
    EXPECT_THAT(Refusal(port),
                HasSubstr("drops the pause frames that its host sends: driver " + std::string(filter.driver)));
    EXPECT_THAT(Refusal(port), HasSubstr(std::string(filter.where)));
  }
}

TEST(PausePort, RejectsATextThatNamesNoInterface) {
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("../lo"),
        std::string("sixteen-letters-"), std::string("a b"), std::string("a\nb"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(IsNetdevName(name));
    EXPECT_TRUE(absl::IsInvalidArgument(ReadPausePort(name).status())) << name;
  }
  EXPECT_TRUE(IsNetdevName("fifteen-letters"));
}

// The one interface that every host has.
TEST(PausePort, RefusesTheLoopbackInterface) {
  const absl::StatusOr<PausePort> port = ReadPausePort("lo");
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_GT(port->ifindex, 0);
  EXPECT_FALSE(port->ethernet);
  EXPECT_EQ(Refusal(*port), "lo is not an Ethernet NIC");
}

TEST(PausePort, ReportsAMissingInterface) { EXPECT_FALSE(ReadPausePort("no-such-netdev").ok()); }

}  // namespace
}  // namespace rdmaready::helper

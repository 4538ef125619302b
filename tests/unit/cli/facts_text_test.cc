// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/render_text.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;

TEST(FactsText, SaysWhyAFactIsMissing) {
  Facts facts;
  facts.ports = Missing{.kind = Missing::Kind::kDenied, .detail = "RDMA netlink: Operation not permitted"};
  const std::string text = FactsText({.hosts = {{.host = "a", .facts = facts}}}, {});
  EXPECT_THAT(text, HasSubstr("(denied: RDMA netlink: Operation not permitted)"));
  EXPECT_THAT(text, HasSubstr("(not-collected)"));
}

TEST(FactsText, WritesUnits) {
  Facts facts;
  facts.memlock = Memlock{.limit_bytes = 65'536, .pid = 7};
  Port port;
  port.device = "rxe0";
  port.number = 1;
  port.active_mtu_bytes = 4096;
  port.cm_default_tos = std::uint8_t{106};
  Netdev netdev;
  netdev.name = "dcb0";
  netdev.mtu_bytes = 9000;
  netdev.speed_mbps = 25'000;
  netdev.dcb.pfc = Pfc{.capability = 8, .enabled = 1U << 3};
  port.netdev = netdev;
  facts.ports = std::vector<Port>{port};
  const std::string text = FactsText({.hosts = {{.host = "a", .facts = facts}}}, {});
  for (const char* part :
       {"64 KiB", "4096 B", "106 (DSCP 26)", "9000 B", "25 Gb/s", "PFC on 3", "port rxe0/1"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

}  // namespace
}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Port QuietPort() {
  Port port{.device = "mlx5_0", .number = 1};
  port.resources = RdmaResources{.qp = 2, .cq = 3};
  port.listeners = std::vector<RdmaListener>();
  return port;
}

CounterReading Reading(std::uint64_t sent, int at_ms) {
  CounterReading reading;
  reading.hw.counters = std::vector<Counter>{{"sent_pkts", sent}, {"rcvd_pkts", 0}};
  reading.when = std::chrono::steady_clock::time_point(std::chrono::milliseconds(at_ms));
  return reading;
}

TEST(PortUse, APortThatNobodyOpenedAndThatIsQuietIsFree) {
  EXPECT_THAT(UseOf(QuietPort(), Reading(5, 0), Reading(9, 500)), IsEmpty());
}

TEST(PortUse, AServerThatOnlyListensLeavesItFree) {
  Port port = QuietPort();
  port.resources = RdmaResources{.cm_id = 1};
  port.listeners = std::vector<RdmaListener>{{.port = 445, .kernel_name = "ksmbd"}};
  EXPECT_THAT(UseOf(port, Reading(5, 0), Reading(5, 500)), IsEmpty());
}

TEST(PortUse, AProcessAConnectionOrTrafficKeepTestsAway) {
  Port opened = QuietPort();
  opened.resources = RdmaResources{.ctx = 2};
  EXPECT_THAT(UseOf(opened, Reading(5, 0), Reading(5, 500)), HasSubstr("in use: 2 times opened"));
  Port connected = QuietPort();
  connected.resources = RdmaResources{.cm_id = 3};
  EXPECT_THAT(UseOf(connected, Reading(5, 0), Reading(5, 500)), HasSubstr("in use: 3 connections"));
  EXPECT_THAT(UseOf(QuietPort(), Reading(5, 0), Reading(9005, 500)),
              HasSubstr("in use: its counters grew by 9000"));
}

TEST(PortUse, WhatNobodyCanTellKeepsTestsAwayToo) {
  Port untold = QuietPort();
  untold.resources = Missing{Missing::Kind::kDenied, "not permitted"};
  EXPECT_THAT(UseOf(untold, Reading(5, 0), Reading(5, 500)), HasSubstr("not known: not permitted"));
  EXPECT_THAT(UseOf(QuietPort(), {}, {}), HasSubstr("not known"));
  EXPECT_THAT(UseOf(QuietPort(), Reading(5, 0), Reading(4, 500)), HasSubstr("not known"));
}

}  // namespace
}  // namespace rdmaready

// SPDX-License-Identifier: Apache-2.0
// ReportClient: when it is done with the callbacks that it was given.
#include "agent/report/report_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "api/client/report_channel.h"
#include "tests/support/eventually.h"

namespace rdmaready::report {
namespace {

TEST(ReportClient, StopAndWaitReturnsAfterTheLastCallback) {
  std::atomic<bool> begun = false;
  std::atomic<bool> ended = false;
  const auto client = std::make_shared<ReportClient>(
      ReportOptions{.host = {.host_id = "00000000-0000-4000-8000-000000000001", .hostname = "node1"},
                    .channel = [] { return ReportChannel("unix:/nonexistent/hub.sock", {}); },
                    .wake =
                        [&] {
                          begun = true;
                          // The stream is over by now: only this callback is left to wait for.
                          std::this_thread::sleep_for(std::chrono::milliseconds(50));
                          ended = true;
                        }});
  client->Tick(RealClock().Now());
  ASSERT_TRUE(Eventually([&] { return begun.load(); }));
  client->StopAndWait(std::chrono::minutes(1));
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace rdmaready::report

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/render/bundle_run.h"

namespace rdmaready {
namespace {

TEST(BundleJson, TellsTheFileItsHostsAndWhatIsNotInIt) {
  const BundleRun run{.file = "b.tar",
                      .bytes = 7,
                      .pseudonyms = true,
                      .hosts = {{.host = "node1", .pseudonym = "host-1"}, {.host = "node2", .error = "gone"}},
                      .left_out = {{.host = "node1", .what = "report.json", .why = "too large"}}};
  EXPECT_EQ(BundleJson(run), R"({
  "schema": "rdmaready.v1.BundleMade",
  "file": "b.tar",
  "bytes": 7,
  "pseudonyms": true,
  "hosts": [
    {
      "host": "node1",
      "pseudonym": "host-1",
      "error": ""
    },
    {
      "host": "node2",
      "pseudonym": "",
      "error": "gone"
    }
  ],
  "left_out": [
    {
      "host": "node1",
      "what": "report.json",
      "why": "too large"
    }
  ]
}
)");
}

TEST(EventsJson, KeepsTheFieldsOfAnEventInTheirOrder) {
  const std::vector<AgentEvent> events{
      {.unix_ns = 5, .level = "info", .name = "started", .fields = {{"version", "1"}, {"address", "\xff"}}}};
  EXPECT_EQ(EventsJson("node1", events), R"({
  "schema": "rdmaready.v1.Events",
  "host": "node1",
  "events": [
    {
      "unix_ns": 5,
      "level": "info",
      "event": "started",
      "fields": {
        "version": "1",
        "address": "\ufffd"
      }
    }
  ]
}
)");
  EXPECT_EQ(EventsJson("", {}),
            "{\n  \"schema\": \"rdmaready.v1.Events\",\n  \"host\": \"\",\n  \"events\": []\n}\n");
}

}  // namespace
}  // namespace rdmaready

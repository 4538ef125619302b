// SPDX-License-Identifier: Apache-2.0
// Bytes that an earlier version wrote: they are read, and written again as they are.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "agent/apply/journal.h"
#include "agent/apply/kept.h"
#include "api/convert/model_json.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBegun =
    R"-({"audit":{"head":"start","lines":1},"boot_id":"boot","change":{"begun_unix_ns":17958624000000000)-"
    R"-(01,"confirm_within_ms":60000,"deadline_in_ms":59000,"ended_unix_ns":0,"id":"00ff","proof":{"aske)-"
    R"-(d_for":true,"loopback":false,"loopback_text":"","peer":"b","peer_passed":false,"peer_text":"","p)-"
    R"-(lan_empty":false},"reason":"café","requester":"alice (tls CN=alice)","state":2,"steps":[{"state")-"
    R"-(:1,"step":{"api":"rtnetlink","commands":["ip link set dcb0 mtu 9000"],"disturbance":{"estimate_m)-"
    R"-(s":5,"link_down":true,"text":"short"},"from":"1500","mends":["mtu.path"],"object":{"kind":5,"nam)-"
    R"-(e":"","where":"dcb0"},"one_way":"","profile":"lossless","subject":"rxe0/1 dcb0","to":"9000"},"te)-"
    R"-(xt":""}]},"devices":[{"identity":"pci 0000:3b:00.0","object":{"kind":5,"name":"","where":"dcb0"})-"
    R"-(}],"snapshot":[{"object":{"kind":5,"name":"","where":"dcb0"},"value":"1500"}],"type":"begin","un)-"
    R"-(ix_ns":7})-";

constexpr std::string_view kKept =
    R"-({"kept":[{"boot_id":"boot","change":"00ff","device":3,"identity":"pci 0000:3b:00.0","setting":{")-"
    R"-(object":{"kind":5,"name":"","where":"dcb0"},"value":"9000"},"subject":"rxe0/1 dcb0","what":"mtu )-"
    R"-(of dcb0"}],"owed":[{"boot_id":"boot","change":"00ff","device":3,"identity":"","setting":{"object)-"
    R"-(":{"kind":7,"name":"","where":"dcb0"},"value":"on 3 delay 0"},"subject":"rxe0/1 dcb0","what":"pf)-"
    R"-(c of dcb0"}],"version":1})-"
    "\n";

TEST(WrittenEarlier, ReadsAndWritesTheBeginningOfAChangeAsItWas) {
  apply::JournalPast past;
  ASSERT_TRUE(apply::FoldRecord(kBegun, "boot", past).ok());
  ASSERT_TRUE(past.open);
  const Change& change = past.open->change;
  EXPECT_EQ(change.state, ChangeState::kWriting);
  EXPECT_EQ(change.begun_unix_ns, 1795862400000000001);
  EXPECT_EQ(change.reason, "caf\xc3\xa9");
  ASSERT_EQ(change.steps.size(), 1U);
  EXPECT_EQ(change.steps[0].state, StepState::kNotBegun);
  EXPECT_TRUE(change.steps[0].step.disturbance.link_down);
  EXPECT_EQ(past.open->identities.begin()->second, "pci 0000:3b:00.0");
  nlohmann::json record = nlohmann::json::parse(kBegun);
  for (const char* added : {"files", "unkept"}) record["change"][added] = nlohmann::json::array();
  record["change"]["persist"] = false;
  EXPECT_EQ(convert::KeptJson(change).dump(), record["change"].dump());
  EXPECT_EQ(convert::KeptJson(past.open->snapshot.at(0)).dump(), record["snapshot"][0].dump());
}

TEST(WrittenEarlier, ReadsAndWritesKeptSettingsAsTheyWere) {
  const absl::StatusOr<apply::KeptSettings> settings = apply::KeptSettingsOf(kKept);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->kept.at(0).setting.value, "9000");
  EXPECT_EQ(settings->owed.at(0).setting.object.kind, SettingKind::kPfc);
  EXPECT_EQ(apply::TextOf(*settings), kKept);
}

}  // namespace
}  // namespace rdmaready

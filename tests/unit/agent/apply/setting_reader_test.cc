// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/setting_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "checks/setting/table.h"
#include "collectors/collect.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"
#include "tests/support/source_tree.h"

namespace rdmaready {
namespace {

Recording RecordedAt(const std::string& fixture) {
  const auto saved = LoadRecordings(test::SourceTree() + "/tests/fixtures/hosts/" + fixture + "/saved");
  EXPECT_TRUE(saved.ok() && !saved->empty() && saved->front().recording.ok()) << fixture;
  return *saved->front().recording;
}

TEST(SettingReader, ReadsOfEachSettingWhatAWholeReadingHas) {
  std::size_t compared = 0;
  for (const char* fixture : {"stack", "two-rails-healthy", "two-rails-sick", "cable-pulled", "iwarp"}) {
    RecordedHost host(RecordedAt(fixture));
    for (const Setting& setting : SettingsOf(CollectFacts(host))) {
      const SettingValues values = ReadSettings(host, {setting.object});
      ASSERT_EQ(values.size(), 1U);
      const absl::StatusOr<std::string>& value = values.at(setting.object);
      // Of what stands on a port a whole reading takes the listing alone.
      if (absl::StrContains(value.status().message(), "ifindex: not in the recording")) continue;
      ASSERT_TRUE(value.ok()) << fixture << " " << TextOf(setting.object) << " " << value.status();
      EXPECT_EQ(*value, setting.value) << fixture << " " << TextOf(setting.object);
      ++compared;
    }
  }
  EXPECT_GT(compared, 20U);
}

TEST(SettingReader, ReadsManyAtOnceAsEachByItself) {
  RecordedHost host(RecordedAt("two-rails-healthy"));
  std::vector<SettingObject> objects;
  for (const Setting& setting : SettingsOf(CollectFacts(host))) objects.push_back(setting.object);
  const SettingValues together = ReadSettings(host, objects);
  for (const SettingObject& object : objects)
    EXPECT_EQ(together.at(object), ReadSettings(host, {object}).at(object)) << TextOf(object);
}

TEST(SettingReader, WhatIsNotThereIsAnErrorAndNoValue) {
  RecordedHost host(RecordedAt("stack"));
  for (const SettingObject& object :
       {SettingObject{SettingKind::kPfc, "nosuch0"}, SettingObject{SettingKind::kCmTos, "nosuch0/1"},
        SettingObject{SettingKind::kCmTos, "nosuch0"},
        SettingObject{SettingKind::kSysctl, "", "kernel.hostname"},
        SettingObject{SettingKind::kDevlinkParameter, "pci/0000:ff:00.0", "enable_roce"}, SettingObject{}})
    EXPECT_FALSE(ReadSettings(host, {object}).at(object).ok()) << TextOf(object);
}

}  // namespace
}  // namespace rdmaready

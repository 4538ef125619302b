// SPDX-License-Identifier: Apache-2.0
// The table read out of every host that was recorded: sorted, canonical, each object once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "api/base/status.h"
#include "checks/setting/table.h"
#include "collectors/collect.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"
#include "tests/support/source_tree.h"

namespace rdmaready {
namespace {

void ExpectInOrder(const Facts& facts, std::set<SettingKind>& seen) {
  std::set<SettingObject> objects;
  for (const SettingRow& row : SettingTable()) {
    const std::vector<Setting> read = row.read(facts);
    EXPECT_TRUE(std::ranges::is_sorted(read, {}, &Setting::object)) << NameOf(row.kind);
    for (const Setting& setting : read) {
      SCOPED_TRACE(TextOf(setting.object) + ": " + setting.value);
      EXPECT_EQ(setting.object.kind, row.kind);
      EXPECT_TRUE(IsCanonical(row.kind, setting.value));
      EXPECT_TRUE(objects.insert(setting.object).second);
      EXPECT_EQ(ValueOf(facts, setting.object), setting.value);
      EXPECT_TRUE(CommandsOf(PlaceOf(facts, setting.object), setting.value, setting.value).empty());
      seen.insert(row.kind);
    }
  }
}

TEST(SettingsOfRecordedHosts, AreInOrder) {
  std::set<SettingKind> seen;
  std::size_t hosts = 0;
  for (const auto& fixture :
       std::filesystem::directory_iterator(test::SourceTree() + "/tests/fixtures/hosts")) {
    if (!std::filesystem::exists(fixture.path() / "saved")) continue;  // described, not recorded
    const auto saved = LoadRecordings((fixture.path() / "saved").string());
    ASSERT_TRUE(saved.ok()) << Message(saved.status());
    for (const SavedRecording& one : *saved) {
      SCOPED_TRACE(one.folder);
      ASSERT_TRUE(one.recording.ok()) << Message(one.recording.status());
      RecordedHost host(*one.recording);
      ExpectInOrder(CollectFacts(host), seen);
      ++hosts;
    }
  }
  EXPECT_GT(hosts, 8U);
  // All kinds were recorded but those that no such host had.
  for (const SettingKind kind : kSettingKinds) {
    const bool rare = kind == SettingKind::kTrust || kind == SettingKind::kDevlinkParameter ||
                      kind == SettingKind::kPrivateFlag;
    EXPECT_TRUE(rare || seen.contains(kind)) << NameOf(kind);
  }
}

}  // namespace
}  // namespace rdmaready

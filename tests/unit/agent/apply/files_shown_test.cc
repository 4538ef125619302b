// SPDX-License-Identifier: Apache-2.0
// Files for the next boot that a plan shows: the applier makes them, and the agreed plan covers them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/base/plan_digest.h"
#include "api/base/status.h"
#include "checks/plan/plan.h"
#include "tests/unit/agent/apply/files_shop.h"
#include "tests/unit/checks/changed_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr const char* kOtherMtuText = "# Made by rdmaready.\n[Link]\nMTUBytes=4200\n";

// The plan as an agent shows it: settings by its own reading, files by the applier's.
Plan Shown(FilesShop& shop) {
  Plan plan = *shop.MakePlan();
  absl::StatusOr<OrderFiles> files = shop.applier->FilesOf({}, {});
  EXPECT_TRUE(files.ok()) << files.status();
  if (!files.ok()) return plan;
  plan.persist = std::move(files->persist);
  plan.unkept = std::move(files->unkept);
  plan.persist_from_applier = true;
  return plan;
}

TEST(ShownFiles, MatchTheWrittenOnes) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const Plan shown = Shown(shop);
  EXPECT_EQ(shown.persist, shop.files);
  shop.order.plan_sha256 = *PlanDigest(shown);
  shop.Confirmed();
  for (const PersistFile& file : shown.persist) EXPECT_EQ(shop.folder.Text(file.path), file.content);
}

TEST(ShownFiles, ChangeNothing) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const std::string journal = shop.FileText("journal");
  const std::string audit = shop.FileText("audit");
  Shown(shop);
  EXPECT_EQ(shop.host.values, PlainHost());
  EXPECT_TRUE(shop.host.asked.empty());
  EXPECT_EQ(shop.folder.All(), shop.empty);
  EXPECT_EQ(shop.FileText("journal"), journal);
  EXPECT_EQ(shop.FileText("audit"), audit);
  EXPECT_FALSE(shop.applier->Busy());
}

TEST(ShownFiles, RefuseAnOrderIfATextChanged) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  shop.order.plan_sha256 = *PlanDigest(Shown(shop));
  shop.files[0].content = kOtherMtuText;
  const absl::Status refused = shop.Apply().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(Message(refused), HasSubstr("not the one that was shown any more"));
  EXPECT_THAT(Message(refused), HasSubstr(kDropIn));
  EXPECT_EQ(shop.host.values, PlainHost()) << "nothing is set either";
  EXPECT_EQ(shop.folder.All(), shop.empty);
  shop.order.plan_sha256 = *PlanDigest(Shown(shop));
  shop.Confirmed();
  EXPECT_EQ(shop.folder.Text(kDropIn), kOtherMtuText);
}

TEST(ShownFiles, RefuseAnOrderIfOneMoreIsPlanned) {
  FilesShop shop;
  const PersistFile unit = shop.files[1];
  shop.files.resize(1);
  ASSERT_TRUE(shop.Start().ok());
  shop.order.plan_sha256 = *PlanDigest(Shown(shop));
  shop.files.push_back(unit);
  const absl::Status refused = shop.Apply().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(Message(refused), HasSubstr(kUnit));
}

TEST(ShownFiles, RefuseAnOrderWithoutSettingsIfATextChanged) {
  FilesShop shop;
  shop.wanted.clear();
  ASSERT_TRUE(shop.Start().ok());
  shop.order.plan_sha256 = *PlanDigest(Shown(shop));
  shop.files[1].content += "# more\n";
  const absl::Status refused = shop.Apply().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(Message(refused), HasSubstr(kUnit));
  EXPECT_EQ(shop.folder.All(), shop.empty);
}

// The leave for PFC goes: the unit that keeps it is not written any more.
TEST(ShownFiles, RefuseAnOrderIfOneLessMayBeWritten) {
  FilesShop shop;
  shop.wanted = {{kMtu, "9000"}};
  ASSERT_TRUE(shop.Start().ok());
  shop.order.plan_sha256 = *PlanDigest(Shown(shop));
  std::erase(shop.permission->settings, SettingKind::kPfc);
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Apply().status()));
}

TEST(ShownFiles, BindNoOrderWithoutFiles) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  shop.order.plan_sha256 = *PlanDigest(Shown(shop));
  shop.order.persist = false;
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Apply().status()));
  shop.order.plan_sha256 = *PlanDigest(*shop.MakePlan());
  EXPECT_TRUE(shop.Apply().ok());
}

TEST(ShownFiles, LeaveToAPersonWhatApplyDoesNotWrite) {
  FilesShop shop;
  std::erase(shop.permission->settings, SettingKind::kPfc);
  shop.wanted = {{kMtu, "9000"}};
  shop.files.push_back({.path = "/etc/rc.local", .content = "x", .note = "for a person"});
  ASSERT_TRUE(shop.Start().ok());
  const Plan shown = Shown(shop);
  ASSERT_EQ(shown.persist.size(), 3U);
  EXPECT_TRUE(shown.persist[0].by_apply);
  EXPECT_FALSE(shown.persist[1].by_apply);
  EXPECT_THAT(shown.persist[1].note, HasSubstr("apply.yaml does not allow to set pfc of dcb0"));
  EXPECT_EQ(shown.persist[2], shop.files[2]);
  shop.order.plan_sha256 = *PlanDigest(shown);
  const Change change = shop.Confirmed();
  EXPECT_EQ(StateOf(change.files, kDropIn), BootFileState::kWritten);
  EXPECT_FALSE(fs::exists(shop.folder.At(kUnit)));
}

TEST(ShownFiles, NeedTheLeaveOfAnOrder) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const int before = shop.readings;
  const Permission allowed = *shop.permission;
  const auto refusal = [&shop] { return shop.applier->FilesOf({}, {}).status(); };
  shop.permission->files = false;
  EXPECT_TRUE(absl::IsPermissionDenied(refusal()));
  EXPECT_THAT(Message(refusal()), HasSubstr("`files: true`"));
  shop.permission = absl::PermissionDeniedError("no apply.yaml");
  EXPECT_TRUE(absl::IsPermissionDenied(refusal()));
  EXPECT_EQ(shop.readings, before) << "refused before the host is read";
  shop.permission = allowed;
  shop.permission->profiles.clear();
  EXPECT_TRUE(absl::IsPermissionDenied(refusal()));
  shop.permission = allowed;
  shop.permission->ports = {"eth7"};
  EXPECT_TRUE(absl::IsPermissionDenied(refusal()));
  shop.permission = allowed;
  EXPECT_TRUE(refusal().ok());
}

TEST(ShownFiles, NeedAListedProfileBeforeTheHostIsRead) {
  FilesShop shop;
  shop.profiles = {{"another", std::string(64, 'b')}};
  ASSERT_TRUE(shop.Start().ok());
  const int before = shop.readings;
  EXPECT_TRUE(absl::IsPermissionDenied(shop.applier->FilesOf({}, {}).status()));
  EXPECT_EQ(shop.readings, before);
}

TEST(ShownFiles, WaitForTheEndOfAnOpenChange) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_TRUE(change.ok()) << change.status();
  const int before = shop.readings;
  const absl::Status refused = shop.applier->FilesOf({}, {}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(Message(refused), HasSubstr(change->id));
  EXPECT_EQ(shop.readings, before);
  ASSERT_TRUE(shop.applier->RollBack(change->id, "bob").ok());
  EXPECT_TRUE(shop.applier->FilesOf({}, {}).ok());
}

TEST(ShownFiles, CancelForAnAskerThatLeft) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const int before = shop.readings;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(absl::IsCancelled(shop.applier->FilesOf({}, stop.get_token()).status()));
  EXPECT_EQ(shop.readings, before);
}

TEST(ShownFiles, ComeForOneAskerAtATime) {
  FilesShop shop;
  absl::Status second;
  shop.amend = [&](Plan& plan) {
    plan.persist = shop.files;
    second = shop.applier->FilesOf({}, {}).status();
  };
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(shop.applier->FilesOf({}, {}).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(second)) << second;
  EXPECT_TRUE(shop.applier->FilesOf({}, {}).ok());
}

// ---- an agent that may not read a file, and an applier that may ----

// A NIC whose MTU some file of the boot has to keep.
Facts HostOf(std::vector<NamedDevice> managed, std::vector<std::string> unread) {
  Facts host = On("mlx5_core", [](Netdev& netdev) {
    netdev.mtu_bytes = 9000;
    netdev.permanent_mac = std::string("02:00:00:00:00:01");
    netdev.driver_info = DriverInfo{.bus = "0000:3b:00.0"};
  });
  host.boot_settings = BootSettings{.unread = std::move(unread)};
  host.managed_interfaces = std::move(managed);
  return host;
}

// The file that keeps the MTU of dcb0.
PersistFile MtuFileFor(const Facts& host) {
  const Profile profile = VirtualFabricProfile();
  const Plan plan = MakePlan(HostParts(host, profile), {.persist = true});
  for (const PersistFile& file : plan.persist)
    if (std::ranges::find(file.keeps, kMtu) != file.keeps.end()) return file;
  return {};
}

TEST(ShownFiles, ComeFromTheApplierWhereTheAgentMayNotReadAFile) {
  const char* source = "/run/systemd/network/10-netplan-stor0.network";
  const Facts of_agent = HostOf({}, {source});
  FilesShop shop;
  shop.facts = HostOf({{.device = "dcb0", .exact = true, .source = source}}, {});
  shop.files = {MtuFileFor(shop.facts)};
  ASSERT_EQ(shop.files[0].path, "/etc/netplan/90-rdmaready-dcb0.yaml");
  const PersistFile by_agent = MtuFileFor(of_agent);
  ASSERT_TRUE(by_agent.by_apply);
  ASSERT_NE(by_agent.path, shop.files[0].path) << "the two readings differ";
  ASSERT_TRUE(shop.Start().ok());
  const Plan shown = Shown(shop);
  ASSERT_EQ(shown.persist.size(), 1U);
  EXPECT_EQ(shown.persist[0].path, shop.files[0].path);
  shop.order.plan_sha256 = *PlanDigest(shown);
  shop.Confirmed();
  EXPECT_EQ(shop.folder.Text(shown.persist[0].path), shown.persist[0].content);
  EXPECT_FALSE(fs::exists(shop.folder.At(by_agent.path)));
}

}  // namespace
}  // namespace rdmaready

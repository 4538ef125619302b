// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/apply_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kSha(64, 'a');

const std::string kAllowsSome =
    "ports: [\"ens1f*\", mlx5_0/1, host]\n"
    "settings: [pfc, ets, pfc]\n"
    "profiles:\n"
    "  - {sha256: " +
    kSha +
    ", name: ours}\n"
    "  - sha256: " +
    std::string(64, '7') +
    "\n"
    "confirm_within: {least: 20, most: 120}\n"
    "one_way: true\n"
    "put_back: {most_per_hour: 4}\n"
    "changes: {most_per_hour: 12}\n"
    "peer: nas1.example.org\n";

std::string TroubleOf(const std::string& yaml) {
  const auto permission = ParseApplyFile(yaml, "a.yaml");
  return permission.ok() ? "none" : Message(permission.status());
}

TEST(ApplyFile, SaysWhatMayBeChanged) {
  const auto permission = ParseApplyFile(kAllowsSome, "a.yaml");
  ASSERT_TRUE(permission.ok()) << permission.status();
  EXPECT_THAT(permission->ports, ElementsAre("ens1f*", "mlx5_0/1", "host"));
  EXPECT_THAT(permission->settings, ElementsAre(SettingKind::kPfc, SettingKind::kEts));
  ASSERT_THAT(permission->profiles, SizeIs(2));
  EXPECT_EQ(permission->profiles[0], (Permission::ListedProfile{.sha256 = kSha, .name = "ours"}));
  EXPECT_EQ(permission->least_confirm_within_ms, 20'000U);
  EXPECT_EQ(permission->most_confirm_within_ms, 120'000U);
  EXPECT_TRUE(permission->one_way);
  EXPECT_EQ(permission->put_back_most_per_hour, 4U);
  EXPECT_EQ(permission->changes_most_per_hour, 12U);
  EXPECT_EQ(permission->peer, "nas1.example.org");
}

TEST(ApplyFile, WhatItDoesNotSayIsNotAllowed) {
  const auto permission = ParseApplyFile("ports: []\n", "a.yaml");
  ASSERT_TRUE(permission.ok()) << permission.status();
  EXPECT_EQ(*permission, Permission());
  EXPECT_FALSE(permission->one_way);
  EXPECT_FALSE(permission->put_back_most_per_hour);
  EXPECT_THAT(permission->profiles, IsEmpty());
}

TEST(ApplyFile, AllowsFilesForTheNextBootIfItSaysSo) {
  EXPECT_TRUE(ParseApplyFile("files: true\n", "a.yaml")->files);
  EXPECT_FALSE(ParseApplyFile("files: false\n", "a.yaml")->files);
  EXPECT_FALSE(ParseApplyFile("ports: []\n", "a.yaml")->files);
  EXPECT_THAT(TextOf(Permission{.ports = {"a"},
                                .settings = {SettingKind::kMtu},
                                .profiles = {{.sha256 = kSha, .name = "ours"}},
                                .files = true}),
              Contains("files for the next boot"));
}

TEST(ApplyFile, AllMeansEverySettingThatThereIs) {
  const auto permission = ParseApplyFile("settings: [all]\n", "a.yaml");
  ASSERT_TRUE(permission.ok()) << permission.status();
  EXPECT_THAT(permission->settings, testing::ElementsAreArray(kSettingKinds));
}

TEST(ApplyFile, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_THAT(TroubleOf(""), HasSubstr("the file is empty"));
  EXPECT_EQ(TroubleOf("ports: []\nport: [x]\n"), "a.yaml:2: unknown key `port` (did you mean `ports`?)");
  EXPECT_EQ(TroubleOf("ports: []\nconfirm_within: {least: 10, longest: 20}\n"),
            "a.yaml:2: unknown key `longest` in `confirm_within`");
  EXPECT_EQ(TroubleOf("ports: []\nsettings:\n  - pfc\n  - pfcc\n"),
            "a.yaml:4: `settings`: `pfcc` is no setting (did you mean `pfc`?)");
  EXPECT_THAT(TroubleOf("settings: [unknown]\n"), HasSubstr("`unknown` is no setting"));
  EXPECT_THAT(TroubleOf("settings: all\n"), HasSubstr("a.yaml:1: key `settings` wants a list"));
  EXPECT_THAT(TroubleOf("profiles:\n  - {name: smb-direct-roce}\n"),
              HasSubstr("a.yaml:2: `profiles`: a profile needs its `sha256`"));
  EXPECT_THAT(TroubleOf("profiles:\n  - sha256: " + std::string(64, 'A') + "\n"), HasSubstr("64 lower-case"));
  EXPECT_THAT(TroubleOf("profiles:\n  - sha256: " + std::string(63, 'a') + "\n"), HasSubstr("64 lower-case"));
  EXPECT_THAT(TroubleOf("ports:\n  - ens1\n  - \"ens1 ens2\"\n"), HasSubstr("a.yaml:3: `ports`: "));
  EXPECT_THAT(TroubleOf("ports: [\"\"]\n"), HasSubstr("`ports`: a port is a pattern"));
  EXPECT_THAT(TroubleOf("one_way: yes\n"), HasSubstr("wants true or false"));
  EXPECT_THAT(TroubleOf("peer: \"a b\"\n"), HasSubstr("`peer`: a host's name"));
}

TEST(ApplyFile, TheTimeForConfirmingHasItsLimits) {
  EXPECT_THAT(TroubleOf("confirm_within: {least: 0}\n"), HasSubstr("`least` is 1 or more"));
  EXPECT_THAT(TroubleOf("confirm_within: {least: 61, most: 60}\n"), HasSubstr("not more than `most`"));
  EXPECT_THAT(TroubleOf("confirm_within: {most: 9}\n"), HasSubstr("not more than `most`"));
  EXPECT_THAT(TroubleOf("confirm_within: {most: 86401}\n"), HasSubstr("more than a day"));
  EXPECT_THAT(TroubleOf("confirm_within: {most: 4294967}\n"), HasSubstr("more than a day"));
  EXPECT_EQ(TroubleOf("confirm_within: {least: 1, most: 86400}\n"), "none");
}

TEST(ApplyFile, PuttingBackNeedsItsLimit) {
  EXPECT_THAT(TroubleOf("changes: {}\n"), HasSubstr("it needs `most_per_hour`, 1 to 1000"));
  EXPECT_THAT(TroubleOf("changes: {most_per_hour: 1001}\n"), HasSubstr("1 to 1000"));
  EXPECT_THAT(TroubleOf("put_back: {}\n"), HasSubstr("it needs `most_per_hour`"));
  EXPECT_THAT(TroubleOf("put_back: {most_per_hour: 0}\n"), HasSubstr("it needs `most_per_hour`"));
  EXPECT_THAT(TroubleOf("put_back: {most_per_hour: 3601}\n"), HasSubstr("1 to 3600"));
}

TEST(ApplyFile, IsBounded) {
  std::string many = "ports: [";
  for (int i = 0; i < 65; ++i) many += "a,";
  EXPECT_THAT(TroubleOf(many + "a]\n"), HasSubstr("the list is too long"));
}

class ApplyFileOnDisk : public testing::Test {
 protected:
  ApplyFileOnDisk() {
    std::filesystem::create_directories(directory_);
    EXPECT_EQ(::chmod(directory_.c_str(), 0755), 0);
    Write(path_, kAllowsSome);
  }
  ~ApplyFileOnDisk() override { std::filesystem::remove_all(directory_); }

  static void Write(const std::string& path, const std::string& text, ::mode_t mode = 0644) {
    std::ofstream(path) << text;
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
  absl::Status Load(::uid_t owner = ::geteuid()) const { return LoadApplyFile(path_, owner).status(); }

  const std::string directory_ = testing::TempDir() + "apply file " + std::to_string(::getpid());
  const std::string path_ = directory_ + "/apply.yaml";
};

TEST_F(ApplyFileOnDisk, IsBelievedOnlyWhereNobodyElseCanWriteIt) {
  EXPECT_TRUE(Load().ok()) << Load();
  for (const ::mode_t mode : {0664U, 0646U, 0666U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(Load().code(), absl::StatusCode::kFailedPrecondition) << Load();
  }
}

TEST_F(ApplyFileOnDisk, IsBelievedOnlyWhereNobodyElseCanPutItThere) {
  for (const ::mode_t mode : {0775U, 0757U, 01777U}) {
    ASSERT_EQ(::chmod(directory_.c_str(), mode), 0);
    EXPECT_EQ(Load().code(), absl::StatusCode::kFailedPrecondition) << Load();
  }
}

TEST_F(ApplyFileOnDisk, OfAnotherUserIsNotBelieved) {
  EXPECT_EQ(Load(::geteuid() + 1).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ApplyFileOnDisk, ASymbolicLinkIsNotFollowed) {
  const std::string other = directory_ + "/other.yaml";
  std::filesystem::rename(path_, other);
  std::filesystem::create_symlink(other, path_);
  EXPECT_EQ(Load().code(), absl::StatusCode::kFailedPrecondition) << Load();
  EXPECT_THAT(Message(Load()), HasSubstr("symbolic link"));
}

TEST_F(ApplyFileOnDisk, OneThatIsNotThereSaysSo) {
  std::filesystem::remove(path_);
  EXPECT_THAT(Message(Load()), HasSubstr("apply.yaml: No such file or directory"));
  std::filesystem::remove_all(directory_);
  EXPECT_THAT(Message(Load()), HasSubstr("apply.yaml: No such file or directory"));
}

TEST_F(ApplyFileOnDisk, WhatIsNoFileIsNotRead) {
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(Message(Load()), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace rdmaready::helper

// SPDX-License-Identifier: Apache-2.0
// What makes a host one of a fleet: the old generation or the new one, whatever breaks off, and nothing that
// the hub answers is believed unseen.
#include "agent/enrol/identity_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/enrol/granted.h"
#include "agent/enrol/identity_keeper.h"
#include "api/pki/authority.h"
#include "api/pki/key.h"
#include "api/pki/newer_lists.h"

namespace rdmaready::enrol {
namespace {

using testing::HasSubstr;

class IdentityFilesTest : public testing::Test {
 protected:
  IdentityFilesTest() {
    std::filesystem::create_directories(root_);
    EXPECT_TRUE(pki::Authority::Create(root_ + "/ca", "test").ok());
  }
  ~IdentityFilesTest() override { std::filesystem::remove_all(root_); }

  v1::HostCertificate Granted(::EVP_PKEY& key) {
    const auto ca = pki::Authority::Open(root_ + "/ca");
    const auto issued = ca->Issue({.kind = pki::Kind::kHost, .name = "node1"}, key);
    EXPECT_TRUE(issued.ok()) << issued.status();
    v1::HostCertificate answer;
    answer.set_host_id(issued->entry.identity);
    answer.set_certificate_pem(issued->certificate_pem);
    answer.set_roots_pem(*ca->Bundle());
    answer.set_revocations_pem(Lists());
    return answer;
  }
  std::string Lists() const {
    std::ifstream stream(root_ + "/ca/crl.pem");
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  Generation Made() { return *JudgeGranted(Granted(*key_), *key_, ""); }

  const std::string root_ = testing::TempDir() + "identity " + std::to_string(::getpid());
  const IdentityFiles files_{root_ + "/state"};
  const pki::PrivateKey key_ = *pki::MakeKey();
};

TEST_F(IdentityFilesTest, NothingCountsUntilItIsSwitchedTo) {
  const auto lock = files_.Lock();
  ASSERT_TRUE(lock.ok());
  EXPECT_FALSE(files_.Enrolled());
  const auto staged = files_.Stage(Made());
  ASSERT_TRUE(staged.ok()) << staged.status();
  EXPECT_FALSE(files_.Enrolled());
  EXPECT_TRUE(LoadTls(files_.FilesOf(*staged), TlsRole::kServer).ok());
  ASSERT_TRUE(files_.Switch(*staged).ok());
  EXPECT_TRUE(files_.Enrolled());
  EXPECT_TRUE(LoadTls(files_.Files(), TlsRole::kServer).ok());
}

TEST_F(IdentityFilesTest, TheOneBeforeStaysUntilTheSwitchAndGoesWithIt) {
  const auto lock = files_.Lock();
  const std::string first = *files_.Stage(Made());
  ASSERT_TRUE(files_.Switch(first).ok());
  const std::string id = files_.Read()->host_id;
  const std::string left = *files_.Stage(Made());  // and its process is killed
  const std::string second = *files_.Stage(Made());
  EXPECT_EQ(files_.Read()->host_id, id);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/state/identity/" + left));
  ASSERT_TRUE(files_.Switch(second).ok());
  EXPECT_NE(files_.Read()->host_id, id);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/state/identity/" + first));
}

TEST_F(IdentityFilesTest, APendingKeyIsTheSameUntilItIsForgotten) {
  const auto lock = files_.Lock();
  const auto first = files_.PendingKey();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(pki::SameKey(**first, **files_.PendingKey()));
  files_.ForgetPendingKey();
  EXPECT_FALSE(pki::SameKey(**first, **files_.PendingKey()));
}

TEST_F(IdentityFilesTest, OnlyNewerListsOfTheRootsAreTaken) {
  const auto lock = files_.Lock();
  ASSERT_TRUE(files_.Switch(*files_.Stage(Made())).ok());
  const std::string before = files_.Lists();
  EXPECT_TRUE(absl::IsAlreadyExists(files_.PutLists(before)));
  ASSERT_TRUE(pki::Authority::Open(root_ + "/ca")->RenewRevocationList().ok());
  const std::string newer = Lists();
  std::string forged = newer;
  forged[newer.size() / 2] = forged[newer.size() / 2] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(files_.PutLists(forged).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(files_.PutLists("")));
  EXPECT_TRUE(files_.PutLists(newer).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(files_.PutLists(before))) << "who replays an old one lets the revoked in";
  EXPECT_EQ(files_.Lists(), newer);
  ASSERT_TRUE(pki::Authority::Create(root_ + "/other", "other").ok());
  std::ifstream stream(root_ + "/other/crl.pem");
  const std::string foreign{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_FALSE(files_.PutLists(foreign).ok());
  EXPECT_FALSE(files_.PutLists(newer + foreign).ok());
}

TEST_F(IdentityFilesTest, WhatTheHubAnswersIsJudged) {
  const v1::HostCertificate good = Granted(*key_);
  EXPECT_TRUE(JudgeGranted(good, *key_, good.host_id()).ok());
  EXPECT_THAT(JudgeGranted(good, *pki::MakeKey().value(), "").status().message(), HasSubstr("another key"));
  EXPECT_THAT(JudgeGranted(good, *key_, "another").status().message(), HasSubstr("another host"));
  v1::HostCertificate bad = good;
  bad.set_host_id("00000000-0000-4000-8000-000000000001");
  EXPECT_FALSE(JudgeGranted(bad, *key_, "").ok());
  bad = good;
  bad.clear_revocations_pem();
  EXPECT_FALSE(JudgeGranted(bad, *key_, "").ok());
  ASSERT_TRUE(pki::Authority::Create(root_ + "/other", "other").ok());
  bad = good;
  bad.set_roots_pem(*pki::Authority::Open(root_ + "/other")->Bundle());
  EXPECT_FALSE(JudgeGranted(bad, *key_, "").ok());
  ASSERT_TRUE(pki::Authority::Open(root_ + "/ca")->Revoke(good.host_id()).ok());
  bad = good;
  bad.set_revocations_pem(Lists());
  EXPECT_THAT(JudgeGranted(bad, *key_, "").status().message(), HasSubstr("revoked"));
}

TEST(RenewAtTest, ItIsTwoThirdsOfTheLifeGiveOrTakeATenth) {
  const Identity identity{.not_before_unix_s = 1'000'000 - 300, .not_after_unix_s = 1'000'000 + 9'000};
  EXPECT_EQ(RenewAtUnixS(identity, 0.5), 1'006'000);
  EXPECT_EQ(RenewAtUnixS(identity, 0.0), 1'005'400);
  EXPECT_EQ(RenewAtUnixS(identity, 1.0), 1'006'600);
}

}  // namespace
}  // namespace rdmaready::enrol

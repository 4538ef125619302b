// SPDX-License-Identifier: Apache-2.0
// Who may join a fleet and who is sent away, by a real authority and a real store.
#include "hub/enrol/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include "api/client/certificate.h"
#include "api/pki/fingerprint.h"
#include "api/pki/key.h"
#include "api/pki/newer_lists.h"
#include "api/pki/request.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/support/fake_clock.h"

namespace rdmaready::hub {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class AdmissionTest : public testing::Test {
 protected:
  AdmissionTest() {
    clock_.SetWall(RealClock().Wall());  // of those who sign beside it
    std::filesystem::create_directories(root_);
    EXPECT_TRUE(pki::Authority::Create(authority_, "test").ok());
    auto ca = pki::Authority::Open(authority_);
    hub_key_ = *pki::MakeKey();
    auto issued = ca->Issue({.kind = pki::Kind::kHub, .name = "hub1"}, *hub_key_);
    std::ofstream(root_ + "/hub.pem") << issued->certificate_pem;
    store_ = *SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
    Open();
  }
  ~AdmissionTest() override {
    admission_.reset();
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  void Open() {
    auto made = TryOpen();
    ASSERT_TRUE(made.ok()) << made.status();
    admission_ = *std::move(made);
  }
  absl::StatusOr<std::unique_ptr<Admission>> TryOpen() {
    return Admission::Open({.authority = authority_,
                            .clock = &clock_,
                            .events = [this](const Event& event) { told_.emplace_back(event.name); },
                            .trail = trail_.get()},
                           {.certificate = root_ + "/hub.pem"}, *store_);
  }

  std::string Secret(const NewTokens& wanted = {}) {
    auto made = admission_->MakeTokens(wanted, "anna");
    EXPECT_TRUE(made.ok()) << made.status();
    secret_of_last_ = pki::ParseToken(made->tokens.front().text)->secret;
    return secret_of_last_;
  }
  static Admission::Application With(const std::string& secret, ::EVP_PKEY& key) {
    return {.secret = secret, .request_pem = *pki::MakeRequest(key, "hub.example.org"), .hostname = "node1"};
  }
  absl::StatusOr<HostCredentials> Enrol(const std::string& secret, ::EVP_PKEY& key) {
    return admission_->Enrol(With(secret, key), "ipv4:10.0.0.7");
  }

  const std::string root_ = testing::TempDir() + "admission " + std::to_string(::getpid());
  const std::string authority_ = root_ + "/ca";
  FakeClock clock_;
  std::vector<std::string> told_{};
  std::string secret_of_last_{};
  pki::PrivateKey hub_key_{};
  std::unique_ptr<SqliteFleetStore> store_;
  std::unique_ptr<AuditTrail> trail_;  // null: nothing is written down
  std::unique_ptr<Admission> admission_;
  pki::PrivateKey key_ = *pki::MakeKey();
  pki::PrivateKey other_key_ = *pki::MakeKey();
};

TEST_F(AdmissionTest, ACertificateSaysWhatTheHubSaysAndNothingOfTheRequest) {
  const auto made = Enrol(Secret(), *key_);
  ASSERT_TRUE(made.ok()) << made.status();
  const Certificate certificate = std::move(ParseCertificates(made->certificate_pem)->front());
  EXPECT_EQ(pki::HostIdOf(*certificate), made->host_id);
  EXPECT_FALSE(CarriesName(*certificate, "hub.example.org"));
  EXPECT_FALSE(CarriesName(*certificate, "node1")) << "what a host says of itself is no name of its";
  EXPECT_THAT(SubjectText(*certificate), HasSubstr(made->host_id));
  const auto named = Enrol(Secret({.names = {"node7.example.org"}}), *other_key_);
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_TRUE(CarriesName(*ParseCertificates(named->certificate_pem)->front(), "node7.example.org"));
}

TEST_F(AdmissionTest, OfTwoThatRaceWithOneTokenOneGetsIt) {
  for (int round = 0; round < 3; ++round) {
    const std::string secret = Secret();
    std::array<absl::Status, 2> results;
    {
      std::jthread one([&] { results[0] = Enrol(secret, *key_).status(); });
      std::jthread two([&] { results[1] = Enrol(secret, *other_key_).status(); });
    }
    EXPECT_EQ(results[0].ok() + results[1].ok(), 1) << results[0] << results[1];
    EXPECT_TRUE(absl::IsPermissionDenied(results[0].ok() ? results[1] : results[0]));
    admission_.reset();
    Open();  // wrong tries are forgotten
  }
}

TEST_F(AdmissionTest, WhoWasLetInByWhichTokenIsWrittenDownAndWhoWasNot) {
  trail_ = std::make_unique<AuditTrail>(*store_, "one", nullptr);
  admission_.reset();
  Open();
  const auto made = Enrol(Secret({.names = {"node7.example.org"}}), *key_);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_FALSE(Enrol(std::string(32, 'x'), *other_key_).ok());
  std::vector<FleetAuditEntry> entries;
  ASSERT_TRUE(
      store_->Audit("one", 0, 0, 100, [&](FleetAuditEntry&& entry) { entries.push_back(std::move(entry)); })
          .ok());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].verb, "enrol");
  EXPECT_EQ(entries[0].outcome, "asked");
  EXPECT_EQ(entries[0].peer, "ipv4:10.0.0.7");
  EXPECT_EQ(entries[0].who, "token " + TokenId(*pki::TokenDigest({.secret = secret_of_last_})));
  EXPECT_EQ(entries[0].detail, "host " + made->host_id + " as node7.example.org, which calls itself node1");
  EXPECT_THAT(entries[1].outcome, HasSubstr("refused: no token of this hub"));
  EXPECT_EQ(entries[1].who, "");
}

TEST_F(AdmissionTest, AReplayedEnrolmentIsTheSameHostAndAnotherKeyIsRefused) {
  const std::string secret = Secret({.lasts_s = 60});
  const auto first = Enrol(secret, *key_);
  const auto again = Enrol(secret, *key_);
  ASSERT_TRUE(first.ok() && again.ok()) << first.status() << again.status();
  EXPECT_EQ(first->host_id, again->host_id);
  EXPECT_THAT(Enrol(secret, *other_key_).status().message(), HasSubstr("used already by node1"));
  clock_.Advance(std::chrono::seconds(61));
  EXPECT_THAT(Enrol(secret, *key_).status().message(), HasSubstr("ended at"));
}

TEST_F(AdmissionTest, AReplayedEnrolmentOfARevokedHostGivesNothing) {
  const std::string secret = Secret();
  const auto made = Enrol(secret, *key_);
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(admission_->Revoke(made->host_id, "anna", "a drill").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Enrol(secret, *key_).status()));
  EXPECT_TRUE(
      absl::IsPermissionDenied(admission_->Renew(made->host_id, *pki::MakeRequest(*other_key_, "x")).status()));
  admission_.reset();
  Open();
  EXPECT_EQ(admission_->RevokedOf(made->host_id)->why, "a drill") << "it stands in the store";
  EXPECT_TRUE(absl::IsPermissionDenied(Enrol(secret, *key_).status()));
}

TEST_F(AdmissionTest, ARenewalKeepsIdAndNamesAndComesNotTooOften) {
  const auto first = Enrol(Secret({.names = {"node7.example.org"}}), *key_);
  ASSERT_TRUE(first.ok());
  const std::string request = *pki::MakeRequest(*other_key_, "x");
  const auto next = admission_->Renew(first->host_id, request);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(next->host_id, first->host_id);
  const Certificate certificate = std::move(ParseCertificates(next->certificate_pem)->front());
  EXPECT_TRUE(CarriesName(*certificate, "node7.example.org"));
  EXPECT_TRUE(pki::SameKey(*::X509_get0_pubkey(certificate.get()), *other_key_));
  EXPECT_TRUE(absl::IsResourceExhausted(admission_->Renew(first->host_id, request).status()));
  clock_.Advance(std::chrono::seconds(120));
  EXPECT_TRUE(admission_->Renew(first->host_id, request).ok());
  EXPECT_TRUE(
      absl::IsFailedPrecondition(admission_->Renew("00000000-0000-4000-8000-000000000001", request).status()));
}

TEST_F(AdmissionTest, TwoRevocationsInOneSecondAreTwoListsAndTheSecondIsNewer) {
  const auto one = Enrol(Secret(), *key_);
  const auto two = Enrol(Secret(), *other_key_);
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_TRUE(admission_->Revoke(one->host_id, "anna", "x").ok());
  const std::string first = admission_->Lists()->pem;
  ASSERT_TRUE(admission_->Revoke(two->host_id, "anna", "x").ok());
  const std::string second = admission_->Lists()->pem;
  EXPECT_TRUE(pki::CheckNewerLists(second, first, one->roots_pem).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(pki::CheckNewerLists(first, second, one->roots_pem)))
      << "an old one is no news";
  EXPECT_TRUE(absl::IsAlreadyExists(pki::CheckNewerLists(second, second, one->roots_pem)));
}

TEST_F(AdmissionTest, TokensHaveBounds) {
  EXPECT_TRUE(absl::IsInvalidArgument(admission_->MakeTokens({.lasts_s = 86'401}, "anna").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(admission_->MakeTokens({.count = 1'001}, "anna").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(admission_->MakeTokens({.names = {"no name"}}, "anna").status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(admission_->MakeTokens({.note = std::string(300, 'x')}, "anna").status()));
  EXPECT_THAT(admission_->MakeTokens({.count = 3}, "anna")->tokens, SizeIs(3));
  EXPECT_TRUE(absl::IsNotFound(admission_->Withdraw({"0123"}, "anna").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(Enrol(std::string(32, 'x'), *key_).status()));
  EXPECT_TRUE(absl::IsUnauthenticated(Enrol("short", *key_).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      admission_->Enrol({.secret = Secret(), .request_pem = "no request"}, "x").status()));
}

TEST_F(AdmissionTest, AWithdrawnTokenIsRefusedAndAUsedOneStaysUsed) {
  const MadeTokens made = *admission_->MakeTokens({.count = 2}, "anna");
  ASSERT_TRUE(Enrol(pki::ParseToken(made.tokens[0].text)->secret, *key_).ok());
  EXPECT_EQ(*admission_->Withdraw({made.tokens[0].id, made.tokens[1].id}, "bob"), 1u);
  EXPECT_THAT(Enrol(pki::ParseToken(made.tokens[1].text)->secret, *key_).status().message(),
              HasSubstr("withdrawn by bob"));
}

TEST_F(AdmissionTest, OldTokensAreForgottenAndListsRenewedBeforeTheyAreDue) {
  Secret({.lasts_s = 60});
  const std::string before = admission_->Lists()->pem;
  EXPECT_FALSE(admission_->LookAfter());
  clock_.Advance(std::chrono::seconds(25 * 3'600));
  EXPECT_TRUE(admission_->LookAfter());
  EXPECT_GT(pki::HighestListNumber(admission_->Lists()->pem), pki::HighestListNumber(before));
  EXPECT_THAT(*admission_->Tokens({}, 10), SizeIs(1)) << "who used which is still to be seen";
  clock_.Advance(std::chrono::seconds(31 * 24 * 3'600));
  admission_->LookAfter();
  EXPECT_THAT(*admission_->Tokens({}, 10), SizeIs(0));
}

TEST_F(AdmissionTest, AnAuthorityThatOthersCanReadIsRefused) {
  std::filesystem::permissions(authority_, std::filesystem::perms(0750));
  EXPECT_TRUE(absl::IsFailedPrecondition(TryOpen().status())) << TryOpen().status();
}

TEST(TryLimiterTest, WhoGuessesWaitsLongerAndLongerAndOthersDoNot) {
  TryLimiter limiter;
  TryLimiter::Time now{};
  for (int i = 0; i < TryLimiter::kFreeTries; ++i) {
    EXPECT_EQ(limiter.Wait("a", now).count(), 0);
    limiter.Wrong("a", now);
  }
  EXPECT_EQ(limiter.Wait("a", now), std::chrono::seconds(1));
  now += std::chrono::seconds(1);
  EXPECT_EQ(limiter.Wait("a", now).count(), 0);
  limiter.Wrong("a", now);
  EXPECT_EQ(limiter.Wait("a", now), std::chrono::seconds(2));
  EXPECT_EQ(limiter.Wait("b", now).count(), 0);
  limiter.Right("a");
  EXPECT_EQ(limiter.Wait("a", now).count(), 0);
}

TEST(TryLimiterTest, AllTogetherHaveABoundInAMinute) {
  TryLimiter limiter;
  const TryLimiter::Time now{};
  EXPECT_EQ(limiter.Wait("x", now).count(), 0);
  for (int i = 0; i < TryLimiter::kMostWrongAMinute; ++i) limiter.Wrong(std::to_string(i), now);
  EXPECT_GT(limiter.Wait("new", now).count(), 0);
  EXPECT_EQ(limiter.Wait("new", now + std::chrono::seconds(61)).count(), 0);
  EXPECT_EQ(limiter.wrong(), static_cast<std::uint64_t>(TryLimiter::kMostWrongAMinute));
}

}  // namespace
}  // namespace rdmaready::hub

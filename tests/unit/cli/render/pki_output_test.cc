// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/render/pki_run.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kPkiDay = std::int64_t{86'400} * 1'000'000'000;
constexpr std::int64_t kPkiNow = 20'000 * kPkiDay;

pki::IndexEntry Entry(char digit, const std::string& name, std::int64_t days) {
  return {.serial = std::string(32, digit),
          .kind = pki::Kind::kHub,
          .name = name,
          .identity = name,
          .names = {"DNS:" + name},
          .not_after_unix_ns = kPkiNow + days * kPkiDay};
}

TEST(PkiOutput, SaysHowEachCertificateStands) {
  pki::IndexEntry revoked = Entry('4', "d", 50);
  revoked.revoked_unix_ns = kPkiNow - kPkiDay;
  const std::vector<PkiCertificate> judged = JudgedCertificates(
      {Entry('1', "a", 50), Entry('2', "b", 13), Entry('3', "c", -1), revoked, Entry('5', "b", 90)}, kPkiNow);
  EXPECT_EQ(judged[0].state, CertificateState::kValid);
  EXPECT_EQ(judged[1].state, CertificateState::kExpiring);
  EXPECT_TRUE(judged[1].replaced);
  EXPECT_EQ(judged[2].state, CertificateState::kExpired);
  EXPECT_EQ(judged[3].state, CertificateState::kRevoked);
  EXPECT_EQ(judged[4].state, CertificateState::kValid);
  EXPECT_FALSE(judged[4].replaced);
}

TEST(PkiOutput, ARevokedSuccessorReplacesNothing) {
  pki::IndexEntry successor = Entry('2', "a", 90);
  successor.revoked_unix_ns = kPkiNow;
  EXPECT_FALSE(JudgedCertificates({Entry('1', "a", 5), successor}, kPkiNow)[0].replaced);
}

TEST(PkiOutput, IsTextForPeopleAndAnObjectForPrograms) {
  PkiRun run{.action = PkiAction::kList,
             .directory = "ca",
             .certificates = JudgedCertificates({Entry('1', "hub1", 5)}, kPkiNow),
             .notes = {"1 expires within 14 days"}};
  const std::string text = PkiText(run, {});
  EXPECT_THAT(text, HasSubstr("expiring hub      hub1"));
  EXPECT_THAT(text, HasSubstr("serial " + std::string(32, '1')));
  EXPECT_THAT(text, Not(HasSubstr("host id")));
  const auto json = nlohmann::json::parse(PkiJson(run));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Pki");
  EXPECT_EQ(json["certificates"][0]["state"], "expiring");
  EXPECT_EQ(json["certificates"][0]["not_after_unix_ns"], kPkiNow + 5 * kPkiDay);
  EXPECT_EQ(json["certificates"][0]["kind"], "hub");
  EXPECT_EQ(json["certificates"][0]["host_id"], "");
  EXPECT_EQ(json["certificates"][0]["revoked_unix_ns"], 0);
  EXPECT_EQ(json["action"], "list");
  run.certificates.clear();
  EXPECT_THAT(PkiText(run, {}), HasSubstr("no certificate was issued"));
}

// An index is a file: whatever it holds, a terminal is not told what to do.
TEST(PkiOutput, ShowsNothingThatATerminalObeys) {
  PkiRun run{.action = PkiAction::kList, .certificates = JudgedCertificates({Entry('1', "x", 5)}, kPkiNow)};
  run.certificates[0].entry.name = "\x1b[31mx";
  run.certificates[0].entry.names = {"DNS:\x1b]0;x\a"};
  EXPECT_THAT(PkiText(run, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(PkiJson(run), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace rdmaready

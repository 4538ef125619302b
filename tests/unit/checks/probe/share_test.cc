// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/probe/probe.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void SetOfShare(ProbeResult& result, const std::string& name, const std::string& value) {
  const auto known = std::ranges::find(result.values, name, &ProbeValue::name);
  if (known == result.values.end()) {
    result.values.push_back({name, value});
  } else {
    known->value = value;
  }
}

ProbeStep& StepOf(ProbeResult& result, std::string_view name) {
  return *std::ranges::find(result.steps, name, &ProbeStep::name);
}

// Files moved over RDMA to a server that says so.
ProbeResult GoodShare() {
  ProbeResult result{.protocol = Protocol::kSmb,
                     .target = "files",
                     .address = "10.0.0.2",
                     .port_number = 445,
                     .local_port = "rxe0/1",
                     .transport = "roce-v2"};
  for (const char* step : {"resolve", "route", "tcp-connect", "tcp-negotiate", "rdma-connect", "smbd-negotiate",
                           "smb2-negotiate", "share-mount", "share-files"}) {
    result.steps.push_back({.name = step, .outcome = StepOutcome::kDone});
  }
  result.steps.push_back({.name = "share-inquire"});
  SetOfShare(result, "tcp-dialect", "3.1.1");
  SetOfShare(result, "smb2-dialect", "3.1.1");
  SetOfShare(result, "share-client-smb-direct", "yes");
  SetOfShare(result, "share-connection", "rdma");
  SetOfShare(result, "share-signed", "no");
  SetOfShare(result, "share-encrypted", "no");
  SetOfShare(result, "share-server-interfaces", "10.0.0.2 25Gbps rdma");
  SetOfShare(result, "share-address-announced-rdma", "yes");
  SetOfShare(result, "share-moved-bytes", "1000000");
  SetOfShare(result, "share-port-bytes", "1200000");
  SetOfShare(result, "share-new-tcp-connections", "0");
  result.transfers = {{.case_name = "share-read-512k",
                       .operation = Operation::kRead,
                       .message_bytes = 524288,
                       .messages = 2,
                       .bytes = 1000000,
                       .bytes_verified = 1000000,
                       .throughput_bytes_per_s = 61'000'000}};
  return result;
}

Finding Found(const ProbeResult& result, std::string_view id) {
  for (Finding& finding : JudgeProbe(result)) {
    if (finding.id == id) return finding;
  }
  ADD_FAILURE() << "no finding " << id;
  return {};
}

TEST(ShareChecks, PassForFilesThatWentOverRdma) {
  for (const char* id :
       {"share.mount", "share.files", "share.over-rdma", "share.direct-placement", "share.announced"}) {
    const Finding finding = Found(GoodShare(), id);
    EXPECT_EQ(finding.outcome, Outcome::kPass) << id << ": " << finding.observed;
    EXPECT_EQ(finding.rung, Rung::kShare);
    EXPECT_THAT(finding.source, Not(IsEmpty()));
  }
  EXPECT_THAT(Found(GoodShare(), "share.files").observed, HasSubstr("read-512k 61"));
}

TEST(ShareChecks, AreNotMadeForAWalkThatEndsAtTheServer) {
  ProbeResult result = GoodShare();
  std::erase_if(result.steps, [](const ProbeStep& step) { return step.name.starts_with("share"); });
  for (const Finding& finding : JudgeProbe(result)) EXPECT_EQ(finding.rung, Rung::kServer) << finding.id;
}

TEST(ShareChecks, NeverTakeTcpForRdma) {
  const std::pair<const char*, const char*> signs[] = {
      {"share-connection", "tcp"}, {"share-new-tcp-connections", "1"}, {"share-port-bytes", "4096"}};
  for (const auto& [name, value] : signs) {
    ProbeResult result = GoodShare();
    SetOfShare(result, name, value);
    const Finding finding = Found(result, "share.over-rdma");
    EXPECT_EQ(finding.outcome, Outcome::kFail) << name;
    EXPECT_TRUE(finding.blocking);
    EXPECT_THAT(finding.fix, HasSubstr("probe smb files"));
  }
}

TEST(ShareChecks, ProveNothingByFilesThatWereNotMovedOrAStateThatWasNotRead) {
  for (const char* name : {"share-connection", "share-moved-bytes", "share-new-tcp-connections"}) {
    ProbeResult result = GoodShare();
    std::erase_if(result.values, [name](const ProbeValue& value) { return value.name == name; });
    EXPECT_EQ(Found(result, "share.over-rdma").outcome, Outcome::kUnknown) << name;
  }
}

TEST(ShareChecks, AcceptAPortThatCountsNothingWhenTheRestAgrees) {
  ProbeResult result = GoodShare();
  std::erase_if(result.values, [](const ProbeValue& value) { return value.name == "share-port-bytes"; });
  const Finding finding = Found(result, "share.over-rdma");
  EXPECT_EQ(finding.outcome, Outcome::kWarn) << "two witnesses are not three";
  EXPECT_THAT(finding.observed, HasSubstr("counts no traffic"));
}

TEST(ShareChecks, SayWhyTheShareWasNotMounted) {
  ProbeResult result = GoodShare();
  StepOf(result, "share-mount") = {.name = "share-mount",
                                   .outcome = StepOutcome::kFailed,
                                   .failure = {FailureKind::kRejected, "mount //files/a: Permission denied"}};
  Finding finding = Found(result, "share.mount");
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_THAT(finding.observed, HasSubstr("Permission denied"));
  SetOfShare(result, "share-client-smb-direct", "no");
  finding = Found(result, "share.mount");
  EXPECT_THAT(finding.observed, HasSubstr("without SMB Direct"));
  EXPECT_THAT(finding.fix, HasSubstr("CIFS_SMB_DIRECT"));
}

TEST(ShareChecks, TakeTroubleOfThisHostForNoAnswer) {
  ProbeResult result = GoodShare();
  StepOf(result, "share-mount") = {
      .name = "share-mount",
      .outcome = StepOutcome::kFailed,
      .failure = {FailureKind::kSetup, "mount //files/a: Operation not permitted"}};
  EXPECT_EQ(Found(result, "share.mount").outcome, Outcome::kUnknown);
}

TEST(ShareChecks, NameAFileThatCouldNotBeRemoved) {
  ProbeResult result = GoodShare();
  SetOfShare(result, "share-file-left", ".rdmaready-1.tmp: Permission denied");
  const Finding finding = Found(result, "share.files");
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_THAT(finding.observed, HasSubstr(".rdmaready-1.tmp"));
}

TEST(ShareChecks, FailForAByteThatCameBackOtherwise) {
  ProbeResult result = GoodShare();
  StepOf(result, "share-files") = {
      .name = "share-files",
      .outcome = StepOutcome::kFailed,
      .failure = {FailureKind::kCorrupt, "other bytes came back than were written"}};
  EXPECT_EQ(Found(result, "share.files").outcome, Outcome::kFail);
  result = GoodShare();
  result.transfers.front().bytes_verified = 0;
  EXPECT_EQ(Found(result, "share.files").outcome, Outcome::kUnknown);
}

TEST(ShareChecks, WarnOfDataThatIsCopiedAndOfAnAddressThatIsNotAnnounced) {
  for (const char* name : {"share-signed", "share-encrypted"}) {
    ProbeResult result = GoodShare();
    SetOfShare(result, name, "yes");
    EXPECT_EQ(Found(result, "share.direct-placement").outcome, Outcome::kWarn) << name;
    EXPECT_EQ(Found(result, "share.over-rdma").outcome, Outcome::kPass);
  }
  ProbeResult result = GoodShare();
  SetOfShare(result, "share-address-announced-rdma", "no");
  EXPECT_EQ(Found(result, "share.announced").outcome, Outcome::kWarn);
  std::erase_if(result.values,
                [](const ProbeValue& value) { return value.name == "share-address-announced-rdma"; });
  EXPECT_EQ(Found(result, "share.announced").outcome, Outcome::kWarn);
}

}  // namespace
}  // namespace rdmaready

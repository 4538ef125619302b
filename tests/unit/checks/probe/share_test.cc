// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "checks/probe/probe.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  result.answers.tcp.dialect = "3.1.1";
  result.answers.smb.dialect = "3.1.1";
  result.answers.share.client_smb_direct = true;
  result.answers.share.connection = ShareAnswers::Connection::kRdma;
  result.answers.share.is_signed = false;
  result.answers.share.encrypted = false;
  result.answers.share.server_interfaces = "10.0.0.2 25Gbps rdma";
  result.answers.share.address_announced_rdma = true;
  result.answers.share.moved_bytes = 1'000'000;
  result.answers.share.port_bytes = 1'200'000;
  result.answers.share.new_tcp_connections = 0;
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
  const std::function<void(ShareAnswers&)> signs[] = {
      [](ShareAnswers& share) { share.connection = ShareAnswers::Connection::kTcp; },
      [](ShareAnswers& share) {
        share.new_tcp_connections = 1;
        share.port_bytes = 4096;
      },
      [](ShareAnswers& share) { share.port_bytes = 4096; }};
  for (const auto& sign : signs) {
    ProbeResult result = GoodShare();
    sign(result.answers.share);
    const Finding finding = Found(result, "share.over-rdma");
    EXPECT_EQ(finding.outcome, Outcome::kFail) << finding.observed;
    EXPECT_TRUE(finding.blocking);
    EXPECT_THAT(WhatToDo(finding), HasSubstr("probe smb files"));
  }
}

TEST(ShareChecks, ProveNothingByFilesThatWereNotMovedOrAStateThatWasNotRead) {
  const std::function<void(ShareAnswers&)> gaps[] = {
      [](ShareAnswers& share) { share.connection = ShareAnswers::Connection::kUnknown; },
      [](ShareAnswers& share) { share.moved_bytes.reset(); },
      [](ShareAnswers& share) { share.new_tcp_connections.reset(); }};
  for (const auto& gap : gaps) {
    ProbeResult result = GoodShare();
    gap(result.answers.share);
    const Finding finding = Found(result, "share.over-rdma");
    EXPECT_EQ(finding.outcome, Outcome::kUnknown) << finding.observed;
  }
}

TEST(ShareChecks, DoNotBlameTheShareForAnothersConnection) {
  ProbeResult result = GoodShare();
  result.answers.share.new_tcp_connections = 2;
  const Finding counted = Found(result, "share.over-rdma");
  EXPECT_EQ(counted.outcome, Outcome::kPass) << counted.observed;
  EXPECT_THAT(counted.observed,
              HasSubstr("2 new TCP connection to port 445 (of somebody else, or of this mount)"));
  result.answers.share.port_bytes.reset();
  EXPECT_EQ(Found(result, "share.over-rdma").outcome, Outcome::kUnknown) << "one witness is not enough";
}

TEST(ShareChecks, AcceptAPortThatCountsNothingWhenTheRestAgrees) {
  ProbeResult result = GoodShare();
  result.answers.share.port_bytes.reset();
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
  result.answers.share.client_smb_direct = false;
  finding = Found(result, "share.mount");
  EXPECT_THAT(finding.observed, HasSubstr("without SMB Direct"));
  EXPECT_THAT(WhatToDo(finding), HasSubstr("CIFS_SMB_DIRECT"));
}

TEST(ShareChecks, TakeTroubleOfThisHostForNoAnswer) {
  ProbeResult result = GoodShare();
  StepOf(result, "share-mount") = {
      .name = "share-mount",
      .outcome = StepOutcome::kFailed,
      .failure = {FailureKind::kSetup, "mount //files/a: Operation not permitted"}};
  EXPECT_EQ(Found(result, "share.mount").outcome, Outcome::kUnknown);
}

TEST(ShareChecks, SayWhoCouldAllowAProofThatIsNotAllowed) {
  ProbeResult result = GoodShare();
  StepOf(result, "share-mount") = {
      .name = "share-mount",
      .outcome = StepOutcome::kFailed,
      .failure = {FailureKind::kSetup, "not allowed: proofs.yaml does not name smb a of files"}};
  const Finding finding = Found(result, "share.mount");
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_THAT(finding.observed, HasSubstr("not allowed: "));
  EXPECT_THAT(WhatToDo(finding), HasSubstr("rdmaready-prover.socket"));
}

TEST(ShareChecks, NameAFileThatCouldNotBeRemoved) {
  ProbeResult result = GoodShare();
  result.answers.share.file_left = ".rdmaready-1.tmp: Permission denied";
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

TEST(ShareChecks, DoNotKnowWhetherDataIsCopiedWithoutBothAnswers) {
  for (const auto flag : {&ShareAnswers::is_signed, &ShareAnswers::encrypted}) {
    ProbeResult result = GoodShare();
    (result.answers.share.*flag).reset();
    EXPECT_EQ(Found(result, "share.direct-placement").outcome, Outcome::kUnknown);
  }
}

TEST(ShareChecks, WarnOfDataThatIsCopiedAndOfAnAddressThatIsNotAnnounced) {
  for (const auto flag : {&ShareAnswers::is_signed, &ShareAnswers::encrypted}) {
    ProbeResult result = GoodShare();
    result.answers.share.*flag = true;
    EXPECT_EQ(Found(result, "share.direct-placement").outcome, Outcome::kWarn);
    EXPECT_EQ(Found(result, "share.over-rdma").outcome, Outcome::kPass);
  }
  ProbeResult result = GoodShare();
  result.answers.share.address_announced_rdma = false;
  EXPECT_EQ(Found(result, "share.announced").outcome, Outcome::kWarn);
  result.answers.share.address_announced_rdma.reset();
  EXPECT_EQ(Found(result, "share.announced").outcome, Outcome::kWarn);
}

}  // namespace
}  // namespace rdmaready

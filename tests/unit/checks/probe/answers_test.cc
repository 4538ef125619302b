// SPDX-License-Identifier: Apache-2.0
#include "checks/probe/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready {
namespace {

using testing::IsEmpty;

using Texts = std::vector<AnswerText>;

TEST(AnswerTexts, OfNothingToldAreNone) { EXPECT_THAT(AnswerTexts({}), IsEmpty()); }

TEST(AnswerTexts, SayFlagsNumbersAndWords) {
  EXPECT_EQ(AnswerTexts({.tcp = {.dialect = "3.1.1", .multi_channel = false},
                         .rdma = {.local_iwarp = true, .ird = 0},
                         .smb = {.signing = SmbAnswers::Signing::kRequired,
                                 .smbd_minimum = SmbAnswers::Minimum::kDropped},
                         .share = {.connection = ShareAnswers::Connection::kTcp},
                         .nvme = {.model = ""},
                         .time_up = "nfs-read"}),
            (Texts{{"tcp-dialect", "3.1.1"},
                   {"tcp-multi-channel", "no"},
                   {"local-iwarp", "yes"},
                   {"rdma-ird", "0"},
                   {"smb2-signing", "required"},
                   {"smbd-accepts-minimum", "no"},
                   {"share-connection", "tcp"},
                   {"nvme-model", ""},
                   {"time-up", "nfs-read"}}));
}

TEST(AnswerTexts, SayWhyTheConnectionWasRefused) {
  const auto text = [](RdmaRefusal refusal) { return AnswerTexts({.rdma = {.refusal = refusal}}); };
  using Refused = RdmaRefusal::Kind;
  EXPECT_EQ(text({.kind = Refused::kNoListener}), (Texts{{"rdma-refusal", "no-listener"}}));
  EXPECT_EQ(text({.kind = Refused::kReason, .reason = 10}), (Texts{{"rdma-refusal", "reason 10"}}));
}

TEST(AnswerTexts, NumberWhatIsListed) {
  EXPECT_EQ(AnswerTexts({.nvme = {.listed = {{"nqn.one", "tcp", "10.0.0.2", "8009"},
                                             {"nqn.two", "rdma", "10.0.0.2", "4420"}},
                                  .subsystems = 2},
                         .iser = {.targets = 1, .listed = {{"iqn.a", {"10.0.0.2:3260,1", "[fd00::2]:3260,1"}}}},
                         .nfs = {.refused = {{"3", "no such program"}, {"4.0", "no"}}}}),
            (Texts{{"nvme-subsystem-1", "nqn.one"},
                   {"nvme-subsystem-1-at", "tcp 10.0.0.2:8009"},
                   {"nvme-subsystem-2", "nqn.two"},
                   {"nvme-subsystem-2-at", "rdma 10.0.0.2:4420"},
                   {"nvme-subsystems", "2"},
                   {"iser-targets", "1"},
                   {"iser-target-1", "iqn.a"},
                   {"iser-target-1-at", "10.0.0.2:3260,1 [fd00::2]:3260,1"},
                   {"nfs-3-refused", "no such program"},
                   {"nfs-4.0-refused", "no"}}));
}

}  // namespace
}  // namespace rdmaready

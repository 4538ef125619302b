// SPDX-License-Identifier: Apache-2.0
#include "checks/words/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "api/model/fact.h"
#include "api/model/remedy.h"
#include "api/model/report.h"
#include "checks/words/fix.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

Remedy RemedyFor(Missing::Kind kind, std::string detail, std::string_view source = "sysfs") {
  const Verdict verdict = NoAnswer({.kind = kind, .detail = std::move(detail)}, "an answer", source);
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  return verdict.fix.remedy();
}

TEST(NoAnswer, OffersWhatFitsTheErrorOfAFailedRead) {
  const auto cause = [](const char* detail) { return RemedyFor(Missing::Kind::kFailed, detail).cause; };
  EXPECT_THAT(cause("read state: Input/output error"), HasSubstr("did not answer"));
  EXPECT_THAT(cause("read state: Connection timed out"), HasSubstr("did not answer"));
  EXPECT_THAT(cause("read state: No such device"), HasSubstr("went away"));
  EXPECT_THAT(cause("read state: Too many open files"), HasSubstr("ran out"));
  EXPECT_THAT(cause("\"x\" is not a number"), HasSubstr("does not know"));
  for (const char* detail : {"Input/output error", "No such device", "Cannot allocate memory", "\"x\""})
    EXPECT_EQ(FirstCommand(RemedyFor(Missing::Kind::kFailed, detail)), "rdmaready check") << detail;
}

TEST(NoAnswer, NamesTheHelperThatReadsWhatTheAgentMayNot) {
  constexpr auto kDenied = Missing::Kind::kDenied;
  EXPECT_EQ(FirstCommand(RemedyFor(kDenied, "", "devlink info")),
            "systemctl enable --now rdmaready-reader.socket");
  EXPECT_EQ(FirstCommand(RemedyFor(kDenied, "", "LLDP")), "systemctl enable --now rdmaready-listener.socket");
}

}  // namespace
}  // namespace rdmaready

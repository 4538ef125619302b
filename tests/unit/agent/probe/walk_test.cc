// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/walk.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(Walk, CutsEveryTextThatAServerChose) {
  const std::string text(1000, 'x');
  ProbeAnswers answers{.nvme = {.model = text, .listed = {{.nqn = text, .service = "4420"}}},
                       .iser = {.listed = {{.name = text, .portals = {"short", text}}}},
                       .nfs = {.refused = {{.version = "3", .reason = text}}},
                       .time_up = text};
  CutTexts(answers);
  const std::string cut(256, 'x');
  const ProbeAnswers expected{.nvme = {.model = cut, .listed = {{.nqn = cut, .service = "4420"}}},
                              .iser = {.listed = {{.name = cut, .portals = {"short", cut}}}},
                              .nfs = {.refused = {{.version = "3", .reason = cut}}},
                              .time_up = cut};
  EXPECT_EQ(answers, expected);
}

TEST(Walk, TellsWhyAConnectionWasRefused) {
  EXPECT_EQ(RefusalOf({.refusal = Refusal::kNoListener}),
            (RdmaRefusal{.kind = RdmaRefusal::Kind::kNoListener}));
  EXPECT_EQ(RefusalOf({.refusal = Refusal::kOther, .reject_reason = 10}),
            (RdmaRefusal{.kind = RdmaRefusal::Kind::kReason, .reason = 10}));
}

}  // namespace
}  // namespace rdmaready

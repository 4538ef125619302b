// SPDX-License-Identifier: Apache-2.0
#include "agent/change_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ChangeBook::TimePoint kNow{std::chrono::hours(1)};

Change ChangeIn(ChangeState state, const std::string& id = "1a2b3c4d") {
  return {.id = id, .requester = "anna", .state = state};
}

absl::StatusOr<ApplierStatus> Away() { return absl::UnavailableError("rdmaready-applier is not running"); }

TEST(ChangeBook, AnApplierThatIsThereAndDoesNotAnswerIsNoHostWithoutOne) {
  bool trace = false;
  ChangeBook book([](const std::string&) {}, [&trace] { return trace; });
  const Fact<ApplyState> never = book.State(Away, kNow);
  EXPECT_EQ(never.missing().kind, Missing::Kind::kUnsupported);
  trace = true;
  const Fact<ApplyState> dead = book.State(Away, kNow + std::chrono::minutes(1));
  EXPECT_EQ(dead.missing().kind, Missing::Kind::kFailed) << "its journal may hold a failed rollback";
}

TEST(ChangeBook, AnApplierThatAnsweredOnceIsMissedWithoutATrace) {
  ChangeBook book([](const std::string&) {}, [] { return false; });
  ASSERT_TRUE(book.State([] { return ApplierStatus(); }, kNow));
  EXPECT_EQ(book.State(Away, kNow + std::chrono::minutes(1)).missing().kind, Missing::Kind::kFailed);
}

TEST(ChangeBook, AsksAgainAfterAChangeThatEndedSinceTheLastAnswer) {
  ChangeBook book([](const std::string&) {});
  ApplierStatus applier{.changes = {ChangeIn(ChangeState::kAwaitingConfirm)}};
  const ChangeBook::Ask ask = [&applier] { return applier; };
  EXPECT_EQ(book.State(ask, kNow)->changes.size(), 1U);
  applier.changes = {ChangeIn(ChangeState::kConfirmed)};
  EXPECT_EQ(book.State(ask, kNow)->changes.size(), 1U) << "asked at most once in a short while";
  book.Note(ChangeIn(ChangeState::kConfirmed));
  EXPECT_EQ(book.State(ask, kNow)->changes.size(), 0U);
}

TEST(ChangeBook, AsksAgainAfterAChangeThatEndedWhileTheApplierWasAsked) {
  ChangeBook book([](const std::string&) {});
  const ChangeBook::Ask late = [&book]() -> absl::StatusOr<ApplierStatus> {
    ApplierStatus before{.changes = {ChangeIn(ChangeState::kAwaitingConfirm)}};
    book.Note(ChangeIn(ChangeState::kConfirmed));
    return before;
  };
  EXPECT_EQ(book.State(late, kNow)->changes.size(), 1U);
  EXPECT_EQ(book.State([] { return ApplierStatus(); }, kNow)->changes.size(), 0U);
}

TEST(ChangeBook, WhatHasEndedDoesNotComeBackWithAStatusThatWasAskedBefore) {
  std::vector<std::string> lines;
  ChangeBook book([&lines](const std::string& line) { lines.push_back(line); });
  book.Note(ChangeIn(ChangeState::kAwaitingConfirm));
  book.Note(ChangeIn(ChangeState::kConfirmed));
  book.Heard({.changes = {ChangeIn(ChangeState::kAwaitingConfirm)}});
  book.Heard({.changes = {ChangeIn(ChangeState::kConfirmed)}});
  EXPECT_THAT(lines, ElementsAre(HasSubstr("awaits its confirmation"), HasSubstr(": confirmed")));
}

TEST(ChangeBook, AFailedRollbackThatSucceedsLaterIsToldAndStays) {
  std::vector<std::string> lines;
  ChangeBook book([&lines](const std::string& line) { lines.push_back(line); });
  book.Note(ChangeIn(ChangeState::kRollbackFailed));
  book.Note(ChangeIn(ChangeState::kRolledBack));
  book.Heard({.changes = {ChangeIn(ChangeState::kRollbackFailed)}});
  EXPECT_THAT(lines, ElementsAre(HasSubstr("COULD NOT BE TAKEN BACK"), HasSubstr("taken back")));
}

}  // namespace
}  // namespace rdmaready

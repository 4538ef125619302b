// SPDX-License-Identifier: Apache-2.0
#include "agent/proving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stop_token>
#include <string>

#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

const std::string kA = "a";
const std::string kB = "b";

constexpr Clock::TimePoint kInAWhile{std::chrono::seconds(20)};

std::future<absl::StatusOr<Change>> AskFor(Proving& proving, const std::string& id) {
  return std::async(std::launch::async, [&proving, id] { return proving.Ask(id); });
}

TEST(Proving, WhoAskedHearsWhatCameOfHisChange) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA);
  proving.Tested(kA, Role::kInitiator, {.port = "rxe0/1"});
  auto asked = AskFor(proving, kA);
  const auto tests = proving.AwaitTests(a, {}, kInAWhile);
  ASSERT_TRUE(tests.has_value());
  EXPECT_THAT(*tests, ElementsAre(Field(&ProvingTest::role, Role::kInitiator)));
  proving.End(a, Change{.id = kA, .state = ChangeState::kAwaitingConfirm});
  EXPECT_EQ(asked.get()->id, kA);
  EXPECT_TRUE(absl::IsNotFound(proving.Ask(kA).status()));
}

TEST(Proving, TheEndOfOneThatWasReplacedIsNotTheEndOfTheOther) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA);
  const Proving::Handle b = proving.Begin(kB);
  proving.Tested(kB, Role::kResponder, {.port = "rxe0/1"});
  proving.End(a, absl::InternalError("of another change"));
  EXPECT_TRUE(proving.IsFor(kB));
  auto asked = AskFor(proving, kB);
  const auto tests = proving.AwaitTests(b, {}, kInAWhile);
  ASSERT_TRUE(tests.has_value());
  EXPECT_EQ(tests->size(), 1U) << "they are not dropped";
  proving.End(b, Change{.id = kB});
  EXPECT_EQ(asked.get()->id, kB);
}

TEST(Proving, OneThatIsReplacedEndsForAllWhoWaitForIt) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA);
  auto asked = AskFor(proving, kA);
  ASSERT_TRUE(proving.AwaitTests(a, {}, kInAWhile).has_value()) << "it was asked for";
  proving.Begin(kB);
  EXPECT_THAT(asked.get().status().message(), HasSubstr("another change"));
  EXPECT_FALSE(proving.AwaitTests(a, {}, kInAWhile).has_value());
}

TEST(Proving, OneThatWentBackIsNotAwaitedToItsDeadline) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA);
  auto waiting = std::async(std::launch::async, [&] { return proving.AwaitTests(a, {}, kInAWhile); });
  proving.Settled({.id = kB, .state = ChangeState::kRolledBack});
  EXPECT_TRUE(proving.IsFor(kA));
  proving.Settled({.id = kA, .state = ChangeState::kRolledBack});
  EXPECT_TRUE(
      Eventually([&] { return waiting.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
  EXPECT_FALSE(waiting.get().has_value());
}

}  // namespace
}  // namespace rdmaready

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

const std::string kWho = "uid 0";
const ProvingKey kA{.change_id = "a", .who = kWho};
const ProvingKey kB{.change_id = "b", .who = kWho};

constexpr Clock::TimePoint kInAWhile{std::chrono::seconds(20)};

std::future<absl::StatusOr<Change>> AskFor(Proving& proving, const ProvingKey& key) {
  return std::async(std::launch::async, [&proving, key] { return proving.Ask(key); });
}

TEST(Proving, WhoAskedHearsWhatCameOfHisChange) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA, "node2");
  proving.Tested(kA, Role::kInitiator, {.port = "rxe0/1"});
  auto asked = AskFor(proving, kA);
  const auto tests = proving.AwaitTests(a, {}, kInAWhile);
  ASSERT_TRUE(tests.has_value());
  EXPECT_THAT(tests->counted, ElementsAre(Field(&ProvingTest::role, Role::kInitiator)));
  proving.End(a, Change{.id = kA.change_id, .state = ChangeState::kAwaitingConfirm});
  EXPECT_EQ(asked.get()->id, kA.change_id);
  EXPECT_TRUE(absl::IsNotFound(proving.Ask(kA).status()));
}

TEST(Proving, TheEndOfOneThatWasReplacedIsNotTheEndOfTheOther) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA, "node2");
  const Proving::Handle b = proving.Begin(kB, "node3");
  proving.Tested(kB, Role::kResponder, {.port = "rxe0/1"});
  proving.End(a, absl::InternalError("of another change"));
  EXPECT_EQ(proving.PeerFor(kB), "node3");
  auto asked = AskFor(proving, kB);
  const auto tests = proving.AwaitTests(b, {}, kInAWhile);
  ASSERT_TRUE(tests.has_value());
  EXPECT_EQ(tests->counted.size(), 1U) << "they are not dropped";
  proving.End(b, Change{.id = kB.change_id});
  EXPECT_EQ(asked.get()->id, kB.change_id);
}

TEST(Proving, OneThatIsReplacedEndsForAllWhoWaitForIt) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA, "node2");
  auto asked = AskFor(proving, kA);
  ASSERT_TRUE(proving.AwaitTests(a, {}, kInAWhile).has_value()) << "it was asked for";
  proving.Begin(kB, "node3");
  EXPECT_THAT(asked.get().status().message(), HasSubstr("another change"));
  EXPECT_FALSE(proving.AwaitTests(a, {}, kInAWhile).has_value());
}

TEST(Proving, OneThatWentBackIsNotAwaitedToItsDeadline) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA, "node2");
  auto waiting = std::async(std::launch::async, [&] { return proving.AwaitTests(a, {}, kInAWhile); });
  proving.Settled({.id = kB.change_id, .state = ChangeState::kRolledBack});
  EXPECT_EQ(proving.PeerFor(kA), "node2");
  proving.Settled({.id = kA.change_id, .state = ChangeState::kRolledBack});
  EXPECT_TRUE(
      Eventually([&] { return waiting.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
  EXPECT_FALSE(waiting.get().has_value());
}

TEST(Proving, ATestOfAnotherIdentityNeitherCountsNorEndsTheProof) {
  FakeClock clock;
  Proving proving(clock);
  const Proving::Handle a = proving.Begin(kA, "node2");
  const ProvingKey mallory{.change_id = kA.change_id, .who = "uid 1000"};
  EXPECT_EQ(proving.PeerFor(mallory), std::nullopt);
  proving.Tested(mallory, Role::kInitiator, {.port = "rxe0/1"});
  proving.TestedWithOther(mallory, "CN=x");
  EXPECT_TRUE(absl::IsNotFound(proving.Ask(mallory).status())) << "nor has it judged";
  proving.Tested(kA, Role::kResponder, {.port = "rxe0/1"});
  auto asked = AskFor(proving, kA);
  const auto tests = proving.AwaitTests(a, {}, kInAWhile);
  ASSERT_TRUE(tests.has_value());
  EXPECT_THAT(tests->counted, ElementsAre(Field(&ProvingTest::role, Role::kResponder)));
  EXPECT_EQ(tests->other_peer, "");
  proving.End(a, Change{.id = kA.change_id});
  EXPECT_TRUE(asked.get().ok());
}

}  // namespace
}  // namespace rdmaready

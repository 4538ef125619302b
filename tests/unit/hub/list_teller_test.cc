// SPDX-License-Identifier: Apache-2.0
// Lists of the revoked for twenty thousand streams: whoever revoked waits for none of them, and all are told in
// time.
#include "hub/ingest/list_teller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/base/clock.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace rdmaready::hub {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The times at which streams got a list, all together. Shut: the thread that tells one of them waits there.
class Telling {
 public:
  explicit Telling(Clock& clock) : clock_(clock) {}

  void One() {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.wait(lock, [this] { return !shut_; });
    when_.push_back(clock_.Now());
  }
  void Shut(bool shut) {
    const std::lock_guard lock(mutex_);
    shut_ = shut;
    changed_.notify_all();
  }
  std::size_t begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  std::size_t all() const {
    const std::lock_guard lock(mutex_);
    return when_.size();
  }
  std::vector<Clock::TimePoint> when() const {
    const std::lock_guard lock(mutex_);
    return when_;
  }

 private:
  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool shut_ = false;
  std::size_t begun_ = 0;
  std::vector<Clock::TimePoint> when_;
};

class ToldStream final : public AgentStream {
 public:
  explicit ToldStream(Telling& telling) : telling_(telling) {}
  void Replace(const absl::Status&) override {}
  void JudgeAgain() override {}
  void TellLists() override {
    telling_.One();
    ++told;
  }
  std::atomic<int> told = 0;

 private:
  Telling& telling_;
};

class ListTellerTest : public testing::Test {
 protected:
  void Attach(int count) {
    for (int i = 0; i < count; ++i) {
      streams_.push_back(std::make_shared<ToldStream>(telling_));
      book_.Attach("host " + std::to_string(++attached_), streams_.back());
    }
  }
  bool InTime(const std::function<bool()>& holds) {
    return Eventually([&] {
      clock_.Advance(milliseconds(20));
      return holds();
    });
  }

  FakeClock clock_;
  Telling telling_{clock_};
  HostBook book_;
  int attached_ = 0;
  std::vector<std::shared_ptr<ToldStream>> streams_;
};

TEST_F(ListTellerTest, TellsAllSomeAtATimeWhileNobodyWaits) {
  Attach(20'000);
  const ListPace pace{.at_once = 500, .rest = milliseconds(20), .all_within = milliseconds(2'000)};
  ListTeller teller(
      book_, [] { return std::size_t{4'000}; }, pace, clock_);
  telling_.Shut(true);
  teller.Tell();
  EXPECT_EQ(telling_.all(), 0u) << "not one was waited for";
  telling_.Shut(false);
  EXPECT_TRUE(InTime([this] { return telling_.all() == 20'000; }));
  const std::vector<Clock::TimePoint> when = telling_.when();
  for (std::size_t i = pace.at_once; i < when.size(); i += pace.at_once)
    EXPECT_GE(when[i] - when[i - 1], pace.rest) << "not all at once";
  // The last one is counted by itself after it was told.
  for (const auto& stream : streams_) ASSERT_TRUE(Eventually([&] { return stream->told == 1; }));
}

TEST_F(ListTellerTest, ListsThatBecomeOthersMeanwhileAreToldToAllOnceMore) {
  Attach(200);
  std::atomic<int> turns = 0;
  {
    ListTeller teller(
        book_,
        [&turns] {
          ++turns;
          return std::size_t{4'000};
        },
        {.at_once = 10, .rest = milliseconds(20), .all_within = milliseconds(2'000)}, clock_);
    telling_.Shut(true);
    teller.Tell();
    EXPECT_TRUE(Eventually([this] { return telling_.begun() == 1; }));
    teller.Tell();
    teller.Tell();
    telling_.Shut(false);
    EXPECT_TRUE(InTime([this] { return telling_.all() >= 400; }));
    teller.Tell();  // one thread tells all of them: a third time for the two before would come before this one
    EXPECT_TRUE(InTime([this] { return telling_.all() >= 600; }));
  }
  EXPECT_EQ(turns, 3) << "two that came together are one";
  EXPECT_EQ(telling_.all(), 600u);
}

TEST_F(ListTellerTest, ARestHoldsNeitherTheNextListsUpNorTheEnd) {
  Attach(1'000);
  constexpr seconds kRest(60);
  {
    ListTeller teller(
        book_, [] { return std::size_t{4'000}; },
        {.at_once = 1, .rest = kRest, .all_within = std::chrono::hours(100)}, clock_);
    teller.Tell();
    EXPECT_TRUE(Eventually([this] { return telling_.all() == 1; }));
    EXPECT_EQ(clock_.AwaitSleeper(), kRest);
    teller.Tell();
  }
  EXPECT_EQ(telling_.all(), 1u);
}

TEST_F(ListTellerTest, AStreamThatIsGoneIsPassedOver) {
  Attach(1'000);
  ListTeller teller(
      book_, [] { return std::size_t{4'000}; },
      {.at_once = 500, .rest = milliseconds(20), .all_within = milliseconds(2'000)}, clock_);
  telling_.Shut(true);
  teller.Tell();
  EXPECT_TRUE(Eventually([this] { return telling_.begun() == 1; }));
  streams_.clear();
  Attach(1);
  teller.Tell();
  telling_.Shut(false);
  EXPECT_TRUE(InTime([this] { return streams_.front()->told == 1; }));
  EXPECT_EQ(telling_.all(), 2u) << "the one that was being told, and the new one";
}

TEST(StreamsAtOnceTest, LargeListsGoToFewAndNeverSoFewThatItTakesTooLong) {
  const ListPace pace;
  EXPECT_EQ(StreamsAtOnce(pace, 20'000, 4'000), 200u);
  EXPECT_EQ(StreamsAtOnce(pace, 1'000, 1'000'000), 8u) << "8 MiB of lists";
  EXPECT_EQ(StreamsAtOnce(pace, 20'000, 1'000'000), 100u) << "20 s, however large they are";
  EXPECT_EQ(StreamsAtOnce(pace, 0, 0), 200u);
}

}  // namespace
}  // namespace rdmaready::hub

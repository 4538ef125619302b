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
#include <thread>
#include <vector>

namespace rdmaready::hub {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// When streams were told, all together. Shut: whoever tells one of them waits there, but not for ever.
class Telling {
 public:
  void One() {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.wait_for(lock, seconds(20), [this] { return !shut_; });
    when_.push_back(steady_clock::now());
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
  std::vector<steady_clock::time_point> when() const {
    const std::lock_guard lock(mutex_);
    return when_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool shut_ = false;
  std::size_t begun_ = 0;
  std::vector<steady_clock::time_point> when_;
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
  bool Soon(const std::function<bool()>& holds, seconds patience = seconds(20)) {
    const auto end = steady_clock::now() + patience;
    while (!holds()) {
      if (steady_clock::now() > end) return false;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }

  Telling telling_;
  HostBook book_;
  int attached_ = 0;
  std::vector<std::shared_ptr<ToldStream>> streams_;
};

TEST_F(ListTellerTest, TellsAllSomeAtATimeWhileNobodyWaits) {
  Attach(20'000);
  const ListPace pace{.at_once = 500, .rest = milliseconds(20), .all_within = milliseconds(2'000)};
  ListTeller teller(
      book_, [] { return std::size_t{4'000}; }, pace);
  telling_.Shut(true);
  teller.Tell();
  EXPECT_EQ(telling_.all(), 0u) << "not one was waited for";
  telling_.Shut(false);
  EXPECT_TRUE(Soon([this] { return telling_.all() == 20'000; }));
  const std::vector<steady_clock::time_point> when = telling_.when();
  for (std::size_t i = pace.at_once; i < when.size(); i += pace.at_once)
    EXPECT_GE(when[i] - when[i - 1], pace.rest) << "not all at once";
  // The last one is counted by itself after it was told.
  for (const auto& stream : streams_) ASSERT_TRUE(Soon([&] { return stream->told == 1; }));
}

TEST_F(ListTellerTest, ListsThatBecomeOthersMeanwhileAreToldToAllOnceMore) {
  Attach(200);
  ListTeller teller(book_, [] { return std::size_t{4'000}; },
                    {.at_once = 10, .rest = milliseconds(20), .all_within = milliseconds(2'000)});
  telling_.Shut(true);
  teller.Tell();
  EXPECT_TRUE(Soon([this] { return telling_.begun() == 1; }));
  teller.Tell();
  teller.Tell();
  telling_.Shut(false);
  EXPECT_TRUE(Soon([this] { return telling_.all() == 400; }));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(telling_.all(), 400u) << "two that came together are one";
}

TEST_F(ListTellerTest, ARestHoldsNeitherTheNextListsUpNorTheEnd) {
  Attach(1'000);
  constexpr seconds kRest(60);
  const auto begun = steady_clock::now();
  {
    ListTeller teller(book_, [] { return std::size_t{4'000}; },
                      {.at_once = 1, .rest = kRest, .all_within = std::chrono::hours(100)});
    teller.Tell();
    EXPECT_TRUE(Soon([this] { return telling_.all() == 1; }));
    teller.Tell();
  }
  EXPECT_LT(steady_clock::now() - begun, kRest);
  EXPECT_EQ(telling_.all(), 1u);
}

TEST_F(ListTellerTest, AStreamThatIsGoneIsPassedOver) {
  Attach(1'000);
  ListTeller teller(book_, [] { return std::size_t{4'000}; },
                    {.at_once = 500, .rest = milliseconds(20), .all_within = milliseconds(2'000)});
  telling_.Shut(true);
  teller.Tell();
  EXPECT_TRUE(Soon([this] { return telling_.begun() == 1; }));
  streams_.clear();
  Attach(1);
  teller.Tell();
  telling_.Shut(false);
  EXPECT_TRUE(Soon([this] { return streams_.front()->told == 1; }));
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

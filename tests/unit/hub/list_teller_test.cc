// SPDX-License-Identifier: Apache-2.0
// Lists of the revoked for twenty thousand streams: whoever revoked waits for none of them, and all are told in
// time.
#include "hub/ingest/list_teller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace rdmaready::hub {
namespace {

using std::chrono::milliseconds;

class ToldStream final : public AgentStream {
 public:
  explicit ToldStream(std::atomic<int>& all) : all_(all) {}
  void Replace(const absl::Status&) override {}
  void JudgeAgain() override {}
  void TellLists() override {
    ++all_;
    ++told;
  }
  std::atomic<int> told = 0;

 private:
  std::atomic<int>& all_;
};

class ListTellerTest : public testing::Test {
 protected:
  void Attach(int count) {
    for (int i = 0; i < count; ++i) {
      streams_.push_back(std::make_shared<ToldStream>(all_));
      book_.Attach("host " + std::to_string(i), streams_.back());
    }
  }
  bool Soon(const std::function<bool()>& holds, std::chrono::seconds patience = std::chrono::seconds(15)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }

  std::atomic<int> all_ = 0;
  HostBook book_;
  std::vector<std::shared_ptr<ToldStream>> streams_;
};

TEST_F(ListTellerTest, TellsAllSomeAtATimeWhileNobodyWaits) {
  Attach(20'000);
  ListTeller teller(book_, [] { return std::size_t{4'000}; },
                    {.at_once = 500, .rest = milliseconds(20), .all_within = milliseconds(2'000)});
  const auto begun = std::chrono::steady_clock::now();
  teller.Tell();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, milliseconds(20));
  EXPECT_TRUE(Soon([this] { return all_ >= 500; }));
  EXPECT_LT(all_, 20'000) << "not all at once";
  EXPECT_TRUE(Soon([this] { return all_ == 20'000; }));
  for (const auto& stream : streams_) ASSERT_EQ(stream->told, 1);
}

TEST_F(ListTellerTest, ListsThatBecomeOthersMeanwhileAreToldToAllOnceMore) {
  Attach(200);
  ListTeller teller(book_, [] { return std::size_t{4'000}; },
                    {.at_once = 10, .rest = milliseconds(20), .all_within = milliseconds(2'000)});
  teller.Tell();
  EXPECT_TRUE(Soon([this] { return all_ >= 50; }));
  teller.Tell();
  teller.Tell();
  EXPECT_TRUE(Soon([this] { return all_ == 400; }));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(all_, 400) << "two that came together are one";
}

TEST_F(ListTellerTest, AStreamThatIsGoneHoldsNothingUpAndNeitherDoesTheEnd) {
  Attach(1'000);
  {
    ListTeller teller(book_, [] { return std::size_t{4'000}; },
                      {.at_once = 1, .rest = milliseconds(200), .all_within = std::chrono::hours(1)});
    teller.Tell();
    EXPECT_TRUE(Soon([this] { return all_ >= 1; }));
    streams_.clear();
    const auto begun = std::chrono::steady_clock::now();
    teller.Tell();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, milliseconds(100));
  }
  EXPECT_LT(all_, 10);
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

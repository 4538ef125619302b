// SPDX-License-Identifier: Apache-2.0
// The last live tests of a fleet, a page at a time: each page is that part of the whole order, and how many
// there are is right whatever was kept of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/base/run_id.h"
#include "hub/fleet/fleet_service.h"
#include "hub/fleet/fleet_view.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/unit/hub/forwarded_store.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kTestedHosts = 60;
constexpr int kTestsOfHost = 50;
constexpr std::size_t kAllTests = std::size_t{kTestedHosts} * kTestsOfHost;

// Counts the rows of live tests that are read, and the readings.
class CountingStore final : public ForwardedStore {
 public:
  using ForwardedStore::ForwardedStore;
  absl::Status Tests(const std::string& id, const std::function<void(KeptTest&&)>& each) override {
    ++readings_;
    return ForwardedStore::Tests(id, [&](KeptTest&& test) {
      ++tests_;
      each(std::move(test));
    });
  }
  std::size_t tests() const { return tests_; }
  std::size_t readings() const { return readings_; }

 private:
  std::size_t tests_ = 0;
  std::size_t readings_ = 0;
};

class FleetPastTests : public testing::Test {
 protected:
  FleetPastTests() {
    std::vector<JudgedHost> hosts;
    for (int i = 0; i < kTestedHosts; ++i) hosts.push_back(HostOf(i));
    const auto changes = store_->Commit(hosts, now_);
    EXPECT_TRUE(changes.ok()) << changes.status();
    for (const JudgedHost& host : hosts) book_.Kept(host);
  }
  ~FleetPastTests() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  // Every seventh test is slower than before, each by another share.
  JudgedHost HostOf(int number) const {
    JudgedHost judged;
    judged.host.host_id = fmt::format("id-{:03}", number);
    judged.host.name = fmt::format("node{:02}", (number * 37) % kTestedHosts);
    judged.host.seen_unix_ns = now_;
    judged.mark = {.run_id = "run", .sequence = 1};
    KeptPast past{.digest = std::string(64, 'a')};
    for (int i = 0; i < kTestsOfHost; ++i) {
      const int in_all = number * kTestsOfHost + i;
      const auto speed = static_cast<std::uint64_t>(in_all % 7 == 0 ? 1000 + in_all : 97'000);
      past.tests.push_back({.test = {.port = fmt::format("mlx5_{}/1", i % 2),
                                     .case_name = fmt::format("case-{:02}", i),
                                     .role = "loopback",
                                     .last_bytes_per_s = speed,
                                     .last_unix_ns = now_,
                                     .days = 30,
                                     .p10_bytes_per_s = 96'000,
                                     .p50_bytes_per_s = 97'000,
                                     .days_kept = 91,
                                     .first_unix_ns = now_ - 1'000'000}});
    }
    judged.past = std::move(past);
    return judged;
  }

  PastPart PartOf(const PastFilter& filter, const PastPlace& after, std::size_t count) {
    absl::StatusOr<PastPart> part = view_.Past(filter, after, count, now_);
    EXPECT_TRUE(part.ok()) << part.status();
    EXPECT_LE(part->rows.size(), count);
    EXPECT_TRUE(!part->next || part->rows.size() == count) << "short only at the end";
    return *std::move(part);
  }
  std::vector<FleetPastTest> AllOf(const PastFilter& filter) { return PartOf(filter, {}, 1'000'000).rows; }
  // Page by page.
  std::vector<FleetPastTest> WalkOf(const PastFilter& filter, std::size_t size) {
    std::vector<FleetPastTest> walked;
    for (std::optional<PastPlace> place = PastPlace(); place;) {
      PastPart part = PartOf(filter, *place, size);
      std::ranges::move(part.rows, std::back_inserter(walked));
      place = std::move(part.next);
    }
    return walked;
  }

  const std::string root_ = testing::TempDir() + "fleet past " + std::to_string(::getpid());
  const std::int64_t now_ = UnixNowNs();
  std::unique_ptr<SqliteFleetStore> store_ = *SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
  HostBook book_{};
  FleetAgreement agreement_{};
  std::shared_ptr<const RuleBook> rules_ = *RuleBook::Load({.profiles = {"smb-direct-roce"}});
  FleetView view_{*store_, book_, agreement_, std::chrono::seconds(300), [this] { return rules_; }};
};

TEST_F(FleetPastTests, PagesTogetherAreTheWholeOrder) {
  const std::vector<FleetPastTest> all = AllOf({});
  ASSERT_THAT(all, SizeIs(kAllTests));
  const auto end_of_slow =
      std::ranges::find_if(all, [](const FleetPastTest& row) { return row.state != PastState::kSlower; });
  EXPECT_GT(end_of_slow - all.begin(), 400);
  EXPECT_TRUE(std::is_sorted(all.begin(), end_of_slow, [](const FleetPastTest& a, const FleetPastTest& b) {
    return a.test.last_bytes_per_s < b.test.last_bytes_per_s;
  }));
  EXPECT_TRUE(std::is_sorted(end_of_slow, all.end(), [](const FleetPastTest& a, const FleetPastTest& b) {
    return std::tie(a.host, a.test.port, a.test.case_name) < std::tie(b.host, b.test.port, b.test.case_name);
  }));
  for (const std::size_t size : {std::size_t{97}, std::size_t{250}, std::size_t{1000}, kAllTests})
    EXPECT_THAT(WalkOf({}, size), ElementsAreArray(all)) << size;
  EXPECT_THAT(PartOf({}, {}, 1).rows, ElementsAreArray(all.begin(), all.begin() + 1));
  EXPECT_EQ(PartOf({}, {}, 1).of, kAllTests);
  const PastPlace behind_all{.behind_slower = true, .share = 0, .host = "node99"};
  EXPECT_THAT(PartOf({}, behind_all, 200).rows, IsEmpty());
}

TEST_F(FleetPastTests, APageFarBehindReadsTheHostsThatItShows) {
  CountingStore counting(*store_);
  const FleetView view(counting, book_, agreement_, std::chrono::seconds(300), [this] { return rules_; });
  const std::vector<FleetPastTest> all = AllOf({});
  const FleetPastTest& row = all[2000];
  const PastPlace place{.behind_slower = true,
                        .share = 0,
                        .host = row.host,
                        .host_id = row.host_id,
                        .port = row.test.port,
                        .case_name = row.test.case_name,
                        .role = row.test.role,
                        .peer = row.test.peer};
  const auto part = view.Past({}, place, 100, now_);
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_THAT(part->rows, ElementsAreArray(all.begin() + 2001, all.begin() + 2101));
  EXPECT_LE(counting.tests(), 4u * kTestsOfHost) << "a seventh of them is slower";
}

TEST_F(FleetPastTests, APageFarBehindOfARareCaseDoesNotAskForEveryHost) {
  std::vector<JudgedHost> more;
  for (int i = 0; i < 1000; ++i) {
    JudgedHost& other = more.emplace_back(HostOf(1));
    other.host.host_id = fmt::format("id-other-{:04}", i);
    other.host.name = fmt::format("other{:04}", i);
    KeptTest test = other.past->tests.front();
    test.test.last_bytes_per_s = 97'000;
    if (i % 150 == 0) test.test.case_name = "rare";
    other.past->tests = {test};
  }
  ASSERT_TRUE(store_->Commit(more, now_).ok());
  for (const JudgedHost& host : more) book_.Kept(host);
  CountingStore counting(*store_);
  const FleetView view(counting, book_, agreement_, std::chrono::seconds(300), [this] { return rules_; });
  PastFilter filter;
  filter.cases = {"rare"};
  const std::vector<FleetPastTest> all = AllOf(filter);
  ASSERT_THAT(all, SizeIs(7));
  const PastPlace behind_slower{.behind_slower = true, .share = 0};
  for (const std::size_t most : {std::size_t{7}, std::size_t{5}}) {
    const std::size_t before = counting.readings();
    const auto part = view.Past(filter, behind_slower, most, now_);
    ASSERT_TRUE(part.ok()) << part.status();
    EXPECT_THAT(part->rows, ElementsAreArray(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most)));
    EXPECT_EQ(part->next.has_value(), most < all.size());
    EXPECT_EQ(counting.readings() - before, 301u);
  }
  const std::size_t before = counting.readings();
  ASSERT_TRUE(view.Past(filter, behind_slower, 1, now_).ok());
  EXPECT_LE(counting.readings() - before, 60u + 151u) << "the second one is there";
}

TEST_F(FleetPastTests, RowsThatComeMeanwhileMoveNoOtherOneToAnotherPage) {
  const std::vector<FleetPastTest> all = AllOf({});
  const PastPart first = PartOf({}, {}, 1000);
  JudgedHost other = HostOf(0);
  other.host.host_id = "id-new";
  other.host.name = "node";  // before all others
  ASSERT_TRUE(store_->Commit({&other, 1}, now_).ok());
  ASSERT_TRUE(first.next);
  EXPECT_THAT(PartOf({}, *first.next, 500).rows, ElementsAreArray(all.begin() + 1000, all.begin() + 1500));
}

TEST_F(FleetPastTests, OfFewHostsIsThatPartOfAll) {
  PastFilter filter;
  filter.hosts.hosts = {"node0*", "node59"};
  filter.cases = {"case-1*"};
  std::vector<FleetPastTest> wanted = AllOf({});
  std::erase_if(wanted, [&](const FleetPastTest& row) {
    return !IsChosen(filter.hosts.hosts, row.host) || !IsChosen(filter.cases, row.test.case_name);
  });
  ASSERT_THAT(wanted, SizeIs(110));
  EXPECT_THAT(AllOf(filter), ElementsAreArray(wanted));
  EXPECT_THAT(WalkOf(filter, 20), ElementsAreArray(wanted));
  EXPECT_EQ(PartOf(filter, {}, 20).of, 110u);
  filter.hosts.hosts = {"nobody"};
  EXPECT_EQ(PartOf(filter, {}, 20).of, 0u);
}

// ---- the service
// ------------------------------------------------------------------------------------------------

class FleetCallsTest : public FleetPastTests {
 protected:
  std::unique_ptr<FleetService> Serve(int most_past_readers) {
    FleetServiceOptions options;
    options.hub_name = "hub-one";
    options.admit = [](const grpc::ServerContextBase&, FleetAsk) -> absl::StatusOr<FleetCaller> {
      return FleetCaller{.who = "somebody"};
    };
    options.most_past_readers = most_past_readers;
    return std::make_unique<FleetService>(std::move(options), *store_, view_, feed_, trail_);
  }
  ChangeFeed feed_{};
  AuditTrail trail_{*store_, "hub-one", {}};
};

TEST_F(FleetCallsTest, SoManyReadThePastAtATimeAndThePlaceIsGivenBack) {
  const auto service = Serve(1);
  v1::ListPastRequest request;
  request.set_page_size(10);
  for (int i = 0; i < 3; ++i) {
    grpc::ServerContext context;
    v1::ListPastResponse response;
    const grpc::Status status = service->ListPast(&context, &request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.tests_size(), 10);
    EXPECT_EQ(response.of(), kAllTests);
    EXPECT_NE(response.next_page_token(), "");
    request.set_page_token(response.next_page_token());
  }
  grpc::ServerContext context;
  v1::ListPastResponse response;
  request.set_page_token("none of this");
  EXPECT_EQ(service->ListPast(&context, &request, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.clear_page_token();
  const grpc::Status full = Serve(0)->ListPast(&context, &request, &response);
  EXPECT_EQ(full.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(full.error_message(), HasSubstr("come later"));
}

TEST_F(FleetCallsTest, ChangesBeforeATimeThatIsNoneAreRefused) {
  const auto service = Serve(1);
  const auto ask = [&](std::int64_t before_unix_ns) {
    v1::ListTransitionsRequest request;
    request.set_before_unix_ns(before_unix_ns);
    grpc::ServerContext context;
    v1::ListTransitionsResponse response;
    return service->ListTransitions(&context, &request, &response).error_code();
  };
  for (const std::int64_t before : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()})
    EXPECT_EQ(ask(before), grpc::StatusCode::INVALID_ARGUMENT) << before;
  for (const std::int64_t before : {std::int64_t{0}, std::int64_t{1}, std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(ask(before), grpc::StatusCode::OK) << before;
}

}  // namespace
}  // namespace rdmaready::hub

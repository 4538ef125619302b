// SPDX-License-Identifier: Apache-2.0
// Long answers, a page at a time: put together they are the whole answer in its order, whatever the size of a
// page, whoever asks, and while rows come.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "hub/fleet/fleet_view.h"
#include "hub/fleet/paging.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/unit/hub/forwarded_store.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kHosts = 60;
constexpr std::int64_t kRoundNs = std::int64_t{40} * 60 * 1'000'000'000;
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

class FleetPartsTest : public testing::Test {
 protected:
  FleetPartsTest() {
    for (int round = 1; round <= 12; ++round) Report(round);
  }
  ~FleetPartsTest() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  // Names in another order than ids, and one name that two hosts have.
  static std::string NameOf(int host) { return fmt::format("node{:02}", host == 7 ? 8 : (host * 37) % kHosts); }
  static std::string IdOf(int host) { return fmt::format("id-{:03}", host); }

  void Report(int round) {
    std::vector<JudgedHost> hosts;
    for (int i = 0; i < kHosts; ++i) {
      JudgedHost judged;
      judged.host.host_id = IdOf(i);
      judged.host.name = NameOf(i);
      judged.host.group = i % 20 == 0 ? "few" : "many";
      judged.host.seen_unix_ns = 5;
      judged.mark = {.run_id = "run", .sequence = static_cast<std::uint64_t>(round)};
      for (const char* check : {"link.state", "pfc.enabled", "mtu.path"}) {
        for (const char* subject : {"a/1", "b/1"}) {
          if (random_() % 3 != 0) continue;
          judged.findings.push_back({.check = check,
                                     .subject = subject,
                                     .outcome = random_() % 2 == 0 ? Outcome::kFail : Outcome::kWarn,
                                     .observed = fmt::format("round {}", round)});
        }
      }
      hosts.push_back(std::move(judged));
    }
    now_ += kRoundNs;
    ASSERT_TRUE(store_->Commit(hosts, now_).ok());
    for (const JudgedHost& host : hosts) book_.Kept(host);
  }

  // Every page of `size`; `between` runs after each of them.
  template <class Part, class Place>
  auto Walk(
      const std::function<absl::StatusOr<Part>(const Place&)>& ask, std::size_t size,
      const std::function<void()>& between = [] {}) {
    decltype(Part::rows) all;
    std::optional<Place> place = Place();
    while (place) {
      absl::StatusOr<Part> part = ask(*place);
      EXPECT_TRUE(part.ok()) << part.status();
      EXPECT_LE(part->rows.size(), size);
      std::ranges::move(part->rows, std::back_inserter(all));
      place = part->next;
      between();
    }
    return all;
  }
  std::vector<FleetFinding> FindingsBy(const FleetFilter& filter, std::size_t size) {
    return Walk<FindingsPart, FindingPlace>(
        [&](const FindingPlace& after) { return view_.FindingsAfter(filter, after, size, now_); }, size);
  }
  std::vector<FleetChange> ChangesBy(
      const FleetFilter& filter, std::int64_t since, std::size_t size,
      const std::function<void()>& between = [] {}) {
    return Walk<ChangesPart, ChangePlace>(
        [&](const ChangePlace& after) { return view_.ChangesAfter(filter, since, after, size, now_); }, size,
        between);
  }
  std::vector<FleetDifference> DiffBy(const FleetFilter& filter, std::int64_t at, std::size_t size) {
    return Walk<DifferencesPart, FindingPlace>(
        [&](const FindingPlace& after) { return view_.DiffAfter(filter, at, after, size, now_); }, size);
  }

  // What the answer has to be, from everything that is kept.
  bool IsWanted(const FleetFilter& filter, const std::string& host_id, const std::string& check) {
    const int host = std::stoi(host_id.substr(3));
    const std::string group = host % 20 == 0 ? "few" : "many";
    const bool seen = IsChosen(filter.seen_groups, group) && IsChosen(filter.groups, group);
    return seen && IsChosen(filter.hosts, NameOf(host)) && IsChosen(filter.checks, check);
  }
  std::vector<FleetFinding> AllFindings(const FleetFilter& filter) {
    std::vector<FleetFinding> all;
    EXPECT_TRUE(store_
                    ->Findings({},
                               [&](FleetFinding&& finding) {
                                 finding.host = NameOf(std::stoi(finding.host_id.substr(3)));
                                 if (IsWanted(filter, finding.host_id, finding.check))
                                   all.push_back(std::move(finding));
                               })
                    .ok());
    std::ranges::stable_sort(all, [](const FleetFinding& a, const FleetFinding& b) {
      return std::tie(a.host, a.host_id, a.check, a.subject) < std::tie(b.host, b.host_id, b.check, b.subject);
    });
    return all;
  }
  std::vector<FleetChange> AllChanges(const FleetFilter& filter, std::int64_t since) {
    std::vector<FleetChange> all;
    EXPECT_TRUE(store_
                    ->Changes({}, since, kEnd,
                              [&](FleetChange&& change) {
                                change.host = NameOf(std::stoi(change.host_id.substr(3)));
                                if (IsWanted(filter, change.host_id, change.check))
                                  all.push_back(std::move(change));
                              })
                    .ok());
    std::ranges::stable_sort(all, std::greater(), &FleetChange::last_unix_ns);
    return all;
  }
  std::vector<FleetDifference> AllDifferences(const FleetFilter& filter, std::int64_t at) {
    std::map<std::tuple<std::string, std::string, std::string, std::string>, FleetDifference> by_name;
    std::vector<FleetChange> changes = AllChanges(filter, at);
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      const auto [place, fresh] =
          by_name.try_emplace({change->host, change->host_id, change->check, change->subject});
      FleetDifference& one = place->second;
      if (fresh) {
        one = {.host_id = change->host_id,
               .host = change->host,
               .check = change->check,
               .subject = change->subject};
        one.then = change->before;
      }
      one.now = change->after;
      one.observed = change->observed;
      one.times += change->times;
    }
    std::vector<FleetDifference> all;
    for (const auto& [name, one] : by_name) {
      if (one.then != one.now || one.check.empty()) all.push_back(one);
    }
    return all;
  }

  // Of everybody; of few hosts, which are read one by one; of most of them; by a role; by a check.
  const std::vector<FleetFilter> filters_{
      {},
      {.groups = {"few"}},
      {.groups = {"many"}},
      {.hosts = {"node0*"}, .checks = {"pfc.*"}},
      {.checks = {"link.state"}, .seen_groups = {"m*"}},
      {.seen_groups = {"m*"}},
      {.seen_groups = {"nobody"}},
  };
  const std::string root_ = testing::TempDir() + "fleet parts " + std::to_string(::getpid());
  std::mt19937 random_{17};
  std::int64_t now_ = 1'000'000'000'000;
  std::unique_ptr<SqliteFleetStore> store_ = *SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
  HostBook book_{};
  FleetAgreement agreement_{};
  std::shared_ptr<const RuleBook> rules_ = *RuleBook::Load({.profiles = {"smb-direct-roce"}});
  FleetView view_{*store_, book_, agreement_, std::chrono::seconds(300), [this] { return rules_; }};
};

TEST_F(FleetPartsTest, PagesTogetherAreTheWholeAnswerInItsOrder) {
  const std::int64_t at = now_ - 13 * kRoundNs / 2;
  for (const FleetFilter& filter : filters_) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{4000}}) {
      EXPECT_THAT(FindingsBy(filter, size), ElementsAreArray(AllFindings(filter))) << size;
      EXPECT_THAT(ChangesBy(filter, 0, size), ElementsAreArray(AllChanges(filter, 0))) << size;
      EXPECT_THAT(ChangesBy(filter, at, size), ElementsAreArray(AllChanges(filter, at))) << size;
      EXPECT_THAT(DiffBy(filter, at, size), ElementsAreArray(AllDifferences(filter, at))) << size;
    }
  }
  EXPECT_GT(AllChanges({}, 0).size(), 1000u) << "enough for several readings of one page";
  EXPECT_THAT(AllFindings(filters_.back()), IsEmpty());
  EXPECT_THAT(*view_.Findings({}, now_), ElementsAreArray(AllFindings({})));
  EXPECT_THAT(*view_.Changes({}, at, now_), ElementsAreArray(AllChanges({}, at)));
}

// Changes of hosts, by whose they are.
class WatchedChanges final : public ForwardedStore {
 public:
  using ForwardedStore::ForwardedStore;
  absl::Status NewestChanges(std::span<const std::string> ids, std::int64_t since, const ChangePlace& after,
                             std::size_t most, const std::function<void(FleetChange&&)>& each) override {
    return ForwardedStore::NewestChanges(ids, since, after, most, [&](FleetChange&& change) {
      read_.insert(change.host_id);
      each(std::move(change));
    });
  }
  const std::set<std::string>& read() const { return read_; }

 private:
  std::set<std::string> read_{};
};

TEST_F(FleetPartsTest, OfTheHostsOfARoleNoOtherHostsChangesAreRead) {
  for (const FleetFilter& filter : {FleetFilter{.seen_groups = {"m*"}}, FleetFilter{.groups = {"many"}},
                                    FleetFilter{.seen_groups = {"few"}}, FleetFilter{.groups = {"nobody"}}}) {
    WatchedChanges watched(*store_);
    const FleetView view(watched, book_, agreement_, std::chrono::seconds(300), [this] { return rules_; });
    const std::vector<FleetChange> all = *view.Changes(filter, 0, now_);
    std::set<std::string> wanted;
    for (const FleetChange& change : AllChanges(filter, 0)) wanted.insert(change.host_id);
    EXPECT_EQ(watched.read(), wanted);
    const auto first = view.ChangesAfter(filter, 0, {}, 7, now_);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ(first->rows.size(), std::min<std::size_t>(all.size(), 7));
    EXPECT_EQ(first->next.has_value(), all.size() > 7);
  }
}

TEST_F(FleetPartsTest, WhatComesWhileSomebodyTurnsPagesMovesNothing) {
  for (const FleetFilter& filter : {FleetFilter{}, FleetFilter{.groups = {"few"}}}) {
    const std::vector<FleetChange> before = AllChanges(filter, 0);
    const std::vector<std::string> ids{IdOf(0), IdOf(1), IdOf(20)};
    const auto pages = ChangesBy(filter, 0, 50, [&] {
      now_ += kRoundNs;
      EXPECT_TRUE(store_->NoteHosts(ids, "silent", now_).ok());
    });
    EXPECT_THAT(pages, ElementsAreArray(before));
  }
}

TEST_F(FleetPartsTest, ATokenIsOfItsQuestionAndAnyOtherWordIsRefused) {
  const FindingPlace place{"node 7:\n", "id", "link.state", "a/1 \xc3\xa4", ""};
  const std::string token = *TokenAfter(std::optional(place), "question");
  const auto page = ReadFindingPage(9, token, "question");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->after, place);
  EXPECT_EQ(page->count, 9u);
  EXPECT_EQ(*TokenAfter(std::optional<FindingPlace>(), "question"), "");
  const auto changes = ReadChangePage(0, *TokenAfter(std::optional(ChangePlace{-5, "id", 7}), "q"), "q");
  ASSERT_TRUE(changes.ok());
  EXPECT_EQ(changes->after.last_unix_ns, -5);
  EXPECT_EQ(changes->after.number, 7u);
  EXPECT_EQ(changes->count, kDefaultPage);
  std::vector<std::string> bad{"x",
                               "-",
                               token + "A",
                               token.substr(0, token.size() - 3),
                               token.substr(0, 17),
                               std::string(1 << 20, 'a'),
                               token + std::string(1 << 20, 'A')};
  for (std::size_t i = 0; i < token.size(); i += 5) {
    bad.push_back(token);
    bad.back()[i] = '!';
  }
  for (const std::string& word : bad) {
    const absl::Status refused = ReadFindingPage(9, word, "question").status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << word.substr(0, 80);
  }
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFindingPage(9, token, "another question").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadChangePage(9, token, "question").status())) << "of other words";
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFindingPage(kMostOnPage + 1, token, "question").status()));
}

// It may be the place of a row that its holder may not see.
TEST_F(FleetPartsTest, ATokenTellsNothingAndNobodyElseMakesOne) {
  const FindingPlace place{"node7.secret.example.org", "id-of-node7", "link.state", "mlx5_0/1", "smb-direct"};
  const std::string token = *TokenAfter(std::optional(place), "question");
  std::string octets;
  ASSERT_TRUE(absl::WebSafeBase64Unescape(token, &octets));
  for (const std::string& word : {place.host, place.host_id, place.check, place.subject, place.profile})
    EXPECT_EQ(octets.find(word), std::string::npos) << word;
  EXPECT_NE(*TokenAfter(std::optional(place), "question"), token) << "two of one row look like two rows";
  const FindingPlace longest{std::string(255, 'n'), std::string(255, 'i'), std::string(1024, 'c'),
                             std::string(1024, 's'), std::string(1024, 'p')};
  const std::string of_longest = *TokenAfter(std::optional(longest), "question");
  EXPECT_EQ(of_longest.size(), token.size());
  EXPECT_EQ(TokenAfter(std::optional(FindingPlace()), "question")->size(), token.size());
  EXPECT_EQ(ReadFindingPage(9, of_longest, "question")->after, longest);
  const FindingPlace too_long{std::string(5000, 'n'), "", "", "", ""};
  EXPECT_EQ(ReadFindingPage(9, *TokenAfter(std::optional(too_long), ""), "")->after, too_long);
  for (std::size_t i = 0; i < octets.size(); i += 101) {
    std::string other = octets;
    other[i] = static_cast<char>(other[i] ^ 1);
    const absl::Status refused = ReadFindingPage(9, absl::WebSafeBase64Escape(other), "question").status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << i;
    EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("begin again"));
  }
}

TEST_F(FleetPartsTest, APageOfRowsByNumberEndsWithThem) {
  const std::string token = NextToken({.first = 0, .count = 4}, 9, "question");
  const auto page = ReadPage(4, token, "question");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->first, 4u);
  EXPECT_NE(NextToken(*page, 9, "question"), "");
  EXPECT_EQ(NextToken(*page, 8, "question"), "");
  EXPECT_EQ(NextToken({.first = std::numeric_limits<std::size_t>::max(), .count = 4}, 9, "question"), "");
}

TEST_F(FleetPartsTest, TokensComeNewestFirstAPageAtATime) {
  std::vector<StoredToken> tokens;
  for (int i = 0; i < 2500; ++i)
    tokens.push_back({.digest = fmt::format("{:064x}", (i * 7919) % 10'007), .made_unix_ns = i / 100});
  ASSERT_TRUE(store_->PutTokens(tokens).ok());
  std::ranges::sort(tokens, [](const StoredToken& a, const StoredToken& b) {
    return a.made_unix_ns != b.made_unix_ns ? a.made_unix_ns > b.made_unix_ns : a.digest < b.digest;
  });
  std::vector<std::string> wanted, walked;
  for (const StoredToken& token : tokens) wanted.push_back(token.digest);
  TokenPlace place;
  for (std::size_t before = 1; before != walked.size();) {
    before = walked.size();
    ASSERT_TRUE(store_
                    ->Tokens(place, 333,
                             [&](StoredToken&& token) {
                               place = {token.made_unix_ns, token.digest};
                               walked.push_back(token.digest);
                             })
                    .ok());
  }
  EXPECT_THAT(walked, ElementsAreArray(wanted));
  std::vector<std::string> named;
  ASSERT_TRUE(
      store_->TokensNamed(wanted[42], 2, [&](StoredToken&& token) { named.push_back(token.digest); }).ok());
  EXPECT_THAT(named, testing::ElementsAre(wanted[42]));
  ASSERT_TRUE(store_->TokensNamed("0000", 2, [&](StoredToken&& token) { named.push_back(token.digest); }).ok());
  EXPECT_THAT(named, SizeIs(3)) << "at most two";
}

}  // namespace
}  // namespace rdmaready::hub

// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/host_notes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "hub/hub.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A store that refuses as often as it is told to.
class HostNotesTest : public testing::Test {
 protected:
  HostNotes notes_{{.write = [this](std::span<const std::string> ids, const std::string& text,
                                    std::int64_t) -> absl::StatusOr<std::vector<CommittedChange>> {
                      if (refusals_ > 0) {
                        --refusals_;
                        return absl::ResourceExhaustedError("no room");
                      }
                      std::vector<CommittedChange> changes;
                      for (const std::string& id : ids)
                        changes.push_back({.change = {.host_id = id, .observed = text}});
                      return changes;
                    },
                    .written =
                        [this](const std::vector<CommittedChange>& changes) {
                          for (const CommittedChange& one : changes)
                            told_.push_back(one.change.host_id + " " + one.change.observed);
                        },
                    .stored = [this](const absl::Status& status) { failed_ += status.ok() ? 0 : 1; },
                    .lost = [this](std::size_t hosts) { lost_ += hosts; }}};
  int refusals_ = 0;
  int failed_ = 0;
  std::size_t lost_ = 0;
  std::vector<std::string> told_{};
};

TEST_F(HostNotesTest, WhatTheStoreRefusesIsWrittenLaterInItsOrder) {
  refusals_ = 2;
  notes_.Add({"a", "b"}, "silent");
  notes_.Write();
  notes_.Add({"a"}, "heard again");
  notes_.Write();
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_EQ(failed_, 2);
  notes_.Write();
  EXPECT_THAT(told_, ElementsAre("a silent", "b silent", "a heard again"));
  notes_.Write();
  EXPECT_THAT(told_, testing::SizeIs(3)) << "each once";
  EXPECT_EQ(lost_, 0u);
}

TEST_F(HostNotesTest, OfMoreThanThereIsRoomForTheOldestAreLostAndCounted) {
  refusals_ = 1;
  notes_.Add({"first"}, "silent");
  notes_.Write();
  notes_.Add(std::vector<std::string>(kMostNotesWaiting, "other"), "silent");
  EXPECT_EQ(lost_, 1u);
  notes_.Write();
  EXPECT_EQ(told_.size(), kMostNotesWaiting);
  EXPECT_EQ(told_.front(), "other silent");
}

// Files of this process may grow no further while it lives.
class FullDisk {
 public:
  FullDisk() {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const ::rlimit small{.rlim_cur = 4096, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  ::rlimit before_{};
};

TEST(HostNotesOfAHub, SilenceWhileTheDiskIsFullStandsInTheHistoryAfterwards) {
  const std::string root = testing::TempDir() + fmt::format("notes {}", ::getpid());
  std::filesystem::create_directories(root);
  auto opened = SqliteFleetStore::Open({.path = root + "/fleet.db"});
  ASSERT_TRUE(opened.ok()) << opened.status();
  SqliteFleetStore& store = **opened;
  JudgedHost host;
  host.host.host_id = "host-one";
  host.host.name = "node1";
  host.mark = {.run_id = "run", .sequence = 1};
  ASSERT_TRUE(store.Commit({&host, 1}, 1).ok());
  const auto silences = [&store] {
    int count = 0;
    EXPECT_TRUE(store
                    .Changes("host-one", 0, std::numeric_limits<std::int64_t>::max(),
                             [&](FleetChange&& change) { count += change.observed == "silent" ? 1 : 0; })
                    .ok());
    return count;
  };
  std::atomic<int> refused = 0;
  FakeClock clock;
  std::unique_ptr<Hub> hub;
  const auto in_time = [&clock](const std::function<bool()>& holds) {
    return Eventually([&] {
      clock.Advance(std::chrono::seconds(1));
      return holds();
    });
  };
  {
    const FullDisk full;
    auto started = Hub::Start({.listen = {"127.0.0.1:0"},
                               .period = std::chrono::seconds(1),
                               .rules = {.profiles = {"smb-direct-roce"}},
                               .metrics_listen = "none",
                               .store = *std::move(opened),
                               .clock = &clock,
                               .events = [&refused](const Event& event) {
                                 refused += event.name == "store" && event.level == EventLevel::kError ? 1 : 0;
                               }});
    ASSERT_TRUE(started.ok()) << started.status();
    hub = *std::move(started);
    ASSERT_TRUE(in_time([&] { return refused > 0; }));
    EXPECT_EQ(silences(), 0);
  }
  EXPECT_TRUE(in_time([&] { return silences() > 0; }));
  EXPECT_EQ(silences(), 1) << "once";
  hub.reset();
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace rdmaready::hub

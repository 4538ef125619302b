// SPDX-License-Identifier: Apache-2.0
// What the watchdog of a hub is fed by: a store that does not return, and one that is only full.
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "agent/report/pack_state.h"
#include "agent/report/report_client.h"
#include "api/base/digest.h"
#include "api/base/run_id.h"
#include "api/client/report_channel.h"
#include "api/convert/digest.h"
#include "hub/hub.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/hub/forwarded_store.h"

namespace rdmaready::hub {
namespace {

using std::chrono::milliseconds;

// The real one, whose writes wait while the gate is closed, or are refused for want of room.
class StoreWithAGate final : public ForwardedStore {
 public:
  explicit StoreWithAGate(std::unique_ptr<FleetStore> store)
      : ForwardedStore(*store), store_(std::move(store)) {}

  void Close(bool closed) {
    const std::lock_guard lock(mutex_);
    closed_ = closed;
    opened_.notify_all();
  }
  void Fill(bool full) {
    const std::lock_guard lock(mutex_);
    full_ = full;
  }

  absl::StatusOr<std::vector<CommittedChange>> Commit(std::span<const JudgedHost> hosts,
                                                      std::int64_t now) override {
    if (const absl::Status may = Pass(); !may.ok()) return may;
    return store_->Commit(hosts, now);
  }
  absl::Status PutSeen(std::span<const SeenHost> hosts) override {
    const absl::Status may = Pass();
    return may.ok() ? store_->PutSeen(hosts) : may;
  }
  absl::StatusOr<std::vector<CommittedChange>> NoteHosts(std::span<const std::string> ids,
                                                         const std::string& text, std::int64_t now) override {
    if (const absl::Status may = Pass(); !may.ok()) return may;
    return store_->NoteHosts(ids, text, now);
  }
  absl::StatusOr<std::uint64_t> Prune(std::int64_t changes, std::int64_t over, std::uint64_t most) override {
    if (const absl::Status may = Pass(); !may.ok()) return may;
    return store_->Prune(changes, over, most);
  }

 private:
  absl::Status Pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return !closed_; });
    return full_ ? absl::ResourceExhaustedError("no room") : absl::OkStatus();
  }

  const std::unique_ptr<FleetStore> store_;
  std::mutex mutex_;
  std::condition_variable opened_;
  bool closed_ = false;
  bool full_ = false;
};

class AliveTest : public testing::Test {
 protected:
  AliveTest() {
    std::filesystem::create_directories(root_);
    auto store = std::make_unique<StoreWithAGate>(*SqliteFleetStore::Open({.path = root_ + "/fleet.db"}));
    store_ = store.get();
    auto hub = Hub::Start({.listen = {"127.0.0.1:0"},
                           .period = std::chrono::seconds(1),
                           .rules = {.profiles = {"smb-direct-roce"}},
                           .metrics_listen = "none",
                           .store = std::move(store),
                           .keeper = {.beat = milliseconds(200)},
                           .hangs_after = milliseconds(2'500)});
    EXPECT_TRUE(hub.ok()) << hub.status();
    hub_ = *std::move(hub);
    proofs_ = hub_->ProofsOfLife();
    agent_ = std::make_shared<report::ReportClient>(report::ReportOptions{
        .host = {.host_id = "00000000-0000-4000-8000-000000000001", .hostname = "node1", .run_id = MakeRunId()},
        .channel = [this] { return ReportChannel(hub_->addresses().front(), {}); }});
    const Facts facts = GoodHost();
    agent_->Offer(*report::PackState(facts, *Sha256(DigestedText(facts)), UnixNowNs()));
    ticking_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        agent_->Tick(std::chrono::steady_clock::now());
        std::this_thread::sleep_for(milliseconds(2));
      }
    });
  }
  ~AliveTest() override {
    store_->Close(false);
    ticking_ = {};
    agent_->StopAndWait(milliseconds(1'000));
    hub_.reset();
    std::filesystem::remove_all(root_);
  }

  // What is not proven; "" is nothing.
  std::string Failing() {
    std::string failing;
    for (const ProofOfLife& proof : proofs_) {
      if (!proof.prove(milliseconds(2'000)).ok()) failing += std::string(proof.what) + "; ";
    }
    return failing;
  }
  std::string FailingAfter(std::chrono::seconds time) {
    std::this_thread::sleep_for(time);
    return Failing();
  }

  // The same in the last of so many looks: on a busy machine an answer may be late once.
  std::string StillFailing(int looks) {
    std::string failing = Failing();
    for (int i = 1; i < looks && !failing.empty(); ++i) failing = FailingAfter(std::chrono::seconds(1));
    return failing;
  }

  const std::string root_ = testing::TempDir() + "alive " + std::to_string(::getpid());
  StoreWithAGate* store_ = nullptr;
  std::unique_ptr<Hub> hub_;
  std::vector<ProofOfLife> proofs_;
  std::shared_ptr<report::ReportClient> agent_;
  std::jthread ticking_;
};

TEST_F(AliveTest, AHubWhoseStoreDoesNotReturnIsNotAlive) {
  EXPECT_EQ(StillFailing(11), "") << "it has begun";
  store_->Close(true);
  const Facts facts = WithPfc(0);
  agent_->Offer(*report::PackState(facts, *Sha256(DigestedText(facts)), UnixNowNs()));
  std::string failing;
  for (int i = 0; i < 25 && failing.find("looked after") == std::string::npos; ++i)
    failing = FailingAfter(std::chrono::seconds(1));
  const std::string these = "reports are kept; the fleet is looked after; ";
  for (int i = 0; i < 10 && failing != these; ++i) failing = FailingAfter(std::chrono::seconds(1));
  EXPECT_EQ(failing, these) << "and calls are answered";
  store_->Close(false);
  EXPECT_EQ(StillFailing(11), "") << "it comes back by itself, in its time";
}

TEST_F(AliveTest, AHubWhoseDiskIsFullOrThatHasNothingToDoIsAlive) {
  agent_->Stop();
  store_->Fill(true);
  std::this_thread::sleep_for(std::chrono::seconds(6));
  EXPECT_EQ(StillFailing(11), "");
}

}  // namespace
}  // namespace rdmaready::hub

// SPDX-License-Identifier: Apache-2.0
// What the watchdog of a hub is fed by: a store that does not return, and one that is only full.
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>

#include "agent/report/pack_state.h"
#include "agent/report/report_client.h"
#include "api/base/digest.h"
#include "api/base/run_id.h"
#include "api/client/report_channel.h"
#include "api/convert/digest.h"
#include "hub/hub.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/hub/forwarded_store.h"
#include "tests/unit/hub/ticking.h"

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
  absl::Status PutSeen(std::span<const SeenHost> hosts, std::int64_t now) override {
    const absl::Status may = Pass();
    return may.ok() ? store_->PutSeen(hosts, now) : may;
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
                           .keeper = {.gather = {}, .beat = milliseconds(200)},
                           .hangs_after = milliseconds(2'500),
                           .clock = &clock_});
    EXPECT_TRUE(hub.ok()) << hub.status();
    hub_ = *std::move(hub);
    proofs_ = hub_->ProofsOfLife();
    agent_ = std::make_shared<report::ReportClient>(report::ReportOptions{
        .host = {.host_id = "00000000-0000-4000-8000-000000000001", .hostname = "node1", .run_id = MakeRunId()},
        .channel = [this] { return ReportChannel(hub_->addresses().front(), {}); }});
    const Facts facts = GoodHost();
    agent_->Offer(*report::PackState(facts, *Sha256(DigestedText(facts)), UnixNs(clock_)));
    ticking_.emplace(agent_);
  }
  ~AliveTest() override {
    store_->Close(false);
    ticking_.reset();
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
  // On a busy machine an answer may be late once.
  bool IsAlive() {
    return Eventually([this] { return Failing().empty(); });
  }
  void Pass() { clock_.Advance(std::chrono::seconds(1)); }

  const std::string root_ = testing::TempDir() + "alive " + std::to_string(::getpid());
  FakeClock clock_;
  StoreWithAGate* store_ = nullptr;
  std::unique_ptr<Hub> hub_;
  std::vector<ProofOfLife> proofs_;
  std::shared_ptr<report::ReportClient> agent_;
  std::optional<Ticking> ticking_;
};

TEST_F(AliveTest, AHubWhoseStoreDoesNotReturnIsNotAlive) {
  EXPECT_TRUE(IsAlive()) << "it has begun";
  store_->Close(true);
  const Facts facts = WithPfc(0);
  agent_->Offer(*report::PackState(facts, *Sha256(DigestedText(facts)), UnixNs(clock_)));
  std::string failing;
  EXPECT_TRUE(Eventually([&] {
    Pass();
    failing = Failing();
    return failing == "reports are kept; the fleet is looked after; ";
  })) << failing
      << ", and calls are answered";
  store_->Close(false);
  EXPECT_TRUE(Eventually([&] {
    Pass();
    return Failing().empty();
  })) << "it comes back by itself, in its time";
}

TEST_F(AliveTest, AHubWhoseDiskIsFullOrThatHasNothingToDoIsAlive) {
  agent_->Stop();
  store_->Fill(true);
  for (int second = 0; second < 6; ++second) {
    Pass();
    EXPECT_TRUE(IsAlive());
  }
}

}  // namespace
}  // namespace rdmaready::hub

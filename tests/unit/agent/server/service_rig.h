// SPDX-License-Identifier: Apache-2.0
// Agents over gRPC in this process, with a host, links and a store that need nothing: the client, the wire, the
// service and the relay between two agents are the real ones.
#pragma once

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/agent.h"
#include "agent/server/service.h"
#include "api/client/agent_client.h"
#include "api/client/peer_test.h"
#include "api/profile/load.h"
#include "tests/unit/agent/link/memory_link.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {

// Keeps in memory what an agent stores, and fails when told to.
class RecordingStore final : public Store {
 public:
  absl::Status PutRun(const RunRecord& record) override {
    const std::lock_guard lock(mutex_);
    runs.push_back(record);
    return status;
  }
  absl::Status PutTransfer(const TransferRecord& record) override {
    const std::lock_guard lock(mutex_);
    transfers.push_back(record);
    return status;
  }
  absl::StatusOr<std::vector<RunRecord>> Runs(const HistoryQuery& query) override {
    const std::lock_guard lock(mutex_);
    asked = query;
    if (!status.ok()) return status;
    return Page(runs, query);
  }
  absl::StatusOr<std::vector<TransferRecord>> Transfers(const HistoryQuery& query) override {
    pages.push_back(query.limit);
    return Page(transfers, query);
  }
  absl::Status PutEvent(const StoreEvent& event) override {
    const std::lock_guard lock(mutex_);
    events.push_back(event);
    return status;
  }
  absl::StatusOr<std::vector<StoreEvent>> Events(const HistoryQuery&) override { return events; }
  absl::StatusOr<std::vector<BaselineDay>> BaselineDays(const BaselineQuery& query) override {
    if (!status.ok()) return status;
    std::vector<BaselineDay> chosen;
    for (const BaselineDay& day : days) {
      const bool of_port = query.port.empty() || query.port == day.port;
      if (of_port && (query.case_name.empty() || query.case_name == day.case_name)) chosen.push_back(day);
    }
    return chosen;
  }
  std::string TakeNotice() override { return std::exchange(notice, {}); }

  std::size_t Kept() {
    const std::lock_guard lock(mutex_);
    return transfers.size();
  }

  absl::Status status{};
  std::vector<RunRecord> runs{};
  std::vector<TransferRecord> transfers{};
  std::vector<StoreEvent> events{};
  std::vector<BaselineDay> days{};
  std::string notice{};
  HistoryQuery asked{};
  std::vector<int> pages{};  // how many transfers were asked for at a time

 private:
  // Those of `records`, the last first, that the query's end and number leave.
  template <class Record>
  static std::vector<Record> Page(const std::vector<Record>& records, const HistoryQuery& query) {
    std::vector<Record> page;
    for (auto record = records.rbegin(); record != records.rend(); ++record) {
      const bool late = query.before_unix_ns != 0 && record->started_unix_ns >= query.before_unix_ns;
      if (!late && page.size() < static_cast<std::size_t>(query.limit)) page.push_back(*record);
    }
    return page;
  }

  std::mutex mutex_;
};

// A live test ends by its bytes, long before the half second of its case.
inline constexpr TransferLimits kFewBytes{.moved_bytes = 4u << 20};

// One host: its agent, served.
class ServedAgent {
 public:
  ServedAgent(LinkMaker make_link, const std::string& lock_directory, const CallLimits& limits = {},
              ProbeNetwork network = HostNetwork(), std::shared_ptr<HostReader> other_host = nullptr,
              const WorkerLimits& reading = {}, bool allow_proofs = true,
              std::shared_ptr<Prover> prover = nullptr, PeerTrust trust = {}, std::vector<Prefix> peers = {},
              std::shared_ptr<Configurer> configurer = nullptr, Clock& clock = RealClock(),
              const TransferLimits& transfer = kFewBytes)
      : agent_(other_host ? std::move(other_host) : std::shared_ptr<HostReader>(std::shared_ptr<void>(), &host),
               store, std::move(make_link),
               {.version = "9.9.9",
                .default_profiles = {*LoadProfile("virtual-fabric")},
                .lock_directory = lock_directory,
                .instance_id = "cafe",
                .events =
                    [this](const Event& event) {
                      const std::lock_guard lock(events_mutex);
                      events.push_back(event);
                    },
                .network = std::move(network),
                .allow_proofs = allow_proofs,
                .prover = std::move(prover),
                .configurer = std::move(configurer),
                .transfer = transfer,
                .trust = std::move(trust),
                .peers = std::move(peers),
                .reading = reading,
                .on_stored = [this](const absl::Status& stored) { kept.push_back(stored.ok()); },
                .clock = &clock}),
        service_(agent_, limits) {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }
  ~ServedAgent() { Kill(); }

  std::unique_ptr<AgentClient> Client(const std::string& name) {
    return std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
  }

  std::unique_ptr<v1::Agent::Stub> Stub() { return v1::Agent::NewStub(server_->InProcessChannel({})); }

  // As far as a caller can tell: every call ends at once.
  void Kill() { server_->Shutdown(std::chrono::system_clock::now()); }

  Agent& agent() { return agent_; }

  // The text of a field of the last event of that name.
  std::string Told(std::string_view name, std::string_view key) {
    const std::lock_guard lock(events_mutex);
    std::string told = "no event";
    for (const Event& event : events) {
      if (event.name != name) continue;
      told = "no field";
      for (const Event::Field& field : event.fields) {
        const auto* text = std::get_if<std::string>(&field.value);
        if (field.key == key) told = text == nullptr ? "a number" : *text;
      }
    }
    return told;
  }

  // An error counter of the port, as it reads from now on.
  void Count(const std::string& name, std::uint64_t value) {
    const std::string directory = "/sys/class/infiniband/rxe0/ports/1/hw_counters";
    host.directories[directory] = std::vector<std::string>{"lifespan", name};
    host.files[directory + "/" + name] = std::to_string(value) + "\n";
  }

  FakeHost host = GoodFakeHost();
  RecordingStore store;
  std::vector<bool> kept;
  std::mutex events_mutex;
  std::vector<Event> events;

 private:
  Agent agent_;
  AgentService service_;
  std::unique_ptr<grpc::Server> server_;
};

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() { std::filesystem::create_directories(locks_); }
  ~ServiceTest() override { std::filesystem::remove_all(locks_); }

  // Both ends of loopback tests come from the same maker, the two in any order, each queue pair on its own.
  LinkMaker BothEnds() {
    return [this](Role role, std::uint32_t) {
      const std::lock_guard lock(made_mutex_);
      const std::size_t test = made_[static_cast<std::size_t>(role)]++;
      while (fabrics_.size() <= test) fabrics_.push_back(std::make_unique<MemoryFabric>());
      return std::make_unique<MemoryLink>(*fabrics_[test], role);
    };
  }

  LinkMaker OneEnd(Role role) {
    return [this, role](Role, std::uint32_t) { return std::make_unique<MemoryLink>(between_, role); };
  }

  // Its tests go on until their time is over.
  static ServedAgent Unbounded(LinkMaker make_link, const std::string& locks) {
    return ServedAgent(std::move(make_link), locks, {}, HostNetwork(), nullptr, {}, true, nullptr, {}, {},
                       nullptr, RealClock(), {});
  }

  PeerTest Send1k() const {
    return {.case_name = "send-1k",
            .from_port = {.device = "rxe0", .number = 1, .address = ""},
            .to_port = {.device = "rxe0", .number = 1, .address = ""},
            .caller = "a test",
            .run_id = "run-7"};
  }

  const std::string locks_ = testing::TempDir() + "service locks " + std::to_string(::getpid());
  MemoryFabric between_;
  std::vector<std::unique_ptr<MemoryFabric>> fabrics_;
  std::mutex made_mutex_;
  std::array<std::size_t, 2> made_{};  // by Role
};

}  // namespace rdmaready

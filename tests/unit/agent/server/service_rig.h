// SPDX-License-Identifier: Apache-2.0
// Agents over gRPC in this process, with a host, links and a store that need nothing: the client, the wire, the
// service and the relay between two agents are the real ones.
#pragma once

#include <gmock/gmock.h>
#include <grpcpp/channel.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/agent.h"
#include "agent/port/port_lock.h"
#include "agent/server/limits.h"
#include "api/client/agent_client.h"
#include "api/client/peer_test.h"
#include "tests/unit/agent/link/memory_link.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {

// Keeps in memory what an agent stores, and fails when told to.
class RecordingStore final : public Store {
 public:
  absl::Status PutRun(const RunRecord& record) override;
  absl::Status PutTransfer(const TransferRecord& record) override;
  absl::StatusOr<std::vector<RunRecord>> Runs(const HistoryQuery& query) override;
  absl::StatusOr<std::vector<TransferRecord>> Transfers(const HistoryQuery& query) override;
  absl::Status PutEvent(const StoreEvent& event) override;
  absl::StatusOr<std::vector<StoreEvent>> Events(const HistoryQuery& query) override;
  absl::StatusOr<std::vector<BaselineDay>> BaselineDays(const BaselineQuery& query) override;
  std::string TakeNotice() override { return std::exchange(notice, {}); }

  std::size_t Kept();

  absl::Status status{};
  std::vector<RunRecord> runs{};
  std::vector<TransferRecord> transfers{};
  std::vector<StoreEvent> events{};
  std::vector<BaselineDay> days{};
  std::string notice{};
  HistoryQuery asked{};
  std::vector<int> pages{};  // how many transfers were asked for at a time

 private:
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
              const TransferLimits& transfer = kFewBytes, bool allow_in_production = false,
              std::shared_ptr<helper::Pauser> pauser = nullptr);  // with one it also allows stress tests
  ~ServedAgent();

  std::unique_ptr<AgentClient> Client(const std::string& name);

  // Within this process.
  std::shared_ptr<grpc::Channel> Channel();

  // As far as a caller can tell: every call ends at once.
  void Kill();

  Agent& agent() { return agent_; }

  // The text of a field of the last event of that name.
  std::string Told(std::string_view name, std::string_view key);

  // An error counter of the port, as it reads from now on.
  void Count(const std::string& name, std::uint64_t value);

  FakeHost host;
  RecordingStore store;
  std::vector<bool> kept;
  std::mutex events_mutex;
  std::vector<Event> events;

 private:
  struct Server;

  Agent agent_;
  std::unique_ptr<Server> server_;
};

// The port of that host, as an agent locks it.
inline LockedPort OnlyPort() { return {.name = "rxe0/1", .identity = "rxe0/505400fffe000001/1"}; }

class ServiceTest : public testing::Test {
 protected:
  ServiceTest();
  ~ServiceTest() override;

  // Both ends of loopback tests come from the same maker, the two in any order, each queue pair on its own.
  LinkMaker BothEnds();

  LinkMaker OneEnd(Role role);

  // Its tests go on until their time is over.
  static ServedAgent Unbounded(LinkMaker make_link, const std::string& locks);

  PeerTest Send1k() const;

  const std::string locks_;
  MemoryFabric between_;
  std::vector<std::unique_ptr<MemoryFabric>> fabrics_;
  std::mutex made_mutex_;
  std::array<std::size_t, 2> made_{};  // by Role
};

}  // namespace rdmaready

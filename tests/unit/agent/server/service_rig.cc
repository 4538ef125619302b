// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/server/service_rig.h"

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <variant>

#include "agent/server/service.h"
#include "api/profile/load.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

// Those of `records`, the last first, that the query's end and number leave.
template <class Record>
std::vector<Record> Page(const std::vector<Record>& records, const HistoryQuery& query) {
  std::vector<Record> page;
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    const bool late = query.before_unix_ns != 0 && record->started_unix_ns >= query.before_unix_ns;
    if (!late && page.size() < static_cast<std::size_t>(query.limit)) page.push_back(*record);
  }
  return page;
}

}  // namespace

absl::Status RecordingStore::PutRun(const RunRecord& record) {
  const std::lock_guard lock(mutex_);
  runs.push_back(record);
  return status;
}

absl::Status RecordingStore::PutTransfer(const TransferRecord& record) {
  const std::lock_guard lock(mutex_);
  transfers.push_back(record);
  return status;
}

absl::StatusOr<std::vector<RunRecord>> RecordingStore::Runs(const HistoryQuery& query) {
  const std::lock_guard lock(mutex_);
  asked = query;
  if (!status.ok()) return status;
  return Page(runs, query);
}

absl::StatusOr<std::vector<TransferRecord>> RecordingStore::Transfers(const HistoryQuery& query) {
  pages.push_back(query.limit);
  return Page(transfers, query);
}

absl::Status RecordingStore::PutEvent(const StoreEvent& event) {
  const std::lock_guard lock(mutex_);
  events.push_back(event);
  return status;
}

absl::StatusOr<std::vector<StoreEvent>> RecordingStore::Events(const HistoryQuery&) { return events; }

absl::StatusOr<std::vector<BaselineDay>> RecordingStore::BaselineDays(const BaselineQuery& query) {
  if (!status.ok()) return status;
  std::vector<BaselineDay> chosen;
  for (const BaselineDay& day : days) {
    const bool of_port = query.port.empty() || query.port == day.port;
    if (of_port && (query.case_name.empty() || query.case_name == day.case_name)) chosen.push_back(day);
  }
  return chosen;
}

std::size_t RecordingStore::Kept() {
  const std::lock_guard lock(mutex_);
  return transfers.size();
}

struct ServedAgent::Server {
  Server(Agent& agent, const CallLimits& limits) : service(agent, limits) {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service);
    server = builder.BuildAndStart();
  }

  AgentService service;
  std::unique_ptr<grpc::Server> server;
};

ServedAgent::ServedAgent(LinkMaker make_link, const std::string& lock_directory, const CallLimits& limits,
                         ProbeNetwork network, std::shared_ptr<HostReader> other_host,
                         const WorkerLimits& reading, bool allow_proofs, std::shared_ptr<Prover> prover,
                         PeerTrust trust, std::vector<Prefix> peers, std::shared_ptr<Configurer> configurer,
                         Clock& clock, const TransferLimits& transfer, bool allow_in_production,
                         std::shared_ptr<helper::Pauser> pauser)
    : host(GoodFakeHost()),
      agent_(other_host ? std::move(other_host) : std::shared_ptr<HostReader>(std::shared_ptr<void>(), &host),
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
              .allow_in_production = allow_in_production,
              .stress = {.allowed = pauser != nullptr},
              .pauser = pauser,
              .configurer = std::move(configurer),
              .transfer = transfer,
              .trust = std::move(trust),
              .peers = std::move(peers),
              .reading = reading,
              .on_stored = [this](const absl::Status& stored) { kept.push_back(stored.ok()); },
              .clock = &clock}),
      server_(std::make_unique<Server>(agent_, limits)) {}

ServedAgent::~ServedAgent() { Kill(); }

std::unique_ptr<AgentClient> ServedAgent::Client(const std::string& name) {
  return std::make_unique<AgentClient>(name, Channel(), ClientOptions{});
}

std::shared_ptr<grpc::Channel> ServedAgent::Channel() { return server_->server->InProcessChannel({}); }

void ServedAgent::Kill() { server_->server->Shutdown(std::chrono::system_clock::now()); }

std::string ServedAgent::Told(std::string_view name, std::string_view key) {
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

void ServedAgent::Count(const std::string& name, std::uint64_t value) {
  const std::string directory = "/sys/class/infiniband/rxe0/ports/1/hw_counters";
  host.directories[directory] = std::vector<std::string>{"lifespan", name};
  host.files[directory + "/" + name] = std::to_string(value) + "\n";
}

ServiceTest::ServiceTest() : locks_(testing::TempDir() + "service locks " + std::to_string(::getpid())) {
  std::filesystem::create_directories(locks_);
}

ServiceTest::~ServiceTest() { std::filesystem::remove_all(locks_); }

LinkMaker ServiceTest::BothEnds() {
  return [this](Role role, std::uint32_t) {
    const std::lock_guard lock(made_mutex_);
    const std::size_t test = made_[static_cast<std::size_t>(role)]++;
    while (fabrics_.size() <= test) fabrics_.push_back(std::make_unique<MemoryFabric>());
    return std::make_unique<MemoryLink>(*fabrics_[test], role);
  };
}

LinkMaker ServiceTest::OneEnd(Role role) {
  return [this, role](Role, std::uint32_t) { return std::make_unique<MemoryLink>(between_, role); };
}

ServedAgent ServiceTest::Unbounded(LinkMaker make_link, const std::string& locks) {
  return ServedAgent(std::move(make_link), locks, {}, HostNetwork(), nullptr, {}, true, nullptr, {}, {},
                     nullptr, RealClock(), {});
}

PeerTest ServiceTest::Send1k() const {
  return {.case_name = "send-1k",
          .from_port = {.device = "rxe0", .number = 1, .address = ""},
          .to_port = {.device = "rxe0", .number = 1, .address = ""},
          .caller = "a test",
          .run_id = "run-7"};
}

}  // namespace rdmaready

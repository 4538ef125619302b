// SPDX-License-Identifier: Apache-2.0
#include "agent/server/server.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>

#include <random>
#include <thread>
#include <utility>

#include "agent/access/audit.h"
#include "agent/access/role_file.h"
#include "agent/access/socket_file.h"
#include "agent/agent.h"
#include "agent/helper/applier/helped_applier.h"
#include "agent/helper/helped_host.h"
#include "agent/helper/pauser/helped_pauser.h"
#include "agent/helper/prover/helped_prover.h"
#include "agent/link/verbs_link.h"
#include "agent/own_check.h"
#include "agent/own_drift.h"
#include "agent/run_digest.h"
#include "agent/server/applier_trace.h"
#include "agent/server/limits.h"
#include "agent/server/service.h"
#include "agent/store/sqlite_store.h"
#include "api/base/clock.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/client/address.h"
#include "api/client/report_channel.h"
#include "api/daemon/listening.h"
#include "api/daemon/server_tls.h"
#include "collectors/real/host.h"

namespace rdmaready {
namespace {

constexpr char kStoreHealth[] = "rdmaready.store";

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const ServerOptions& options) {
  StoreOptions store_options = options.store;
  store_options.directory = options.state_directory;
  store_options.clock = options.clock;
  store_options.log = [events = options.events](const std::string& line) {
    Tell(events, EventLevel::kError, "store", {{"reason", line}});
  };
  auto store = std::make_unique<SqliteStore>(store_options);
  if (!options.refuse_broken_store) return store;
  const absl::Status opened = store->Open();
  // A disk that is full now has room later: the host is answered for all the same.
  if (absl::IsResourceExhausted(opened)) {
    store_options.log("working without memory until there is room: " + Message(opened));
    return store;
  }
  // Our own failure, whatever SQLite calls it.
  if (!opened.ok()) return absl::InternalError(Message(opened));
  return store;
}

// Without a folder nobody is asked.
std::shared_ptr<Prover> ProverOf(const ServerOptions& options) {
  if (options.helpers_directory.empty()) return nullptr;
  return helper::HelpedProver(options.helpers_directory, [events = options.events](const std::string& line) {
    Tell(events, EventLevel::kWarning, "prover", {{"reason", line}});
  });
}

// The same.
std::shared_ptr<helper::Pauser> PauserOf(const ServerOptions& options) {
  if (options.helpers_directory.empty()) return nullptr;
  return helper::HelpedPauser(options.helpers_directory);
}

// The same.
std::shared_ptr<Configurer> ConfigurerOf(const ServerOptions& options) {
  if (options.configurer != nullptr || options.helpers_directory.empty()) return options.configurer;
  return helper::HelpedConfigurer(options.helpers_directory);
}

absl::StatusOr<std::shared_ptr<access::Gate>> MakeGate(const ServerOptions& options, bool for_itself,
                                                       const std::shared_ptr<CallerJudge>& judge) {
  access::GateOptions gate{.plain_role = options.plain_role,
                           .own_process = for_itself,
                           .quota = options.quota,
                           .events = options.events,
                           .clock = options.clock};
  if (!options.role_file.empty()) {
    RR_ASSIGN_OR_RETURN(gate.roles, access::RoleFile::Open(options.role_file, options.events, *options.clock));
  }
  if (judge != nullptr && judge->HasLists())
    gate.why_refused = [judge](const auto& pem, const auto& others) { return judge->WhyRefused(pem, others); };
  if (!for_itself) {
    gate.audit = std::make_shared<access::Audit>(options.audit_file, options.events, *options.clock);
    RR_RETURN_IF_ERROR(gate.audit->Open());
  }
  return std::make_shared<access::Gate>(std::move(gate));
}

// This host, and who reads of it what this process may not.
std::shared_ptr<HostReader> HostOf(const ServerOptions& options) {
  if (options.host != nullptr) return options.host;
  auto real = std::make_shared<RealHost>();
  if (options.helpers_directory.empty()) return real;
  return helper::HelpedHost(std::move(real), options.helpers_directory);
}

LinkMaker LinksOf(const ServerOptions& options) {
  if (options.make_link) return options.make_link;
  return [](Role, std::uint32_t) { return std::make_unique<VerbsLink>(); };
}

// Local sockets are no business of gRPC's: they go from what is listened on to the doors.
absl::Status TakeSockets(std::vector<std::string>& listen, std::vector<access::DoorSocket>& sockets) {
  std::vector<std::string> network;
  for (std::string& text : listen) {
    RR_ASSIGN_OR_RETURN(const HostAddress address, ParseHostAddress(text, 0));
    if (address.unix_path.empty()) {
      network.push_back(std::move(text));
    } else {
      RR_ASSIGN_OR_RETURN(access::DoorSocket socket,
                          access::MakeSocket(address.unix_path, access::Role::kApply));
      sockets.push_back(std::move(socket));
    }
  }
  listen = std::move(network);
  return absl::OkStatus();
}

}  // namespace

bool IsForItself(const ServerOptions& options) {
  const bool metrics = !options.metrics_listen.empty() && options.metrics_listen != metrics::kNowhere;
  return options.listen.empty() && options.hub.empty() && !metrics;
}

HostedAgent::HostedAgent(std::unique_ptr<Store> store, std::shared_ptr<access::Gate> gate,
                         const ServerOptions& options, std::shared_ptr<const EventRing> recent)
    : host_(HostOf(options)),
      store_(std::move(store)),
      gate_(std::move(gate)),
      agent_(
          new Agent(host_, *store_, LinksOf(options),
                    {.version = kVersion,
                     .default_profiles = options.default_profiles,
                     .waivers = options.waivers,
                     .lock_directory = {},
                     .instance_id = MakeInstanceId(),
                     .events = options.events,
                     .allow_proofs = options.allow_proofs,
                     .prover = ProverOf(options),
                     .allow_in_production = options.allow_in_production,
                     .stress = options.stress,
                     .pauser = PauserOf(options),
                     .use_host = options.host == nullptr ? std::make_shared<RealHost>() : nullptr,
                     .configurer = ConfigurerOf(options),
                     .applier_trace = [helpers = options.helpers_directory] { return ApplierTrace(helpers); },
                     .transfer = options.transfer,
                     .trust = {.files = options.tls, .roles_file = options.role_file},
                     .peers = options.peers,
                     .on_stored =
                         [this](const absl::Status& stored) {
                           ReportStore(stored);
                           book_.Stored(stored);
                         },
                     .on_checked = [this](const CheckDone& done) { Checked(done); },
                     .on_tested = [this](const LiveTest& test, bool loopback) { Tested(test, loopback); },
                     .on_read = [this](const auto& facts, auto begun) { SeenByDrift(facts, begun); },
                     .clock = options.clock})),
      service_(std::make_unique<AgentService>(*agent_, options.limits, gate_, std::move(recent))) {}

void HostedAgent::SetDefaultProfiles(std::vector<Profile> profiles, std::vector<Waiver> waivers) {
  agent_->SetDefaultProfiles(std::move(profiles), std::move(waivers));
}

absl::StatusOr<std::unique_ptr<HostedAgent>> HostedAgent::Start(ServerOptions options,
                                                                std::vector<access::DoorSocket> sockets) {
  RR_RETURN_IF_ERROR(TakeSockets(options.listen, sockets));
  const auto recent = std::make_shared<EventRing>();
  options.events = EventRing::Before(recent, std::move(options.events), *options.clock);
  recent->Add({.level = EventLevel::kInfo, .name = "started", .fields = {{"version", std::string(kVersion)}}},
              UnixNs(*options.clock));
  const bool for_itself = sockets.empty() && IsForItself(options);
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, OpenStore(options));
  std::shared_ptr<CallerJudge> judge;
  if (options.tls.Any()) judge = MakeCallerJudge(options.tls, options.events);
  RR_ASSIGN_OR_RETURN(std::shared_ptr<access::Gate> gate, MakeGate(options, for_itself, judge));
  std::unique_ptr<HostedAgent> agent(new HostedAgent(std::move(store), std::move(gate), options, recent));
  agent->judge_ = std::move(judge);
  if (!for_itself) grpc::EnableDefaultHealthCheckService(true);
  RR_RETURN_IF_ERROR(agent->Open(options, std::move(sockets), for_itself));
  agent->ReportStore(absl::OkStatus());
  agent->KeepSchedules(options);
  agent->KeepDriftWatch(options);
  RR_RETURN_IF_ERROR(agent->KeepReporter(options));
  return agent;
}

absl::Status HostedAgent::Open(const ServerOptions& options, std::vector<access::DoorSocket> sockets,
                               bool for_itself) {
  if (!options.listen.empty()) RR_RETURN_IF_ERROR(ListenOnNetwork(options));
  if (for_itself || !sockets.empty()) RR_RETURN_IF_ERROR(OpenDoor(std::move(sockets), options));
  for (grpc::Server* server : {network_.server.get(), local_.get()})
    SetHealth(server, v1::Agent::service_full_name(), true);
  return for_itself ? absl::OkStatus() : OpenMetrics(options);
}

// The agent outlives its schedules, which are its siblings and younger.
void HostedAgent::KeepSchedules(const ServerOptions& options) {
  if (options.check_interval.count() > 0) {
    schedule_ = std::make_unique<Schedule>(
        options.check_interval, std::random_device()(), *options.clock,
        [this, events = options.events, at_rest = options.at_rest](const std::stop_token& stop) {
          CheckByItself(*agent_, events, stop);
          if (at_rest) at_rest();
        });
  }
  if (options.own_test.interval.count() > 0) {
    test_schedule_ = std::make_unique<Schedule>(
        options.own_test.interval, std::random_device()(), *options.clock,
        [this, how = options.own_test, events = options.events](const std::stop_token& stop) {
          TestByItself(*agent_, *gate_, how, events, stop);
        });
  }
}

void HostedAgent::KeepDriftWatch(const ServerOptions& options) {
  if (!options.drift) return;
  auto watch =
      WatchDrift(*agent_, options.events, agent_->config().configurer, [this](const drift::DriftEvent& event) {
        book_.Drifted(event.own, event.changes.size(), UnixNs(agent_->clock()));
        if (report::Reporter* const reporter = reporting_) reporter->LookAgain();
      });
  const std::lock_guard lock(drift_mutex_);
  drift_ = std::move(watch);
}

void HostedAgent::Checked(const CheckDone& done) {
  book_.Checked(done);
  report::Reporter* const reporter = reporting_;
  if (reporter == nullptr || !done.compares) return;  // of the agent's own checks each looks at the whole host
  reporter->Checked(done.run.facts, DigestOfRun(done.run.facts, done.run.report), done.started_unix_ns,
                    done.started_steady_ns);
}

void HostedAgent::Tested(const LiveTest& test, bool loopback) {
  book_.Tested(test, loopback, UnixNs(agent_->clock()));
  if (report::Reporter* const reporter = reporting_) reporter->Tested();
}

absl::Status HostedAgent::KeepReporter(const ServerOptions& options) {
  if (options.hub.empty()) return absl::OkStatus();
  report::ReporterOptions how{.hub = options.hub,
                              .tls = options.tls,
                              .insecure = options.insecure,
                              .state_directory = options.state_directory,
                              .agent_version = kVersion,
                              .events = options.events,
                              .clock = options.clock};
  how.check = [this, events = options.events](std::stop_token stop) {
    CheckByItself(*agent_, events, std::move(stop));
  };
  how.past = [this] { return agent_->Baselines({}); };
  if (options.enrolled) RR_RETURN_IF_ERROR(KeepIdentity(options, how));
  RR_ASSIGN_OR_RETURN(reporter_, report::Reporter::Start(std::move(how)));
  reporting_ = reporter_.get();
  return absl::OkStatus();
}

absl::Status HostedAgent::KeepIdentity(const ServerOptions& options, report::ReporterOptions& reporter) {
  enrol::KeeperOptions how{.files = enrol::IdentityFiles(options.state_directory),
                           .seed = std::random_device()(),
                           .events = options.events,
                           .clock = options.clock};
  // A connection of its own for each call: by that certificate, and no other.
  constexpr int kFirstNumber = 1'000'000;
  how.channel = [hub = options.hub, number = kFirstNumber](const TlsFiles& files) mutable {
    return ReportChannel(hub, files, number++);
  };
  how.renewed = [this] {
    if (report::Reporter* const reporting = reporting_) reporting->Reconnect();
  };
  RR_ASSIGN_OR_RETURN(identity_, enrol::IdentityKeeper::Start(std::move(how)));
  reporter.lists_sha256 = [keeper = identity_] { return keeper->ListsSha256(); };
  reporter.heard_lists = [keeper = identity_](const std::string& pem) { keeper->Heard(pem); };
  return absl::OkStatus();
}

// The keeper first: it tells the reporter.
void HostedAgent::EndReporter() {
  if (identity_ != nullptr) identity_->Stop();
  reporting_ = nullptr;  // nobody is left who would use it
  reporter_.reset();
}

void HostedAgent::SeenByDrift(const std::shared_ptr<const Facts>& facts,
                              std::chrono::steady_clock::time_point begun) {
  const std::lock_guard lock(drift_mutex_);
  if (drift_ != nullptr) drift_->Seen(facts, begun);
}

bool HostedAgent::DriftWatched() const {
  const std::lock_guard lock(drift_mutex_);
  return drift_ != nullptr;
}

void HostedAgent::EndDriftWatch() {
  std::unique_ptr<drift::DriftWatch> ended;  // without the lock: what it reads now may come by SeenByDrift
  const std::lock_guard lock(drift_mutex_);
  ended = std::move(drift_);
}

HostedAgent::~HostedAgent() {
  schedule_.reset();
  EndDriftWatch();
  EndReporter();
  if (door_ != nullptr) door_->Close();  // its connections go to a server that is gone first
}

absl::Status HostedAgent::ListenOnNetwork(const ServerOptions& options) {
  const bool tls = options.tls.Any();
  CredentialsOfPlace credentials;
  if (tls) {
    RR_ASSIGN_OR_RETURN(credentials, MakeServerCredentials(options.tls, judge_));
  }
  grpc::ServerBuilder builder;
  SetLimits(builder);
  SetReflection(builder, options.reflection);
  builder.RegisterService(service_.get());
  RR_ASSIGN_OR_RETURN(network_, StartListening(builder, {.listen = options.listen,
                                                         .credentials = grpc::InsecureServerCredentials(),
                                                         .tls = credentials,
                                                         .plain_anywhere = options.insecure || tls,
                                                         .unacknowledged = kKeepaliveAnswer,
                                                         .events = options.events,
                                                         .needs = "--tls-cert, --tls-key and --tls-ca"}));
  for (const std::string& address : network_.addresses)
    addresses_.push_back({address, tls, tls ? access::Role::kNone : options.plain_role});
  return absl::OkStatus();
}

absl::Status HostedAgent::OpenDoor(std::vector<access::DoorSocket> sockets, const ServerOptions& options) {
  grpc::ServerBuilder builder;
  SetLimits(builder);
  SetReflection(builder, !sockets.empty());
  builder.RegisterService(service_.get());
  local_ = builder.BuildAndStart();
  if (local_ == nullptr) return absl::InternalError("the gRPC server did not start");
  for (const access::DoorSocket& socket : sockets)
    addresses_.push_back({"unix:" + socket.path, false, socket.role});
  if (sockets.empty()) return absl::OkStatus();
  door_ = std::make_unique<access::LocalDoor>(
      std::move(sockets), [server = local_.get()](int fd) { grpc::AddInsecureChannelFromFd(server, fd); },
      options.events, *options.clock);
  gate_->SetDoor(door_.get());
  return absl::OkStatus();
}

metrics::AgentNow HostedAgent::Now(std::chrono::milliseconds check_interval) const {
  metrics::AgentNow now{.version = agent_->config().version,
                        .check_interval_s = std::chrono::duration<double>(check_interval).count(),
                        .readings = agent_->worker().finished(),
                        .readings_waiting = agent_->worker().waiting(),
                        .reading_stuck = agent_->ReadingStuck(),
                        .live_test_running = agent_->LiveTestRunning(),
                        .drift_watched = DriftWatched()};
  const auto admitted = gate_->Admitted();
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    const auto calls = static_cast<std::uint64_t>(admitted[i]);
    switch (access::kAskRows[i].role) {
      case access::Role::kObserve:
        now.served.observe += calls;
        break;
      case access::Role::kTest:
        now.served.test += calls;
        break;
      case access::Role::kProve:
        now.served.prove += calls;
        break;
      case access::Role::kApply:
        now.served.apply += calls;
        break;
      case access::Role::kNone:
      case access::Role::kAgent:
      case access::Role::kStress:  // counted as the test that it is
        break;
    }
  }
  for (const access::RefusalCount& refused : gate_->Refusals())
    (refused.quota ? now.refused_by_quota : now.refused_by_role) += static_cast<std::uint64_t>(refused.times);
  return now;
}

absl::Status HostedAgent::OpenMetrics(const ServerOptions& options) {
  if (!options.open_metrics) return absl::OkStatus();
  const auto started = std::chrono::duration<double>(options.clock->Wall().time_since_epoch()).count();
  const auto admit = [this](const metrics::HttpCaller& caller) -> absl::Status {
    if (judge_ != nullptr) {
      if (const std::string why = judge_->WhyRefused(caller.certificate_pem, caller.others_pem); !why.empty())
        return absl::UnauthenticatedError(why);
    }
    return gate_->Admit(gate_->WhoCalls(caller.address, caller.certificate_pem), access::Ask::kGetMetrics)
        .status();
  };
  const auto now = [this, started, interval = options.check_interval] {
    metrics::AgentNow all = Now(interval);
    all.started_unix_s = started;
    return all;
  };
  metrics::DoorOptions door{.listen = options.metrics_listen,
                            .tls = options.tls,
                            .insecure = options.insecure,
                            .events = options.events,
                            .admit = admit};
  RR_ASSIGN_OR_RETURN(metrics_, options.open_metrics(std::move(door), now, book_));
  return absl::OkStatus();
}

void HostedAgent::ReportStore(const absl::Status& stored) {
  for (grpc::Server* server : {network_.server.get(), local_.get()})
    SetHealth(server, kStoreHealth, stored.ok());
}

std::shared_ptr<grpc::Channel> HostedAgent::InProcessChannel() {
  return local_->InProcessChannel(grpc::ChannelArguments());
}

void HostedAgent::Shutdown(std::chrono::milliseconds grace) {
  agent_->StopReading();
  metrics_.reset();
  schedule_.reset();
  test_schedule_.reset();
  EndDriftWatch();
  EndReporter();
  if (door_ != nullptr) door_->Close();  // no connection comes to a server that ends
  const Clock::WallTime deadline = DeadlineIn(grace);
  std::jthread beside;
  if (local_ != nullptr) beside = std::jthread([&] { local_->Shutdown(deadline); });
  network_.Shutdown(deadline);
}

}  // namespace rdmaready

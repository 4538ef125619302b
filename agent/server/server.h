// SPDX-License-Identifier: Apache-2.0
// HostedAgent: a whole agent of this host in this process: the real host, a store in `state_directory`, the
// service, and the addresses it listens on (none for the command line's own agent).
//
// Who listens is also asked for grpc.health.v1, and by local sockets for its methods (reflection). "" and
// "rdmaready.v1.Agent" are SERVING as long as calls are answered; "rdmaready.store" is NOT_SERVING from a
// result that could not be kept until one that could: verdicts stand without memory.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/access/gate.h"
#include "agent/access/local_door.h"
#include "agent/access/quota.h"
#include "agent/access/role.h"
#include "agent/apply/configurer.h"
#include "agent/drift/drift_watch.h"
#include "agent/enrol/identity_keeper.h"
#include "agent/metrics/agent_door.h"
#include "agent/metrics/agent_now.h"
#include "agent/metrics/book.h"
#include "agent/own_test.h"
#include "agent/port/stress_ports.h"
#include "agent/report/reporter.h"
#include "agent/runs.h"
#include "agent/server/limits.h"
#include "agent/server/schedule.h"
#include "agent/store/sqlite_store.h"
#include "agent/transfer/limits.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/base/prefix_index.h"
#include "api/client/caller_judge.h"
#include "api/client/tls.h"
#include "api/daemon/listening.h"
#include "api/daemon/watchdog.h"
#include "api/metrics/door.h"
#include "api/model/profile.h"
#include "collectors/host_reader.h"

namespace grpc {
class Channel;
class Server;
}  // namespace grpc

namespace rdmaready {

class Agent;
class AgentService;
class EventRing;

struct ServerOptions {
  std::vector<std::string> listen{};  // HOST[:PORT] or unix:PATH, as in api/client/address.h
  TlsFiles tls{};                     // given: every TCP listener speaks mutual TLS, and nothing else
  bool insecure = false;              // without it, plain text is listened to on loopback and unix sockets only
  access::Role plain_role = access::Role::kObserve;  // of callers by plain TCP, loopback included
  std::string role_file{};                           // of certificates; empty: each may observe
  access::QuotaLimits quota{};
  std::string audit_file{};  // empty: none
  bool reflection = false;   // for TCP too
  std::string state_directory{};
  std::vector<Profile> default_profiles{};     // for callers who name none
  std::vector<Waiver> waivers{};               // of whatever is judged here
  StoreOptions store{};                        // limits; its directory is state_directory, its log `events`
  bool refuse_broken_store = true;             // false: work without memory, and say so with each result
  std::chrono::milliseconds check_interval{};  // of the agent's own checks of this host; 0: none
  std::function<void()> at_rest{};             // called after each of these checks; may be empty
  OwnTestOptions own_test{};                   // its own loopback tests; off unless an interval is given
  bool allow_proofs = false;                   // see AgentConfig
  bool allow_in_production = false;            // the same
  StressLimits stress{};                       // the same
  std::string helpers_directory{};             // of the helpers' sockets; empty: no helper is asked
  std::shared_ptr<Configurer> configurer{};    // null: rdmaready-applier in that directory, where there is one
  TransferLimits transfer{};
  std::vector<Prefix> peers{};   // see AgentConfig
  std::string metrics_listen{};  // see metrics::DoorOptions; one that listens nowhere has no metrics either
  metrics::DoorMaker open_metrics{};  // empty: there are no metrics
  bool drift = false;                 // watch this host's settings: agent/own_drift.h
  std::string hub{};                  // whom to report to; empty: nobody
  bool enrolled = false;              // `tls` is the identity in state_directory, which is kept: agent/enrol
  CallLimits limits{};
  EventSink events{};
  Clock* clock = &RealClock();
  std::shared_ptr<HostReader> host{};  // null: this one
  LinkMaker make_link{};               // empty: RDMA devices
};

// Whether an agent without local sockets serves its own process alone, as the command line's own does: it
// listens on no address, reports to no hub and shows no metrics.
bool IsForItself(const ServerOptions& options);

class HostedAgent {
 public:
  // Errors: kFailedPrecondition (plain text off loopback), kInvalidArgument (TLS files, role map), kUnavailable
  // (address in use or not ours), the store's own.
  // `sockets`: those that local callers come by, a role each.
  static absl::StatusOr<std::unique_ptr<HostedAgent>> Start(ServerOptions options,
                                                            std::vector<access::DoorSocket> sockets = {});

  HostedAgent(const HostedAgent&) = delete;
  HostedAgent& operator=(const HostedAgent&) = delete;
  ~HostedAgent();

  // A channel to it that needs no address; of an agent that only this process asks, or that has local sockets.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // What it listens on, with the real port where 0 was asked for.
  struct Listening {
    std::string address{};
    bool tls = false;
    access::Role role = access::Role::kNone;  // of whoever comes by it; kNone: it depends on his certificate
  };
  const std::vector<Listening>& addresses() const { return addresses_; }
  // Of /metrics; null: there is none.
  const metrics::Door* metrics() const { return metrics_.get(); }

  std::vector<access::RefusalCount> Refusals() const { return gate_->Refusals(); }

  // What proves that it gets on with its work. It outlives their use.
  std::vector<ProofOfLife> ProofsOfLife();

  // By what is judged who names no profile, from now on.
  void SetDefaultProfiles(std::vector<Profile> profiles, std::vector<Waiver> waivers);

  // Ends the agent's own checks, cancels the calls that still run after `grace` (their tests end as cancelled)
  // and stops listening.
  // Waits for no reading of the host.
  void Shutdown(std::chrono::milliseconds grace);

 private:
  HostedAgent(std::unique_ptr<Store> store, std::shared_ptr<access::Gate> gate, const ServerOptions& options,
              std::shared_ptr<const EventRing> recent);
  absl::Status Open(const ServerOptions& options, std::vector<access::DoorSocket> sockets, bool for_itself);
  absl::Status ListenOnNetwork(const ServerOptions& options);
  absl::Status OpenDoor(std::vector<access::DoorSocket> sockets, const ServerOptions& options);
  absl::Status OpenMetrics(const ServerOptions& options);
  void KeepSchedules(const ServerOptions& options);
  metrics::AgentNow Now(std::chrono::milliseconds check_interval) const;
  void ReportStore(const absl::Status& stored);
  void KeepDriftWatch(const ServerOptions& options);
  void EndDriftWatch();
  void Checked(const CheckDone& done);
  void Tested(const LiveTest& test, bool loopback);
  absl::Status KeepReporter(const ServerOptions& options);
  absl::Status KeepIdentity(const ServerOptions& options, report::ReporterOptions& reporter);
  void EndReporter();
  bool DriftWatched() const;
  void SeenByDrift(const std::shared_ptr<const Facts>& facts, std::chrono::steady_clock::time_point begun);

  std::shared_ptr<HostReader> host_;  // this one, with the help of helpers where there are any
  std::unique_ptr<Store> store_;
  std::shared_ptr<CallerJudge> judge_;  // null: no TLS
  std::shared_ptr<access::Gate> gate_;
  metrics::Book book_;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<AgentService> service_;
  mutable std::mutex drift_mutex_;            // guards what follows; calls that run use both
  std::unique_ptr<drift::DriftWatch> drift_;  // null: nothing is watched
  // Two servers of one service: what is offered to people of this host is not offered to the network, and who
  // fills the one keeps nobody from the other.
  std::unique_ptr<access::LocalDoor> door_;  // outlives the calls, which ask it who calls
  ListeningServer network_;                  // without a server: nowhere to listen
  std::unique_ptr<grpc::Server> local_;      // local sockets, and this process; null: neither is wanted
  std::vector<Listening> addresses_;
  std::shared_ptr<const metrics::Door> metrics_;        // held by nobody else
  std::shared_ptr<enrol::IdentityKeeper> identity_;     // null: not enrolled. Streams of reports hold it, too
  std::atomic<report::Reporter*> reporting_ = nullptr;  // once it is there
  std::unique_ptr<report::Reporter> reporter_;          // null: no hub
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<Schedule> test_schedule_;
};

}  // namespace rdmaready
